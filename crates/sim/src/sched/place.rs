//! Where a new task starts: the idlest node, in it the idlest core, on it the idlest CPU.

use super::Scheduler;

impl Scheduler {
    /// The idlest of the allowed CPUs, as fork and exec balancing choose it top-down. Ties are drawn:
    /// the kernel breaks them by load averages that carry the noise of what ran before.
    pub(crate) fn idlest(&mut self, allowed: &dyn Fn(usize) -> bool) -> Option<usize> {
        let layout = self.layout.clone();
        let nodes = (0..layout.nodes.len())
            .filter(|&node| layout.cpus_of[node].iter().any(|&cpu| allowed(cpu)));
        let load = |node: usize| {
            let cpus = &layout.cpus_of[node];
            let running: usize = cpus.iter().map(|&cpu| self.queues[cpu].len()).sum();
            (running * 1024) / cpus.len()
        };
        let node = draw_least(nodes, load, &mut self.placement)?;
        let cpus = layout.cpus_of[node].iter().copied().filter(|&cpu| allowed(cpu));
        let crowd = |cpu: usize| {
            let core: usize = layout.siblings[cpu].iter().map(|&at| self.queues[at].len()).sum();
            core * 1024 + self.queues[cpu].len()
        };
        draw_least(cpus, crowd, &mut self.placement)
    }
}

fn draw_least(
    items: impl Iterator<Item = usize>,
    key: impl Fn(usize) -> usize,
    stream: &mut crate::stream::Stream,
) -> Option<usize> {
    let keyed: Vec<(usize, usize)> = items.map(|item| (key(item), item)).collect();
    let least = keyed.iter().map(|(key, _)| *key).min()?;
    let best: Vec<usize> =
        keyed.iter().filter(|(key, _)| *key == least).map(|(_, item)| *item).collect();
    best.get(stream.below(best.len() as u64) as usize).copied()
}
