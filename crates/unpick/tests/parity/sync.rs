//! The part of the program about locks, initialisation, waiting and atomics.

/// Expands the program in a module of this name. `$root` is `std` or `unpick`.
macro_rules! parity_of_sync {
    ($module:ident, $root:ident) => {
        #[allow(clippy::all, deprecated)]
        mod $module {
            use std::fmt::Debug;
            use std::panic::{AssertUnwindSafe, catch_unwind};
            use std::time::Duration;
            use $root::sync::atomic::{self, AtomicBool, AtomicPtr, Ordering};
            use $root::sync::{
                Arc, Barrier, BarrierWaitResult, Condvar, LazyLock, LockResult, Mutex, MutexGuard,
                ONCE_INIT, Once, OnceLock, OnceState, PoisonError, RwLock, RwLockReadGuard,
                RwLockWriteGuard, TryLockError, TryLockResult, WaitTimeoutResult, Weak,
            };
            use $root::thread;

            static MUTEX: Mutex<u32> = Mutex::new(0);
            static CONDVAR: Condvar = Condvar::new();
            static RWLOCK: RwLock<u32> = RwLock::new(0);
            static ONCE: Once = Once::new();
            static OLD_ONCE: Once = ONCE_INIT;
            static ONCE_LOCK: OnceLock<u32> = OnceLock::new();
            static LAZY_LOCK: LazyLock<Vec<u32>> = LazyLock::new(|| vec![1, 2]);
            static BARRIER: Barrier = Barrier::new(1);
            static FLAG: AtomicBool = AtomicBool::new(false);
            static POINTER: AtomicPtr<u32> = AtomicPtr::new(std::ptr::null_mut());

            pub fn everything() {
                locks();
                once();
                waiting();
                atomics();
            }

            fn guard_types<'a>() {
                let _: fn(&'a Mutex<u32>) -> LockResult<MutexGuard<'a, u32>> = Mutex::lock;
                let _: fn(&'a Mutex<u32>) -> TryLockResult<MutexGuard<'a, u32>> = Mutex::try_lock;
                let _: fn(&'a RwLock<u32>) -> LockResult<RwLockReadGuard<'a, u32>> = RwLock::read;
                let _: fn(&'a RwLock<u32>) -> LockResult<RwLockWriteGuard<'a, u32>> = RwLock::write;
                let _: fn(&'a RwLock<u32>) -> TryLockResult<RwLockReadGuard<'a, u32>> =
                    RwLock::try_read;
                let _: fn(&'a RwLock<u32>) -> TryLockResult<RwLockWriteGuard<'a, u32>> =
                    RwLock::try_write;
                let _: fn(RwLockWriteGuard<'a, u32>) -> RwLockReadGuard<'a, u32> =
                    RwLockWriteGuard::downgrade;
                let _: fn(&'a mut Mutex<u32>) -> LockResult<&'a mut u32> = Mutex::get_mut;
                let _: fn(&'a mut RwLock<u32>) -> LockResult<&'a mut u32> = RwLock::get_mut;
                let _: fn(u32) -> RwLock<u32> = RwLock::new;
                let _: fn(RwLock<u32>) -> LockResult<u32> = RwLock::into_inner;
                let _: fn(Mutex<u32>) -> LockResult<u32> = Mutex::into_inner;
                let _: [fn(&Mutex<u32>) -> bool; 1] = [Mutex::is_poisoned];
                let _: [fn(&RwLock<u32>) -> bool; 1] = [RwLock::is_poisoned];
                let _: [fn(&Mutex<u32>); 1] = [Mutex::clear_poison];
                let _: [fn(&RwLock<u32>); 1] = [RwLock::clear_poison];
            }

            pub fn locks() {
                guard_types();
                *MUTEX.lock().unwrap() = 1;
                *RWLOCK.write().unwrap() = *MUTEX.try_lock().unwrap();
                let held = MUTEX.lock().unwrap();
                let text = r#"Mutex { data: "<locked>", poisoned: false, .. }"#;
                assert_eq!(format!("{MUTEX:?}"), text);
                drop(held);
                let mut lock: RwLock<u32> = RwLock::from(1);
                *lock.get_mut().unwrap() += 1;
                {
                    let readers = (lock.read().unwrap(), lock.try_read().unwrap());
                    assert_eq!(format!("{} {:?}", readers.0, readers.1), "2 2");
                    assert!(matches!(lock.try_write(), Err(TryLockError::WouldBlock)));
                }
                let mut writer: RwLockWriteGuard<'_, u32> = lock.try_write().unwrap();
                *writer += 1;
                let reader: RwLockReadGuard<'_, u32> = RwLockWriteGuard::downgrade(writer);
                assert_eq!(*reader, 3);
                drop(reader);
                let end = catch_unwind(AssertUnwindSafe(|| {
                    let _writer = lock.write().unwrap();
                    std::panic::resume_unwind(Box::new(1));
                }));
                assert!(end.is_err() && lock.is_poisoned());
                let poisoned: PoisonError<RwLockReadGuard<'_, u32>> = lock.read().err().unwrap();
                assert_eq!(**poisoned.get_ref(), 3);
                drop(poisoned);
                assert!(matches!(lock.try_read(), Err(TryLockError::Poisoned(_))));
                lock.clear_poison();
                let unsized_lock: &RwLock<[u32]> = &RwLock::new([1, 2]);
                assert_eq!(unsized_lock.read().unwrap().len(), 2);
                let shared: Arc<Mutex<dyn Debug>> = Arc::new(Mutex::new(1));
                let weak: Weak<Mutex<dyn Debug>> = Arc::downgrade(&shared);
                assert_eq!(
                    format!("{:?}", weak.upgrade().unwrap().lock().unwrap()),
                    "1"
                );
                let text = "RwLock { data: 3, poisoned: false, .. }";
                assert_eq!(format!("{lock:?}"), text);
                assert_eq!(lock.into_inner().unwrap(), 3);
                assert_eq!(RwLock::<u32>::default().into_inner().unwrap(), 0);
            }

            fn once_types<'a>() {
                let _: fn() -> Once = Once::new;
                let _: fn(&'a Once, fn()) = Once::call_once::<fn()>;
                let _: fn(&'a Once, fn(&OnceState)) = Once::call_once_force::<fn(&OnceState)>;
                let _: [fn(&Once); 2] = [Once::wait, Once::wait_force];
                let _: fn(&'a Once) -> bool = Once::is_completed;
                let _: fn(&'a OnceState) -> bool = OnceState::is_poisoned;
                type Cell = OnceLock<u32>;
                let _: fn() -> Cell = OnceLock::new;
                let _: fn(&'a Cell) -> Option<&'a u32> = OnceLock::get;
                let _: fn(&'a mut Cell) -> Option<&'a mut u32> = OnceLock::get_mut;
                let _: fn(&'a Cell) -> &'a u32 = OnceLock::wait;
                let _: fn(&'a Cell, u32) -> Result<(), u32> = OnceLock::set;
                let _: fn(&'a Cell, fn() -> u32) -> &'a u32 = OnceLock::get_or_init;
                let _: fn(Cell) -> Option<u32> = OnceLock::into_inner;
                let _: fn(&'a mut Cell) -> Option<u32> = OnceLock::take;
                type Lazy = LazyLock<u32>;
                let _: fn(fn() -> u32) -> Lazy = LazyLock::new;
                let _: fn(&'a Lazy) -> &'a u32 = LazyLock::force;
                let _: fn(&'a mut Lazy) -> &'a mut u32 = LazyLock::force_mut;
                let _: fn(&'a Lazy) -> Option<&'a u32> = LazyLock::get;
                let _: fn(&'a mut Lazy) -> Option<&'a mut u32> = LazyLock::get_mut;
            }

            pub fn once() {
                once_types();
                ONCE.call_once(|| ());
                OLD_ONCE.call_once_force(|state: &OnceState| assert!(!state.is_poisoned()));
                ONCE.wait();
                OLD_ONCE.wait_force();
                assert!(ONCE.is_completed() && OLD_ONCE.is_completed());
                assert_eq!(format!("{:?}", Once::new()), "Once { .. }");
                Once::new().call_once_force(|state| {
                    assert_eq!(format!("{state:?}"), "OnceState { poisoned: false }");
                });
                let mut cell: OnceLock<u32> = OnceLock::default();
                assert_eq!(format!("{cell:?}"), "OnceLock(<uninit>)");
                assert!(cell.get().is_none() && cell.get_mut().is_none());
                assert_eq!((cell.set(1), cell.set(2)), (Ok(()), Err(2)));
                assert_eq!((cell.get_or_init(|| 3), cell.wait()), (&1, &1));
                assert!(cell.clone() == cell && cell == OnceLock::from(1));
                assert_eq!(format!("{cell:?}"), "OnceLock(1)");
                assert_eq!((cell.take(), cell.take()), (Some(1), None));
                assert_eq!(cell.into_inner(), None);
                assert_eq!(*ONCE_LOCK.get_or_init(|| 4), 4);
                let mut lazy: LazyLock<u32> = LazyLock::default();
                assert_eq!(format!("{lazy:?}"), "LazyLock(<uninit>)");
                assert!(LazyLock::get(&lazy).is_none() && LazyLock::get_mut(&mut lazy).is_none());
                *lazy += 1;
                *LazyLock::force_mut(&mut lazy) += 1;
                assert_eq!((*lazy, LazyLock::force(&lazy)), (2, &2));
                assert_eq!(format!("{lazy:?}"), "LazyLock(2)");
                assert_eq!(LAZY_LOCK.len(), 2);
                let local = 5;
                let capturing = LazyLock::new(|| local + 1);
                assert_eq!(*capturing, 6);
                let lazy: LazyLock<u32> =
                    LazyLock::new(|| std::panic::resume_unwind(Box::new("failed")));
                let force = || catch_unwind(AssertUnwindSafe(|| *lazy)).unwrap_err();
                assert!(force().is::<&str>());
            }

            fn waiting_types<'a>() {
                type Guard<'a> = MutexGuard<'a, u32>;
                let _: fn(&'a Condvar, Guard<'a>) -> LockResult<Guard<'a>> = Condvar::wait;
                type Timed<'a> = LockResult<(Guard<'a>, WaitTimeoutResult)>;
                let _: fn(&'a Condvar, Guard<'a>, Duration) -> Timed<'a> = Condvar::wait_timeout;
                let _: fn(&'a Condvar, Guard<'a>, u32) -> LockResult<(Guard<'a>, bool)> =
                    Condvar::wait_timeout_ms;
                let _: [fn(&Condvar); 2] = [Condvar::notify_one, Condvar::notify_all];
                let _: fn(&'a WaitTimeoutResult) -> bool = WaitTimeoutResult::timed_out;
                let _: fn(usize) -> Barrier = Barrier::new;
                let _: fn(&'a Barrier) -> BarrierWaitResult = Barrier::wait;
                let _: fn(&'a BarrierWaitResult) -> bool = BarrierWaitResult::is_leader;
            }

            pub fn waiting() {
                waiting_types();
                let shared = Arc::new((Mutex::new(0), Condvar::default(), Barrier::new(2)));
                let other = thread::spawn({
                    let shared = Arc::clone(&shared);
                    move || {
                        let first = shared.2.wait().is_leader();
                        *shared.0.lock().unwrap() = 1;
                        shared.1.notify_all();
                        shared.1.notify_one();
                        first
                    }
                });
                let result: BarrierWaitResult = shared.2.wait();
                let leads = result.is_leader();
                assert_eq!(
                    format!("{result:?}"),
                    format!("BarrierWaitResult {{ is_leader: {leads} }}")
                );
                let guard: MutexGuard<'_, u32> = shared.0.lock().unwrap();
                let guard = shared.1.wait_while(guard, |value| *value == 0).unwrap();
                let hour = Duration::from_secs(3600);
                let (guard, end): (_, WaitTimeoutResult) = shared
                    .1
                    .wait_timeout_while(guard, hour, |value| *value == 0)
                    .unwrap();
                assert!(!end.timed_out());
                let short = Duration::from_nanos(1);
                let (guard, end) = shared
                    .1
                    .wait_timeout_while(guard, short, |value| *value == 1)
                    .unwrap();
                assert!(end.timed_out());
                drop(guard);
                assert!(other.join().unwrap() != leads);
                assert!(BARRIER.wait().is_leader());
                assert_eq!(
                    format!("{BARRIER:?} {CONDVAR:?}"),
                    "Barrier { .. } Condvar { .. }"
                );
            }

            macro_rules! integer {
                ($name:ident, $value:ty) => {{
                    type A = atomic::$name;
                    static COUNT: A = A::new(1);
                    // Not in a constant, as in std: it has to ask for stores that others see later.
                    let inner: $value = A::new(3).into_inner();
                    type Fetch = fn(&A, $value, Ordering) -> $value;
                    let _: [Fetch; 9] = [
                        A::swap,
                        A::fetch_add,
                        A::fetch_sub,
                        A::fetch_and,
                        A::fetch_nand,
                        A::fetch_or,
                        A::fetch_xor,
                        A::fetch_max,
                        A::fetch_min,
                    ];
                    let _: for<'a> fn(&'a mut A) -> &'a mut $value = A::get_mut;
                    let _: fn(&A) -> *mut $value = A::as_ptr;
                    let mut own = A::from(inner);
                    *own.get_mut() += 1;
                    own.fetch_sub(2, Ordering::SeqCst);
                    assert_eq!(own.swap(9, Ordering::Relaxed), 2);
                    assert_eq!(own.fetch_nand(1, Ordering::AcqRel), 9);
                    assert_eq!(own.load(Ordering::Acquire), !1);
                    own.store(5, Ordering::Release);
                    assert_eq!(own.fetch_and(4, Ordering::SeqCst), 5);
                    assert_eq!(own.fetch_or(1, Ordering::SeqCst), 4);
                    assert_eq!(own.fetch_xor(1, Ordering::SeqCst), 5);
                    assert_eq!(own.fetch_max(6, Ordering::SeqCst), 4);
                    assert_eq!(own.fetch_min(2, Ordering::SeqCst), 6);
                    assert_eq!(own.compare_and_swap(2, 3, Ordering::SeqCst), 2);
                    let exchange = own.compare_exchange(2, 4, Ordering::SeqCst, Ordering::Relaxed);
                    assert_eq!(exchange, Err(3));
                    while own
                        .compare_exchange_weak(3, 4, Ordering::SeqCst, Ordering::Relaxed)
                        .is_err()
                    {}
                    let add = |value: $value| value.checked_add(1);
                    assert_eq!(
                        own.fetch_update(Ordering::SeqCst, Ordering::SeqCst, add),
                        Ok(4)
                    );
                    assert_eq!(
                        own.try_update(Ordering::SeqCst, Ordering::SeqCst, add),
                        Ok(5)
                    );
                    assert_eq!(own.update(Ordering::SeqCst, Ordering::SeqCst, |_| 8), 6);
                    assert_eq!(
                        own.try_update(Ordering::SeqCst, Ordering::SeqCst, |_| None),
                        Err(8)
                    );
                    assert_eq!(COUNT.load(Ordering::SeqCst), 1);
                    assert_eq!(format!("{own:?} {:?}", A::default()), "8 0");
                }};
            }

            pub fn atomics() {
                integer!(AtomicI8, i8);
                integer!(AtomicI16, i16);
                integer!(AtomicI32, i32);
                integer!(AtomicI64, i64);
                integer!(AtomicIsize, isize);
                integer!(AtomicU8, u8);
                integer!(AtomicU16, u16);
                integer!(AtomicU32, u32);
                integer!(AtomicU64, u64);
                integer!(AtomicUsize, usize);
                assert!(!FLAG.fetch_or(true, Ordering::SeqCst));
                assert!(FLAG.fetch_and(true, Ordering::SeqCst));
                assert!(FLAG.fetch_nand(true, Ordering::SeqCst));
                assert!(!FLAG.fetch_xor(true, Ordering::SeqCst));
                assert!(FLAG.fetch_not(Ordering::SeqCst));
                assert!(!FLAG.update(Ordering::SeqCst, Ordering::SeqCst, |flag| flag));
                pointers();
                atomic::fence(Ordering::SeqCst);
                atomic::compiler_fence(Ordering::SeqCst);
                $root::hint::spin_loop();
                assert_eq!($root::hint::black_box(1), 1);
            }

            fn pointers() {
                let mut values = [1_u32, 2, 3];
                let first: *mut u32 = values.as_mut_ptr();
                assert!(POINTER.swap(first, Ordering::SeqCst).is_null());
                assert_eq!(POINTER.fetch_ptr_add(2, Ordering::SeqCst), first);
                POINTER.fetch_ptr_sub(1, Ordering::SeqCst);
                POINTER.fetch_byte_add(4, Ordering::SeqCst);
                POINTER.fetch_byte_sub(8, Ordering::SeqCst);
                assert_eq!(POINTER.fetch_or(1, Ordering::SeqCst), first);
                assert_ne!(POINTER.fetch_and(!1, Ordering::SeqCst), first);
                assert_eq!(POINTER.fetch_xor(0, Ordering::SeqCst), first);
                let null = std::ptr::null_mut();
                let exchange =
                    POINTER.compare_exchange(first, null, Ordering::SeqCst, Ordering::SeqCst);
                assert_eq!(exchange, Ok(first));
                assert!(POINTER.load(Ordering::SeqCst).is_null());
                let own: AtomicPtr<u32> = AtomicPtr::from(first);
                assert_eq!(format!("{own:p}"), format!("{first:p}"));
                assert!(AtomicPtr::<u32>::default().into_inner().is_null());
                POINTER.store(null, Ordering::SeqCst);
            }
        }
    };
}
