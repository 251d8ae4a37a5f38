//! The bugs of the study, each behind a switch.

/// A bug, by its name in the thesis. Where that explains nothing but the name, the meaning is a reading of it.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord)]
pub enum Bug {
    /// 0: the platform asserts that all secondaries are active when the primary replicates. (A reading.)
    BadAssertInPrimaryReplicateOp,
    /// 1: a secondary that was promoted stays listed as a secondary, so that clients look for ever.
    UpdateServiceEndpointTooEarly,
    /// 2: a secondary is promoted while it still applies operations, and their numbers are given out again.
    PromotePrimaryImmediately,
    /// 3: the first fix of 2, which waits for the secondary that is promoted, but not for the others.
    PromotePrimaryImmediatelyBadFix,
    /// 5: the cluster waits for the service, which waits for the cluster to give it an id.
    BlockForNextId,
    /// 6: a copy is asked for when there is no primary. (A reading.)
    GetCopyStreamNPE,
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
    /// 14: the client asks again for what is under way.
    SendDuplicateRequests,
}

impl Bug {
    /// All that are modelled.
    pub const ALL: [Bug; 12] = [
        Bug::BadAssertInPrimaryReplicateOp,
        Bug::UpdateServiceEndpointTooEarly,
        Bug::PromotePrimaryImmediately,
        Bug::PromotePrimaryImmediatelyBadFix,
        Bug::BlockForNextId,
        Bug::GetCopyStreamNPE,
        Bug::DontClearCreateReplicasList,
        Bug::DoReplicateWithoutMutex,
        Bug::DontWaitWhenSendingCopyState,
        Bug::CommitAckedOpImmediately,
        Bug::CommitAckedOpImmediatelySkipAssertions,
        Bug::SendDuplicateRequests,
    ];
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
