//! The functions of Rust's standard library that the runtime replaces, found in a program.
//!
//! The standard library comes compiled and is not instrumented: what its functions do between two system calls
//! would be done at once. The runtime therefore performs those that wait and wake itself, operation by operation,
//! and must know where they are, and that they are what it knows.

use super::demangled;
use super::functions::{path_of, without_suffix};
use object::read::elf::{ElfFile64, FileHeader as _, ProgramHeader as _};
use object::{Endianness, Object as _, ObjectSection as _, ObjectSymbol as _};
use std::collections::HashMap;
use std::fs;
use std::ops::RangeInclusive;
use std::path::{Path, PathBuf};
use std::sync::{Arc, LazyLock, Mutex, PoisonError};
use unpick_protocol::StandardFunction::{self, *};
use unpick_protocol::{JUMP_SIZE, StandardCode};

/// The releases of Rust 1.x whose standard library is as the runtime has it: what the words of its locks mean, and
/// where the fields of its types are. Before this grows, compare the sources of these functions and run
/// `cargo test -p unpick-cli --test cargo` with the release.
const KNOWN_RELEASES: RangeInclusive<u32> = 95..=95;

/// Which function is which. Another one that waits or wakes is a row here, and a function in `standard.rs` of the
/// runtime.
const FUNCTIONS: &[(&str, StandardFunction)] = &[
    (
        "std::sys::sync::mutex::futex::Mutex::lock_contended",
        MutexLock,
    ),
    ("std::sys::sync::mutex::futex::Mutex::wake", MutexWake),
    ("std::sys::sync::condvar::futex::Condvar::wait", CondvarWait),
    (
        "std::sys::sync::condvar::futex::Condvar::wait_timeout",
        CondvarWaitTimeout,
    ),
    (
        "std::sync::poison::condvar::Condvar::notify_one",
        CondvarNotifyOne,
    ),
    (
        "std::sync::poison::condvar::Condvar::notify_all",
        CondvarNotifyAll,
    ),
    (
        "std::sys::sync::rwlock::futex::RwLock::read_contended",
        RwLockRead,
    ),
    (
        "std::sys::sync::rwlock::futex::RwLock::write_contended",
        RwLockWrite,
    ),
    (
        "std::sys::sync::rwlock::futex::RwLock::wake_writer_or_readers",
        RwLockWake,
    ),
    ("std::sys::sync::once::futex::Once::call", OnceCall),
    ("std::sys::sync::once::futex::Once::wait", OnceWait),
    ("std::sync::barrier::Barrier::wait", BarrierWait),
    ("std::thread::functions::park", Park),
    ("std::thread::functions::park_timeout", ParkTimeout),
    ("std::thread::thread::Thread::park", ThreadPark),
    (
        "std::thread::thread::Thread::park_timeout",
        ThreadParkTimeout,
    ),
    ("std::sys::pal::unix::futex::futex_wake", FutexWake),
    (
        "std::thread::scoped::ScopeData::increment_num_running_threads",
        ScopeEnter,
    ),
    (
        "std::thread::scoped::ScopeData::decrement_num_running_threads",
        ScopeLeave,
    ),
    ("std::thread::current::CURRENT", CurrentThread),
    ("std::thread::current::init_current", CreateCurrentThread),
];

/// The standard library in a program.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Standard {
    /// Its functions that are replaced.
    pub code: Vec<StandardCode>,
    /// Why functions of it are left as they are, if some are.
    pub unknown: Option<String>,
}

impl Standard {
    /// That of a program. Each file is read once.
    pub fn of(program: &Path) -> Arc<Standard> {
        static KNOWN: LazyLock<Mutex<HashMap<PathBuf, Arc<Standard>>>> =
            LazyLock::new(Mutex::default);
        let mut known = KNOWN.lock().unwrap_or_else(PoisonError::into_inner);
        let read = || Arc::new(Standard::read(program));
        known
            .entry(program.to_path_buf())
            .or_insert_with(read)
            .clone()
    }

    fn read(program: &Path) -> Standard {
        let content = fs::read(program).unwrap_or_default();
        let Ok(file) = ElfFile64::<Endianness>::parse(&*content) else {
            return Standard::default();
        };
        let left = |reason: String| Standard {
            code: Vec::new(),
            unknown: Some(reason),
        };
        let Some(release) = release(&file) else {
            return Standard::default();
        };
        if !KNOWN_RELEASES.contains(&release) {
            return left(format!(
                "the standard library of Rust 1.{release} is not known"
            ));
        }
        let standard = find(&file);
        // Every program has this one, if only to print.
        if !standard.has(MutexLock) {
            return left("the program has no symbols of the standard library".to_string());
        }
        standard
    }

    fn has(&self, function: StandardFunction) -> bool {
        self.code.iter().any(|code| code.function == function)
    }

    fn leave(&mut self, path: &str) {
        self.unknown = Some(format!("`{path}` cannot be replaced"));
    }
}

type Elf<'a> = ElfFile64<'a, Endianness>;

/// The release of Rust that has compiled a program: x of 1.x.
fn release(file: &Elf<'_>) -> Option<u32> {
    let section = file.section_by_name(".comment")?;
    let text = String::from_utf8_lossy(section.data().ok()?).into_owned();
    let version = text
        .split('\0')
        .find_map(|line| line.strip_prefix("rustc version 1."))?;
    version.split('.').next()?.parse().ok()
}

fn find(file: &Elf<'_>) -> Standard {
    // Mangled names contain each part of the path behind its length.
    let marks: Vec<String> = FUNCTIONS
        .iter()
        .filter_map(|(path, _)| path.rsplit("::").next())
        .map(|name| format!("{}{name}", name.len()))
        .collect();
    let mut starts: Vec<u64> = file.symbols().map(|symbol| symbol.address()).collect();
    starts.sort_unstable();
    let mut found = Standard::default();
    for symbol in file.symbols().filter(|symbol| !symbol.is_undefined()) {
        let Ok(name) = symbol.name() else { continue };
        if !marks.iter().any(|mark| name.contains(mark.as_str())) {
            continue;
        }
        let Some(path) = without_suffix(name).map(|stem| path_of(&demangled(stem))) else {
            continue;
        };
        let Some((_, function)) = FUNCTIONS.iter().find(|(known, _)| *known == path) else {
            continue;
        };
        let address = symbol.address();
        let code = match *function {
            CurrentThread => thread_local(file, address),
            CreateCurrentThread => Some((address, 0)),
            OnceCall | OnceWait => movable(file, address).map(|size| (address, size)),
            _ => has_room(&starts, address).then_some((address, 0)),
        };
        match code {
            Some((start, movable)) => found.code.push(StandardCode {
                function: *function,
                start,
                movable,
            }),
            None => found.leave(&path),
        }
    }
    let asks = |code: &StandardCode| matches!(code.function, Park | ParkTimeout);
    let knows_current = found.has(CurrentThread) && found.has(CreateCurrentThread);
    if !knows_current && found.code.iter().any(asks) {
        found.code.retain(|code| !asks(code));
        found.leave("std::thread::park");
    }
    found
}

/// Whether a jump fits before the next function begins.
fn has_room(starts: &[u64], address: u64) -> bool {
    let next = starts.partition_point(|start| *start <= address);
    starts
        .get(next)
        .is_some_and(|next| next - address >= JUMP_SIZE as u64)
}

/// What to add to the thread pointer for a thread-local variable of a program.
fn thread_local(file: &Elf<'_>, offset: u64) -> Option<(u64, u8)> {
    let endian = file.endian();
    let headers = file
        .elf_header()
        .program_headers(endian, file.data())
        .ok()?;
    let header = headers
        .iter()
        .find(|header| header.p_type(endian) == object::elf::PT_TLS)?;
    let size = header
        .p_memsz(endian)
        .next_multiple_of(header.p_align(endian).max(1));
    Some((offset.wrapping_sub(size), 0))
}

/// How many bytes at the beginning of a function can run elsewhere, if they are enough for a jump.
fn movable(file: &Elf<'_>, address: u64) -> Option<u8> {
    let section = file.sections().find(|section| {
        (section.address()..section.address() + section.size()).contains(&address)
    })?;
    let code = section.data_range(address, 32).ok()??;
    let mut size = 0;
    while size < JUMP_SIZE {
        size += instruction_size(code.get(size..)?)?;
    }
    u8::try_from(size).ok()
}

/// The size of an instruction that does the same anywhere, if it is one of those that functions begin with.
fn instruction_size(code: &[u8]) -> Option<usize> {
    match *code {
        // push
        [0x50..=0x57, ..] => Some(1),
        [0x41, 0x50..=0x57, ..] => Some(2),
        // mov and xor between registers
        [
            0x48 | 0x49 | 0x4c | 0x4d,
            0x89 | 0x8b | 0x31,
            0xc0..=0xff,
            ..,
        ] => Some(3),
        [0x41 | 0x44 | 0x45, 0x89 | 0x8b | 0x31, 0xc0..=0xff, ..] => Some(3),
        [0x89 | 0x8b | 0x31, 0xc0..=0xff, ..] => Some(2),
        // sub rsp
        [0x48, 0x83, 0xec, ..] => Some(4),
        [0x48, 0x81, 0xec, ..] => Some(7),
        _ => None,
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn beginnings_of_functions_are_measured() {
        for (code, size) in [
            (&[0x55, 0x48, 0x89, 0xe5][..], Some(1)),
            (&[0x48, 0x89, 0xe5], Some(3)),
            (&[0x41, 0x57], Some(2)),
            (&[0x48, 0x83, 0xec, 0x28], Some(4)),
            (&[0x48, 0x81, 0xec, 0x28, 0x01, 0, 0], Some(7)),
            (&[0x41, 0x89, 0xf6], Some(3)),
            // Relative to where it stands: a load, a jump.
            (&[0x48, 0x8b, 0x05, 1, 2, 3, 4], None),
            (&[0xeb, 0x10], None),
            (&[], None),
        ] {
            assert_eq!(instruction_size(code), size, "{code:x?}");
        }
    }

    #[test]
    fn a_jump_ends_before_the_next_function() {
        let starts = [0, 16, 16, 40];
        assert!(has_room(&starts, 0));
        assert!(has_room(&starts, 16));
        assert!(!has_room(&[4, 16], 4));
        assert!(!has_room(&starts, 40));
    }

    /// This very test is a program with the standard library, of whatever release.
    #[test]
    fn a_program_has_the_functions_or_a_reason() {
        let program = std::env::current_exe().unwrap();
        let standard = Standard::read(&program);
        assert_ne!(standard.code.is_empty(), standard.unknown.is_none());
        if standard.unknown.is_none() {
            for function in [MutexLock, OnceCall, CurrentThread, CreateCurrentThread] {
                assert!(standard.has(function), "{function:?}: {standard:?}");
            }
        }
        assert_eq!(Standard::read(Path::new("/nowhere")), Standard::default());
    }
}
