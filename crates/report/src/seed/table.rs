//! One published table and its cells.

/// What a table holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq, PartialOrd, Ord)]
pub enum Kind {
    /// Results with the change against the first column.
    Compare,
    /// Peak throughput summary of SPECjbb.
    Peaks,
    /// User, System and Elapsed seconds of a whole test.
    Duration,
    /// Differences of `/proc/vmstat`.
    Vmstat,
    /// Written by hand in running text.
    Prose,
}

impl Kind {
    /// The name used in the index file.
    pub fn name(self) -> &'static str {
        match self {
            Self::Compare => "compare",
            Self::Peaks => "peaks",
            Self::Duration => "duration",
            Self::Vmstat => "vmstat",
            Self::Prose => "prose",
        }
    }

    /// The kind of that name.
    pub fn from_name(name: &str) -> Option<Self> {
        [Self::Compare, Self::Peaks, Self::Duration, Self::Vmstat, Self::Prose]
            .into_iter()
            .find(|kind| kind.name() == name)
    }
}

/// Which direction of a metric is an improvement, by its meaning and not by the printed sign.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Better {
    /// More is better.
    Higher,
    /// Less is better.
    Lower,
    /// Neither.
    Unknown,
}

/// One published number.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedCell {
    /// First label of the row, such as `Elapsed` or `NUMA PTE updates`.
    pub metric: String,
    /// Second label of the row (test name, thread count); empty for duration, vmstat and peaks rows.
    pub key: String,
    /// Kernel or tree, as in [`SeedTable::columns`].
    pub column: String,
    /// The number.
    pub value: f64,
    /// The number as printed, with its decimals.
    pub printed: String,
    /// The change against the first column in per cent, where one is printed.
    pub pct: Option<f64>,
    /// That change as printed; empty where none is printed.
    pub printed_pct: String,
    /// Which direction is an improvement.
    pub better: Better,
    /// Line of the post.
    pub line: u64,
}

/// One published table.
#[derive(Debug, Clone, PartialEq)]
pub struct SeedTable {
    /// `T<post>-<number>`, such as `T000-01`.
    pub id: String,
    /// Heading of the table.
    pub title: String,
    /// Kernels or trees; the first is the baseline.
    pub columns: Vec<String>,
    /// What the table holds.
    pub kind: Kind,
    /// Benchmark, such as `autonumabench`.
    pub benchmark: String,
    /// Variant of the benchmark.
    pub config: String,
    /// Machine it ran on.
    pub machine: String,
    /// File of the post.
    pub source: String,
    /// The numbers in printed order.
    pub cells: Vec<SeedCell>,
}

impl SeedTable {
    /// The first column, which every percentage refers to.
    pub fn baseline(&self) -> &str {
        self.columns.first().map_or("", String::as_str)
    }

    /// The cell of a row and column.
    pub fn cell(&self, metric: &str, key: &str, column: &str) -> Option<&SeedCell> {
        self.cells
            .iter()
            .find(|cell| cell.metric == metric && cell.key == key && cell.column == column)
    }

    /// The rows, as (metric, key), in printed order.
    pub fn rows(&self) -> Vec<(&str, &str)> {
        let mut rows: Vec<(&str, &str)> = Vec::new();
        for cell in &self.cells {
            let row = (cell.metric.as_str(), cell.key.as_str());
            if !rows.contains(&row) {
                rows.push(row);
            }
        }
        rows
    }
}
