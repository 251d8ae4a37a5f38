//! Published packages: Cargo downloads them, also yanked ones, and they are copied to where they can be built.

use std::fs;
use std::path::{Path, PathBuf};

use anyhow::{Context, Result, bail};

use crate::workspace;

/// Where Cargo's lock files say that a package comes from.
const SOURCE: &str = "registry+https://github.com/rust-lang/crates.io-index";

/// A published package.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Package {
    pub name: String,
    /// The newest one if there is none.
    pub version: Option<String>,
}

impl Package {
    /// Reads `NAME` or `NAME@VERSION`.
    pub fn parse(text: &str) -> Result<Package> {
        let (name, version) = match text.split_once('@') {
            Some((name, version)) => (name, Some(version.to_string())),
            None => (text, None),
        };
        let is_name = |byte: u8| byte.is_ascii_alphanumeric() || matches!(byte, b'-' | b'_');
        if name.is_empty() || !name.bytes().all(is_name) || version.as_deref() == Some("") {
            bail!("`{text}` is no crate; write NAME or NAME@VERSION");
        }
        Ok(Package {
            name: name.to_string(),
            version,
        })
    }
}

/// A lock file that holds these packages. Cargo takes a version that was yanked only from there; all that the
/// packages need is added by Cargo.
pub fn lock_file(packages: &[(&str, &str)]) -> String {
    let mut text = "version = 4\n".to_string();
    for (name, version) in packages {
        text.push_str(&format!(
            "\n[[package]]\nname = \"{name}\"\nversion = \"{version}\"\nsource = \"{SOURCE}\"\n"
        ));
    }
    text
}

/// Downloads a package and copies it below `work`, as a workspace by itself. Gives its version and the copy.
pub fn unpack(work: &Path, package: &Package) -> Result<(String, PathBuf)> {
    let folder = work.join("download");
    let name = &package.name;
    let requirement = match &package.version {
        Some(version) => format!("={version}"),
        None => "*".to_string(),
    };
    fs::create_dir_all(folder.join("src"))?;
    fs::write(folder.join("src/lib.rs"), "")?;
    let manifest = format!(
        "[package]\nname = \"download\"\nversion = \"0.0.0\"\nedition = \"2024\"\n\n[workspace]\n\n\
         [dependencies]\n\"{name}\" = \"{requirement}\"\n"
    );
    fs::write(folder.join("Cargo.toml"), manifest)?;
    let version = package.version.as_deref();
    let locked: Vec<_> = version
        .iter()
        .map(|version| (name.as_str(), *version))
        .collect();
    fs::write(folder.join("Cargo.lock"), lock_file(&locked))?;
    let mut command = workspace::command(&folder, "cargo");
    let output = command.args(["metadata", "--format-version", "1"]).output();
    let output = output.context("cannot start cargo")?;
    if !output.status.success() {
        bail!("{}", String::from_utf8_lossy(&output.stderr).trim());
    }
    let metadata: serde_json::Value = serde_json::from_slice(&output.stdout)?;
    let packages = metadata["packages"]
        .as_array()
        .context("cargo lists no packages")?;
    let found = packages.iter().find(|found| found["name"] == **name);
    let found = found.with_context(|| format!("cargo does not list {name}"))?;
    let version = found["version"]
        .as_str()
        .context("cargo tells no version")?;
    let manifest = found["manifest_path"]
        .as_str()
        .context("cargo tells no path")?;
    let from = Path::new(manifest)
        .parent()
        .context("a manifest is in no folder")?;
    let to = work.join(format!("{name}-{version}"));
    if to.exists() {
        fs::remove_dir_all(&to)?;
    }
    copy(from, &to)?;
    stand_alone(&to)?;
    fs::remove_dir_all(&folder)?;
    Ok((version.to_string(), to))
}

/// Makes a copied package a workspace by itself, whose dependencies Cargo chooses.
fn stand_alone(folder: &Path) -> Result<()> {
    let manifest = folder.join("Cargo.toml");
    let text = fs::read_to_string(&manifest)?;
    if !text.lines().any(|line| line.trim() == "[workspace]") {
        fs::write(&manifest, format!("{text}\n[workspace]\n"))?;
    }
    let lock = folder.join("Cargo.lock");
    if lock.exists() {
        fs::remove_file(lock)?;
    }
    Ok(())
}

/// Copies a folder with all that is in it.
fn copy(from: &Path, to: &Path) -> Result<()> {
    fs::create_dir_all(to)?;
    for entry in fs::read_dir(from).with_context(|| format!("cannot read {}", from.display()))? {
        let entry = entry?;
        let target = to.join(entry.file_name());
        match entry.file_type()?.is_dir() {
            true => copy(&entry.path(), &target)?,
            false => drop(fs::copy(entry.path(), target)?),
        }
    }
    Ok(())
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn packages_are_named_with_or_without_a_version() {
        let newest = Package::parse("parking_lot").unwrap();
        assert_eq!(newest.version, None);
        let old = Package::parse("spin@0.9.7").unwrap();
        assert_eq!(
            (old.name.as_str(), old.version.as_deref()),
            ("spin", Some("0.9.7"))
        );
        for wrong in ["", "@1", "spin@", "../spin"] {
            assert!(Package::parse(wrong).is_err(), "{wrong}");
        }
    }

    #[test]
    fn a_copy_is_a_workspace_without_a_lock_file() {
        let folder = std::env::temp_dir().join(format!("unpick-packages-{}", std::process::id()));
        let (from, to) = (folder.join("from"), folder.join("to"));
        fs::create_dir_all(from.join("src")).unwrap();
        fs::write(from.join("Cargo.toml"), "[package]\nname = \"a\"\n").unwrap();
        fs::write(from.join("Cargo.lock"), "version = 4\n").unwrap();
        fs::write(from.join("src/lib.rs"), "").unwrap();
        copy(&from, &to).unwrap();
        stand_alone(&to).unwrap();
        let manifest = fs::read_to_string(to.join("Cargo.toml")).unwrap();
        assert!(manifest.ends_with("\n[workspace]\n"), "{manifest}");
        assert!(to.join("src/lib.rs").exists() && !to.join("Cargo.lock").exists());
        fs::remove_dir_all(&folder).unwrap();
    }
}
