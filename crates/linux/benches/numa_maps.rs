//! Speed of the `numa_maps` parser, in bytes of text a second.

use criterion::{Criterion, Throughput, criterion_group, criterion_main};
use homenode_linux::procfs::parse_numa_maps;

fn numa_maps(criterion: &mut Criterion) {
    let sample = include_str!("../tests/fixtures/linux-6.12-4node/proc/649/numa_maps");
    let text = sample.repeat(1 + (1 << 20) / sample.len());
    let mut group = criterion.benchmark_group("numa_maps");
    group.throughput(Throughput::Bytes(text.len() as u64));
    group.bench_function("every policy, 1 MiB", |bencher| bencher.iter(|| parse_numa_maps(&text)));
    group.finish();
}

criterion_group!(benches, numa_maps);
criterion_main!(benches);
