use super::{
    Compaction, PeakLabels, SpecjbbPeaks, autonuma_cost, autonuma_cost_with_copy, cpu_percent,
    hint_local_percent, specjbb_peaks,
};
use crate::seed::{Kind, SeedTable, SeedTables};

/// Value of a row of a table without second labels, in a column.
fn whole(table: &SeedTable, metric: &str, column: &str) -> Option<u64> {
    table.cell(metric, "", column).map(|cell| cell.printed.parse().unwrap())
}

fn vmstat_columns(tables: &SeedTables) -> impl Iterator<Item = (&SeedTable, &str)> {
    let tables = tables.all().iter().filter(|table| table.kind == Kind::Vmstat);
    tables.flat_map(|table| table.columns.iter().map(move |column| (table, column.as_str())))
}

#[test]
fn autonuma_cost_of_every_published_column() {
    let tables = SeedTables::load().unwrap();
    let mut checked = 0;
    for (table, column) in vmstat_columns(&tables) {
        let row = |metric| whole(table, metric, column).unwrap();
        let cost = autonuma_cost(
            row("NUMA PTE updates"),
            row("NUMA hint faults"),
            row("NUMA pages migrated"),
        );
        assert_eq!(cost, row("AutoNUMA cost"), "{} {column}", table.id);
        checked += 1;
    }
    assert_eq!(checked, 74);
}

#[test]
fn compaction_cost_of_every_published_column() {
    let tables = SeedTables::load().unwrap();
    let mut checked = 0;
    for (table, column) in vmstat_columns(&tables) {
        let row = |metric| whole(table, metric, column);
        // tables cut down by their author lack the migration rows: all migrations there were those of balancing
        let compaction = Compaction {
            migrate_scanned: row("Compaction migrate scanned").unwrap_or(0),
            free_scanned: row("Compaction free scanned").unwrap_or(0),
            isolated: row("Compaction pages isolated").unwrap_or(0),
            migrated: row("Page migrate success").or(row("NUMA pages migrated")).unwrap(),
            failed: row("Page migrate failure").unwrap_or(0),
        };
        assert_eq!(Some(compaction.cost()), row("Compaction cost"), "{} {column}", table.id);
        checked += 1;
    }
    assert_eq!(checked, 74);
}

#[test]
fn local_percent_of_every_published_column() {
    let tables = SeedTables::load().unwrap();
    let mut checked = 0;
    for (table, column) in vmstat_columns(&tables) {
        let row = |metric| whole(table, metric, column);
        if let Some(percent) = row("NUMA hint local percent") {
            assert_eq!(
                hint_local_percent(
                    row("NUMA hint local faults").unwrap(),
                    row("NUMA hint faults").unwrap()
                ),
                percent,
                "{}",
                table.id
            );
            checked += 1;
        }
    }
    assert_eq!(checked, 14);
}

#[test]
fn cpu_of_every_published_run() {
    let tables = SeedTables::load().unwrap();
    let (mut exact, mut one_below) = (0, 0);
    for table in tables
        .all()
        .iter()
        .filter(|table| table.benchmark == "autonumabench" && table.kind == Kind::Compare)
    {
        for cell in table.cells.iter().filter(|cell| cell.metric == "CPU") {
            let hundredths = |metric| -> u64 {
                table
                    .cell(metric, &cell.key, &cell.column)
                    .unwrap()
                    .printed
                    .replace('.', "")
                    .parse()
                    .unwrap()
            };
            let percent =
                cpu_percent(hundredths("User"), hundredths("System"), hundredths("Elapsed"))
                    .unwrap();
            let printed = cell.value as u64;
            assert!(
                percent == printed || percent == printed + 1,
                "{} {} {}: {percent} {printed}",
                table.id,
                cell.key,
                cell.column
            );
            if percent == printed { exact += 1 } else { one_below += 1 }
        }
    }
    assert_eq!((exact, one_below), (40, 12));
}

/// The throughput curve of a column.
fn curve(table: &SeedTable, column: &str) -> Vec<(u64, f64)> {
    let cells = table.cells.iter().filter(|cell| cell.metric == "TPut" && cell.column == column);
    cells.map(|cell| (cell.key.parse().unwrap(), cell.value)).collect()
}

#[test]
fn peaks_of_every_published_column() {
    let tables = SeedTables::load().unwrap();
    let mut checked = [0, 0];
    let mut scores = 0;
    for (at, table) in
        tables.all().iter().enumerate().filter(|(_, table)| table.kind == Kind::Peaks)
    {
        let results = &tables.all()[at - 1];
        let jvms = if table.config.starts_with("single") { 1 } else { 4 };
        let shifted = table.id.starts_with("T004");
        for column in &table.columns {
            let row = |metric| table.cell(metric, "", column).unwrap().value;
            let labels = if shifted { PeakLabels::Shifted } else { PeakLabels::Right };
            let peaks = specjbb_peaks(&curve(results, column), 48, jvms, labels).unwrap();
            let place = format!("{} {column}", table.id);
            assert_eq!(peaks.expected_warehouse as f64, row("Expctd Warehouse"), "{place}");
            assert_eq!(peaks.expected_peak, row("Expctd Peak Bops"), "{place}");
            assert_eq!(peaks.actual_warehouse as f64, row("Actual Warehouse"), "{place}");
            assert_eq!(peaks.actual_peak, row("Actual Peak Bops"), "{place}");
            checked[usize::from(shifted)] += 1;
            // 2012 did not read the score of one JVM and printed 0
            if shifted || jvms == 4 {
                assert!((peaks.score - row("SpecJBB Bops")).abs() <= 2.0, "{place}");
                assert!(
                    (row("SpecJBB Bops") / jvms as f64 - row("SpecJBB Bops/JVM")).abs() <= 1.0,
                    "{place}"
                );
                scores += 1;
            }
        }
    }
    assert_eq!((checked, scores), ([24, 14], 26));
}

#[test]
fn corrected_costs_count_what_the_printed_ones_miss() {
    assert_eq!(
        (autonuma_cost(0, 0, 1_000_000), autonuma_cost_with_copy(0, 0, 1_000_000)),
        (19, 1057)
    );
    let compaction =
        Compaction { free_scanned: 1_000_000, failed: 1_000_000, ..Compaction::default() };
    assert_eq!((compaction.cost(), compaction.cost_as_meant()), (0, 21));
    assert_eq!(
        autonuma_cost(u64::MAX, u64::MAX, u64::MAX),
        (u128::from(u64::MAX) * 5026 / 1_000_000).try_into().unwrap_or(u64::MAX)
    );
}

#[test]
fn undefined_ratios() {
    assert_eq!(
        (hint_local_percent(0, 0), hint_local_percent(u64::MAX, u64::MAX), cpu_percent(1, 1, 0)),
        (100, 100, None)
    );
    assert_eq!(specjbb_peaks(&[], 48, 4, PeakLabels::Right), None);
    assert_eq!(specjbb_peaks(&[(1, 1.0)], 48, 0, PeakLabels::Right), None);
    let peaks = specjbb_peaks(&[(1, 1.0)], 1, 1, PeakLabels::Right).unwrap();
    let rows = SpecjbbPeaks::rows(&[vec![peaks], vec![]]).unwrap();
    assert_eq!(
        (rows.len(), rows[0].metric.as_str(), rows[5].cells[1].is_none()),
        (6, "Expctd Warehouse", true)
    );
}
