//! Where settings come from: `unpick.toml`, its profiles, and the environment.
//!
//! [`Key`] is the table of what can be set, [`Project`] what the file and the environment say, and
//! [`Settings`] what holds in the end, each with its [`Origin`]. It never knows what a setting does:
//! the front ends apply them. `docs/config.md` gives the order of precedence and the reasons.

mod error;
mod file;
mod key;
mod pattern;
mod project;
pub mod room;
mod settings;
mod value;

pub use error::ConfigError;
pub use key::Key;
pub use project::Project;
pub use settings::{Origin, Place, Setting, Settings};
pub use value::{Value, parse_delay, parse_duration, parse_number, parse_size};
