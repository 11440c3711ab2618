//! Curves over time.

use plotters::prelude::*;

use super::markup::escape;
use super::palette::{GRID, INK, MUTED, series};
use crate::Error;
use crate::comparison::{Curve, TimeChart};

const SIZE: (u32, u32) = (520, 300);

/// The chart as a figure: an SVG element with the names of the curves under it.
pub(super) fn chart(chart: &TimeChart) -> Result<String, Error> {
    let mut svg = String::new();
    draw(&mut svg, chart)
        .map_err(|problem| Error::Chart { chart: chart.title.clone(), problem })?;
    let name = |(number, curve): (usize, &Curve)| {
        let RGBColor(red, green, blue) = series(number);
        let mark = format!("<i style=\"background:rgb({red},{green},{blue})\"></i>");
        format!("<span>{mark}{}</span>", escape(&curve.name))
    };
    let names: String = chart.curves.iter().enumerate().map(name).collect();
    Ok(format!("<figure>{svg}<figcaption>{names}</figcaption></figure>\n"))
}

/// The points of a curve that can be drawn.
fn points(curve: &Curve) -> impl Iterator<Item = (f64, f64)> {
    curve.points.iter().copied().filter(|(time, value)| time.is_finite() && value.is_finite())
}

fn draw(svg: &mut String, chart: &TimeChart) -> Result<(), String> {
    let broken = |error: DrawingAreaErrorKind<_>| error.to_string();
    let end = chart.curves.iter().flat_map(points).map(|point| point.0).fold(0.0, f64::max);
    let top = chart.curves.iter().flat_map(points).map(|point| point.1).fold(0.0, f64::max);
    // a ratio fills its axis; other values leave a little air
    let top = if top <= 1.0 { 1.0 } else { top * 1.05 };
    let area = SVGBackend::with_string(svg, SIZE).into_drawing_area();
    let mut canvas = ChartBuilder::on(&area)
        .margin(10)
        .margin_right(24)
        .caption(&chart.title, ("sans-serif", 18).into_font().color(&INK))
        .x_label_area_size(40)
        .y_label_area_size(60)
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
        .x_label_formatter(&|seconds| axis_number(*seconds))
        .y_label_formatter(&|value| axis_number(*value))
        .x_labels(6)
        .y_labels(6)
        .draw()
        .map_err(broken)?;
    for (number, curve) in chart.curves.iter().enumerate() {
        let line = LineSeries::new(points(curve), series(number).stroke_width(2));
        canvas.draw_series(line).map_err(broken)?;
    }
    area.present().map_err(broken)
}

/// A number at an axis, without decimals it does not need.
fn axis_number(value: f64) -> String {
    let rounded = (value * 100.0).round() / 100.0;
    rounded.to_string()
}
