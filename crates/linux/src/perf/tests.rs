//! Captured rings and damaged ones.

use proptest::prelude::*;

use super::*;
use crate::{Bytes, CpuId, Nanos, Pid, Tid};

fn captured(kernel: &str, name: &str) -> Vec<u8> {
    let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/tests/fixtures/linux-");
    std::fs::read(format!("{folder}{kernel}-4node/perf/{name}")).unwrap()
}

fn samples(bytes: &[u8]) -> Vec<RawSample> {
    decode(bytes, Layout::default())
        .filter_map(|record| match record {
            Record::Sample(sample) => Some(sample),
            _ => None,
        })
        .collect()
}

#[test]
fn captured_faults_name_thread_cpu_and_address() {
    let bytes = captured("6.12", "softdirty-faults.IP-TID-TIME-ADDR-CPU.bin");
    let samples = samples(&bytes);
    assert!(samples.len() > 80);
    let second = &samples[1];
    assert_eq!(second.ip, 0x4018a6);
    assert!(samples[1..].iter().all(|s| s.pid == second.pid && s.cpu.0 < 8));
    // Each thread walks its slice upwards, page by page.
    assert_eq!(samples[2].address, second.address + 4096);
    assert!(samples.windows(2).all(|pair| pair[0].at <= pair[1].at || pair[0].tid != pair[1].tid));
}

#[test]
fn both_kernels_hinting_faults_decode_to_the_end() {
    for kernel in ["6.1", "6.12"] {
        let bytes = captured(kernel, "hint-faults.IP-TID-TIME-ADDR-CPU.bin");
        let records: Vec<_> = decode(&bytes, Layout::default()).collect();
        assert!(records.len() > 80);
        assert!(!records.contains(&Record::Damaged));
    }
}

#[test]
fn registers_are_found_by_number() {
    let registers = Registers { mask: 0b1_0110, values: vec![10, 20, 30] };
    assert_eq!(
        [0, 1, 2, 3, 4].map(|n| registers.get(n)),
        [None, Some(10), Some(20), None, Some(30)]
    );
    assert_eq!(registers.get(64), None);
}

#[test]
fn lost_records_are_told() {
    let mut bytes = Vec::new();
    bytes.extend(2u32.to_ne_bytes());
    bytes.extend(0u16.to_ne_bytes());
    bytes.extend(24u16.to_ne_bytes());
    bytes.extend(1u64.to_ne_bytes());
    bytes.extend(77u64.to_ne_bytes());
    assert_eq!(decode(&bytes, Layout::default()).collect::<Vec<_>>(), [Record::Lost(77)]);
    bytes.truncate(20);
    assert_eq!(decode(&bytes, Layout::default()).collect::<Vec<_>>(), [Record::Damaged]);
}

proptest! {
    #[test]
    fn what_is_encoded_is_decoded(
        ip: u64, address: u64, at: u64, cpu in 0u32..4096, tid in 1..i32::MAX,
        mask in 0u64..1 << 24, page_size in prop::option::of(1u64..1 << 30),
    ) {
        let layout = Layout { page_size: true, registers: mask };
        let values = (0..u64::from(mask.count_ones())).map(|n| n ^ address).collect();
        let registers = (mask != 0).then_some(Registers { mask, values });
        let sample = RawSample {
            ip, pid: Pid(tid), tid: Tid(tid), at: Nanos(at), address, cpu: CpuId(cpu), registers,
            page_size: page_size.map(Bytes),
        };
        let mut bytes = Vec::new();
        encode_sample(&sample, layout, &mut bytes);
        encode_sample(&sample, layout, &mut bytes);
        let records: Vec<_> = decode(&bytes, layout).collect();
        prop_assert_eq!(records, vec![Record::Sample(sample.clone()), Record::Sample(sample)]);
    }

    #[test]
    fn damaged_rings_end_without_panic(mut bytes in prop::collection::vec(any::<u8>(), 0..400), cut: bool) {
        if cut {
            bytes = captured("6.12", "softdirty-faults.IP-TID-TIME-ADDR-CPU.bin")[..bytes.len()].to_vec();
        }
        let records = decode(&bytes, Layout { page_size: true, registers: 0xff0fff }).count();
        prop_assert!(records <= bytes.len());
    }
}
