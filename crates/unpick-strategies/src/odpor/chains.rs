//! For every location, the units that touched it last.

use alloc::vec::Vec;
use unpick_engine::{Access, Mode};

/// Units that touch a location in a mode in which they commute, and those that touched it before.
#[derive(Clone)]
struct Chain {
    part: u32,
    mode: Mode,
    group: Vec<usize>,
    previous: Vec<usize>,
}

/// The chains of all locations, by object.
#[derive(Clone, Default)]
pub(super) struct Chains {
    chains: Vec<Vec<Chain>>,
}

impl Chains {
    pub fn clear(&mut self) {
        self.chains.iter_mut().for_each(Vec::clear);
    }

    /// The units that an access would directly follow.
    pub fn before(&self, access: &Access) -> &[usize] {
        let chains = self.chains.get(access.location.object.index());
        let mut chains = chains.into_iter().flatten();
        match chains.find(|chain| chain.part == access.location.part) {
            None => &[],
            Some(chain) if chain.mode.commutes_with(access.mode) => &chain.previous,
            Some(chain) => &chain.group,
        }
    }

    /// Notes an access of a unit.
    pub fn add(&mut self, access: &Access, unit: usize) {
        let object = access.location.object.index();
        if self.chains.len() <= object {
            self.chains.resize(object + 1, Vec::new());
        }
        let (chains, part) = (&mut self.chains[object], access.location.part);
        let Some(chain) = chains.iter_mut().find(|chain| chain.part == part) else {
            return chains.push(Chain {
                part,
                mode: access.mode,
                group: Vec::from([unit]),
                previous: Vec::new(),
            });
        };
        if !chain.mode.commutes_with(access.mode) {
            chain.mode = access.mode;
            core::mem::swap(&mut chain.previous, &mut chain.group);
            chain.group.clear();
        }
        chain.group.push(unit);
    }
}
