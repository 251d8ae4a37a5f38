//! Where in the program an operation stands: program counters of the call and of its callers.
//!
//! The driver finds file and line. A site holds a few frames, because the innermost ones are often in
//! a library that was compiled into the program.

use crate::address_table::AddressTable;
use crate::libraries;
use alloc::{format, string::String, vec::Vec};
use unpick_engine::Execution;
use unpick_protocol::Module;
use unpick_trace::{Site, SiteId};

/// Frames that are kept of a place.
const FRAMES_MAX: usize = 6;

/// Callers among them.
const CALLERS_MAX: usize = FRAMES_MAX - 1;

/// The calls a task is in, as far as its functions tell.
#[derive(Clone, Default)]
pub struct Calls {
    /// Return addresses, outermost first. Before them are so many zeros that there are always as many as
    /// are kept of a place; nothing at all before the first one.
    returns: Vec<usize>,
    /// The last place that was asked for, and its number, as long as the calls are the same.
    last: Option<(usize, SiteId)>,
}

impl Calls {
    pub fn clear(&mut self) {
        self.returns.truncate(CALLERS_MAX);
        self.last = None;
    }

    /// Takes over the calls of another one.
    pub fn copy_from(&mut self, other: &Calls) {
        self.clear();
        for frame in other.returns.iter().skip(CALLERS_MAX) {
            self.enter(*frame);
        }
    }

    #[inline]
    pub fn enter(&mut self, return_address: usize) {
        if self.returns.is_empty() {
            self.returns.extend([0; CALLERS_MAX]);
        }
        self.returns.push(return_address);
        self.last = None;
    }

    /// The same if that needs no more memory. Answers whether it did.
    #[inline]
    pub fn enter_if_room(&mut self, return_address: usize) -> bool {
        // Without any there are no zeros either, and no room.
        let has_room = self.returns.len() < self.returns.capacity();
        if has_room {
            self.returns.push(return_address);
            self.last = None;
        }
        has_room
    }

    #[inline]
    pub fn leave(&mut self) {
        if self.returns.len() > CALLERS_MAX {
            self.returns.pop();
        }
        self.last = None;
    }

    /// A number for a place with its callers. Each frame has a factor of its own, so that none waits for
    /// the one before it.
    #[inline]
    fn key(&self, pc: usize) -> u64 {
        const FACTORS: [u64; CALLERS_MAX] = [
            0x94d0_49bb_1331_11eb,
            0xbf58_476d_1ce4_e5b9,
            0xd6e8_feb8_6659_fd93,
            0x9e37_79b9_7f4a_7c15,
            0x517c_c1b7_2722_0a95,
        ];
        let Some(frames) = self.returns.last_chunk::<CALLERS_MAX>() else {
            return pc as u64;
        };
        let frames = frames.iter().zip(FACTORS);
        frames.fold(pc as u64, |key, (frame, factor)| {
            key.wrapping_add((*frame as u64).wrapping_mul(factor))
        })
    }

    /// Return addresses, innermost first.
    pub fn innermost(&self) -> impl Iterator<Item = usize> + '_ {
        let frames = self.returns.iter().rev().copied();
        frames.take(CALLERS_MAX).take_while(|frame| *frame != 0)
    }
}

/// Numbers for places.
pub struct Sites {
    known: AddressTable,
    pub modules: Vec<Module>,
    /// How many of them the program begins with; the others it loads.
    first_count: usize,
}

impl Sites {
    pub fn new(modules: Vec<Module>) -> Sites {
        Sites {
            known: AddressTable::new(),
            first_count: modules.len(),
            modules,
        }
    }

    /// Whether the program begins with a module.
    pub fn begins_with(&self, module: &Module) -> bool {
        self.modules[..self.first_count].contains(module)
    }

    /// Takes note of what is loaded now. A module keeps its number wherever it lies.
    pub fn learn(&mut self, loaded: Vec<Module>) {
        for module in loaded {
            match self
                .modules
                .iter_mut()
                .find(|known| known.path == module.path)
            {
                Some(known) => *known = module,
                None => self.modules.push(module),
            }
        }
    }

    /// Forgets all numbers, for another `Execution`.
    pub fn clear(&mut self) {
        self.known.clear();
    }

    /// The number of a place.
    #[inline]
    pub fn intern(&mut self, pc: usize, calls: &mut Calls, execution: &mut Execution) -> SiteId {
        if let Some((last, site)) = calls.last
            && last == pc
        {
            return site;
        }
        let key = calls.key(pc);
        let site = match self.known.get(key) {
            Some(number) => SiteId(number),
            None => self.add(key, pc, calls, execution),
        };
        calls.last = Some((pc, site));
        site
    }

    #[cold]
    fn add(&mut self, key: u64, pc: usize, calls: &Calls, execution: &mut Execution) -> SiteId {
        if self.module_at(pc).is_none() {
            self.learn(libraries::modules());
        }
        let file = self.frames(pc, calls);
        let site = execution.add_site(Site::new(file, 0, 0));
        self.known.insert(key, site.0);
        site
    }

    /// A place in the code as the driver finds it in a message: `@MODULE:OFFSET@`.
    pub fn mention(&self, return_address: usize) -> String {
        format!("@{}@", self.frame(return_address))
    }

    /// The same for a place with its callers, of which the driver takes the one that says most.
    pub fn mention_with(&self, return_address: usize, calls: &Calls) -> String {
        format!("@{}@", self.frames(return_address, calls))
    }

    /// A place and its callers, innermost first.
    fn frames(&self, return_address: usize, calls: &Calls) -> String {
        let mut frames = self.frame(return_address);
        for frame in calls.innermost() {
            frames.push(' ');
            frames.push_str(&self.frame(frame));
        }
        frames
    }

    /// A place in memory as the driver finds it in a message: `&MODULE:OFFSET&`.
    pub fn mention_data(&self, address: usize) -> String {
        format!("&{}&", self.frame(address + 1))
    }

    /// A return address as `MODULE:OFFSET` of the call before it; `-` if no module is there.
    pub fn frame(&self, return_address: usize) -> String {
        match self.module_at(return_address) {
            Some(number) => {
                let call = return_address as u64 - 1;
                format!("{number}:{:x}", call - self.modules[number].base)
            }
            None => String::from("-"),
        }
    }

    /// Whether code of the program or of a library lies there.
    pub fn knows(&self, pc: usize) -> bool {
        self.module_at(pc + 1).is_some()
    }

    /// The number of the module that a call returns to.
    fn module_at(&self, return_address: usize) -> Option<usize> {
        let call = (return_address as u64).saturating_sub(1);
        let is_in = |module: &Module| (module.start..module.end).contains(&call);
        self.modules.iter().position(is_in)
    }
}
