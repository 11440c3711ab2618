//! Machines from the text that `numactl --hardware` (`-H`) prints.
//!
//! ```text
//! available: 2 nodes (0,4)
//! node 0 cpus: 0 1 2 3
//! node 0 size: 16384 MB
//! node 0 free: 9000 MB
//! node 4 cpus:
//! node 4 size: 65536 MB
//! node distances:
//! node   0   4
//!   0:  10  17
//!   4:  28  10
//! ```
//!
//! The text tells neither cores nor sockets nor caches: each CPU is taken for a core of its own, and the
//! CPUs of a node for one socket with one last-level cache of unknown size. Lines of other kinds are
//! ignored with a warning.

use std::collections::BTreeMap;

use crate::read::{MOST_CPUS, MOST_NODES, share_llc_by_node, warn_of_asymmetry};
use crate::{
    Bytes, CoreId, Cpu, CpuId, CpuMask, Distances, Error, LOCAL_DISTANCE, Machine, Node, NodeId,
    NodeMask, Read, SocketId, Warning,
};

/// Reads the text; `name` becomes the name of the machine.
///
/// # Errors
/// [`Error::Numactl`] with the line, where a line of a known kind is malformed, or where the text has no
/// node or no CPU.
pub fn parse(text: &str, name: &str) -> Result<Read, Error> {
    let mut draft = Draft::default();
    for (index, line) in text.lines().enumerate() {
        Line { path: name, number: index + 1, text: line }.read(&mut draft)?;
    }
    draft.build(name, text.lines().count())
}

/// What the lines so far say.
#[derive(Default)]
struct Draft {
    available: Option<NodeMask>,
    cpus: BTreeMap<NodeId, CpuMask>,
    memory: BTreeMap<NodeId, Bytes>,
    /// Heads of the columns of the distance table, once it has begun.
    columns: Option<Vec<NodeId>>,
    rows: BTreeMap<NodeId, Vec<(NodeId, u16)>>,
    warnings: Vec<Warning>,
}

#[derive(Clone, Copy)]
struct Line<'a> {
    path: &'a str,
    number: usize,
    text: &'a str,
}

impl Line<'_> {
    fn wrong(self, item: &str, problem: impl Into<String>) -> Error {
        Error::Numactl {
            path: self.path.to_owned(),
            line: self.number,
            item: item.to_owned(),
            problem: problem.into(),
        }
    }

    fn warning(self, problem: impl Into<String>) -> Warning {
        Warning::new(format_args!("line {}", self.number), problem)
    }

    fn read(self, draft: &mut Draft) -> Result<(), Error> {
        let line = self.text.trim();
        if line.is_empty() {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("available:") {
            return self.available(rest, draft);
        }
        if line == "node distances:" || line.starts_with("No distance information") {
            return Ok(());
        }
        if let Some(rest) = line.strip_prefix("node ") {
            return match rest.split_once(':') {
                Some((head, value)) => self.property(head, value.trim(), draft),
                None => self.columns(rest, draft),
            };
        }
        if let Some((head, figures)) = line.split_once(':')
            && head.bytes().all(|b| b.is_ascii_digit())
        {
            return self.row(head, figures, draft);
        }
        draft.warnings.push(self.warning(format!("`{line}` is not known: ignored")));
        Ok(())
    }

    /// `4 nodes (0-3)`.
    fn available(self, rest: &str, draft: &mut Draft) -> Result<(), Error> {
        let list = rest.split_once('(').and_then(|(_, list)| list.trim_end().strip_suffix(')'));
        let list = list.ok_or_else(|| self.wrong(rest.trim(), "expected `N nodes (LIST)`"))?;
        let nodes = list.parse().map_err(|_| self.wrong(list, "expected a list of nodes"))?;
        draft.available = Some(nodes);
        Ok(())
    }

    /// `node 0 cpus: 0 1 2` and its like.
    fn property(self, head: &str, value: &str, draft: &mut Draft) -> Result<(), Error> {
        let mut words = head.split_whitespace();
        let id = self.node(words.next().unwrap_or_default())?;
        match words.next() {
            Some("cpus") => {
                let cpus = self.cpus(value)?;
                if draft.cpus.insert(id, cpus).is_some() {
                    return Err(self.wrong(head, "expected the CPUs of a node once"));
                }
            }
            Some("size") => {
                let size = value
                    .strip_suffix("MB")
                    .and_then(|mib| mib.trim().parse().ok())
                    .filter(|&mib: &u64| mib <= 1 << 30)
                    .ok_or_else(|| self.wrong(value, "expected a size such as `16384 MB`"))?;
                draft.memory.insert(id, Bytes::mib(size));
            }
            Some("free") => {}
            _ => draft.warnings.push(self.warning(format!("`node {head}` is not known: ignored"))),
        }
        Ok(())
    }

    fn node(self, text: &str) -> Result<NodeId, Error> {
        text.parse()
            .ok()
            .filter(|&id: &u16| usize::from(id) < MOST_NODES)
            .map(NodeId)
            .ok_or_else(|| self.wrong(text, "expected the number of a node"))
    }

    /// CPU numbers between spaces; ranges are understood too.
    fn cpus(self, value: &str) -> Result<CpuMask, Error> {
        let mut cpus = CpuMask::new();
        for word in value.split_whitespace() {
            let more: CpuMask =
                word.parse().map_err(|_| self.wrong(word, "expected the number of a CPU"))?;
            if more.last().is_some_and(|last| last.index() >= MOST_CPUS) {
                return Err(self.wrong(word, format!("expected CPUs below {MOST_CPUS}")));
            }
            cpus.extend(more.iter());
        }
        Ok(cpus)
    }

    /// `node   0   1   2`, the head of the distance table.
    fn columns(self, rest: &str, draft: &mut Draft) -> Result<(), Error> {
        let columns = rest.split_whitespace().map(|id| self.node(id)).collect::<Result<_, _>>()?;
        draft.columns = Some(columns);
        Ok(())
    }

    /// `0:  10  20  20`, a row of the distance table.
    fn row(self, head: &str, figures: &str, draft: &mut Draft) -> Result<(), Error> {
        let from = self.node(head)?;
        let columns = draft.columns.as_ref().ok_or_else(|| {
            self.wrong(self.text.trim(), "expected the head `node 0 1 …` before this row")
        })?;
        let mut row = Vec::new();
        for figure in figures.split_whitespace() {
            let distance = figure.parse().ok().filter(|&d: &u16| d >= LOCAL_DISTANCE);
            row.push(
                distance.ok_or_else(|| self.wrong(figure, "expected a distance of 10 or more"))?,
            );
        }
        if row.len() != columns.len() {
            let problem = format!(
                "{} distances for {} nodes: 10 and 20 are assumed where one is missing",
                row.len(),
                columns.len()
            );
            draft.warnings.push(self.warning(problem));
        }
        draft.rows.insert(from, columns.iter().copied().zip(row).collect());
        Ok(())
    }
}

impl Draft {
    fn build(mut self, name: &str, lines: usize) -> Result<Read, Error> {
        let ids: NodeMask = self.cpus.keys().chain(self.memory.keys()).copied().collect();
        let end = Line { path: name, number: lines.max(1), text: "" };
        if self.cpus.values().all(CpuMask::is_empty) {
            return Err(end.wrong(
                "end of text",
                "expected at least one line `node N cpus: 0 1 …` with a CPU",
            ));
        }
        self.check(&ids);
        let mut cpus = self.number_cpus();
        share_llc_by_node(&mut cpus);
        let nodes = ids.iter().map(|id| Node {
            id,
            cpus: cpus.iter().filter(|cpu| cpu.node == Some(id)).map(|cpu| cpu.id).collect(),
            memory: self.memory.get(&id).copied().unwrap_or_default(),
            llc: Bytes::ZERO,
        });
        let nodes: Vec<Node> = nodes.collect();
        let distances = self.distances(&ids);
        let ids: Vec<NodeId> = ids.iter().collect();
        warn_of_asymmetry(&ids, &distances, "node distances", &mut self.warnings);
        let machine = Machine {
            name: name.to_owned(),
            nodes,
            cpus,
            offline: CpuMask::new(),
            distances,
            performance: None,
        };
        Ok(Read { machine, warnings: self.warnings })
    }

    /// Warns of lines that are missing and of the summary where it says otherwise.
    fn check(&mut self, ids: &NodeMask) {
        let mut warn =
            |place: &str, problem: String| self.warnings.push(Warning::new(place, problem));
        if let Some(available) = self.available.take().filter(|available| available != ids) {
            let problem = format!(
                "says `{available}`, the lines of nodes say `{ids}`: the latter are believed"
            );
            warn("available", problem);
        }
        for id in ids.iter() {
            if !self.cpus.contains_key(&id) {
                warn(&format!("node {}", id.0), "no line `cpus`: taken to have none".to_owned());
            }
            if !self.memory.contains_key(&id) {
                warn(
                    &format!("node {}", id.0),
                    "no line `size`: taken to have no memory".to_owned(),
                );
            }
        }
        let without_row: NodeMask = ids.iter().filter(|id| !self.rows.contains_key(id)).collect();
        if ids.len() > 1 && !without_row.is_empty() {
            let problem = format!("no row for the nodes {without_row}: 10 and 20 are assumed");
            warn("node distances", problem);
        }
    }

    /// One CPU for each number, in ascending order; one that two nodes list is left to the lower node.
    fn number_cpus(&mut self) -> Vec<Cpu> {
        let mut node_of: BTreeMap<CpuId, (usize, NodeId)> = BTreeMap::new();
        for (position, (&node, listed)) in self.cpus.iter().enumerate() {
            for cpu in listed.iter() {
                let (_, owner) = *node_of.entry(cpu).or_insert((position, node));
                if owner != node {
                    let problem =
                        format!("CPU {} is listed by {owner} too: it is left to that", cpu.0);
                    self.warnings.push(Warning::new(format_args!("node {}", node.0), problem));
                }
            }
        }
        let cpus = node_of.into_iter().enumerate().map(|(core, (id, (socket, node)))| Cpu {
            id,
            node: Some(node),
            core: CoreId::from(core),
            socket: SocketId::from(socket),
            llc: CpuMask::new(),
        });
        cpus.collect()
    }

    fn distances(&self, ids: &NodeMask) -> Distances {
        let mut distances = Distances::new();
        for (&from, row) in self.rows.iter().filter(|(from, _)| ids.contains(**from)) {
            for &(to, distance) in row.iter().filter(|(to, _)| ids.contains(*to)) {
                distances.set(from, to, distance);
            }
        }
        distances
    }
}

#[cfg(test)]
mod tests;
