//! What becomes of a message.

use super::{Faults, Kind};
use crate::system::WeakHandle;
use crate::{Handle, Proxy, actor};
use std::any::Any;
use std::collections::BTreeMap;
use std::mem::take;
use std::sync::{Mutex, MutexGuard, OnceLock, PoisonError};
use unpick::sync::atomic::{AtomicU64, Ordering};
use unpick::{Named, choose, thread};

/// What becomes of a message.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Fate {
    Arrives,
    IsLost,
    ArrivesTwice,
    ArrivesLater,
    IsOvertaken,
}

/// What an actor panics with that crashes by a fault.
pub(crate) struct Crashed {
    /// Whether it loses what it had stored.
    pub is_wiped: bool,
}

/// Bits of a budget.
const WIDTH: u32 = 8;

/// Set while the groups are apart: above all budgets.
const APART: u64 = 1 << 63;

/// Injects the faults of an execution.
#[derive(Default)]
pub(crate) struct Injector {
    plan: OnceLock<Plan>,
    /// The actors that can crash, by name, and whether they can lose what they stored.
    crashable: Mutex<BTreeMap<String, bool>>,
    /// The system, to create couriers in.
    home: OnceLock<WeakHandle>,
    /// By sender and receiver.
    couriers: Mutex<BTreeMap<(String, String), CarryProxy>>,
    /// Messages that were lost. They are kept, since who waits for an answer does not learn of it.
    limbo: Mutex<Vec<Box<dyn Any + Send>>>,
}

struct Plan {
    faults: Faults,
    /// What is left of the budgets, and whether the groups are apart.
    left: AtomicU64,
}

impl Injector {
    /// Begins to inject faults.
    ///
    /// # Panics
    /// If it has begun before.
    pub fn begin(&self, faults: Faults, system: &Handle) {
        let packed = |kind: &Kind| u64::from(faults.budgets[*kind as usize]) << shift(*kind);
        let left = AtomicU64::new(Kind::ALL.iter().map(packed).sum());
        left.set_name("faults");
        self.home.get_or_init(|| system.downgrade());
        let plan = Plan { faults, left };
        assert!(
            self.plan.set(plan).is_ok(),
            "faults are injected twice into one system; say all at once"
        );
    }

    /// Whether there are faults.
    pub fn has_begun(&self) -> bool {
        self.plan.get().is_some()
    }

    /// Who carries the messages of the running task to an actor: a courier if they are overtaken now, or were
    /// once, so that they keep their order.
    #[track_caller]
    pub fn courier(&self, to: &str, fate: Fate) -> Option<CarryProxy> {
        let from = sender();
        let lane = (from, to.to_string());
        let known = lock(&self.couriers).get(&lane).cloned();
        if known.is_some() || fate != Fate::IsOvertaken {
            return known;
        }
        let system = self.home.get().and_then(WeakHandle::upgrade)?;
        let name = format!("courier from {} to {to}", lane.0);
        let courier = CarryProxy::create(&system, name, Courier);
        lock(&self.couriers).insert(lane, courier.clone());
        Some(courier)
    }

    /// Takes in an actor that can crash.
    pub fn add_crashable(&self, name: &str, can_be_wiped: bool) {
        lock(&self.crashable).insert(name.to_string(), can_be_wiped);
    }

    /// Keeps a message that was lost.
    pub fn lose(&self, message: impl Any + Send) {
        lock(&self.limbo).push(Box::new(message));
    }

    /// Drops the messages that were lost, and who carried others: they know the system.
    pub fn forget_lost(&self) {
        let lost = take(&mut *lock(&self.limbo));
        let couriers = take(&mut *lock(&self.couriers));
        drop((lost, couriers));
    }

    /// Decides about a message that the running task sends. May crash it instead.
    #[track_caller]
    pub fn fate(&self, to: &str, can_be_copied: bool) -> Fate {
        let Some(plan) = self.plan.get() else {
            return Fate::Arrives;
        };
        let from = sender();
        if !(plan.faults.between)(&from, to) {
            return Fate::Arrives;
        }
        let mut kinds = vec![Kind::Loss, Kind::Delay, Kind::Reordering];
        if can_be_copied {
            kinds.push(Kind::Duplication);
        }
        let group = &plan.faults.group;
        let is_crossing = group(&from) != group(to);
        if is_crossing {
            kinds.push(Kind::Partition);
        }
        kinds.extend(self.crashes_of(&from));
        let left = plan.left.load(Ordering::SeqCst);
        if is_crossing && left & APART != 0 {
            match choose(2) {
                0 => drop(plan.left.fetch_and(!APART, Ordering::SeqCst)),
                _ => return Fate::IsLost,
            }
        }
        match plan.strike(left, &kinds) {
            None => Fate::Arrives,
            Some(Kind::Loss | Kind::Partition) => Fate::IsLost,
            Some(Kind::Duplication) => Fate::ArrivesTwice,
            Some(Kind::Delay) => Fate::ArrivesLater,
            Some(Kind::Reordering) => Fate::IsOvertaken,
            Some(kind @ (Kind::Crash | Kind::Wipe)) => crash(kind),
        }
    }

    /// Decides whether an actor crashes when it takes a message.
    #[track_caller]
    pub fn take_risk(&self, name: &str) {
        let kinds = self.crashes_of(name);
        let plan = self.plan.get().filter(|_| !kinds.is_empty());
        if let Some(plan) = plan
            && let Some(kind) = plan.strike(plan.left.load(Ordering::SeqCst), &kinds)
        {
            crash(kind);
        }
    }

    fn crashes_of(&self, name: &str) -> Vec<Kind> {
        match lock(&self.crashable).get(name) {
            None => Vec::new(),
            Some(false) => vec![Kind::Crash],
            Some(true) => vec![Kind::Crash, Kind::Wipe],
        }
    }
}

impl Plan {
    /// Lets the strategy choose a fault among these, if there is a budget for any. The ordinary course is none.
    #[track_caller]
    fn strike(&self, left: u64, kinds: &[Kind]) -> Option<Kind> {
        let kinds: Vec<Kind> = kinds
            .iter()
            .copied()
            .filter(|&kind| budget(left, kind) > 0)
            .collect();
        let chosen = choose(kinds.len() as u32 + 1).checked_sub(1)?;
        let kind = kinds[chosen as usize];
        // Somebody else may have been faster.
        let spend = |left: u64| {
            let apart = if kind == Kind::Partition { APART } else { 0 };
            (budget(left, kind) > 0).then(|| (left - (1 << shift(kind))) | apart)
        };
        let spent = self
            .left
            .fetch_update(Ordering::SeqCst, Ordering::SeqCst, spend);
        spent.is_ok().then_some(kind)
    }
}

/// The name of the running actor; empty if it is none.
fn sender() -> String {
    let name = thread::current().name().map(str::to_string);
    // The first task is called so, and is no actor.
    name.filter(|name| name != "main").unwrap_or_default()
}

/// Carries messages that others overtake.
#[actor]
pub(crate) trait Carry {
    fn carry(&mut self, parcel: Parcel);
}

type Parcel = Box<dyn FnOnce() + Send>;

struct Courier;

impl Carry for Courier {
    fn carry(&mut self, parcel: Parcel) {
        parcel();
    }
}

fn shift(kind: Kind) -> u32 {
    kind as u32 * WIDTH
}

fn budget(left: u64, kind: Kind) -> u64 {
    (left >> shift(kind)) & ((1 << WIDTH) - 1)
}

/// Ends what the running actor does; it begins anew.
fn crash(kind: Kind) -> ! {
    let is_wiped = kind == Kind::Wipe;
    std::panic::resume_unwind(Box::new(Crashed { is_wiped }))
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
