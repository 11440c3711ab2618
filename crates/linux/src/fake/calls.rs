//! System calls of the fake kernel.

use std::cell::RefCell;
use std::collections::BTreeSet;
use std::ops::Range;
use std::rc::Rc;

use super::{Act, FakeKernel, State};
use crate::perf::{EventSpec, RawSample, encode_sample};
use crate::{
    Bytes, CpuMask, Errno, Kernel, Nanos, NodeId, PageStatus, Pid, Ring, Signal, Tid, Writer,
};

/// An event that was opened, with the bytes that wait in its ring.
#[derive(Debug)]
pub(super) struct OpenRing {
    spec: EventSpec,
    bytes: Rc<RefCell<Vec<u8>>>,
}

struct FakeRing(Rc<RefCell<Vec<u8>>>);

impl Ring for FakeRing {
    fn read(&mut self, into: &mut Vec<u8>) {
        into.append(&mut self.0.borrow_mut());
    }
}

struct FakeWriter {
    pid: Pid,
    area: Range<u64>,
}

impl Writer for FakeWriter {
    fn pid(&self) -> Pid {
        self.pid
    }

    fn area(&self) -> Range<u64> {
        self.area.clone()
    }
}

/// Number of the child that [`Kernel::spawn_writer`] starts; there is one at a time.
const WRITER: Pid = Pid(900_000);

impl State {
    /// A thread writes to an address: a page that is missing appears on its node, and a fault is recorded for
    /// a page that is missing or clean.
    pub fn write_to(&mut self, tid: Tid, address: u64) {
        let Some(pid) = self.process_of(tid) else { return };
        let Some(cpu) = self.processes[&pid].threads.get(&tid).map(|thread| thread.cpu) else {
            return;
        };
        let Some(node) = self.node_of(cpu) else { return };
        let Some(process) = self.processes.get_mut(&pid) else { return };
        let page = process.page_start(address);
        let huge = process.vma(address).is_some_and(|vma| vma.huge);
        let missing = !process.pages.contains_key(&page);
        process.pages.entry(page).or_insert(node);
        if !process.clean.remove(&page) && !missing {
            return;
        }
        let page_size = (!missing).then(|| if huge { Bytes::mib(2) } else { Bytes::kib(4) });
        let sample = RawSample {
            ip: 0x40_1000,
            pid,
            tid,
            at: self.now,
            address,
            cpu,
            registers: None,
            page_size,
        };
        for ring in self.rings.iter().filter(|ring| ring.spec.tid == tid) {
            encode_sample(&sample, ring.spec.layout, &mut ring.bytes.borrow_mut());
        }
    }

    fn target(&mut self, pid: Pid) -> Result<(), Errno> {
        match self.processes.get(&pid) {
            None => Err(Errno::ESRCH),
            Some(process) if process.foreign => Err(Errno::EPERM),
            Some(_) => Ok(()),
        }
    }

    fn move_page(
        &mut self,
        pid: Pid,
        address: u64,
        to: NodeId,
        taken: &mut BTreeSet<u64>,
    ) -> PageStatus {
        if let Some(errno) = self.injection.error() {
            return Err(errno);
        }
        let process = self.processes.get_mut(&pid).ok_or(Errno::ESRCH)?;
        let vma = process.vma(address).ok_or(Errno::EFAULT)?;
        let (huge, mappers) = (vma.huge, vma.mappers);
        let page = process.page_start(address);
        let from = *process.pages.get(&page).ok_or(Errno::ENOENT)?;
        if !taken.insert(page) {
            return Err(Errno::EBUSY);
        }
        if mappers > 1 {
            return Err(Errno::EACCES);
        }
        if from == to {
            return Ok(to);
        }
        let size = if huge { Bytes::mib(2) } else { Bytes::kib(4) };
        let target = self.nodes.get_mut(&to).ok_or(Errno::ENODEV)?;
        if target.free < size {
            return Err(Errno::ENOMEM);
        }
        target.free -= size;
        if let Some(source) = self.nodes.get_mut(&from) {
            source.free += size;
        }
        process.pages.insert(page, to);
        self.acts.push(Act::Page { pid, start: process.start, address, from, to });
        self.now += self.page_cost * if huge { 512 } else { 1 };
        Ok(to)
    }
}

impl Kernel for FakeKernel {
    fn page_nodes(&self, pid: Pid, addresses: &[u64]) -> Result<Vec<PageStatus>, Errno> {
        let mut state = self.state();
        state.chaos(pid);
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        state.target(pid)?;
        let process = &state.processes[&pid];
        let node = |address: &u64| {
            process.vma(*address).ok_or(Errno::EFAULT)?;
            process.pages.get(&process.page_start(*address)).copied().ok_or(Errno::ENOENT)
        };
        Ok(addresses.iter().map(node).collect())
    }

    fn move_pages(
        &self,
        pid: Pid,
        addresses: &[u64],
        nodes: &[NodeId],
    ) -> Result<Vec<PageStatus>, Errno> {
        let mut state = self.state();
        if addresses.len() != nodes.len() {
            return Err(Errno::EINVAL);
        }
        // An error may come in the middle of the work, too.
        let error = state.injection.error();
        let reach = match error {
            Some(_) if state.injection.life == Some(0) => 0,
            Some(_) => {
                state.injection.below(2 * addresses.len() as u64) as usize % addresses.len().max(1)
            }
            None => addresses.len(),
        };
        state.target(pid)?;
        if nodes.iter().any(|node| !state.nodes.contains_key(node)) {
            return Err(Errno::ENODEV);
        }
        if nodes.iter().any(|node| !state.processes[&pid].mems.contains(*node)) {
            return Err(Errno::EACCES);
        }
        let mut taken = BTreeSet::new();
        let pairs = addresses.iter().zip(nodes).take(reach);
        let statuses: Vec<PageStatus> = pairs
            .map(|(&address, &node)| state.move_page(pid, address, node, &mut taken))
            .collect();
        error.map_or(Ok(statuses), Err)
    }

    fn affinity(&self, tid: Tid) -> Result<CpuMask, Errno> {
        let mut state = self.state();
        let pid = state.process_of(tid).ok_or(Errno::ESRCH)?;
        state.chaos(pid);
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        let process = state.processes.get(&pid).ok_or(Errno::ESRCH)?;
        let thread = process.threads.get(&tid).ok_or(Errno::ESRCH)?;
        Ok(thread.mask.intersection(&process.cpus))
    }

    fn set_affinity(&self, tid: Tid, mask: &CpuMask) -> Result<(), Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        let pid = state.process_of(tid).ok_or(Errno::ESRCH)?;
        state.target(pid)?;
        let process = state.processes.get_mut(&pid).ok_or(Errno::ESRCH)?;
        if mask.intersection(&process.cpus).is_empty() {
            return Err(Errno::EINVAL);
        }
        let thread = process.threads.get_mut(&tid).ok_or(Errno::ESRCH)?;
        thread.mask = mask.clone();
        let act = Act::Mask { tid, start: thread.start };
        process.reschedule();
        state.acts.push(act);
        Ok(())
    }

    fn open_event(&self, event: &EventSpec) -> Result<Box<dyn Ring>, Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        let paranoid = state.files.get("proc/sys/kernel/perf_event_paranoid");
        if paranoid.is_some_and(|level| level.starts_with(b"3")) {
            return Err(Errno::EACCES);
        }
        let pid = state.process_of(event.tid).ok_or(Errno::ESRCH)?;
        state.target(pid).map_err(|_| Errno::EACCES)?;
        let bytes = Rc::new(RefCell::new(Vec::new()));
        state.rings.push(OpenRing { spec: *event, bytes: Rc::clone(&bytes) });
        Ok(Box::new(FakeRing(bytes)))
    }

    fn signal(&self, pid: Pid, signal: Signal) -> Result<(), Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        state.target(pid)?;
        let process = state.processes.get_mut(&pid).ok_or(Errno::ESRCH)?;
        let stop = signal == Signal::Stop;
        process.stopped = stop;
        let start = process.start;
        state.acts.push(Act::Signal { pid, start, stop });
        Ok(())
    }

    fn read_memory(&self, pid: Pid, _address: u64, into: &mut [u8]) -> Result<usize, Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        state.target(pid)?;
        into.fill(0);
        Ok(into.len())
    }

    fn spawn_writer(&self, pages: usize) -> Result<Box<dyn Writer>, Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        let area = 0x10_0000..0x10_0000 + pages as u64 * 4096;
        let process = state.spawn(WRITER, 1, 5);
        process.map(super::FakeVma::anonymous(area.clone()), NodeId(0));
        Ok(Box::new(FakeWriter { pid: WRITER, area }))
    }

    fn page_size(&self) -> Bytes {
        homenode_topology::PAGE
    }

    fn now(&self) -> Nanos {
        let mut state = self.state();
        state.now += Nanos(100);
        state.now
    }

    /// Time passes, and the child of a self-test writes to its pages.
    fn sleep(&self, span: Nanos) {
        let mut state = self.state();
        state.now += span;
        let pages: Vec<u64> = state
            .processes
            .get(&WRITER)
            .map(|writer| writer.pages.keys().copied().collect())
            .unwrap_or_default();
        for page in pages {
            state.write_to(WRITER.leader(), page);
        }
    }
}
