//! The bugs of the study, each behind a switch.

/// A bug, by its name in the thesis. Where that explains nothing but the name, the meaning is a reading of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bug {
    /// 0: when the primary replicates, the platform asserts that all active secondaries know its epoch. They learn it
    /// with the first operation of it, so this fails after every promotion that leaves one. (A reading.)
    BadAssertInPrimaryReplicateOp,
    /// 1: endpoints are told when a change of role is asked for and not when it is done, so that a secondary that was
    /// promoted stays listed as a secondary, and clients look for a primary for ever.
    UpdateServiceEndpointTooEarly,
    /// 2: a secondary is promoted while it still applies operations, and their numbers are given out again.
    PromotePrimaryImmediately,
    /// 3: the first fix of 2, which waits for the secondary that is promoted, but not for the others.
    PromotePrimaryImmediatelyBadFix,
    /// 4: secondaries are told the new epoch at the promotion and not before its first operation, so that operations of
    /// the old one still come. (The thesis found it by inspection only; what is too early is a reading.)
    UpdateSecondaryEpochTooEarly,
    /// 5: the cluster waits for the service, which waits for the cluster to give it an id.
    BlockForNextId,
    /// 6: a secondary that becomes idle may ask for its copy before the platform knows that it is; the platform has no
    /// copy stream for it then. (A reading.)
    GetCopyStreamNPE,
    /// 7: a secondary that is closed, since the primary has changed, becomes active meanwhile, and is taken for one
    /// that lives. (A reading.)
    ActiveSecondaryCopyStreamDoneButCancelled,
    /// 8: the copy of a secondary that is closed, since the primary has changed, comes to its end meanwhile, and it is
    /// made active as if it was still wanted. (A reading.)
    SecondaryCopyStreamDoneButCancelled,
    /// 9: what was to be created is still created after the primary has changed. (A reading.)
    DontClearCreateReplicasList,
    /// 10: the service replicates without holding its lock, so that two additions change places.
    DoReplicateWithoutMutex,
    /// 11: the primary sends its state before it has applied what the copy must contain.
    DontWaitWhenSendingCopyState,
    /// 12: the primary applies what is confirmed at once, although confirmations change places.
    CommitAckedOpImmediately,
    /// 13: the same, without the assertion that notices.
    CommitAckedOpImmediatelySkipAssertions,
    /// 14: the client asks again for what is under way, as if that was something else.
    SendDuplicateRequests,
}

impl Bug {
    /// All of them, by number.
    pub const ALL: [Bug; 15] = [
        Bug::BadAssertInPrimaryReplicateOp,
        Bug::UpdateServiceEndpointTooEarly,
        Bug::PromotePrimaryImmediately,
        Bug::PromotePrimaryImmediatelyBadFix,
        Bug::UpdateSecondaryEpochTooEarly,
        Bug::BlockForNextId,
        Bug::GetCopyStreamNPE,
        Bug::ActiveSecondaryCopyStreamDoneButCancelled,
        Bug::SecondaryCopyStreamDoneButCancelled,
        Bug::DontClearCreateReplicasList,
        Bug::DoReplicateWithoutMutex,
        Bug::DontWaitWhenSendingCopyState,
        Bug::CommitAckedOpImmediately,
        Bug::CommitAckedOpImmediatelySkipAssertions,
        Bug::SendDuplicateRequests,
    ];

    /// Its number in the thesis.
    pub fn number(self) -> usize {
        self as usize
    }

    /// Whether the thesis gives nothing but its name, or not enough, so that what it means here is a reading.
    pub fn is_reading(self) -> bool {
        matches!(
            self,
            Bug::BadAssertInPrimaryReplicateOp
                | Bug::UpdateSecondaryEpochTooEarly
                | Bug::GetCopyStreamNPE
                | Bug::ActiveSecondaryCopyStreamDoneButCancelled
                | Bug::SecondaryCopyStreamDoneButCancelled
                | Bug::DontClearCreateReplicasList
        )
    }

    /// Whether it was put in to be found. The others were made by mistake.
    pub fn is_injected(self) -> bool {
        self >= Bug::DontWaitWhenSendingCopyState
    }
}

/// Which bugs there are in a system.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bugs(Option<Bug>);

impl Bugs {
    /// None.
    pub fn none() -> Bugs {
        Bugs(None)
    }

    /// This one.
    pub fn only(bug: Bug) -> Bugs {
        Bugs(Some(bug))
    }

    pub(crate) fn has(self, bug: Bug) -> bool {
        self.0 == Some(bug)
    }
}
