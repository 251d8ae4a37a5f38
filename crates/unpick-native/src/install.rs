//! The runtime library, which is part of this program, as a file that other programs can load.
//!
//! It lies in a cache directory, in a folder named by what is in it: programs that were linked with
//! an older one keep finding theirs. Nothing is ever deleted here.

use std::fs;
use std::io;
use std::os::unix::fs::{DirBuilderExt as _, MetadataExt as _};
use std::path::{Path, PathBuf};
use std::sync::atomic::{AtomicU32, Ordering};
use thiserror::Error;

/// The name of the runtime library's file.
pub const LIBRARY_NAME: &str = "libunpick_preload.so";

static LIBRARY: &[u8] = include_bytes!(concat!(env!("OUT_DIR"), "/libunpick_preload.so"));

/// Why there is no runtime library.
#[derive(Debug, Error)]
pub enum InstallError {
    /// This program was built for a platform that the runtime does not know.
    #[error(
        "native programs can only be explored on x86-64 Linux with glibc, and this unpick was \
         built for another platform; use the library front end (`unpick::check`) here"
    )]
    Unsupported,
    /// No directory could be written to.
    #[error(
        "cannot store the runtime library: {0}; set UNPICK_CACHE to a directory that can be \
         written to"
    )]
    NoPlace(String),
}

/// The path of the runtime library, which is put there first if need be.
///
/// It goes to `$UNPICK_CACHE`, else `$XDG_CACHE_HOME/unpick`, else `~/.cache/unpick`, else a
/// directory of this user's own among the temporary files: the first that can be written to.
/// Concurrent callers do not disturb each other.
pub fn runtime_library() -> Result<PathBuf, InstallError> {
    if LIBRARY.is_empty() {
        return Err(InstallError::Unsupported);
    }
    store(env!("UNPICK_RUNTIME_HASH"), LIBRARY_NAME, LIBRARY)
}

/// Puts a file into a folder of the cache, unless it is there already, and says where it is.
pub fn store(folder: &str, name: &str, content: &[u8]) -> Result<PathBuf, InstallError> {
    let places = places(&|name| std::env::var_os(name).map(PathBuf::from));
    store_in(&places, folder, name, content)
}

fn store_in(
    places: &[Place],
    folder: &str,
    name: &str,
    content: &[u8],
) -> Result<PathBuf, InstallError> {
    let mut failures = Vec::new();
    for place in places {
        let folder = place.path.join(folder);
        let stored = place.prepare().and_then(|()| put(&folder, name, content));
        match stored {
            Ok(path) => return Ok(path),
            Err(error) => failures.push(format!("{}: {error}", place.path.display())),
        }
    }
    Err(InstallError::NoPlace(failures.join("; ")))
}

/// The directories in which the cache may be, the preferred one first.
pub fn cache_directories() -> Vec<PathBuf> {
    let places = places(&|name| std::env::var_os(name).map(PathBuf::from));
    places.into_iter().map(|place| place.path).collect()
}

struct Place {
    path: PathBuf,
    /// Among the temporary files other users can be first to make a directory of this name.
    is_shared: bool,
}

impl Place {
    fn prepare(&self) -> io::Result<()> {
        if !self.is_shared {
            return fs::create_dir_all(&self.path);
        }
        let made = fs::DirBuilder::new().mode(0o700).create(&self.path);
        if let Err(error) = made
            && error.kind() != io::ErrorKind::AlreadyExists
        {
            return Err(error);
        }
        let found = fs::symlink_metadata(&self.path)?;
        // SAFETY: only asks who this process is.
        let own = unsafe { libc::geteuid() };
        match found.is_dir() && found.uid() == own && found.mode() & 0o022 == 0 {
            true => Ok(()),
            false => Err(io::Error::other("belongs to another user")),
        }
    }
}

fn places(variable: &dyn Fn(&str) -> Option<PathBuf>) -> Vec<Place> {
    // Programs keep the path they were linked with, and may be started from anywhere.
    let own = variable("UNPICK_CACHE").and_then(|path| std::path::absolute(path).ok());
    let mut paths = Vec::from_iter(own);
    let variable = |name| variable(name).filter(|path| path.is_absolute());
    paths.extend(variable("XDG_CACHE_HOME").map(|path| path.join("unpick")));
    paths.extend(variable("HOME").map(|path| path.join(".cache/unpick")));
    let mut places: Vec<_> = paths
        .into_iter()
        .map(|path| Place {
            path,
            is_shared: false,
        })
        .collect();
    // SAFETY: only asks who this process is.
    let user = unsafe { libc::geteuid() };
    let temporary = variable("TMPDIR").unwrap_or_else(std::env::temp_dir);
    places.push(Place {
        path: temporary.join(format!("unpick-{user}")),
        is_shared: true,
    });
    places
}

fn put(folder: &Path, name: &str, content: &[u8]) -> io::Result<PathBuf> {
    let path = folder.join(name);
    // A disk that was full or a machine that lost power may have left something else there.
    if fs::read(&path).is_ok_and(|found| found == content) {
        return Ok(path);
    }
    static COUNT: AtomicU32 = AtomicU32::new(0);
    let count = COUNT.fetch_add(1, Ordering::Relaxed);
    fs::create_dir_all(folder)?;
    let temporary = folder.join(format!(".{name}-{}-{count}", std::process::id()));
    let moved = fs::write(&temporary, content).and_then(|()| fs::rename(&temporary, &path));
    if moved.is_err() {
        let _ = fs::remove_file(&temporary);
    }
    moved.map(|()| path)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn paths(variables: &[(&str, &str)]) -> Vec<PathBuf> {
        let find = |name: &str| {
            let found = variables.iter().find(|(of, _)| *of == name);
            found.map(|(_, value)| PathBuf::from(value))
        };
        places(&find).into_iter().map(|place| place.path).collect()
    }

    #[test]
    fn the_cache_is_where_the_user_wants_it() {
        let all = paths(&[
            ("UNPICK_CACHE", "/a"),
            ("XDG_CACHE_HOME", "/b"),
            ("HOME", "/c"),
            ("TMPDIR", "/d"),
        ]);
        let expected = ["/a", "/b/unpick", "/c/.cache/unpick"].map(PathBuf::from);
        assert_eq!(all[..3], expected);
        assert!(all[3].starts_with("/d"), "{all:?}");
        assert_eq!(paths(&[("HOME", "/c")])[0], Path::new("/c/.cache/unpick"));
    }

    #[test]
    fn other_variables_that_are_no_absolute_path_are_ignored() {
        assert_eq!(paths(&[("XDG_CACHE_HOME", "here"), ("HOME", "")]).len(), 1);
        let own = &paths(&[("UNPICK_CACHE", "here")])[0];
        assert!(own.is_absolute() && own.ends_with("here"), "{own:?}");
    }

    /// A directory of its own for a test, removed at its end.
    struct Ground(PathBuf);

    impl Ground {
        fn new(name: &str) -> Ground {
            let name = format!("unpick-install-{}-{name}", std::process::id());
            let path = std::env::temp_dir().join(name);
            fs::create_dir_all(&path).unwrap();
            Ground(path)
        }

        fn place(&self, name: &str) -> Place {
            Place {
                path: self.0.join(name),
                is_shared: false,
            }
        }
    }

    impl Drop for Ground {
        fn drop(&mut self) {
            let _ = fs::remove_dir_all(&self.0);
        }
    }

    #[test]
    fn concurrent_callers_all_get_the_whole_file() {
        let ground = Ground::new("concurrent");
        let content = vec![7; 1 << 20];
        std::thread::scope(|scope| {
            for _ in 0..8 {
                scope.spawn(|| {
                    let path = store_in(&[ground.place("a")], "hash", "name", &content).unwrap();
                    assert!(fs::read(path).unwrap() == content);
                });
            }
        });
        let left = fs::read_dir(ground.0.join("a/hash")).unwrap().count();
        assert_eq!(left, 1, "temporary files are left");
    }

    #[test]
    fn a_damaged_file_is_replaced() {
        let ground = Ground::new("damaged");
        let path = store_in(&[ground.place("a")], "hash", "name", b"content").unwrap();
        fs::write(&path, b"cont").unwrap();
        let again = store_in(&[ground.place("a")], "hash", "name", b"content").unwrap();
        assert_eq!(path, again);
        assert_eq!(fs::read(&path).unwrap(), b"content");
    }

    #[test]
    fn the_next_place_is_taken_if_one_cannot_be_written_to() {
        let ground = Ground::new("next");
        fs::write(ground.0.join("file"), b"").unwrap();
        let places = [ground.place("file/a"), ground.place("b")];
        let path = store_in(&places, "hash", "name", b"content").unwrap();
        assert_eq!(path, ground.0.join("b/hash/name"));
        let error = store_in(&places[..1], "hash", "name", b"content").unwrap_err();
        let text = error.to_string();
        assert!(
            text.contains("file/a: ") && text.contains("UNPICK_CACHE"),
            "{text}"
        );
    }

    #[test]
    fn a_shared_place_must_be_our_own() {
        let ground = Ground::new("shared");
        let path = ground.0.join("link");
        std::os::unix::fs::symlink(&ground.0, &path).unwrap();
        let place = Place {
            path,
            is_shared: true,
        };
        let error = store_in(&[place], "hash", "name", b"content").unwrap_err();
        assert!(
            error.to_string().contains("belongs to another user"),
            "{error}"
        );
        let place = Place {
            path: ground.0.join("fresh"),
            is_shared: true,
        };
        store_in(&[place], "hash", "name", b"content").unwrap();
    }
}
