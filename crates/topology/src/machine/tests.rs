use proptest::prelude::*;

use super::*;
use crate::arbitrary::machine_with_stray_cpus;
use crate::spec;

/// The shape that the documentation of [`Machine`] states.
#[test]
fn json_has_the_documented_shape() {
    let mut machine = spec::parse("nodes=1").unwrap();
    machine.performance = None;
    let documented = serde_json::json!({
        "name": "nodes=1",
        "nodes": [{"id": 0, "cpus": "0", "memory": 17_179_869_184_u64, "llc": 16_777_216}],
        "cpus": [{"id": 0, "node": 0, "core": 0, "socket": 0, "llc": "0"}],
        "offline": "",
        "distances": {"rows": {"0": {"0": 10}}},
        "performance": null
    });
    assert_eq!(serde_json::to_value(&machine).unwrap(), documented);
}

#[test]
fn nodes_are_found_by_id_and_not_by_position() {
    let machine = spec::parse("nodes=1,7 memory@7=1GiB").unwrap();
    assert_eq!(machine.node(NodeId(7)).unwrap().memory, Bytes::gib(1));
    assert!(machine.node(NodeId(0)).is_none());
    assert_eq!(machine.cpu(CpuId(1)).unwrap().node, Some(NodeId(7)));
    assert!(machine.cpu(CpuId(2)).is_none());
}

proptest! {
    #[test]
    fn json_reads_back(machine in machine_with_stray_cpus()) {
        let json = serde_json::to_string(&machine).unwrap();
        prop_assert_eq!(serde_json::from_str::<Machine>(&json).unwrap(), machine);
    }
}
