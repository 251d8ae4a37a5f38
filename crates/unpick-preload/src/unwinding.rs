//! Nothing here unwinds, but the prebuilt parts of the language refer to what would do it.
//!
//! Hidden, so that the program and its libraries keep theirs.

core::arch::global_asm!(
    ".globl rust_eh_personality",
    ".hidden rust_eh_personality",
    "rust_eh_personality:",
    "ud2",
    ".globl _Unwind_Resume",
    ".hidden _Unwind_Resume",
    "_Unwind_Resume:",
    "ud2",
);
