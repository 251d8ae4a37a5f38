//! Files that are there as a whole or not at all.
//!
//! A text is first written into a file of its own, `*.part`, in the directory where it is to be kept, and
//! handed to the disk before that file gets its name: a process that is killed leaves a part behind, which
//! nobody takes for a trace, and a machine that loses its power does not leave an empty file under a good
//! name. That costs some milliseconds, once for a failure that took longer to shrink. The directory is not
//! handed over: what may be missing after such an accident is the last failure, as is its report.

use crate::StoreError;
use std::fs::{self, File, OpenOptions};
use std::io::{self, Read as _, Write as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU64, Ordering};
use unpick_trace::{Record, decode};

/// How the names of files end that have not got their name yet.
pub(crate) const PART: &str = "part";

/// How the names of traces end.
pub(crate) const TRACE: &str = "trace";

/// A file that was written and has no name yet. Removed when it is dropped.
pub(crate) struct Part<'a> {
    directory: &'a Path,
    path: PathBuf,
    text: &'a str,
}

impl<'a> Part<'a> {
    /// Writes a text for a directory, which is made if it is not there.
    pub fn write(directory: &'a Path, text: &'a str) -> Result<Part<'a>, StoreError> {
        fs::create_dir_all(directory).map_err(error("create", directory))?;
        check_directory(directory).map_err(error("write into", directory))?;
        let into = error("write into", directory);
        match Part::open(directory) {
            Ok((path, mut file)) => {
                let part = Part {
                    directory,
                    path,
                    text,
                };
                let written = file.write_all(text.as_bytes());
                let written = written.and_then(|()| file.sync_data());
                written.map_err(into).map(|()| part)
            }
            Err(cause) => Err(into(cause)),
        }
    }

    /// A new file: processes of different machines may have the same number.
    fn open(directory: &Path) -> io::Result<(PathBuf, File)> {
        static COUNT: AtomicU64 = AtomicU64::new(0);
        loop {
            let number = COUNT.fetch_add(1, Ordering::Relaxed);
            let name = format!("{}-{number}.{PART}", std::process::id());
            let path = directory.join(name);
            match OpenOptions::new().write(true).create_new(true).open(&path) {
                Err(error) if error.kind() == io::ErrorKind::AlreadyExists => {}
                file => return Ok((path, file?)),
            }
        }
    }

    /// Gives it a name, also if there is such a file already.
    pub fn replace(mut self, path: &Path) -> Result<(), StoreError> {
        self.rename(path)
    }

    fn rename(&mut self, path: &Path) -> Result<(), StoreError> {
        fs::rename(&self.path, path).map_err(error("write", path))?;
        // Whatever may be called so from now on is not ours.
        self.path = PathBuf::new();
        Ok(())
    }

    /// Names it as a trace: by four digits of a hash, or more while they are taken by another text.
    /// Gives the digits and the path.
    pub fn put_by_hash(mut self, hash: u64) -> Result<(String, PathBuf), StoreError> {
        let digits = format!("{hash:016x}");
        let directory = self.directory;
        let place = |length: usize| {
            let id = digits[..length].to_string();
            let path = directory.join(format!("{id}.{TRACE}"));
            (id, path)
        };
        for length in 4..digits.len() {
            let (id, path) = place(length);
            if self.put_unless_taken(&path)? {
                return Ok((id, path));
            }
            // The same failure once more is the newest one now.
            if fs::read_to_string(&path).is_ok_and(|existing| existing == self.text) {
                self.replace(&path)?;
                return Ok((id, path));
            }
        }
        let (id, path) = place(digits.len());
        self.replace(&path)?;
        Ok((id, path))
    }

    /// Names it if nobody has that name; of two that want it at the same time, one gets it.
    fn put_unless_taken(&mut self, path: &Path) -> Result<bool, StoreError> {
        match fs::hard_link(&self.path, path) {
            Ok(()) => Ok(true),
            Err(error) if error.kind() == io::ErrorKind::AlreadyExists => Ok(false),
            // Some file systems have no links; there it is only looked whether the name is free.
            Err(_) if path.exists() => Ok(false),
            Err(_) => self.rename(path).map(|()| true),
        }
    }
}

impl Drop for Part<'_> {
    fn drop(&mut self) {
        let _ = fs::remove_file(&self.path);
    }
}

/// Refuses a directory below `.unpick` that is a link: it may lead anywhere. One that is not there is none.
fn check_directory(directory: &Path) -> io::Result<()> {
    let is_kept = directory
        .parent()
        .is_some_and(|above| above.ends_with(".unpick"));
    match fs::symlink_metadata(directory) {
        Ok(found) if is_kept && found.is_symlink() => Err(io::Error::new(
            io::ErrorKind::InvalidInput,
            "it is a link; put the directory itself there",
        )),
        _ => Ok(()),
    }
}

/// Bytes of the largest file that is read as a trace. Traces of some ten million steps are smaller.
const BYTES_MAX: u64 = 1 << 30;

/// Reads a trace.
pub(crate) fn read(path: &Path) -> Result<Record, StoreError> {
    let mut file = open(path).map_err(error("read", path))?;
    let mut bytes = Vec::new();
    file.read_to_end(&mut bytes).map_err(error("read", path))?;
    // What is no text is damaged, and the decoder says where.
    decode(&String::from_utf8_lossy(&bytes)).map_err(|cause| StoreError::Codec {
        path: path.to_path_buf(),
        cause,
    })
}

/// Opens a file to read it. A link below `.unpick` may lead anywhere, a pipe may never end, and to read a device may do
/// something: none of these is read.
fn open(path: &Path) -> io::Result<File> {
    let refuse = |what: &str| Err(io::Error::new(io::ErrorKind::InvalidInput, what));
    let is_kept = path.components().any(|part| part.as_os_str() == ".unpick");
    let found = match is_kept {
        true => fs::symlink_metadata(path)?,
        false => fs::metadata(path)?,
    };
    if found.is_symlink() {
        return refuse("it is a link; put the file itself there");
    }
    if !found.is_file() {
        return refuse("it is no regular file");
    }
    if found.len() > BYTES_MAX {
        return refuse("it is larger than any trace");
    }
    File::open(path)
}

/// The files of a directory whose names end like this, in order; none if there is no directory.
pub(crate) fn list(directory: &Path, extension: &str) -> Result<Vec<PathBuf>, StoreError> {
    check_directory(directory).map_err(error("read", directory))?;
    let entries = match fs::read_dir(directory) {
        Err(error) if error.kind() == io::ErrorKind::NotFound => return Ok(Vec::new()),
        entries => entries.map_err(error("read", directory))?,
    };
    let paths = entries.flatten().map(|entry| entry.path());
    let mut paths: Vec<PathBuf> = paths
        .filter(|path| path.extension().is_some_and(|end| end == extension))
        .collect();
    paths.sort();
    Ok(paths)
}

/// What the file system says when something cannot be done.
pub(crate) fn error(action: &'static str, path: &Path) -> impl FnOnce(io::Error) -> StoreError {
    let path = path.to_path_buf();
    move |cause| StoreError::Io {
        action,
        path,
        cause,
    }
}
