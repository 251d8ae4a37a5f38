//! The parts into which a search is split for shards: the same in every process.
//!
//! Every shard begins alike: it splits the search again and again, in turns, and runs an execution
//! of a part that cannot be split before, until there are enough parts. Then it keeps every n-th
//! one, with what was found in it so far, and forgets the others. So the shards together run what a
//! single exploration runs, and besides each runs the few executions of the beginning.

use super::search::{Search, State};
use super::team::state_after;
use crate::{End, Exploration, StopReason, Strategy};
use alloc::{boxed::Box, vec, vec::Vec};

/// Parts for each shard: many are balanced better, and each has its line in the results.
const PARTS_PER_SHARD: usize = 32;

/// Executions that every shard runs to find the parts, for each part wanted.
const EXECUTIONS_PER_PART: u64 = 4;

/// A part of the search.
pub(super) struct Piece {
    pub strategy: Box<dyn Strategy>,
    pub state: State,
    /// What was found in it, by bound.
    pub found: Vec<(u32, Exploration)>,
}

impl Piece {
    fn new(strategy: Box<dyn Strategy>) -> Piece {
        Piece {
            strategy,
            state: State::Waiting,
            found: Vec::new(),
        }
    }

    fn append(&mut self, bound: u32, mut found: Exploration) {
        match self.found.last_mut() {
            Some((of, before)) if *of == bound => {
                found.count_from(before.executions);
                before.append(found);
            }
            _ => self.found.push((bound, found)),
        }
    }
}

/// A search in pieces, in the order of the search.
struct Frontier {
    pieces: Vec<Piece>,
    bound: u32,
    /// The search ends with this bound.
    is_last_bound: bool,
    executions_left: u64,
    /// Time was over before there were enough pieces.
    closed: Option<StopReason>,
}

/// Runs an execution of a search.
type Run<'a> = dyn FnMut(&mut dyn Strategy) -> (Exploration, End) + 'a;

/// The parts of one share of a search: number `index`, from 0, of `count`. `run` runs one execution of the
/// search that it is given.
pub fn share(
    strategy: Box<dyn Strategy>,
    (index, count): (u32, u32),
    executions_max: u64,
    run: &mut Run<'_>,
) -> Search {
    let frontier = Frontier::find(strategy, count as usize, executions_max, run);
    let part_count = frontier.pieces.len() as u32;
    let bound = (frontier.bound, frontier.is_last_bound);
    let own = (0..)
        .zip(frontier.pieces)
        .filter(|(number, _)| number % count == index)
        .collect();
    let mut search = Search::of_pieces(own, part_count, bound, executions_max);
    if let Some(reason) = frontier.closed
        && !search.is_over()
    {
        search.close(reason);
    }
    search
}

impl Frontier {
    fn find(
        strategy: Box<dyn Strategy>,
        shard_count: usize,
        executions_max: u64,
        run: &mut Run<'_>,
    ) -> Frontier {
        let piece_count = match strategy.duplicate().is_some() {
            true => PARTS_PER_SHARD.saturating_mul(shard_count),
            // It cannot be split, and may go by the numbers of its executions.
            false => 1,
        };
        let executions = EXECUTIONS_PER_PART.saturating_mul(piece_count as u64);
        let mut frontier = Frontier {
            pieces: vec![Piece::new(strategy)],
            bound: 0,
            is_last_bound: false,
            executions_left: executions.min(executions_max),
            closed: None,
        };
        while frontier.pieces.len() < piece_count && frontier.closed.is_none() {
            if !frontier.refine(piece_count, run) && !frontier.raise_bound() {
                break;
            }
        }
        frontier
    }

    /// Splits every piece once, or runs an execution of it. False if there was nothing to do.
    fn refine(&mut self, piece_count: usize, run: &mut Run<'_>) -> bool {
        let mut has_changed = false;
        let mut at = 0;
        while at < self.pieces.len() && self.pieces.len() < piece_count {
            let piece = &mut self.pieces[at];
            at += 1;
            if piece.state != State::Waiting {
                continue;
            }
            if let Some(given) = piece.strategy.sever() {
                self.pieces.insert(at, Piece::new(given));
                at += 1;
                has_changed = true;
            } else if self.executions_left > 0 {
                self.executions_left -= 1;
                let (found, end) = run(&mut *piece.strategy);
                has_changed = true;
                piece.state = state_after(end, found.stopped_because, State::Waiting);
                if found.executions > 0 {
                    piece.append(self.bound, found);
                }
                match piece.state {
                    State::Exhausted if piece.found.is_empty() => {
                        at -= 1;
                        self.pieces.remove(at);
                    }
                    State::Stopped(
                        reason @ (StopReason::Time | StopReason::Memory | StopReason::Interrupted),
                    ) => {
                        self.closed = Some(reason);
                        return true;
                    }
                    // What follows does not count.
                    state @ State::Stopped(_) => {
                        self.is_last_bound = true;
                        for later in &mut self.pieces[at..] {
                            later.state = state;
                            later.found.retain(|(of, _)| *of < self.bound);
                        }
                    }
                    _ => {}
                }
            }
        }
        has_changed
    }

    /// Goes on to the next bound if all pieces are done with this one.
    fn raise_bound(&mut self) -> bool {
        let is_done = |piece: &Piece| matches!(piece.state, State::BoundDone | State::Exhausted);
        let is_everything_done = self.pieces.iter().all(is_done);
        if !is_everything_done || self.executions_left == 0 {
            return false;
        }
        let found = self.pieces.iter().flat_map(|piece| &piece.found);
        let failures = found.map(|(_, found)| found.failures).sum();
        let waits = |piece: &&mut Piece| piece.state == State::BoundDone;
        let mut is_raised = false;
        for piece in self.pieces.iter_mut().filter(waits) {
            is_raised = piece.strategy.raise_bound(failures);
            if !is_raised {
                self.is_last_bound = true;
                return false;
            }
            piece.state = State::Waiting;
        }
        self.bound += u32::from(is_raised);
        is_raised
    }
}
