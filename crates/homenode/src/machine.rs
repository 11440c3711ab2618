//! The machine of a simulation: found, calibrated, and with performance figures.

use homenode_sim::Calibration;
use homenode_topology::{Machine, Performance, source};

use crate::args::MachineArgs;
use crate::{Error, output};

/// The machine that was asked for, if one was. Warns of what is odd about its description and of assumed
/// performance.
///
/// # Errors
/// [`Error::Topology`].
pub fn asked(args: &MachineArgs, calibration: &Calibration) -> Result<Option<Machine>, Error> {
    let machine = match (&args.from, &args.machine) {
        (Some(path), _) => {
            let read = source::path(path)?;
            read.warnings.iter().for_each(output::warn);
            read.machine
        }
        (None, Some(name)) => source::named(name)?,
        (None, None) => return Ok(None),
    };
    Ok(Some(ready(machine, calibration)))
}

/// The preset of this name.
///
/// # Errors
/// [`Error::Topology`].
pub fn preset(name: &str, calibration: &Calibration) -> Result<Machine, Error> {
    Ok(ready(source::named(name)?, calibration))
}

fn ready(mut machine: Machine, calibration: &Calibration) -> Machine {
    if machine.performance.is_none() {
        output::warn(format!(
            "the speed of machine `{}` is unknown, so round numbers are assumed: results show directions, not sizes",
            machine.name
        ));
        machine.performance = Some(Performance::generic());
    }
    calibration.apply(&mut machine);
    machine
}
