//! A search that was split into parts, and what its parts have found.
//!
//! The parts stand in the order of the search: a part that is split is followed by the part that it
//! gave away. Whatever order the workers take them in, results are put together in this one, so that
//! an exploration finds the same for every number of workers.
//!
//! - *Bounds.* A part that is done with a bound waits until all are; then all go on together.
//! - *Findings.* What a part that is exhausted leaves is handed to the one behind it, which may be held
//!   up until then.
//! - *Stops.* What follows a part that stopped, at a failure for instance, does not count.
//! - *Budgets.* A part may run more executions than turn out to count once the parts before it are
//!   done. So its results come in chunks, each with a copy of the search as it was before; the one
//!   chunk in which the budget ends is run again up to there.
//! - *Time.* When time is over, everything that was run counts, in the order of the search, and what
//!   was left out in between is missing.
//!
//! Never runs anything itself.

use super::frontier::Piece;
use crate::{
    Coverage, Covered, Exploration, Findings, PartFound, ShardFound, StopReason, Strategy,
};
use alloc::{boxed::Box, sync::Arc, vec::Vec};
use core::sync::atomic::{AtomicBool, Ordering};

/// How a part stands.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum State {
    /// For a worker.
    Waiting,
    Running,
    /// Waits for the others before it goes on to the next bound.
    BoundDone,
    /// Waits for what the part before it leaves.
    Held,
    Exhausted,
    /// It ended before it was exhausted.
    Stopped(StopReason),
}

/// Executions of a part that follow one another.
pub(super) struct Chunk {
    pub found: Exploration,
    /// The search before these executions, unless all of them are known to count.
    pub before: Option<Box<dyn Strategy>>,
}

struct Part {
    id: u64,
    /// The part of the whole that it belongs to, if this is a shard.
    origin: u32,
    state: State,
    /// None while a worker has it.
    strategy: Option<Box<dyn Strategy>>,
    /// What the part before it has left, until a worker brings the strategy back.
    findings: Option<Findings>,
    chunks: Vec<Chunk>,
    is_dropped: Arc<AtomicBool>,
}

impl Part {
    fn execution_count(&self) -> u64 {
        self.chunks.iter().map(|chunk| chunk.found.executions).sum()
    }

    /// Hands over what the part before has left, if there is anything, and the strategy is here.
    fn receive(&mut self) {
        if let Some(strategy) = &mut self.strategy
            && let Some(findings) = self.findings.take()
        {
            strategy.receive(findings);
            if self.state == State::Held {
                self.state = State::Waiting;
            }
        }
    }
}

/// A part in the hands of a worker.
pub(super) struct Job {
    pub id: u64,
    pub strategy: Box<dyn Strategy>,
    /// Whether its results are no longer wanted.
    pub is_dropped: Arc<AtomicBool>,
}

/// The executions that a worker may run next.
pub(super) struct Allowance {
    pub executions: u64,
    /// Whether they will all count.
    pub is_exact: bool,
}

/// The chunk in which the budget ends.
struct Cut {
    before: Box<dyn Strategy>,
    executions: u64,
    origin: u32,
}

/// What a shard tells of its parts.
struct Records {
    /// Number of parts of the whole.
    part_count: u32,
    parts: Vec<PartFound>,
}

/// A search in parts.
pub struct Search {
    parts: Vec<Part>,
    /// Leading parts that are done with the bound at hand and whose chunks are in `found`.
    settled: usize,
    bound: u32,
    /// No further bound counts: another shard has stopped under this one.
    is_last_bound: bool,
    executions_max: u64,
    next_id: u64,
    found: Exploration,
    /// What all chunks so far have covered, also those that may turn out not to count.
    coverage: Option<Coverage>,
    records: Option<Records>,
    /// Why the search is over, once all that counts is known.
    stop: Option<StopReason>,
    /// Why the workers leave before it is over.
    closing: Option<StopReason>,
    cut: Option<Cut>,
}

impl Search {
    /// A search that is still whole.
    pub fn new(strategy: Box<dyn Strategy>, executions_max: u64) -> Search {
        let mut search = Search::empty(executions_max);
        search.insert(0, 0, State::Waiting, strategy);
        search
    }

    fn empty(executions_max: u64) -> Search {
        Search {
            parts: Vec::new(),
            settled: 0,
            bound: 0,
            is_last_bound: false,
            executions_max,
            next_id: 0,
            found: Exploration::default(),
            coverage: None,
            records: None,
            stop: None,
            closing: None,
            cut: None,
        }
    }

    /// The parts of a shard, numbered as in the whole, under the bound that they have reached.
    pub(super) fn of_pieces(
        pieces: Vec<(u32, Piece)>,
        part_count: u32,
        (bound, is_last_bound): (u32, bool),
        executions_max: u64,
    ) -> Search {
        let mut search = Search {
            bound,
            is_last_bound,
            records: Some(Records {
                part_count,
                parts: Vec::new(),
            }),
            ..Search::empty(executions_max)
        };
        for earlier in 0..bound {
            for (origin, piece) in &pieces {
                for (_, found) in piece.found.iter().filter(|(of, _)| *of == earlier) {
                    search.append(*origin, earlier, found.clone());
                }
            }
        }
        if bound > 0 {
            search.found.begin_bound(bound);
        }
        for (origin, piece) in pieces {
            let at = search.parts.len();
            search.insert(at, origin, piece.state, piece.strategy);
            let now = piece.found.into_iter().filter(|(of, _)| *of == bound);
            let chunks = now.map(|(_, found)| Chunk {
                found,
                before: None,
            });
            search.parts[at].chunks.extend(chunks);
        }
        search.settle();
        search
    }

    fn insert(&mut self, at: usize, origin: u32, state: State, strategy: Box<dyn Strategy>) {
        let part = Part {
            id: self.next_id,
            origin,
            state,
            strategy: Some(strategy),
            findings: None,
            chunks: Vec::new(),
            is_dropped: Arc::default(),
        };
        self.next_id += 1;
        self.parts.insert(at, part);
    }

    fn position(&self, id: u64) -> Option<usize> {
        self.parts.iter().position(|part| part.id == id)
    }

    /// Whether all that counts is known.
    pub(super) fn is_over(&self) -> bool {
        self.stop.is_some()
    }

    /// What was covered so far.
    pub(super) fn covered(&self) -> Option<Covered> {
        self.coverage.as_ref().map(Coverage::covered)
    }

    /// Parts that no worker has.
    pub(super) fn waiting_count(&self) -> usize {
        let is_waiting = |part: &&Part| part.state == State::Waiting;
        self.parts.iter().filter(is_waiting).count()
    }

    /// Hands out the first part that no worker has.
    pub(super) fn take(&mut self) -> Option<Job> {
        let is_waiting = |part: &&mut Part| part.state == State::Waiting;
        let part = self.parts.iter_mut().find(is_waiting)?;
        part.state = State::Running;
        Some(Job {
            id: part.id,
            strategy: part.strategy.take()?,
            is_dropped: Arc::clone(&part.is_dropped),
        })
    }

    /// What a part may run, as far as the parts before it let know; nothing if it was dropped.
    pub(super) fn allowance(&self, id: u64) -> Option<Allowance> {
        let position = self.position(id)?;
        let unsettled = &self.parts[self.settled..=position];
        let count: u64 = unsettled.iter().map(Part::execution_count).sum();
        let used = self.found.executions + count;
        Some(Allowance {
            executions: self.executions_max.saturating_sub(used),
            is_exact: position == self.settled,
        })
    }

    /// Adds the end of a part that a worker has split, right behind it.
    pub(super) fn give(&mut self, id: u64, strategy: Box<dyn Strategy>) {
        if let Some(position) = self.position(id) {
            let origin = self.parts[position].origin;
            self.insert(position + 1, origin, State::Waiting, strategy);
        }
    }

    /// Takes what a worker has found in a part, and the part itself unless it goes on.
    pub(super) fn report(
        &mut self,
        id: u64,
        chunk: Chunk,
        state: State,
        strategy: Option<Box<dyn Strategy>>,
    ) {
        let Some(position) = self.position(id) else {
            return;
        };
        let part = &mut self.parts[position];
        part.state = state;
        part.strategy = strategy;
        if let Some(coverage) = &chunk.found.coverage {
            let so_far = self.coverage.get_or_insert_default();
            so_far.merge(coverage);
        }
        if chunk.found.executions > 0 {
            part.chunks.push(chunk);
        }
        if let State::Stopped(reason) = state
            && !is_early(reason)
        {
            self.drop_from(position + 1);
        }
        self.settle();
    }

    fn drop_from(&mut self, position: usize) {
        for part in self.parts.drain(position..) {
            part.is_dropped.store(true, Ordering::Relaxed);
        }
    }

    /// Puts together what is certain.
    fn settle(&mut self) {
        while self.stop.is_none() {
            let Some(part) = self.parts.get_mut(self.settled) else {
                self.end_bound();
                continue;
            };
            part.receive();
            let (origin, state) = (part.origin, part.state);
            for chunk in core::mem::take(&mut part.chunks) {
                if !self.append_chunk(origin, chunk) {
                    self.end(StopReason::Executions);
                    return;
                }
            }
            match state {
                State::BoundDone => self.settled += 1,
                State::Exhausted => self.bequeath(),
                State::Stopped(reason) if !is_early(reason) => self.end(reason),
                _ => return,
            }
        }
    }

    /// Hands what the first part that is not settled, which is exhausted, has left to the next one.
    fn bequeath(&mut self) {
        let strategy = self.parts[self.settled].strategy.as_mut();
        let findings = strategy.and_then(|strategy| strategy.leave());
        self.settled += 1;
        if let Some(next) = self.parts.get_mut(self.settled) {
            next.findings = findings;
        }
    }

    fn end(&mut self, reason: StopReason) {
        self.stop = Some(reason);
        self.drop_from(0);
    }

    /// All parts are done with the bound: on to the next.
    fn end_bound(&mut self) {
        self.parts.retain(|part| part.state == State::BoundDone);
        if self.parts.is_empty() {
            return self.end(StopReason::Exhausted);
        }
        let failures = self.found.failures;
        let mut is_raised = !self.is_last_bound;
        for part in &mut self.parts {
            part.state = State::Waiting;
            let strategy = part.strategy.as_mut();
            is_raised &= strategy.is_some_and(|strategy| strategy.raise_bound(failures));
        }
        if !is_raised {
            let is_used_up = self.found.executions >= self.executions_max;
            return self.end(match is_used_up {
                true => StopReason::Executions,
                false => StopReason::Strategy,
            });
        }
        self.settled = 0;
        self.bound += 1;
        self.found.begin_bound(self.bound);
    }

    /// False if the budget ends within the chunk.
    fn append_chunk(&mut self, origin: u32, chunk: Chunk) -> bool {
        let left = self.executions_max - self.found.executions;
        if chunk.found.executions > left {
            let before = chunk.before;
            self.cut = Some(Cut {
                before: before.expect("internal error: a search that splits has to duplicate"),
                executions: left,
                origin,
            });
            return false;
        }
        self.append(origin, self.bound, chunk.found);
        true
    }

    fn append(&mut self, origin: u32, bound: u32, mut found: Exploration) {
        if let Some(Records { parts: records, .. }) = &mut self.records {
            let is_it = |record: &&mut PartFound| (record.bound, record.part) == (bound, origin);
            let at = match records.last_mut().filter(is_it).is_some() {
                true => records.len() - 1,
                false => {
                    records.push(PartFound {
                        bound,
                        part: origin,
                        found: Exploration::default(),
                    });
                    records.len() - 1
                }
            };
            let record = &mut records[at].found;
            let mut copy = found.clone();
            copy.count_from(record.executions);
            record.append(copy);
        }
        found.count_from(self.found.executions);
        self.found.append(found);
    }

    /// Why the workers leave before the search is over; the first reason counts.
    pub(super) fn note_closing(&mut self, reason: StopReason) {
        self.closing.get_or_insert(reason);
    }

    /// Puts together what there is although the search is not over, because there is no more time.
    pub(super) fn close(&mut self, reason: StopReason) {
        for part in core::mem::take(&mut self.parts)
            .into_iter()
            .skip(self.settled)
        {
            let origin = part.origin;
            for chunk in part.chunks {
                if !self.append_chunk(origin, chunk) {
                    self.stop = Some(StopReason::Executions);
                    return;
                }
            }
        }
        self.stop = Some(reason);
    }

    /// What was found, when all workers have left. `run` runs so many executions of a search: those of
    /// the chunk in which the budget ends are run again up to there.
    pub fn finish(
        mut self,
        run: impl FnOnce(&mut dyn Strategy, u64) -> Exploration,
    ) -> Exploration {
        if !self.is_over() {
            self.close(self.closing.unwrap_or(StopReason::Interrupted));
        }
        if let Some(mut cut) = self.cut.take() {
            let found = run(&mut *cut.before, cut.executions);
            self.append(cut.origin, self.bound, found);
        }
        let mut found = self.found;
        found.stopped_because = self.stop.expect("internal error: the search is not over");
        found.complete = found.stopped_because == StopReason::Exhausted;
        found.shard = self.records.map(|records| {
            Box::new(ShardFound {
                part_count: records.part_count,
                parts: records.parts,
            })
        });
        found
    }
}

/// Whether a part that stopped for this reason says nothing about those behind it.
fn is_early(reason: StopReason) -> bool {
    matches!(
        reason,
        StopReason::Time | StopReason::Memory | StopReason::Interrupted
    )
}
