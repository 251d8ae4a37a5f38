//! Why a text names no strategy.

use alloc::string::String;

/// Why a text names no strategy.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum SpecError {
    /// No technique of that name.
    #[error("unknown strategy `{name}`; there are {known}")]
    UnknownName {
        /// The name given.
        name: String,
        /// The names there are.
        known: String,
    },
    /// The technique has no such parameter.
    #[error("strategy `{name}` has no parameter `{parameter}`; {known}")]
    UnknownParameter {
        /// The technique.
        name: &'static str,
        /// The parameter given.
        parameter: String,
        /// What it has instead.
        known: String,
    },
    /// A value that is no number or out of range.
    #[error("`{value}` is no value for `{name}:{parameter}`; give a number from {min} to {max}")]
    BadValue {
        /// The technique.
        name: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: String,
        /// Smallest value.
        min: u64,
        /// Largest value.
        max: u64,
    },
    /// A value that is none of the words there are.
    #[error("`{value}` is no value for `{name}:{parameter}`; give {words}")]
    BadWord {
        /// The technique.
        name: &'static str,
        /// The parameter.
        parameter: &'static str,
        /// The value given.
        value: String,
        /// The words.
        words: String,
    },
    /// Two parameters that cannot be had together.
    #[error("strategy `{name}` takes either `{one}` or `{other}`; give one of them")]
    Exclusive {
        /// The technique.
        name: &'static str,
        /// One of the parameters.
        one: &'static str,
        /// The other one.
        other: &'static str,
    },
    /// One parameter twice.
    #[error("parameter `{parameter}` of strategy `{name}` is given twice; give it once")]
    Repeated {
        /// The technique.
        name: &'static str,
        /// The parameter.
        parameter: &'static str,
    },
}
