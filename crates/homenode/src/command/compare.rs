//! `homenode compare`: policies on simulated machines, beside the numbers published for them.

use homenode_report::published::{PublishedCell, published_cells};
use homenode_report::{Comparison, Report};
use homenode_sim::Calibration;
use rayon::ThreadPoolBuilder;

use crate::args::{CompareArgs, CompareFormat};
use crate::experiment::{self, Cell, Outcome, Results};
use crate::interrupt::Interrupt;
use crate::plan::{self, Context, Plan};
use crate::regret::{self, Optimum, Task};
use crate::straw_man::Arithmetic;
use crate::{Error, Exit, assemble, output, progress, roles};

pub(super) fn run(args: &CompareArgs) -> Result<Exit, Error> {
    let interrupt = Interrupt::handled()?;
    let context = Context::load()?;
    let (plans, notes) = plan::plans(args, &context)?;
    let grids = plans.iter().map(experiment::cells).collect::<Result<Vec<_>, _>>()?;
    notes.iter().for_each(output::note);

    let targets = if args.no_regret {
        Vec::new()
    } else {
        plans.iter().map(regret::tasks).collect::<Result<Vec<_>, _>>()?
    };
    let sizes: Vec<Size> = grids
        .iter()
        .enumerate()
        .map(|(at, cells)| Size { cells: cells.len(), tasks: targets.get(at).map_or(0, Vec::len) })
        .collect();
    let cells: Vec<Cell<'_>> = grids.into_iter().flatten().collect();
    let targets: Vec<Task<'_>> = targets.into_iter().flatten().collect();
    let pool = ThreadPoolBuilder::new().num_threads(args.threads.map_or(0, usize::from)).build()?;
    let (outcomes, optima) = progress::with(cells.len() + targets.len(), |step| {
        pool.install(|| {
            let outcomes = experiment::run(&cells, &context.calibration, &interrupt, step);
            (outcomes, regret::optima(&targets, &context.calibration, &interrupt, step))
        })
    });

    let report = report(&plans, &sizes, &outcomes, &optima, &context)?;
    let text = match args.format {
        CompareFormat::Table => report.text(),
        CompareFormat::Json => report.json()?,
        CompareFormat::Csv => report.csv()?,
        CompareFormat::Html => report.html()?,
    };
    output::write(&text, args.output.as_deref())?;
    optima.iter().flat_map(|optimum| &optimum.problems).for_each(output::warn);
    Ok(ending(&cells, &outcomes))
}

/// How many cells and optima belong to a plan.
#[derive(Clone, Copy)]
struct Size {
    cells: usize,
    tasks: usize,
}

/// The report on everything that is finished. Outcomes and optima come plan by plan.
fn report(
    plans: &[Plan],
    sizes: &[Size],
    mut outcomes: &[Outcome],
    mut optima: &[Optimum],
    context: &Context,
) -> Result<Report, Error> {
    let roles = roles::rules(&context.calibration, &context.catalog, &context.tables);
    let mut comparisons: Vec<Comparison> = Vec::new();
    let mut published: Vec<Vec<PublishedCell>> = Vec::new();
    for (plan, size) in plans.iter().zip(sizes) {
        let (own, known);
        (own, outcomes) = outcomes.split_at(size.cells);
        (known, optima) = optima.split_at(size.tasks);
        let comparison = assemble::comparison(plan, Results::new(plan, own), known, context)?;
        published.push(published_cells(&comparison, &context.tables, &roles)?);
        comparisons.push(comparison);
    }
    let beside: Vec<(&Plan, &[PublishedCell])> =
        plans.iter().zip(published.iter().map(Vec::as_slice)).collect();
    let arithmetic = Arithmetic::load(&context.calibration)?.predict(&beside)?;
    let hash = Calibration::hash();
    Ok(Report::new(comparisons, &context.tables, &roles, &[arithmetic], &hash)?)
}

/// Says what is missing, and what that makes of the exit code.
fn ending(cells: &[Cell<'_>], outcomes: &[Outcome]) -> Exit {
    let mut exit = Exit::Done;
    for (cell, outcome) in cells.iter().zip(outcomes) {
        if let Outcome::Failed(error) = outcome {
            output::warn(format!("{}: {error}", cell.title()));
            exit = Exit::Partial;
        }
    }
    let skipped = outcomes.iter().filter(|outcome| matches!(outcome, Outcome::Skipped)).count();
    if skipped > 0 {
        output::note(format!(
            "interrupted: {skipped} of {} runs are missing from what was printed",
            outcomes.len()
        ));
        exit = Exit::Interrupted;
    }
    exit
}
