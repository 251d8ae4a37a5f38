//! Files without a name, in memory: no other process can put something in their place, and nothing is left of them
//! when the processes that have them open end, however they end.

use std::fs::File;
use std::io::{self, ErrorKind, Write as _};
use std::os::fd::{AsRawFd as _, FromRawFd as _, RawFd};
use std::os::unix::fs::FileExt as _;

/// Bytes that are kept of the beginning and of the end of a long output.
const KEPT: u64 = 64 << 10;

/// Bytes of a file from which on its middle is given back.
const LENGTH_MAX: u64 = 16 << 20;

/// A file without a name. All that is written goes to its end, by whichever process.
#[derive(Debug)]
pub struct MemoryFile(File);

impl MemoryFile {
    /// An empty file, which programs that are started do not inherit.
    ///
    /// # Errors
    /// If the system has no room for one.
    pub fn new() -> io::Result<MemoryFile> {
        let flags = libc::MFD_CLOEXEC | libc::MFD_ALLOW_SEALING;
        // SAFETY: a name that ends in zero.
        let number = unsafe { libc::memfd_create(c"unpick".as_ptr(), flags) };
        if number < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: made a moment ago, and no other value owns it.
        let file = MemoryFile(unsafe { File::from_raw_fd(number) });
        file.control(libc::F_SETFL, libc::O_APPEND)?;
        Ok(file)
    }

    /// Lets programs that are started from now on inherit the file; gives the number under which they know it.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn inherit(&self) -> io::Result<RawFd> {
        self.control(libc::F_SETFD, 0)?;
        Ok(self.0.as_raw_fd())
    }

    /// The file that this process has inherited under a number. Programs that this process starts do not inherit it.
    ///
    /// # Errors
    /// If the number is not that of such a file.
    pub fn inherited(number: RawFd) -> io::Result<MemoryFile> {
        // SAFETY: only asks. Other files than those in memory have no seals.
        if unsafe { libc::fcntl(number, libc::F_GET_SEALS) } < 0 {
            let what = format!("{number} is no file in memory that this process has inherited");
            return Err(io::Error::new(ErrorKind::InvalidInput, what));
        }
        // SAFETY: changes a flag of a descriptor, and makes another one of the same file.
        let own = unsafe {
            libc::fcntl(number, libc::F_SETFD, libc::FD_CLOEXEC);
            libc::fcntl(number, libc::F_DUPFD_CLOEXEC, 0)
        };
        if own < 0 {
            return Err(io::Error::last_os_error());
        }
        // SAFETY: made a moment ago, and no other value owns it.
        Ok(MemoryFile(unsafe { File::from_raw_fd(own) }))
    }

    /// The same file once more, for a program to write to.
    ///
    /// # Errors
    /// If the system has no room for one.
    pub fn writer(&self) -> io::Result<File> {
        self.0.try_clone()
    }

    /// Adds a line.
    ///
    /// # Errors
    /// If the system has no room for it.
    pub fn add_line(&self, line: &str) -> io::Result<()> {
        (&self.0).write_all(format!("{line}\n").as_bytes())
    }

    /// Keeps other processes waiting that lock the file, up to the end of this process.
    ///
    /// # Errors
    /// If the system cannot lock.
    pub fn lock(&self) -> io::Result<()> {
        // SAFETY: plain data, of which all zeroes is a value.
        let mut lock: libc::flock = unsafe { std::mem::zeroed() };
        lock.l_type = libc::F_WRLCK as libc::c_short;
        loop {
            // SAFETY: reads the lock, which covers the whole file.
            let result =
                unsafe { libc::fcntl(self.0.as_raw_fd(), libc::F_SETLKW, &raw const lock) };
            match io::Error::last_os_error() {
                _ if result == 0 => return Ok(()),
                error if error.kind() == ErrorKind::Interrupted => {}
                error => return Err(error),
            }
        }
    }

    /// Makes it empty.
    ///
    /// # Errors
    /// If the system refuses.
    pub fn clear(&self) -> io::Result<()> {
        self.0.set_len(0)
    }

    /// Gives back the memory for the middle of a long file, so that a program that prints without end takes no more.
    pub fn give_back(&self) {
        let length = self.length();
        if length > LENGTH_MAX {
            let mode = libc::FALLOC_FL_PUNCH_HOLE | libc::FALLOC_FL_KEEP_SIZE;
            let size = length - 2 * KEPT;
            // SAFETY: changes what is in the file only. Where that is refused, the file stays as it is.
            unsafe { libc::fallocate(self.0.as_raw_fd(), mode, KEPT as i64, size as i64) };
        }
    }

    /// All that is in it, up to a limit.
    pub fn content(&self, length_max: u64) -> Vec<u8> {
        self.part(0, self.length().min(length_max))
    }

    /// Its text; of a long one the beginning and the end.
    pub fn text(&self) -> String {
        let length = self.length();
        let text = |bytes: Vec<u8>| String::from_utf8_lossy(&bytes).into_owned();
        if length <= 2 * KEPT {
            return text(self.part(0, length));
        }
        let (head, tail) = (self.part(0, KEPT), self.part(length - KEPT, KEPT));
        let left_out = length - 2 * KEPT;
        format!(
            "{}\n[{left_out} bytes left out]\n{}",
            text(head),
            text(tail)
        )
    }

    fn length(&self) -> u64 {
        self.0.metadata().map_or(0, |found| found.len())
    }

    /// Reads this number of bytes, or fewer where the file ends.
    fn part(&self, mut start: u64, length: u64) -> Vec<u8> {
        let mut bytes = vec![0; length as usize];
        let mut filled = 0;
        while filled < bytes.len() {
            match self.0.read_at(&mut bytes[filled..], start) {
                Ok(0) => break,
                Ok(count) => {
                    filled += count;
                    start += count as u64;
                }
                Err(error) if error.kind() == ErrorKind::Interrupted => {}
                Err(_) => break,
            }
        }
        bytes.truncate(filled);
        bytes
    }

    fn control(&self, command: libc::c_int, argument: libc::c_int) -> io::Result<()> {
        // SAFETY: changes flags of a descriptor that is ours.
        match unsafe { libc::fcntl(self.0.as_raw_fd(), command, argument) } {
            0 => Ok(()),
            _ => Err(io::Error::last_os_error()),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use std::process::{Command, Stdio};

    #[test]
    fn what_programs_write_is_added() {
        let file = MemoryFile::new().unwrap();
        file.add_line("first").unwrap();
        let mut echo = Command::new("echo");
        let echo = echo
            .arg("second")
            .stdout(file.writer().unwrap())
            .stdin(Stdio::null());
        assert!(echo.status().unwrap().success());
        file.add_line("third").unwrap();
        assert_eq!(file.text(), "first\nsecond\nthird\n");
        file.clear().unwrap();
        file.add_line("again").unwrap();
        assert_eq!(file.content(3), b"aga");
    }

    #[test]
    fn of_a_long_text_the_beginning_and_the_end_are_kept() {
        let file = MemoryFile::new().unwrap();
        let line = "x".repeat(1023);
        file.add_line("head").unwrap();
        for _ in 0..(LENGTH_MAX >> 10) + 1 {
            file.add_line(&line).unwrap();
        }
        file.add_line("tail").unwrap();
        let before = file.text();
        file.give_back();
        let after = file.text();
        assert_eq!(before, after);
        assert!(after.starts_with("head\n") && after.ends_with("tail\n"));
        assert!(after.len() < 3 * KEPT as usize);
        use std::os::unix::fs::MetadataExt as _;
        let blocks = file.0.metadata().unwrap().blocks() * 512;
        assert!(blocks < 4 * KEPT, "{blocks}");
    }

    #[test]
    fn a_number_must_be_that_of_a_file_in_memory() {
        let zero = File::open("/dev/null").unwrap();
        let error = MemoryFile::inherited(zero.as_raw_fd()).unwrap_err();
        assert_eq!(error.kind(), ErrorKind::InvalidInput);
        assert!(MemoryFile::inherited(1 << 20).is_err());
        let file = MemoryFile::new().unwrap();
        let again = MemoryFile::inherited(file.inherit().unwrap()).unwrap();
        again.add_line("known").unwrap();
        assert_eq!(file.text(), "known\n");
    }

    #[test]
    fn a_lock_is_held_to_the_end_of_the_process() {
        let file = MemoryFile::new().unwrap();
        file.inherit().unwrap();
        // SAFETY: the child only calls what may be called between fork and its end.
        let child = unsafe { libc::fork() };
        if child == 0 {
            let locked = file.lock().is_ok();
            let done = locked && (&file.0).write_all(b"locked\n").is_ok();
            let pause = libc::timespec {
                tv_sec: 0,
                tv_nsec: 50_000_000,
            };
            // SAFETY: as above.
            unsafe {
                libc::nanosleep(&raw const pause, std::ptr::null_mut());
                let _ = (&file.0).write_all(b"ended\n");
                libc::_exit(i32::from(!done));
            }
        }
        while file.length() == 0 {
            std::thread::yield_now();
        }
        file.lock().unwrap();
        assert_eq!(file.text(), "locked\nended\n");
        // SAFETY: a child of ours.
        unsafe { libc::waitpid(child, std::ptr::null_mut(), 0) };
    }
}
