//! From what a file says to the workload for one machine.

use std::ops::Range;

use homenode_topology::{Bytes, Machine};
use toml::Spanned;

use super::Fault;
use super::notation::{Count, Member, Nodes, Place};
use super::schema::{self, File};
use crate::{
    Build, MemoryPolicy, Part, Places, Problem, Process, Region, Step, Thread, Workload, check,
};

const MOST_PROCESSES: u64 = 1024;
const MOST_THREADS: u64 = 1 << 16;
const MOST_STEPS: u64 = 1_000_000;
const LARGEST_REGION: Bytes = Bytes(1 << 50);

/// Builds the workload; `stem` is its name if the file gives none.
pub(super) fn workload(
    file: File,
    stem: &str,
    machine: &Machine,
    build: Build,
) -> Result<Workload, Fault> {
    let name = file.name.unwrap_or_else(|| stem.to_owned());
    let row = file.row.unwrap_or_else(|| name.to_uppercase().replace('-', "_"));
    let binds = matches!(build, Build::HardBind | Build::InverseBind);
    let says_where = |process: &Spanned<schema::Process>| {
        let process = process.as_ref();
        process.bind.is_some() || process.thread.iter().any(|group| group.bind.is_some())
    };
    if binds && !file.process.iter().any(says_where) {
        let message = "the bound builds need `bind` in a process or a thread group, \
                       for example bind = \"spread\"";
        return Err(Fault { at: 0..0, message: message.to_owned() });
    }
    let mut assembly =
        Assembly { machine, places: Places::of(machine), build, steps_left: MOST_STEPS };
    let mut processes = Vec::new();
    for process in &file.process {
        let text = process.as_ref();
        let of = assembly.count(text.count.as_ref(), MOST_PROCESSES)?;
        for i in 0..of {
            let name = if of == 1 { text.name.clone() } else { format!("{}-{}", text.name, i + 1) };
            let built = assembly.process(text, name, Member { i, of })?;
            check::process(&built, machine).map_err(|(place, problem)| Fault {
                at: process.span(),
                message: format!("process `{}`, {place}: {problem}", built.name),
            })?;
            processes.push(built);
        }
    }
    let workload = Workload { name, row, processes };
    workload.check(machine).map_err(|error| Fault { at: 0..0, message: error.to_string() })?;
    Ok(workload)
}

struct Assembly<'a> {
    machine: &'a Machine,
    places: Places,
    build: Build,
    /// How many steps may still be added.
    steps_left: u64,
}

/// The process and the team for which steps are assembled.
struct Context<'a> {
    text: &'a schema::Process,
    regions: &'a [Region],
    member: Member,
    /// Threads in each group of the process.
    groups: &'a [u32],
}

impl Assembly<'_> {
    fn process(
        &mut self,
        text: &schema::Process,
        name: String,
        member: Member,
    ) -> Result<Process, Fault> {
        let regions = self.regions(text, member)?;
        let groups = text
            .thread
            .iter()
            .map(|group| self.count(group.count.as_ref(), MOST_THREADS))
            .collect::<Result<Vec<u32>, Fault>>()?;
        let alone = Member { i: 0, of: 1 };
        let main = Context { text, regions: &regions, member: alone, groups: &groups };

        let mut steps = self.bind(text.bind.as_ref(), member)?;
        self.steps(&text.start, &main, &mut steps)?;
        for (group, &of) in text.thread.iter().zip(&groups) {
            for i in 0..of {
                let member = Member { i, of };
                let context = Context { member, ..main };
                let mut own = self.bind(group.bind.as_ref(), member)?;
                self.steps(&group.steps, &context, &mut own)?;
                self.count_step(group.count.as_ref().map_or(0..0, Spanned::span))?;
                steps.push(Step::Spawn(Box::new(Thread { steps: own })));
            }
        }
        steps.push(Step::Join);
        self.steps(&text.finish, &main, &mut steps)?;
        Ok(Process { name, regions, main: Thread { steps } })
    }

    fn regions(&self, text: &schema::Process, member: Member) -> Result<Vec<Region>, Fault> {
        let mut regions: Vec<Region> = Vec::new();
        for region in &text.region {
            let name = region.name.as_ref();
            if regions.iter().any(|other| other.name == *name) {
                let message = format!("there are two regions `{name}`, expected different names");
                return Err(Fault { at: region.name.span(), message });
            }
            let size = region.size.as_ref().0;
            if size == Bytes::ZERO || size > LARGEST_REGION {
                let message = format!("size is {size}, expected 1 B to {LARGEST_REGION}");
                return Err(Fault { at: region.size.span(), message });
            }
            let own = match &region.policy {
                None => MemoryPolicy::Default,
                Some(policy) => {
                    let own = self.policy(policy.as_ref(), member);
                    check::step::policy(&own, self.machine).map_err(at(policy.span()))?;
                    own
                }
            };
            let policy = match self.build {
                Build::Interleave => MemoryPolicy::Interleave(self.machine.memory_nodes()),
                _ => own,
            };
            regions.push(Region { name: name.clone(), size, policy });
        }
        Ok(regions)
    }

    /// What the bound builds put before the other steps.
    fn bind(&self, nodes: Option<&Spanned<Nodes>>, member: Member) -> Result<Vec<Step>, Fault> {
        let Some(nodes) = nodes.filter(|_| self.places.is_choice()) else { return Ok(Vec::new()) };
        let cpus = nodes.as_ref().resolve(&self.places, member, self.machine.cpu_nodes());
        let memory = nodes.as_ref().resolve(&self.places, member, self.machine.memory_nodes());
        let memory = match self.build {
            Build::AsWritten | Build::Interleave => return Ok(Vec::new()),
            Build::HardBind => memory,
            Build::InverseBind => self.places.mirror(&memory),
        };
        let steps = vec![Step::RunOn(cpus), Step::SetPolicy(MemoryPolicy::Bind(memory))];
        for step in &steps {
            check::step::alone(step, &[], self.machine).map_err(at(nodes.span()))?;
        }
        Ok(steps)
    }

    fn steps(
        &mut self,
        texts: &[Spanned<schema::Step>],
        context: &Context<'_>,
        steps: &mut Vec<Step>,
    ) -> Result<(), Fault> {
        for text in texts {
            let step = match text.as_ref() {
                schema::Step::Repeat(repeat) => {
                    if repeat.times == 0 || repeat.steps.is_empty() {
                        let message = "repeats nothing, expected times = 1 or more and steps";
                        return Err(Fault { at: text.span(), message: message.to_owned() });
                    }
                    for _ in 0..repeat.times {
                        self.steps(&repeat.steps, context, steps)?;
                    }
                    continue;
                }
                schema::Step::Sweep(sweep) => {
                    let (region, part) = context.stretch(&sweep.region, sweep.part)?;
                    Step::Sweep { region, part, passes: sweep.passes, access: sweep.access }
                }
                schema::Step::Random(random) => {
                    let (region, part) = context.stretch(&random.region, random.part)?;
                    let (lines, access) = (random.lines, random.access);
                    Step::Random { region, part, lines, access, compute: random.compute.0 }
                }
                schema::Step::Compute(time) => Step::Compute(time.0),
                schema::Step::Sleep(time) => Step::Sleep(time.0),
                schema::Step::SetPolicy(policy) => {
                    Step::SetPolicy(self.policy(policy, context.member))
                }
                schema::Step::RunOn(nodes) => {
                    let all = self.machine.cpu_nodes();
                    Step::RunOn(nodes.resolve(&self.places, context.member, all))
                }
                schema::Step::Barrier(barrier) => {
                    let parties = barrier.parties.unwrap_or_else(|| context.parties(barrier.id));
                    Step::Barrier { id: barrier.id, parties }
                }
            };
            self.count_step(text.span())?;
            check::step::alone(&step, context.regions, self.machine).map_err(at(text.span()))?;
            steps.push(step);
        }
        Ok(())
    }

    fn count_step(&mut self, at: Range<usize>) -> Result<(), Fault> {
        let message = || {
            format!(
                "the threads of the workload have more than {MOST_STEPS} steps together, \
                 expected fewer processes, threads or repeats"
            )
        };
        self.steps_left =
            self.steps_left.checked_sub(1).ok_or_else(|| Fault { at, message: message() })?;
        Ok(())
    }

    fn policy(&self, policy: &schema::Policy, member: Member) -> MemoryPolicy {
        let resolve =
            |nodes: &Nodes| nodes.resolve(&self.places, member, self.machine.memory_nodes());
        match policy {
            schema::Policy::Default => MemoryPolicy::Default,
            schema::Policy::Local => MemoryPolicy::Local,
            schema::Policy::Bind(nodes) => MemoryPolicy::Bind(resolve(nodes)),
            schema::Policy::Interleave(nodes) => MemoryPolicy::Interleave(resolve(nodes)),
            schema::Policy::Preferred(node) => MemoryPolicy::Preferred(*node),
            schema::Policy::MigrateOnFault(inner) => {
                MemoryPolicy::MigrateOnFault(Box::new(self.policy(inner, member)))
            }
        }
    }

    fn count(&self, count: Option<&Spanned<Count>>, most: u64) -> Result<u32, Fault> {
        let Some(count) = count else { return Ok(1) };
        let n = count.as_ref().on(self.machine);
        let fits = u32::try_from(n).ok().filter(|_| n <= most);
        let message = || format!("count is {n}, expected 1 to {most}");
        fits.ok_or_else(|| Fault { at: count.span(), message: message() })
    }
}

fn at(at: Range<usize>) -> impl FnOnce(Problem) -> Fault {
    move |problem| Fault { at, message: problem.to_string() }
}

impl Context<'_> {
    /// The region of this name, and the part of it that is meant for the member.
    fn stretch(&self, name: &Spanned<String>, place: Place) -> Result<(usize, Part), Fault> {
        let known = self.regions.iter().position(|region| region.name == *name.as_ref());
        let Some(region) = known else {
            let names: Vec<&str> = self.regions.iter().map(|region| &*region.name).collect();
            let (given, names) = (name.as_ref(), names.join(", "));
            let message = format!("there is no region `{given}`, expected one of: {names}");
            return Err(Fault { at: name.span(), message });
        };
        Ok((region, place.resolve(self.regions[region].size, self.member)))
    }

    /// Threads of the process that come to a barrier: how many meet there if the file does not say.
    fn parties(&self, id: u32) -> u32 {
        fn names(steps: &[Spanned<schema::Step>], id: u32) -> bool {
            steps.iter().any(|step| match step.as_ref() {
                schema::Step::Barrier(barrier) => barrier.id == id,
                schema::Step::Repeat(repeat) => names(&repeat.steps, id),
                _ => false,
            })
        }
        let groups = self.text.thread.iter().zip(self.groups);
        let meeting = groups.filter(|(group, _)| names(&group.steps, id)).map(|(_, &n)| n);
        meeting.fold(0, u32::saturating_add)
    }
}
