//! A kernel that answers and never acts: what a dry run is made of.

use crate::perf::EventSpec;
use crate::{
    Bytes, CpuMask, Errno, Files, Kernel, Nanos, NodeId, PageStatus, Pid, Ring, Signal, Tid, Writer,
};

/// Passes questions on to a kernel and answers each act as if it had worked: masks, moves, signals and writes change
/// nothing. Pages that are not there still say so.
#[derive(Clone, Copy, Debug)]
pub struct Rehearsal<'k, K>(pub &'k K);

impl<K: Kernel> Files for Rehearsal<'_, K> {
    fn read(&self, path: &str) -> Result<Vec<u8>, Errno> {
        self.0.read(path)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        self.0.list(path)
    }

    fn write(&self, _path: &str, _content: &[u8]) -> Result<(), Errno> {
        Ok(())
    }
}

impl<K: Kernel> Kernel for Rehearsal<'_, K> {
    fn page_nodes(&self, pid: Pid, addresses: &[u64]) -> Result<Vec<PageStatus>, Errno> {
        self.0.page_nodes(pid, addresses)
    }

    fn move_pages(
        &self,
        pid: Pid,
        addresses: &[u64],
        nodes: &[NodeId],
    ) -> Result<Vec<PageStatus>, Errno> {
        if addresses.len() != nodes.len() {
            return Err(Errno::EINVAL);
        }
        let now = self.0.page_nodes(pid, addresses)?;
        Ok(now.into_iter().zip(nodes).map(|(now, &node)| now.map(|_| node)).collect())
    }

    fn affinity(&self, tid: Tid) -> Result<CpuMask, Errno> {
        self.0.affinity(tid)
    }

    fn set_affinity(&self, _tid: Tid, _mask: &CpuMask) -> Result<(), Errno> {
        Ok(())
    }

    fn open_event(&self, event: &EventSpec) -> Result<Box<dyn Ring>, Errno> {
        self.0.open_event(event)
    }

    fn signal(&self, _pid: Pid, _signal: Signal) -> Result<(), Errno> {
        Ok(())
    }

    fn read_memory(&self, pid: Pid, address: u64, into: &mut [u8]) -> Result<usize, Errno> {
        self.0.read_memory(pid, address, into)
    }

    fn spawn_writer(&self, pages: usize) -> Result<Box<dyn Writer>, Errno> {
        self.0.spawn_writer(pages)
    }

    fn page_size(&self) -> Bytes {
        self.0.page_size()
    }

    fn now(&self) -> Nanos {
        self.0.now()
    }

    fn sleep(&self, span: Nanos) {
        self.0.sleep(span);
    }
}
