//! A run as text: what it took, where its memory ended, what was counted, and how it went over time.

use comfy_table::{CellAlignment, Table, presets};
use homenode_sim::{RunResult, Sample};
use homenode_topology::{Bytes, Machine, NodeId, PAGE};

use super::Document;
use crate::vmstat;

/// Most lines of the timeline.
const LINES: usize = 40;

pub(super) fn text(machine: &Machine, document: &Document<'_>) -> String {
    let run = document.result;
    let thp = if document.thp { "on" } else { "off" };
    let mut text = format!(
        "{} under {} on {}, seed {}, THP {thp}\n\n",
        run.workload, run.policy, machine.name, run.seed
    );
    text += &summary(run);
    text += "\nmemory at the end, share by node\n";
    text += &shares(run);
    text += "\nevents\n";
    text += &events(run);
    text += "\nover time: local share of memory traffic, load of each node's controllers\n";
    text += &timeline(run);
    text
}

fn summary(run: &RunResult) -> String {
    let mut table = grid();
    let seconds = |nanos: homenode_topology::Nanos| format!("{:.2} s", nanos.as_secs_f64());
    table.add_row(["elapsed", &seconds(run.elapsed)]);
    table.add_row(["user", &seconds(run.user)]);
    table.add_row(["system", &seconds(run.system)]);
    table.add_row(["CPU", &format!("{:.0} % of one", run.cpu_percent())]);
    table.add_row(["threads", &run.threads.to_string()]);
    table.add_row(["local share", &percent(run.local_ratio)]);
    table.add_row(["bounce rate", &format!(
        "{:.3} moves to another node per thread and second ({} in all)",
        run.bounce_rate(),
        run.crossings
    )]);
    print(&table)
}

fn shares(run: &RunResult) -> String {
    let mut table = grid();
    table.set_header(headings(["process", "memory"], &run.nodes, "").collect::<Vec<_>>());
    for process in &run.processes {
        let pages: u64 = process.resident.iter().sum();
        let row = [process.name.clone(), Bytes(pages * PAGE.0).to_string()].into_iter();
        let shares =
            process.resident.iter().map(|here| percent(*here as f64 / pages.max(1) as f64));
        table.add_row(row.chain(shares));
    }
    print(&right(table, 1))
}

fn events(run: &RunResult) -> String {
    let mut table = grid();
    for (name, count) in vmstat::counts(&run.counters).filter(|(_, count)| *count > 0) {
        table.add_row([name.to_owned(), count.to_string()]);
    }
    table.add_row(["base pages moved".to_owned(), run.counters.pages_moved.to_string()]);
    print(&right(table, 1))
}

fn timeline(run: &RunResult) -> String {
    let mut table = grid();
    let labels = ["until", "local"];
    let counts = ["faults", "pages moved", "threads moved"].map(str::to_owned);
    table.set_header(headings(labels, &run.nodes, " load").chain(counts).collect::<Vec<_>>());
    let each = run.timeline.len().div_ceil(LINES).max(1);
    for stretch in run.timeline.chunks(each) {
        table.add_row(line(stretch, run.nodes.len()));
    }
    print(&right(table, 0))
}

/// Several samples as one line.
fn line(stretch: &[Sample], nodes: usize) -> Vec<String> {
    let mean = |figure: &dyn Fn(&Sample) -> f64| {
        stretch.iter().map(figure).sum::<f64>() / stretch.len() as f64
    };
    let sum = |figure: &dyn Fn(&Sample) -> u64| stretch.iter().map(figure).sum::<u64>().to_string();
    let end = stretch.last().map_or(0.0, |sample| sample.at.as_secs_f64());
    let mut line = vec![format!("{end:.1} s"), percent(mean(&|sample| sample.local_ratio))];
    line.extend((0..nodes).map(|node| {
        percent(mean(&|sample| sample.load.get(node).copied().unwrap_or(0.0)))
    }));
    line.push(sum(&|sample| sample.hint_faults));
    line.push(sum(&|sample| sample.pages_moved));
    line.push(sum(&|sample| sample.crossings));
    line
}

/// Two labels, then one for each node.
fn headings<'a>(
    labels: [&'a str; 2],
    nodes: &'a [NodeId],
    suffix: &'a str,
) -> impl Iterator<Item = String> + 'a {
    labels
        .into_iter()
        .map(str::to_owned)
        .chain(nodes.iter().map(move |node| format!("{node}{suffix}")))
}

fn percent(share: f64) -> String {
    format!("{:.0} %", 100.0 * share)
}

fn grid() -> Table {
    let mut table = Table::new();
    table.load_preset(presets::NOTHING);
    table
}

/// Aligns all columns from this one on to the right.
fn right(mut table: Table, from: usize) -> Table {
    for column in table.column_iter_mut().skip(from) {
        column.set_cell_alignment(CellAlignment::Right);
    }
    table
}

fn print(table: &Table) -> String {
    table.lines().map(|line| format!("{}\n", line.trim_end())).collect()
}
