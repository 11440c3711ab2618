//! Kernel settings that decide what can be observed and moved, from sysctl and debugfs.

use crate::files::{Files, text, value};

/// What the kernel's own balancer does (`kernel.numa_balancing`).
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Balancing {
    /// Nothing.
    Off,
    /// Moves tasks and pages between nodes.
    Nodes,
    /// Promotes hot pages from slow to fast memory.
    Tiers,
    /// Both.
    NodesAndTiers,
    /// A value that this version does not know.
    Unknown(u32),
}

impl Balancing {
    /// Whether it takes part in placing anything.
    #[must_use]
    pub fn is_on(self) -> bool {
        self != Self::Off
    }
}

/// Settings; `None` where the kernel lacks one or hides it from the reader.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Knobs {
    /// `6.12.95`, from `/proc/version`.
    pub release: Option<String>,
    /// Mode of the kernel's balancer; `None` without CONFIG_NUMA_BALANCING.
    pub balancing: Option<Balancing>,
    /// Delay before a new process is scanned, milliseconds.
    pub scan_delay_ms: Option<u64>,
    /// Shortest time between scans, milliseconds.
    pub scan_period_min_ms: Option<u64>,
    /// Longest time between scans, milliseconds.
    pub scan_period_max_ms: Option<u64>,
    /// Memory covered by one scan, MiB.
    pub scan_size_mb: Option<u64>,
    /// Threshold of a hot page in tiering mode, milliseconds.
    pub hot_threshold_ms: Option<u64>,
    /// Limit of promotions, MiB a second.
    pub promote_rate_limit_mb: Option<u64>,
    /// Whether pages move to slower memory under pressure.
    pub demotion: Option<bool>,
    /// `vm.zone_reclaim_mode` bits; not 0 makes nodes reclaim before they use remote memory.
    pub zone_reclaim_mode: Option<u32>,
    /// `vm.max_map_count`.
    pub max_map_count: Option<u64>,
    /// `kernel.perf_event_paranoid`; Debian's default 3 forbids all to users, 2 suffices here.
    pub perf_event_paranoid: Option<i32>,
    /// Ring memory a user may pin, KiB a CPU.
    pub perf_event_mlock_kb: Option<u64>,
    /// Upper limit of the sampling rate, samples a second.
    pub perf_event_max_sample_rate: Option<u64>,
    /// yama: 0 lets a user look into all own processes, 1 only into children.
    pub ptrace_scope: Option<u32>,
    /// `enabled`, `disabled` where sched_ext exists.
    pub sched_ext: Option<String>,
}

impl Knobs {
    /// Major and minor version of the kernel.
    #[must_use]
    pub fn version(&self) -> Option<(u32, u32)> {
        let mut parts = self.release.as_deref()?.split(['.', '-', '+']);
        Some((parts.next()?.parse().ok()?, parts.next()?.parse().ok()?))
    }

    /// Whether a status query of `move_pages` hides pages that wait for a hinting fault: seen on 6.1,
    /// not on 6.12; 6.6 as the border is an assumption.
    #[must_use]
    pub fn query_hides_pages(&self) -> bool {
        self.balancing.is_some_and(Balancing::is_on)
            && self.version().is_none_or(|version| version < (6, 6))
    }
}

/// Reads the settings.
#[must_use]
pub fn read_knobs(files: &(impl Files + ?Sized)) -> Knobs {
    let version = text(files, "proc/version").ok();
    let release = version.and_then(|line| line.split(' ').nth(2).map(str::to_string));
    let scan = |name: &str| {
        // debugfs since 5.13, sysctl before.
        value(files, &format!("sys/kernel/debug/sched/numa_balancing/{name}"))
            .or_else(|| value(files, &format!("proc/sys/kernel/numa_balancing_{name}")))
    };
    Knobs {
        release: release.filter(|text| !text.is_empty()),
        balancing: value(files, "proc/sys/kernel/numa_balancing").map(|mode| match mode {
            0 => Balancing::Off,
            1 => Balancing::Nodes,
            2 => Balancing::Tiers,
            3 => Balancing::NodesAndTiers,
            other => Balancing::Unknown(other),
        }),
        scan_delay_ms: scan("scan_delay_ms"),
        scan_period_min_ms: scan("scan_period_min_ms"),
        scan_period_max_ms: scan("scan_period_max_ms"),
        scan_size_mb: scan("scan_size_mb"),
        hot_threshold_ms: scan("hot_threshold_ms"),
        promote_rate_limit_mb: value(
            files,
            "proc/sys/kernel/numa_balancing_promote_rate_limit_MBps",
        ),
        demotion: value(files, "sys/kernel/mm/numa/demotion_enabled"),
        zone_reclaim_mode: value(files, "proc/sys/vm/zone_reclaim_mode"),
        max_map_count: value(files, "proc/sys/vm/max_map_count"),
        perf_event_paranoid: value(files, "proc/sys/kernel/perf_event_paranoid"),
        perf_event_mlock_kb: value(files, "proc/sys/kernel/perf_event_mlock_kb"),
        perf_event_max_sample_rate: value(files, "proc/sys/kernel/perf_event_max_sample_rate"),
        ptrace_scope: value(files, "proc/sys/kernel/yama/ptrace_scope"),
        sched_ext: value(files, "sys/kernel/sched_ext/state"),
    }
}
