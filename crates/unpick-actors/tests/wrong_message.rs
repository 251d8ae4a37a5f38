//! What an actor does not understand cannot be sent to it: each program in `wrong_message` is refused by the
//! compiler, with the words beside it (`TRYBUILD=overwrite` writes them anew).

use std::process::Command;

/// The compiler whose words were written down; others say the same in other words.
const COMPILER: &str = "rustc 1.95.";

#[test]
fn wrong_messages_do_not_compile() {
    let rustc = std::env::var_os("RUSTC").unwrap_or_else(|| "rustc".into());
    let output = Command::new(rustc).arg("--version").output();
    let version = String::from_utf8(output.expect("there is a compiler").stdout).unwrap();
    if !version.starts_with(COMPILER) {
        println!("skipped: the words are those of {COMPILER}*, and this is {version}");
        return;
    }
    trybuild::TestCases::new().compile_fail("tests/wrong_message/*.rs");
}
