//! The report as one self-contained HTML page: charts as inline SVG, tables, score.

mod bars;
mod curves;
mod markup;
mod palette;

#[cfg(test)]
mod tests;

use markup::{escape, preformatted, table};

use crate::Error;
use crate::comparison::Comparison;
use crate::mmtests::{VmstatRows, duration_table, fixed, print_value, row_change, vmstat_table};
use crate::published::{PublishedCell, worst_first};
use crate::report::Report;
use crate::text::{
    SCORE_COLUMNS, corrected_costs, regret_pair, score_groups, short, signed, spread_table,
};

const STYLE: &str = include_str!("html/style.css");
/// Metrics drawn as bars.
const CHARTED: [&str; 4] = ["Elapsed", "Throughput", "Total-speed", "SpecJBB Bops"];
/// What stands where nothing was measured or defined.
const NOTHING: &str = "–";

impl Report {
    /// The page. It loads nothing from elsewhere.
    ///
    /// # Errors
    /// [`Error::Chart`] if a chart cannot be drawn.
    pub fn html(&self) -> Result<String, Error> {
        let titles: Vec<&str> =
            self.comparisons.iter().map(|comparison| comparison.title.as_str()).collect();
        let mut page =
            String::from("<!DOCTYPE html>\n<html lang=\"en\">\n<head>\n<meta charset=\"utf-8\">\n");
        page += "<meta name=\"viewport\" content=\"width=device-width, initial-scale=1\">\n";
        page += &format!(
            "<title>homenode compare: {}</title>\n<style>\n{STYLE}</style>\n</head>\n<body>\n<main>\n",
            escape(&titles.join(", "))
        );
        page += "<h1>homenode compare</h1>\n";
        page += &format!(
            "<p class=\"hash\">calibration <code>{}</code></p>\n",
            escape(&self.fidelity.calibration_hash)
        );
        for comparison in &self.comparisons {
            page += &self.comparison_section(comparison)?;
        }
        if !self.published.is_empty() {
            page += &self.fidelity_section();
        }
        page += "</main>\n</body>\n</html>\n";
        Ok(page)
    }

    fn comparison_section(&self, comparison: &Comparison) -> Result<String, Error> {
        let title = escape(&comparison.title);
        let mut section = format!(
            "<section>\n<h2>{title} <small>machine {}</small></h2>\n",
            escape(&comparison.machine)
        );
        let bars: Vec<String> = comparison
            .rows
            .iter()
            .filter(|row| CHARTED.contains(&row.metric.as_str()))
            .map(|row| bars::chart(comparison, row, &self.published))
            .collect::<Result<_, _>>()?;
        if !bars.is_empty() {
            section +=
                "<p>Median of the runs with the 5–95 % band; ◆ is the published value.</p>\n";
            section += &format!("<div class=\"charts\">\n{}</div>\n", bars.concat());
        }
        if !comparison.charts.is_empty() {
            let charts: Vec<String> =
                comparison.charts.iter().map(curves::chart).collect::<Result<_, _>>()?;
            section += &format!("<div class=\"charts\">\n{}</div>\n", charts.concat());
        }
        section += &compare_section(comparison);
        section += &regret_section(comparison);
        for (heading, body) in [
            ("Spread of the runs", spread_table(comparison)),
            ("Duration, seconds", duration_table(comparison)),
            ("vmstat, rows without events left out", vmstat_table(comparison, VmstatRows::Active)),
            ("vmstat costs with the terms that MMTests drops", corrected_costs(comparison)),
        ] {
            section += &preformatted(heading, &body);
        }
        Ok(section + "</section>\n")
    }

    fn fidelity_section(&self) -> String {
        let mut section = String::from(
            "<section>\n<h2>Score</h2>\n<p>|ln(prediction / published)| on held-out cells, on the cells the model was fitted to, and for predictions that need no model.</p>\n",
        );
        let headings: Vec<&str> = ["cells", "class", "n"]
            .into_iter()
            .chain(SCORE_COLUMNS.iter().map(|(heading, _)| *heading))
            .collect();
        let rows = score_groups(self).into_iter().flat_map(|(name, scores)| {
            scores.iter().map(move |(class, score)| {
                let figures = SCORE_COLUMNS.iter().map(|(_, figure)| {
                    figure(score).map_or_else(|| NOTHING.to_owned(), |value| fixed(value, 3))
                });
                [name.clone(), class.name().to_owned(), score.cells.to_string()]
                    .into_iter()
                    .chain(figures)
                    .collect()
            })
        });
        section += &table(&headings, 2, &rows.collect::<Vec<Vec<String>>>());
        section += "<h2>Published beside simulated</h2>\n<p>Worst residuals first; cells that count nowhere come last with the reason.</p>\n";
        let unscored = self
            .published
            .iter()
            .filter(|cell| cell.role == crate::Role::Unscored && !cell.is_idle());
        let rows: Vec<Vec<String>> =
            worst_first(&self.published).into_iter().chain(unscored).map(published_row).collect();
        let headings = [
            "table",
            "metric",
            "key",
            "column",
            "published",
            "median",
            "p5",
            "p95",
            "runs",
            "ln(s/p)",
            "role",
        ];
        section + &table(&headings, 4, &rows) + "</section>\n"
    }
}

fn published_row(cell: &PublishedCell) -> Vec<String> {
    let simulated = &cell.simulated;
    let role = cell.reason.as_ref().map_or_else(
        || cell.role.name().to_owned(),
        |reason| format!("{}: {reason}", cell.role.name()),
    );
    vec![
        cell.cell.table.clone(),
        cell.cell.metric.clone(),
        cell.cell.key.clone(),
        cell.simulated_column.clone(),
        short(cell.published),
        short(simulated.median),
        short(simulated.p5),
        short(simulated.p95),
        simulated.runs.to_string(),
        signed(cell.log_error),
        role,
    ]
}

fn headings<'a>(comparison: &'a Comparison, labels: &[&'a str]) -> Vec<&'a str> {
    labels
        .iter()
        .copied()
        .chain(comparison.columns.iter().map(|column| column.name.as_str()))
        .collect()
}

fn compare_section(comparison: &Comparison) -> String {
    if comparison.rows.is_empty() {
        return String::new();
    }
    let rows = comparison.rows.iter().map(|row| {
        let cells = row.cells.iter().enumerate().map(|(at, cell)| {
            let Some(samples) = cell else { return NOTHING.to_owned() };
            let change = row_change(row, at, comparison.edition)
                .map_or_else(|| NOTHING.to_owned(), |change| format!("{}%", fixed(change, 2)));
            format!("{} ({change})", print_value(&row.benchmark, samples.mean()))
        });
        [row.metric.clone(), row.key.clone()].into_iter().chain(cells).collect()
    });
    let heading = "<h3>Mean and change against the first column</h3>\n";
    heading.to_owned()
        + &table(&headings(comparison, &["metric", "key"]), 2, &rows.collect::<Vec<Vec<String>>>())
}

fn regret_section(comparison: &Comparison) -> String {
    if comparison.regret.is_empty() {
        return String::new();
    }
    let rows = comparison.regret.iter().map(|regret| {
        std::iter::once(regret.workload.clone())
            .chain(regret.cells.iter().map(regret_pair))
            .collect()
    });
    let heading = "<h3>Regret <small>time over optimum − 1, against the lower bound / the best static placement</small></h3>\n";
    heading.to_owned()
        + &table(&headings(comparison, &["workload"]), 1, &rows.collect::<Vec<Vec<String>>>())
}
