//! Takes orders, explores, answers. Runs on a stack of its own, between executions.

use crate::context::{Context, exchange, thread_pointer};
use crate::runtime::{OVER, Runtime, runtime};
use crate::{
    draft, libraries, prelude, process, snapshot, strings, sys, tasks, timestamp, watchdog,
};
use alloc::boxed::Box;
use alloc::string::ToString;
use core::sync::atomic::Ordering;
use unpick_engine::parts::{Lookout, Search, share};
use unpick_engine::{
    Control, End, Execution, Exploration, Proviso, Runtime as Engine, StopReason, Strategy,
    explore, explore_range,
};
use unpick_protocol::{
    ANSWER_MAX, Answer, Desk, Lead, Order, Reexecution, Trouble, TroubleKind, Work, decode, seal,
};
use unpick_strategies::{Along, Confirm, Follow, Replay, Retrace, Spec, Watched};
use unpick_trace::{Failure, FailureKind, Outcome, TaskId};

/// The life of the controller.
pub extern "C" fn run() -> ! {
    let this = runtime();
    snapshot::take(this);
    let desk = this.desk();
    desk.is_manned.store(1, Ordering::Release);
    let mut answered = desk.answers.load(Ordering::Acquire) + 1;
    // What is mapped where, should the first order never be answered.
    put_answer(desk, &answer_without_work(None));
    announce(desk, answered);
    loop {
        while desk.orders.load(Ordering::Acquire) == answered {
            sys::futex_wait(&desk.orders, answered);
        }
        answered += 1;
        let answer = match decode::<Order>(order_bytes(desk)) {
            Some(order) => perform(&order),
            None => refusal("the order cannot be read".to_string()),
        };
        put_answer(desk, &answer);
        announce(desk, answered);
        if this.launch.reexecution == Reexecution::Exec {
            sys::exit_process(0);
        }
    }
}

fn announce(desk: &Desk, serial: u32) {
    desk.answers.store(serial, Ordering::Release);
    sys::futex_wake(&desk.answers);
}

/// The order on a desk.
pub fn order_bytes(desk: &Desk) -> &[u8] {
    let (offset, length) = desk.order_range();
    // SAFETY: within the desk, and the driver does not touch it until it has an answer.
    unsafe {
        core::slice::from_raw_parts(core::ptr::from_ref(desk).cast::<u8>().add(offset), length)
    }
}

pub fn put_answer(desk: &Desk, answer: &Answer) {
    let order = desk.orders.load(Ordering::Acquire);
    let mut bytes = seal(order, answer);
    if bytes.len() > ANSWER_MAX {
        let what = "an execution is too long to hand over; allow fewer steps with --steps";
        bytes = seal(order, &refusal(what.to_string()));
    }
    let (offset, _) = desk.answer_range();
    desk.begin_answer();
    // SAFETY: within the desk, and the driver uses what it reads only if no answer has begun meanwhile.
    unsafe {
        let place = core::ptr::from_ref(desk)
            .cast::<u8>()
            .cast_mut()
            .add(offset);
        core::ptr::copy_nonoverlapping(bytes.as_ptr(), place, bytes.len());
    }
    desk.end_answer(bytes.len());
}

fn refusal(what: alloc::string::String) -> Answer {
    answer_without_work(Some(Trouble {
        kind: TroubleKind::BadOrder,
        what,
        pc: 0,
    }))
}

/// Answers that what another process has left is of no use here, and ends.
pub fn refuse_heritage(this: &Runtime) -> ! {
    let what = "the program lies at other addresses in every process, because their randomisation cannot \
                be turned off here, and a search cannot go on with --reexec exec; allow the system call \
                personality(2), or use --reexec fork or a randomised strategy";
    let desk = this.desk();
    put_answer(
        desk,
        &answer_without_work(Some(Trouble {
            kind: TroubleKind::Unsupported,
            what: what.to_string(),
            pc: 0,
        })),
    );
    announce(desk, desk.orders.load(Ordering::Acquire));
    sys::exit_process(0)
}

pub fn answer_without_work(trouble: Option<Trouble>) -> Answer {
    Answer {
        exploration: Exploration::default(),
        end: End::Ended,
        modules: runtime().sites.modules.clone(),
        followed: None,
        transcript: None,
        addresses: alloc::vec::Vec::new(),
        shared: alloc::vec::Vec::new(),
        entered: alloc::vec::Vec::new(),
        trouble,
    }
}

fn perform(order: &Order) -> Answer {
    let mut strategy: Box<dyn Strategy> = match &order.work {
        Work::Replay(trace) => Box::new(Replay::new(trace.clone())),
        Work::Follow(plan) => Box::new(Follow::new(plan.clone())),
        Work::Watch(lead) => return watch(order, lead),
        Work::Confirm {
            found,
            executions_max,
            seed,
        } => return confirm(order, found, *executions_max, *seed),
        Work::Search {
            strategy,
            seed,
            shard,
        } => match Spec::parse(strategy) {
            Ok(spec) => return search(order, spec.build_shared(*seed), *shard),
            Err(error) => return refusal(error.to_string()),
        },
        Work::Explore { strategy, seed, .. } => match Spec::parse(strategy) {
            Ok(spec) => spec.build(*seed),
            Err(error) => return refusal(error.to_string()),
        },
    };
    let mut range = None;
    if let Work::Explore {
        range: given,
        profile,
        ..
    } = &order.work
    {
        range = given.clone();
        if let Some(profile) = profile {
            strategy.learn(profile);
        }
    }
    runtime().take_order(order);
    let mut host = Host {
        addresses: alloc::vec::Vec::new(),
    };
    let (exploration, end) = match range {
        None => {
            let found = explore(&mut host, &mut *strategy, &order.limits, &mut observe);
            (found, End::Ended)
        }
        Some(range) => explore_range(
            &mut host,
            &mut *strategy,
            range,
            &order.limits,
            &mut observe,
        ),
    };
    answer(order, exploration, end, host)
}

/// Runs one execution, and tells it as events.
fn watch(order: &Order, lead: &Lead) -> Answer {
    let mut strategy = Watched::new(match lead {
        Lead::Replay(trace) => Box::new(Replay::new(trace.clone())),
        Lead::Retrace(trace) => Box::new(Retrace::new(trace.clone())),
        Lead::Along(route) => Box::new(Along::new(route.clone())),
    });
    runtime().take_order(order);
    let mut host = Host {
        addresses: alloc::vec::Vec::new(),
    };
    let found = explore(&mut host, &mut strategy, &order.limits, &mut observe);
    let mut answer = answer(order, found, End::Ended, host);
    answer.transcript = strategy.transcript;
    answer
}

/// Explores together with the other processes of the crew. The first of them answers for all.
fn search(order: &Order, strategy: Box<dyn Strategy>, shard: Option<(u32, u32)>) -> Answer {
    let this = runtime();
    let (crew, number) = (this.crew, this.number);
    this.take_order(order);
    let mut host = Host {
        addresses: alloc::vec::Vec::new(),
    };
    let limits = &order.limits;
    if number == 0 {
        let max = limits.executions_max;
        crew.begin(match shard {
            None => Search::new(strategy, max),
            Some(shard) => share(strategy, shard, max, &mut |strategy| {
                explore_range(&mut host, strategy, 0..1, limits, &mut observe)
            }),
        });
    }
    crew.team().work(&mut host, limits, &mut Look { passed: 0 });
    crew.leave();
    if number != 0 {
        return answer(order, Exploration::default(), End::Ended, host);
    }
    let found = crew.end().finish(|strategy, executions| {
        let mut observer = |_: &Exploration| Control::Continue;
        explore_range(&mut host, strategy, 0..executions, limits, &mut observer).0
    });
    // Whoever has met the first failure: where its objects lie is seen once more.
    host.addresses.clear();
    if let Some(met) = found.first_failure.as_ref().or(found.diverged.as_ref()) {
        let mut replay = Replay::new(met.trace.clone());
        explore_range(&mut host, &mut replay, 0..1, limits, &mut observe);
    }
    answer(order, found, End::Ended, host)
}

/// The look of one of several processes at the desk.
struct Look {
    passed: u32,
}

impl Lookout for Look {
    fn is_time(&mut self, _: &Exploration) -> bool {
        /// Executions between two looks, at most.
        const EXECUTIONS: u32 = 16;
        self.passed = (self.passed + 1) % EXECUTIONS;
        let this = runtime();
        let is_stopped = this.desk().stop.load(Ordering::Relaxed) != 0;
        self.passed == 0 || is_stopped || this.trouble.is_some()
    }

    fn look(&mut self, found: &Exploration) -> Control {
        observe(found)
    }
}

/// Directs searches at the possible deadlocks that were found.
fn confirm(order: &Order, found: &Exploration, executions_max: u64, seed: u64) -> Answer {
    runtime().take_order(order);
    let mut host = Host {
        addresses: alloc::vec::Vec::new(),
    };
    let mut found = found.clone();
    let wish = Confirm {
        executions_max,
        seed,
        is_exhaustive: false,
    };
    wish.run(&mut host, &order.limits, &mut found, &mut observe);
    answer(order, found, End::Ended, host)
}

fn answer(order: &Order, mut exploration: Exploration, end: End, host: Host) -> Answer {
    let this = runtime();
    let warnings = timestamp::warnings(this);
    if !warnings.is_empty() {
        exploration.provided.add(Proviso::Clock);
    }
    exploration.warn(warnings);
    let execution = &this.execution;
    let outcome = execution.outcome();
    let is_one = matches!(order.work, Work::Follow(_) | Work::Watch(_));
    let is_one = is_one || order.limits.executions_max == 1;
    let outcome = outcome.filter(|_| is_one);
    let followed = outcome.map(|outcome| (outcome.clone(), execution.trace().detached()));
    let addresses = match followed {
        Some(_) => this.addresses.clone(),
        None => host.addresses,
    };
    Answer {
        exploration,
        end,
        modules: this.sites.modules.clone(),
        followed,
        transcript: None,
        addresses,
        shared: process::shared(this),
        entered: this.named.entered(),
        trouble: this.trouble.take(),
    }
}

/// Tells the driver how far the work is, and learns whether to end it.
fn observe(found: &Exploration) -> Control {
    let this = runtime();
    let desk = this.desk();
    desk.executions.store(found.executions, Ordering::Relaxed);
    desk.failures.store(found.failures, Ordering::Relaxed);
    desk.tasks_max.store(found.tasks_max, Ordering::Relaxed);
    desk.covered.set(found.covered());
    if this.trouble.is_some() || desk.stop.load(Ordering::Relaxed) != 0 {
        return Control::Stop(StopReason::Interrupted);
    }
    Control::Continue
}

/// Runs the program once, from its start to its end.
struct Host {
    /// Where the objects of the first failing or diverging execution lie.
    addresses: alloc::vec::Vec<u64>,
}

impl Engine for Host {
    fn execute(&mut self, strategy: &mut dyn Strategy) {
        let this = runtime();
        let strategy: *mut (dyn Strategy + '_) = strategy;
        // SAFETY: only the lifetime changes; the pointer is used until the execution is over.
        this.strategy = unsafe {
            core::mem::transmute::<*mut (dyn Strategy + '_), *mut (dyn Strategy + 'static)>(
                strategy,
            )
        };
        match this.launch.reexecution {
            Reexecution::Snapshot => {
                this.snapshot.restore(&this.slots);
                this.begin_execution();
                prelude::begin(this);
                sys::forget_calls();
                enter(this);
                if prelude::end(runtime()) {
                    enter(runtime());
                }
                runtime().snapshot.is_kernel_clean = prelude::made_no_calls();
                libraries::note_loaded(runtime());
            }
            Reexecution::Exec => {
                if this.is_spent {
                    renew(this);
                }
                this.is_spent = true;
                this.begin_execution();
                enter(this);
            }
            Reexecution::Fork => {
                this.begin_execution();
                run_fork(this);
            }
        }
        let this = runtime();
        strings::WATCHING.store(false, Ordering::Relaxed);
        // In a process that ends with the execution, those who are away stay there.
        if this.launch.reexecution != Reexecution::Exec || this.away.is_empty() {
            this.phase.store(OVER, Ordering::Release);
        }
        let outcome = this.execution.outcome();
        if self.addresses.is_empty() && outcome.is_some_and(|outcome| *outcome != Outcome::Pass) {
            self.addresses.clone_from(&this.addresses);
        }
        draft::note(this);
    }

    fn execution(&mut self) -> &mut Execution {
        &mut runtime().execution
    }
}

/// Lets the program begin; returns at the end of the execution.
fn enter(this: &mut Runtime) {
    // SAFETY: memory is as it was when the context was saved.
    unsafe { exchange(&raw mut this.controller, &raw const this.slots[0].context) };
}

/// Ends the process; goes on in the next one, which takes over the stack that this runs on.
fn renew(this: &mut Runtime) {
    /// Bytes for the last words of a process.
    const LAST_STACK: usize = 4096;
    let desk = this.desk();
    let address = core::ptr::from_mut(this) as u64;
    desk.heritage.store(address, Ordering::Relaxed);
    let mut stack = alloc::vec![0_u128; LAST_STACK / size_of::<u128>()];
    let top = stack.as_mut_ptr_range().end as usize;
    // SAFETY: the stack ends there and is aligned as its elements are.
    unsafe {
        let last = Context::new(top, thread_pointer(), end_process);
        exchange(&raw mut this.controller, &raw const last);
    }
    snapshot::take(runtime());
}

extern "C" fn end_process() -> ! {
    let desk = runtime().desk();
    desk.is_left.store(1, Ordering::Release);
    // The driver waits for an answer; it finds out that there is none.
    sys::futex_wake(&desk.answers);
    sys::exit_process(0)
}

/// Runs the program in a child process that shares engine and strategy with this one.
fn run_fork(this: &mut Runtime) {
    // SAFETY: the child goes on in the program and never comes back here.
    let child = unsafe { crate::real::fork()() };
    if child == 0 {
        watchdog::die_with_parent();
        tasks::note_thread(0);
        enter(this);
        unreachable!("internal error: a forked execution came back");
    }
    assert!(child > 0, "cannot fork");
    this.desk().process.store(child as u32, Ordering::Relaxed);
    let mut status: i32 = 0;
    let arguments = [i64::from(child), &raw mut status as i64, 0, 0, 0, 0];
    // SAFETY: the kernel writes the status.
    while unsafe { sys::call(libc::SYS_wait4, arguments) } == i64::from(-libc::EINTR) {}
    runtime().desk().process.store(0, Ordering::Relaxed);
    if runtime().execution.outcome().is_none() {
        let (kind, message) = match libc::WIFSIGNALED(status) {
            true => {
                let name = process::signal_name(libc::WTERMSIG(status));
                (FailureKind::Signal, name.to_string())
            }
            false => {
                let code = libc::WEXITSTATUS(status);
                let message = alloc::format!("the process ended with exit code {code}");
                (FailureKind::ExitCode, message)
            }
        };
        runtime().execution.fail(Failure {
            kind,
            task: TaskId::MAIN,
            message,
            site: None,
        });
    }
}
