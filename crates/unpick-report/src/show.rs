//! A recorded schedule to look at: as columns of text, as a page, as a file for a viewer of traces.
//!
//! All three are drawn from one [`Timeline`], which knows of every step what it did, which locks its task
//! holds after it, and which steps of other tasks it comes after. Nothing is run and no file is touched:
//! whoever asks hands in a function that reads the files that the places of a trace name.

mod arrows;
mod columns;
mod ending;
mod folding;
mod json;
mod locks;
mod page;
mod perfetto;
mod sources;
mod timeline;

pub use columns::{Columns, columns, schedule};
pub use page::page;
pub use perfetto::perfetto;
pub use sources::{Sources, printable};
pub use timeline::Timeline;
