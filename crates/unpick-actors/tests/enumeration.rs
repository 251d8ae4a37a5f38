//! Random systems of actors against an enumerator that knows nothing of unpick: the same schedules, the same
//! final states, and one execution of an optimal reduction for each order of deliveries.

use std::collections::{BTreeSet, VecDeque};
use std::sync::{Arc, Mutex};
use unpick::{Config, Exploration, explore};
use unpick_actors::{Proxy, System, Wait, actor};

const PROGRAMS: u64 = 200;
const SCHEDULES_MAX: u64 = 3_000;

/// To whom, and which message: what is sent when that message is handled stands in the table.
type Send = (usize, usize);

/// What main sends, and what an actor sends when it handles a message.
#[derive(Clone, Debug)]
struct Program {
    actors: usize,
    main: Vec<Send>,
    handlers: Vec<Vec<Send>>,
}

/// The messages that each actor has handled, in order.
type Logs = Vec<Vec<usize>>;

struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }
}

/// A message is followed by greater ones only, so that every system comes to rest.
fn random_program(seed: u64) -> Program {
    let mut random = Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) | 1);
    let actors = 2 + random.below(2);
    let messages = 4;
    let mut sends = |above: usize, count: usize| -> Vec<Send> {
        let messages_above = messages - above;
        (0..count)
            .map(|_| (random.below(actors), above + random.below(messages_above)))
            .collect()
    };
    let main = sends(0, 2);
    let handlers = (0..messages)
        .map(|message| match messages - 1 - message {
            0 => Vec::new(),
            _ => sends(message + 1, 1 + message % 2),
        })
        .collect();
    Program {
        actors,
        main,
        handlers,
    }
}

/// A state of the system: what everybody has still to send, and what is in the mailboxes. Of a message its
/// sender is known, for the order of deliveries.
#[derive(Clone)]
struct State {
    /// By task, main last.
    sends: Vec<VecDeque<Send>>,
    mailboxes: Vec<VecDeque<usize>>,
    logs: Logs,
    /// By mailbox: who has sent to it, and as which of its own sends.
    orders: Vec<Vec<(usize, usize)>>,
    counts: Vec<usize>,
}

#[derive(Default)]
struct Truth {
    schedules: u64,
    logs: BTreeSet<Logs>,
    orders: BTreeSet<Vec<Vec<(usize, usize)>>>,
}

impl Truth {
    fn of(program: &Program) -> Truth {
        let mut sends = vec![VecDeque::new(); program.actors];
        sends.push(program.main.iter().copied().collect());
        let state = State {
            sends,
            mailboxes: vec![VecDeque::new(); program.actors],
            logs: vec![Vec::new(); program.actors],
            orders: vec![Vec::new(); program.actors],
            counts: vec![0; program.actors + 1],
        };
        let mut truth = Truth::default();
        truth.visit(program, &state);
        truth
    }

    fn visit(&mut self, program: &Program, state: &State) {
        if self.schedules > SCHEDULES_MAX {
            return;
        }
        let mut can_go_on = false;
        for task in 0..=program.actors {
            let mut next = state.clone();
            if let Some((to, message)) = next.sends[task].pop_front() {
                next.mailboxes[to].push_back(message);
                next.orders[to].push((task, next.counts[task]));
                next.counts[task] += 1;
            } else if let Some(message) = next.mailboxes.get_mut(task).and_then(VecDeque::pop_front)
            {
                next.logs[task].push(message);
                next.sends[task].extend(&program.handlers[message]);
            } else {
                continue;
            }
            can_go_on = true;
            self.visit(program, &next);
        }
        if !can_go_on {
            self.schedules += 1;
            self.logs.insert(state.logs.clone());
            self.orders.insert(state.orders.clone());
        }
    }
}

#[actor]
trait Node {
    fn meet(&mut self, others: Vec<NodeProxy>);
    fn handle(&mut self, message: usize);
}

struct Logging {
    number: usize,
    others: Vec<NodeProxy>,
    handlers: Arc<Vec<Vec<Send>>>,
    logs: Arc<Mutex<Logs>>,
}

impl Node for Logging {
    fn meet(&mut self, others: Vec<NodeProxy>) {
        self.others = others;
    }

    fn handle(&mut self, message: usize) {
        self.logs.lock().unwrap()[self.number].push(message);
        for &(to, message) in &self.handlers[message] {
            self.others[to].handle(message);
        }
    }
}

fn perform(program: &Program) -> Logs {
    let system = System::new();
    let handlers = Arc::new(program.handlers.clone());
    let logs = Arc::new(Mutex::new(vec![Vec::new(); program.actors]));
    let nodes: Vec<NodeProxy> = (0..program.actors)
        .map(|number| {
            let actor = Logging {
                number,
                others: Vec::new(),
                handlers: Arc::clone(&handlers),
                logs: Arc::clone(&logs),
            };
            NodeProxy::create(&system, number.to_string(), actor)
        })
        .collect();
    for node in &nodes {
        node.meet(nodes.clone());
        // So that the introductions are no part of what is counted.
        system.quiesce().wait();
    }
    for &(to, message) in &program.main {
        nodes[to].handle(message);
    }
    system.stop().wait();
    let logs = logs.lock().unwrap();
    logs.clone()
}

fn explored(program: &Program, strategy: &str) -> (Exploration, BTreeSet<Logs>) {
    let seen = Arc::new(Mutex::new(BTreeSet::new()));
    let (program, logs) = (program.clone(), Arc::clone(&seen));
    let config = Config::new().strategy(strategy).executions(100_000);
    let found = explore(config, move || {
        let log = perform(&program);
        logs.lock().unwrap().insert(log);
    });
    assert!(found.first_failure.is_none(), "{strategy}: {found:?}");
    assert!(found.complete, "{strategy}: {found:?}");
    let seen = std::mem::take(&mut *seen.lock().unwrap());
    (found, seen)
}

#[test]
fn searches_and_reductions_agree_with_the_enumerator() {
    let mut judged = 0;
    let mut reduced = 0;
    for seed in 0..PROGRAMS {
        let program = random_program(seed);
        let truth = Truth::of(&program);
        if truth.schedules > SCHEDULES_MAX {
            continue;
        }
        judged += 1;
        let (found, logs) = explored(&program, "dfs");
        assert_eq!(found.schedules, truth.schedules, "{program:?}");
        assert_eq!(logs, truth.logs, "{program:?}");
        for strategy in ["dpor", "hbr-cache", "odpor", "lazy-odpor"] {
            let (found, logs) = explored(&program, strategy);
            assert_eq!(logs, truth.logs, "{strategy} {program:?}");
            if strategy.ends_with("odpor") {
                let orders = truth.orders.len() as u64;
                assert_eq!(found.executions, orders, "{strategy} {program:?}");
                reduced += u64::from(orders < truth.schedules);
            }
        }
    }
    assert!(
        judged > 50 && reduced > 50,
        "{judged} judged, {reduced} reduced"
    );
}
