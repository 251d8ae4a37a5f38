//! What a page shows beside what a command printed.

/// Stands for anything within a line; alone on a line, for any number of lines.
const ANYTHING: &str = "…";

/// Whether lines are as a page shows them.
pub fn is_as_shown(shown: &[String], printed: &[&str]) -> bool {
    match shown.split_first() {
        None => printed.is_empty(),
        Some((first, rest)) if first == ANYTHING => {
            (0..=printed.len()).any(|at| is_as_shown(rest, &printed[at..]))
        }
        Some((first, rest)) => printed.split_first().is_some_and(|(line, others)| {
            line_is_as_shown(first, line) && is_as_shown(rest, others)
        }),
    }
}

fn line_is_as_shown(shown: &str, printed: &str) -> bool {
    let (shown, printed) = (shown.trim_end(), printed.trim_end());
    let Some((start, rest)) = shown.split_once(ANYTHING) else {
        return shown == printed;
    };
    let Some(mut left) = printed.strip_prefix(start) else {
        return false;
    };
    let mut pieces: Vec<&str> = rest.split(ANYTHING).collect();
    let end = pieces.pop().unwrap_or_default();
    for piece in pieces {
        let Some((_, after)) = left.split_once(piece) else {
            return false;
        };
        left = after;
    }
    left.ends_with(end)
}

/// The ids of traces in a text: what follows `unpick replay`, `unpick predict` or their variables.
pub fn ids(text: &str) -> Vec<String> {
    let mut found = Vec::new();
    let mut words = text.split_whitespace().peekable();
    let mut before = "";
    while let Some(word) = words.next() {
        let id = match (before, word) {
            ("unpick", "replay" | "predict") => words.peek().copied(),
            _ => {
                let variables = ["UNPICK_REPLAY=", "UNPICK_PREDICT="];
                variables.iter().find_map(|name| word.strip_prefix(name))
            }
        };
        found.extend(id.map(str::to_string));
        before = word;
    }
    found
}

#[test]
fn wildcards_stand_for_what_differs() {
    let fits = |shown: &str, printed: &str| {
        let shown: Vec<String> = shown.lines().map(str::to_string).collect();
        is_as_shown(&shown, &printed.lines().collect::<Vec<_>>())
    };
    assert!(fits("a\nb", "a\nb  "));
    assert!(fits("took … ms, … steps\nend", "took 3 ms, 12 steps\nend"));
    assert!(fits("…\nlast", "one\ntwo\nlast") && fits("…\nlast", "last"));
    assert!(fits("one\n…", "one") && fits("a\n…\nb\n…", "a\nx\nb\ny"));
    assert!(!fits("a", "a\nb") && !fits("a\nb", "a") && !fits("", "a"));
    assert!(!fits("took … ms", "took 3 s") && !fits("…\nlast", "last\nmore"));
    assert!(
        !fits("aa…a", "aa"),
        "what stands for the end is not there twice"
    );
}

#[test]
fn ids_follow_the_command() {
    let text = "  replay  unpick replay 4f2a\n  saved   x\n  replay  UNPICK_REPLAY=12345 cargo test\nunpick replay";
    assert_eq!(ids(text), ["4f2a", "12345"]);
}
