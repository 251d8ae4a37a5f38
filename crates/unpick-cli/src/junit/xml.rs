//! The XML itself.

use super::Case;
use crate::Status;
use serde_json::Value;
use std::fmt::Write as _;

/// What of the JSON is told as properties.
const PROPERTIES: [&str; 9] = [
    "seed",
    "strategy",
    "executions",
    "schedules",
    "complete",
    "stopped_because",
    "failures",
    "histories",
    "trace",
];

/// The cases as a document, by suites in the order of their first cases.
pub(super) fn document(cases: &[Case]) -> String {
    let mut suites: Vec<&str> = Vec::new();
    for case in cases {
        if !suites.contains(&case.suite.as_str()) {
            suites.push(&case.suite);
        }
    }
    let all: Vec<&Case> = cases.iter().collect();
    let mut text = format!(
        "<?xml version=\"1.0\" encoding=\"UTF-8\"?>\n<testsuites name=\"unpick\"{}>\n",
        counts(&all)
    );
    for suite in suites {
        let own: Vec<&Case> = cases.iter().filter(|case| case.suite == suite).collect();
        let _ = writeln!(
            text,
            "  <testsuite name=\"{}\"{}>",
            escape(suite),
            counts(&own)
        );
        for case in own {
            add_case(&mut text, case);
        }
        text.push_str("  </testsuite>\n");
    }
    text.push_str("</testsuites>\n");
    text
}

fn counts(cases: &[&Case]) -> String {
    let count = |status: Status| cases.iter().filter(|case| case.status == status).count();
    let time: u64 = cases.iter().map(|case| milliseconds(case)).sum();
    format!(
        " tests=\"{}\" failures=\"{}\" errors=\"{}\" skipped=\"{}\" time=\"{}\"",
        cases.len(),
        count(Status::Failed),
        count(Status::Diverged),
        count(Status::NothingRan),
        seconds(time)
    )
}

fn add_case(text: &mut String, case: &Case) {
    let _ = writeln!(
        text,
        "    <testcase name=\"{}\" classname=\"{}\" time=\"{}\">",
        escape(&case.name),
        escape(&case.suite),
        seconds(milliseconds(case))
    );
    let known = PROPERTIES
        .iter()
        .filter(|name| !case.object[**name].is_null());
    let known: Vec<&&str> = known.collect();
    if !known.is_empty() {
        text.push_str("      <properties>\n");
        for name in known {
            let value = match &case.object[*name] {
                Value::String(value) => escape(value),
                other => other.to_string(),
            };
            let _ = writeln!(
                text,
                "        <property name=\"{name}\" value=\"{value}\"/>"
            );
        }
        text.push_str("      </properties>\n");
    }
    let outcome = case.object["outcome"].as_str().unwrap_or("error");
    let (message, details) = (escape(&case.message), escape(&case.details));
    let _ = match case.status {
        Status::Clean if details.is_empty() => Ok(()),
        Status::Clean => writeln!(text, "      <system-out>{details}</system-out>"),
        Status::NothingRan | Status::Interrupted => {
            writeln!(text, "      <skipped message=\"{message}\"/>")
        }
        Status::Failed => writeln!(
            text,
            "      <failure message=\"{message}\" type=\"{outcome}\">{details}</failure>"
        ),
        Status::Diverged => writeln!(
            text,
            "      <error message=\"{message}\" type=\"{outcome}\">{details}</error>"
        ),
    };
    text.push_str("    </testcase>\n");
}

fn milliseconds(case: &Case) -> u64 {
    case.object["elapsed_ms"].as_u64().unwrap_or(0)
}

fn seconds(milliseconds: u64) -> String {
    format!("{}.{:03}", milliseconds / 1_000, milliseconds % 1_000)
}

/// A text that means itself, as an attribute or between tags. Characters that no XML may have, such as the
/// escape of a colour, become the replacement character.
fn escape(text: &str) -> String {
    let mut escaped = String::with_capacity(text.len());
    for c in text.chars() {
        match c {
            '&' => escaped.push_str("&amp;"),
            '<' => escaped.push_str("&lt;"),
            '>' => escaped.push_str("&gt;"),
            '"' => escaped.push_str("&quot;"),
            // Or an attribute would have spaces, and a text other ends of lines.
            '\t' | '\n' | '\r' => {
                let _ = write!(escaped, "&#{};", c as u32);
            }
            '\0'..='\u{1f}' | '\u{fffe}' | '\u{ffff}' => escaped.push('\u{fffd}'),
            other => escaped.push(other),
        }
    }
    escaped
}

#[cfg(test)]
mod tests {
    use super::*;
    use serde_json::json;

    const WILD: &str = "a <b> & \"c\" 'd'\n\te]]>\r";

    fn case(status: Status, name: &str, details: &str) -> Case {
        let object = json!({
            "name": name,
            "outcome": "fail",
            "seed": 24301,
            "strategy": "pct:d=2",
            "elapsed_ms": 1_234,
            "trace": null,
            "failure": {"summary": WILD},
        });
        Case::new("a \"suite\"", status, &object, details)
    }

    #[test]
    fn every_text_comes_back() {
        let details = format!("{WILD}\u{1b}[31m\0");
        let text = document(&[case(Status::Failed, WILD, &details)]);
        let document = roxmltree::Document::parse(&text).unwrap();
        let find = |name: &str| {
            let mut nodes = document.descendants();
            nodes.find(|node| node.has_tag_name(name)).unwrap()
        };
        assert_eq!(find("testsuite").attribute("name"), Some("a \"suite\""));
        let case = find("testcase");
        assert_eq!(case.attribute("name"), Some(WILD));
        assert_eq!(case.attribute("time"), Some("1.234"));
        let failure = find("failure");
        assert_eq!(failure.attribute("message"), Some(WILD));
        assert_eq!(failure.attribute("type"), Some("fail"));
        let right = format!("{WILD}\u{fffd}[31m\u{fffd}");
        assert_eq!(failure.text(), Some(right.as_str()));
    }

    #[test]
    fn cases_are_counted_by_what_became_of_them() {
        let text = document(&[
            case(Status::Clean, "a", ""),
            case(Status::Clean, "b", "WARNING  b  beware"),
            case(Status::Failed, "c", "FAILED"),
            case(Status::Diverged, "d", "DIVERGED  d  so"),
            case(Status::NothingRan, "e", ""),
            Case::not_explored("other", "f", "no such file"),
        ]);
        let document = roxmltree::Document::parse(&text).unwrap();
        let root = document.root_element();
        let counts = ["tests", "failures", "errors", "skipped", "time"];
        let of_all = counts.map(|name| root.attribute(name).unwrap());
        assert_eq!(of_all, ["6", "1", "2", "1", "6.170"]);
        let suites: Vec<_> = root.children().filter(|node| node.is_element()).collect();
        assert_eq!(suites.len(), 2);
        assert_eq!(
            counts.map(|name| suites[1].attribute(name).unwrap())[..3],
            ["1", "0", "1"]
        );
        let errors = document
            .descendants()
            .filter(|node| node.has_tag_name("error"));
        let messages: Vec<_> = errors
            .filter_map(|node| node.attribute("message"))
            .collect();
        assert_eq!(messages, ["DIVERGED  d  so", "no such file"]);
        let said = document
            .descendants()
            .find(|node| node.has_tag_name("system-out"));
        assert_eq!(said.unwrap().text(), Some("WARNING  b  beware"));
    }

    #[test]
    fn properties_are_what_is_known() {
        let text = document(&[case(Status::Failed, "a", "")]);
        let document = roxmltree::Document::parse(&text).unwrap();
        let properties = document
            .descendants()
            .filter(|node| node.has_tag_name("property"));
        let told: Vec<_> = properties
            .map(|node| {
                (
                    node.attribute("name").unwrap(),
                    node.attribute("value").unwrap(),
                )
            })
            .collect();
        assert_eq!(told, [("seed", "24301"), ("strategy", "pct:d=2")]);
    }

    #[test]
    fn cases_survive_the_log() {
        let before = case(Status::Diverged, WILD, "x\ny");
        let after = Case::from_line(&before.to_line()).unwrap();
        assert_eq!(document(&[after]), document(&[before]));
    }
}
