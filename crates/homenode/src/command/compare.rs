//! `homenode compare`: policies on simulated machines, beside the numbers published for them.

use homenode_report::published::{PublishedCell, published_cells};
use homenode_report::{Comparison, Report};
use homenode_sim::Calibration;

use crate::args::{CompareArgs, CompareFormat};
use crate::experiment::{self, Cell, Outcome, Results};
use crate::interrupt::Interrupt;
use crate::plan::{self, Context, Plan};
use crate::straw_man::Arithmetic;
use crate::{Error, Exit, assemble, output, progress, roles};

pub(super) fn run(args: &CompareArgs) -> Result<Exit, Error> {
    let context = Context::load()?;
    let (plans, notes) = plan::plans(args, &context)?;
    let grids = plans.iter().map(experiment::cells).collect::<Result<Vec<_>, _>>()?;
    notes.iter().for_each(output::note);

    let sizes: Vec<usize> = grids.iter().map(Vec::len).collect();
    let cells: Vec<Cell<'_>> = grids.into_iter().flatten().collect();
    let interrupt = Interrupt::handled()?;
    let threads = args.threads.map_or(0, usize::from);
    let outcomes = progress::with(cells.len(), |step| {
        experiment::run(&cells, &context.calibration, threads, &interrupt, step)
    })?;

    let report = report(&plans, &sizes, &outcomes, &context)?;
    let text = match args.format {
        CompareFormat::Table => report.text(),
        CompareFormat::Json => report.json()?,
        CompareFormat::Csv => report.csv()?,
        CompareFormat::Html => report.html()?,
    };
    output::write(&text, args.output.as_deref())?;
    Ok(ending(&cells, &outcomes))
}

/// The report on everything that is finished. Outcomes come plan by plan, `sizes` says how many each.
fn report(
    plans: &[Plan],
    sizes: &[usize],
    outcomes: &[Outcome],
    context: &Context,
) -> Result<Report, Error> {
    let roles = roles::rules(&context.calibration, &context.catalog, &context.tables);
    let mut comparisons: Vec<Comparison> = Vec::new();
    let mut published: Vec<Vec<PublishedCell>> = Vec::new();
    let mut rest = outcomes;
    for (plan, size) in plans.iter().zip(sizes) {
        let (own, others) = rest.split_at(*size);
        rest = others;
        let comparison = assemble::comparison(plan, Results::new(plan, own), context)?;
        published.push(published_cells(&comparison, &context.tables, &roles)?);
        comparisons.push(comparison);
    }
    let beside: Vec<(&Plan, &[PublishedCell])> =
        plans.iter().zip(published.iter().map(Vec::as_slice)).collect();
    let arithmetic = Arithmetic::load()?.predict(&beside)?;
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
