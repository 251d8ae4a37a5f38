//! Ways in which a file may be wrong.

use crate::forge::{body_of, with_body};
use unpick::trace::{
    Blocked, Choice, Deadlock, ObjectId, ObjectKind, OpKind, Outcome, Record, SiteId, TaskId,
    decode, encode,
};

/// Numbers that look random and are always the same.
pub struct Random(u64);

impl Random {
    pub fn new(seed: u64) -> Random {
        Random(seed.wrapping_mul(0x9e37_79b9_7f4a_7c15) ^ 0x5eed)
    }

    pub fn next(&mut self) -> u64 {
        // Splitmix64.
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut word = self.0;
        word = (word ^ (word >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        word = (word ^ (word >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        word ^ (word >> 31)
    }

    pub fn below(&mut self, limit: usize) -> usize {
        (self.next() % limit.max(1) as u64) as usize
    }

    /// A number that is likely to be at some edge.
    fn number(&mut self) -> u64 {
        match self.below(6) {
            0 => u64::MAX,
            1 => u64::from(u32::MAX),
            2 => u64::from(u32::MAX) - 1,
            3 => 1 << self.below(64),
            4 => 64 + self.below(10) as u64,
            _ => self.below(8) as u64,
        }
    }
}

/// A file after an accident.
pub fn damaged(random: &mut Random, text: &str, other: &str) -> String {
    let mut text = text.to_string();
    for _ in 0..=random.below(3) {
        text = damaged_once(random, &text, other);
    }
    text
}

fn damaged_once(random: &mut Random, text: &str, other: &str) -> String {
    let mut bytes = text.as_bytes().to_vec();
    let mut lines: Vec<&str> = text.lines().collect();
    let (at, line) = (random.below(bytes.len()), random.below(lines.len()));
    match random.below(9) {
        0 if !bytes.is_empty() => bytes[at] ^= 1 << random.below(8),
        1 => bytes.truncate(at),
        2 => bytes.insert(at, random.next() as u8),
        3 if !bytes.is_empty() => bytes[at] = random.next() as u8,
        4 if !lines.is_empty() => {
            lines.insert(line, lines[line]);
            bytes = lines.join("\n").into_bytes();
        }
        5 if !lines.is_empty() => {
            lines.remove(line);
            bytes = lines.join("\n").into_bytes();
        }
        6 if !lines.is_empty() => {
            let to = random.below(lines.len());
            lines.swap(line, to);
            bytes = lines.join("\n").into_bytes();
        }
        7 => {
            let blown_up = random.number().to_string();
            let word = bytes[at..].iter().take_while(|byte| byte.is_ascii_digit());
            let end = at + word.count();
            bytes.splice(at..end, blown_up.into_bytes());
        }
        _ => {
            let rest = other.as_bytes();
            bytes.truncate(at);
            bytes.extend_from_slice(&rest[random.below(rest.len())..]);
        }
    }
    String::from_utf8_lossy(&bytes).into_owned()
}

/// A file whose body says something else, and whose checksum is right.
pub fn forged(random: &mut Random, text: &str, other: &str) -> String {
    let mut body = body_of(text);
    for _ in 0..=random.below(4) {
        let at = random.below(body.len());
        match random.below(6) {
            0 if !body.is_empty() => body[at] ^= 1 << random.below(8),
            1 if !body.is_empty() => body[at] = random.next() as u8,
            2 => {
                let end = body.len().min(at + 1);
                body.splice(at..end, [0xff, 0xff, 0xff, 0xff, 0x0f]);
            }
            3 if !body.is_empty() => {
                body.remove(at);
            }
            4 => body.insert(at, random.below(4) as u8),
            _ => {
                let rest = body_of(other);
                let from = random.below(rest.len());
                let length = random.below(20).min(rest.len() - from);
                let end = body.len().min(at + length);
                body.splice(at..end, rest[from..from + length].iter().copied());
            }
        }
    }
    with_body(text, &body)
}

/// A file of a record of which some parts were set to something else.
pub fn reworked(random: &mut Random, text: &str, _: &str) -> String {
    let mut record = decode(text).unwrap();
    for _ in 0..=random.below(3) {
        rework(random, &mut record);
    }
    encode(&record)
}

fn rework(random: &mut Random, record: &mut Record) {
    let trace = &mut record.trace;
    let index = random.below(trace.steps.len());
    let number = random.number();
    let id = number as u32;
    let task = TaskId(random.below(trace.tasks.len()) as u32);
    match random.below(12) {
        0 => trace.steps[index].op.object = ObjectId(id),
        1 => trace.steps[index].site = SiteId(id),
        2 => trace.steps[index].value = number,
        3 => trace.steps[index].op.kind = trace.steps[random.below(index + 1)].op.kind,
        4 => {
            let of = id.saturating_add(1);
            trace.steps[index].choice = Choice::Datum { value: id, of };
        }
        5 => trace.steps[index].op.argument = number as u16,
        6 => {
            let other = trace.steps[random.below(index + 1)];
            trace.steps.insert(index, other);
        }
        7 => {
            let info = &mut trace.tasks[task.index()];
            (info.parent, info.index) = (TaskId(id), id);
            info.object = ObjectId(random.number() as u32);
        }
        8 if !trace.objects.is_empty() => {
            let count = trace.objects.len();
            let info = &mut trace.objects[random.below(count)];
            (info.task, info.index, info.kind) = (TaskId(id), id, ObjectKind::Task);
        }
        9 => record.outcome = outcome(random, record),
        10 => {
            let name = ["", "\u{202e}\0\n", "</script><!--", "🐛"][random.below(4)];
            trace.tasks[task.index()].name = Some(name.repeat(random.below(3) + 1));
            record.header.program = format!("native:{name}");
        }
        _ => {
            let key = ["steps", "spurious_wakes", "weak_failures", "races"][random.below(4)];
            record.header.settings = format!("{key}={number} steps= =1 {key}");
        }
    }
}

/// An end that speaks of tasks and objects that there may not be.
fn outcome(random: &mut Random, record: &Record) -> Outcome {
    let mut task = || TaskId(random.number() as u32);
    let step = &record.trace.steps[0];
    match (task().0 % 3, &record.outcome) {
        (0, Outcome::Fail(failure)) => {
            let mut failure = failure.clone();
            failure.task = task();
            failure.message = failure.message.repeat(2);
            Outcome::Fail(failure)
        }
        (1, _) => Outcome::StepLimit {
            limit: u64::from(task().0),
        },
        _ => {
            let mut op = step.op;
            op.object = ObjectId(task().0);
            op.kind = OpKind::Join;
            let blocked = Blocked {
                task: task(),
                op,
                site: None,
                waits_for: vec![task(), task()],
            };
            Outcome::Deadlock(Deadlock {
                blocked: vec![blocked.clone(), blocked],
                cycle: vec![task(), task()],
            })
        }
    }
}
