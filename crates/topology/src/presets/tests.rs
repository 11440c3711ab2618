use super::*;
use crate::{Bytes, CpuId, NodeId, SocketId};

#[test]
fn every_file_is_read_and_states_every_figure_with_its_source() {
    for file in FILES {
        let preset = parse(file, "preset").unwrap();
        let sources = preset.machine.performance.unwrap().sources;
        for key in PERFORMANCE_KEYS {
            let about_key: Vec<_> =
                sources.iter().filter(|line| line.starts_with(&format!("{key}: "))).collect();
            assert_eq!(about_key.len(), 1, "{} {key}", preset.name);
        }
    }
    assert_eq!(all().len(), FILES.len());
}

#[test]
fn presets_have_the_published_size() {
    let sizes: Vec<_> = all()
        .into_iter()
        .map(|preset| (preset.name, preset.machine.nodes.len(), preset.machine.cpus.len()))
        .collect();
    let expected = [
        ("r810", 4, 48),
        ("opteron-32", 4, 32),
        ("blade-24", 2, 24),
        ("i3-3240", 1, 4),
        ("i7-3770", 1, 8),
    ];
    assert_eq!(sizes, expected.map(|(name, nodes, cpus)| (name.to_owned(), nodes, cpus)));
    assert_eq!(find("r810").unwrap().memory(), Bytes::gib(64));
    assert_eq!(find("opteron-32").unwrap().memory(), Bytes::gib(64));
}

#[test]
fn r810_numbers_first_threads_before_second_threads_and_nodes_contiguously() {
    let machine = find("r810").unwrap();
    for cpu in &machine.cpus {
        let core = cpu.id.0 % 24;
        assert_eq!(cpu.core.0, core);
        assert_eq!(cpu.node, Some(NodeId(core as u16 / 6)));
        assert_eq!(cpu.socket, SocketId(core as u16 / 6));
    }
    assert_eq!(machine.node(NodeId(1)).unwrap().cpus.to_string(), "6-11,30-35");
    assert_eq!(machine.cpu(CpuId(6)).unwrap().llc.to_string(), "6-11,30-35");
}

#[test]
fn opteron_has_two_dies_in_each_package() {
    let machine = find("opteron-32").unwrap();
    let sockets = [0, 8, 16, 24].map(|cpu| machine.cpu(CpuId(cpu)).unwrap().socket);
    assert_eq!(sockets, [0, 0, 1, 1].map(SocketId));
    assert_eq!(machine.distances.get(NodeId(0), NodeId(1)), 16);
    assert_eq!(machine.distances.get(NodeId(0), NodeId(2)), 22);
}

#[test]
fn an_unknown_name_is_answered_with_the_nearest_one() {
    let message = find("r801").unwrap_err().to_string();
    assert!(message.contains("did you mean `r810`?"), "{message}");
    assert!(message.contains("blade-24"), "{message}");
    let message = find("zzzzzzzzzz").unwrap_err().to_string();
    assert!(!message.contains("did you mean"), "{message}");
}

#[test]
fn a_wrong_machine_file_is_named_with_the_place() {
    let message = parse("name = 3", "my.toml").unwrap_err().to_string();
    assert!(message.contains("my.toml") && message.contains("line 1"), "{message}");
    let text = "name='a'\nabout='b'\ntopology='nodes=2 cores=x'";
    let message = parse(text, "my.toml").unwrap_err().to_string();
    assert!(message.contains("my.toml") && message.contains("column 15"), "{message}");
}
