//! The plugin's arguments, and the machine they describe.

use std::path::PathBuf;

/// What the plugin was asked to do.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Options {
    /// File that gets the lines.
    pub(crate) out: PathBuf,
    /// First guest-virtual address of the window; a multiple of the page size.
    pub(crate) base: u64,
    /// Bytes of the window.
    pub(crate) len: u64,
    /// Nanoseconds that a remote access spins.
    pub(crate) delay_ns: u64,
    /// The nodes, in the machine's order.
    pub(crate) nodes: Vec<Node>,
}

/// A node of the guest.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Node {
    /// Its memory.
    pub(crate) bytes: u64,
    /// First and last of its virtual CPUs; `None` for a node without CPUs.
    pub(crate) cpus: Option<(usize, usize)>,
}

impl Options {
    /// Reads `key=value` arguments.
    ///
    /// # Errors
    /// Names the argument that is unknown, malformed or missing.
    pub(crate) fn parse<'a>(arguments: impl IntoIterator<Item = &'a str>) -> Result<Self, String> {
        let mut out = None;
        let mut base = 0x1000_0000_0000;
        let mut len = 1 << 30;
        let mut delay_ns = 0;
        let mut nodes = Vec::new();
        for argument in arguments {
            let wrong = || format!("argument `{argument}` not understood");
            let (key, value) = argument.split_once('=').ok_or_else(wrong)?;
            match key {
                "out" => out = Some(PathBuf::from(value)),
                "base" => base = u64::from_str_radix(value, 16).map_err(|_| wrong())?,
                "len" => len = u64::from_str_radix(value, 16).map_err(|_| wrong())?,
                "delay_ns" => delay_ns = value.parse().map_err(|_| wrong())?,
                "node" => nodes.push(node(value).ok_or_else(wrong)?),
                _ => return Err(wrong()),
            }
        }
        let out = out.ok_or("argument out=FILE missing")?;
        if nodes.is_empty() {
            return Err("no node=MIB:CPUS given".to_owned());
        }
        Ok(Self { out, base, len, delay_ns, nodes })
    }
}

/// `512:0-1`, `512:3`, `256:` or `0:8-9`.
fn node(text: &str) -> Option<Node> {
    let (mib, cpus) = text.split_once(':')?;
    let bytes = mib.parse::<u64>().ok()?.checked_mul(1 << 20)?;
    let cpus = match cpus.split_once('-').unwrap_or((cpus, cpus)) {
        ("", "") => None,
        (first, last) => Some((first.parse().ok()?, last.parse().ok()?)),
    };
    Some(Node { bytes, cpus })
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_machine_with_every_kind_of_node() {
        let options = Options::parse([
            "out=/tmp/x",
            "base=1000",
            "len=2000",
            "delay_ns=300",
            "node=512:0-1",
            "node=0:2",
            "node=256:",
        ])
        .unwrap();
        let node = |mib: u64, cpus| Node { bytes: mib << 20, cpus };
        assert_eq!(
            options,
            Options {
                out: "/tmp/x".into(),
                base: 0x1000,
                len: 0x2000,
                delay_ns: 300,
                nodes: vec![node(512, Some((0, 1))), node(0, Some((2, 2))), node(256, None)],
            }
        );
    }

    #[test]
    fn what_is_wrong_is_named() {
        for (arguments, culprit) in [
            (&["out=f", "node=1:0", "depth=1"][..], "depth=1"),
            (&["out=f", "node=x:0"], "node=x:0"),
            (&["out=f", "node=1"], "node=1"),
            (&["node=1:0"], "out=FILE"),
            (&["out=f"], "node=MIB:CPUS"),
        ] {
            assert!(Options::parse(arguments.iter().copied()).unwrap_err().contains(culprit));
        }
    }
}
