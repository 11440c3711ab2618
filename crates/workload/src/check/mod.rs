//! Whether a workload can run on a machine at all, asked before anything is run.

mod demand;
mod meeting;
pub(crate) mod step;

#[cfg(test)]
mod tests;

use homenode_topology::Machine;

use crate::{Error, Problem, Process, Workload};

impl Workload {
    /// Whether this workload can run on `machine`: its memory fits (bound memory into the nodes it is
    /// bound to), its steps stay inside their regions and name nodes that can serve them, and its
    /// threads come to an end.
    ///
    /// # Errors
    /// [`Error::Invalid`] with the first thing that is wrong and where it is.
    pub fn check(&self, machine: &Machine) -> Result<(), Error> {
        let at = |place: String, problem: Problem| Error::Invalid {
            workload: self.name.clone(),
            place,
            problem,
        };
        if machine.cpus.is_empty() {
            return Err(at(format!("machine `{}`", machine.name), Problem::NoCpus));
        }
        if machine.memory_nodes().is_empty() {
            return Err(at(format!("machine `{}`", machine.name), Problem::NoMemory));
        }
        if self.processes.is_empty() {
            return Err(at("workload".to_owned(), Problem::NoProcesses));
        }
        for this in &self.processes {
            process(this, machine).map_err(|(place, problem)| {
                at(format!("process `{}`, {place}", this.name), problem)
            })?;
        }
        demand::check(self, machine)
            .map_err(|problem| at(format!("machine `{}`", machine.name), problem))
    }
}

/// A problem and the part of a process that has it.
type Found = (String, Problem);

/// What can be said of a process without knowing the others.
pub(crate) fn process(process: &Process, machine: &Machine) -> Result<(), Found> {
    regions(process, machine)?;
    step::check(process, machine)?;
    meeting::check(process)
}

fn regions(process: &Process, machine: &Machine) -> Result<(), Found> {
    for region in &process.regions {
        let at = |problem| (format!("region `{}`", region.name), problem);
        if region.size.0 == 0 {
            return Err(at(Problem::EmptyRegion));
        }
        step::policy(&region.policy, machine).map_err(at)?;
    }
    Ok(())
}
