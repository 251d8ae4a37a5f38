//! The driver's side of the shared memory.

use std::fs::File;
use std::io;
use std::os::fd::{AsRawFd, FromRawFd, RawFd};
use std::sync::atomic::{AtomicU32, Ordering, fence};
use std::time::Duration;

use unpick_protocol::{Answer, DESK_SIZE, Desk, unseal};

/// A desk, mapped.
pub(super) struct SharedDesk {
    file: File,
    memory: *mut u8,
    /// The number of the last order. The one in shared memory is for the runtime: the program may write there.
    order: AtomicU32,
    /// The serial of the answer before that.
    answer_before: AtomicU32,
}

// SAFETY: the top is made of atomics; orders and answers are touched by one side at a time, as the
// serial numbers say.
unsafe impl Send for SharedDesk {}
// SAFETY: as above.
unsafe impl Sync for SharedDesk {}

impl SharedDesk {
    pub fn new() -> io::Result<SharedDesk> {
        // SAFETY: a name that ends in zero. The file is inherited by the program on purpose.
        let file = unsafe { libc::memfd_create(c"unpick-desk".as_ptr(), 0) };
        if file < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: made a moment ago, and nobody else owns it.
        let file = unsafe { File::from_raw_fd(file) };
        file.set_len(DESK_SIZE as u64)?;
        // SAFETY: a fresh mapping of a file of that size.
        let memory = unsafe {
            libc::mmap(
                std::ptr::null_mut(),
                DESK_SIZE,
                libc::PROT_READ | libc::PROT_WRITE,
                libc::MAP_SHARED,
                file.as_raw_fd(),
                0,
            )
        };
        if memory == libc::MAP_FAILED {
            return Err(io::Error::last_os_error());
        }
        let desk = SharedDesk {
            file,
            memory: memory.cast(),
            order: AtomicU32::new(0),
            answer_before: AtomicU32::new(0),
        };
        desk.top().open();
        Ok(desk)
    }

    /// The number under which the program inherits it.
    pub fn file(&self) -> RawFd {
        self.file.as_raw_fd()
    }

    pub fn top(&self) -> &Desk {
        // SAFETY: mapped, aligned, and made of atomics only.
        unsafe { &*self.memory.cast::<Desk>() }
    }

    /// Puts an order on the desk and says so.
    pub fn put_order(&self, bytes: &[u8]) {
        let desk = self.top();
        self.answer_before
            .store(desk.answer_serial(), Ordering::Relaxed);
        let (offset, _) = desk.order_range();
        desk.set_order_length(bytes.len());
        // SAFETY: the length was checked, and the runtime waits.
        unsafe {
            std::ptr::copy_nonoverlapping(bytes.as_ptr(), self.memory.add(offset), bytes.len());
        }
        desk.clear_progress();
        let order = self.order.fetch_add(1, Ordering::Relaxed).wrapping_add(1);
        desk.orders.store(order, Ordering::Release);
        // SAFETY: a futex of our own memory.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                desk.orders.as_ptr(),
                libc::FUTEX_WAKE,
                i32::MAX,
            );
        }
    }

    /// Whether the last order has been answered.
    pub fn is_answered(&self) -> bool {
        self.top().answers.load(Ordering::Acquire) == self.order.load(Ordering::Relaxed)
    }

    /// Waits for an answer, but not for long.
    pub fn wait(&self, time: Duration) {
        let desk = self.top();
        let answers = desk.answers.load(Ordering::Acquire);
        if answers == self.order.load(Ordering::Relaxed) {
            return;
        }
        let time = libc::timespec {
            tv_sec: time.as_secs() as i64,
            tv_nsec: i64::from(time.subsec_nanos()),
        };
        // SAFETY: a futex of our own memory and a time on our stack.
        unsafe {
            libc::syscall(
                libc::SYS_futex,
                desk.answers.as_ptr(),
                libc::FUTEX_WAIT,
                answers,
                &raw const time,
            );
        }
    }

    /// What the last order has shown so far, if the runtime has put down a draft that is not the one of serial `seen`.
    pub fn draft(&self, seen: &mut u32) -> Option<Answer> {
        let serial = self.top().answer_serial();
        let is_old = serial == *seen || serial == self.answer_before.load(Ordering::Relaxed);
        if is_old || !serial.is_multiple_of(2) {
            return None;
        }
        let bytes = self.answer_bytes();
        fence(Ordering::Acquire);
        if self.top().answer_serial() != serial {
            return None;
        }
        *seen = serial;
        self.read(&bytes)
    }

    /// The last answer; `None` if what lies there is none.
    pub fn answer(&self) -> Option<Answer> {
        self.read(&self.answer_bytes())
    }

    fn read(&self, bytes: &[u8]) -> Option<Answer> {
        unseal(self.order.load(Ordering::Relaxed), bytes)
    }

    fn answer_bytes(&self) -> Vec<u8> {
        let (offset, length) = self.top().answer_range();
        // SAFETY: within the mapping, and the runtime waits for an order.
        unsafe { std::slice::from_raw_parts(self.memory.add(offset), length) }.to_vec()
    }
}

impl Drop for SharedDesk {
    fn drop(&mut self) {
        // SAFETY: mapped by `new`, and nobody has a reference any more.
        unsafe { libc::munmap(self.memory.cast(), DESK_SIZE) };
    }
}
