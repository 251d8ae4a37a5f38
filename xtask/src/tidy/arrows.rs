//! Which crate may depend on which.
//!
//! The table is the map of the workspace: arrows point one way only. Reads `[dependencies]`, also
//! those of one platform; what tests and build scripts depend on is free.

use super::Finding;
use super::tree::{File, Tree};

/// What a crate may depend on among its siblings.
enum Allowed {
    Only(&'static [&'static str]),
    Anything,
}

use Allowed::{Anything, Only};

#[rustfmt::skip]
const ARROWS: &[(&str, Allowed)] = &[
    ("unpick-trace", Only(&[])),
    ("unpick-engine", Only(&["unpick-trace"])),
    ("unpick-noise", Only(&["unpick-trace"])),
    ("unpick-strategies", Only(&["unpick-trace", "unpick-engine"])),
    ("unpick-analysis", Only(&["unpick-trace"])),
    ("unpick-report", Only(&["unpick-trace", "unpick-analysis"])),
    ("unpick-store", Only(&["unpick-trace"])),
    ("unpick-config", Only(&["unpick-strategies"])),
    ("unpick-causality", Only(&["unpick-trace", "unpick-engine", "unpick-strategies"])),
    ("unpick-macros", Only(&[])),
    ("unpick", Only(&[
        "unpick-trace", "unpick-engine", "unpick-strategies", "unpick-causality",
        "unpick-analysis", "unpick-report", "unpick-store", "unpick-config", "unpick-macros",
    ])),
    ("unpick-suite", Only(&["unpick"])),
    ("unpick-memory", Only(&["unpick-trace"])),
    ("unpick-protocol", Only(&["unpick-trace", "unpick-engine", "unpick-noise"])),
    ("unpick-native", Only(&[
        "unpick-protocol", "unpick-noise", "unpick-config",
        "unpick-trace", "unpick-engine", "unpick-strategies", "unpick-causality",
        "unpick-analysis", "unpick-report", "unpick-store",
    ])),
    ("unpick-preload", Only(&[
        "unpick-trace", "unpick-engine", "unpick-strategies", "unpick-memory", "unpick-protocol",
        "unpick-noise",
    ])),
    ("unpick-actors", Only(&["unpick-macros", "unpick"])),
    ("unpick-fabric", Only(&["unpick-actors", "unpick"])),
    ("unpick-study", Only(&[
        "unpick", "unpick-actors", "unpick-analysis", "unpick-fabric", "unpick-native", "unpick-noise", "unpick-suite",
    ])),
    ("unpick-cli", Anything),
];

/// Finds dependencies that point the wrong way.
pub fn check(tree: &Tree) -> Vec<Finding> {
    let mut findings = Vec::new();
    for file in &tree.files {
        let parts: Vec<_> = file.path.split('/').collect();
        if let ["crates", folder, "Cargo.toml"] = parts[..] {
            findings.extend(check_manifest(file, folder));
        }
    }
    findings
}

fn check_manifest(file: &File, folder: &str) -> Vec<Finding> {
    let Some((_, allowed)) = ARROWS.iter().find(|(name, _)| *name == folder) else {
        let message = format!("crate `{folder}` is not in the map; add it to the arrows table");
        return vec![Finding::new(&file.path, 1, message)];
    };
    let manifest = manifest(&file.text);
    let mut findings = Vec::new();
    if let Some((line, name)) = manifest.name.filter(|(_, name)| name != folder) {
        let message = format!("crate `{name}` lives in `{folder}`; give both the same name");
        findings.push(Finding::new(&file.path, line, message));
    }
    for (line, dependency) in manifest.dependencies {
        let right = match allowed {
            Only(names) => names.contains(&dependency.as_str()),
            Anything => true,
        };
        if is_sibling(&dependency) && !right {
            let message = format!("`{folder}` must not depend on `{dependency}`");
            findings.push(Finding::new(&file.path, line, message));
        }
    }
    findings
}

fn is_sibling(name: &str) -> bool {
    name == "unpick" || name.starts_with("unpick-")
}

#[derive(Default)]
struct Manifest {
    name: Option<(usize, String)>,
    /// Lines and package names.
    dependencies: Vec<(usize, String)>,
}

/// Reads the few things of a manifest that matter here; it is already known to be valid, because
/// Cargo read it before this program was built.
fn manifest(text: &str) -> Manifest {
    let mut manifest = Manifest::default();
    let mut section = String::new();
    for (line, content) in (1..).zip(text.lines()) {
        let content = content.trim();
        if let Some(header) = content.strip_prefix('[') {
            section = header.split(']').next().unwrap_or_default().to_owned();
            let dependency = dependency_of_section(&section);
            manifest
                .dependencies
                .extend(dependency.map(|name| (line, bare(name))));
            continue;
        }
        let Some((key, value)) = content.split_once('=') else {
            continue;
        };
        let key = key.trim();
        if section == "package" && key == "name" {
            manifest.name = Some((line, quoted(value)));
        } else if is_dependencies(&section) {
            let name = key.split('.').next().unwrap_or(key);
            let package = renamed_package(value).unwrap_or_else(|| bare(name));
            manifest.dependencies.push((line, package));
        } else if key == "package" && dependency_of_section(&section).is_some() {
            manifest.dependencies.push((line, quoted(value)));
        }
    }
    manifest
}

/// The `name` of `[dependencies.name]`.
fn dependency_of_section(section: &str) -> Option<&str> {
    let (table, name) = section.rsplit_once('.')?;
    is_dependencies(table).then_some(name)
}

fn is_dependencies(section: &str) -> bool {
    section == "dependencies"
        || (section.starts_with("target.") && section.ends_with(".dependencies"))
}

/// The `package` of `{ package = "name", ... }`.
fn renamed_package(value: &str) -> Option<String> {
    let (before, after) = value.split_once("package")?;
    if !before.trim_end().ends_with(['{', ',']) {
        return None;
    }
    let after = after.trim_start().strip_prefix('=')?;
    Some(quoted(after))
}

/// What stands between the first quotes.
fn quoted(value: &str) -> String {
    value.split('"').nth(1).unwrap_or_default().to_owned()
}

/// A key without quotes.
fn bare(key: &str) -> String {
    key.trim_matches(['"', '\'']).to_owned()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn check_one(folder: &str, text: &str) -> Vec<String> {
        let path = format!("crates/{folder}/Cargo.toml");
        let findings = check(&Tree::of(&[(&path, text)]));
        findings.iter().map(Finding::to_string).collect()
    }

    #[test]
    fn right_arrows_pass() {
        let text = "[package]\nname = \"unpick-engine\"\n[dependencies]\n\
                    unpick-trace = { workspace = true }\nsmallvec = \"1\"\n\
                    [dev-dependencies]\nunpick-strategies.workspace = true\n";
        assert!(check_one("unpick-engine", text).is_empty());
        assert!(check_one("unpick-cli", "[dependencies]\nunpick.workspace = true\n").is_empty());
    }

    #[test]
    fn wrong_arrows_are_found_in_every_notation() {
        let expected = "must not depend on `unpick-engine`";
        for text in [
            "[dependencies]\nunpick-engine.workspace = true\n",
            "[dependencies]\nunpick-engine = { path = \"../unpick-engine\" }\n",
            "[dependencies]\nengine = { package = \"unpick-engine\", workspace = true }\n",
            "[dependencies.unpick-engine]\nworkspace = true\n",
            "[dependencies.engine]\npackage = \"unpick-engine\"\n",
            "[target.'cfg(unix)'.dependencies]\nunpick-engine = \"0.1\"\n",
        ] {
            let findings = check_one("unpick-trace", text);
            assert_eq!(findings.len(), 1, "{text}: {findings:?}");
            assert!(findings[0].ends_with(expected), "{findings:?}");
        }
    }

    #[test]
    fn unknown_crates_must_enter_the_table() {
        let findings = check_one("unpick-new", "[package]\nname = \"unpick-new\"\n");
        assert!(findings[0].ends_with("add it to the arrows table"));
    }

    #[test]
    fn folder_and_crate_share_a_name() {
        let findings = check_one("unpick-trace", "[package]\nname = \"trace\"\n");
        assert_eq!(
            findings,
            [
                "crates/unpick-trace/Cargo.toml:2: crate `trace` lives in `unpick-trace`; give both the same name"
            ]
        );
    }

    #[test]
    fn the_table_only_points_at_crates_above() {
        for (at, (name, allowed)) in ARROWS.iter().enumerate() {
            if let Only(names) = allowed {
                for dependency in *names {
                    let above = ARROWS[..at].iter().any(|(other, _)| other == dependency);
                    assert!(above, "{name} -> {dependency}");
                }
            }
        }
    }
}
