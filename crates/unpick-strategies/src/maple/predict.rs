//! Which idioms two tasks might show, from what each of them did.

use super::idiom::Root;
use super::profile::Use;
use alloc::collections::BTreeSet;
use alloc::vec::Vec;

/// Accesses of a task to shared objects between which an idiom may lie.
pub(super) const WINDOW: usize = 5;

/// What might be possible with one event of each task.
pub(super) fn predict_single(mine: &[&Use], theirs: &[&Use], roots: &mut BTreeSet<Root>) {
    for a in mine {
        for b in theirs.iter().filter(|b| conflict(a, b)) {
            roots.insert(Root::One([a.event, b.event]));
        }
    }
}

/// What might be possible with two events of one task, and one or two of the other.
pub(super) fn predict_pairs(mine: &[&Use], theirs: &[&Use], roots: &mut BTreeSet<Root>) {
    let others: Vec<(&Use, &Use)> = pairs(theirs).collect();
    for (a, d) in pairs(mine) {
        if a.object == d.object {
            for b in theirs {
                if conflict(a, b) && conflict(b, d) && !is_protected(a, d, b) {
                    roots.insert(Root::Two([a.event, b.event, d.event]));
                }
            }
        }
        for &(b, c) in &others {
            if is_protected(a, d, b) || is_protected(a, d, c) {
                continue;
            }
            let events = [a, b, c, d].map(|one| one.event);
            if conflict(a, b) && conflict(c, d) {
                roots.insert(match a.object == d.object {
                    true => Root::Three(events),
                    false => Root::Four(events),
                });
            }
            if a.object != d.object && conflict(a, c) && conflict(b, d) && !is_protected(b, c, a) {
                roots.insert(Root::Five(events));
            }
        }
    }
}

/// Uses that are near to each other: of one object with none of it between them, or of two.
fn pairs<'a>(uses: &'a [&'a Use]) -> impl Iterator<Item = (&'a Use, &'a Use)> {
    (0..uses.len()).flat_map(move |first| {
        let near = first + 1..uses.len().min(first + 1 + WINDOW);
        let end = near
            .clone()
            .find(|&second| uses[second].object == uses[first].object);
        let end = end.map_or(near.end, |second| second + 1);
        (near.start..end).map(move |second| (uses[first], uses[second]))
    })
}

fn conflict(a: &Use, b: &Use) -> bool {
    a.object == b.object && (a.writes || b.writes)
}

/// Whether two uses are in one critical section, and the third in another one of the same lock.
fn is_protected(first: &Use, last: &Use, other: &Use) -> bool {
    let mut common = first.locks.iter().filter(|lock| last.locks.contains(lock));
    common.any(|lock| other.locks.iter().any(|held| held.0 == lock.0))
}
