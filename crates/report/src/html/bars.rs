//! One row of a comparison as horizontal bars, one per column, with the published values as marks.

use plotters::coord::Shift;
use plotters::prelude::*;
use plotters::style::text_anchor::{HPos, Pos, VPos};

use super::palette::{GRID, INK, MUTED, PUBLISHED, series};
use crate::Error;
use crate::comparison::{Column, Comparison, Row};
use crate::published::{PublishedCell, counterpart};
use crate::text::short;

const WIDTH: i32 = 520;
const TOP: i32 = 36;
const BAR: i32 = 26;
const LABELS: i32 = 176;
/// Pixels right of the longest bar, for its value.
const VALUES: i32 = 96;
/// Characters of a column name that fit beside its bar.
const NAME_LENGTH: usize = 25;

type Area<'a> = DrawingArea<SVGBackend<'a>, Shift>;
type Drawn<'a> = Result<(), DrawingAreaErrorKind<<SVGBackend<'a> as DrawingBackend>::ErrorType>>;

/// The chart as a figure with an SVG element.
pub(super) fn chart(
    comparison: &Comparison,
    row: &Row,
    published: &[PublishedCell],
) -> Result<String, Error> {
    let title = format!("{} {}", row.metric, row.key);
    let columns = i32::try_from(row.cells.len()).unwrap_or(i32::MAX / (2 * BAR));
    let height = TOP + BAR * columns + 10;
    let mut svg = String::new();
    {
        let area = SVGBackend::with_string(&mut svg, (WIDTH.unsigned_abs(), height.unsigned_abs()))
            .into_drawing_area();
        draw(&area, comparison, row, published, &title)
            .and_then(|()| area.present())
            .map_err(|error| Error::Chart { chart: title.clone(), problem: error.to_string() })?;
    }
    Ok(format!("<figure>{svg}</figure>\n"))
}

fn text(size: i32, colour: &RGBColor, side: HPos) -> TextStyle<'_> {
    TextStyle::from(("sans-serif", size)).color(colour).pos(Pos::new(side, VPos::Center))
}

fn draw<'a>(
    area: &Area<'a>,
    comparison: &Comparison,
    row: &Row,
    published: &[PublishedCell],
    title: &str,
) -> Drawn<'a> {
    area.draw(&Text::new(title.to_owned(), (8, 18), text(18, &INK, HPos::Left)))?;
    let mark = |column: &Column| counterpart(published, column, row).map(|cell| cell.published);
    let samples = row.cells.iter().flatten().map(|samples| samples.percentile(95.0));
    let largest = samples.chain(comparison.columns.iter().filter_map(mark)).fold(0.0, f64::max);
    let room = f64::from(WIDTH - LABELS - VALUES);
    let at = |value: f64| {
        LABELS + if largest > 0.0 { (value.max(0.0) / largest * room) as i32 } else { 0 }
    };
    area.draw(&PathElement::new(
        [(LABELS, TOP - 4), (LABELS, TOP + BAR * row.cells.len() as i32)],
        GRID,
    ))?;
    let mut top = TOP;
    for (number, (column, cell)) in comparison.columns.iter().zip(&row.cells).enumerate() {
        let middle = top + BAR / 2 - 2;
        let name: String = column.name.chars().take(NAME_LENGTH).collect();
        area.draw(&Text::new(name, (LABELS - 8, middle), text(15, &INK, HPos::Right)))?;
        let mut end = LABELS;
        if let Some(samples) = cell {
            let (low, median, high) =
                (at(samples.percentile(5.0)), at(samples.median()), at(samples.percentile(95.0)));
            area.draw(&Rectangle::new(
                [(LABELS, top), (median, top + BAR - 6)],
                series(number).filled(),
            ))?;
            area.draw(&PathElement::new([(low, middle), (high, middle)], INK))?;
            end = high.max(median);
        }
        if let Some(value) = mark(column) {
            let x = at(value);
            area.draw(&Polygon::new(
                [(x, middle - 6), (x + 5, middle), (x, middle + 6), (x - 5, middle)],
                PUBLISHED.filled(),
            ))?;
            end = end.max(x + 5);
        }
        let value =
            cell.as_ref().map_or_else(|| "not run".to_owned(), |samples| short(samples.median()));
        area.draw(&Text::new(value, (end + 6, middle), text(15, &MUTED, HPos::Left)))?;
        top += BAR;
    }
    Ok(())
}
