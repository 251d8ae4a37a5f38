//! Places in the source and names of variables, for addresses in programs and libraries.
//!
//! Reads debug information when it is first asked for, and keeps it. An address is an offset in
//! a module: the address in the process less the address at which the module was loaded, plus the
//! address that the file itself gives its first loaded byte (0 for all but old-style programs).

pub mod functions;
mod members;
pub mod standard;
mod variables;

use addr2line::Loader;
use std::collections::HashMap;
use std::path::{Path, PathBuf};
use variables::Variables;

/// Sources of Rust's standard library that count references, and that start and join threads.
const BOOKKEEPING: [&str; 2] = ["/library/alloc/src/sync.rs", "/library/std/src/thread/"];

/// Types of libraries by the paths of their functions: what the user calls the words that they use.
const TYPES: &[(&str, &str)] = &[
    ("std::sys::sync::mutex::", "Mutex"),
    ("std::sync::poison::mutex::", "Mutex"),
    ("std::sys::sync::condvar::", "Condvar"),
    ("std::sync::poison::condvar::", "Condvar"),
    ("std::sys::sync::rwlock::", "RwLock"),
    ("std::sync::poison::rwlock::", "RwLock"),
    ("std::sys::sync::once::", "Once"),
    ("std::sync::once::", "Once"),
    ("std::sync::once_lock::", "OnceLock"),
    ("std::sync::lazy_lock::", "LazyLock"),
    ("std::sys::sync::thread_parking::", "Thread"),
    ("std::thread::thread::Thread::unpark", "Thread"),
    ("std::thread::scoped::", "Scope"),
    ("std::sync::mpmc::", "channel"),
    ("alloc::sync::Arc", "Arc"),
    ("alloc::sync::Weak", "Arc"),
    ("parking_lot::raw_mutex::", "Mutex"),
    ("parking_lot::raw_rwlock::", "RwLock"),
    ("parking_lot::condvar::", "Condvar"),
    ("parking_lot::once::", "Once"),
    ("crossbeam_channel::", "channel"),
];

/// A place in the source.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Place {
    /// The file, relative to the current directory if it is inside it.
    pub file: String,
    /// The line, from 1; 0 if it is not known.
    pub line: u32,
    /// The column, from 1; 0 if it is not known.
    pub column: u32,
    /// The function, demangled; empty if it is not known.
    pub function: String,
    /// It is neither the standard library's nor a dependency's.
    pub is_user_code: bool,
    /// It, or what was inlined into it, counts references or looks after threads: what nobody has written to
    /// order anything.
    is_bookkeeping: bool,
}

impl Place {
    /// A line of a file, in a test.
    #[cfg(test)]
    pub fn at(file: &str, line: u32) -> Place {
        Place {
            file: file.to_string(),
            line,
            column: 1,
            function: String::new(),
            is_user_code: is_user_code(file),
            is_bookkeeping: false,
        }
    }

    /// Whether the user has meant what happens here. Unknown if callers have to tell.
    pub fn is_meant(&self) -> Option<bool> {
        match (self.is_bookkeeping, self.is_user_code) {
            (true, _) => Some(false),
            (false, true) => Some(true),
            (false, false) => None,
        }
    }
}

/// What is known of the modules of a program.
pub struct Symbols {
    modules: HashMap<PathBuf, Module>,
    current_directory: PathBuf,
}

/// One program or library.
#[derive(Default)]
struct Module {
    loader: Option<Loader>,
    variables: Variables,
    places: HashMap<u64, Vec<Place>>,
}

impl Default for Symbols {
    fn default() -> Symbols {
        Symbols::new(&std::env::current_dir().unwrap_or_default())
    }
}

impl Symbols {
    /// Nothing is read yet. Files below this directory are shown relative to it.
    pub fn new(current_directory: &Path) -> Symbols {
        Symbols {
            modules: HashMap::new(),
            current_directory: current_directory.to_path_buf(),
        }
    }

    /// The place of the instruction at this offset, or of the call that returns to it.
    ///
    /// Where functions were inlined it is the innermost one of the user's own. Offsets come from
    /// return addresses, which point behind the call: the byte before is looked up.
    pub fn locate(&mut self, module: &Path, offset: u64) -> Option<Place> {
        let places = self.locate_all(module, offset);
        let own = places.iter().find(|place| place.is_user_code);
        // What is inlined from the standard library says less than where it is inlined.
        let other = || places.iter().find(|place| !is_standard(&place.file));
        own.or_else(other).or(places.first()).cloned()
    }

    /// The same with the functions that were inlined there, innermost first, up to the innermost one of the user's own.
    pub fn locate_all(&mut self, module: &Path, offset: u64) -> &[Place] {
        let current_directory = self.current_directory.clone();
        let module = self.module(module);
        if !module.places.contains_key(&offset) {
            let places = module.find(offset.saturating_sub(1), &current_directory);
            module.places.insert(offset, places);
        }
        &module.places[&offset]
    }

    /// The type of a library whose function is at this offset, or was inlined there into the user's own.
    pub fn library_type(&mut self, module: &Path, offset: u64) -> Option<&'static str> {
        self.module(module).library_type(offset.saturating_sub(1))
    }

    /// The name of the global variable at this offset: `counter`, or `queue.tail` within it
    /// (`queue+8` without debug information).
    pub fn variable(&mut self, module: &Path, offset: u64) -> Option<String> {
        self.module(module).variables.name(offset)
    }

    /// A file, relative to the current directory if it is inside it.
    pub fn shorten(&self, file: &str) -> String {
        shortened(file, &self.current_directory)
    }

    fn module(&mut self, path: &Path) -> &mut Module {
        let read = || Module {
            loader: Loader::new(path).ok(),
            variables: Variables::read(path),
            places: HashMap::new(),
        };
        self.modules.entry(path.to_path_buf()).or_insert_with(read)
    }
}

impl Module {
    fn find(&self, address: u64, current_directory: &Path) -> Vec<Place> {
        let mut places: Vec<Place> = Vec::new();
        let frames = self.loader.as_ref();
        let Some(mut frames) = frames.and_then(|loader| loader.find_frames(address).ok()) else {
            return places;
        };
        let mut is_bookkeeping = false;
        while let Ok(Some(frame)) = frames.next() {
            let name = frame.function.as_ref();
            let name = name.and_then(|name| name.demangle().ok().map(|name| name.into_owned()));
            let Some(location) = frame.location else {
                continue;
            };
            let file = location.file.unwrap_or_default();
            is_bookkeeping |= BOOKKEEPING.iter().any(|part| file.contains(part));
            let is_user_code = is_user_code(file);
            places.push(Place {
                file: shortened(file, current_directory),
                line: location.line.unwrap_or(0),
                column: location.column.unwrap_or(0),
                function: without_hash(name.unwrap_or_default()),
                is_user_code,
                is_bookkeeping,
            });
            if is_user_code {
                break;
            }
        }
        if places.is_empty() {
            places.extend(self.by_symbol(address));
        }
        places
    }

    fn library_type(&self, address: u64) -> Option<&'static str> {
        let mut frames = self.loader.as_ref()?.find_frames(address).ok()?;
        while let Ok(Some(frame)) = frames.next() {
            let file = frame.location.and_then(|location| location.file);
            if file.is_some_and(is_user_code) {
                return None;
            }
            let name = frame
                .function
                .as_ref()
                .and_then(|name| name.demangle().ok());
            let path = functions::path_of(&name.unwrap_or_default());
            if let Some((_, name)) = TYPES.iter().find(|(start, _)| path.starts_with(start)) {
                return Some(name);
            }
        }
        None
    }

    /// Without debug information, the symbol table still tells the function.
    fn by_symbol(&self, address: u64) -> Option<Place> {
        let symbol = self.loader.as_ref()?.find_symbol(address)?;
        Some(Place {
            file: String::new(),
            line: 0,
            column: 0,
            function: demangled(symbol),
            is_user_code: false,
            is_bookkeeping: false,
        })
    }
}

/// Whether a source file is one of the standard library's, of Rust or of C++.
pub fn is_standard(file: &str) -> bool {
    const STANDARD: &[&str] = &[
        "/rustc/",
        "/lib/rustlib/src/",
        "/include/c++/",
        "/library/std/src/",
        "/library/core/src/",
        "/library/alloc/src/",
    ];
    STANDARD.iter().any(|part| file.contains(part))
}

/// Whether a source file is the user's own: not the standard library's, not a dependency's, not
/// the system's.
pub fn is_user_code(file: &str) -> bool {
    const FOREIGN: &[&str] = &["/registry/src/", "/git/checkouts/"];
    const FOREIGN_ROOTS: &[&str] = &[
        "/usr/include/",
        "/usr/lib/",
        "/usr/src/",
        "./nptl/",
        "../sys",
    ];
    !file.is_empty()
        && !is_standard(file)
        && !FOREIGN.iter().any(|part| file.contains(part))
        && !FOREIGN_ROOTS.iter().any(|root| file.starts_with(root))
}

/// The path of a source file of a dependency, from the name of its package on: `spin-0.9.8/src/once.rs`.
pub fn within_library(file: &str) -> Option<&str> {
    const FOLDERS: &[&str] = &["/registry/src/", "/git/checkouts/"];
    let (_, path) = FOLDERS.iter().find_map(|part| file.split_once(part))?;
    // What comes first is the name of the registry, or of the repository.
    path.split_once('/').map(|(_, path)| path)
}

fn shortened(file: &str, current_directory: &Path) -> String {
    let inside = Path::new(file).strip_prefix(current_directory).ok();
    match inside.filter(|path| !path.as_os_str().is_empty()) {
        Some(path) => path.display().to_string(),
        None => file.to_string(),
    }
}

fn demangled(name: &str) -> String {
    // Without such a beginning, a name of C may be taken for the code of a type: `a` for `signed char`.
    let is_mangled = ["_Z", "_R"].iter().any(|start| name.starts_with(start));
    match is_mangled {
        true => without_hash(addr2line::demangle_auto(name.into(), None).into_owned()),
        false => name.to_string(),
    }
}

/// Rust's older mangling ends with a hash that nobody wants to read.
fn without_hash(mut name: String) -> String {
    if let Some(at) = name.rfind("::h") {
        let hash = &name[at + "::h".len()..];
        if hash.len() == 16 && hash.bytes().all(|digit| digit.is_ascii_hexdigit()) {
            name.truncate(at);
        }
    }
    name
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn foreign_sources_are_recognised() {
        for file in [
            "/rustc/0123abc/library/std/src/sync/mutex.rs",
            "/users/a/.rustup/toolchains/stable/lib/rustlib/src/rust/library/core/src/ptr.rs",
            "/users/a/.cargo/registry/src/index/parking_lot-0.12.1/src/mutex.rs",
            "/users/a/.cargo/git/checkouts/b/1/src/lib.rs",
            "/usr/include/c++/12/bits/std_mutex.h",
            "/usr/include/stdio.h",
            "./nptl/pthread_create.c",
            "",
        ] {
            assert!(!is_user_code(file), "{file}");
        }
        assert!(is_user_code("/users/a/project/src/lib.rs"));
        assert!(is_user_code("a.c"));
    }

    #[test]
    fn sources_of_dependencies_are_named_from_their_package_on() {
        let path = "/users/a/.cargo/registry/src/index/parking_lot-0.12.1/src/mutex.rs";
        assert_eq!(
            within_library(path),
            Some("parking_lot-0.12.1/src/mutex.rs")
        );
        assert_eq!(within_library("/users/a/project/src/lib.rs"), None);
    }

    #[test]
    fn files_inside_the_current_directory_are_shortened() {
        let here = Path::new("/users/a/project");
        assert_eq!(shortened("/users/a/project/src/lib.rs", here), "src/lib.rs");
        assert_eq!(
            shortened("/users/a/projects/x.c", here),
            "/users/a/projects/x.c"
        );
        assert_eq!(shortened("x.c", here), "x.c");
    }

    #[test]
    fn hashes_are_left_out() {
        assert_eq!(demangled("_ZN1a1b17h0123456789abcdefE"), "a::b");
        assert_eq!(demangled("_ZN5Queue4pushEi"), "Queue::push(int)");
        assert_eq!(demangled("main"), "main");
        assert_eq!(without_hash("a::hash".to_string()), "a::hash");
    }

    #[test]
    fn names_of_c_stay() {
        for name in ["a", "b", "main", "_start", "_Rest of it"] {
            assert_eq!(demangled(name), name);
        }
    }

    #[test]
    fn an_unknown_module_has_no_places() {
        let mut symbols = Symbols::default();
        assert_eq!(symbols.locate(Path::new("/nowhere"), 4), None);
        assert_eq!(symbols.variable(Path::new("/nowhere"), 4), None);
    }
}
