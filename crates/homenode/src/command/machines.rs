//! `homenode machines`: the machines that come with the program.

use homenode_topology::presets;

use super::list::{Entry, print};
use crate::args::ListArgs;
use crate::{Error, Exit};

pub(super) fn run(args: &ListArgs) -> Result<Exit, Error> {
    let entry = |preset: presets::Preset| Entry { name: preset.name, about: preset.about };
    let entries: Vec<Entry> = presets::all().into_iter().map(entry).collect();
    print("machines", &entries, args.format)
}
