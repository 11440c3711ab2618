//! A small NUMA workload with a known pattern, which says each second how well it is placed and proves
//! at its end that its data survived.
//!
//! `private`: as numa02, one area placed by one thread, each thread works on its own slice.
//! `shared`: as numa01, every thread of a process works over the whole area.

use std::io::{Write, stdout};
use std::path::Path;
use std::process::{Command, ExitCode};
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering::Relaxed};
use std::sync::mpsc;
use std::thread;
use std::time::{Duration, Instant};

use anyhow::{Context, Result, bail, ensure};
use clap::{Parser, ValueEnum};
use testkit::sys::{self, Area, PAGE_BYTES};
use testkit::{CpuNodes, LINE_WORDS, Placement, Second, Sweep, joined, last_cpu, local_share};

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Kind {
    /// Each thread works on its own slice.
    Private,
    /// Every thread works over the whole area.
    Shared,
}

#[derive(Clone, Copy, PartialEq, Eq, ValueEnum)]
enum Huge {
    /// As the system is set.
    Default,
    /// Ask for huge pages.
    Always,
    /// Forbid huge pages.
    Never,
}

/// Who touches the data first, and so places it.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Touch {
    Main,
    Own,
    Node(usize),
}

impl std::str::FromStr for Touch {
    type Err = String;

    fn from_str(text: &str) -> Result<Self, String> {
        match (text, text.strip_prefix("node:").map(str::parse)) {
            ("main", _) => Ok(Self::Main),
            ("self", _) => Ok(Self::Own),
            (_, Some(Ok(node))) => Ok(Self::Node(node)),
            _ => Err("expected main, self or node:N".to_owned()),
        }
    }
}

/// A NUMA workload that checks its own data.
#[derive(Clone, Parser)]
struct Options {
    /// What the threads work on.
    kind: Kind,
    /// Threads of each process.
    #[arg(long, default_value_t = 8, value_parser = clap::value_parser!(u64).range(1..=64))]
    threads: u64,
    /// Data of each process, MiB.
    #[arg(long, default_value_t = 64, value_parser = clap::value_parser!(u64).range(1..=65_536))]
    mib: u64,
    /// How long the threads work.
    #[arg(long, default_value_t = 10)]
    seconds: u64,
    /// Processes that do this at the same time, each with its own data.
    #[arg(long, default_value_t = 1, value_parser = clap::value_parser!(u64).range(1..=16))]
    processes: u64,
    /// First touch: by the main thread where it happens to run, by each thread, or by the main thread
    /// on a CPU of node N.
    #[arg(long, default_value = "main", value_name = "main|self|node:N")]
    touch: Touch,
    /// Sleep of a thread after each MiB of work, microseconds.
    #[arg(long, default_value_t = 0)]
    sleep_us: u64,
    /// Huge pages.
    #[arg(long, default_value = "default")]
    huge: Huge,
    /// Only read.
    #[arg(long)]
    read_only: bool,
    /// Bind thread I to the I-th CPU that the process may use.
    #[arg(long)]
    pin: bool,
    /// Number by which the plugin's lines of this run are known, 0 to 511.
    #[arg(long, default_value_t = 0, value_parser = clap::value_parser!(u64).range(0..512))]
    mark: u64,
    /// Place among the processes; the first one marks the seconds.
    #[arg(long, hide = true)]
    process: Option<u64>,
}

fn main() -> Result<ExitCode> {
    let options = Options::parse();
    if options.process.is_none() && options.processes > 1 {
        spread(&options)
    } else {
        work(&options)
    }
}

/// Runs the processes side by side; fails when one of them fails.
fn spread(options: &Options) -> Result<ExitCode> {
    let program = std::env::current_exe().context("finding this program")?;
    let children: Vec<_> = (0..options.processes)
        .map(|process| {
            Command::new(&program)
                .args(std::env::args_os().skip(1))
                .args(["--process", &process.to_string()])
                .spawn()
                .context("starting a process of the workload")
        })
        .collect::<Result<_>>()?;
    let mut code = ExitCode::SUCCESS;
    for mut child in children {
        if !child.wait()?.success() {
            code = ExitCode::FAILURE;
        }
    }
    Ok(code)
}

/// The walk of each thread over the area.
fn sweeps(options: &Options, data: &'static [AtomicU64]) -> Result<Vec<Sweep>> {
    let threads = usize::try_from(options.threads)?;
    let writes = !options.read_only;
    let slice = data.len() / threads;
    ensure!(
        slice.is_multiple_of(PAGE_BYTES / size_of::<u64>()),
        "{} MiB do not divide into whole pages for {threads} threads: choose another --mib or --threads",
        options.mib
    );
    Ok((0..threads)
        .map(|i| match options.kind {
            Kind::Private => Sweep {
                words: &data[i * slice..(i + 1) * slice],
                stride: LINE_WORDS,
                lane: 0,
                start: 0,
                writes,
            },
            Kind::Shared => {
                let stride = LINE_WORDS * threads.div_ceil(LINE_WORDS);
                let records = data.len() / stride;
                let words = &data[..records * stride];
                Sweep { words, stride, lane: i, start: i * records / threads, writes }
            }
        })
        .collect())
}

/// First touch by the main thread, bound meanwhile to a node if one is asked for.
fn place(options: &Options, nodes: &CpuNodes, sweeps: &[Sweep]) -> Result<()> {
    match options.touch {
        Touch::Own => {}
        Touch::Main => sweeps.iter().for_each(Sweep::touch),
        Touch::Node(node) => {
            let before = sys::affinity().context("reading the CPUs of this thread")?;
            let cpus = nodes.cpus(node);
            if cpus.is_empty() {
                bail!("--touch node:{node}: node {node} has no CPU to touch the data from");
            }
            sys::set_affinity(&cpus).with_context(|| format!("going to node {node}"))?;
            sweeps.iter().for_each(Sweep::touch);
            sys::set_affinity(&before).context("leaving the node again")?;
        }
    }
    Ok(())
}

fn work(options: &Options) -> Result<ExitCode> {
    let nodes = CpuNodes::read(Path::new("/sys/devices/system/node"))?;
    let bytes = usize::try_from(options.mib << 20)?;
    let area = sys::map_area(bytes).context("mapping the data")?;
    match options.huge {
        Huge::Default => {}
        wanted => {
            sys::advise_huge(area.data, wanted == Huge::Always).context("advising huge pages")?;
        }
    }
    let sweeps = sweeps(options, area.data)?;
    place(options, &nodes, &sweeps)?;
    let cpus = sys::affinity().context("reading the CPUs of this thread")?;

    let stop = AtomicBool::new(false);
    let progress: Vec<AtomicU64> = sweeps.iter().map(|_| AtomicU64::new(0)).collect();
    let pause = Duration::from_micros(options.sleep_us);
    let damage = thread::scope(|scope| -> Result<u64> {
        let (send_tid, receive_tid) = mpsc::channel();
        let mut workers = Vec::new();
        for (i, sweep) in sweeps.iter().enumerate() {
            let (send_tid, cpus, progress) = (send_tid.clone(), &cpus, &progress[i]);
            let stop = &stop;
            let body = move || -> Result<u64> {
                let bound =
                    if options.pin { sys::set_affinity(&[cpus[i % cpus.len()]]) } else { Ok(()) };
                if options.touch == Touch::Own {
                    sweep.touch();
                }
                send_tid.send((i, sys::thread_id()))?;
                let visits = sweep.run(stop, progress, pause);
                bound.context("binding a thread")?;
                Ok(sweep.damage(visits))
            };
            match thread::Builder::new().name(format!("wl-{i}")).spawn_scoped(scope, body) {
                Ok(worker) => workers.push(worker),
                Err(error) => {
                    stop.store(true, Relaxed);
                    return Err(error).context("starting a thread");
                }
            }
        }
        let mut tids = vec![0; sweeps.len()];
        for (i, tid) in receive_tid.iter().take(sweeps.len()) {
            tids[i] = tid;
        }
        let watched = watch(options, &nodes, &area, &tids, &progress);
        stop.store(true, Relaxed);
        let mut damage = 0;
        for worker in workers {
            match worker.join() {
                Ok(result) => damage += result?,
                Err(_) => bail!("a thread of the workload panicked"),
            }
        }
        watched.map(|()| damage)
    })?;
    let data = if damage == 0 { "intact" } else { "damaged" };
    let accesses: u64 = progress.iter().map(|count| count.load(Relaxed)).sum();
    println!("check pid={} data={data} wrong={damage} accesses={accesses}", std::process::id());
    Ok(if damage == 0 { ExitCode::SUCCESS } else { ExitCode::FAILURE })
}

/// Prints the first line, then one each second until the time is over.
fn watch(
    options: &Options,
    nodes: &CpuNodes,
    area: &Area,
    tids: &[i32],
    progress: &[AtomicU64],
) -> Result<()> {
    let pid = std::process::id();
    let kind = if options.kind == Kind::Private { "private" } else { "shared" };
    let bytes = size_of_val(area.data);
    let slice = bytes / tids.len();
    println!(
        "workload pid={pid} kind={kind} threads={} bytes={bytes} area={:x}-{:x} slice={slice} tids={}",
        tids.len(),
        sys::AREA_START,
        sys::AREA_START + bytes,
        joined(tids),
    );
    let mark = &area.mark[usize::try_from(options.mark)?];
    let marks = options.process.unwrap_or(0) == 0;
    if marks {
        mark.store(1, Relaxed);
    }
    let begin = Instant::now();
    let (mut last_time, mut last_count) = (begin, 0);
    for at in 1..=options.seconds {
        thread::sleep((begin + Duration::from_secs(at)).saturating_duration_since(Instant::now()));
        let now = Instant::now();
        let count: u64 = progress.iter().map(|count| count.load(Relaxed)).sum();
        let rate = (count - last_count) as f64 / (now - last_time).as_secs_f64();
        (last_time, last_count) = (now, count);
        let page_nodes = sys::page_nodes(area.data).context("asking for the nodes of the pages")?;
        let query_ms = now.elapsed().as_millis();
        let threads: Vec<Placement> = tids
            .iter()
            .enumerate()
            .map(|(i, &tid)| Placement {
                pages: match options.kind {
                    Kind::Private => i * (slice / PAGE_BYTES)..(i + 1) * (slice / PAGE_BYTES),
                    Kind::Shared => 0..page_nodes.len(),
                },
                node: last_cpu(tid).and_then(|cpu| nodes.node(cpu)),
            })
            .collect();
        let second = Second {
            at,
            pid,
            local: local_share(&page_nodes, &threads),
            ops_per_s: rate as u64,
            pages: pages_by_node(&page_nodes),
            unknown: page_nodes.iter().filter(|&&node| node < 0).count(),
            threads: threads
                .iter()
                .map(|thread| thread.node.map_or(-1, |node| node as i64))
                .collect(),
            query_ms,
        };
        println!("{second}");
        stdout().flush()?;
        if marks {
            mark.store(at + 1, Relaxed);
        }
    }
    Ok(())
}

/// How many pages each node holds, from node 0 to the highest one that holds any.
fn pages_by_node(page_nodes: &[i32]) -> Vec<usize> {
    let mut pages = Vec::new();
    for node in page_nodes.iter().filter_map(|&node| usize::try_from(node).ok()) {
        if pages.len() <= node {
            pages.resize(node + 1, 0);
        }
        pages[node] += 1;
    }
    pages
}
