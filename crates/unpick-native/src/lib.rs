//! Drives native programs under control: building them, launching them, reading what they did.

pub mod cargo;
pub mod compile;
pub mod doctor;
pub mod drive;
pub mod free;
pub mod ibm;
pub mod install;
pub mod lifetime;
pub mod memory_file;
pub mod program;
pub mod symbols;

pub use unpick_noise as noise;
pub use unpick_protocol as protocol;
