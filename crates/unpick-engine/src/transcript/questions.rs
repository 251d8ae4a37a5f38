//! The numbers of the questions within a transition, the same in all executions.
//!
//! How many weak exchanges fail and how many waits end by themselves is rationed for the execution as a whole. Whether
//! such a question is asked depends on what other tasks did before, so that the number of no other question may depend
//! on it.

use super::Place;
use unpick_trace::Choice;

/// Questions between two that are not rationed: room for those that are.
const STRIDE: u32 = 1 << 8;
/// Room for each of the two kinds that are rationed.
const ROOM: u32 = 1 << 6;

/// The questions of a transition so far.
#[derive(Clone, Copy, Debug, Default)]
pub struct Questions {
    /// Those that are not rationed.
    free: u32,
    /// Weak exchanges and waits since the last one of these.
    rationed: [u32; 2],
}

impl Questions {
    /// The part of the place of the next question.
    pub fn next_part(&mut self, question: Choice) -> u32 {
        let start = Place::ANSWERS + self.free * STRIDE;
        let kind = match question {
            Choice::WeakFailure(_) => 0,
            Choice::SpuriousWake(_) => 1,
            Choice::Task(_) | Choice::Timeout(_) | Choice::Datum { .. } => {
                self.free += 1;
                self.rationed = [0; 2];
                return start + STRIDE - 1;
            }
        };
        let count = &mut self.rationed[kind];
        *count += 1;
        start + kind as u32 * ROOM + (*count - 1).min(ROOM - 1)
    }
}

impl Place {
    /// Whether this is the answer to a question.
    pub fn is_answer(self) -> bool {
        self.part >= Place::ANSWERS
    }

    /// Whether this is the answer to a question that is not asked once the ration is used up. The ordinary answer and
    /// none are the same then.
    pub fn is_rationed(self) -> bool {
        self.is_answer() && (self.part - Place::ANSWERS) % STRIDE != STRIDE - 1
    }
}
