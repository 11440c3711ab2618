//! `homenode workloads`: the workloads that come with the program.

use homenode_workload::preset;

use super::list::{Entry, print};
use crate::args::ListArgs;
use crate::{Error, Exit};

pub(super) fn run(args: &ListArgs) -> Result<Exit, Error> {
    let group = Entry {
        name: preset::AUTONUMABENCH.to_owned(),
        about: format!("all {} below", preset::all().len()),
    };
    let entry = |preset: &preset::PresetInfo| Entry {
        name: preset.name.to_owned(),
        about: preset.about.to_owned(),
    };
    let entries: Vec<Entry> =
        std::iter::once(group).chain(preset::all().iter().map(entry)).collect();
    print("workloads", &entries, args.format)
}
