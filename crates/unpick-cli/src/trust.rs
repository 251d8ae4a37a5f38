//! What a trace may make the command do. A trace may come from elsewhere: it names programs, arguments, options of
//! Cargo and source files.
//!
//! Without a word of the user, a trace runs programs and tests of its project only, and only sources of the project, of
//! the toolchain and of packages from a registry are read (docs/security.md).

use anyhow::{Result, bail};
use std::ffi::OsStr;
use std::path::{Path, PathBuf};
use std::process::{Command as Process, Stdio};
use unpick_native::drive::Command;

/// Variables that explorations set by themselves.
const OWN_VARIABLES: [&str; 2] = ["RUST_BACKTRACE", "TERM"];

/// Options of Cargo that choose what is built and run, without their values.
const CARGO_OPTIONS: [&str; 14] = [
    "-p",
    "--package",
    "--features",
    "--all-features",
    "--no-default-features",
    "--release",
    "--profile",
    "--lib",
    "--bin",
    "--bins",
    "--test",
    "--tests",
    "--example",
    "--examples",
];

/// The directory of a project: the topmost one at or above `directory` that has a manifest of Cargo, or else `directory`.
fn root_of(directory: &Path) -> PathBuf {
    let above = directory.ancestors();
    let with_manifest = above.filter(|one| one.join("Cargo.toml").is_file());
    with_manifest.last().unwrap_or(directory).to_path_buf()
}

/// The variables that tell Cargo where to put what it builds.
const TARGET_VARIABLES: [&str; 2] = ["CARGO_TARGET_DIR", "CARGO_BUILD_TARGET_DIR"];

/// Whether the variables of the environment count. They may be set for one command and not for the next.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Variables {
    Count,
    Ignored,
}

/// Where Cargo puts what it builds for a project, if that is elsewhere.
fn target_directory(project: &Path, variables: Variables) -> Option<PathBuf> {
    let manifest = project.join("Cargo.toml");
    let cargo = std::env::var_os("CARGO").unwrap_or_else(|| "cargo".into());
    let mut command = Process::new(cargo);
    if variables == Variables::Ignored {
        TARGET_VARIABLES.iter().for_each(|name| {
            command.env_remove(name);
        });
    }
    let output = command
        .args([
            "metadata",
            "--no-deps",
            "--offline",
            "--format-version",
            "1",
        ])
        .arg("--manifest-path")
        .arg(manifest)
        .stdin(Stdio::null())
        .stderr(Stdio::null())
        .output();
    let object: serde_json::Value = serde_json::from_slice(&output.ok()?.stdout).ok()?;
    object["target_directory"].as_str().map(PathBuf::from)
}

/// Whether a path, with all links followed, lies below a directory.
fn is_below(path: &Path, directory: &Path) -> bool {
    match (path.canonicalize(), directory.canonicalize()) {
        (Ok(path), Ok(directory)) => path.starts_with(directory),
        _ => false,
    }
}

/// Why a command is not one of the project in `base`; none if it is.
fn objection(command: &Command, base: &Path, variables: Variables) -> Option<String> {
    let root = root_of(base);
    let program = &command.program;
    let is_built =
        || target_directory(&root, variables).is_some_and(|target| is_below(program, &target));
    if !is_below(program, &root) && !is_built() {
        return Some(format!(
            "the program lies outside of the project {}",
            root.display()
        ));
    }
    let elsewhere = command
        .directory
        .as_deref()
        .filter(|one| !is_below(one, &root));
    if let Some(directory) = elsewhere {
        return Some(format!(
            "it is to run in {}, outside of the project {}",
            directory.display(),
            root.display()
        ));
    }
    let mut names = command.environment.keys();
    let foreign = names.find(|name| !OWN_VARIABLES.iter().any(|own| *own == name.as_os_str()));
    foreign.map(|name| format!("it sets {} in the environment", name.display()))
}

/// Refuses to run a command that a trace of the project in `base` names, if it is none of the project and the user has
/// not allowed that. Says what is run then.
pub(crate) fn check_command(command: &Command, base: &Path, is_allowed: bool) -> Result<()> {
    let Some(objection) = objection(command, base, Variables::Count) else {
        return Ok(());
    };
    let line = line_of(command);
    if is_allowed {
        eprintln!("runs  {line}");
        return Ok(());
    }
    bail!(
        "the trace asks to run\n  {line}\nwhich is not done without a word from you: {objection}; \
         if you trust the trace, give --allow-program"
    )
}

/// Whether the trace of a command, kept here, can be replayed without the option that allows it.
pub(crate) fn is_own(command: &Command) -> bool {
    let here = std::env::current_dir().unwrap_or_default();
    objection(command, &here, Variables::Ignored).is_none()
}

/// A command as it could be typed.
fn line_of(command: &Command) -> String {
    let quoted = |text: &OsStr| {
        let text = text.display().to_string();
        let is_plain = |c: char| c.is_ascii_alphanumeric() || "_-./=:,+@%".contains(c);
        match !text.is_empty() && text.chars().all(is_plain) {
            true => text,
            false => format!("'{}'", text.replace('\'', r"'\''")),
        }
    };
    let mut words: Vec<String> = Vec::new();
    if let Some(directory) = &command.directory {
        words.extend(["cd".into(), quoted(directory.as_os_str()), "&&".into()]);
    }
    for (name, value) in &command.environment {
        words.push(format!("{}={}", quoted(name), quoted(value)));
    }
    words.push(quoted(command.program.as_os_str()));
    words.extend(command.arguments.iter().map(|one| quoted(one)));
    words.join(" ")
}

/// Refuses options of Cargo and names of tests that do more than choose what is built and run.
pub(crate) fn check_test(options: &[String], filter: &str) -> Result<()> {
    let mut rest = options.iter();
    while let Some(option) = rest.next() {
        let (name, value) = match option.split_once('=') {
            Some((name, value)) => (name, Some(value.to_string())),
            None => (option.as_str(), None),
        };
        let takes_value = matches!(
            name,
            "-p" | "--package" | "--features" | "--profile" | "--bin" | "--test" | "--example"
        );
        let value = match takes_value && value.is_none() {
            true => rest.next().cloned(),
            false => value,
        };
        let is_known = CARGO_OPTIONS.contains(&name) && takes_value == value.is_some();
        if !is_known || value.is_some_and(|value| value.starts_with('-')) {
            bail!(
                "the trace asks for `cargo test {option}`, which is not one of the options of a trace"
            );
        }
    }
    if filter.is_empty() || filter.starts_with('-') {
        bail!("the trace is of a test with the name `{filter}`, which is no name of a test");
    }
    Ok(())
}

/// Whether a source that a trace names may be read: it lies in the project in `base`, in the one that the user is in, in
/// the toolchain, among the packages of Cargo, or among the headers of the system.
pub(crate) fn is_source(path: &Path, base: &Path) -> bool {
    let home = std::env::home_dir();
    let of_home = |variable: &str, name: &str| {
        let set = std::env::var_os(variable).map(PathBuf::from);
        set.or_else(|| Some(home.as_ref()?.join(name)))
    };
    let cargo = of_home("CARGO_HOME", ".cargo");
    let packages = cargo.iter().flat_map(|cargo| {
        let parts = ["registry/src", "git/checkouts"];
        parts.map(|part| cargo.join(part))
    });
    let toolchains = of_home("RUSTUP_HOME", ".rustup").map(|rustup| rustup.join("toolchains"));
    let system = ["/usr/include", "/usr/lib/gcc", "/usr/src"].map(PathBuf::from);
    let here = std::env::current_dir().unwrap_or_default();
    let mut places = [root_of(base), root_of(&here)]
        .into_iter()
        .chain(packages)
        .chain(toolchains)
        .chain(system);
    places.any(|place| is_below(path, &place))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn command(program: &Path) -> Command {
        Command {
            program: program.to_path_buf(),
            arguments: vec!["a b".into(), "it's".into(), "plain".into()],
            environment: [("TERM".into(), "".into())].into(),
            directory: None,
            runtime: PathBuf::new(),
        }
    }

    #[test]
    fn programs_of_the_project_are_run_and_others_are_not() {
        let own = std::env::current_exe().unwrap();
        let base = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(check_command(&command(&own), base, false).is_ok());
        let shell = command(Path::new("/bin/sh"));
        let error = check_command(&shell, base, false).unwrap_err().to_string();
        let line = r"TERM='' /bin/sh 'a b' 'it'\''s' plain";
        assert!(
            error.contains(line) && error.contains("--allow-program"),
            "{error}"
        );
        assert!(check_command(&shell, base, true).is_ok());
        for (name, value) in [("LD_PRELOAD", "/tmp/x.so"), ("PATH", "/tmp")] {
            let mut loaded = command(&own);
            loaded.environment.insert(name.into(), value.into());
            let error = check_command(&loaded, base, false).unwrap_err();
            assert!(
                error.to_string().contains(&format!("sets {name}")),
                "{error}"
            );
        }
        let mut elsewhere = command(&own);
        elsewhere.directory = Some("/".into());
        assert!(check_command(&elsewhere, base, false).is_err());
        let up = base.join("../../../../../../../../bin/sh");
        assert!(check_command(&command(&up), base, false).is_err());
    }

    #[test]
    fn options_of_cargo_choose_and_do_nothing_else() {
        let check = |line: &str, filter: &str| {
            let words: Vec<String> = line.split_whitespace().map(str::to_string).collect();
            check_test(&words, filter).is_ok()
        };
        assert!(check(
            "-p bank --release --features=a,b --profile=fast",
            "works"
        ));
        assert!(check("", "tests::works"));
        for line in [
            "--manifest-path=/tmp/evil/Cargo.toml",
            "--manifest-path /tmp/evil/Cargo.toml",
            "--config build.rustc-wrapper='/tmp/evil'",
            "--config=x",
            "--target-dir=/tmp",
            "--profile=--config",
            "-p --config",
            "--release=1",
            "-p",
            "works",
            "--",
            "-Zscript",
        ] {
            assert!(!check(line, "works"), "{line}");
        }
        assert!(!check("", "--config=x") && !check("", ""));
    }

    #[test]
    fn sources_lie_in_the_project_or_in_the_toolchain() {
        let base = Path::new(env!("CARGO_MANIFEST_DIR"));
        assert!(is_source(&base.join("src/main.rs"), base));
        assert!(!is_source(Path::new("/etc/passwd"), base));
        assert!(!is_source(
            &base.join("../../../../../../../../etc/passwd"),
            base
        ));
        assert!(!is_source(&base.join("src/none.rs"), base));
    }
}
