//! Routes: what an execution is to begin with, in names that all executions of a program understand.

use super::{Deed, Place};
use alloc::{collections::BTreeMap, vec::Vec};
use serde::{Deserialize, Serialize};

/// How an execution begins. Afterwards it goes on by itself.
#[derive(Clone, Debug, Default, PartialEq, Eq, Serialize, Deserialize)]
pub struct Route {
    /// What is done, in this order. Stores that are put into a buffer on the way are not told.
    pub deeds: Vec<Deed>,
    /// The answers to questions.
    pub answers: BTreeMap<Place, u32>,
    /// Whether the task of the last deed goes on after all others: what it has just seen is old then.
    pub gives_way: bool,
}
