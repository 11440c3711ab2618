//! Files that the fake kernel shows.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt::Write;

use super::{FakeKernel, FakeProcess, State};
use crate::{Errno, Files, NodeId, Pid, Tid};

impl Files for FakeKernel {
    fn read(&self, path: &str) -> Result<Vec<u8>, Errno> {
        let mut state = self.state();
        if let Some(pid) = pid_in(path) {
            state.chaos(pid);
        }
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        let mut content = state.content(path)?;
        if let Some(end) = state.injection.short(content.len()) {
            content.truncate(end);
        }
        Ok(content)
    }

    fn list(&self, path: &str) -> Result<Vec<String>, Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        state.names(path)
    }

    fn write(&self, path: &str, content: &[u8]) -> Result<(), Errno> {
        let mut state = self.state();
        if let Some(errno) = state.injection.error() {
            return Err(errno);
        }
        if let Some(pid) = pid_in(path)
            && path.ends_with("/clear_refs")
        {
            let soft_dirty = state.soft_dirty;
            let process = state.processes.get_mut(&pid).ok_or(Errno::ENOENT)?;
            if process.foreign {
                return Err(Errno::EACCES);
            }
            process.clears += 1;
            if soft_dirty {
                process.clean = process.pages.keys().copied().collect();
            }
            return Ok(());
        }
        let file = state.files.get_mut(path).ok_or(Errno::ENOENT)?;
        *file = content.to_vec();
        Ok(())
    }
}

fn pid_in(path: &str) -> Option<Pid> {
    path.strip_prefix("proc/")?.split('/').next()?.parse().ok().map(Pid)
}

impl State {
    fn content(&self, path: &str) -> Result<Vec<u8>, Errno> {
        if let Some(content) = self.files.get(path) {
            return Ok(content.clone());
        }
        let parts: Vec<&str> = path.split('/').collect();
        let text = match parts.as_slice() {
            ["proc", pid, file] => {
                let pid = Pid(pid.parse().map_err(|_| Errno::ENOENT)?);
                let process = self.processes.get(&pid).ok_or(Errno::ENOENT)?;
                self.process_file(pid, process, file)?
            }
            ["proc", pid, "task", tid, file] => {
                let pid = Pid(pid.parse().map_err(|_| Errno::ENOENT)?);
                let tid = Tid(tid.parse().map_err(|_| Errno::ENOENT)?);
                let process = self.processes.get(&pid).ok_or(Errno::ENOENT)?;
                if !process.threads.contains_key(&tid) {
                    return Err(Errno::ENOENT);
                }
                match *file {
                    "stat" => stat(tid, process),
                    "status" => status(pid, tid, process),
                    _ => return Err(Errno::ENOENT),
                }
            }
            ["sys", "devices", "system", "node", "online"] => format!("{}\n", self.node_mask()),
            ["sys", "devices", "system", "cpu", "online"] => format!("{}\n", self.cpu_mask()),
            ["sys", "devices", "system", "node", node, file] => {
                let id = node.strip_prefix("node").and_then(|id| id.parse().ok()).map(NodeId);
                let node = id.and_then(|id| self.nodes.get(&id)).ok_or(Errno::ENOENT)?;
                match *file {
                    "meminfo" => format!(
                        "Node 0 MemTotal: {} kB\nNode 0 MemFree: {} kB\n",
                        node.total.0 / 1024,
                        node.free.0 / 1024
                    ),
                    "cpulist" => format!("{}\n", node.cpus),
                    _ => return Err(Errno::ENOENT),
                }
            }
            _ => return Err(Errno::ENOENT),
        };
        Ok(text.into_bytes())
    }

    fn process_file(&self, pid: Pid, process: &FakeProcess, file: &str) -> Result<String, Errno> {
        if process.foreign && matches!(file, "maps" | "numa_maps" | "smaps") {
            return Err(Errno::EACCES);
        }
        Ok(match file {
            "stat" => stat(pid.leader(), process),
            "status" => status(pid, pid.leader(), process),
            "cgroup" => "0::/\n".into(),
            "maps" => maps(process, false),
            "smaps" => maps(process, true),
            "numa_maps" => numa_maps(process),
            _ => return Err(Errno::ENOENT),
        })
    }

    fn names(&self, path: &str) -> Result<Vec<String>, Errno> {
        let parts: Vec<&str> = path.split('/').collect();
        let mut names: BTreeSet<String> = match parts.as_slice() {
            ["proc"] => self.processes.keys().map(ToString::to_string).collect(),
            ["proc", pid, "task"] => {
                let pid = Pid(pid.parse().map_err(|_| Errno::ENOENT)?);
                let process = self.processes.get(&pid).ok_or(Errno::ENOENT)?;
                process.threads.keys().map(ToString::to_string).collect()
            }
            ["sys", "devices", "system", "node"] => {
                self.nodes.keys().map(|node| format!("node{}", node.0)).collect()
            }
            _ => BTreeSet::new(),
        };
        let folder = format!("{path}/");
        names.extend(self.files.keys().filter_map(|file| {
            file.strip_prefix(&folder).and_then(|rest| rest.split('/').next()).map(String::from)
        }));
        if names.is_empty() { Err(Errno::ENOENT) } else { Ok(names.into_iter().collect()) }
    }
}

fn stat(tid: Tid, process: &FakeProcess) -> String {
    let state = if process.stopped { 'T' } else { 'S' };
    let thread = process.threads.get(&tid);
    let start = thread.map_or(process.start, |thread| thread.start);
    let cpu = thread.map_or(0, |thread| thread.cpu.0);
    let (comm, threads, stack) = (&process.comm, process.threads.len(), process.stack);
    format!(
        "{tid} ({comm}) {state} 1 0 0 0 -1 4194304 0 0 0 0 11 35 0 0 20 0 {threads} 0 {start} 0 0 0 \
         1 1 {stack} 0 0 0 0 0 0 0 0 0 17 {cpu} 0 0 0\n"
    )
}

fn status(pid: Pid, tid: Tid, process: &FakeProcess) -> String {
    let none = crate::CpuMask::new();
    let mask = process.threads.get(&tid).map_or(&none, |thread| &thread.mask);
    let locked: u64 = process
        .vmas
        .iter()
        .filter(|vma| vma.locked)
        .map(|vma| (vma.range.end - vma.range.start) / 1024)
        .sum();
    format!(
        "Name:\tfake\nTgid:\t{pid}\nUid:\t0\t0\t0\t0\nVmLck:\t{locked} kB\nThreads:\t{}\n\
         Cpus_allowed_list:\t{}\nMems_allowed_list:\t{}\n",
        process.threads.len(),
        mask.intersection(&process.cpus),
        process.mems,
    )
}

fn maps(process: &FakeProcess, flags: bool) -> String {
    let mut text = String::new();
    for vma in &process.vmas {
        let _ = writeln!(text, "{:x}-{:x} rw-p 00000000 00:00 0 ", vma.range.start, vma.range.end);
        if flags {
            let _ = writeln!(text, "VmFlags: rd wr {}", if vma.locked { "lo" } else { "" });
        }
    }
    text
}

fn numa_maps(process: &FakeProcess) -> String {
    let mut text = String::new();
    for vma in &process.vmas {
        let mut nodes: BTreeMap<NodeId, u64> = BTreeMap::new();
        let weight = if vma.huge { 512 } else { 1 };
        for node in process.pages.range(vma.range.clone()).map(|(_, node)| *node) {
            *nodes.entry(node).or_default() += weight;
        }
        let _ = write!(text, "{:x} {}", vma.range.start, vma.policy);
        if vma.mappers > 1 {
            let _ = write!(text, " mapmax={}", vma.mappers);
        }
        for (node, pages) in nodes {
            let _ = write!(text, " {node}={pages}");
        }
        text.push_str(" kernelpagesize_kB=4\n");
    }
    text
}
