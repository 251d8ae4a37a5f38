//! How Cargo ran this test, so that it can be run again in the same way.

use std::ffi::OsString;
use std::path::{Path, PathBuf};

/// What begins the word of a trace's header that holds an option of Cargo.
const WORD: &str = "cargo=";

/// The options of `cargo test` that lead to this very binary, wherever the user is.
pub(crate) fn cargo_options() -> Vec<String> {
    let mut options = Vec::new();
    let package = std::env::var("CARGO_PKG_NAME").ok();
    if let Some(package) = package.filter(|_| !is_user_in_package()) {
        options.extend(["-p".to_string(), package]);
    }
    options.extend(profile_option(&std::env::current_exe().unwrap_or_default()));
    options.extend(feature_options(&arguments_of_parent()));
    options
}

/// Whether the user typed the command in the directory of the package, as far as the shell tells.
fn is_user_in_package() -> bool {
    let package = std::env::var_os("CARGO_MANIFEST_DIR").map(PathBuf::from);
    let typed_in = std::env::var_os("PWD").map(PathBuf::from);
    match (package, typed_in) {
        (Some(package), Some(typed_in)) => typed_in.starts_with(package),
        _ => true,
    }
}

/// The option that chooses the profile of a binary, which lies in `target/PROFILE/deps`.
fn profile_option(binary: &Path) -> Option<String> {
    let folder = binary.parent().filter(|folder| folder.ends_with("deps"))?;
    match folder.parent()?.file_name()?.to_str()? {
        "debug" => None,
        "release" => Some("--release".to_string()),
        name => Some(format!("--profile={name}")),
    }
}

/// The arguments of the process that runs this one; none if that is not Cargo, or cannot be known.
fn arguments_of_parent() -> Vec<String> {
    #[cfg(target_os = "linux")]
    let path = format!("/proc/{}/cmdline", std::os::unix::process::parent_id());
    #[cfg(not(target_os = "linux"))]
    let path = String::new();
    let text = std::fs::read(path).unwrap_or_default();
    let text = String::from_utf8_lossy(&text).into_owned();
    let words: Vec<String> = text.split('\0').map(str::to_string).collect();
    let name = words.first().map(OsString::from).unwrap_or_default();
    let name = Path::new(&name).file_name().unwrap_or_default();
    match name.to_string_lossy().starts_with("cargo") {
        true => words,
        false => Vec::new(),
    }
}

/// The options among these that choose features.
fn feature_options(arguments: &[String]) -> Vec<String> {
    let mut options = Vec::new();
    let mut rest = arguments.iter().take_while(|one| *one != "--");
    while let Some(word) = rest.next() {
        match word.as_str() {
            "--all-features" | "--no-default-features" => options.push(word.clone()),
            "--features" | "-F" => {
                options.extend(rest.next().map(|value| format!("--features={value}")));
            }
            _ if word.starts_with("--features=") => options.push(word.clone()),
            _ => {}
        }
    }
    options
}

/// Options as words of a trace's header, which has them without spaces.
pub(crate) fn cargo_words(options: &[String]) -> String {
    let words = options.iter().map(|option| {
        let option = option.replace('%', "%25").replace(' ', "%20");
        format!(" {WORD}{option}")
    });
    words.collect()
}

/// The options of Cargo that a trace's header holds.
pub fn cargo_options_of(settings: &str) -> Vec<String> {
    let words = settings.split_whitespace();
    let options = words.filter_map(|word| word.strip_prefix(WORD));
    let plain = options.map(|option| option.replace("%20", " ").replace("%25", "%"));
    // A replay begins in the directory of the package.
    let mut plain = plain.peekable();
    plain
        .next_if(|option| option == "-p")
        .and_then(|_| plain.next());
    plain.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn options_of_cargo_are_found_and_kept() {
        let words = |line: &str| -> Vec<String> {
            let words = line.split(' ').map(str::to_string);
            words.collect()
        };
        let line =
            words("cargo test -p a -F one --features two,three --all-features -- --features x");
        let found = feature_options(&line);
        assert_eq!(
            found,
            ["--features=one", "--features=two,three", "--all-features"]
        );
        let binary = |path: &str| profile_option(Path::new(path));
        assert_eq!(binary("/t/debug/deps/a-1"), None);
        assert_eq!(binary("/t/release/deps/a-1").unwrap(), "--release");
        assert_eq!(binary("/t/fast/deps/a-1").unwrap(), "--profile=fast");
        assert_eq!(binary("/t/release/a"), None);
        let options = words("-p bank --release");
        let settings = format!("steps=5{}", cargo_words(&options));
        assert_eq!(cargo_options_of(&settings), ["--release"]);
        let spaced = [String::from("--features=a b%")];
        assert_eq!(cargo_options_of(&cargo_words(&spaced)), spaced);
    }
}
