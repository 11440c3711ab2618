use crate::sample::report;

#[test]
fn every_cell_has_a_line() {
    let report = report(3, 1.0);
    let text = report.csv().unwrap();
    let mut reader = csv::Reader::from_reader(text.as_bytes());
    let header = reader.headers().unwrap().clone();
    let records: Vec<csv::StringRecord> = reader.records().map(Result::unwrap).collect();
    let field = |record: &csv::StringRecord, name: &str| {
        record.get(header.iter().position(|field| field == name).unwrap()).unwrap().to_owned()
    };
    let count = |kind: &str| records.iter().filter(|record| field(record, "kind") == kind).count();
    // 16 rows, 3 durations, 41 vmstat rows and 2 corrected costs, each in 3 columns; 1 workload
    assert_eq!((count("result"), count("duration"), count("vmstat")), (48, 9, 129));
    assert_eq!(
        (count("published"), count("regret_bound"), count("regret_static")),
        (report.published.len(), 3, 2)
    );
    let cell = |record: &&csv::StringRecord| {
        field(record, "key") == "NUMA02"
            && field(record, "metric") == "Elapsed"
            && field(record, "column") == "balancenuma:thpmigrate"
    };
    let line = records.iter().find(cell).unwrap();
    assert!((field(line, "change_pct").parse::<f64>().unwrap() - 72.29).abs() < 0.005);
}
