//! One sentence about a process, with its number.

use homenode_linux::procfs::TaskStat;
use homenode_topology::NodeId;
use serde::Serialize;

use super::{NodeUse, Place, names};

/// CPU time below which nothing is said, milliseconds.
const LEAST_CPU_MS: u64 = 100;
/// A node with this share holds the memory, or the CPU time, of a process; parts of 10,000.
const MOST_BP: u64 = 6_000;
/// A share of CPU time this far from the memory is worth telling; parts of 10,000.
const FAR_BP: u64 = 2_500;
/// A share below this is not worth a name; parts of 10,000.
const FEW_BP: u64 = 200;

/// What the numbers say.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Serialize)]
#[serde(rename_all = "kebab-case")]
pub enum Verdict {
    /// The machine has one node.
    NothingToBalance,
    /// The process has no memory of its own: a thread of the kernel, or one that ended.
    NoMemory,
    /// Its memory could not be read.
    Unreadable,
    /// It ran too little to say anything.
    TooLittle,
    /// Memory and CPU time are on the same node.
    Together,
    /// Memory and CPU time are on different nodes.
    Apart,
    /// Both are spread: placement cannot tell who uses what.
    Spread,
}

/// A verdict in words.
#[derive(Clone, Debug, PartialEq, Eq, Serialize)]
pub struct Judgement {
    /// The verdict.
    pub verdict: Verdict,
    /// One sentence with its numbers.
    pub sentence: String,
}

impl Judgement {
    pub(super) fn of(
        nodes: &[NodeUse],
        place: &Place,
        stat: &TaskStat,
        memory_known: bool,
    ) -> Self {
        let say = |verdict, sentence: String| Self { verdict, sentence };
        let memory = Shares::of(nodes, |node| node.private().0);
        let cpu = Shares::of(nodes, |node| node.cpu_ms);
        if stat.is_kernel_thread() {
            return say(
                Verdict::NoMemory,
                "a thread of the kernel: has no memory of its own".into(),
            );
        }
        if !memory_known {
            return say(Verdict::Unreadable, "its memory could not be read".into());
        }
        if let [only] = place.nodes() {
            let sentence =
                format!("this machine has one node, {only}: there is nothing to balance");
            return say(Verdict::NothingToBalance, sentence);
        }
        if memory.total == 0 {
            return say(Verdict::NoMemory, "has no memory of its own".into());
        }
        if cpu.total < LEAST_CPU_MS {
            let sentence = format!("used {} ms of CPU time: too little to judge", cpu.total);
            return say(Verdict::TooLittle, sentence);
        }
        let (verdict, sentence) = judge(&memory, &cpu);
        say(verdict, sentence + &bound(nodes, memory.total))
    }
}

fn judge(memory: &Shares, cpu: &Shares) -> (Verdict, String) {
    let (home, held) = memory.most();
    let (busy, ran) = cpu.most();
    let away = 10_000 - cpu.at(home);
    if held >= MOST_BP && away >= FAR_BP {
        return (
            Verdict::Apart,
            format!(
                "{} of its memory lies on {home} while {} of its CPU time is on {}",
                percent(held),
                percent(away),
                names(cpu.but(home))
            ),
        );
    }
    if held >= MOST_BP {
        let here = percent(cpu.at(home));
        let sentence = format!(
            "{} of its memory lies on {home}, where {here} of its CPU time is",
            percent(held)
        );
        return (Verdict::Together, sentence);
    }
    if ran >= MOST_BP {
        return (
            Verdict::Apart,
            format!(
                "{} of its CPU time is on {busy} while {} of its memory lies on {}",
                percent(ran),
                percent(10_000 - memory.at(busy)),
                names(memory.but(busy))
            ),
        );
    }
    let sentence = format!(
        "memory on {} and CPU time on {}, at most {} and {} on one node: placement does not tell which \
         thread uses what",
        names(memory.nodes()),
        names(cpu.nodes()),
        percent(held),
        percent(ran)
    );
    (Verdict::Spread, sentence)
}

/// Memory that must stay where it is, if it is worth telling.
fn bound(nodes: &[NodeUse], private: u64) -> String {
    let bound: u64 = nodes.iter().fold(0, |sum, node| sum.saturating_add(node.bound_bytes.0));
    let share = share(bound, private).min(10_000);
    if share < FEW_BP {
        return String::new();
    }
    format!("; the program chose the nodes of {} of it", percent(share))
}

fn share(part: u64, whole: u64) -> u64 {
    let parts = u128::from(part) * 10_000 / u128::from(whole.max(1));
    u64::try_from(parts).unwrap_or(u64::MAX)
}

/// Whole percent, rounded.
pub(super) fn percent(bp: u64) -> String {
    format!("{} %", (bp + 50) / 100)
}

/// How something is shared out over the nodes.
struct Shares {
    total: u64,
    /// Parts of 10,000, in ascending order of nodes.
    nodes: Vec<(NodeId, u64)>,
}

impl Shares {
    fn of(nodes: &[NodeUse], value: impl Fn(&NodeUse) -> u64) -> Self {
        let total = nodes.iter().fold(0u64, |sum, node| sum.saturating_add(value(node)));
        let nodes = nodes.iter().map(|node| (node.node, share(value(node), total))).collect();
        Self { total, nodes }
    }

    fn at(&self, node: NodeId) -> u64 {
        self.nodes.iter().find(|&&(id, _)| id == node).map_or(0, |&(_, share)| share)
    }

    /// The node with most of it; the lowest of several.
    fn most(&self) -> (NodeId, u64) {
        let first =
            |best: (NodeId, u64), &next: &(NodeId, u64)| if next.1 > best.1 { next } else { best };
        self.nodes.iter().fold((NodeId(0), 0), first)
    }

    /// Nodes with a share worth naming.
    fn nodes(&self) -> impl Iterator<Item = NodeId> {
        self.nodes.iter().filter(|&&(_, share)| share >= FEW_BP).map(|&(node, _)| node)
    }

    fn but(&self, node: NodeId) -> impl Iterator<Item = NodeId> {
        self.nodes().filter(move |&id| id != node)
    }
}
