//! Plain columns without lines.

use comfy_table::{CellAlignment, Table, presets};

/// Rows of equal length; the first is the heading, if there is one.
#[derive(Debug)]
pub(super) struct Grid(Table);

impl Grid {
    pub(super) fn new() -> Self {
        let mut table = Table::new();
        table.load_style(presets::NOTHING);
        Self(table)
    }

    /// With a heading over each column.
    pub(super) fn headed<T: Into<String>>(heading: impl IntoIterator<Item = T>) -> Self {
        let mut grid = Self::new();
        grid.row(heading);
        grid
    }

    pub(super) fn row<T: Into<String>>(&mut self, cells: impl IntoIterator<Item = T>) {
        self.0.add_row(cells.into_iter().map(Into::into).collect::<Vec<String>>());
    }

    /// The lines, columns from `numbers` on aligned to the right.
    pub(super) fn print(mut self, numbers: usize) -> String {
        for (at, column) in self.0.column_iter_mut().enumerate() {
            column.set_padding((0, 2));
            if at >= numbers {
                column.set_cell_alignment(CellAlignment::Right);
            }
        }
        self.0.lines().map(|line| format!("{}\n", line.trim_end())).collect()
    }
}
