//! Input and output on descriptors: nothing really blocks.
//!
//! A call on a pipe, a socket or the like is a scheduling point; if it would block, the task waits
//! until the kernel says that the descriptor is ready. For reductions all descriptors are one object,
//! because a write to one is a read of another and nobody knows which. For races a pipe is known by
//! its inode; everything else again is one, which may miss a race and never invents one.

mod devices;
mod polling;
mod sockets;
mod standard;
mod transfer;

pub use devices::Functions;
pub use standard::note_call;

use crate::address_table::AddressTable;
use crate::prelude;
use crate::runtime::{Runtime, operate, runtime};
use crate::sys;
use crate::time::Limit;
use crate::waiting::{self, Waited, Wanted};
use alloc::format;
use alloc::string::String;
use core::ffi::c_int;
use core::mem::zeroed;
use unpick_engine::Shape;
use unpick_trace::{ObjectId, Op, OpKind};

/// Standard input, output and error.
const STANDARD: usize = 3;

/// What a descriptor leads to.
#[derive(Clone, Copy, PartialEq, Eq)]
pub enum Kind {
    /// A file, a directory, a terminal: calls go straight through.
    Plain,
    /// The kernel's source of randomness.
    Random,
    /// `/dev/null`.
    Nothing,
    /// A pipe, with its inode.
    Pipe(u64),
    Socket,
    /// An event counter, a set of descriptors and the like.
    Other,
}

/// What is known of descriptors.
pub struct Io {
    /// All descriptors, as reductions see them.
    world: Option<ObjectId>,
    /// The object of each pipe, by inode.
    pipes: AddressTable,
    /// Device and inode of what the program was started with.
    inherited: [(u64, u64); STANDARD],
    standard: standard::Standard,
    /// Whether the program has connected to something outside of this machine.
    is_outside: bool,
}

impl Io {
    pub fn new() -> Io {
        let mut inherited = [(0, 0); STANDARD];
        for (file, identity) in inherited.iter_mut().enumerate() {
            if let Some(status) = status(file as c_int) {
                *identity = (status.st_dev, status.st_ino);
            }
        }
        Io {
            world: None,
            pipes: AddressTable::new(),
            inherited,
            standard: standard::Standard::default(),
            is_outside: false,
        }
    }

    /// The object of all descriptors, if it is known.
    pub fn world(&self) -> Option<ObjectId> {
        self.world
    }

    /// Sets it, where an execution begins in the middle.
    pub fn set_world(&mut self, object: Option<ObjectId>) {
        self.world = object;
    }

    pub fn reset(&mut self) {
        self.world = None;
        self.pipes.clear();
        self.is_outside = false;
    }
}

fn status(file: c_int) -> Option<libc::stat> {
    // SAFETY: zeroes are a status, and the kernel fills it in.
    unsafe {
        let mut status: libc::stat = zeroed();
        let arguments = [file.into(), &raw mut status as i64, 0, 0, 0, 0];
        (sys::call(libc::SYS_fstat, arguments) == 0).then_some(status)
    }
}

/// A descriptor of the program.
#[derive(Clone, Copy)]
pub struct Descriptor {
    pub file: c_int,
    pub kind: Kind,
    /// Whether the program was started with it: who is at the other end is not known.
    pub is_inherited: bool,
}

impl Descriptor {
    /// What a descriptor is.
    pub fn of(file: c_int) -> Descriptor {
        standard::descriptor(file).unwrap_or_else(|| Descriptor::look(file))
    }

    /// Looks at a descriptor. One that is not open is plain: the kernel will say so.
    fn look(file: c_int) -> Descriptor {
        let mut this = Descriptor {
            file,
            kind: Kind::Plain,
            is_inherited: false,
        };
        let Some(status) = status(file) else {
            return this;
        };
        this.kind = match status.st_mode & libc::S_IFMT {
            libc::S_IFIFO => Kind::Pipe(status.st_ino),
            libc::S_IFSOCK => Kind::Socket,
            libc::S_IFCHR if devices::is_random(status.st_rdev) => Kind::Random,
            libc::S_IFCHR if devices::is_nothing(status.st_rdev) => Kind::Nothing,
            0 => Kind::Other,
            _ => Kind::Plain,
        };
        let identity = (status.st_dev, status.st_ino);
        this.is_inherited = runtime().io.inherited.contains(&identity);
        this
    }

    fn is_modelled(&self) -> bool {
        !matches!(self.kind, Kind::Plain | Kind::Random | Kind::Nothing)
    }

    fn flags(&self) -> i64 {
        let arguments = [self.file.into(), libc::F_GETFL.into(), 0, 0, 0, 0];
        // SAFETY: only asks.
        unsafe { sys::call(libc::SYS_fcntl, arguments) }
    }

    pub fn is_blocking(&self) -> bool {
        self.flags() & i64::from(libc::O_NONBLOCK) == 0
    }

    /// Makes a call that gives up where it would block, also if the descriptor does not.
    pub fn without_blocking(&self, call: impl FnOnce() -> i64) -> i64 {
        let flags = self.flags();
        let set = |flags: i64| {
            let arguments = [self.file.into(), libc::F_SETFL.into(), flags, 0, 0, 0];
            // SAFETY: nobody else runs until the flags are as they were.
            unsafe { sys::call(libc::SYS_fcntl, arguments) }
        };
        if flags & i64::from(libc::O_NONBLOCK) != 0 {
            return call();
        }
        set(flags | i64::from(libc::O_NONBLOCK));
        let result = call();
        set(flags);
        result
    }

    fn is_ready(&self, events: i16) -> bool {
        let mut asked = [wish(self.file, events)];
        waiting::ask(&mut asked, 0) > 0
    }

    /// The time a blocking call on a socket takes at most, in nanoseconds.
    fn time_limit(&self, events: i16) -> Option<u64> {
        if self.kind != Kind::Socket {
            return None;
        }
        let option = match events {
            libc::POLLOUT => libc::SO_SNDTIMEO,
            _ => libc::SO_RCVTIMEO,
        };
        let mut time = libc::timeval {
            tv_sec: 0,
            tv_usec: 0,
        };
        let mut size = size_of::<libc::timeval>() as u32;
        let (level, option) = (libc::SOL_SOCKET.into(), option.into());
        let (out, size) = (&raw mut time as i64, &raw mut size as i64);
        // SAFETY: the kernel fills the time in.
        unsafe {
            sys::call(
                libc::SYS_getsockopt,
                [self.file.into(), level, option, out, size, 0],
            )
        };
        let limit = (time.tv_sec as u64) * 1_000_000_000 + (time.tv_usec as u64) * 1_000;
        (limit > 0).then_some(limit)
    }

    /// Waits until the descriptor may be ready, or gives an error.
    fn wait(&self, events: i16, pc: usize) -> Option<i64> {
        let limit = self.time_limit(events);
        let wanted = Wanted {
            files: &[wish(self.file, events)],
            signals: 0,
            is_outside: self.is_inherited || runtime().io.is_outside,
            is_inside: matches!(self.kind, Kind::Pipe(_)),
            name: self.name(),
        };
        match waiting::wait(&wanted, Limit::from_here(limit), pc) {
            Waited::TimedOut => Some(i64::from(-libc::EAGAIN)),
            Waited::Interrupted { goes_on: false } => Some(i64::from(-libc::EINTR)),
            _ => None,
        }
    }

    fn name(&self) -> String {
        let word = match self.kind {
            Kind::Pipe(_) => "pipe",
            Kind::Socket => "socket",
            _ => "descriptor",
        };
        format!("{word} {}", self.file)
    }
}

fn wish(file: c_int, events: i16) -> libc::pollfd {
    libc::pollfd {
        fd: file,
        events,
        revents: 0,
    }
}

/// The object that stands for all descriptors.
fn world(this: &mut Runtime) -> ObjectId {
    match this.io.world {
        Some(object) => object,
        None => {
            let object = this.add_object(Shape::Variable, 0);
            this.execution.name_object(object, "descriptors");
            this.io.world = Some(object);
            object
        }
    }
}

/// Lets others run before a call on a descriptor, if there are others.
fn point(pc: usize) -> bool {
    let this = runtime();
    let is_point = !this.is_alone();
    if is_point {
        let object = world(this);
        operate(Op::new(OpKind::ReadModifyWrite, object), pc);
    }
    is_point
}

/// Tells the engine what a call after a point gave.
fn observe(is_point: bool, result: i64) {
    runtime().waits.note_action();
    if is_point {
        let this = runtime();
        let is_idle = matches!(
            -result as i32,
            libc::EAGAIN | libc::EINPROGRESS | libc::EALREADY
        );
        this.execution
            .observe(this.current, result as u64, !is_idle);
    }
}

/// Tells the engine of a call after a point that only looks.
fn see(result: i64) {
    let this = runtime();
    this.execution.observe(this.current, result as u64, false);
}

/// The object of a pipe.
fn pipe(this: &mut Runtime, inode: u64) -> ObjectId {
    match this.io.pipes.get(inode) {
        Some(number) => ObjectId(number),
        None => {
            let object = this.add_object(Shape::Variable, 0);
            this.io.pipes.insert(inode, object.0);
            object
        }
    }
}

/// What the running task has read may have been written by another one.
fn learn(kind: Kind) {
    let this = runtime();
    let object = match kind {
        Kind::Pipe(inode) => pipe(this, inode),
        _ => world(this),
    };
    this.clocks.acquire(this.current, object);
}

/// What the running task has written may be read by another one.
fn publish(kind: Kind) {
    let this = runtime();
    if let Kind::Pipe(inode) = kind {
        let object = pipe(this, inode);
        this.clocks.release(this.current, object);
    }
    // Sets of descriptors tell of pipes, too.
    let object = world(this);
    this.clocks.release(this.current, object);
}

/// Makes a call on a descriptor that is modelled: a point, and a wait if it would block. The call
/// itself must not block once the descriptor is ready.
fn perform(
    descriptor: Descriptor,
    events: i16,
    is_blocking: bool,
    pc: usize,
    call: &mut dyn FnMut() -> i64,
) -> i64 {
    let mut has_waited = false;
    prelude::spoil();
    loop {
        // What the world outside does is no business of the other tasks.
        let is_point = !descriptor.is_inherited && point(pc);
        if !is_blocking || descriptor.is_ready(events) {
            let result = call();
            observe(is_point, result);
            match events {
                libc::POLLOUT if result >= 0 => {
                    if has_waited {
                        // Somebody has made room, and nobody knows who.
                        let this = runtime();
                        this.clocks.acquire_all(this.current);
                    }
                    publish(descriptor.kind);
                }
                libc::POLLIN if result >= 0 => learn(descriptor.kind),
                _ => {}
            }
            return result;
        }
        observe(is_point, i64::from(-libc::EAGAIN));
        has_waited = true;
        if let Some(error) = descriptor.wait(events, pc) {
            return error;
        }
    }
}
