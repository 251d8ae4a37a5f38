//! A page of the guide as a list of things that its reader does. `docs/guide/README.md` tells the rules.

/// Something that the reader does.
#[derive(Debug, PartialEq, Eq)]
pub enum Deed {
    /// Writes a file.
    Write { name: String, text: String },
    /// Replaces lines of a file, which are there once.
    Change {
        name: String,
        old: String,
        new: String,
    },
    /// Types commands, one after the other.
    Type(Vec<Command>),
}

/// A command, with what the page says of it.
#[derive(Debug, Default, PartialEq, Eq)]
pub struct Command {
    /// The line of the page.
    pub line: usize,
    pub text: String,
    pub exit_code: i32,
    /// The lines that it is shown to print; none if the page does not show them.
    pub output: Vec<String>,
}

/// What the reader of a page does, in order. Errors say the line and what to do.
pub fn deeds(page: &str) -> Result<Vec<Deed>, String> {
    let mut found = Vec::new();
    let mut before = "";
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            before = if line.is_empty() { before } else { line };
            continue;
        };
        let inside: Vec<&str> = lines
            .by_ref()
            .map(|(_, line)| line)
            .take_while(|line| *line != "```")
            .collect();
        match language {
            "text" => {}
            "console" => found.push(Deed::Type(commands(&inside, at + 2)?)),
            _ => {
                let name = name_before(before).ok_or(format!(
                    "line {}: ```{language} without a line before it that ends in the name of a file, \
                     as in: Write `src/lib.rs`:",
                    at + 1
                ))?;
                found.push(file(name, language, &inside));
            }
        }
    }
    Ok(found)
}

/// The name with which a line ends, as in: Write `src/lib.rs`:
fn name_before(line: &str) -> Option<&str> {
    let (_, name) = line.strip_suffix("`:")?.rsplit_once('`')?;
    Some(name)
}

fn file(name: &str, language: &str, inside: &[&str]) -> Deed {
    let name = name.to_string();
    let lines = |left_out: char| -> String {
        let kept = inside.iter().filter(|line| !line.starts_with(left_out));
        kept.map(|line| format!("{}\n", line.get(1..).unwrap_or_default()))
            .collect()
    };
    match language {
        "diff" => Deed::Change {
            name,
            old: lines('+'),
            new: lines('-'),
        },
        _ => Deed::Write {
            name,
            text: inside.iter().map(|line| format!("{line}\n")).collect(),
        },
    }
}

fn commands(inside: &[&str], first_line: usize) -> Result<Vec<Command>, String> {
    let mut found: Vec<Command> = Vec::new();
    for (at, line) in inside.iter().enumerate() {
        if let Some(text) = line.strip_prefix("$ ") {
            found.push(Command {
                line: first_line + at,
                text: text.to_string(),
                ..Command::default()
            });
            continue;
        }
        let nobody = format!("line {}: output of no command", first_line + at);
        let command = found.last_mut().ok_or(nobody)?;
        match line.strip_prefix("# exit code ") {
            Some(code) => {
                let no_code = format!("line {}: `{code}` is no code", first_line + at);
                command.exit_code = code.parse().map_err(|_| no_code)?;
            }
            None => command.output.push(line.to_string()),
        }
    }
    Ok(found)
}

#[test]
fn a_page_is_read() {
    let page = "Write `a/b.rs`:\n\n```rust\nfn f() {}\n```\n\nIn `a/b.rs`:\n\n```diff\n fn\n-f\n+g\n```\n\
                ```text\n$ not this\n```\n```console\n$ x y\nsays\n# exit code 1\n$ z\n```\n";
    let write = Deed::Write {
        name: "a/b.rs".into(),
        text: "fn f() {}\n".into(),
    };
    let change = Deed::Change {
        name: "a/b.rs".into(),
        old: "fn\nf\n".into(),
        new: "fn\ng\n".into(),
    };
    let first = Command {
        line: 18,
        text: "x y".into(),
        exit_code: 1,
        output: vec!["says".into()],
    };
    let second = Command {
        line: 21,
        text: "z".into(),
        ..Command::default()
    };
    let expected = vec![write, change, Deed::Type(vec![first, second])];
    assert_eq!(deeds(page), Ok(expected));
    for (page, part) in [
        ("Words\n```rust\n```\n", "line 2: ```rust without"),
        ("```console\nsaid\n```\n", "line 2: output of no command"),
        ("```console\n$ a\n# exit code x\n```\n", "line 3: `x` is no"),
    ] {
        let error = deeds(page).unwrap_err();
        assert!(error.contains(part), "{error}");
    }
}
