//! What a service owes: a primary.

use unpick_actors::{Monitor, Mood};

/// Watches whether there is a primary. Without one a service is hot.
#[derive(Debug, Default)]
pub struct Election;

/// What becomes of primaries.
#[derive(Clone, Copy, Debug)]
pub enum News {
    /// There is none, or none any more.
    Lost,
    /// There is one.
    Elected,
}

impl Monitor for Election {
    type Event = News;

    fn observe(&mut self, event: News) -> Mood {
        match event {
            News::Lost => Mood::Hot("no primary"),
            News::Elected => Mood::Cold,
        }
    }
}
