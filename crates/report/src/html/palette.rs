//! Colours of the charts.

use plotters::style::RGBColor;

/// Text.
pub(super) const INK: RGBColor = RGBColor(31, 41, 55);
/// Axes and secondary text.
pub(super) const MUTED: RGBColor = RGBColor(107, 114, 128);
/// Grid lines.
pub(super) const GRID: RGBColor = RGBColor(229, 231, 235);
/// Published values.
pub(super) const PUBLISHED: RGBColor = RGBColor(190, 24, 60);

const SERIES: [RGBColor; 8] = [
    RGBColor(100, 116, 139),
    RGBColor(37, 99, 235),
    RGBColor(217, 119, 6),
    RGBColor(5, 150, 105),
    RGBColor(124, 58, 237),
    RGBColor(8, 145, 178),
    RGBColor(219, 39, 119),
    RGBColor(101, 163, 13),
];

/// Colour of the n-th series; they repeat after eight.
pub(super) fn series(at: usize) -> RGBColor {
    SERIES.get(at % SERIES.len()).copied().unwrap_or(INK)
}
