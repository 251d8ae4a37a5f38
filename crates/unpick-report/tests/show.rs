//! Schedules to look at, made of traces that nobody recorded.

use serde_json::Value;
use std::time::{Duration, Instant};
use unpick_report::{Columns, Sources, Timeline, columns, page, perfetto};
use unpick_trace::{
    Blocked, Choice, Deadlock, Failure, FailureKind, Header, ObjectId, ObjectInfo, ObjectKind, Op,
    OpKind, Outcome, Record, Site, SiteId, Step, TaskBits, TaskId, TaskInfo, Trace,
};

const HOSTILE: &str = "</script><script>alert(1)</script><!-- \"'\\ \u{1b}[31m\u{202e}";

/// A trace of some tasks on some mutexes and variables: objects 0.. are the tasks, then two mutexes, then
/// two variables. All tasks could go on at every step.
struct Maker {
    record: Record,
    task_count: u32,
}

impl Maker {
    fn new(task_count: u32, name: Option<&str>) -> Maker {
        let mut trace = Trace::default();
        let mut object = |kind, index| {
            trace.objects.push(ObjectInfo {
                kind,
                task: TaskId(0),
                index,
                name: name.map(String::from),
            });
        };
        (0..task_count).for_each(|task| object(ObjectKind::Task, task));
        (0..2).for_each(|index| object(ObjectKind::Mutex, index));
        (0..2).for_each(|index| object(ObjectKind::Variable, index));
        for task in 0..task_count {
            trace.tasks.push(TaskInfo {
                parent: TaskId(0),
                index: task.saturating_sub(1),
                object: ObjectId(task),
                name: name.map(String::from),
            });
        }
        let file = format!("src/{}.rs", name.unwrap_or("lib"));
        trace.sites.push(Site::new(file, 2, 1));
        let program = name.unwrap_or("a program").to_string();
        Maker {
            record: Record {
                header: Header {
                    program,
                    ..Header::default()
                },
                trace,
                outcome: Outcome::Pass,
                passing: None,
            },
            task_count,
        }
    }

    fn mutex(&self, index: u32) -> ObjectId {
        ObjectId(self.task_count + index)
    }

    fn variable(&self, index: u32) -> ObjectId {
        ObjectId(self.task_count + 2 + index)
    }

    fn step(&mut self, task: u32, kind: OpKind, object: ObjectId) -> &mut Maker {
        let task = TaskId(task);
        let step = Step::new(Choice::Task(task), task, Op::new(kind, object), SiteId(0));
        let enabled = TaskBits::from_words((1_u64 << self.task_count.min(63)) - 1, &[]);
        self.record.trace.push(step, enabled);
        self
    }

    fn text(&self, width: usize, all: bool) -> String {
        let timeline = Timeline::new(&self.record);
        let sources = sources(&timeline);
        columns(&timeline, &sources, Columns { width, all })
    }

    fn page(&self) -> String {
        let timeline = Timeline::new(&self.record);
        page(&[(&timeline, &sources(&timeline))])
    }
}

fn sources(timeline: &Timeline<'_>) -> Sources {
    Sources::read(timeline, &mut |_| {
        Some("first\n  let the = \"</script>\";\n".to_string())
    })
}

/// The data that a page carries.
fn data(page: &str) -> Value {
    let start = "<script type=\"application/json\" id=\"data\">";
    let (_, rest) = page.split_once(start).unwrap();
    let (data, _) = rest.split_once("</script>").unwrap();
    serde_json::from_str(data).unwrap()
}

/// Two tasks that increment a variable without a lock, after much that is nobody else's matter.
fn lost_update() -> Maker {
    let mut made = Maker::new(3, None);
    let (own, shared) = (made.variable(0), made.variable(1));
    made.step(0, OpKind::Spawn, ObjectId::NONE);
    made.step(0, OpKind::Spawn, ObjectId::NONE);
    for _ in 0..40 {
        made.step(1, OpKind::Store, own);
    }
    made.step(1, OpKind::Load, shared);
    made.step(2, OpKind::Load, shared);
    made.step(2, OpKind::Store, shared);
    made.step(1, OpKind::Store, shared);
    made.step(0, OpKind::Join, ObjectId(1));
    made.step(0, OpKind::Join, ObjectId(2));
    made.record.outcome = Outcome::Fail(Failure {
        kind: FailureKind::Panic,
        task: TaskId(0),
        message: "1 is not 2".into(),
        site: Some(made.record.trace.sites[0].clone()),
    });
    made
}

#[test]
fn steps_between_which_nobody_comes_are_folded() {
    let made = lost_update();
    insta::assert_snapshot!(made.text(100, false));
    let all = made.text(100, true);
    assert!(!all.contains("folded"), "{all}");
    let numbers = all
        .lines()
        .filter_map(|line| line.split_whitespace().next());
    let numbers: Vec<usize> = numbers.filter_map(|word| word.parse().ok()).collect();
    assert_eq!(numbers, (0..48).collect::<Vec<_>>());
}

#[test]
fn many_tasks_get_lanes_and_no_line_is_too_long() {
    let mut made = Maker::new(30, None);
    let shared = made.variable(0);
    for step in 0..60 {
        made.step(step % 30, OpKind::ReadModifyWrite, shared);
    }
    for width in [40, 79, 120, 200] {
        let text = made.text(width, false);
        for line in text.lines() {
            assert!(line.chars().count() <= width, "{width}: {line}");
        }
    }
    assert!(made.text(120, false).contains("●│││"));
    assert!(!made.text(79, false).contains('●'));
}

#[test]
fn who_is_left_with_a_lock_is_told() {
    let mut made = Maker::new(2, None);
    let (one, two) = (made.mutex(0), made.mutex(1));
    made.step(0, OpKind::Lock, one).step(1, OpKind::Lock, two);
    let blocked = |task, object| Blocked {
        task: TaskId(task),
        op: Op::new(OpKind::Lock, object),
        site: None,
        waits_for: vec![TaskId(1 - task)],
    };
    made.record.outcome = Outcome::Deadlock(Deadlock {
        blocked: vec![blocked(0, two), blocked(1, one)],
        cycle: vec![TaskId(0), TaskId(1)],
    });
    insta::assert_snapshot!(made.text(90, false));
}

#[test]
fn a_page_carries_the_schedule_as_data() {
    let found = &data(&lost_update().page())[0];
    assert_eq!(found["task"].as_array().unwrap().len(), 48);
    assert_eq!(found["words"][0], "spawn task 1");
    assert_eq!(found["files"][0]["pieces"][0][1][0], "first");
    assert_eq!(found["endings"][0][1], "panicked: 1 is not 2");
    let pairs = ["from", "to"].map(|name| found[name].as_array().unwrap().clone());
    let arrows: Vec<(u64, u64)> = pairs[0]
        .iter()
        .zip(&pairs[1])
        .map(|(from, to)| (from.as_u64().unwrap(), to.as_u64().unwrap()))
        .collect();
    // Spawns; the load before the store of the other; the stores; the joins.
    let expected = [(0, 2), (1, 43), (42, 44), (44, 45), (45, 46), (44, 47)];
    assert_eq!(arrows, expected);
}

#[test]
fn hostile_names_and_source_stay_data() {
    let mut made = Maker::new(2, Some(HOSTILE));
    let (lock, shared) = (made.mutex(0), made.variable(0));
    made.step(0, OpKind::Lock, lock)
        .step(1, OpKind::Store, shared);
    let page = made.page();
    // The two elements that the page is made of, and nothing that a name has opened or closed.
    assert_eq!(page.matches("<script").count(), 2);
    assert_eq!(page.matches("</script").count(), 2);
    let found = &data(&page)[0];
    assert_eq!(found["program"], HOSTILE);
    assert_eq!(
        found["files"][0]["pieces"][0][1][1],
        "  let the = \"</script>\";"
    );
    let text = made.text(200, true);
    assert!(!text.contains(['\u{1b}', '\u{202e}']), "{text:?}");
    let timeline = Timeline::new(&made.record);
    let events: Value = serde_json::from_str(&perfetto(&timeline, &sources(&timeline))).unwrap();
    assert!(events["traceEvents"].is_array());
}

#[test]
fn a_page_of_100_000_steps_is_written_quickly() {
    let mut made = Maker::new(8, None);
    for step in 0..100_000 {
        let object = made.variable(step % 2);
        let kind = [OpKind::Load, OpKind::Store, OpKind::ReadModifyWrite][step as usize % 3];
        made.step(step / 3 % 8, kind, object);
    }
    let start = Instant::now();
    let page = made.page();
    let taken = start.elapsed();
    println!("{} bytes in {taken:?}", page.len());
    assert!(taken < Duration::from_secs(10), "{taken:?}");
    assert_eq!(data(&page)[0]["task"].as_array().unwrap().len(), 100_000);
}

#[test]
fn perfetto_gets_a_track_a_task_and_arrows_with_two_ends() {
    let made = lost_update();
    let timeline = Timeline::new(&made.record);
    let text = perfetto(&timeline, &sources(&timeline));
    let found: Value = serde_json::from_str(&text).unwrap();
    let events = found["traceEvents"].as_array().unwrap();
    let of = |phase: &str| {
        events
            .iter()
            .filter(|event| event["ph"] == phase)
            .collect::<Vec<_>>()
    };
    let metadata = of("M");
    let tracks = metadata
        .iter()
        .filter(|event| event["name"] == "thread_name");
    let tracks: Vec<_> = tracks
        .map(|event| (&event["tid"], &event["args"]["name"]))
        .collect();
    let expected = [(1, "task 0"), (2, "task 1"), (3, "task 2")];
    let expected = expected.map(|(tid, name)| (Value::from(tid), Value::from(name)));
    let expected: Vec<_> = expected.iter().map(|(tid, name)| (tid, name)).collect();
    assert_eq!(tracks, expected);
    assert_eq!(of("X").len(), 48);
    let ids = |phase| {
        of(phase)
            .iter()
            .map(|event| event["id"].clone())
            .collect::<Vec<_>>()
    };
    assert_eq!(ids("s"), ids("f"));
    assert_eq!(ids("s").len(), 6);
}

#[test]
fn an_execution_without_steps_can_be_shown() {
    let made = Maker::new(1, None);
    assert_eq!(made.text(80, false), "end   passed\n");
    assert_eq!(data(&made.page())[0]["endings"][0][1], "passed");
}

#[test]
fn references_to_nothing_do_no_harm() {
    let mut made = lost_update();
    let trace = &mut made.record.trace;
    trace.tasks[1].parent = TaskId(900);
    trace.tasks[2].index = 900;
    trace.tasks[2].object = ObjectId(900);
    trace.objects.truncate(4);
    trace.steps[5].site = SiteId(900);
    for kind in [OpKind::Join, OpKind::Unlock, OpKind::Lock, OpKind::Lock] {
        made.step(1, kind, ObjectId(901));
    }
    let failing = made.record.outcome.clone();
    let blocked = Blocked {
        task: TaskId(900),
        op: Op::new(OpKind::Join, ObjectId(902)),
        site: None,
        waits_for: vec![],
    };
    let deadlock = |blocked| Deadlock {
        blocked,
        cycle: vec![TaskId(903)],
    };
    let outcomes = [
        failing,
        Outcome::Deadlock(deadlock(vec![blocked])),
        Outcome::Deadlock(deadlock(vec![])),
    ];
    for outcome in outcomes {
        made.record.outcome = outcome;
        if let Outcome::Fail(failure) = &mut made.record.outcome {
            failure.task = TaskId(904);
        }
        assert!(made.text(100, false).contains("end "));
        assert_eq!(data(&made.page())[0]["task"].as_array().unwrap().len(), 52);
    }
}
