//! What the driver of a native program and the runtime inside it tell each other.
//!
//! Data only: the layout of the memory they share, orders and answers. Neither side's work is here.
//! The driver makes a [`Desk`] in memory that both map, puts an [`Order`] on it and waits for the
//! [`Answer`]. While the runtime works, its progress can be read off the desk.

#![no_std]

extern crate alloc;

mod desk;
mod free;
mod message;
mod standard;

pub use desk::{
    ANSWER_MAX, DESK_SIZE, DESK_VARIABLE, DESKS_MAX, Desk, FRAMES_MAX, LOOK_SIGNAL, ORDER_MAX,
    STOP_AFTER_EXECUTION, STOP_AT_NEXT_STEP,
};
pub use free::{
    CHANGES_MAX, CONFLICTS, FREE_VARIABLE, FreeDesk, FreeEvent, FreeThread, OWNERS, Owner,
    PriorityDesk, PriorityOrder, STACK_MAX, Touch, UNKNOWN, VISITS,
};
pub use message::{
    Answer, Backend, Launch, Lead, Module, NamedCode, Order, Points, Reexecution, Trouble,
    TroubleKind, Work, decode, encode, seal, unseal,
};
pub use standard::{JUMP_SIZE, StandardCode, StandardFunction, Start};
