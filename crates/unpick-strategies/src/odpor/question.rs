//! Questions that are not about tasks: every answer is tried.

use alloc::vec::Vec;

/// A question that was asked within an event.
#[derive(Clone, Copy)]
pub(super) struct Question {
    pub options: u32,
    /// The answer tried first.
    pub first: u32,
    /// How many were tried before the present one.
    pub tried: u32,
}

impl Question {
    pub fn answer(&self) -> u32 {
        match self.tried {
            0 => self.first,
            later if later <= self.first => later - 1,
            later => later,
        }
    }
}

/// Whether some answer was not tried yet.
pub(super) fn has_next_answer(questions: &[Question]) -> bool {
    let mut questions = questions.iter();
    questions.any(|question| question.tried + 1 < question.options)
}

/// Goes to the next answer of the last question that has one. `false` if there is none.
pub(super) fn next_answer(questions: &mut Vec<Question>) -> bool {
    while let Some(question) = questions.last_mut() {
        question.tried += 1;
        if question.tried < question.options {
            return true;
        }
        questions.pop();
    }
    false
}
