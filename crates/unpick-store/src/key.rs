//! What tells test binaries of one package apart.

use std::fs;
use std::path::Path;

/// The name of a test binary, without the hash that Cargo adds. A binary of `src/main.rs` or `src/bin` is marked: it
/// may have the name of the library.
pub fn binary_key(binary: &Path) -> String {
    let file = binary.file_name().unwrap_or_default().to_string_lossy();
    let name = match file.rsplit_once('-') {
        Some((name, hash)) if is_cargo_hash(hash) => name,
        _ => return file.into_owned(),
    };
    match is_of_program(binary) {
        true => format!("bin:{name}"),
        false => name.to_string(),
    }
}

/// Whether this is what Cargo adds to the names of binaries.
pub fn is_cargo_hash(text: &str) -> bool {
    text.len() == 16 && u64::from_str_radix(text, 16).is_ok()
}

/// Whether a test binary holds the tests of a program. Cargo leaves a list of the sources beside it, the root first.
fn is_of_program(binary: &Path) -> bool {
    // A name may have dots.
    let mut list = binary.as_os_str().to_os_string();
    list.push(".d");
    let text = fs::read_to_string(list).unwrap_or_default();
    let sources = text.lines().next().and_then(|line| line.split_once(": "));
    let root = sources.and_then(|(_, sources)| sources.split(' ').next());
    let root = Path::new(root.unwrap_or_default());
    let is_in = |folder: &str| {
        let mut parents = root.ancestors().skip(1);
        parents.any(|parent| parent.ends_with(folder))
    };
    root.ends_with("src/main.rs") || is_in("src/bin")
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn binaries_of_one_name_are_told_apart_by_their_root() {
        let folder = std::env::temp_dir().join(format!("unpick-key-{}", std::process::id()));
        fs::create_dir_all(&folder).unwrap();
        let key = |hash: &str, root: &str| {
            let binary = folder.join(format!("bank-{hash}"));
            let text = format!("{}: {root} src/more.rs\n", binary.display());
            fs::write(folder.join(format!("bank-{hash}.d")), text).unwrap();
            binary_key(&binary)
        };
        assert_eq!(key("0123456789abcdef", "src/lib.rs"), "bank");
        assert_eq!(key("0123456789abcdee", "src/main.rs"), "bin:bank");
        assert_eq!(
            key("0123456789abcded", "member/src/bin/bank.rs"),
            "bin:bank"
        );
        assert_eq!(binary_key(Path::new("/a/works-0123456789abcdef")), "works");
        assert_eq!(binary_key(Path::new("/a/plain")), "plain");
        fs::remove_dir_all(&folder).unwrap();
    }
}
