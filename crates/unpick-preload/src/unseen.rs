//! Functions of the C library that use memory, files or other state of the process in ways that are not looked at.
//!
//! They are called as they are. If instrumented code calls one while other tasks are there, another task may notice it
//! half done, or depend on when it is called, and no schedule was tried for that: a complete exploration says so.

use crate::instrumented;
use crate::real;
use crate::runtime::running;
use unpick_engine::Proviso;

/// Notes a call of a function whose effects are not seen.
fn note(pc: usize) {
    if let Some(this) = running()
        && !this.is_alone()
        && instrumented::is_at(pc)
    {
        this.execution.assume(Proviso::NotInstrumented);
    }
}

/// Functions of whatever arguments, numbers with a point among them.
macro_rules! unseen {
    ($($name:ident)*) => {
        $(const _: () = {
            extern "C" fn gate(pc: usize) -> usize {
                note(pc);
                real::$name() as *const () as usize
            }

            // SAFETY: leaves all arguments as they are and goes on in the real function.
            #[unsafe(naked)]
            #[unsafe(no_mangle)]
            unsafe extern "C" fn $name() {
                core::arch::naked_asm!(
                    "push rdi",
                    "push rsi",
                    "push rdx",
                    "push rcx",
                    "push r8",
                    "push r9",
                    "push rax",
                    "mov rdi, [rsp + 56]",
                    "sub rsp, 128",
                    "movups [rsp], xmm0",
                    "movups [rsp + 16], xmm1",
                    "movups [rsp + 32], xmm2",
                    "movups [rsp + 48], xmm3",
                    "movups [rsp + 64], xmm4",
                    "movups [rsp + 80], xmm5",
                    "movups [rsp + 96], xmm6",
                    "movups [rsp + 112], xmm7",
                    "call {gate}",
                    "mov r11, rax",
                    "movups xmm0, [rsp]",
                    "movups xmm1, [rsp + 16]",
                    "movups xmm2, [rsp + 32]",
                    "movups xmm3, [rsp + 48]",
                    "movups xmm4, [rsp + 64]",
                    "movups xmm5, [rsp + 80]",
                    "movups xmm6, [rsp + 96]",
                    "movups xmm7, [rsp + 112]",
                    "add rsp, 128",
                    "pop rax",
                    "pop r9",
                    "pop r8",
                    "pop rcx",
                    "pop rdx",
                    "pop rsi",
                    "pop rdi",
                    "jmp r11",
                    gate = sym gate,
                )
            }
        };)*
    };
}

unseen! {
    sprintf snprintf vsprintf vsnprintf __sprintf_chk __snprintf_chk __vsprintf_chk __vsnprintf_chk
    sscanf __isoc99_sscanf vsscanf __isoc99_vsscanf strtok strtok_r getline getdelim
    localtime gmtime asctime ctime strerror setenv unsetenv putenv
    rand srand random srandom drand48 lrand48 mrand48 srand48
    open open64 openat openat64 creat creat64 unlink unlinkat rename mkdir rmdir remove link symlink access
    ftruncate ftruncate64 lseek lseek64 pread pread64 pwrite pwrite64 dup pipe pipe2
    mprotect
}
