//! What each stage and each single patch group changes (other-trees 4.1).

use super::*;
use crate::{CountRules, HostRules, Launch, MigrateRules, WalkRules};

/// `stats` has the counters of the series and none of its decisions.
#[test]
fn stats_neither_scans_nor_moves() {
    let mut host = Host::new(Features::STATS);
    let task = host.start(MM, FAR);
    assert!(host.run(task, 5000).is_silent());
    for _ in 0..3 {
        assert!(host.fault(task, 1, NODE_NEAR).is_silent());
    }
    assert!(!host.policy.rules().walk.pmd_hints && !host.policy.rules().migrate.huge);
}

/// Machine-model 1.3 and other-trees 4.4 "huge PMD": how V5 hosts walk, count and move.
#[test]
fn balancing_stages_share_the_host_of_the_series() {
    let expected = HostRules {
        launch: Launch::AsWritten,
        walk: WalkRules { pmd_hints: true, small_vmas: false },
        count: CountRules { huge_update: 512, huge_migration: 1 },
        migrate: MigrateRules { huge: true },
    };
    for features in [Features::THPMIGRATE, Features::ADAPTSCAN, Features::DELAYSTART] {
        assert_eq!(*Host::new(features).policy.rules(), expected);
    }
}

/// Patches 35-36 taken out: migrate on reference.
#[test]
fn without_the_filter_the_first_touch_moves_the_page() {
    let mut host = Host::new(Features { two_stage_filter: false, ..Features::DELAYSTART });
    let task = host.start(MM, FAR);
    assert!(host.fault(task, 1, NODE_NEAR).action().is_some());
}

/// Patches 31-33 taken out: no limit on migration.
#[test]
fn without_limits_nothing_is_refused() {
    let mut host = Host::new(Features { rate_limits: false, ..Features::ADAPTSCAN });
    let (task, other) = (host.start(MM, FAR), host.start(MmId(1), FAR));
    host.fill_far_window(other);
    host.fault(other, 1, NODE_NEAR);
    assert!(host.fault(other, 1, NODE_NEAR).action().is_some());
    assert!(host.run(task, 1001).action().is_some());
}

/// Patch 34 taken out: the period stays at its minimum.
#[test]
fn without_growth_the_period_stays() {
    let growing = Features::THPMIGRATE;
    let mut host = Host::new(Features { slowing_scan: false, ..growing });
    let task = host.start_old(MM, NEAR);
    for page in 0..10 {
        host.fault(task, page, NODE_NEAR);
    }
    assert_eq!(host.period_ms(task), 100);
}

/// Patch 37 taken out: huge pages stay, base pages move.
#[test]
fn without_native_migration_huge_pages_stay() {
    let mut host = Host::new(Features { thp_migration: false, ..Features::ADAPTSCAN });
    let task = host.start(MM, FAR);
    host.fault_huge(task, 512, NODE_NEAR);
    let huge = host.fault_huge(task, 512, NODE_NEAR);
    assert_eq!(huge.hold(), Some(Hold::Bound { node: NODE_NEAR }));
    host.fault(task, 1, NODE_NEAR);
    assert!(host.fault(task, 1, NODE_NEAR).action().is_some());
}
