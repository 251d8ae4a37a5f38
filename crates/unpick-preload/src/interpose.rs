//! Functions that stand in for those of the C library, with the address they are called from.
//!
//! What the program passes is as good as it is with the function that is stood in for: the program
//! vouches for it. Each function is a jump to its body that puts the return address behind the other
//! arguments, because that is the only way to learn it.

/// Defines functions by the names of those they stand in for. Each body sees `pc`, the address the
/// call returns to.
macro_rules! interpose {
    ($($(#[$meta:meta])* fn $name:ident($($argument:ident: $kind:ty),* $(,)?; $pc:ident) $(-> $result:ty)? $body:block)*) => {
        $(const _: () = {
            // SAFETY: the program vouches for what it passes.
            unsafe extern "C" fn body($($argument: $kind,)* $pc: usize) $(-> $result)? {
                let _ = $pc;
                #[allow(unused_unsafe)]
                // SAFETY: as above.
                unsafe { $body }
            }

            $(#[$meta])*
            // SAFETY: it does what the function of that name does, and more.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name($($argument: $kind),*) $(-> $result)? {
                core::arch::naked_asm!(
                    concat!("mov ", $crate::interpose::register!($($argument)*), ", [rsp]"),
                    "jmp {body}",
                    body = sym body,
                )
            }
        };)*
    };
}

/// The register of the argument behind the given ones.
macro_rules! register {
    () => {
        "rdi"
    };
    ($a:ident) => {
        "rsi"
    };
    ($a:ident $b:ident) => {
        "rdx"
    };
    ($a:ident $b:ident $c:ident) => {
        "rcx"
    };
    ($a:ident $b:ident $c:ident $d:ident) => {
        "r8"
    };
    ($a:ident $b:ident $c:ident $d:ident $e:ident) => {
        "r9"
    };
}

pub(crate) use {interpose, register};
