//! The functions of the C library that ours stand in for.
//!
//! All are looked up before the program begins: looking one up may allocate, and then the heap of
//! the first execution would not be that of the second.

use core::ffi::{CStr, c_char, c_int, c_long, c_void};
use core::mem::transmute_copy;
use core::sync::atomic::{AtomicBool, AtomicUsize, Ordering};

/// The function of this name that comes behind ours. A program that was linked with the runtime and is started without
/// unpick may have the C library in front of the runtime: then it is the first one of all.
fn find(name: &CStr) -> usize {
    let look_up = |from: *mut c_void| {
        // SAFETY: a name that ends in zero; the answer is an address or null.
        unsafe { libc::dlsym(from, name.as_ptr()) }
    };
    let behind = look_up(libc::RTLD_NEXT);
    if !behind.is_null() {
        return behind as usize;
    }
    let first = look_up(libc::RTLD_DEFAULT);
    let is_ours = base_of(first) == base_of(find as fn(&CStr) -> usize as *mut c_void);
    if is_ours { 0 } else { first as usize }
}

/// Where the library lies that an address is in.
fn base_of(address: *mut c_void) -> usize {
    // SAFETY: all zeroes is a value, and only that is written to.
    unsafe {
        let mut found: libc::Dl_info = core::mem::zeroed();
        libc::dladdr(address, &raw mut found);
        found.dli_fbase as usize
    }
}

macro_rules! functions {
    ($(fn $name:ident($($kind:ty),*) $(-> $result:ty)?;)*) => {
        /// What is looked up, by name.
        #[allow(non_camel_case_types, clippy::enum_variant_names)]
        enum Index { $($name,)* Count }

        pub static ADDRESSES: [AtomicUsize; Index::Count as usize] =
            [const { AtomicUsize::new(0) }; Index::Count as usize];

        /// Where among these addresses each of them is, in bytes.
        #[allow(non_upper_case_globals, dead_code)]
        pub mod offset {
            $(pub const $name: usize = super::Index::$name as usize * size_of::<usize>();)*
        }

        /// Looks all functions up.
        #[cold]
        pub fn look_up() {
            $(
                let name = concat!(stringify!($name), "\0");
                let name = CStr::from_bytes_with_nul(name.as_bytes());
                let address = find(name.expect("internal error: a name holds a zero"));
                ADDRESSES[Index::$name as usize].store(address, Ordering::Relaxed);
            )*
            IS_LOOKED_UP.store(true, Ordering::Release);
        }

        $(
            /// The function of the C library of that name.
            #[allow(non_snake_case)]
            pub fn $name() -> unsafe extern "C" fn($($kind),*) $(-> $result)? {
                if !IS_LOOKED_UP.load(Ordering::Acquire) {
                    look_up();
                }
                let address = ADDRESSES[Index::$name as usize].load(Ordering::Relaxed);
                assert!(address != 0, "the C library has no {}", stringify!($name));
                // SAFETY: the function of that name has that signature.
                unsafe { transmute_copy(&address) }
            }
        )*
    };
}

/// Whether all functions have been looked up.
#[inline]
pub fn is_ready() -> bool {
    IS_LOOKED_UP.load(Ordering::Acquire)
}

static IS_LOOKED_UP: AtomicBool = AtomicBool::new(false);

/// What a thread begins with.
pub type Start = unsafe extern "C" fn(*mut c_void) -> *mut c_void;
/// `main`.
pub type Main = unsafe extern "C" fn(c_int, *mut *mut c_char, *mut *mut c_char) -> c_int;
/// A set of descriptors as `select` has it.
pub type Set = *mut libc::fd_set;
/// What runs at the end of a thread for a key.
pub type Destructor = Option<unsafe extern "C" fn(*mut c_void)>;

/// What a region or a task of OpenMP runs.
type Body = unsafe extern "C" fn(*mut c_void);

functions! {
    fn __libc_start_main(Main, c_int, *mut *mut c_char, usize, usize, usize, usize) -> c_int;
    fn __call_tls_dtors();
    fn fork() -> c_int;
    fn exit(c_int) -> !;
    fn _exit(c_int) -> !;
    fn abort() -> !;
    fn pthread_create(*mut libc::pthread_t, *const libc::pthread_attr_t, Start, *mut c_void) -> c_int;
    fn pthread_join(libc::pthread_t, *mut *mut c_void) -> c_int;
    fn pthread_tryjoin_np(libc::pthread_t, *mut *mut c_void) -> c_int;
    fn pthread_timedjoin_np(libc::pthread_t, *mut *mut c_void, *const libc::timespec) -> c_int;
    fn pthread_detach(libc::pthread_t) -> c_int;
    fn pthread_exit(*mut c_void) -> !;
    fn pthread_setname_np(libc::pthread_t, *const c_char) -> c_int;
    fn pthread_getattr_np(libc::pthread_t, *mut libc::pthread_attr_t) -> c_int;
    fn pthread_mutex_init(*mut c_void, *const c_void) -> c_int;
    fn pthread_mutex_destroy(*mut c_void) -> c_int;
    fn pthread_mutex_lock(*mut c_void) -> c_int;
    fn pthread_mutex_trylock(*mut c_void) -> c_int;
    fn pthread_mutex_timedlock(*mut c_void, *const libc::timespec) -> c_int;
    fn pthread_mutex_clocklock(*mut c_void, c_int, *const libc::timespec) -> c_int;
    fn pthread_mutex_unlock(*mut c_void) -> c_int;
    fn pthread_cond_init(*mut c_void, *const c_void) -> c_int;
    fn pthread_cond_destroy(*mut c_void) -> c_int;
    fn pthread_cond_wait(*mut c_void, *mut c_void) -> c_int;
    fn pthread_cond_timedwait(*mut c_void, *mut c_void, *const libc::timespec) -> c_int;
    fn pthread_cond_clockwait(*mut c_void, *mut c_void, c_int, *const libc::timespec) -> c_int;
    fn pthread_cond_signal(*mut c_void) -> c_int;
    fn pthread_cond_broadcast(*mut c_void) -> c_int;
    fn pthread_rwlock_init(*mut c_void, *const c_void) -> c_int;
    fn pthread_rwlock_destroy(*mut c_void) -> c_int;
    fn pthread_rwlock_rdlock(*mut c_void) -> c_int;
    fn pthread_rwlock_tryrdlock(*mut c_void) -> c_int;
    fn pthread_rwlock_timedrdlock(*mut c_void, *const libc::timespec) -> c_int;
    fn pthread_rwlock_clockrdlock(*mut c_void, c_int, *const libc::timespec) -> c_int;
    fn pthread_rwlock_wrlock(*mut c_void) -> c_int;
    fn pthread_rwlock_trywrlock(*mut c_void) -> c_int;
    fn pthread_rwlock_timedwrlock(*mut c_void, *const libc::timespec) -> c_int;
    fn pthread_rwlock_clockwrlock(*mut c_void, c_int, *const libc::timespec) -> c_int;
    fn pthread_rwlock_unlock(*mut c_void) -> c_int;
    fn pthread_spin_init(*mut c_void, c_int) -> c_int;
    fn pthread_spin_destroy(*mut c_void) -> c_int;
    fn pthread_spin_lock(*mut c_void) -> c_int;
    fn pthread_spin_trylock(*mut c_void) -> c_int;
    fn pthread_spin_unlock(*mut c_void) -> c_int;
    fn pthread_barrier_init(*mut c_void, *const c_void, u32) -> c_int;
    fn pthread_barrier_destroy(*mut c_void) -> c_int;
    fn pthread_barrier_wait(*mut c_void) -> c_int;
    fn pthread_once(*mut c_void, unsafe extern "C" fn()) -> c_int;
    fn sem_init(*mut c_void, c_int, u32) -> c_int;
    fn sem_destroy(*mut c_void) -> c_int;
    fn sem_wait(*mut c_void) -> c_int;
    fn sem_trywait(*mut c_void) -> c_int;
    fn sem_timedwait(*mut c_void, *const libc::timespec) -> c_int;
    fn sem_clockwait(*mut c_void, c_int, *const libc::timespec) -> c_int;
    fn sem_post(*mut c_void) -> c_int;
    fn sem_getvalue(*mut c_void, *mut c_int) -> c_int;
    fn pthread_key_create(*mut u32, Destructor) -> c_int;
    fn pthread_key_delete(u32) -> c_int;
    fn pthread_setspecific(u32, *const c_void) -> c_int;
    fn pthread_getspecific(u32) -> *mut c_void;
    fn sched_yield() -> c_int;
    fn getrandom(*mut c_void, usize, u32) -> isize;
    fn getentropy(*mut c_void, usize) -> c_int;
    fn gettid() -> c_int;
    fn sysconf(c_int) -> c_long;
    fn get_nprocs() -> c_int;
    fn sched_getaffinity(c_int, usize, *mut c_void) -> c_int;
    fn nanosleep(*const libc::timespec, *mut libc::timespec) -> c_int;
    fn clock_nanosleep(c_int, c_int, *const libc::timespec, *mut libc::timespec) -> c_int;
    fn usleep(u32) -> c_int;
    fn sleep(u32) -> u32;
    fn clock_gettime(c_int, *mut libc::timespec) -> c_int;
    fn timespec_get(*mut libc::timespec, c_int) -> c_int;
    fn gettimeofday(*mut libc::timeval, *mut c_void) -> c_int;
    fn time(*mut i64) -> i64;
    fn syscall(c_long, c_long, c_long, c_long, c_long, c_long, c_long) -> c_long;
    fn sigaction(c_int, *const libc::sigaction, *mut libc::sigaction) -> c_int;
    fn signal(c_int, usize) -> usize;
    fn __sysv_signal(c_int, usize) -> usize;
    fn siginterrupt(c_int, c_int) -> c_int;
    fn sigaltstack(*const libc::stack_t, *mut libc::stack_t) -> c_int;
    fn raise(c_int) -> c_int;
    fn kill(c_int, c_int) -> c_int;
    fn pthread_kill(libc::pthread_t, c_int) -> c_int;
    fn pthread_sigmask(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
    fn sigprocmask(c_int, *const libc::sigset_t, *mut libc::sigset_t) -> c_int;
    fn sigpending(*mut libc::sigset_t) -> c_int;
    fn sigwait(*const libc::sigset_t, *mut c_int) -> c_int;
    fn sigwaitinfo(*const libc::sigset_t, *mut libc::siginfo_t) -> c_int;
    fn sigtimedwait(*const libc::sigset_t, *mut libc::siginfo_t, *const libc::timespec) -> c_int;
    fn sigsuspend(*const libc::sigset_t) -> c_int;
    fn pause() -> c_int;
    fn read(c_int, *mut c_void, usize) -> isize;
    fn __read_chk(c_int, *mut c_void, usize, usize) -> isize;
    fn readv(c_int, *const libc::iovec, c_int) -> isize;
    fn write(c_int, *const c_void, usize) -> isize;
    fn writev(c_int, *const libc::iovec, c_int) -> isize;
    fn recv(c_int, *mut c_void, usize, c_int) -> isize;
    fn __recv_chk(c_int, *mut c_void, usize, usize, c_int) -> isize;
    fn recvfrom(c_int, *mut c_void, usize, c_int, *mut c_void, *mut u32) -> isize;
    fn __recvfrom_chk(c_int, *mut c_void, usize, usize, c_int, *mut c_void, *mut u32) -> isize;
    fn recvmsg(c_int, *mut libc::msghdr, c_int) -> isize;
    fn send(c_int, *const c_void, usize, c_int) -> isize;
    fn sendto(c_int, *const c_void, usize, c_int, *const c_void, u32) -> isize;
    fn sendmsg(c_int, *const libc::msghdr, c_int) -> isize;
    fn eventfd_read(c_int, *mut u64) -> c_int;
    fn eventfd_write(c_int, u64) -> c_int;
    fn socket(c_int, c_int, c_int) -> c_int;
    fn bind(c_int, *const c_void, u32) -> c_int;
    fn connect(c_int, *const c_void, u32) -> c_int;
    fn accept(c_int, *mut c_void, *mut u32) -> c_int;
    fn accept4(c_int, *mut c_void, *mut u32, c_int) -> c_int;
    fn listen(c_int, c_int) -> c_int;
    fn epoll_ctl(c_int, c_int, c_int, *mut c_void) -> c_int;
    fn shutdown(c_int, c_int) -> c_int;
    fn close(c_int) -> c_int;
    fn poll(*mut libc::pollfd, u64, c_int) -> c_int;
    fn __poll_chk(*mut libc::pollfd, u64, c_int, usize) -> c_int;
    fn ppoll(*mut libc::pollfd, u64, *const libc::timespec, *const c_void) -> c_int;
    fn __ppoll_chk(*mut libc::pollfd, u64, *const libc::timespec, *const c_void, usize) -> c_int;
    fn select(c_int, Set, Set, Set, *mut libc::timeval) -> c_int;
    fn pselect(c_int, Set, Set, Set, *const libc::timespec, *const c_void) -> c_int;
    fn epoll_wait(c_int, *mut c_void, c_int, c_int) -> c_int;
    fn epoll_pwait(c_int, *mut c_void, c_int, c_int, *const c_void) -> c_int;
    fn epoll_pwait2(c_int, *mut c_void, c_int, *const libc::timespec, *const c_void) -> c_int;
    fn fopen(*const c_char, *const c_char) -> *mut c_void;
    fn fopen64(*const c_char, *const c_char) -> *mut c_void;
    fn dup2(c_int, c_int) -> c_int;
    fn ioctl(c_int, u64, *mut c_void) -> c_int;
    fn dup3(c_int, c_int, c_int) -> c_int;
    fn close_range(u32, u32, c_int) -> c_int;
    fn closefrom(c_int);
    fn fclose(*mut c_void) -> c_int;
    fn fcloseall() -> c_int;
    fn freopen(*const c_char, *const c_char, *mut c_void) -> *mut c_void;
    fn freopen64(*const c_char, *const c_char, *mut c_void) -> *mut c_void;
    fn fopencookie(*mut c_void, *const c_char, crate::io::Functions) -> *mut c_void;
    fn vfork();
    fn clone();
    fn posix_spawn();
    fn posix_spawnp();
    fn system();
    fn popen();
    fn daemon();
    fn execve();
    fn execv();
    fn execvp();
    fn execvpe();
    fn execl();
    fn execlp();
    fn execle();
    fn fexecve();
    fn execveat();
    fn pthread_cancel();
    fn sem_open();
    fn ptrace();
    fn alarm();
    fn ualarm();
    fn setitimer();
    fn timer_create();
    fn timerfd_create();
    fn sigqueue();
    fn sigset();
    fn sighold();
    fn sigrelse();
    fn sigignore();
    fn sigpause();
    fn __sigpause();
    fn __xpg_sigpause();
    fn sigblock();
    fn sigsetmask();
    fn siggetmask();
    fn killpg();
    fn tgkill();
    fn pthread_sigqueue();
    fn signalfd();
    fn pthread_mutexattr_setpshared(*mut c_void, c_int) -> c_int;
    fn pthread_condattr_setpshared(*mut c_void, c_int) -> c_int;
    fn pthread_rwlockattr_setpshared(*mut c_void, c_int) -> c_int;
    fn pthread_barrierattr_setpshared(*mut c_void, c_int) -> c_int;
    fn pthread_mutexattr_setrobust(*mut c_void, c_int) -> c_int;
    fn quick_exit(c_int) -> !;
    fn __cxa_atexit(*mut c_void, *mut c_void, *mut c_void) -> c_int;
    fn __cxa_at_quick_exit(unsafe extern "C" fn(*mut c_void), *mut c_void) -> c_int;
    fn __pthread_register_cancel(*mut c_void);
    fn __pthread_unregister_cancel(*mut c_void);
    fn __pthread_unwind_next(*mut c_void) -> !;
    fn thrd_create(*mut libc::pthread_t, Start, *mut c_void) -> c_int;
    fn thrd_join(libc::pthread_t, *mut c_int) -> c_int;
    fn thrd_detach(libc::pthread_t) -> c_int;
    fn thrd_yield();
    fn thrd_sleep(*const libc::timespec, *mut libc::timespec) -> c_int;
    fn mtx_init(*mut c_void, c_int) -> c_int;
    fn mtx_destroy(*mut c_void);
    fn mtx_lock(*mut c_void) -> c_int;
    fn mtx_trylock(*mut c_void) -> c_int;
    fn mtx_timedlock(*mut c_void, *const libc::timespec) -> c_int;
    fn mtx_unlock(*mut c_void) -> c_int;
    fn cnd_init(*mut c_void) -> c_int;
    fn cnd_destroy(*mut c_void);
    fn cnd_wait(*mut c_void, *mut c_void) -> c_int;
    fn cnd_timedwait(*mut c_void, *mut c_void, *const libc::timespec) -> c_int;
    fn cnd_signal(*mut c_void) -> c_int;
    fn cnd_broadcast(*mut c_void) -> c_int;
    fn call_once(*mut c_void, unsafe extern "C" fn());
    fn arc4random() -> u32;
    fn arc4random_buf(*mut c_void, usize);
    fn arc4random_uniform(u32) -> u32;
    fn _ZNSt13random_device9_M_getvalEv(*mut c_void) -> u32;
    fn __assert_fail(*const c_char, *const c_char, u32, *const c_char) -> !;
    fn memcpy(*mut c_void, *const c_void, usize) -> *mut c_void;
    fn memmove(*mut c_void, *const c_void, usize) -> *mut c_void;
    fn mempcpy(*mut c_void, *const c_void, usize) -> *mut c_void;
    fn memset(*mut c_void, c_int, usize) -> *mut c_void;
    fn bzero(*mut c_void, usize);
    fn memcmp(*const c_void, *const c_void, usize) -> c_int;
    fn bcmp(*const c_void, *const c_void, usize) -> c_int;
    fn memchr(*const c_void, c_int, usize) -> *mut c_void;
    fn memrchr(*const c_void, c_int, usize) -> *mut c_void;
    fn memmem(*const c_void, usize, *const c_void, usize) -> *mut c_void;
    fn strlen(*const c_char) -> usize;
    fn strnlen(*const c_char, usize) -> usize;
    fn strcpy(*mut c_char, *const c_char) -> *mut c_char;
    fn stpcpy(*mut c_char, *const c_char) -> *mut c_char;
    fn strncpy(*mut c_char, *const c_char, usize) -> *mut c_char;
    fn stpncpy(*mut c_char, *const c_char, usize) -> *mut c_char;
    fn strcat(*mut c_char, *const c_char) -> *mut c_char;
    fn strncat(*mut c_char, *const c_char, usize) -> *mut c_char;
    fn strcmp(*const c_char, *const c_char) -> c_int;
    fn strncmp(*const c_char, *const c_char, usize) -> c_int;
    fn strcasecmp(*const c_char, *const c_char) -> c_int;
    fn strncasecmp(*const c_char, *const c_char, usize) -> c_int;
    fn strchr(*const c_char, c_int) -> *mut c_char;
    fn strchrnul(*const c_char, c_int) -> *mut c_char;
    fn strrchr(*const c_char, c_int) -> *mut c_char;
    fn strstr(*const c_char, *const c_char) -> *mut c_char;
    fn strdup(*const c_char) -> *mut c_char;
    fn strndup(*const c_char, usize) -> *mut c_char;
    fn wcslen(*const i32) -> usize;
    fn wcscpy(*mut i32, *const i32) -> *mut i32;
    fn wmemcpy(*mut i32, *const i32, usize) -> *mut i32;
    fn wmemmove(*mut i32, *const i32, usize) -> *mut i32;
    fn wmemset(*mut i32, i32, usize) -> *mut i32;
    fn __memcpy_chk(*mut c_void, *const c_void, usize, usize) -> *mut c_void;
    fn __memmove_chk(*mut c_void, *const c_void, usize, usize) -> *mut c_void;
    fn __mempcpy_chk(*mut c_void, *const c_void, usize, usize) -> *mut c_void;
    fn __memset_chk(*mut c_void, c_int, usize, usize) -> *mut c_void;
    fn __strcpy_chk(*mut c_char, *const c_char, usize) -> *mut c_char;
    fn __stpcpy_chk(*mut c_char, *const c_char, usize) -> *mut c_char;
    fn __strncpy_chk(*mut c_char, *const c_char, usize, usize) -> *mut c_char;
    fn __strcat_chk(*mut c_char, *const c_char, usize) -> *mut c_char;
    fn __strncat_chk(*mut c_char, *const c_char, usize, usize) -> *mut c_char;
    fn qsort(*mut c_void, usize, usize, *mut c_void);
    fn fread(*mut c_void, usize, usize, *mut c_void) -> usize;
    fn fwrite(*const c_void, usize, usize, *mut c_void) -> usize;
    fn fgets(*mut c_char, c_int, *mut c_void) -> *mut c_char;
    fn fputs(*const c_char, *mut c_void) -> c_int;
    fn puts(*const c_char) -> c_int;
    fn GOMP_parallel(Body, *mut c_void, u32, u32);
    fn GOMP_barrier();
    fn GOMP_loop_dynamic_start(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_dynamic_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_dynamic_start(bool, u64, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_dynamic_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_dynamic(Body, *mut c_void, u32, c_long, c_long, c_long, c_long, u32);
    fn GOMP_loop_nonmonotonic_dynamic_start(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_nonmonotonic_dynamic_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_nonmonotonic_dynamic_start(bool, u64, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_nonmonotonic_dynamic_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_nonmonotonic_dynamic(Body, *mut c_void, u32, c_long, c_long, c_long, c_long, u32);
    fn GOMP_loop_guided_start(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_guided_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_guided_start(bool, u64, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_guided_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_guided(Body, *mut c_void, u32, c_long, c_long, c_long, c_long, u32);
    fn GOMP_loop_nonmonotonic_guided_start(c_long, c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_nonmonotonic_guided_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_nonmonotonic_guided_start(bool, u64, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_nonmonotonic_guided_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_nonmonotonic_guided(Body, *mut c_void, u32, c_long, c_long, c_long, c_long, u32);
    fn GOMP_loop_runtime_start(c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_runtime_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_runtime_start(bool, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_runtime_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_runtime(Body, *mut c_void, u32, c_long, c_long, c_long, u32);
    fn GOMP_loop_nonmonotonic_runtime_start(c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_nonmonotonic_runtime_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_nonmonotonic_runtime_start(bool, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_nonmonotonic_runtime_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_nonmonotonic_runtime(Body, *mut c_void, u32, c_long, c_long, c_long, u32);
    fn GOMP_loop_maybe_nonmonotonic_runtime_start(c_long, c_long, c_long, *mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_maybe_nonmonotonic_runtime_next(*mut c_long, *mut c_long) -> bool;
    fn GOMP_loop_ull_maybe_nonmonotonic_runtime_start(bool, u64, u64, u64, *mut u64, *mut u64) -> bool;
    fn GOMP_loop_ull_maybe_nonmonotonic_runtime_next(*mut u64, *mut u64) -> bool;
    fn GOMP_parallel_loop_maybe_nonmonotonic_runtime(Body, *mut c_void, u32, c_long, c_long, c_long, u32);
    fn GOMP_loop_end();
    fn GOMP_loop_end_nowait();
    fn GOMP_sections_start(u32) -> u32;
    fn GOMP_sections_next() -> u32;
    fn GOMP_sections_end();
    fn GOMP_sections_end_nowait();
    fn GOMP_parallel_sections(Body, *mut c_void, u32, u32, u32);
    fn GOMP_single_start() -> bool;
    fn GOMP_single_copy_start() -> *mut c_void;
    fn GOMP_single_copy_end(*mut c_void);
    fn GOMP_task(Body, *mut c_void, Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>, c_long, c_long, bool, u32, *mut c_void, c_int, *mut c_void);
    fn GOMP_taskwait();
    fn GOMP_taskyield();
    fn GOMP_taskgroup_start();
    fn GOMP_taskgroup_end();
    fn GOMP_critical_start();
    fn GOMP_critical_end();
    fn GOMP_critical_name_start(*mut *mut c_void);
    fn GOMP_critical_name_end(*mut *mut c_void);
    fn GOMP_atomic_start();
    fn GOMP_atomic_end();
    fn omp_init_lock(*mut c_void);
    fn omp_destroy_lock(*mut c_void);
    fn omp_set_lock(*mut c_void);
    fn omp_unset_lock(*mut c_void);
    fn omp_init_nest_lock(*mut c_void);
    fn omp_destroy_nest_lock(*mut c_void);
    fn omp_set_nest_lock(*mut c_void);
    fn omp_unset_nest_lock(*mut c_void);
    fn omp_test_lock(*mut c_void) -> c_int;
    fn omp_test_nest_lock(*mut c_void) -> c_int;
    fn omp_get_thread_num() -> c_int;
    fn omp_get_num_threads() -> c_int;
    fn omp_get_max_threads() -> c_int;
    fn omp_get_num_procs() -> c_int;
    fn omp_in_parallel() -> c_int;
    fn omp_get_level() -> c_int;
    fn omp_get_active_level() -> c_int;
    fn omp_get_nested() -> c_int;
    fn omp_get_max_active_levels() -> c_int;
    fn omp_set_num_threads(c_int);
    fn omp_get_ancestor_thread_num(c_int) -> c_int;
    fn omp_get_team_size(c_int) -> c_int;
    fn omp_set_nested(c_int);
    fn omp_set_max_active_levels(c_int);
    fn GOMP_parallel_reductions();
    fn GOMP_loop_start();
    fn GOMP_loop_ordered_start();
    fn GOMP_loop_ordered_static_start();
    fn GOMP_loop_ordered_dynamic_start();
    fn GOMP_loop_ordered_guided_start();
    fn GOMP_loop_ordered_runtime_start();
    fn GOMP_loop_static_start();
    fn GOMP_loop_ull_ordered_static_start();
    fn GOMP_loop_ull_ordered_dynamic_start();
    fn GOMP_loop_ull_ordered_guided_start();
    fn GOMP_loop_ull_ordered_runtime_start();
    fn GOMP_loop_doacross_start();
    fn GOMP_loop_doacross_static_start();
    fn GOMP_loop_doacross_dynamic_start();
    fn GOMP_loop_doacross_guided_start();
    fn GOMP_loop_doacross_runtime_start();
    fn GOMP_loop_ull_start();
    fn GOMP_loop_ull_ordered_start();
    fn GOMP_loop_ull_doacross_start();
    fn GOMP_sections2_start();
    fn GOMP_taskloop();
    fn GOMP_taskloop_ull();
    fn GOMP_taskwait_depend();
    fn GOMP_taskgroup_reduction_register();
    fn GOMP_cancel();
    fn GOMP_cancellation_point();
    fn GOMP_barrier_cancel();
    fn GOMP_teams_reg();
    fn sprintf();
    fn snprintf();
    fn vsprintf();
    fn vsnprintf();
    fn __sprintf_chk();
    fn __snprintf_chk();
    fn __vsprintf_chk();
    fn __vsnprintf_chk();
    fn sscanf();
    fn __isoc99_sscanf();
    fn vsscanf();
    fn __isoc99_vsscanf();
    fn strtok();
    fn strtok_r();
    fn getline();
    fn getdelim();
    fn localtime();
    fn gmtime();
    fn asctime();
    fn ctime();
    fn strerror();
    fn setenv();
    fn unsetenv();
    fn putenv();
    fn rand();
    fn srand();
    fn random();
    fn srandom();
    fn drand48();
    fn lrand48();
    fn mrand48();
    fn srand48();
    fn open();
    fn open64();
    fn openat();
    fn openat64();
    fn creat();
    fn creat64();
    fn unlink();
    fn unlinkat();
    fn rename();
    fn mkdir();
    fn rmdir();
    fn remove();
    fn link();
    fn symlink();
    fn access();
    fn ftruncate();
    fn ftruncate64();
    fn lseek();
    fn lseek64();
    fn pread();
    fn pread64();
    fn pwrite();
    fn pwrite64();
    fn dup();
    fn pipe();
    fn pipe2();
    fn mprotect();
}
