//! Errors that the fake kernel makes up, from a seed.

use crate::{Errno, Pid};

use super::State;

/// What may happen to a process at any moment between two acts.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Chaos {
    /// Processes may end.
    pub vanish: bool,
    /// Their number may go to another process at once.
    pub reuse: bool,
    /// They may execute another program.
    pub exec: bool,
    /// Their threads may end.
    pub threads: bool,
}

/// Errors to come: each call fails with a chance of `per_mille` in 1000 by one of `errnos`.
#[derive(Clone, Debug)]
pub struct Injection {
    /// Chance of an error or of chaos in each call.
    pub per_mille: u64,
    /// Errors to choose from.
    pub errnos: Vec<Errno>,
    /// Whether files may end early.
    pub short_reads: bool,
    /// What may happen to processes.
    pub chaos: Chaos,
    /// Errors made so far.
    pub count: u64,
    /// Calls that are still served; then all fail without effect, as if the caller were killed.
    pub life: Option<u64>,
    seed: u64,
}

impl Default for Injection {
    fn default() -> Self {
        Self {
            per_mille: 0,
            errnos: Vec::new(),
            short_reads: false,
            chaos: Chaos::default(),
            count: 0,
            life: None,
            seed: 1,
        }
    }
}

impl Injection {
    /// All that the kernel is known to answer, with the given chance.
    #[must_use]
    pub fn everything(seed: u64, per_mille: u64) -> Self {
        let errnos = vec![
            Errno::EPERM,
            Errno::ESRCH,
            Errno::EBUSY,
            Errno::ENOMEM,
            Errno::EFAULT,
            Errno::EACCES,
            Errno::ENOENT,
        ];
        let chaos = Chaos { vanish: true, reuse: true, exec: true, threads: true };
        Self {
            per_mille,
            errnos,
            short_reads: true,
            chaos,
            count: 0,
            life: None,
            seed: seed.wrapping_mul(2).wrapping_add(1),
        }
    }

    /// The next number below `limit` (xorshift).
    pub(super) fn below(&mut self, limit: u64) -> u64 {
        self.seed ^= self.seed << 13;
        self.seed ^= self.seed >> 7;
        self.seed ^= self.seed << 17;
        self.seed.wrapping_mul(0x2545_f491_4f6c_dd1d) % limit.max(1)
    }

    fn strikes(&mut self) -> bool {
        self.per_mille > 0 && self.below(1000) < self.per_mille
    }

    /// An error for this call, by chance.
    pub(super) fn error(&mut self) -> Option<Errno> {
        match &mut self.life {
            Some(0) => return Some(Errno::EIO),
            Some(life) => *life -= 1,
            None => {}
        }
        if self.errnos.is_empty() || !self.strikes() {
            return None;
        }
        let chosen = self.below(self.errnos.len() as u64) as usize;
        self.count += 1;
        self.errnos.get(chosen).copied()
    }

    /// Where a file of this length ends instead, by chance.
    pub(super) fn short(&mut self, length: usize) -> Option<usize> {
        if !self.short_reads || !self.strikes() {
            return None;
        }
        self.count += 1;
        Some(self.below(length as u64 + 1) as usize)
    }
}

impl State {
    /// Lets something happen to a process, by chance. Called where a process is looked at, never directly
    /// before an act: that moment cannot be closed from user space.
    pub(super) fn chaos(&mut self, pid: Pid) {
        let chaos = self.injection.chaos;
        if chaos == Chaos::default() || !self.injection.strikes() {
            return;
        }
        let choice = self.injection.below(4);
        let (threads, start) = match self.processes.get(&pid) {
            Some(process) => (process.threads.len() as i32, process.start),
            None => return,
        };
        self.injection.count += 1;
        match choice {
            0 if chaos.vanish => {
                self.processes.remove(&pid);
            }
            1 if chaos.reuse => {
                let vmas =
                    self.processes.get(&pid).map(|old| (old.vmas.clone(), old.pages.clone()));
                let process = self.spawn(pid, threads, start + 1_000);
                if let Some((vmas, pages)) = vmas {
                    (process.vmas, process.pages) = (vmas, pages);
                }
            }
            2 if chaos.exec => {
                if let Some(process) = self.processes.get_mut(&pid) {
                    process.stack += 0x1000;
                    process.threads.retain(|tid, _| tid.0 == pid.0);
                }
            }
            3 if chaos.threads => {
                if let Some(process) = self.processes.get_mut(&pid) {
                    let last = process.threads.keys().last().copied().filter(|tid| tid.0 != pid.0);
                    last.map(|tid| process.threads.remove(&tid));
                }
            }
            _ => {}
        }
    }
}
