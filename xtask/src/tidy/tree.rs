//! The text files of the workspace, read once.
//!
//! Never follows links and never enters what tools write (`target`, `.git`, recorded traces).

use std::fs;
use std::path::Path;

use anyhow::{Context, Result};

use super::lexer::{self, Masked};

/// Folders that hold no source, by name.
const SKIPPED_FOLDERS: &[&str] = &["target", ".git", "node_modules"];

/// Folders that hold no source, by path from the root.
const SKIPPED_PATHS: &[&str] = &[".unpick/traces"];

pub struct Tree {
    /// Sorted by path.
    pub files: Vec<File>,
}

pub struct File {
    /// From the root of the workspace, with `/` between the parts.
    pub path: String,
    pub text: String,
    /// Only for Rust source.
    pub masked: Option<Masked>,
}

impl Tree {
    pub fn read(root: &Path) -> Result<Tree> {
        let mut files = Vec::new();
        collect(root, "", &mut files)?;
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Ok(Tree { files })
    }

    /// A tree made of `(path, text)` pairs.
    #[cfg(test)]
    pub fn of(files: &[(&str, &str)]) -> Tree {
        let mut files: Vec<_> = files
            .iter()
            .map(|(path, text)| File::new(path, (*text).to_owned()))
            .collect();
        files.sort_by(|left, right| left.path.cmp(&right.path));
        Tree { files }
    }

    pub fn get(&self, path: &str) -> Option<&File> {
        self.files.iter().find(|file| file.path == path)
    }

    /// The Rust files with their masks.
    pub fn rust(&self) -> impl Iterator<Item = (&File, &Masked)> {
        self.files
            .iter()
            .filter_map(|file| Some((file, file.masked.as_ref()?)))
    }
}

impl File {
    fn new(path: &str, text: String) -> File {
        let masked = path.ends_with(".rs").then(|| lexer::mask(&text));
        File {
            path: path.to_owned(),
            text,
            masked,
        }
    }
}

fn collect(folder: &Path, prefix: &str, files: &mut Vec<File>) -> Result<()> {
    let entries =
        fs::read_dir(folder).with_context(|| format!("cannot list {}", folder.display()))?;
    for entry in entries {
        let entry = entry.with_context(|| format!("cannot list {}", folder.display()))?;
        let name = entry.file_name();
        let Some(name) = name.to_str() else { continue };
        let path = format!("{prefix}{name}");
        let kind = entry
            .file_type()
            .with_context(|| format!("cannot tell what {path} is"))?;
        if SKIPPED_FOLDERS.contains(&name) || SKIPPED_PATHS.contains(&path.as_str()) {
            continue;
        }
        if kind.is_dir() {
            collect(&entry.path(), &format!("{path}/"), files)?;
        } else if kind.is_file() {
            let bytes = fs::read(entry.path()).with_context(|| format!("cannot read {path}"))?;
            // What is not UTF-8 is not text.
            if let Ok(text) = String::from_utf8(bytes) {
                files.push(File::new(&path, text));
            }
        }
    }
    Ok(())
}
