//! The commands that the README shows to a newcomer.
//!
//! A command is a line that starts with `$ ` inside a fence marked `console`; a backslash at its
//! end continues it. Each one is started from the root of the workspace.

/// One command, with what the README says about its end.
#[derive(Debug, PartialEq, Eq)]
pub struct ReadmeCommand {
    pub text: String,
    /// The next line is a comment that announces exit code 1, for a command that shows a bug.
    may_exit_with_one: bool,
}

impl ReadmeCommand {
    /// Whether this is the command that tests the project.
    pub fn is_test(&self) -> bool {
        self.text.starts_with("cargo test")
    }

    /// Whether following this command would come back here without end.
    pub fn is_this(&self) -> bool {
        let text = self.text.trim_start_matches("./");
        text.starts_with("cargo xtask ci") || text.starts_with(".ci/run")
    }

    /// Whether the README lets the command end with this code.
    pub fn accepts(&self, exit_code: i32) -> bool {
        exit_code == 0 || (exit_code == 1 && self.may_exit_with_one)
    }
}

/// The commands of a page, in order.
pub fn commands(page: &str) -> Vec<ReadmeCommand> {
    let mut commands = Vec::new();
    let mut in_console = false;
    let mut in_fence = false;
    let mut lines = page.lines().peekable();
    while let Some(line) = lines.next() {
        if let Some(language) = line.trim_start().strip_prefix("```") {
            in_fence = !in_fence;
            in_console = in_fence && language.trim() == "console";
            continue;
        }
        let Some(first) = line.strip_prefix("$ ").filter(|_| in_console) else {
            continue;
        };
        let mut text = first.trim().to_owned();
        while text.ends_with('\\') {
            text.pop();
            let next = lines.next().unwrap_or_default();
            text = format!("{} {}", text.trim_end(), next.trim());
        }
        let may_exit_with_one = lines
            .peek()
            .is_some_and(|next| next.starts_with('#') && next.contains("exit code 1"));
        commands.push(ReadmeCommand {
            text,
            may_exit_with_one,
        });
    }
    commands
}

#[cfg(test)]
mod tests {
    use super::*;

    fn texts(page: &str) -> Vec<String> {
        commands(page).into_iter().map(|one| one.text).collect()
    }

    #[test]
    fn only_console_fences_have_commands() {
        let page = "$ a\n```console\n$ b\noutput\n$ c d\n```\n$ e\n```sh\n$ f\n```\n```console\n$ g\n```\n";
        assert_eq!(texts(page), ["b", "c d", "g"]);
    }

    #[test]
    fn a_backslash_continues_a_command() {
        assert_eq!(
            texts("```console\n$ a \\\n    b \\\n  c\n$ d\n```\n"),
            ["a b c", "d"]
        );
    }

    #[test]
    fn exit_code_one_must_be_announced() {
        let found = commands("```console\n$ a\n# exit code 1: a bug\n$ b\nexit code 1\n$ c\n```\n");
        let accepted: Vec<_> = found.iter().map(|one| one.accepts(1)).collect();
        assert_eq!(accepted, [true, false, false]);
        assert!(found.iter().all(|one| one.accepts(0) && !one.accepts(2)));
    }

    #[test]
    fn the_test_command_and_this_chore_are_known() {
        let found =
            commands("```console\n$ cargo test --workspace\n$ ./.ci/run\n$ cargo xtask ci\n```\n");
        assert!(found[0].is_test() && !found[0].is_this());
        assert!(found[1].is_this() && found[2].is_this());
    }
}
