//! The libraries of the program: those that it begins with, and those that it loads while it runs.

use crate::runtime::Runtime;
use alloc::{string::String, vec::Vec};
use core::ffi::{CStr, c_int, c_void};
use core::ops::Range;
use core::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use unpick_protocol::Module;

/// Bytes of a list of destructors that holds the compiler's own function only.
const LIST_MIN: u64 = 8;

/// The tag of the size of that list, in the table that the loader reads.
const SIZE_TAG: i64 = 28;

/// The tags of the names of symbols, and of their bytes.
const NAMES_TAG: i64 = 5;
const NAMES_SIZE_TAG: i64 = 10;

/// How many libraries had ever been loaded when the program began.
static LOADS: AtomicU64 = AtomicU64::new(0);

/// Whether one of these has functions to be called at the end, besides the one that the compiler puts
/// into each. The loader takes some microseconds to find out, in every execution.
static HAS_DESTRUCTORS: AtomicBool = AtomicBool::new(false);

/// Looks at everything that is loaded now.
pub fn look_up() {
    LOADS.store(loads(), Ordering::Relaxed);
    HAS_DESTRUCTORS.store(any_has_destructors(), Ordering::Relaxed);
}

/// Whether the program, or a library that is loaded now, has destructors.
pub fn have_destructors() -> bool {
    HAS_DESTRUCTORS.load(Ordering::Relaxed) || have_come() && any_has_destructors()
}

/// Whether libraries have been loaded since the program began.
fn have_come() -> bool {
    loads() != LOADS.load(Ordering::Relaxed)
}

/// Notes the memory of libraries that the execution, which is over, has loaded. The loader forgets them
/// when its own memory is put back.
pub fn note_loaded(this: &mut Runtime) {
    if !have_come() {
        return;
    }
    for module in modules() {
        if !this.sites.begins_with(&module) {
            let start = module.start as usize & !4095;
            let end = (module.end as usize).next_multiple_of(4096);
            this.snapshot.note_mapped(start..end);
        }
    }
}

/// How many libraries have ever been loaded.
fn loads() -> u64 {
    let mut count = 0;
    visit(|info| {
        count = info.dlpi_adds;
        true
    });
    count
}

fn any_has_destructors() -> bool {
    visit(has_destructors)
}

/// Whether a library is loaded whose file begins with this.
pub fn has(name: &[u8]) -> bool {
    visit(|info| file_name(info).starts_with(name))
}

/// Whether anything that is loaded, besides this library and one whose file begins as given, names a symbol.
pub fn any_imports(symbol: &[u8], except: &[u8]) -> bool {
    let me = &raw const LOADS as u64;
    visit(|info| {
        let is_own =
            segments(info, |_| true).is_some_and(|(start, end)| (start..end).contains(&me));
        !is_own && !file_name(info).starts_with(except) && names(info).any(|name| name == symbol)
    })
}

/// Whether a look at the code of a module that calls a function is a hit, for any module besides this library.
pub fn any_calling(function: &[u8], mut look: impl FnMut(&Loaded<'_>, &[u8]) -> bool) -> bool {
    let me = &raw const LOADS as u64;
    visit(|info| {
        let is_own =
            segments(info, |_| true).is_some_and(|(start, end)| (start..end).contains(&me));
        if is_own || !names(info).any(|name| name == function) {
            return false;
        }
        let module = loaded(info);
        let mut code = module
            .segments()
            .filter(|(_, flags)| flags & libc::PF_X != 0);
        code.any(|(range, flags)| {
            // SAFETY: a segment of the module, which may be read.
            let bytes =
                unsafe { core::slice::from_raw_parts(range.start as *const u8, range.len()) };
            flags & libc::PF_R != 0 && look(&module, bytes)
        })
    })
}

/// The files mapped into the program.
pub fn modules() -> Vec<Module> {
    let mut modules = Vec::new();
    visit(|info| {
        modules.extend(module(info));
        false
    });
    modules
}

/// The memory of this very library that may be written, or executed, as the flag says.
pub fn own_segments(flag: u32) -> Range<usize> {
    let me = &raw const LOADS as u64;
    let mut found = (0, 0);
    visit(|info| {
        let is_own =
            segments(info, |_| true).is_some_and(|(start, end)| (start..end).contains(&me));
        if is_own {
            found = segments(info, |segment| segment.p_flags & flag != 0).unwrap_or((0, 0));
        }
        is_own
    });
    let (start, end) = found;
    (start as usize & !4095)..(end as usize).next_multiple_of(4096)
}

/// Something that is loaded.
pub struct Loaded<'a> {
    info: &'a libc::dl_phdr_info,
    /// Where its table for unwinding lies.
    pub unwinding: Option<usize>,
}

impl Loaded<'_> {
    fn segments(&self) -> impl Iterator<Item = (Range<usize>, u32)> {
        let base = self.info.dlpi_addr as usize;
        let loaded = table(self.info)
            .iter()
            .filter(|one| one.p_type == libc::PT_LOAD);
        loaded.map(move |one| {
            let start = base + one.p_vaddr as usize;
            (start..start + one.p_memsz as usize, one.p_flags)
        })
    }

    /// Whether memory is in a segment that may be read.
    pub fn holds(&self, range: Range<usize>) -> bool {
        self.segments().any(|(segment, flags)| {
            flags & libc::PF_R != 0 && segment.start <= range.start && range.end <= segment.end
        })
    }

    /// Whether it is a library of C++ that comes with a compiler.
    pub fn is_of_cpp(&self) -> bool {
        let name = file_name(self.info);
        name.starts_with(b"libstdc++.so") || name.starts_with(b"libc++")
    }

    /// Where the segment of some code ends.
    pub fn code_end(&self, address: usize) -> Option<usize> {
        let mut segments = self.segments();
        let found = segments.find(|(segment, _)| segment.contains(&address));
        found.map(|(segment, _)| segment.end)
    }
}

/// What `look` says of the module at an address; nothing if there is none.
pub fn find<R>(address: usize, look: impl Fn(&Loaded<'_>) -> R) -> Option<R> {
    let mut found = None;
    visit(|info| {
        let module = loaded(info);
        if module.code_end(address).is_some() {
            found = Some(look(&module));
        }
        found.is_some()
    });
    found
}

fn loaded(info: &libc::dl_phdr_info) -> Loaded<'_> {
    let is_table = |one: &&libc::Elf64_Phdr| one.p_type == libc::PT_GNU_EH_FRAME;
    let unwinding = table(info).iter().find(is_table);
    Loaded {
        info,
        unwinding: unwinding.map(|one| (info.dlpi_addr + one.p_vaddr) as usize),
    }
}

/// Shows everything that is loaded now, until something says that this was enough; whether it did.
fn visit<F: FnMut(&libc::dl_phdr_info) -> bool>(mut look: F) -> bool {
    // SAFETY: called by the C library for each, with what is given below.
    unsafe extern "C" fn show<F: FnMut(&libc::dl_phdr_info) -> bool>(
        info: *mut libc::dl_phdr_info,
        _size: usize,
        look: *mut c_void,
    ) -> c_int {
        // SAFETY: as said.
        let (info, look) = unsafe { (&*info, &mut *look.cast::<F>()) };
        c_int::from(look(info))
    }
    // SAFETY: the callback gets the pointer that is given here.
    unsafe { libc::dl_iterate_phdr(Some(show::<F>), (&raw mut look).cast()) != 0 }
}

fn module(info: &libc::dl_phdr_info) -> Option<Module> {
    let (start, end) = segments(info, |_| true)?;
    let path = match info.dlpi_name.is_null() {
        true => String::new(),
        // SAFETY: the name of a module, as the C library keeps it.
        false => unsafe { CStr::from_ptr(info.dlpi_name) }
            .to_string_lossy()
            .into_owned(),
    };
    Some(Module {
        path,
        base: info.dlpi_addr,
        start,
        end,
    })
}

/// The file of a module, without its directories. That of the program has none.
fn file_name(info: &libc::dl_phdr_info) -> &[u8] {
    if info.dlpi_name.is_null() {
        return &[];
    }
    // SAFETY: the loader's own name of the file, which ends in zero.
    let path = unsafe { CStr::from_ptr(info.dlpi_name) }.to_bytes();
    path.rsplit(|byte| *byte == b'/').next().unwrap_or_default()
}

fn table(info: &libc::dl_phdr_info) -> &[libc::Elf64_Phdr] {
    // SAFETY: the table of the module, as the C library tells it.
    unsafe { core::slice::from_raw_parts(info.dlpi_phdr, usize::from(info.dlpi_phnum)) }
}

/// The addresses that the loaded segments of a module span.
fn segments(
    info: &libc::dl_phdr_info,
    wanted: impl Fn(&libc::Elf64_Phdr) -> bool,
) -> Option<(u64, u64)> {
    let loaded = table(info)
        .iter()
        .filter(|segment| segment.p_type == libc::PT_LOAD && wanted(segment));
    let place = |segment: &libc::Elf64_Phdr| info.dlpi_addr + segment.p_vaddr;
    let start = loaded.clone().map(place).min()?;
    let end = loaded
        .map(|segment| place(segment) + segment.p_memsz)
        .max()?;
    Some((start, end))
}

/// An entry of the table that the loader reads.
#[repr(C)]
#[derive(Clone, Copy)]
struct Entry {
    tag: i64,
    value: u64,
}

/// The entries of the table of a module that the loader reads.
fn entries(info: &libc::dl_phdr_info) -> impl Iterator<Item = (i64, u64)> {
    let is_dynamic = |segment: &&libc::Elf64_Phdr| segment.p_type == libc::PT_DYNAMIC;
    let dynamic = table(info).iter().find(is_dynamic);
    let mut entry = dynamic.map(|one| (info.dlpi_addr + one.p_vaddr) as *const Entry);
    core::iter::from_fn(move || {
        let at = entry?;
        // SAFETY: the table ends with tag zero.
        let Entry { tag, value } = unsafe { at.read() };
        // SAFETY: this one is not the last.
        entry = (tag != 0).then(|| unsafe { at.add(1) });
        (tag != 0).then_some((tag, value))
    })
}

fn has_destructors(info: &libc::dl_phdr_info) -> bool {
    entries(info).any(|(tag, value)| tag == SIZE_TAG && value > LIST_MIN)
}

/// The names of the symbols that a module defines, or looks for in others.
fn names(info: &libc::dl_phdr_info) -> impl Iterator<Item = &[u8]> {
    let value = |wanted: i64| entries(info).find(|entry| entry.0 == wanted);
    let found = value(NAMES_TAG).zip(value(NAMES_SIZE_TAG));
    let names = match found {
        // The loader has made the address that of the memory, in libraries that can be written to.
        Some(((_, start), (_, size))) if start >= info.dlpi_addr => {
            // SAFETY: where the loader reads the names.
            unsafe { core::slice::from_raw_parts(start as *const u8, size as usize) }
        }
        _ => &[],
    };
    names.split(|byte| *byte == 0)
}
