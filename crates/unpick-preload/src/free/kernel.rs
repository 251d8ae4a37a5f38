//! What the kernel says of the threads of this process: who sleeps, and who is no more.
//!
//! Nothing is stopped and nobody is asked: a line of `/proc` is read, which takes some microseconds and, for that
//! time, a descriptor of the program.

use crate::sys;
use core::fmt::Write as _;

/// Room for the name of a file, and for the part of its line that matters: number, name and state.
const LENGTH: usize = 64;

/// Whether a thread sleeps, so that only somebody else can wake it.
pub fn is_asleep(kernel_id: u32) -> bool {
    state(kernel_id) == Some(b'S')
}

/// Whether there is no such thread any more. It was there.
pub fn has_gone(kernel_id: u32) -> bool {
    state(kernel_id).is_none_or(|state| matches!(state, b'Z' | b'X'))
}

fn state(kernel_id: u32) -> Option<u8> {
    let mut name = Text {
        bytes: [0; LENGTH],
        used: 0,
    };
    // The zero that ends it is there already.
    write!(name, "/proc/self/task/{kernel_id}/stat").ok()?;
    let mut line = [0; LENGTH];
    // SAFETY: a name that ends in zero, and a buffer of that size; the file is closed again.
    let count = unsafe {
        let flags = i64::from(libc::O_RDONLY | libc::O_CLOEXEC);
        let directory = i64::from(libc::AT_FDCWD);
        let path = name.bytes.as_ptr() as i64;
        let file = sys::call(libc::SYS_openat, [directory, path, flags, 0, 0, 0]);
        if file < 0 {
            return None;
        }
        let into = line.as_mut_ptr() as i64;
        let count = sys::call(libc::SYS_read, [file, into, LENGTH as i64, 0, 0, 0]);
        sys::call(libc::SYS_close, [file, 0, 0, 0, 0, 0]);
        usize::try_from(count).ok()?
    };
    // The name, in brackets, may hold anything.
    let line = &line[..count];
    let end = line.iter().rposition(|&byte| byte == b')')?;
    line.get(end + 2).copied()
}

struct Text {
    bytes: [u8; LENGTH],
    used: usize,
}

impl core::fmt::Write for Text {
    fn write_str(&mut self, text: &str) -> core::fmt::Result {
        let end = self.used + text.len();
        let free = self.bytes.get_mut(self.used..end).ok_or(core::fmt::Error)?;
        free.copy_from_slice(text.as_bytes());
        self.used = end;
        Ok(())
    }
}
