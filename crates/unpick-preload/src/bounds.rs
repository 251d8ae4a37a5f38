//! Accesses beside the blocks of the heap: headers and what was not asked for are red zones.
//!
//! A word of a live block is looked up in the heap when it is used for the first time. From then on the
//! shadow knows it, and later accesses cost no more than before. A word that belongs to the block in part
//! keeps a mark in the shadow, so that accesses to the other part come here.

use crate::allocation;
use crate::memory::noun_of;
use crate::runtime::{Runtime, fail, runtime};
use alloc::format;
use alloc::string::String;
use unpick_memory::{AccessKind, Origin, Placed};
use unpick_trace::{FailureKind, ObjectKind, TaskId};

/// Bytes of a word of the shadow.
const WORD: usize = 8;
/// Bytes that every object of the C library has.
const OBJECT: usize = 4;

/// Ends the execution if an access to the heap is not inside of a live block.
#[inline]
pub fn check(address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    match this.heap.locate(address, size) {
        Some(block) if block.freed.is_some() || !block.holds(address, size) => {
            judge(&block, address, size, kind, pc);
        }
        _ => {}
    }
}

/// Marks the bytes behind a block, if the last word of an access holds some.
#[inline]
pub fn forbid_tail(address: usize, size: usize) {
    let this = runtime();
    let Some(block) = this.heap.locate(address, size) else {
        return;
    };
    let end = block.start + block.size;
    let is_last = !end.is_multiple_of(WORD) && (address + size - 1) / WORD == end / WORD;
    if is_last && block.freed.is_none() {
        this.shadow.forbid(end, WORD - end % WORD);
    }
}

/// Ends the execution if a lock or the like lies in memory of the heap that is not allocated.
#[inline]
pub fn check_object(address: usize, kind: ObjectKind, pc: usize) {
    let this = runtime();
    if !this.races || !allocation::is_in(address) {
        return;
    }
    match this.heap.locate(address, OBJECT) {
        Some(block) if block.holds(address, OBJECT) => {
            if let Some(freed) = block.freed {
                let (what, who) = (kind.word(), mention(this, freed, "freed"));
                let task = this.execution.trace().task_name(this.current);
                let message = format!("use after free: {who} the {what} that {task} uses");
                fail(FailureKind::UseAfterFree, &message, pc);
            }
        }
        Some(block) => judge(&block, address, OBJECT, AccessKind::AtomicWrite, pc),
        None => {}
    }
}

#[cold]
fn judge(block: &Placed, address: usize, size: usize, kind: AccessKind, pc: usize) {
    let this = runtime();
    if let Some(freed) = block.freed
        && block.holds(address, size)
    {
        // While others were there, the shadow has seen the free, and knows more.
        if this.watches_memory() && this.shadow.is_freed(address) {
            return;
        }
        let who = mention(this, freed, "freed memory");
        let task = this.execution.trace().task_name(this.current);
        let message = format!(
            "use after free: {who}, before the {} by {task}",
            noun_of(kind)
        );
        fail(FailureKind::UseAfterFree, &message, pc);
    }
    let end = block.start + block.size;
    let (what, side, distance) = match address < block.start {
        true => ("underflow", "before", block.start - address),
        false => ("overflow", "behind", address - end.min(address)),
    };
    let how = match address < end && address >= block.start {
        true => String::from("beginning in and going beyond"),
        false if distance == 0 => format!("right {side}"),
        false => format!("{} {side}", bytes(distance)),
    };
    let is_freed = if block.freed.is_some() {
        " and that is freed"
    } else {
        ""
    };
    let task = this.execution.trace().task_name(this.current);
    let who = mention(this, block.allocated, "allocated");
    let message = format!(
        "heap buffer {what}: {} of {} by {task}, {how} a block of {} that {who}{is_freed}",
        noun_of(kind),
        bytes(size),
        bytes(block.size),
    );
    fail(FailureKind::OutOfBounds, &message, pc)
}

fn bytes(count: usize) -> String {
    match count {
        1 => String::from("1 byte"),
        _ => format!("{count} bytes"),
    }
}

/// Who did something to a block, and where.
pub fn mention(this: &Runtime, by: Origin, did: &str) -> String {
    let task = TaskId(by.task());
    let name = this.execution.trace().task_name(task);
    format!("{name} {did} at {}", this.sites.mention(by.pc()))
}
