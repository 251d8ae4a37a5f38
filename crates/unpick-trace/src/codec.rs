//! Traces on disk: a text header that a person can read, and a compact body.
//!
//! ```text
//! unpick-trace 2
//! program: transfer_keeps_total
//! strategy: pct:d=3
//! ...
//! why: lost update: task 2 did store on `balance` (src/lib.rs:22) between …
//! schedule: task 1, 3 steps: lock mutex 2 (src/lib.rs:20) to load `balance` (src/lib.rs:21)
//! ...
//! body: 1a2b3c4d5e6f7081 41
//! <base64 lines>
//! ```
//!
//! The number after the magic word is the format version; version 1 had neither an explanation nor lines
//! `schedule` nor a passing schedule in its body. Version 3 has names of messages, and is written only where
//! there are some. A file of a newer version, a damaged or a shortened one is
//! rejected with an error that says so; nothing is ever guessed.

mod base64;
mod valid;

use crate::outline::outline;
use crate::{Outcome, Trace};
use alloc::{
    borrow::Cow,
    format,
    string::{String, ToString},
    vec::Vec,
};
use serde::{Deserialize, Serialize};

/// The newest version this crate reads, and writes where it needs to.
pub const FORMAT_VERSION: u32 = 3;

/// The version of traces whose messages have no names.
const PLAIN_VERSION: u32 = 2;

const MAGIC: &str = "unpick-trace";
const LINE_WIDTH: usize = 100;

/// Where a trace comes from.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Header {
    /// The program or test that was run.
    pub program: String,
    /// The strategy, as given on the command line.
    pub strategy: String,
    /// The seed of the exploration.
    pub seed: u64,
    /// Which execution of the exploration this was, from 1.
    pub execution: u64,
    /// The outcome in one line.
    pub summary: String,
    /// The version of unpick that wrote the file.
    pub tool: String,
    /// Settings that change what a program may do, as `key=value` words.
    pub settings: String,
    /// Why it failed, in one line; empty if nobody has found out.
    pub why: String,
    /// The step after which everything that was tried fails.
    pub critical: Option<usize>,
    /// Steps, the first of which has to come before the second for it to fail.
    pub orderings: Vec<(usize, usize)>,
}

/// A trace with its outcome and its origin.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Record {
    /// Where it comes from.
    pub header: Header,
    /// What happened.
    pub trace: Trace,
    /// How it ended.
    pub outcome: Outcome,
    /// A schedule of the same program that passes, to compare with.
    pub passing: Option<Trace>,
}

impl Record {
    /// What came of running it again. What was known of it still holds if it went step by step as before.
    pub fn replayed(&self, trace: &Trace, outcome: &Outcome) -> Record {
        let mut header = self.header.clone();
        if *trace != self.trace {
            (header.why, header.critical) = (String::new(), None);
            header.orderings.clear();
        }
        Record {
            header,
            trace: trace.clone(),
            outcome: outcome.clone(),
            passing: None,
        }
    }
}

/// Why a file is not a trace that can be used.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
pub enum CodecError {
    /// The first line is not ours.
    #[error("not an unpick trace: the first line is not `{MAGIC} <version>`")]
    NotATrace,
    /// Written by a newer version.
    #[error(
        "the trace has format version {found}, this unpick reads up to {FORMAT_VERSION}; use the \
         version that wrote it (the `tool` line of the file) or a newer one"
    )]
    TooNew {
        /// The version in the file.
        found: u32,
    },
    /// A header line is missing or cannot be read.
    #[error("damaged trace: header line `{0}` is missing or malformed; record the failure again")]
    BadHeader(&'static str),
    /// A header line that no version up to this one writes.
    #[error("damaged trace: there is no header line `{0}`; record the failure again")]
    UnknownHeader(String),
    /// The body does not match its checksum.
    #[error("damaged trace: the body does not match its checksum; record the failure again")]
    BadChecksum,
    /// The body matches its checksum but is not a trace.
    #[error("damaged trace: {0}; record the failure again")]
    BadBody(String),
}

#[derive(Serialize, Deserialize)]
struct Body {
    trace: Trace,
    outcome: Outcome,
    passing: Option<Trace>,
}

/// The body of version 3.
#[derive(Serialize, Deserialize)]
struct LabelledBody {
    body: Body,
    /// What messages are called, in the trace and in the passing one.
    labels: (Labels, Labels),
}

type Labels = Vec<Cow<'static, str>>;

impl From<LabelledBody> for Body {
    fn from(LabelledBody { mut body, labels }: LabelledBody) -> Body {
        body.trace.labels = labels.0;
        if let Some(passing) = &mut body.passing {
            passing.labels = labels.1;
        }
        body
    }
}

/// The body of version 1.
#[derive(Deserialize)]
struct OldBody {
    trace: Trace,
    outcome: Outcome,
}

impl From<OldBody> for Body {
    fn from(old: OldBody) -> Body {
        Body {
            trace: old.trace,
            outcome: old.outcome,
            passing: None,
        }
    }
}

/// The text of a trace file.
pub fn encode(record: &Record) -> String {
    let body = Body {
        trace: record.trace.clone(),
        outcome: record.outcome.clone(),
        passing: record.passing.clone(),
    };
    let passing = record.passing.as_ref();
    let labels = (
        record.trace.labels.clone(),
        passing.map_or_else(Vec::new, |trace| trace.labels.clone()),
    );
    let (version, bytes) = match labels.0.is_empty() && labels.1.is_empty() {
        true => (PLAIN_VERSION, postcard::to_allocvec(&body)),
        false => (
            FORMAT_VERSION,
            postcard::to_allocvec(&LabelledBody { body, labels }),
        ),
    };
    let bytes = bytes.expect("internal error: a trace can be serialised");
    let header = &record.header;
    let mut text = format!("{MAGIC} {version}\n");
    let fields = [
        ("program", one_line(&header.program)),
        ("strategy", one_line(&header.strategy)),
        ("seed", format!("{:#x}", header.seed)),
        ("execution", header.execution.to_string()),
        ("settings", one_line(&header.settings)),
        ("outcome", one_line(&header.summary)),
        ("tool", one_line(&header.tool)),
    ];
    for (name, value) in &fields {
        text.push_str(&format!("{name}: {value}\n"));
    }
    if !header.why.is_empty() {
        text.push_str(&format!("why: {}\n", one_line(&header.why)));
    }
    for (first, second) in &header.orderings {
        text.push_str(&format!("ordering: {first} {second}\n"));
    }
    if let Some(step) = header.critical {
        text.push_str(&format!("critical: {step}\n"));
    }
    for line in outline(&record.trace) {
        text.push_str(&format!("schedule: {}\n", one_line(&line)));
    }
    let sum = checksum(text.as_bytes(), &bytes);
    text.push_str(&format!("body: {sum:016x} {}\n", bytes.len()));
    let encoded = base64::encode(&bytes);
    for line in encoded.as_bytes().chunks(LINE_WIDTH) {
        text.push_str(core::str::from_utf8(line).expect("internal error: base64 is ASCII"));
        text.push('\n');
    }
    text
}

/// Reads a trace file.
pub fn decode(text: &str) -> Result<Record, CodecError> {
    let first = text.lines().next().unwrap_or("");
    let version = first
        .strip_prefix(MAGIC)
        .and_then(|rest| rest.trim().parse::<u32>().ok())
        .filter(|&version| version > 0)
        .ok_or(CodecError::NotATrace)?;
    if version > FORMAT_VERSION {
        return Err(CodecError::TooNew { found: version });
    }
    let mut header = Header::default();
    let mut seed = None;
    let mut execution = None;
    let mut rest = &text[line_end(text, 0)..];
    let body_line = loop {
        let end = line_end(rest, 0);
        let line = rest[..end].trim_end_matches(['\r', '\n']);
        let (name, value) = line
            .split_once(": ")
            .or_else(|| line.strip_suffix(':').map(|name| (name, "")))
            .ok_or(CodecError::BadHeader("body"))?;
        match name {
            "program" => header.program = value.to_string(),
            "strategy" => header.strategy = value.to_string(),
            "settings" => header.settings = value.to_string(),
            "outcome" => header.summary = value.to_string(),
            "tool" => header.tool = value.to_string(),
            "seed" => seed = u64::from_str_radix(value.trim_start_matches("0x"), 16).ok(),
            "execution" => execution = value.parse().ok(),
            "why" => header.why = value.to_string(),
            "critical" => {
                let step = value.parse();
                header.critical = Some(step.map_err(|_| CodecError::BadHeader("critical"))?);
            }
            "ordering" => {
                let steps = ordering(value).ok_or(CodecError::BadHeader("ordering"))?;
                header.orderings.push(steps);
            }
            // For people: the body has it in full.
            "schedule" => {}
            "body" => {
                rest = &rest[end..];
                break value;
            }
            other => return Err(CodecError::UnknownHeader(other.to_string())),
        }
        rest = &rest[end..];
    };
    header.seed = seed.ok_or(CodecError::BadHeader("seed"))?;
    header.execution = execution.ok_or(CodecError::BadHeader("execution"))?;
    let head = &text[..text.len() - rest.len()];
    let head = &head[..head.rfind("body: ").unwrap_or(0)];
    let body = decode_body(version, head, body_line, rest)?;
    let steps = body.trace.steps.len();
    if header.critical.is_some_and(|step| step >= steps) {
        return Err(CodecError::BadHeader("critical"));
    }
    if header.orderings.iter().any(|&(_, second)| second >= steps) {
        return Err(CodecError::BadHeader("ordering"));
    }
    Ok(Record {
        header,
        trace: body.trace,
        outcome: body.outcome,
        passing: body.passing,
    })
}

/// Two steps, the first before the second.
fn ordering(value: &str) -> Option<(usize, usize)> {
    let (first, second) = value.split_once(' ')?;
    let steps: (usize, usize) = (first.parse().ok()?, second.parse().ok()?);
    (steps.0 < steps.1).then_some(steps)
}

fn decode_body(
    version: u32,
    head: &str,
    body_line: &str,
    encoded: &str,
) -> Result<Body, CodecError> {
    let (sum, length) = body_line
        .split_once(' ')
        .ok_or(CodecError::BadHeader("body"))?;
    let sum = u64::from_str_radix(sum, 16).map_err(|_| CodecError::BadHeader("body"))?;
    let length: usize = length.parse().map_err(|_| CodecError::BadHeader("body"))?;
    let bytes = base64::decode(encoded).ok_or(CodecError::BadChecksum)?;
    // Line ends may have been rewritten on their way through version control.
    let head = head.replace("\r\n", "\n");
    if bytes.len() != length || checksum(head.as_bytes(), &bytes) != sum {
        return Err(CodecError::BadChecksum);
    }
    let body = match version {
        1 => postcard::from_bytes::<OldBody>(&bytes).map(Body::from),
        PLAIN_VERSION => postcard::from_bytes(&bytes),
        _ => postcard::from_bytes::<LabelledBody>(&bytes).map(Body::from),
    };
    let body = body.map_err(|error| CodecError::BadBody(error.to_string()))?;
    body.validate().map_err(CodecError::BadBody)?;
    Ok(body)
}

fn line_end(text: &str, start: usize) -> usize {
    text[start..]
        .find('\n')
        .map_or(text.len(), |at| start + at + 1)
}

fn one_line(text: &str) -> String {
    text.replace(['\n', '\r'], " ").trim().to_string()
}

/// FNV-1a over header and body: cheap, and enough against accidents (it is no signature).
fn checksum(head: &[u8], body: &[u8]) -> u64 {
    let mut hash = 0xcbf2_9ce4_8422_2325_u64;
    for byte in head.iter().chain(body) {
        hash = (hash ^ u64::from(*byte)).wrapping_mul(0x0000_0100_0000_01b3);
    }
    hash
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::{Choice, ObjectId, Op, OpKind, SiteId, Step, TaskId, TaskInfo, TaskSet};

    fn sample() -> Record {
        let mut trace = Trace::default();
        trace.tasks.push(TaskInfo {
            parent: TaskId(0),
            index: 0,
            object: ObjectId(0),
            name: Some("main".to_string()),
        });
        let mut enabled = TaskSet::new();
        enabled.insert(TaskId(0));
        for value in 0..50 {
            let op = Op::new(OpKind::Store, ObjectId(0));
            let mut step = Step::new(Choice::Task(TaskId(0)), TaskId(0), op, SiteId::UNKNOWN);
            step.value = value;
            trace.push(step, enabled.bits());
        }
        Record {
            header: Header {
                program: "sample".to_string(),
                strategy: "dfs".to_string(),
                seed: 0x5eed,
                execution: 37,
                summary: "fail\nin two lines".to_string(),
                tool: "0.1.0".to_string(),
                settings: String::new(),
                why: "order violation: one came\nbefore the other".to_string(),
                critical: Some(7),
                orderings: alloc::vec![(3, 7), (7, 12)],
            },
            passing: Some(trace.clone()),
            trace,
            outcome: Outcome::Pass,
        }
    }

    #[test]
    fn what_is_written_is_read_back() {
        let mut record = sample();
        let read = decode(&encode(&record)).unwrap();
        record.header.summary = "fail in two lines".to_string();
        record.header.why = record.header.why.replace('\n', " ");
        assert_eq!(read, record);
        assert_eq!(decode(&encode(&record).replace('\n', "\r\n")), Ok(record));
    }

    #[test]
    fn names_of_messages_are_read_back() {
        let mut record = sample();
        record.header.summary.clear();
        record.header.why.clear();
        record.trace.steps[7].op.kind = OpKind::Send;
        record.trace.set_label(7, "deposit");
        let text = encode(&record);
        assert!(text.starts_with("unpick-trace 3\n"), "{text}");
        let read = decode(&text).unwrap();
        assert_eq!(read, record);
        assert_eq!(read.trace.label(&read.trace.steps[7]), Some("deposit"));
        assert_eq!(read.trace.label(&read.trace.steps[8]), None);
    }

    #[test]
    fn every_changed_byte_is_noticed() {
        let text = encode(&sample());
        let original = decode(&text).unwrap();
        let mut noticed = 0;
        for position in 0..text.len() {
            let mut bytes = text.clone().into_bytes();
            bytes[position] = if bytes[position] == b'A' { b'B' } else { b'A' };
            let changed = String::from_utf8(bytes).expect("still ASCII");
            // A checksum digit in the other case is the same number: nothing was lost.
            match decode(&changed) {
                Err(_) => noticed += 1,
                Ok(record) => assert_eq!(record, original, "byte {position} went unnoticed"),
            }
        }
        assert!(noticed + 24 > text.len(), "{noticed} of {}", text.len());
    }

    #[test]
    fn every_added_byte_is_noticed_or_does_not_count() {
        let text = encode(&sample());
        let original = decode(&text).unwrap();
        for position in 0..text.len() {
            for added in ["\r", " ", "x"] {
                let changed = [&text[..position], added, &text[position..]].concat();
                if let Ok(record) = decode(&changed) {
                    assert_eq!(record, original, "{added:?} at {position} went unnoticed");
                }
            }
        }
    }

    #[test]
    fn every_shortened_file_is_noticed() {
        let text = encode(&sample());
        for length in 0..text.trim_end_matches(['\n', '=']).len() {
            assert!(decode(&text[..length]).is_err(), "length {length}");
        }
    }

    #[test]
    fn steps_that_are_not_there_are_refused() {
        let mut record = sample();
        record.header.critical = Some(50);
        let error = CodecError::BadHeader("critical");
        assert_eq!(decode(&encode(&record)), Err(error));
        record.header.critical = Some(49);
        for wrong in [(3, 50), (7, 7)] {
            record.header.orderings = alloc::vec![wrong];
            let error = CodecError::BadHeader("ordering");
            assert_eq!(decode(&encode(&record)), Err(error), "{wrong:?}");
        }
    }

    #[test]
    fn newer_files_say_so() {
        let text = encode(&sample()).replace("unpick-trace 2", "unpick-trace 7");
        let error = decode(&text).unwrap_err();
        assert_eq!(error, CodecError::TooNew { found: 7 });
        assert!(error.to_string().contains("format version 7"));
        assert_eq!(decode("hello"), Err(CodecError::NotATrace));
        assert_eq!(decode("unpick-trace 0\n"), Err(CodecError::NotATrace));
    }

    #[test]
    fn files_of_every_older_version_are_read() {
        let text = include_str!("../tests/files/version-1-suite.txt");
        let record = decode(text).unwrap();
        assert_eq!(record.header.program, "suite:CS.account_bad");
        assert_eq!(record.trace.operation_count(), 9);
        assert!(record.outcome.is_failure());
        // What is written now is of the newest version, and tells the schedule.
        let lines: Vec<String> = encode(&record)
            .lines()
            .filter(|line| line.starts_with("unpick-trace") || line.starts_with("schedule"))
            .map(|line| line.replace("crates/unpick-suite/src/sctbench/", ""))
            .collect();
        let expected = [
            "unpick-trace 2",
            "schedule: task 0, 3 steps: spawn (account.rs:38) to spawn (account.rs:38)",
            "schedule: task 2, 2 steps: lock mutex 2 (account.rs:54) to unlock mutex 2 (account.rs:54)",
            "schedule: task 3, 2 steps: lock mutex 2 (account.rs:61) to unlock mutex 2 (account.rs:61)",
            "schedule: task 1, 2 steps: lock mutex 2 (account.rs:43) to unlock mutex 2 (account.rs:43)",
        ];
        assert_eq!(lines, expected);
    }

    #[test]
    fn of_a_long_schedule_the_beginning_is_told() {
        let mut record = sample();
        let mut step = record.trace.steps[0];
        record.trace.steps.clear();
        for index in 0..1_000 {
            step.task = TaskId(index % 2);
            record.trace.steps.push(step);
        }
        let text = encode(&record);
        let lines = text.lines().filter(|line| line.starts_with("schedule: "));
        let lines: Vec<&str> = lines.collect();
        assert_eq!(lines.len(), 101);
        assert_eq!(lines[1], "schedule: task 1, 1 step: store");
        assert_eq!(lines[100], "schedule: and 900 more turns");
    }
}
