//! A linear program whose goal is the least time, in units that keep its numbers near one.

use microlp::{ComparisonOp, OptimizationDirection, Problem, Solution, Variable};

/// A program under construction. Every limit has the form `use <= rate x time + constant`.
pub(crate) struct Linear {
    problem: Problem,
    time: Variable,
}

/// A sum of variables with coefficients.
pub(crate) type Sum = Vec<(Variable, f64)>;

impl Linear {
    /// A program without limits: the time is zero.
    pub(crate) fn new() -> Self {
        let mut problem = Problem::new(OptimizationDirection::Minimize);
        let time = problem.add_var(1.0, (0.0, f64::INFINITY));
        Self { problem, time }
    }

    /// A quantity of zero or more; `cost` is added to the goal for each unit of it.
    pub(crate) fn quantity(&mut self, cost: f64) -> Variable {
        self.problem.add_var(cost, (0.0, f64::INFINITY))
    }

    /// `sum = value`.
    pub(crate) fn fix(&mut self, sum: &Sum, value: f64) {
        self.problem.add_constraint(sum, ComparisonOp::Eq, value);
    }

    /// `sum <= value`.
    pub(crate) fn cap(&mut self, sum: &Sum, value: f64) {
        self.problem.add_constraint(sum, ComparisonOp::Le, value);
    }

    /// `sum + constant <= rate x time`.
    pub(crate) fn limit(&mut self, mut sum: Sum, constant: f64, rate: f64) {
        if sum.is_empty() && constant <= 0.0 {
            return;
        }
        sum.push((self.time, -rate));
        self.problem.add_constraint(&sum, ComparisonOp::Le, -constant);
    }

    /// Solves it.
    pub(crate) fn solve(&self) -> Result<Answer, microlp::Error> {
        let outcome = self.problem.solve()?;
        let stopped = |_| microlp::Error::InternalError("stopped without an answer".to_owned());
        let solution = outcome.into_solution().map_err(stopped)?;
        Ok(Answer { time: solution[self.time], goal: solution.objective(), solution })
    }
}

/// The optimum of a program.
pub(crate) struct Answer {
    /// Least time.
    pub(crate) time: f64,
    /// Least goal: the time and the costs of all quantities.
    pub(crate) goal: f64,
    solution: Solution,
}

impl Answer {
    /// Value of a variable.
    pub(crate) fn value(&self, of: Variable) -> f64 {
        self.solution[of].max(0.0)
    }
}
