//! What one run costs: simulated seconds, CPU seconds, and peak memory, on one line.
//!
//! ```text
//! cost MACHINE WORKLOAD POLICY thp|base [SIZE-MIB] [FILE]
//! ```
//!
//! `FILE` receives the whole result as JSON, for comparing two builds.

use std::time::Duration;

use homenode_balance::tree;
use homenode_sim::{Calibration, Setup, run};
use homenode_topology::{Bytes, Nanos, presets, spec};
use homenode_workload::preset::{Params, find};

fn main() -> Result<(), Box<dyn std::error::Error>> {
    let arguments: Vec<String> = std::env::args().skip(1).collect();
    let [machine, workload, policy, pages, rest @ ..] = arguments.as_slice() else {
        return Err("usage: cost MACHINE WORKLOAD POLICY thp|base [SIZE-MIB] [FILE]".into());
    };
    let mut machine =
        if spec::is_spec(machine) { spec::parse(machine)? } else { presets::find(machine)? };
    let calibration = Calibration::shipped()?;
    calibration.apply(&mut machine);
    let size = rest.first().map(|mib| mib.parse().map(Bytes::mib)).transpose()?;
    let params = Params { size: size.filter(|&size| size > Bytes::ZERO), ..Params::default() };
    let workload = find(workload)?.build(&machine, Default::default(), &params)?;
    let setup = Setup {
        machine: &machine,
        workload: &workload,
        calibration: &calibration,
        seed: 1,
        thp: pages == "thp",
        time_limit: Nanos::secs(1_000_000),
    };
    let before = cpu_time()?;
    let result = run(&setup, tree::build(policy, &machine)?, None)?;
    let cost = (cpu_time()? - before).as_secs_f64();
    if let Some(file) = rest.get(1) {
        std::fs::write(file, serde_json::to_string_pretty(&result)?)?;
    }
    let simulated = result.elapsed.as_secs_f64();
    println!(
        "{} {policy} {pages}: {simulated:.1} s simulated in {cost:.3} s: x {:.0}; {} hinting faults; peak {} MiB",
        workload.name,
        simulated / cost,
        result.counters.numa_hint_faults,
        peak_kib()? / 1024,
    );
    Ok(())
}

/// CPU time of this process.
fn cpu_time() -> Result<Duration, Box<dyn std::error::Error>> {
    let stat = std::fs::read_to_string("/proc/self/schedstat")?;
    let time = stat.split_whitespace().next().ok_or("no CPU time")?;
    Ok(Duration::from_nanos(time.parse()?))
}

fn peak_kib() -> Result<u64, Box<dyn std::error::Error>> {
    let status = std::fs::read_to_string("/proc/self/status")?;
    let peak = status.lines().find_map(|line| line.strip_prefix("VmHWM:"));
    Ok(peak.and_then(|peak| peak.split_whitespace().next()).ok_or("no VmHWM")?.parse()?)
}
