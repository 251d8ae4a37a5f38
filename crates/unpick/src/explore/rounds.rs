//! Workers that share the rounds of a technique which goes in rounds.

use super::{Driver, Pace, Sum, Told};
use std::sync::{Mutex, PoisonError};
use unpick_engine::{Control, Exploration, Findings, Round, StopReason, Strategy, explore_range};

/// Parts of a round for each worker, so that none has to wait long for the last one.
const PARTS_EACH: usize = 4;

/// What a part of a round has come to.
type Part = (Exploration, Option<Findings>);

impl Driver<'_> {
    /// Explores round by round. What several workers find is what one would: the executions of a round are
    /// known when it begins, and what its parts have found is put together in their order.
    pub(super) fn explore_rounds(&self, strategy: &mut dyn Strategy) -> Exploration {
        let mut found = Exploration::default();
        let sum = Sum::default();
        loop {
            let left = self.config.executions_max - found.executions;
            let rounds = strategy.round(PARTS_EACH * self.config.jobs);
            let executions: u64 = rounds.iter().map(|round| round.executions).sum();
            if rounds.is_empty() {
                found.complete = true;
                found.stopped_because = StopReason::Exhausted;
            }
            // What was done only to see whether a budget suffices does not count.
            if left > 0 {
                found.add_planning(strategy.take_planning());
            }
            if rounds.is_empty() || left == 0 {
                break;
            }
            for (mut part, findings) in self.run_rounds(rounds, left, &sum) {
                part.count_from(found.executions);
                let reason = part.stopped_because;
                found.append(part);
                found.complete = false;
                if let Some(findings) = findings {
                    strategy.receive(findings);
                }
                if reason != StopReason::Exhausted {
                    return found;
                }
            }
            found.stopped_because = StopReason::Executions;
            if executions > left {
                break;
            }
        }
        found.warn(strategy.warnings());
        found.provided.merge(strategy.provisos());
        found
    }

    /// Runs the parts of a round, in order; the last one of those that are answered may have ended early.
    fn run_rounds(&self, rounds: Vec<Round>, left: u64, sum: &Sum) -> Vec<Part> {
        let mut first = 0;
        let mut open = Vec::new();
        for round in rounds {
            let budget = left.saturating_sub(first).min(round.executions);
            first += round.executions;
            if budget > 0 {
                open.push((budget == round.executions, budget, round.strategy));
            }
        }
        let count = open.len();
        let open = Mutex::new((open.into_iter().enumerate(), usize::MAX));
        let parts = Mutex::new((0..count).map(|_| None).collect::<Vec<Option<Part>>>());
        let take = || {
            let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
            let stopped = open.1;
            open.0.next().filter(|(number, _)| *number < stopped)
        };
        let work = || {
            let mut runtime = self.runtime();
            let mut pace = Pace::new();
            while let Some((number, (is_whole, budget, mut strategy))) = take() {
                let mut told = Told::default();
                // One more, so that a part that is run whole is seen to be exhausted.
                let range = 0..budget + u64::from(is_whole);
                let mut look = |found: &Exploration| match pace.is_time_to_look(found) {
                    true => sum.look(found, &mut told, &|sum| self.look_now(sum)),
                    false => Control::Continue,
                };
                let limits = self.limits();
                let (part, _) =
                    explore_range(&mut *runtime, &mut *strategy, range, &limits, &mut look);
                sum.end_part(&part, &mut told);
                if part.stopped_because != StopReason::Exhausted {
                    let mut open = open.lock().unwrap_or_else(PoisonError::into_inner);
                    open.1 = open.1.min(number);
                }
                let mut parts = parts.lock().unwrap_or_else(PoisonError::into_inner);
                parts[number] = Some((part, strategy.leave()));
            }
        };
        std::thread::scope(|scope| {
            for _ in 0..self.config.jobs.min(count) {
                scope.spawn(work);
            }
        });
        let parts = parts.into_inner().unwrap_or_else(PoisonError::into_inner);
        // A gap can only follow a part that stopped.
        parts.into_iter().map_while(|part| part).collect()
    }
}
