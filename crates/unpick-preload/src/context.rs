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

/// Saves the context of the calling thread in `context`, sets `*ready`, and lets the thread make the system call
/// `rest` again and again on the little stack that ends at `top`. Returns in whoever goes on in the context.
///
/// # Safety
///
/// The stack is 256 bytes at least, aligned to 16, and used by nobody else. The system call takes zero as its
/// argument, and waits or ends the thread.
#[unsafe(naked)]
pub unsafe extern "C" fn park(context: *mut Context, ready: *const u32, top: usize, rest: u32) {
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
        // A system call destroys rcx.
        "mov ebx, ecx",
        "mov dword ptr [rsi], 1",
        // FUTEX_WAKE for whoever waits until this thread is parked.
        "mov rdi, rsi",
        "mov eax, 202",
        "mov esi, 1",
        "mov edx, 1",
        "xor r10d, r10d",
        "syscall",
        // Only the context is wanted.
        "2:",
        "mov eax, ebx",
        "xor edi, edi",
        "syscall",
        "jmp 2b",
    )
}

/// Creates a thread of the system that goes on in `context`. The kernel writes its number to `number`, and clears
/// that when the thread has left its stack for ever. Gives what the system call `clone` gives.
///
/// # Safety
///
/// As for [`exchange`]; no other thread goes on in the context.
pub unsafe fn begin(context: &Context, number: *const u32) -> i64 {
    let flags = libc::CLONE_VM
        | libc::CLONE_FS
        | libc::CLONE_FILES
        | libc::CLONE_SIGHAND
        | libc::CLONE_THREAD
        | libc::CLONE_SYSVSEM
        | libc::CLONE_SETTLS
        | libc::CLONE_PARENT_SETTID
        | libc::CLONE_CHILD_CLEARTID;
    // SAFETY: by the caller.
    unsafe {
        clone(
            flags as usize,
            context.stack,
            number,
            number,
            context.thread,
        )
    }
}

/// The system call of that name, with its arguments; the new thread goes on as after [`exchange`].
///
/// # Safety
///
/// As for [`begin`].
#[unsafe(naked)]
unsafe extern "C" fn clone(
    flags: usize,
    stack: usize,
    parent_number: *const u32,
    child_number: *const u32,
    thread: usize,
) -> i64 {
    naked_asm!(
        "mov r10, rcx",
        "mov eax, 56",
        "syscall",
        "test rax, rax",
        "jz 2f",
        "ret",
        "2:",
        "ldmxcsr [rsp]",
        "fldcw [rsp + 4]",
        "add rsp, 8",
        "pop r15",
        "pop r14",
        "pop r13",
        "pop r12",
        "pop rbx",
        "pop rbp",
        "ret",
    )
}
