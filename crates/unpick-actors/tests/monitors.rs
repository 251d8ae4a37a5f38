//! Monitors: what must never happen, and what has to.

use unpick::trace::{FailureKind, Outcome};
use unpick::{Config, Exploration, explore};
use unpick_actors::{Context, Monitor, Mood, Proxy, System, Wait, Watched, actor};

fn explored(strategy: &str, program: impl Fn() + Send + Sync + 'static) -> Exploration {
    let config = Config::new().strategy(strategy).executions(200).seed(7);
    explore(config, program)
}

fn message(found: Exploration) -> (FailureKind, String) {
    match found.first_failure.expect("a failure").outcome {
        Outcome::Fail(fault) => (fault.kind, fault.message),
        other => panic!("{other:?}"),
    }
}

/// There is one leader at most, and there is one in the end.
struct Election {
    leaders: u32,
}

enum News {
    Begins,
    Leads,
    Retires,
}

impl Monitor for Election {
    type Event = News;

    fn observe(&mut self, event: News) -> Mood {
        match event {
            News::Begins => {}
            News::Leads => self.leaders += 1,
            News::Retires => self.leaders -= 1,
        }
        assert!(self.leaders <= 1, "{} leaders", self.leaders);
        match self.leaders {
            0 => Mood::Hot("no leader"),
            _ => Mood::Cold,
        }
    }
}

#[actor]
trait Candidate {
    fn meet(&mut self, context: &Context<CandidateProxy>, other: CandidateProxy);
    fn propose(&mut self, context: &Context<CandidateProxy>, number: u32);
}

/// The greater number wins; one that is `polite` never insists.
struct Number {
    own: u32,
    other: Option<CandidateProxy>,
    is_polite: bool,
    election: Watched<Election>,
}

impl Candidate for Number {
    fn meet(&mut self, _: &Context<CandidateProxy>, other: CandidateProxy) {
        other.propose(self.own);
        self.other = Some(other);
    }

    fn propose(&mut self, context: &Context<CandidateProxy>, number: u32) {
        if self.is_polite {
            // After you.
            match &self.other {
                Some(other) => other.propose(self.own),
                None => context.me().propose(number),
            }
        } else if number < self.own {
            self.election.tell(News::Leads);
        }
    }
}

fn elect(is_polite: bool) {
    let system = System::new();
    let election = Watched::new("election", Election { leaders: 0 });
    election.tell(News::Begins);
    let [one, two] = [1, 2].map(|own| {
        let number = Number {
            own,
            other: None,
            is_polite,
            election: election.clone(),
        };
        CandidateProxy::create(&system, format!("candidate {own}"), number)
    });
    one.meet(two.clone());
    two.meet(one);
    system.stop().wait();
}

#[test]
fn a_system_that_never_elects_is_a_livelock_that_names_the_hot_state() {
    for strategy in ["random", "pct", "dfs", "round-robin", "pos", "odpor"] {
        let (kind, message) = message(explored(strategy, || elect(true)));
        assert_eq!(kind, FailureKind::Livelock, "{strategy}: {message}");
        let expected = "livelock: monitor `election` stays hot in state `no leader`, for more than 100 \
                        rounds in which every task that could go on did";
        assert_eq!(message, expected, "{strategy}");
    }
}

#[test]
fn a_system_that_elects_is_none() {
    for strategy in ["random", "pct", "dfs", "round-robin", "odpor"] {
        let found = explored(strategy, || elect(false));
        assert!(found.first_failure.is_none(), "{strategy}: {found:?}");
    }
}

/// However long one task alone goes on, the others could have elected somebody.
#[test]
fn a_task_that_is_left_out_is_no_livelock() {
    let found = explored("dfs", || {
        let system = System::new();
        let election = Watched::with_rounds("election", Election { leaders: 0 }, 5);
        election.tell(News::Begins);
        let late = election.clone();
        let leader = unpick::thread::spawn(move || late.tell(News::Leads));
        for _ in 0..100 {
            election.tell(News::Begins);
        }
        leader.join().unwrap();
        system.stop().wait();
    });
    assert!(found.first_failure.is_none(), "{found:?}");
}

#[test]
fn what_is_owed_at_the_end_is_a_livelock() {
    let found = explored("dfs", || {
        let election = Watched::new("election", Election { leaders: 0 });
        election.tell(News::Leads);
        election.tell(News::Retires);
    });
    let expected = "livelock: monitor `election` is hot in state `no leader` at the end";
    assert_eq!(
        message(found),
        (FailureKind::Livelock, expected.to_string())
    );
}

#[test]
fn what_must_never_happen_is_a_failure() {
    let found = explored("dfs", || {
        let election = Watched::new("election", Election { leaders: 0 });
        election.tell(News::Leads);
        election.tell(News::Leads);
    });
    assert_eq!(
        message(found),
        (FailureKind::Panic, "2 leaders".to_string())
    );
}
