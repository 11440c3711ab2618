//! Trees by the names users write.

use alloc::boxed::Box;
use alloc::string::{String, ToString};
use core::fmt;
use homenode_topology::Machine;

use super::{Balancenuma, Features, hard_bind, interleave, inverse_bind, mainline};
use crate::{Policy, nearest};

/// A tree that can be built.
#[derive(Clone, Copy, Debug)]
pub struct TreeInfo {
    /// As users write it: `tree`, or `tree:stage`.
    pub name: &'static str,
    /// What it is, in one line.
    pub about: &'static str,
    build: fn(&'static str, &Machine) -> Box<dyn Policy>,
}

const TREES: &[TreeInfo] = &[
    TreeInfo {
        name: "mainline",
        about: "no balancing: memory stays where it was first touched (Linux 3.6)",
        build: |_, _| Box::new(mainline::build()),
    },
    TreeInfo {
        name: "interleave",
        about: "no balancing: memory dealt out over all nodes page by page, CPUs free",
        build: |_, _| Box::new(interleave::build()),
    },
    TreeInfo {
        name: "hard-bind",
        about: "no balancing: programs bound by hand to the nodes their author thought right",
        build: |_, _| Box::new(hard_bind::build()),
    },
    TreeInfo {
        name: "inverse-bind",
        about: "no balancing: programs bound to the wrong nodes on purpose",
        build: |_, _| Box::new(inverse_bind::build()),
    },
    TreeInfo {
        name: "balancenuma:stats",
        about: "balancenuma V5 patches 1-10: counters only, no balancing",
        build: |name, machine| Box::new(Balancenuma::new(name, Features::STATS, machine)),
    },
    TreeInfo {
        name: "balancenuma:thpmigrate",
        about: "balancenuma V5 patches 1-37: memory follows tasks, huge pages move whole",
        build: |name, machine| Box::new(Balancenuma::new(name, Features::THPMIGRATE, machine)),
    },
    TreeInfo {
        name: "balancenuma:adaptscan",
        about: "balancenuma V5 patches 1-38: scans slow down where faults do not migrate",
        build: |name, machine| Box::new(Balancenuma::new(name, Features::ADAPTSCAN, machine)),
    },
    TreeInfo {
        name: "balancenuma:delaystart",
        about: "balancenuma V5, all 40 patches: no scans before a second node is used",
        build: |name, machine| Box::new(Balancenuma::new(name, Features::DELAYSTART, machine)),
    },
];

/// All trees, those of a family together and its stages in the order of their patches.
#[must_use]
pub const fn all() -> &'static [TreeInfo] {
    TREES
}

/// Builds the tree of this name for a machine. The bare name of a family means its last stage:
/// `balancenuma` is `balancenuma:delaystart`.
///
/// # Errors
/// [`UnknownTree`], with the name that was probably meant.
pub fn build(name: &str, machine: &Machine) -> Result<Box<dyn Policy>, UnknownTree> {
    let is_stage =
        |tree: &&TreeInfo| tree.name.split_once(':').is_some_and(|(family, _)| family == name);
    TREES
        .iter()
        .find(|tree| tree.name == name)
        .or_else(|| TREES.iter().rfind(is_stage))
        .map(|tree| (tree.build)(tree.name, machine))
        .ok_or_else(|| UnknownTree {
            name: name.to_string(),
            nearest: nearest(name, all_and_families()),
        })
}

fn all_and_families() -> impl Iterator<Item = &'static str> {
    let families =
        TREES.iter().filter_map(|tree| tree.name.split_once(':')).map(|(family, _)| family);
    TREES.iter().map(|tree| tree.name).chain(families)
}

/// There is no tree of this name.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct UnknownTree {
    /// What was asked for.
    pub name: String,
    /// What was probably meant.
    pub nearest: Option<&'static str>,
}

impl UnknownTree {
    /// The names there are.
    pub fn known(&self) -> impl Iterator<Item = &'static str> {
        TREES.iter().map(|tree| tree.name)
    }
}

impl fmt::Display for UnknownTree {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "there is no policy `{}`", self.name)?;
        match self.nearest {
            Some(nearest) => write!(f, "; did you mean `{nearest}`?")?,
            None => f.write_str(".")?,
        }
        f.write_str(" Known are")?;
        for (i, name) in self.known().enumerate() {
            write!(f, "{} `{name}`", if i == 0 { "" } else { "," })?;
        }
        Ok(())
    }
}

impl core::error::Error for UnknownTree {}

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::fake_view::machine;
    use crate::{HostRules, Launch};

    fn rules(name: &str) -> HostRules {
        build(name, &machine(&[0, 1])).unwrap().rules().clone()
    }

    #[test]
    fn every_listed_name_builds_the_tree_of_that_name() {
        let machine = machine(&[0, 4]);
        for tree in all() {
            assert_eq!(build(tree.name, &machine).unwrap().name(), tree.name);
            assert!(!tree.about.is_empty() && !tree.about.ends_with('.'), "{}", tree.about);
        }
        assert_eq!(all().iter().map(|tree| tree.name).collect::<BTreeSet<_>>().len(), all().len());
    }

    #[test]
    fn a_family_without_a_stage_means_the_last_one() {
        let policy = build("balancenuma", &machine(&[0])).unwrap();
        assert_eq!(policy.name(), "balancenuma:delaystart");
    }

    /// Benchmarks 2.4: the trees that bind differ from mainline in how programs are started only.
    #[test]
    fn trees_without_balancing_differ_in_launch_only() {
        for (name, launch) in [
            ("mainline", Launch::AsWritten),
            ("interleave", Launch::Interleave),
            ("hard-bind", Launch::HardBind),
            ("inverse-bind", Launch::InverseBind),
        ] {
            assert_eq!(rules(name), HostRules { launch, ..HostRules::default() });
        }
    }

    #[test]
    fn an_unknown_name_is_answered_with_a_suggestion_and_the_list() {
        let refused = |name| build(name, &machine(&[0])).err().map(|error| error.to_string());
        assert_eq!(
            refused("balancenuma:delaystrat").unwrap(),
            "there is no policy `balancenuma:delaystrat`; did you mean `balancenuma:delaystart`? \
             Known are `mainline`, `interleave`, `hard-bind`, `inverse-bind`, `balancenuma:stats`, \
             `balancenuma:thpmigrate`, `balancenuma:adaptscan`, `balancenuma:delaystart`"
        );
        assert!(refused("balancenum").unwrap().contains("did you mean `balancenuma`?"));
        let far = refused("windows").unwrap();
        assert!(far.starts_with("there is no policy `windows`. Known are `mainline`"), "{far}");
        assert!(refused("").is_some());
        assert!(refused("balancenuma:").is_some());
    }
}
