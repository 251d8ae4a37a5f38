//! Whether two executions fail in the same way.

use crate::{Deadlock, OpKind, Outcome};
use alloc::{
    string::{String, ToString},
    vec::Vec,
};

/// Whether two outcomes are the same failure: same kind, same message, same place. Deadlocks are the same
/// if as many tasks wait at the same places, in a ring as long, whatever their numbers are.
pub fn same_failure(one: &Outcome, other: &Outcome) -> bool {
    match (one, other) {
        (Outcome::Fail(one), Outcome::Fail(other)) => {
            one.kind == other.kind && one.message == other.message && one.site == other.site
        }
        (Outcome::Deadlock(one), Outcome::Deadlock(other)) => {
            one.cycle.len() == other.cycle.len() && places(one) == places(other)
        }
        _ => core::mem::discriminant(one) == core::mem::discriminant(other),
    }
}

/// Where tasks wait, without regard to who waits where.
fn places(deadlock: &Deadlock) -> Vec<(Option<String>, OpKind)> {
    let blocked = deadlock.blocked.iter();
    let mut places: Vec<_> = blocked
        .map(|blocked| {
            let site = blocked.site.as_ref().map(ToString::to_string);
            (site, blocked.op.kind)
        })
        .collect();
    places.sort_unstable();
    places
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Blocked, Failure, FailureKind, ObjectId, Op, Site, TaskId};

    fn panic(message: &str, line: u32) -> Outcome {
        Outcome::Fail(Failure {
            kind: FailureKind::Panic,
            task: TaskId(1),
            message: message.into(),
            site: Some(site(line)),
        })
    }

    fn site(line: u32) -> Site {
        Site::new("a.rs", line, 1)
    }

    fn deadlock(waiting: &[(u32, u32)]) -> Outcome {
        let blocked = waiting.iter().map(|&(task, line)| Blocked {
            task: TaskId(task),
            op: Op::new(OpKind::Lock, ObjectId(task)),
            site: Some(site(line)),
            waits_for: Vec::new(),
        });
        Outcome::Deadlock(Deadlock {
            blocked: blocked.collect(),
            cycle: Vec::new(),
        })
    }

    #[test]
    fn kind_place_and_message_count_and_numbers_of_tasks_do_not() {
        assert!(same_failure(&panic("x", 1), &panic("x", 1)));
        assert!(!same_failure(&panic("x", 1), &panic("y", 1)));
        assert!(!same_failure(&panic("x", 1), &panic("x", 2)));
        assert!(!same_failure(&panic("x", 1), &Outcome::Pass));
        let one = deadlock(&[(1, 10), (2, 20)]);
        assert!(same_failure(&one, &deadlock(&[(2, 10), (1, 20)])));
        assert!(!same_failure(&one, &deadlock(&[(1, 10), (2, 21)])));
        assert!(!same_failure(&one, &deadlock(&[(1, 10)])));
    }
}
