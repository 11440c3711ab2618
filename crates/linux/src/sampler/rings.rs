//! One perf ring for each thread of a process, following threads that come and go.

use std::collections::BTreeMap;

use crate::perf::{EventKind, EventSpec, Layout, RawSample, Record, decode};
use crate::procfs::threads;
use crate::{Collected, Errno, Error, Identity, Kernel, Result, Ring, Tid};

/// The ring of a thread.
pub struct ThreadRing {
    ring: Box<dyn Ring>,
    layout: Layout,
}

/// Rings of all threads of a process. Events cannot be inherited with a ring, so the list of threads is read again
/// at each collection.
pub struct Rings {
    process: Identity,
    kind: EventKind,
    layout: Layout,
    ring_pages: usize,
    open: BTreeMap<Tid, ThreadRing>,
}

impl Rings {
    /// No ring yet.
    #[must_use]
    pub fn new(process: Identity, kind: EventKind, layout: Layout, ring_pages: usize) -> Self {
        Self { process, kind, layout, ring_pages, open: BTreeMap::new() }
    }

    /// Threads that are observed.
    #[must_use]
    pub fn len(&self) -> usize {
        self.open.len()
    }

    /// Whether no thread is observed.
    #[must_use]
    pub fn is_empty(&self) -> bool {
        self.open.is_empty()
    }

    /// Opens rings of new threads and closes those of threads that ended. Counts threads that could not be observed.
    ///
    /// # Errors
    /// The process is gone, or no thread at all can be observed.
    pub fn follow(&mut self, kernel: &impl Kernel) -> Result<u64> {
        self.process.verify(kernel)?;
        let tids = threads(kernel, self.process.pid)?;
        self.open.retain(|tid, _| tids.binary_search(tid).is_ok());
        let mut failed = 0;
        let mut last = None;
        for tid in tids {
            if self.open.contains_key(&tid) {
                continue;
            }
            match self.open_ring(kernel, tid) {
                Ok(ring) => {
                    self.open.insert(tid, ring);
                }
                // It ended meanwhile.
                Err(Errno::ESRCH) => {}
                Err(errno) => {
                    failed += 1;
                    last = Some((tid, errno));
                }
            }
        }
        match last {
            Some((tid, errno)) if self.open.is_empty() => {
                Err(Error::Call { call: "perf_event_open", target: format!("thread {tid}"), errno })
            }
            _ => Ok(failed),
        }
    }

    fn open_ring(&self, kernel: &impl Kernel, tid: Tid) -> std::result::Result<ThreadRing, Errno> {
        let mut spec =
            EventSpec { kind: self.kind, tid, ring_pages: self.ring_pages, layout: self.layout };
        let mut ring = kernel.open_event(&spec);
        if ring.as_ref().is_err_and(|&errno| errno == Errno::EINVAL) && spec.layout.page_size {
            // Kernels before 5.11 do not tell the page size.
            spec.layout.page_size = false;
            ring = kernel.open_event(&spec);
        }
        Ok(ThreadRing { ring: ring?, layout: spec.layout })
    }

    /// Hands out all samples that wait in the rings.
    pub fn drain(&mut self, mut take: impl FnMut(RawSample)) -> Collected {
        let mut collected = Collected::default();
        let mut bytes = Vec::new();
        for ThreadRing { ring, layout } in self.open.values_mut() {
            bytes.clear();
            ring.read(&mut bytes);
            for record in decode(&bytes, *layout) {
                match record {
                    Record::Sample(sample) => take(sample),
                    Record::Lost(count) => collected.lost = collected.lost.saturating_add(count),
                    Record::Throttled => collected.throttled += 1,
                    Record::Damaged => collected.damaged += 1,
                    Record::Other(_) => {}
                }
            }
        }
        collected
    }
}
