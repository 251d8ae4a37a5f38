//! Makes a program smaller while it keeps doing what it is kept for.

use super::{Program, Statement};

impl Program {
    /// Whether some statement creates this task.
    pub(super) fn creates(&self, task: usize) -> bool {
        self.tasks
            .iter()
            .any(|body| contains(body, &Statement::Spawn(task)))
    }

    /// The same program without a task and everything that names it.
    fn without_task(&self, task: usize) -> Program {
        let mut smaller = self.clone();
        smaller.tasks[task].clear();
        for body in &mut smaller.tasks {
            forget(body, task);
        }
        smaller
    }
}

/// The smallest program that can be reached by leaving things out, one at a time, such that `keeps`
/// holds all the way. `keeps` holds for `program` itself.
pub fn shrink(program: &Program, mut keeps: impl FnMut(&Program) -> bool) -> Program {
    let mut smallest = program.clone();
    while let Some(smaller) = smaller_ones(&smallest)
        .into_iter()
        .find(|candidate| keeps(candidate))
    {
        smallest = smaller;
    }
    smallest
}

/// All programs with one thing less, the largest things first.
fn smaller_ones(program: &Program) -> Vec<Program> {
    let mut candidates = Vec::new();
    for task in 1..program.tasks.len() {
        if program.creates(task) {
            candidates.push(program.without_task(task));
        }
    }
    for (task, body) in program.tasks.iter().enumerate() {
        for smaller in smaller_bodies(body) {
            let mut candidate = program.clone();
            candidate.tasks[task] = smaller;
            candidates.push(candidate);
        }
    }
    if program.channel.is_some() {
        candidates.push(Program {
            channel: None,
            ..program.clone()
        });
    }
    // A task that nobody creates any more takes no part, and no notice is taken of it.
    candidates
}

fn smaller_bodies(body: &[Statement]) -> Vec<Vec<Statement>> {
    let mut candidates = Vec::new();
    for (at, statement) in body.iter().enumerate() {
        let with = |replacement: &[Statement]| {
            let mut smaller = body[..at].to_vec();
            smaller.extend_from_slice(replacement);
            smaller.extend_from_slice(&body[at + 1..]);
            smaller
        };
        // Without the statement, with one of its blocks in its place, with a smaller block.
        candidates.push(with(&[]));
        for (number, block) in statement.blocks().into_iter().enumerate() {
            candidates.push(with(block));
            for smaller in smaller_bodies(block) {
                let mut replacement = statement.clone();
                *replacement.blocks_mut()[number] = smaller;
                candidates.push(with(&[replacement]));
            }
        }
    }
    candidates
}

fn contains(body: &[Statement], wanted: &Statement) -> bool {
    body.iter().any(|statement| {
        statement == wanted
            || statement
                .blocks()
                .into_iter()
                .any(|block| contains(block, wanted))
    })
}

fn forget(body: &mut Vec<Statement>, task: usize) {
    body.retain(|statement| {
        !matches!(
            statement,
            Statement::Spawn(other) | Statement::Join(other) | Statement::Unpark(other)
                if *other == task
        )
    });
    for statement in body {
        for block in statement.blocks_mut() {
            forget(block, task);
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::generated::{Flavour, generate};

    #[test]
    fn what_is_left_is_what_was_asked_for() {
        let is_kept = |program: &Program| {
            let mut bodies = program.tasks.iter();
            bodies.any(|body| contains(body, &Statement::NotifyAll(0)))
        };
        let program = (0..1_000)
            .map(|seed| generate(seed, Flavour::Mixed))
            .find(is_kept)
            .expect("one in a thousand notifies all");
        let smallest = shrink(&program, is_kept);
        let statements: usize = smallest.tasks.iter().map(Vec::len).sum();
        assert_eq!(statements, 1, "{smallest}");
    }
}
