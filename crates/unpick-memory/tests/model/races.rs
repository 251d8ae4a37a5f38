//! Races and uses of freed memory by definition: every access is held against every earlier access
//! to each of its bytes.

use unpick_memory::AccessKind;

use super::graph::Graph;

/// An access as the model remembers it; its place in the code is its number plus one.
#[derive(Clone, Copy, Debug)]
pub struct Entry {
    pub task: usize,
    pub node: usize,
    pub kind: AccessKind,
    pub address: usize,
    pub size: usize,
}

impl Entry {
    pub fn writes(&self) -> bool {
        matches!(self.kind, AccessKind::Write | AccessKind::AtomicWrite)
    }

    fn atomic(&self) -> bool {
        matches!(self.kind, AccessKind::AtomicRead | AccessKind::AtomicWrite)
    }
}

/// What the model says of an access.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Verdict {
    Fine,
    Race,
    UseAfterFree,
}

#[derive(Clone, Default)]
struct Byte {
    /// Since it was allocated.
    accesses: Vec<usize>,
    freed_by: Option<usize>,
}

pub struct Races {
    pub entries: Vec<Entry>,
    /// The address of the first byte.
    base: usize,
    bytes: Vec<Byte>,
}

impl Races {
    pub fn new(base: usize, size: usize) -> Races {
        Races {
            entries: Vec::new(),
            base,
            bytes: vec![Byte::default(); size],
        }
    }

    pub fn verdict(&self, graph: &Graph, later: &Entry) -> Verdict {
        let mut verdict = Verdict::Fine;
        for byte in self.bytes_of(later) {
            if byte.freed_by.is_some() {
                return Verdict::UseAfterFree;
            }
            if byte
                .accesses
                .iter()
                .any(|one| self.races(graph, *one, later))
            {
                verdict = Verdict::Race;
            }
        }
        verdict
    }

    /// Whether a remembered access to one of its bytes races with a new one.
    pub fn races_somewhere(&self, graph: &Graph, earlier: usize, later: &Entry) -> bool {
        self.races(graph, earlier, later)
            && self
                .bytes_of(later)
                .any(|byte| byte.accesses.contains(&earlier))
    }

    /// Whether one of the bytes of an access was freed by another one.
    pub fn freed_by(&self, entry: &Entry, free: usize) -> bool {
        self.bytes_of(entry).any(|byte| byte.freed_by == Some(free))
    }

    /// Remembers an access.
    pub fn push(&mut self, entry: Entry) {
        let number = self.entries.len();
        self.entries.push(entry);
        for byte in self.bytes_mut(entry.address, entry.size) {
            byte.accesses.push(number);
        }
    }

    pub fn free(&mut self, entry: Entry) {
        let number = self.entries.len();
        self.entries.push(entry);
        for byte in self.bytes_mut(entry.address, entry.size) {
            byte.freed_by = Some(number);
        }
    }

    pub fn allocate(&mut self, address: usize, size: usize) {
        for byte in self.bytes_mut(address, size) {
            byte.accesses.clear();
            byte.freed_by = None;
        }
    }

    /// The accesses to each byte since it was allocated.
    pub fn histories(&self) -> impl Iterator<Item = &Vec<usize>> {
        self.bytes.iter().map(|byte| &byte.accesses)
    }

    fn bytes_of(&self, entry: &Entry) -> impl Iterator<Item = &Byte> {
        let start = entry.address - self.base;
        self.bytes[start..start + entry.size].iter()
    }

    fn bytes_mut(&mut self, address: usize, size: usize) -> &mut [Byte] {
        let start = address - self.base;
        &mut self.bytes[start..start + size]
    }

    fn races(&self, graph: &Graph, earlier: usize, later: &Entry) -> bool {
        let earlier = &self.entries[earlier];
        earlier.task != later.task
            && (earlier.writes() || later.writes())
            && !(earlier.atomic() && later.atomic())
            && !graph.reaches(earlier.node, later.node)
    }
}
