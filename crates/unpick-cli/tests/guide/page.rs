//! A page of the documentation as a list of things that its reader does. `docs/guide/README.md` tells the rules.

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

/// What the reader of a page of the guide does, in order. Errors say the line and what to do.
pub fn deeds(page: &str) -> Result<Vec<Deed>, String> {
    let mut found = Vec::new();
    for block in blocks(page) {
        match block.language {
            "text" => {}
            "console" => found.push(Deed::Type(block.commands()?)),
            language => {
                let name = name_before(block.before).ok_or(format!(
                    "line {}: ```{language} without a line before it that ends in the name of a file, \
                     as in: Write `src/lib.rs`:",
                    block.line
                ))?;
                found.push(file(name, language, &block.inside));
            }
        }
    }
    Ok(found)
}

/// What the reader of any other page does: types commands, but for those that a remark says cannot be typed.
pub fn commands(page: &str) -> Result<Vec<Deed>, String> {
    let mut found = Vec::new();
    let blocks = blocks(page).into_iter();
    for block in blocks.filter(|block| block.language == "console") {
        if remark(block.before, "not run").is_some_and(|reason| !reason.is_empty()) {
            continue;
        }
        let first = remark(block.before, "first").map(|text| Command {
            line: block.line,
            text: text.to_string(),
            ..Command::default()
        });
        let commands = first.into_iter().chain(block.commands()?);
        found.push(Deed::Type(commands.collect()));
    }
    Ok(found)
}

/// What stands between two fences.
struct Block<'a> {
    /// The line of the first fence.
    line: usize,
    language: &'a str,
    /// The last line before that is not empty.
    before: &'a str,
    inside: Vec<&'a str>,
}

fn blocks(page: &str) -> Vec<Block<'_>> {
    let mut found = Vec::new();
    let mut before = "";
    let mut lines = page.lines().enumerate();
    while let Some((at, line)) = lines.next() {
        let Some(language) = line.strip_prefix("```") else {
            before = if line.is_empty() { before } else { line };
            continue;
        };
        let rest = lines.by_ref().map(|(_, line)| line);
        found.push(Block {
            line: at + 1,
            language,
            before,
            inside: rest.take_while(|line| *line != "```").collect(),
        });
        before = "";
    }
    found
}

/// The text of a remark of some kind, as in: <!-- not run: takes minutes -->
fn remark<'a>(line: &'a str, kind: &str) -> Option<&'a str> {
    let inside = line.strip_prefix("<!-- ")?.strip_suffix(" -->")?;
    inside.strip_prefix(kind)?.strip_prefix(": ")
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

impl Block<'_> {
    fn commands(&self) -> Result<Vec<Command>, String> {
        let first_line = self.line + 1;
        let mut found: Vec<Command> = Vec::new();
        for (at, line) in self.inside.iter().enumerate() {
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
}

#[test]
fn commands_are_read_with_their_remarks() {
    let page = "```rust\n$ not this\n```\n<!-- first: a -->\n\n```console\n$ b\n```\n```console\n$ c\n```\n\
                <!-- not run: takes minutes -->\n\n```console\n$ d\n```\n";
    let deeds = commands(page).unwrap();
    let texts = deeds.iter().map(|deed| match deed {
        Deed::Type(commands) => commands.iter().map(|one| one.text.as_str()).collect(),
        other => panic!("{other:?}"),
    });
    let expected: [Vec<&str>; 2] = [vec!["a", "b"], vec!["c"]];
    assert_eq!(texts.collect::<Vec<Vec<&str>>>(), expected);
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
