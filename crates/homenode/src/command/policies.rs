//! `homenode policies`: the balancing policies.

use homenode_balance::tree;

use super::list::{Entry, print};
use crate::args::ListArgs;
use crate::{Error, Exit};

pub(super) fn run(args: &ListArgs) -> Result<Exit, Error> {
    let entry =
        |tree: &tree::TreeInfo| Entry { name: tree.name.to_owned(), about: tree.about.to_owned() };
    let entries: Vec<Entry> = tree::all().iter().map(entry).collect();
    print("policies", &entries, args.format)
}
