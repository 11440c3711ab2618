//! The `homenode` command.

use std::process::ExitCode;

fn main() -> ExitCode {
    homenode::main(std::env::args_os()).into()
}
