//! The kinds of places in a program at which noise may fire and a trace entry may be made.

use alloc::vec::Vec;
use core::fmt;

macro_rules! operations {
    ($($category:ident $category_name:literal { $($variant:ident $name:literal $sides:ident $meaning:literal;)* })*) => {
        /// What belongs together on a command line.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        pub enum Category { $(#[doc = $category_name] $category,)* }

        impl Category {
            /// All of them.
            pub const ALL: &[Category] = &[$(Category::$category),*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $(Category::$category => $category_name,)* }
            }
        }

        /// What a thread does, as a free execution sees it.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
        #[repr(u8)]
        pub enum Operation { $($(#[doc = $meaning] $variant,)*)* }

        impl Operation {
            /// All of them, in the order of their numbers.
            pub const ALL: &[Operation] = &[$($(Operation::$variant,)*)*];

            /// The name on the command line.
            pub fn name(self) -> &'static str {
                match self { $($(Operation::$variant => $name,)*)* }
            }

            /// What it is.
            pub fn meaning(self) -> &'static str {
                match self { $($(Operation::$variant => $meaning,)*)* }
            }

            /// What it belongs to.
            pub fn category(self) -> Category {
                match self { $($(Operation::$variant => Category::$category,)*)* }
            }

            /// Before it, after it, or both.
            pub fn sides(self) -> &'static [Side] {
                match self { $($(Operation::$variant => $sides,)*)* }
            }
        }
    };
}

const BOTH: &[Side] = &[Side::Before, Side::After];
const BEFORE: &[Side] = &[Side::Before];
const AFTER: &[Side] = &[Side::After];

operations! {
    Lock "locks" {
        Lock "lock" BOTH "a mutex or a spin lock is locked";
        TryLock "try-lock" BOTH "a mutex or a spin lock is locked if it is free";
        Unlock "unlock" BOTH "a mutex or a spin lock is unlocked";
    }
    Condvar "condvars" {
        Wait "wait" BOTH "a condition variable is waited for";
        NotifyOne "notify-one" BOTH "one waiter of a condition variable is woken";
        NotifyAll "notify-all" BOTH "all waiters of a condition variable are woken";
    }
    Thread "threads" {
        Create "create" BOTH "a thread is created";
        Begin "begin" AFTER "a thread begins, before its first statement";
        End "end" BEFORE "a thread ends, behind its last statement";
        Join "join" BOTH "the end of a thread is waited for";
    }
    RwLock "rwlocks" {
        ReadLock "read-lock" BOTH "a reader-writer lock is locked for reading";
        WriteLock "write-lock" BOTH "a reader-writer lock is locked for writing";
        RwTryLock "rw-try-lock" BOTH "a reader-writer lock is locked if that is possible";
        RwUnlock "rw-unlock" BOTH "a reader-writer lock is unlocked";
    }
    Semaphore "semaphores" {
        Acquire "acquire" BOTH "a semaphore is waited for";
        TryAcquire "try-acquire" BOTH "a permit of a semaphore is taken if there is one";
        Release "release" BOTH "a permit is given to a semaphore";
    }
    Barrier "barriers" {
        BarrierWait "barrier" BOTH "a barrier is waited at";
    }
    Once "once" {
        Once "once" BOTH "something is initialised once";
    }
    Atomic "atomics" {
        Load "load" BOTH "an atomic is read";
        Store "store" BOTH "an atomic is written";
        Update "update" BOTH "an atomic is changed: exchange, addition, compare and exchange";
        Fence "fence" BOTH "a fence";
    }
    Memory "memory" {
        Read "read" BEFORE "plain memory is read";
        Write "write" BEFORE "plain memory is written";
    }
    Io "io" {
        Input "input" BOTH "something is read or received from a descriptor";
        Output "output" BOTH "something is written or sent to a descriptor";
        Poll "poll" BOTH "descriptors are waited for";
    }
    Futex "futexes" {
        FutexWait "futex-wait" BOTH "a futex is waited for: locks of Rust and C++ when there is a queue";
        FutexWake "futex-wake" BOTH "waiters of a futex are woken";
    }
    Sleep "sleeps" {
        Sleep "sleep" BOTH "the program sleeps by itself";
        Yield "yield" BOTH "the program yields by itself";
    }
}

/// Before or after an operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
#[repr(u8)]
pub enum Side {
    /// The thread has come to the operation.
    Before,
    /// The operation is done.
    After,
}

/// Numbers of placements are smaller than this.
pub const PLACEMENT_COUNT: usize = 64;

/// Before or after a kind of operation.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, PartialOrd, Ord)]
pub struct Placement {
    /// The operation.
    pub operation: Operation,
    /// Which side of it.
    pub side: Side,
}

impl Placement {
    /// Before an operation.
    #[inline]
    pub const fn before(operation: Operation) -> Placement {
        Placement {
            operation,
            side: Side::Before,
        }
    }

    /// After an operation.
    #[inline]
    pub const fn after(operation: Operation) -> Placement {
        Placement {
            operation,
            side: Side::After,
        }
    }

    /// Every placement there is.
    pub fn all() -> impl Iterator<Item = Placement> {
        Operation::ALL.iter().flat_map(|&operation| {
            let sides = operation.sides().iter();
            sides.map(move |&side| Placement { operation, side })
        })
    }

    /// Its number, below [`PLACEMENT_COUNT`].
    #[inline]
    pub const fn number(self) -> usize {
        2 * self.operation as usize + self.side as usize
    }

    /// The placement of a number, if there is one.
    pub fn of_number(number: usize) -> Option<Placement> {
        let operation = *Operation::ALL.get(number / 2)?;
        let side = BOTH[number % 2];
        operation
            .sides()
            .contains(&side)
            .then_some(Placement { operation, side })
    }

    /// The name on the command line: `before-lock`.
    pub fn name(self) -> alloc::string::String {
        alloc::format!("{self}")
    }
}

impl fmt::Display for Placement {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let side = match self.side {
            Side::Before => "before",
            Side::After => "after",
        };
        write!(f, "{side}-{}", self.operation.name())
    }
}

/// A set of placements.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[repr(transparent)]
pub struct Placements(pub u64);

impl Placements {
    /// Every placement there is.
    pub fn all() -> Placements {
        Placement::all().collect()
    }

    /// Whether it is empty.
    pub fn is_empty(self) -> bool {
        self.0 == 0
    }

    /// Whether a placement is in it.
    #[inline]
    pub const fn contains(self, placement: Placement) -> bool {
        self.0 >> placement.number() & 1 != 0
    }

    /// What is in one or the other.
    pub fn union(self, other: Placements) -> Placements {
        Placements(self.0 | other.0)
    }

    /// Those in it.
    pub fn iter(self) -> impl Iterator<Item = Placement> {
        Placement::all().filter(move |&placement| self.contains(placement))
    }

    /// What a name means: a placement (`before-lock`), an operation (`lock`, both sides), a category
    /// (`locks`), `sync` (all but plain memory, input and output, and the program's own sleeps) or `all`.
    pub fn named(name: &str) -> Option<Placements> {
        let of = |wanted: &dyn Fn(Placement) -> bool| {
            let found: Placements = Placement::all().filter(|&one| wanted(one)).collect();
            (!found.is_empty()).then_some(found)
        };
        let name = name.trim();
        match name {
            "all" => return Some(Placements::all()),
            "sync" => return of(&|one| is_synchronisation(one.operation.category())),
            _ => {}
        }
        of(&|one| one.operation.category().name() == name)
            .into_iter()
            .chain(of(&|one| {
                one.operation.name() == name || one.name() == name
            }))
            .reduce(Placements::union)
    }

    /// The names of what can be named besides single placements.
    pub fn names() -> Vec<&'static str> {
        let operations = Operation::ALL.iter().map(|operation| operation.name());
        let categories = Category::ALL.iter().map(|category| category.name());
        let mut names: Vec<_> = categories
            .chain(operations)
            .chain(["sync", "all"])
            .collect();
        names.dedup();
        names
    }
}

fn is_synchronisation(category: Category) -> bool {
    !matches!(category, Category::Memory | Category::Io | Category::Sleep)
}

impl FromIterator<Placement> for Placements {
    fn from_iter<I: IntoIterator<Item = Placement>>(placements: I) -> Placements {
        let bits = placements
            .into_iter()
            .map(|placement| 1 << placement.number());
        Placements(bits.fold(0, |all, bit: u64| all | bit))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn numbers_and_names_are_unique_and_lead_back() {
        let all: Vec<Placement> = Placement::all().collect();
        for &placement in &all {
            assert!(placement.number() < PLACEMENT_COUNT);
            assert_eq!(Placement::of_number(placement.number()), Some(placement));
            let named = Placements::named(&placement.name()).expect("it has a name");
            assert!(named.contains(placement));
            assert_eq!(named.iter().count(), 1, "{placement}");
        }
        assert_eq!(Placements::all().iter().count(), all.len());
    }

    #[test]
    fn categories_are_disjoint_and_cover_everything() {
        let of = |category: &Category| Placements::named(category.name()).unwrap();
        let sets: Vec<Placements> = Category::ALL.iter().map(of).collect();
        let sum: u32 = sets.iter().map(|set| set.0.count_ones()).sum();
        let union = sets
            .into_iter()
            .fold(Placements::default(), Placements::union);
        assert_eq!(union, Placements::all());
        assert_eq!(sum, Placements::all().0.count_ones());
    }

    #[test]
    fn names_mean_categories_operations_or_single_placements() {
        let count = |name| Placements::named(name).map(|set| set.iter().count());
        assert_eq!(count("locks"), Some(6));
        assert_eq!(count("lock"), Some(2));
        assert_eq!(count("after-unlock"), Some(1));
        assert_eq!(count("once"), Some(2));
        assert_eq!(count("memory"), Some(2));
        assert_eq!(count("before-begin"), None);
        assert_eq!(count("lokcs"), None);
    }
}
