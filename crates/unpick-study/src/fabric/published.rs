//! Table 6.1 of the thesis.

use unpick_fabric::Bug;

/// The first schedule, and how many there are.
pub(super) type Found = Option<(u64, u64)>;

/// What a scheduler found of a bug.
#[derive(Clone, Copy)]
pub(super) struct Published {
    pub buggy: Found,
    pub livelocks: Found,
}

impl Published {
    pub fn is_found(&self) -> bool {
        self.buggy.is_some() || self.livelocks.is_some()
    }
}

/// What both found of a bug.
pub(super) struct Row {
    pub bug: Bug,
    pub random: Published,
    pub pct: Published,
}

const fn row(bug: Bug, random: Found, pct: Found, pct_livelocks: Found) -> Row {
    Row {
        bug,
        random: Published {
            buggy: random,
            livelocks: None,
        },
        pct: Published {
            buggy: pct,
            livelocks: pct_livelocks,
        },
    }
}

/// By number of the bug. Random scheduling met no livelock.
#[rustfmt::skip]
pub(super) const PUBLISHED: [Row; Bug::ALL.len()] = [
    row(Bug::BadAssertInPrimaryReplicateOp, None, Some((186, 118)), None),
    row(Bug::UpdateServiceEndpointTooEarly, None, None, Some((19, 1_036))),
    row(Bug::PromotePrimaryImmediately, None, Some((124, 129)), None),
    row(Bug::PromotePrimaryImmediatelyBadFix, None, Some((6_568, 1)), None),
    row(Bug::UpdateSecondaryEpochTooEarly, None, None, None),
    row(Bug::BlockForNextId, Some((1, 9_999)), Some((6, 5_522)), None),
    row(Bug::GetCopyStreamNPE, Some((6, 1_427)), Some((6, 1_558)), None),
    row(Bug::ActiveSecondaryCopyStreamDoneButCancelled, None, Some((1_477, 44)), None),
    row(Bug::SecondaryCopyStreamDoneButCancelled, None, Some((124, 21)), Some((914, 3))),
    row(Bug::DontClearCreateReplicasList, None, Some((244, 3)), None),
    row(Bug::DoReplicateWithoutMutex, Some((7, 1_877)), Some((36, 103)), None),
    row(Bug::DontWaitWhenSendingCopyState, None, Some((244, 20)), None),
    row(Bug::CommitAckedOpImmediately, Some((15, 91)), Some((5, 1_083)), None),
    row(Bug::CommitAckedOpImmediatelySkipAssertions, Some((15, 91)), Some((5, 1_027)), Some((66, 34))),
    row(Bug::SendDuplicateRequests, Some((9, 1_491)), Some((5, 2_353)), None),
];
