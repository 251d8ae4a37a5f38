//! What `cargo unpick test --json` says about one test.

use serde_json::Value;

/// How the exploration of a test ended.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Verdict {
    Ok,
    /// Failed, by the kind of the failure.
    Failed(String),
    /// Nothing failed, but executions did not come to an end.
    Inconclusive,
    /// Not explored, or what was found did not come back.
    Refused(String),
}

/// One test of a crate.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Tested {
    /// The test binary and the name of the test: `bounded::spsc`.
    pub name: String,
    pub verdict: Verdict,
    /// What went wrong, in a line.
    pub message: String,
    pub executions: u64,
}

/// The kinds of failures, by how their headline begins.
const KINDS: &[(&str, &str)] = &[
    ("panicked", "panic"),
    ("data race", "data race"),
    ("use after free", "use after free"),
    ("double free", "invalid free"),
    ("invalid free", "invalid free"),
    ("heap buffer", "heap overflow"),
    ("SIG", "signal"),
    ("exit code", "exit code"),
    ("misuse", "misuse"),
    ("abort", "abort"),
    ("leak", "leak"),
    ("livelock", "livelock"),
];

impl Tested {
    /// Reads the object of a test in a test binary.
    pub fn of(binary: &str, object: &Value) -> Tested {
        let text = |value: &Value| value.as_str().unwrap_or_default().to_string();
        let summary = text(&object["failure"]["summary"]);
        let error = text(&object["error"]);
        let outcome = text(&object["outcome"]);
        let unfinished = object["inconclusive"].as_u64().unwrap_or(0);
        let verdict = match outcome.as_str() {
            "pass" if unfinished > 0 => Verdict::Inconclusive,
            "pass" => Verdict::Ok,
            "inconclusive" => Verdict::Inconclusive,
            "deadlock" => Verdict::Failed("deadlock".into()),
            "step-limit" => Verdict::Failed("livelock".into()),
            "livelock" => Verdict::Failed("livelock".into()),
            "fail" => Verdict::Failed(kind(&summary).into()),
            other => Verdict::Refused(other.into()),
        };
        Tested {
            name: format!("{binary}::{}", text(&object["name"])),
            verdict,
            message: if error.is_empty() { summary } else { error },
            executions: object["executions"].as_u64().unwrap_or(0),
        }
    }
}

fn kind(summary: &str) -> &'static str {
    let found = KINDS.iter().find(|(begin, _)| summary.starts_with(begin));
    found.map_or("other", |(_, kind)| kind)
}

/// The name of a test binary in what Cargo prints before it runs one:
/// `Running tests/bounded.rs (target/debug/deps/bounded-65a8fc5a)`.
pub fn binary(line: &str) -> Option<String> {
    let rest = line.trim_start().strip_prefix("Running ")?;
    let (source, file) = rest.rsplit_once(" (")?;
    if source.starts_with("unittests ") && source.ends_with("src/lib.rs") {
        return Some("lib".into());
    }
    let file = file.trim_end_matches([')', '`']).rsplit('/').next()?;
    let (name, _) = file.rsplit_once('-')?;
    Some(name.to_string())
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    #[test]
    fn verdicts_follow_from_the_outcome() {
        let of = |object: Value| Tested::of("lib", &object).verdict;
        assert_eq!(of(json!({"outcome": "pass"})), Verdict::Ok);
        assert_eq!(
            of(json!({"outcome": "pass", "inconclusive": 3})),
            Verdict::Inconclusive
        );
        assert_eq!(
            of(json!({"outcome": "step-limit"})),
            Verdict::Failed("livelock".into())
        );
        let race = json!({"outcome": "fail", "failure": {"summary": "data race on `x`"}});
        assert_eq!(of(race), Verdict::Failed("data race".into()));
        for outcome in ["diverged", "uncontrolled", ""] {
            let verdict = of(json!({"outcome": outcome}));
            assert_eq!(verdict, Verdict::Refused(outcome.into()));
        }
    }

    #[test]
    fn a_test_has_its_binary_and_message() {
        let object =
            json!({"name": "a::b", "outcome": "uncontrolled", "error": "no", "executions": 4});
        let tested = Tested::of("bounded", &object);
        assert_eq!(tested.name, "bounded::a::b");
        assert_eq!((tested.message.as_str(), tested.executions), ("no", 4));
    }

    #[test]
    fn binaries_are_read_from_the_lines_of_cargo() {
        let lib = "     Running unittests src/lib.rs (build/debug/deps/spin-303aa614)";
        assert_eq!(binary(lib).as_deref(), Some("lib"));
        let test = "     Running tests/a b.rs (build/debug/deps/a-b-65a8fc5a)";
        assert_eq!(binary(test).as_deref(), Some("a-b"));
        assert_eq!(binary("   Compiling spin v0.9.7"), None);
    }
}
