//! Places and names, in programs of gcc, g++ and rustc. The programs tell their own addresses.

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::process::Command;
use unpick_native::symbols::Symbols;

const C: &str = "\
#include <stdio.h>
extern char __executable_start;
int counter;
struct { long head; struct { int value, next; } slots[4]; long tail; } queue;
__attribute__((noinline)) static void tell(const char *name) {
    printf(\"%s %ld\\n\", name, (char *)__builtin_return_address(0) - &__executable_start);
}
static inline __attribute__((always_inline)) void inlined(void) {
    tell(\"inlined\"); /* line 9 */
    counter++;
}
int main(void) {
    static int calls;
    calls++;
    tell(\"main\"); /* line 15 */
    inlined();
    printf(\"counter %ld\\n\", (char *)&counter - &__executable_start);
    printf(\"tail %ld\\n\", (char *)&queue.tail - &__executable_start);
    printf(\"next %ld\\n\", (char *)&queue.slots[2].next - &__executable_start);
    printf(\"calls %ld\\n\", (char *)&calls - &__executable_start);
    return counter - calls;
}
";

/// A program and the offsets it told; its directory is removed at the end.
struct Told {
    folder: PathBuf,
    program: PathBuf,
    offsets: HashMap<String, u64>,
}

impl Told {
    fn by(compiler: &str, file: &str, source: &str, flags: &[&str]) -> Told {
        let name = format!(
            "unpick-symbols-{}-{file}-{}",
            std::process::id(),
            flags.concat()
        );
        let folder = std::env::temp_dir().join(name);
        fs::create_dir_all(&folder).unwrap();
        fs::write(folder.join(file), source).unwrap();
        let mut command = Command::new(compiler);
        command
            .current_dir(&folder)
            .args(flags)
            .args([file, "-o", "program"]);
        assert!(command.status().unwrap().success());
        let program = folder.join("program");
        let output = Command::new(&program).output().unwrap();
        let text = String::from_utf8(output.stdout).unwrap();
        let offsets = text.lines().map(|line| {
            let (name, offset) = line.split_once(' ').unwrap();
            (name.to_string(), offset.parse().unwrap())
        });
        Told {
            offsets: offsets.collect(),
            folder,
            program,
        }
    }

    /// `file:line function`, with files as seen from the program's directory.
    fn place(&self, name: &str) -> String {
        let mut symbols = Symbols::new(&self.folder);
        let place = symbols.locate(&self.program, self.offsets[name]).unwrap();
        format!("{}:{} {}", place.file, place.line, place.function)
    }

    fn variable(&self, name: &str) -> Option<String> {
        let mut symbols = Symbols::new(&self.folder);
        symbols.variable(&self.program, self.offsets[name])
    }
}

impl Drop for Told {
    fn drop(&mut self) {
        let _ = fs::remove_dir_all(&self.folder);
    }
}

#[test]
fn c_places_and_variables() {
    let told = Told::by("cc", "a.c", C, &["-g", "-O1"]);
    assert_eq!(told.place("main"), "a.c:15 main");
    assert_eq!(told.place("inlined"), "a.c:9 inlined");
    assert_eq!(told.variable("counter").unwrap(), "counter");
    assert_eq!(told.variable("tail").unwrap(), "queue.tail");
    assert_eq!(told.variable("next").unwrap(), "queue.slots[2].next");
    assert_eq!(told.variable("calls").unwrap(), "calls");
    assert_eq!(told.variable("main"), None);
}

#[test]
fn without_debug_information_functions_still_have_names() {
    let told = Told::by("cc", "a.c", C, &["-O1"]);
    assert_eq!(told.place("main"), ":0 main");
    assert_eq!(told.variable("tail").unwrap(), "queue+40");
}

#[test]
fn cpp_names_are_demangled_and_headers_left_out() {
    let source = "\
#include <cstdio>
#include <functional>
extern char __executable_start;
namespace bank { long balance; struct Base { long id; }; struct Account : Base { long total; }; static Account account; }
struct Teller {
    __attribute__((noinline)) void tell(const char *name) {
        std::printf(\"%s %ld\\n\", name, (char *)__builtin_return_address(0) - &__executable_start);
    }
    __attribute__((noinline)) void work(int) {
        tell(\"work\"); // line 10
        bank::balance++;
    }
};
int main() {
    Teller teller;
    teller.work(1);
    std::printf(\"balance %ld\\n\", (char *)&bank::balance - &__executable_start);
    std::printf(\"total %ld\\n\", (char *)&bank::account.total - &__executable_start);
}
";
    let told = Told::by("c++", "a.cc", source, &["-g"]);
    assert_eq!(told.place("work"), "a.cc:10 Teller::work(int)");
    assert_eq!(told.variable("balance").unwrap(), "bank::balance");
    assert_eq!(told.variable("total").unwrap(), "bank::account.total");
}

#[test]
fn rust_places_are_the_users_own() {
    let source = "\
extern \"C\" { static __executable_start: u8; }
static mut COUNTER: u64 = 0;
struct Bank { id: u64, totals: [u64; 2] }
static mut BANK: Bank = Bank { id: 1, totals: [0; 2] };
#[inline(never)]
fn tell(name: &str, address: *const u8) {
    let begin = &raw const __executable_start;
    println!(\"{name} {}\", address as usize - begin as usize);
}
#[inline(never)]
fn work() -> u64 {
    unsafe { COUNTER += 1 };
    std::hint::black_box(1)
}
fn main() {
    // The first instruction of a function, plus one: what a return address would be.
    tell(\"work\", (work as fn() -> u64 as *const u8).wrapping_add(1));
    tell(\"COUNTER\", &raw const COUNTER as *const u8);
    tell(\"total\", unsafe { &raw const BANK.totals[1] as *const u8 });
    std::hint::black_box(unsafe { BANK.id });
    std::hint::black_box(work());
}
";
    let told = Told::by("rustc", "a.rs", source, &["-g", "--edition=2021"]);
    assert_eq!(told.place("work"), "a.rs:11 a::work");
    assert_eq!(told.variable("COUNTER").unwrap(), "a::COUNTER");
    assert_eq!(told.variable("total").unwrap(), "a::BANK.totals[1]");
}

#[test]
fn places_of_the_standard_library_are_marked() {
    let own = std::env::current_exe().unwrap();
    let mut symbols = Symbols::new(Path::new("/"));
    let function = std::env::current_dir as fn() -> std::io::Result<PathBuf> as usize;
    // SAFETY: asks which module an address of this program belongs to.
    let base = unsafe {
        let mut information = std::mem::zeroed();
        assert_ne!(libc::dladdr(function as *const _, &mut information), 0);
        information.dli_fbase as usize
    };
    let place = symbols.locate(&own, (function - base + 1) as u64).unwrap();
    assert!(!place.is_user_code, "{place:?}");
    assert!(place.function.contains("current_dir"), "{place:?}");
}
