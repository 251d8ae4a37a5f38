//! The beginning of a program: `main` is put under control if there is a desk.

use crate::context::{Context, exchange, thread_pointer};
use crate::crew::Crew;
use crate::libraries::{self, modules, own_segments};
use crate::real::{self, Main};
use crate::runtime::{Runtime, running};
use crate::{
    allocation, arena, controller, ending, free, nursery, openmp, random, signals, standard, sys,
    tasks, timestamp, watchdog,
};
use alloc::boxed::Box;
use core::ffi::{CStr, c_char, c_int};
use core::sync::atomic::{AtomicUsize, Ordering};
use unpick_protocol::{DESK_SIZE, DESKS_MAX, Desk, Launch, Reexecution, Start, decode};

static MAIN: AtomicUsize = AtomicUsize::new(0);

/// [`unpick_protocol::DESK_VARIABLE`] for the C library.
const DESK_VARIABLE: &CStr = c"UNPICK_DESK";
const _: () = assert!(unpick_protocol::DESK_VARIABLE.len() == DESK_VARIABLE.count_bytes());

/// Where the desk lies: with the arenas, far from where the kernel puts things by itself.
const DESK_AT: usize = 0x60ff_0000_0000;

/// Bytes of the stack on which the exploration itself runs.
const CONTROLLER_STACK: usize = 8 << 20;

/// The C library's own beginning of every program.
///
/// # Safety
///
/// Called by the code that the compiler puts before `main`.
#[unsafe(no_mangle)]
unsafe extern "C" fn __libc_start_main(
    main: Main,
    argc: c_int,
    argv: *mut *mut c_char,
    init: usize,
    fini: usize,
    rtld_fini: usize,
    stack_end: usize,
) -> c_int {
    MAIN.store(main as *const () as usize, Ordering::Relaxed);
    let at_end = ending::at_end_instead_of(rtld_fini);
    // SAFETY: as the caller would do.
    unsafe { real::__libc_start_main()(controlled_main, argc, argv, init, fini, at_end, stack_end) }
}

// SAFETY: called by the C library as `main`.
unsafe extern "C" fn controlled_main(
    argc: c_int,
    argv: *mut *mut c_char,
    envp: *mut *mut c_char,
) -> c_int {
    if let Some(runtime) = take_control() {
        let main = tasks::main_context(runtime);
        // Every execution begins where this returns.
        // SAFETY: the controller has been prepared.
        unsafe { exchange(main, &raw const runtime.controller) };
    } else {
        free::begin();
    }
    let address = MAIN.load(Ordering::Relaxed);
    // SAFETY: stored by `__libc_start_main`; called as the C library would.
    let code = unsafe { core::mem::transmute::<usize, Main>(address)(argc, argv, envp) };
    if running().is_some() {
        ending::begin(0);
    }
    code
}

/// The files of the desks that the driver has left open for us.
struct Desks {
    files: [i32; DESKS_MAX],
    count: usize,
}

impl Desks {
    /// Reads which ones there are. Nothing can be allocated yet.
    fn find() -> Option<Desks> {
        let mut desks = Desks {
            files: [-1; DESKS_MAX],
            count: 0,
        };
        // SAFETY: the C library's own string, if there is one.
        let text = unsafe {
            let value = libc::getenv(DESK_VARIABLE.as_ptr());
            if value.is_null() {
                return None;
            }
            CStr::from_ptr(value).to_str().ok()?
        };
        for part in text.split(',') {
            *desks.files.get_mut(desks.count)? = part.parse().ok()?;
            desks.count += 1;
        }
        // Programs that this one starts are not under control.
        // SAFETY: before anything of the program runs.
        unsafe { libc::unsetenv(DESK_VARIABLE.as_ptr()) };
        Some(desks)
    }

    /// Maps one of them, at `address` if that is not zero.
    fn map(&self, number: usize, address: usize) -> Option<&'static Desk> {
        let memory = sys::map(address, DESK_SIZE, libc::MAP_SHARED, self.files[number])?;
        // SAFETY: mapped a moment ago and made of atomics; whether it is a desk is what we ask.
        let desk = unsafe { &*memory.cast::<Desk>() };
        desk.is_open().then_some(desk)
    }

    fn close(&self) {
        for &file in &self.files[..self.count] {
            // SAFETY: the driver has left it to us, and it is mapped where it is needed.
            unsafe { sys::call(libc::SYS_close, [i64::from(file), 0, 0, 0, 0, 0]) };
        }
    }

    /// Makes a process for each desk, and goes on in each of them; gives its number.
    fn man(&self) -> (&'static Crew, usize) {
        let crew: &'static Crew = Box::leak(Box::new(Crew::new(self.count)));
        // What lies in an arena now will be seen by all, so that nobody may free it.
        let mut desks = [None; DESKS_MAX];
        for (number, desk) in desks[..self.count].iter_mut().enumerate() {
            *desk = self.map(number, 0);
        }
        let number = nursery::fork_for_each(&desks[..self.count]);
        arena::move_to(number + 1, self.count + 1);
        for desk in desks.into_iter().flatten() {
            // SAFETY: mapped above, and not used any more.
            unsafe { sys::unmap(core::ptr::from_ref(desk) as usize, DESK_SIZE) };
        }
        (crew, number)
    }
}

/// Prepares everything for the first execution in this process, if a driver wants it.
fn take_control() -> Option<&'static mut Runtime> {
    let desks = Desks::find()?;
    let runtime = match desks.count {
        1 => begin_alone(&desks)?,
        count => begin_with_others(&desks, count)?,
    };
    standard::replace(runtime);
    runtime.snapshot.exclude(own_segments(libc::PF_W));
    runtime.own_code = own_segments(libc::PF_X);
    runtime.snapshot.exclude(allocation::region());
    // SAFETY: before anything of the program runs.
    unsafe {
        // The driver may be killed; we should not stay behind.
        libc::prctl(libc::PR_SET_PDEATHSIG, libc::SIGKILL);
        __libc_single_threaded = 0;
        signals::take_over(&mut runtime.pending);
        tasks::prepare(runtime);
        signals::install();
        timestamp::trap();
        random::fix_seed();
        watchdog::install();
    }
    if runtime.controller.stack == 0 {
        prepare_controller(runtime)?;
    }
    Some(runtime)
}

/// The one process at a desk, which may go on with what the last one has left.
fn begin_alone(desks: &Desks) -> Option<&'static mut Runtime> {
    let desk = desks.map(0, DESK_AT)?;
    let heritage = desk.heritage.load(Ordering::Relaxed);
    // Nothing can be allocated yet: what is asked for stands at the beginning.
    let launch: Option<Launch> = match heritage {
        0 => Some(decode(controller::order_bytes(desk))?),
        _ => None,
    };
    let is_open = match launch {
        Some(launch) if launch.reexecution != Reexecution::Exec => arena::open(1),
        _ => arena::open_file(desks.files[0], heritage != 0),
    };
    make_sure(is_open);
    desks.close();
    look_up();
    Some(match launch {
        Some(_) => {
            let start: Start = decode(controller::order_bytes(desk))?;
            let crew = Box::leak(Box::new(Crew::new(1)));
            Runtime::install(desk, start, (crew, 0), modules())
        }
        None => {
            // SAFETY: the process that ended has left it there, and what it has of code is data to us
            // until we know that ours lies in the same place.
            let runtime = unsafe { Runtime::inherit(heritage, modules()) };
            if runtime.own_code != own_segments(libc::PF_X) {
                controller::refuse_heritage(runtime);
            }
            runtime
        }
    })
}

/// One of several processes that work together.
fn begin_with_others(desks: &Desks, count: usize) -> Option<&'static mut Runtime> {
    // One more for the process from which the others are forked.
    make_sure(arena::open(count + 1));
    look_up();
    let (crew, number) = desks.man();
    let desk = desks.map(number, DESK_AT);
    desks.close();
    let desk = desk?;
    // SAFETY: only asks.
    let process = unsafe { sys::call(libc::SYS_getpid, [0; 6]) };
    desk.worker.store(process as u32, Ordering::Relaxed);
    let start: Start = decode(controller::order_bytes(desk))?;
    Some(Runtime::install(desk, start, (crew, number), modules()))
}

fn make_sure(is_open: bool) {
    if !is_open {
        sys::print(b"unpick: cannot reserve address space for the runtime; raise `ulimit -v`\n");
        sys::exit_process(sys::INTERNAL_ERROR);
    }
}

/// Looks up what is asked for often.
fn look_up() {
    real::look_up();
    crate::posix::look_up();
    crate::exceptions::look_up();
    libraries::look_up();
    openmp::look_up();
}

/// Gives the controller a stack. It lies where the next process finds it, if that is to go on with it;
/// else it must be out of the reach of forks.
fn prepare_controller(runtime: &mut Runtime) -> Option<()> {
    let flags = libc::MAP_PRIVATE | libc::MAP_ANONYMOUS | libc::MAP_NORESERVE;
    let stack = match runtime.launch.reexecution {
        Reexecution::Exec => arena::reserve(CONTROLLER_STACK)?,
        _ => sys::map(0, CONTROLLER_STACK, flags, -1)?,
    } as usize;
    runtime.snapshot.exclude(stack..stack + CONTROLLER_STACK);
    // SAFETY: the end of a stack that nobody uses.
    runtime.controller =
        unsafe { Context::new(stack + CONTROLLER_STACK, thread_pointer(), controller::run) };
    Some(())
}

unsafe extern "C" {
    /// Whether the C library and others may leave locks out. They would do so in one back-end and
    /// not in another.
    static mut __libc_single_threaded: c_char;
}
