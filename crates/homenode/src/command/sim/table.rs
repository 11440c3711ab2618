//! A run as text: what it took, where its memory ended, what was counted, and how it went over time.

use homenode_sim::{RunResult, Sample};
use homenode_topology::{Bytes, Machine, Nanos, NodeId, PAGE};

use super::Document;
use crate::command::grid::Grid;
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
    let mut grid = Grid::new();
    let seconds = |nanos: Nanos| format!("{:.2} s", nanos.as_secs_f64());
    grid.row(["elapsed", &seconds(run.elapsed)]);
    grid.row(["user", &seconds(run.user)]);
    grid.row(["system", &seconds(run.system)]);
    grid.row(["CPU", &format!("{:.0} % of one", run.cpu_percent())]);
    grid.row(["threads", &run.threads.to_string()]);
    grid.row(["local share", &percent(run.local_ratio)]);
    grid.row([
        "bounce rate",
        &format!(
            "{:.3} moves to another node per thread and second ({} in all)",
            run.bounce_rate(),
            run.crossings
        ),
    ]);
    grid.print(usize::MAX)
}

fn shares(run: &RunResult) -> String {
    let mut grid = Grid::headed(headings(["process", "memory"], &run.nodes, ""));
    for process in &run.processes {
        let pages: u64 = process.resident.iter().sum();
        let row = [process.name.clone(), Bytes(pages * PAGE.0).to_string()].into_iter();
        let shares =
            process.resident.iter().map(|here| percent(*here as f64 / pages.max(1) as f64));
        grid.row(row.chain(shares));
    }
    grid.print(1)
}

fn events(run: &RunResult) -> String {
    let mut grid = Grid::new();
    for (name, count) in vmstat::counts(&run.counters).filter(|(_, count)| *count > 0) {
        grid.row([name.to_owned(), count.to_string()]);
    }
    grid.row(["base pages moved".to_owned(), run.counters.pages_moved.to_string()]);
    grid.print(1)
}

fn timeline(run: &RunResult) -> String {
    let labels = ["until", "local"];
    let counts = ["faults", "pages moved", "threads moved"].map(str::to_owned);
    let mut grid = Grid::headed(headings(labels, &run.nodes, " load").chain(counts));
    let each = run.timeline.len().div_ceil(LINES).max(1);
    for stretch in run.timeline.chunks(each) {
        grid.row(line(stretch, run.nodes.len()));
    }
    grid.print(0)
}

/// Several samples as one line.
fn line(stretch: &[Sample], nodes: usize) -> Vec<String> {
    let mean = |figure: &dyn Fn(&Sample) -> f64| {
        stretch.iter().map(figure).sum::<f64>() / stretch.len() as f64
    };
    let sum = |figure: &dyn Fn(&Sample) -> u64| stretch.iter().map(figure).sum::<u64>().to_string();
    let end = stretch.last().map_or(0.0, |sample| sample.at.as_secs_f64());
    let mut line = vec![format!("{end:.1} s"), percent(mean(&|sample| sample.local_ratio))];
    line.extend(
        (0..nodes)
            .map(|node| percent(mean(&|sample| sample.load.get(node).copied().unwrap_or(0.0)))),
    );
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
