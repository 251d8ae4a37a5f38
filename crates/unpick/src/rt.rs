//! The fiber runtime: runs the tasks of an execution on one operating-system thread.
//!
//! Every task is a fiber with its own stack. A task that reaches a visible operation announces it to
//! the engine, lets the strategy decide on the spot, and switches only if another task goes on. All
//! memory, stacks included, is kept from execution to execution.
//!
//! This is the only part of the crate that contains `unsafe`. The rest of the crate sees five
//! things: [`operate`] and its relatives perform a visible operation of the running task, [`spawn`]
//! creates one, [`scope`] lets tasks borrow, [`Modelled`] ties a value to its object, and [`Runtime`]
//! runs executions.
//!
//! Invariants:
//! - `CURRENT` is not null exactly while a fiber of that runtime runs on this thread.
//! - No reference into the runtime is live across a switch.
//! - Tasks are torn down youngest first, so that what a scoped task borrows outlives it.

mod context;
mod fiber;
mod guarded;
mod local;
mod memory;
mod object_cell;
mod overflow;
mod packet;
mod panic_hook;
mod panicking;
mod queue;
mod ring;
mod runtime;
mod scope;
mod shared;
mod spawn;
mod statics;
mod task;
mod watchdog;

pub(crate) use guarded::{Guarded, Hold, Queued};
pub(crate) use local::{TaskLocal, task_local};
pub(crate) use memory::{access_plainly, keep_bytes, put_bytes, take_back};
pub(crate) use object_cell::{Modelled, ObjectCell};
pub(crate) use packet::{Crop, packet};
pub(crate) use panicking::{like_caller, on_fit_thread};
pub(crate) use queue::Queue;
pub(crate) use runtime::{Runtime, STACK_SIZE};
pub use scope::{Scope, scope};
pub(crate) use scope::{ScopeKind, ScopedTasks};
pub(crate) use shared::Shared;
pub(crate) use spawn::{spawn, spawn_all};
pub(crate) use task::{
    Answer, Seen, abandon, access, add_object, add_sender, ask, clock_look, current_task, enlist,
    give_up_lock, heat, intend_to_wait, is_finished, is_in_task, is_over, is_watched, label,
    name_object, note_use, observe, observe_failed_exchange, operate, operate_at, operate_at_once,
    operate_calmly, operate_fence, operate_fully, operate_inside, operate_on_task, operate_until,
    operate_until_at, operate_with, operate_without_object, park_prepare, prefers_writers,
    set_timer, stamp, task_name, weak_failure,
};
pub(crate) use watchdog::WATCHDOG;
