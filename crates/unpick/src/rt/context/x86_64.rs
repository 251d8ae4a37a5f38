//! A switch in a dozen instructions.
//!
//! The floating-point control words are left alone: all tasks of an execution share a thread, and
//! compiled code takes these words for constant. Nothing unwinds through a switch, and a walk up the
//! stack of a context ends at the return address zero below its entry.

use corosensei::stack::{DefaultStack, Stack};
use std::arch::asm;
use std::io;
use std::ops::Range;
use std::sync::{Mutex, PoisonError};

/// Stacks that wait for another use, each with its size. A short exploration would spend much of its
/// time on mapping them.
static SPARE: Mutex<Vec<(usize, DefaultStack)>> = Mutex::new(Vec::new());

/// Stacks that are kept for another use, at most.
const SPARE_COUNT_MAX: usize = 64;

const PAGE_SIZE: usize = 4096;

/// How much deeper in its page each stack begins than the one before. Tasks tend to stand at the same
/// depth of the same code. If that is the same place in a page, too, a processor that compares the
/// lower parts of addresses first takes what one task reads for what the other has just written, and
/// waits; and all of them share a few lines of the cache.
const STAGGER: usize = 11 * 64;

fn take_spare(stack_size: usize) -> Option<DefaultStack> {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    let position = spare.iter().rposition(|(size, _)| *size == stack_size)?;
    Some(spare.swap_remove(position).1)
}

fn keep_spare(stack_size: usize, stack: DefaultStack) {
    let mut spare = SPARE.lock().unwrap_or_else(PoisonError::into_inner);
    if spare.len() < SPARE_COUNT_MAX {
        spare.push((stack_size, stack));
    }
}

/// A stack, and where execution stands on it while it is suspended.
pub(in crate::rt) struct Context {
    /// Valid while suspended. On top of the stack lie the address to go on at, `rbx` and `rbp`.
    stack_pointer: *mut usize,
    /// The stack pointer of a context that stands before its entry.
    start: *mut usize,
    entry: extern "C" fn(),
    /// `None` for the host, which runs on the stack of its thread.
    stack: Option<DefaultStack>,
    stack_size: usize,
}

impl Context {
    /// The context of the thread itself.
    pub fn of_host() -> Context {
        Context {
            stack_pointer: std::ptr::null_mut(),
            start: std::ptr::null_mut(),
            entry: never,
            stack: None,
            stack_size: 0,
        }
    }

    /// A context that begins with `entry` when it is first switched to. The entry does not return: it
    /// ends with [`restart`].
    ///
    /// Contexts with different numbers begin at different places in their pages.
    pub fn new(stack_size: usize, number: usize, entry: extern "C" fn()) -> io::Result<Context> {
        let stack = match take_spare(stack_size) {
            Some(stack) => stack,
            None => DefaultStack::new(stack_size + PAGE_SIZE)?,
        };
        let top = ((stack.base().get() & !15) - number % 64 * STAGGER % PAGE_SIZE) as *mut usize;
        // A function finds its return address on top of the stack, right below a multiple of 16. The
        // words above the entry are for `rbx` and `rbp`.
        let words = [entry as usize, 0, 0, 0];
        // SAFETY: the stack is larger than four words, and nobody else uses it.
        let start = unsafe {
            let start = top.sub(words.len());
            start.cast::<[usize; 4]>().write(words);
            start
        };
        Ok(Context {
            stack_pointer: start,
            start,
            entry,
            stack: Some(stack),
            stack_size,
        })
    }

    /// Where the stack lies, guard page included. Empty for the host.
    pub fn addresses(&self) -> Range<usize> {
        match &self.stack {
            Some(stack) => stack.limit().get()..stack.base().get(),
            None => 0..0,
        }
    }

    /// What to load into `rip`, `rbx`, `rbp` and `rsp` to go on here without a switch.
    ///
    /// # Safety
    /// The context is suspended.
    #[cfg(target_os = "linux")]
    pub unsafe fn registers(&self) -> [usize; 4] {
        // SAFETY: this is what `switch` leaves on top of the stack of a suspended context.
        let [rip, rbx, rbp] = unsafe { self.stack_pointer.cast::<[usize; 3]>().read() };
        [rip, rbx, rbp, self.stack_pointer.wrapping_add(3) as usize]
    }
}

impl Drop for Context {
    /// A stack on which something is left is unmapped: nobody shall find it there.
    fn drop(&mut self) {
        let is_at_its_beginning = self.stack_pointer == self.start;
        if let Some(stack) = self.stack.take_if(|_| is_at_its_beginning) {
            keep_spare(self.stack_size, stack);
        }
    }
}

/// The entry of the host, which is never called.
extern "C" fn never() {
    unreachable!("internal error: the host has no entry");
}

/// Suspends `from`, which runs, and goes on in `to`. Comes back when somebody switches to `from`.
///
/// Inlined, so that the compiler saves the registers in use only, and that each place has a jump of
/// its own to predict. A return in place of the jump would be mispredicted every time.
///
/// # Safety
/// `from` is the context that runs, `to` another one, suspended on this thread. Nothing that the
/// compiler takes for unchanged over a call of foreign code is changed meanwhile.
#[inline(always)]
pub(in crate::rt) unsafe fn switch(from: *mut Context, to: *mut Context) {
    // SAFETY: all registers are saved or declared as overwritten, and the stack pointer is put back
    // to what it was when somebody jumps to the label.
    unsafe {
        asm!(
            "push rbp",
            "push rbx",
            "lea rax, [rip + 2f]",
            "push rax",
            "mov [rdi], rsp",
            "mov rsp, rsi",
            "pop rax",
            "pop rbx",
            "pop rbp",
            "jmp rax",
            "2:",
            inout("rdi") &raw mut (*from).stack_pointer => _,
            inout("rsi") (*to).stack_pointer => _,
            lateout("r12") _,
            lateout("r13") _,
            lateout("r14") _,
            lateout("r15") _,
            clobber_abi("sysv64"),
        );
    }
}

/// Forgets what is on the stack of `from`, which runs, and goes on in `to`. The entry of `from` is
/// called again when somebody switches to it. Does not come back.
///
/// Every call on the stack of `from` should have been returned from: the processor pairs calls and
/// returns, and takes the later returns of other contexts for those that never came.
///
/// # Safety
/// As for [`switch`]; nothing on the stack of `from` is used again or has a destructor to run.
#[inline(always)]
pub(in crate::rt) unsafe fn restart(from: *mut Context, to: *mut Context) {
    // SAFETY: as the caller promises. The words of a context before its entry are written when nothing
    // else on the stack is needed any more, below the word that stands for the return address.
    unsafe {
        (*from).stack_pointer = (*from).start;
        asm!(
            "mov [rdi], rdx",
            "mov qword ptr [rdi + 8], 0",
            "mov qword ptr [rdi + 16], 0",
            "mov rsp, rsi",
            "pop rax",
            "pop rbx",
            "pop rbp",
            "jmp rax",
            in("rdi") (*from).start,
            in("rsi") (*to).stack_pointer,
            in("rdx") (*from).entry,
            options(noreturn),
        );
    }
}
