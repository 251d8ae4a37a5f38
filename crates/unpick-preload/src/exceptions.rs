//! Exceptions of C++: where they are thrown. One that no function catches ends in `abort`, and by then the functions
//! that it went through may have been left.

use crate::interpose::interpose;
use crate::libraries;
use crate::runtime::{fail, running, runtime};
use crate::tasks;
use alloc::string::ToString as _;
use core::ffi::{CStr, c_void};
use core::mem::{MaybeUninit, transmute};
use core::sync::atomic::{AtomicUsize, Ordering};
use unpick_trace::{Failure, FailureKind};

type Throw = unsafe extern "C" fn(*mut c_void, *mut c_void, *mut c_void) -> !;

const NAME: &CStr = c"__cxa_throw";

/// The function of the library, if the program begins with one.
static THROW: AtomicUsize = AtomicUsize::new(0);

/// Looks for the library of C++ in the program.
pub fn look_up() {
    // SAFETY: a name that ends in zero; the answer is an address or null.
    let address = unsafe { libc::dlsym(libc::RTLD_NEXT, NAME.as_ptr()) as usize };
    THROW.store(address, Ordering::Relaxed);
}

/// The function of the library that a caller would get without us.
fn throw_of(pc: usize) -> usize {
    if THROW.load(Ordering::Relaxed) == 0 {
        look_up();
    }
    match THROW.load(Ordering::Relaxed) {
        0 => throw_of_loaded(pc),
        known => known,
    }
}

/// The same for a caller in a library that the program has loaded, with a library of C++ that no other one sees.
#[cold]
fn throw_of_loaded(pc: usize) -> usize {
    let mut info = MaybeUninit::<libc::Dl_info>::uninit();
    // SAFETY: there is room for the answer, which is read if there is one; the file it names is loaded.
    unsafe {
        if libc::dladdr(pc as *const c_void, info.as_mut_ptr()) == 0 {
            return 0;
        }
        let file = info.assume_init().dli_fname;
        let library = libc::dlopen(file, libc::RTLD_LAZY | libc::RTLD_NOLOAD);
        libc::dlsym(library, NAME.as_ptr()) as usize
    }
}

/// Ends the execution in `abort`. If the library of C++ calls it for an exception, the fault is where that was
/// thrown.
pub fn abort(pc: usize) -> ! {
    let this = runtime();
    let thrown = this.tasks[this.current.index()].thrown;
    let thrown =
        thrown.filter(|_| libraries::find(pc, |library| library.is_of_cpp()) == Some(true));
    match thrown.and_then(|site| this.execution.trace().site(site).cloned()) {
        None => fail(FailureKind::Abort, "the program aborted", pc),
        Some(site) => {
            this.execution.fail(Failure {
                kind: FailureKind::Abort,
                task: this.current,
                message: "an exception is not caught".to_string(),
                site: Some(site),
            });
            tasks::leave()
        }
    }
}

interpose! {
    fn __cxa_throw(exception: *mut c_void, kind: *mut c_void, destructor: *mut c_void; pc) -> ! {
        if let Some(this) = running() {
            let site = this.site(pc);
            this.tasks[this.current.index()].thrown = Some(site);
        }
        let throw = throw_of(pc);
        assert!(throw != 0, "the program throws without a library of C++");
        // SAFETY: the function of that name has that signature.
        let throw: Throw = transmute(throw);
        throw(exception, kind, destructor)
    }
}
