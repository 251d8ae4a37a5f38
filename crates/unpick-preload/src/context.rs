//! The switch from task to task: stack, thread pointer, floating-point control.
//!
//! A fiber has the stack and the thread control block of a real thread, which is parked, so that
//! thread-locals, `errno` and `pthread_self` are right without anybody's doing.

use core::arch::naked_asm;

/// Where a task that does not run goes on.
#[repr(C)]
#[derive(Clone, Copy, Debug)]
pub struct Context {
    /// The stack pointer; the saved registers lie there.
    pub stack: usize,
    /// The thread pointer (FS base).
    pub thread: usize,
}

impl Context {
    pub const NOWHERE: Context = Context {
        stack: 0,
        thread: 0,
    };

    /// A context that begins a function on a fresh stack.
    ///
    /// # Safety
    ///
    /// `top` is the end of a stack that nobody uses, aligned to 16.
    pub unsafe fn new(top: usize, thread: usize, begin: extern "C" fn() -> !) -> Context {
        // What `exchange` pops: control words, six registers, the return address. Above that a zero,
        // so that the stack is aligned as after a call.
        let stack = top - 9 * 8;
        // SAFETY: within the stack given.
        unsafe {
            let words = stack as *mut usize;
            *words = 0x037f_0000_1f80;
            for register in 1..7 {
                *words.add(register) = 0;
            }
            *words.add(7) = begin as *const () as usize;
            *words.add(8) = 0;
        }
        Context { stack, thread }
    }
}

/// The thread pointer of the caller.
pub fn thread_pointer() -> usize {
    let thread: usize;
    // SAFETY: the first word of a thread control block is its own address.
    unsafe { core::arch::asm!("mov {}, fs:[0]", out(reg) thread, options(nostack, readonly)) };
    thread
}

/// Saves the running context in `from` and goes on in `to`. Returns when somebody goes on in `from`.
///
/// # Safety
///
/// `to` was saved by this function or made by [`Context::new`], and its stack is as it was then.
#[unsafe(naked)]
pub unsafe extern "C" fn exchange(from: *mut Context, to: *const Context) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov edx, [rsp]",
        "movzx ecx, word ptr [rsp + 4]",
        "mov [rdi], rsp",
        "mov rsp, [rsi]",
        "mov rax, [rsi + 8]",
        "wrfsbase rax",
        // Loading control words takes long, and they are hardly ever different.
        "cmp edx, [rsp]",
        "jne 3f",
        "cmp cx, [rsp + 4]",
        "jne 3f",
        "2:",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
        "3:",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "jmp 2b",
    )
}

/// Saves the context of the calling thread in `context`, sets `*ready`, and lets the thread wait for
/// ever on the little stack that ends at `top`. Returns in whoever goes on in the context.
///
/// # Safety
///
/// The stack is 256 bytes at least, aligned to 16, and used by nobody else.
#[unsafe(naked)]
pub unsafe extern "C" fn park(context: *mut Context, ready: *const u32, top: usize) {
    naked_asm!(
        "push rbp",
        "push rbx",
        "push r12",
        "push r13",
        "push r14",
        "push r15",
        "sub rsp, 8",
        "stmxcsr [rsp]",
        "fnstcw [rsp + 4]",
        "mov rax, fs:[0]",
        "mov [rdi + 8], rax",
        "mov [rdi], rsp",
        "mov rsp, rdx",
        "mov dword ptr [rsi], 1",
        // FUTEX_WAKE for whoever waits until this thread is parked.
        "mov rdi, rsi",
        "mov eax, 202",
        "mov esi, 1",
        "mov edx, 1",
        "xor r10d, r10d",
        "syscall",
        // pause(2), again and again: only the context is wanted.
        "2:",
        "mov eax, 34",
        "syscall",
        "jmp 2b",
    )
}
