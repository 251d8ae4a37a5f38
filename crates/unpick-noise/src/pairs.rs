//! Synchronisation pairs: which critical sections were seen to follow which, and which could.
//!
//! Shin Hong, Jaemin Ahn, Sangmin Park, Moonzoo Kim, Mary Jean Harrold, *Testing Concurrent Programs to
//! Achieve High Synchronization Coverage*, ISSTA 2012. A pair is two places in the code that lock the same
//! lock, one right after the other. [`required`] estimates from one execution which pairs are possible,
//! [`covered`] tells which ones an execution has shown. Nothing is run here.
//!
//! Departures from the paper: which lock action precedes another is known from creation and joining of
//! threads only; a thread that locks at the same place with the same other locks is looked at once, by its
//! first action as the earlier one of a pair and its last as the later one.

use std::collections::{BTreeMap, BTreeSet, HashMap};

/// Something a thread did with a lock or another thread, in the order of time.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Action {
    /// The thread.
    pub thread: u32,
    /// What it did.
    pub kind: ActionKind,
}

/// What a thread did.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum ActionKind {
    /// It got a lock at a place in the code.
    Lock {
        /// The lock.
        lock: u64,
        /// The place.
        place: u64,
    },
    /// It gave a lock back.
    Unlock {
        /// The lock.
        lock: u64,
    },
    /// It created a thread.
    Create(u32),
    /// It has seen the end of a thread.
    Join(u32),
}

/// Two places that lock the same lock, one right after the other.
pub type Pair = (u64, u64);

/// The pairs that an execution has shown.
pub fn covered(actions: &[Action]) -> BTreeSet<Pair> {
    let mut last: HashMap<u64, u64> = HashMap::new();
    let mut pairs = BTreeSet::new();
    for action in actions {
        if let ActionKind::Lock { lock, place } = action.kind
            && let Some(before) = last.insert(lock, place)
        {
            pairs.insert((before, place));
        }
    }
    pairs
}

/// The pairs that are possible as far as one execution tells.
pub fn required(actions: &[Action]) -> BTreeSet<Pair> {
    let locks = lock_actions(actions);
    let mut pairs = BTreeSet::new();
    for acts in locks.values() {
        for (p, q) in acts.iter().flat_map(|p| acts.iter().map(move |q| (p, q))) {
            let is_possible = match p.thread == q.thread {
                true => p.next_places.contains(&q.place),
                false => {
                    p.held_to_next.is_disjoint(&q.held)
                        && p.held.is_disjoint(&q.held_from_previous)
                        && !q.last.precedes(&p.first)
                }
            };
            if is_possible {
                pairs.insert((p.place, q.place));
            }
        }
    }
    pairs
}

/// The moments at which a thread locks at one place with the same other locks.
struct LockAct {
    thread: u32,
    place: u64,
    /// Other locks held then.
    held: BTreeSet<u64>,
    /// Other locks held from then to the next time the thread takes this lock.
    held_to_next: BTreeSet<u64>,
    /// Other locks held since the last time.
    held_from_previous: BTreeSet<u64>,
    /// Where the thread takes the lock next.
    next_places: BTreeSet<u64>,
    first: Moment,
    last: Moment,
}

#[derive(Clone)]
struct Moment {
    thread: u32,
    number: u64,
    clock: BTreeMap<u32, u64>,
}

impl Moment {
    fn precedes(&self, other: &Moment) -> bool {
        other
            .clock
            .get(&self.thread)
            .is_some_and(|&seen| seen >= self.number)
    }
}

/// One lock action as it is found.
struct Found {
    lock: u64,
    place: u64,
    held: BTreeSet<u64>,
    /// Locks that have been held all the time since.
    kept: BTreeSet<u64>,
    moment: Moment,
}

/// What is known of a thread on the way.
#[derive(Default)]
struct Walker {
    held: BTreeSet<u64>,
    clock: BTreeMap<u32, u64>,
    /// The last action on each lock.
    last: BTreeMap<u64, Found>,
    /// The locks held all the time between the last two actions on a lock.
    kept_before: BTreeMap<u64, BTreeSet<u64>>,
}

type Acts = BTreeMap<u64, Vec<LockAct>>;

fn lock_actions(actions: &[Action]) -> Acts {
    let mut walkers: BTreeMap<u32, Walker> = BTreeMap::new();
    let mut acts = Acts::new();
    for (number, action) in (1_u64..).zip(actions) {
        let thread = action.thread;
        let walker = walkers.entry(thread).or_default();
        walker.clock.insert(thread, number);
        match action.kind {
            ActionKind::Lock { lock, place } => {
                let moment = Moment {
                    thread,
                    number,
                    clock: walker.clock.clone(),
                };
                let found = Found {
                    lock,
                    place,
                    held: without(&walker.held, lock),
                    kept: walker.held.clone(),
                    moment,
                };
                if let Some(before) = walker.last.insert(lock, found) {
                    let kept = without(&before.kept, lock);
                    note(
                        &mut acts,
                        &before,
                        walker.kept_before.get(&lock),
                        Some((&kept, place)),
                    );
                    walker.kept_before.insert(lock, kept);
                }
                walker.held.insert(lock);
            }
            ActionKind::Unlock { lock } => {
                walker.held.remove(&lock);
                for found in walker.last.values_mut() {
                    found.kept.remove(&lock);
                }
            }
            ActionKind::Create(child) => {
                let clock = walker.clock.clone();
                walkers.entry(child).or_default().clock.extend(clock);
            }
            ActionKind::Join(child) => {
                let clock = walkers.entry(child).or_default().clock.clone();
                let own = &mut walkers.entry(thread).or_default().clock;
                for (other, seen) in clock {
                    let known = own.entry(other).or_default();
                    *known = seen.max(*known);
                }
            }
        }
    }
    for walker in walkers.values() {
        for found in walker.last.values() {
            note(&mut acts, found, walker.kept_before.get(&found.lock), None);
        }
    }
    acts
}

fn without(held: &BTreeSet<u64>, lock: u64) -> BTreeSet<u64> {
    held.iter()
        .copied()
        .filter(|&other| other != lock)
        .collect()
}

/// Takes note of a lock action; `next` is what was held up to the next one, and where that is.
fn note(
    acts: &mut Acts,
    found: &Found,
    before: Option<&BTreeSet<u64>>,
    next: Option<(&BTreeSet<u64>, u64)>,
) {
    let held_to_next = next.map(|(kept, _)| kept.clone()).unwrap_or_default();
    let held_from_previous = before.cloned().unwrap_or_default();
    let list = acts.entry(found.lock).or_default();
    let is_same = |act: &&mut LockAct| {
        act.thread == found.moment.thread
            && act.place == found.place
            && act.held == found.held
            && act.held_to_next == held_to_next
            && act.held_from_previous == held_from_previous
    };
    match list.iter_mut().find(is_same) {
        Some(act) => {
            act.last = found.moment.clone();
            act.next_places.extend(next.map(|(_, place)| place));
        }
        None => list.push(LockAct {
            thread: found.moment.thread,
            place: found.place,
            held: found.held.clone(),
            held_to_next,
            held_from_previous,
            next_places: next.map(|(_, place)| place).into_iter().collect(),
            first: found.moment.clone(),
            last: found.moment.clone(),
        }),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    /// `1+m@10` locks m at place 10 in thread 1, `1-m` unlocks; `0*1` creates, `0.1` joins.
    fn actions(text: &str) -> Vec<Action> {
        let one = |word: &str| {
            let thread = word[..1].parse().unwrap();
            let rest = &word[2..];
            let lock = |name: &str| u64::from(name.as_bytes()[0]);
            let kind = match &word[1..2] {
                "+" => ActionKind::Lock {
                    lock: lock(rest),
                    place: rest[2..].parse().unwrap(),
                },
                "-" => ActionKind::Unlock { lock: lock(rest) },
                "*" => ActionKind::Create(rest.parse().unwrap()),
                _ => ActionKind::Join(rest.parse().unwrap()),
            };
            Action { thread, kind }
        };
        text.split_whitespace().map(one).collect()
    }

    #[test]
    fn pairs_are_covered_by_what_follows() {
        let seen = covered(&actions("1+m@10 1-m 2+m@20 2-m 1+m@11 1-m"));
        assert_eq!(seen, BTreeSet::from([(10, 20), (20, 11)]));
    }

    #[test]
    fn threads_side_by_side_allow_every_order() {
        let model = actions("0*1 0*2 1+m@10 1-m 1+m@11 1-m 2+m@20 2-m");
        let needed = required(&model);
        let expected = [(10, 11), (10, 20), (11, 20), (20, 10), (20, 11)];
        assert_eq!(needed, BTreeSet::from(expected));
        assert!(covered(&model).is_subset(&needed));
    }

    #[test]
    fn what_is_ordered_by_creation_cannot_be_turned_round() {
        let needed = required(&actions("0+m@1 0-m 0*1 1+m@10 1-m 0.1 0+m@2 0-m"));
        // The child runs wholly between the two of its creator, and `1` is followed by `2` in one thread.
        assert_eq!(needed, BTreeSet::from([(1, 2), (1, 10), (10, 2)]));
    }

    #[test]
    fn a_lock_held_all_the_time_keeps_others_out() {
        // Thread 1 holds g from its first lock of m to its second; thread 2 needs g to lock m.
        let needed = required(&actions(
            "0*1 0*2 1+g@5 1+m@10 1-m 1+m@11 1-m 1-g 2+g@6 2+m@20 2-m 2-g",
        ));
        assert!(!needed.contains(&(10, 20)), "{needed:?}");
        assert!(!needed.contains(&(20, 11)), "{needed:?}");
        assert!(needed.contains(&(11, 20)) && needed.contains(&(20, 10)));
    }
}
