//! Machines: states, events, what is deferred, ignored, raised.

use std::sync::{Arc, Mutex};
use unpick::trace::Outcome;
use unpick::{Config, Exploration, explore};
use unpick_actors::{Machine, MachineProxy, Next, States, System, Wait};

fn explored(program: impl Fn() + Send + Sync + 'static) -> Exploration {
    let config = Config::new().strategy("odpor").executions(100_000);
    let found = explore(config, program);
    assert!(found.complete || found.first_failure.is_some(), "{found:?}");
    found
}

/// A lock, and those who want it.
struct Lock;

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Locked {
    Free,
    Held,
}

struct Acquire(MachineProxy);
struct Release;
struct Granted;

impl Machine for Lock {
    type State = Locked;
    const START: Locked = Locked::Free;

    fn behave(states: &mut States<Lock>) {
        states.at(Locked::Free).on(|_, Acquire(by), _| {
            by.send(Granted);
            Next::Goto(Locked::Held)
        });
        states
            .at(Locked::Held)
            .defer::<Acquire>()
            .on(|_, Release, _| Next::Goto(Locked::Free));
    }
}

/// Takes the lock when it begins, notes that, releases it and ends.
struct User {
    lock: MachineProxy,
    holders: Arc<Mutex<Vec<&'static str>>>,
    name: &'static str,
}

#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Using {
    Waiting,
    Working,
}

struct Done;

impl Machine for User {
    type State = Using;
    const START: Using = Using::Waiting;

    fn behave(states: &mut States<User>) {
        states
            .at(Using::Waiting)
            .entry(|user, context| {
                user.lock.send(Acquire(context.me().clone()));
                Next::Stay
            })
            .on(|_, Granted, _| Next::Goto(Using::Working));
        states
            .at(Using::Working)
            .entry(|user, context| {
                user.holders.lock().unwrap().push(user.name);
                context.me().send(Done);
                Next::Stay
            })
            .on(|user, Done, _| {
                assert_eq!(user.holders.lock().unwrap().pop(), Some(user.name));
                user.lock.send(Release);
                Next::Halt
            });
    }
}

#[test]
fn deferred_events_wait_for_their_state() {
    let found = explored(|| {
        let system = System::new();
        let holders = Arc::default();
        let lock = MachineProxy::start(&system, "lock", Lock);
        for name in ["ada", "bob"] {
            let user = User {
                lock: lock.clone(),
                holders: Arc::clone(&holders),
                name,
            };
            MachineProxy::start(&system, name, user);
        }
        system.quiesce().wait();
        assert!(holders.lock().unwrap().is_empty());
    });
    assert!(found.first_failure.is_none(), "{found:?}");
    assert!(found.executions > 1);
}

#[test]
fn an_event_of_which_the_state_says_nothing_is_a_failure() {
    let found = explored(|| {
        let system = System::new();
        let lock = MachineProxy::start(&system, "lock", Lock);
        lock.send(Release);
    });
    let Outcome::Fail(fault) = found.first_failure.unwrap().outcome else {
        panic!("it is no failure");
    };
    let message = "lock cannot handle Release in state Free; handle, defer or ignore it there";
    assert_eq!(fault.message, message);
}

/// Notes what it does.
struct Noting(Arc<Mutex<Vec<&'static str>>>);

impl Noting {
    fn note(&self, what: &'static str) {
        self.0.lock().unwrap().push(what);
    }
}

struct Go;
struct Noise;
struct Later;
struct Now;

impl Machine for Noting {
    type State = u8;
    const START: u8 = 0;

    fn behave(states: &mut States<Noting>) {
        states
            .at(0)
            .ignore::<Noise>()
            .defer::<Later>()
            .exit(|noting| noting.note("leave 0"))
            .on(|noting, Go, _| {
                noting.note("go");
                Next::Goto(1)
            });
        states
            .at(1)
            .entry(|noting, _| {
                noting.note("enter 1");
                Next::raise(Now)
            })
            .on(|noting, Now, _| {
                noting.note("now");
                Next::Stay
            })
            .on(|noting, Later, _| {
                noting.note("later");
                Next::Stay
            })
            .ignore::<Noise>();
    }
}

#[test]
fn what_is_raised_comes_before_what_was_deferred() {
    let found = explored(|| {
        let system = System::new();
        let notes = Arc::default();
        let machine = MachineProxy::start(&system, "noting", Noting(Arc::clone(&notes)));
        machine.send(Later);
        machine.send(Noise);
        machine.send(Go);
        machine.send(Noise);
        system.stop().wait();
        let expected = ["go", "leave 0", "enter 1", "now", "later"];
        assert_eq!(*notes.lock().unwrap(), expected);
    });
    assert!(found.first_failure.is_none(), "{found:?}");
}
