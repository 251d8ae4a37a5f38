//! Recognises a task that waits for a plain variable in a loop.
//!
//! Plain accesses are no points as a rule, so that such a task would go round for ever: nobody else runs. When a
//! task has made many plain reads without a step, its next accesses are looked at. If they are a few, again
//! and again, one of the reads becomes an operation, and so do further ones while it goes round; the
//! engine recognises the circle (`spin.rs` there) and lets others run. All this is counted, so that the same
//! schedule has the same points. Where points are learnt, the reads are.

use crate::plain;
use crate::runtime::runtime;
use unpick_memory::AccessKind;
use unpick_protocol::Points;

/// Plain reads without a step after which a task is looked at.
pub const PATIENCE: u32 = 1 << 16;

/// Accesses that are looked at, and different ones among them that a loop may have.
const LOOKED_AT: u32 = 256;
const DIFFERENT_MAX: usize = 16;

/// Reads from one point to the next of a task that spins, at first. It doubles each time, for loops that
/// compute and only look like it.
const AGAIN_AFTER: u32 = 1 << 9;

/// What is known of the accesses of the running task.
#[derive(Default)]
pub struct Spinning {
    /// Whether accesses are looked at.
    is_on: bool,
    looked_at: u32,
    /// Places and addresses; the first one is that of a read.
    seen: [(usize, usize); DIFFERENT_MAX],
    seen_count: usize,
    /// How many points there were in this execution.
    point_count: u32,
}

impl Spinning {
    pub fn reset(&mut self) {
        self.is_on = false;
        self.point_count = 0;
    }

    /// Takes an access in; answers whether it is one too many for a loop that waits.
    fn add(&mut self, access: (usize, usize)) -> bool {
        if self.seen[..self.seen_count].contains(&access) {
            return false;
        }
        if self.seen_count == DIFFERENT_MAX {
            return true;
        }
        self.seen[self.seen_count] = access;
        self.seen_count += 1;
        false
    }
}

/// The running task has made many reads: its accesses are looked at from now on, which begin with a read.
#[cold]
pub fn begin() {
    let this = runtime();
    this.patience = PATIENCE;
    if !this.is_alone() && !this.spinning.is_on {
        this.spinning.is_on = true;
        this.spinning.looked_at = 0;
        this.spinning.seen_count = 0;
        this.is_calm = false;
    }
}

/// Looks at an access, if that is asked for: one of a loop that waits is a point.
#[inline]
pub fn look(address: usize, size: usize, kind: AccessKind, pc: usize) {
    if runtime().spinning.is_on {
        look_closely(address, size, kind, pc);
    }
}

#[cold]
fn look_closely(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    let spinning = &mut this.spinning;
    if spinning.seen_count == 0 && kind != AccessKind::Read {
        return;
    }
    spinning.looked_at += 1;
    let is_varied = spinning.add((pc, address));
    let is_enough = spinning.looked_at >= LOOKED_AT && spinning.seen[0] == (pc, address);
    if !is_varied && !is_enough {
        return;
    }
    spinning.is_on = false;
    this.is_calm = this.points == Points::Sync;
    if is_varied {
        return;
    }
    let after = AGAIN_AFTER << spinning.point_count.min(7);
    spinning.point_count += 1;
    if this.points.are_learnt() {
        this.shadow.shared_mut().insert(pc);
    }
    plain::perform(this, address, size, kind, pc);
    // Another task may have run meanwhile, and has its own loops.
    runtime().patience = after;
}
