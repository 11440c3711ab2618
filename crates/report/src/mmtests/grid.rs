//! Rows of text in aligned columns: labels to the left, values to the right.

/// A table of text that lines up.
#[derive(Debug, Clone, Default)]
pub struct Grid {
    labels: usize,
    rows: Vec<Vec<String>>,
}

impl Grid {
    /// An empty grid whose first `labels` columns are aligned to the left.
    pub fn new(labels: usize) -> Self {
        Self { labels, rows: Vec::new() }
    }

    /// Adds a row.
    pub fn row(&mut self, cells: impl IntoIterator<Item = impl Into<String>>) {
        self.rows.push(cells.into_iter().map(Into::into).collect());
    }

    /// The grid as lines. Every value column is at least `value_width` wide, and two blanks or the rest of that width part the columns.
    pub fn print(&self, value_width: usize) -> String {
        let columns = self.rows.iter().map(Vec::len).max().unwrap_or(0);
        let widest = |column: usize| {
            self.rows
                .iter()
                .filter_map(|row| row.get(column))
                .map(|cell| cell.chars().count())
                .max()
                .unwrap_or(0)
        };
        let widths: Vec<usize> = (0..columns)
            .map(|column| {
                if column < self.labels {
                    widest(column)
                } else {
                    (widest(column) + 2).max(value_width)
                }
            })
            .collect();
        let mut text = String::new();
        for row in &self.rows {
            let mut line = String::new();
            for (column, (cell, width)) in row.iter().zip(&widths).enumerate() {
                let blanks = " ".repeat(width.saturating_sub(cell.chars().count()));
                if column >= self.labels {
                    line += &blanks;
                    line += cell;
                } else if *width > 0 {
                    line += cell;
                    line += &blanks;
                    line.push(' ');
                }
            }
            text += line.trim_end();
            text.push('\n');
        }
        text
    }
}
