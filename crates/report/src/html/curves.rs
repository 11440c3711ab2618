//! Curves over time.

use plotters::prelude::*;

use super::palette::{GRID, INK, MUTED, series};
use crate::Error;
use crate::comparison::TimeChart;

const SIZE: (u32, u32) = (520, 300);

/// The chart as an SVG element.
pub(super) fn chart(chart: &TimeChart) -> Result<String, Error> {
    let mut svg = String::new();
    draw(&mut svg, chart)
        .map_err(|problem| Error::Chart { chart: chart.title.clone(), problem })?;
    Ok(svg)
}

fn draw(svg: &mut String, chart: &TimeChart) -> Result<(), String> {
    let broken = |error: DrawingAreaErrorKind<_>| error.to_string();
    let points = || {
        chart
            .curves
            .iter()
            .flat_map(|curve| &curve.points)
            .filter(|(time, value)| time.is_finite() && value.is_finite())
    };
    let end = points().map(|point| point.0).fold(0.0, f64::max);
    let top = points().map(|point| point.1).fold(0.0, f64::max);
    // a ratio fills its axis; other values leave a little air
    let top = if top <= 1.0 { 1.0 } else { top * 1.05 };
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut canvas = ChartBuilder::on(&area)
        .margin(10)
        .caption(&chart.title, ("sans-serif", 18).into_font().color(&INK))
        .x_label_area_size(38)
        .y_label_area_size(52)
        .build_cartesian_2d(0.0..if end > 0.0 { end } else { 1.0 }, 0.0..top)
        .map_err(broken)?;
    canvas
        .configure_mesh()
        .disable_x_mesh()
        .light_line_style(TRANSPARENT)
        .bold_line_style(GRID)
        .axis_style(MUTED)
        .label_style(("sans-serif", 15).into_font().color(&MUTED))
        .x_desc("seconds")
        .y_desc(&chart.value_label)
        .x_labels(6)
        .y_labels(6)
        .draw()
        .map_err(broken)?;
    for (number, curve) in chart.curves.iter().enumerate() {
        let colour = series(number);
        let line = curve
            .points
            .iter()
            .copied()
            .filter(|(time, value)| time.is_finite() && value.is_finite());
        canvas
            .draw_series(LineSeries::new(line, colour.stroke_width(2)))
            .map_err(broken)?
            .label(&curve.name)
            .legend(move |(x, y)| PathElement::new([(x, y), (x + 16, y)], colour.stroke_width(2)));
    }
    canvas
        .configure_series_labels()
        .position(SeriesLabelPosition::LowerRight)
        .background_style(WHITE.mix(0.85))
        .border_style(GRID)
        .label_font(("sans-serif", 15).into_font().color(&INK))
        .draw()
        .map_err(broken)?;
    area.present().map_err(broken)
}
