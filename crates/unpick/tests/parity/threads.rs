//! The part of the program about channels, threads, thread-locals, cells and the traits of all types.

/// Expands the program in a module of this name. `$root` is `std` or `unpick`.
macro_rules! parity_of_threads {
    ($module:ident, $root:ident) => {
        #[allow(clippy::all, deprecated)]
        mod $module {
            use std::cell::RefCell;
            use std::fmt::{Debug, Display};
            use std::io;
            use std::panic::{RefUnwindSafe, UnwindSafe};
            use std::time::Duration;
            use $root::cell::{Cell, UnsafeCell};
            use $root::sync::atomic::{AtomicBool, AtomicPtr, AtomicU32};
            use $root::sync::mpsc::{
                self, IntoIter, Iter, Receiver, RecvError, RecvTimeoutError, SendError, Sender,
                SyncSender, TryIter, TryRecvError, TrySendError,
            };
            use $root::sync::{
                Barrier, BarrierWaitResult, Condvar, LazyLock, Mutex, MutexGuard, Once, OnceLock,
                OnceState, RwLock, RwLockReadGuard, RwLockWriteGuard, WaitTimeoutResult,
            };
            use $root::thread::{
                self, AccessError, Builder, JoinHandle, LocalKey, Scope, ScopedJoinHandle, Thread,
                ThreadId,
            };
            use $root::time::Instant;

            const CELL: Cell<u32> = Cell::new(1);
            const UNSAFE_CELL: UnsafeCell<u32> = UnsafeCell::new(1);

            $root::thread_local! {
                /// With attributes and visibility.
                #[allow(unused)]
                pub(crate) static COUNT: Cell<u32> = const { Cell::new(1) };
                static STD_CELL: std::cell::Cell<u32> = std::cell::Cell::new(1);
                static LIST: RefCell<Vec<u32>> = RefCell::new(Vec::new());
            }

            pub fn everything() {
                channels();
                threads();
                cells();
                traits();
            }

            fn channel_types<'a>() {
                let _: fn() -> (Sender<u32>, Receiver<u32>) = mpsc::channel;
                let _: fn(usize) -> (SyncSender<u32>, Receiver<u32>) = mpsc::sync_channel;
                let _: fn(&'a Sender<u32>, u32) -> Result<(), SendError<u32>> = Sender::send;
                let _: fn(&'a SyncSender<u32>, u32) -> Result<(), SendError<u32>> =
                    SyncSender::send;
                let _: fn(&'a SyncSender<u32>, u32) -> Result<(), TrySendError<u32>> =
                    SyncSender::try_send;
                let _: fn(&'a Receiver<u32>) -> Result<u32, RecvError> = Receiver::recv;
                let _: fn(&'a Receiver<u32>) -> Result<u32, TryRecvError> = Receiver::try_recv;
                let _: fn(&'a Receiver<u32>, Duration) -> Result<u32, RecvTimeoutError> =
                    Receiver::recv_timeout;
                let _: fn(&'a Receiver<u32>) -> Iter<'a, u32> = Receiver::iter;
                let _: fn(&'a Receiver<u32>) -> TryIter<'a, u32> = Receiver::try_iter;
                let _: fn(Receiver<u32>) -> IntoIter<u32> = Receiver::into_iter;
                let _: fn(&'a Receiver<u32>) -> Iter<'a, u32> = <&'a Receiver<u32>>::into_iter;
            }

            pub fn channels() {
                channel_types();
                let (sender, receiver) = mpsc::channel::<u32>();
                let other = thread::spawn({
                    let sender: Sender<u32> = sender.clone();
                    move || (1..=3).for_each(|value| sender.send(value).unwrap())
                });
                assert_eq!(receiver.recv(), Ok(1));
                other.join().unwrap();
                assert_eq!(
                    receiver.recv_timeout(Duration::from_secs(60)).unwrap_or(2),
                    2
                );
                let rest: Vec<u32> = receiver.try_iter().collect();
                assert!(rest.len() == 1 || rest.len() == 2, "{rest:?}");
                assert_eq!(receiver.try_recv(), Err(TryRecvError::Empty));
                let timeout = receiver.recv_timeout(Duration::from_nanos(1));
                assert_eq!(timeout, Err(RecvTimeoutError::Timeout));
                assert_eq!(
                    format!("{sender:?} {receiver:?}"),
                    "Sender { .. } Receiver { .. }"
                );
                drop(sender);
                assert_eq!(receiver.recv(), Err(RecvError));
                assert_eq!(receiver.iter().next(), None);
                assert_eq!((&receiver).into_iter().count(), 0);
                let (sender, receiver) = mpsc::sync_channel::<u32>(1);
                sender.clone().send(1).unwrap();
                assert_eq!(sender.try_send(2), Err(TrySendError::Full(2)));
                assert_eq!(format!("{sender:?}"), "SyncSender { .. }");
                assert_eq!(receiver.try_recv(), Ok(1));
                drop(receiver);
                assert_eq!(sender.send(3), Err(SendError(3)));
                let (sender, receiver) = mpsc::sync_channel::<u32>(0);
                assert_eq!(sender.try_send(1), Err(TrySendError::Full(1)));
                let other = thread::spawn(move || sender.send(4).unwrap());
                let received: Vec<u32> = receiver.into_iter().collect();
                assert_eq!(received, [4]);
                other.join().unwrap();
            }

            fn thread_types<'a>() {
                let _: fn(&'a JoinHandle<u32>) -> &'a Thread = JoinHandle::thread;
                let _: fn(JoinHandle<u32>) -> thread::Result<u32> = JoinHandle::join;
                let _: fn(&'a JoinHandle<u32>) -> bool = JoinHandle::is_finished;
                let _: fn(&'a ScopedJoinHandle<'a, u32>) -> &'a Thread = ScopedJoinHandle::thread;
                let _: fn(ScopedJoinHandle<'a, u32>) -> thread::Result<u32> =
                    ScopedJoinHandle::join;
                let _: fn(&'a ScopedJoinHandle<'a, u32>) -> bool = ScopedJoinHandle::is_finished;
                let _: fn(&'a Thread) -> ThreadId = Thread::id;
                let _: fn(&'a Thread) -> Option<&'a str> = Thread::name;
                let _: fn(&'a Thread) = Thread::unpark;
                let _: fn() -> Builder = Builder::new;
                let _: fn(Builder, String) -> Builder = Builder::name;
                let _: fn(Builder, usize) -> Builder = Builder::stack_size;
                type Body = fn() -> u32;
                let _: fn(Builder, Body) -> io::Result<JoinHandle<u32>> = Builder::spawn;
                let _: unsafe fn(Builder, Body) -> io::Result<JoinHandle<u32>> =
                    Builder::spawn_unchecked;
                let _: fn(Body) -> JoinHandle<u32> = thread::spawn;
                let _: fn() -> Thread = thread::current;
                let _: [fn(Duration); 2] = [thread::sleep, thread::park_timeout];
                let _: [fn(); 2] = [thread::park, thread::yield_now];
                let _: fn() -> bool = thread::panicking;
                let _: fn() -> io::Result<std::num::NonZero<usize>> = thread::available_parallelism;
            }

            fn scoped<'scope, 'env>(
                scope: &'scope Scope<'scope, 'env>,
                text: &'env str,
            ) -> ScopedJoinHandle<'scope, usize> {
                let builder = Builder::new().name(text.to_string());
                builder.spawn_scoped(scope, move || text.len()).unwrap()
            }

            pub fn threads() {
                thread_types();
                let body = || thread::current().name().map(str::to_string);
                let builder: Builder = Builder::new().name("named".into()).stack_size(1 << 17);
                let handle: JoinHandle<Option<String>> = builder.spawn(body).unwrap();
                let named: Thread = handle.thread().clone();
                assert_eq!(named.name(), Some("named"));
                let id: ThreadId = named.id();
                assert!(id == handle.thread().id() && id != thread::current().id());
                let _ = handle.is_finished();
                assert_eq!(handle.join().unwrap().as_deref(), Some("named"));
                named.unpark();
                let parked = thread::spawn(|| {
                    thread::park();
                    thread::park_timeout(Duration::from_nanos(1));
                });
                parked.thread().unpark();
                parked.join().unwrap();
                let text = String::from("borrowed");
                let mut length = 0;
                let joined: usize = thread::scope(|scope| {
                    let handle: ScopedJoinHandle<'_, usize> = scoped(scope, &text);
                    scope.spawn(|| length = text.len());
                    assert_eq!(handle.thread().name(), Some("borrowed"));
                    let _ = handle.is_finished();
                    handle.join().unwrap()
                });
                assert_eq!((joined, length), (8, 8));
                // SAFETY: the task is joined before what it borrows goes.
                let handle = unsafe { Builder::new().spawn_unchecked(|| text.len()) };
                assert_eq!(handle.unwrap().join().unwrap(), 8);
                thread::yield_now();
                let before: Instant = Instant::now();
                thread::sleep(Duration::from_nanos(1));
                assert!(before.elapsed() >= Duration::from_nanos(1));
                assert!(!thread::panicking() && thread::available_parallelism().is_ok());
                thread::spawn(locals).join().unwrap();
            }

            fn locals() {
                let key: &'static LocalKey<std::cell::Cell<u32>> = &STD_CELL;
                key.set(key.get() + 1);
                assert_eq!((key.replace(5), key.take()), (2, 5));
                assert_eq!(key.with(|cell| cell.get()), 0);
                let tried: Result<u32, AccessError> = key.try_with(std::cell::Cell::get);
                assert_eq!(tried, Ok(0));
                COUNT.with(|count: &Cell<u32>| count.set(count.get() + 1));
                LIST.with_borrow_mut(|list| list.push(1));
                assert_eq!(LIST.with_borrow(Vec::len), 1);
                LIST.set(vec![2]);
                assert_eq!((LIST.replace(vec![3]), LIST.take()), (vec![2], vec![3]));
                assert_eq!(format!("{LIST:?}"), "LocalKey { .. }");
            }

            fn cell_types<'a>() {
                let _: fn(u32) -> UnsafeCell<u32> = UnsafeCell::new;
                let _: fn(&'a UnsafeCell<u32>) -> *mut u32 = UnsafeCell::get;
                let _: fn(&'a mut UnsafeCell<u32>) -> &'a mut u32 = UnsafeCell::get_mut;
                let _: fn(UnsafeCell<u32>) -> u32 = UnsafeCell::into_inner;
                let _: fn(u32) -> Cell<u32> = Cell::new;
                let _: fn(&'a Cell<u32>) -> u32 = Cell::get;
                let _: fn(&'a Cell<u32>, u32) = Cell::set;
                let _: fn(&'a Cell<u32>, u32) -> u32 = Cell::replace;
                let _: fn(&'a Cell<u32>, &'a Cell<u32>) = Cell::swap;
                let _: fn(&'a Cell<u32>) -> u32 = Cell::take;
                let _: fn(Cell<u32>) -> u32 = Cell::into_inner;
                let _: fn(&'a Cell<u32>) -> *mut u32 = Cell::as_ptr;
                let _: fn(&'a mut Cell<u32>) -> &'a mut u32 = Cell::get_mut;
            }

            pub fn cells() {
                cell_types();
                let mut cell: Cell<u32> = CELL;
                cell.set(cell.get() + 1);
                cell.update(|value| value * 2);
                *cell.get_mut() += 1;
                let other = Cell::from(7);
                cell.swap(&other);
                assert_eq!((cell.replace(1), other.take()), (7, 5));
                assert!(cell > other && cell == Cell::new(1) && cell.clone() >= cell);
                assert_eq!(format!("{cell:?}"), "Cell { value: 1 }");
                assert_eq!(cell.into_inner() + Cell::<u32>::default().get(), 1);
                let mut cell: UnsafeCell<u32> = UNSAFE_CELL;
                *cell.get_mut() += 1;
                let _: *mut u32 = cell.get();
                assert_eq!(format!("{cell:?}"), "UnsafeCell { .. }");
                assert_eq!(
                    cell.into_inner() + UnsafeCell::<u32>::default().into_inner(),
                    2
                );
                assert_eq!(UnsafeCell::from(3).into_inner(), 3);
            }

            fn shared<T: Send + Sync>() {}
            fn sent<T: Send>() {}
            fn unwound<T: UnwindSafe + RefUnwindSafe>() {}
            fn shown<T: Debug>() {}
            fn displayed<T: Debug + Display>() {}

            fn traits() {
                shared::<(Mutex<Cell<u32>>, RwLock<u32>, Condvar, Barrier, Once)>();
                shared::<(
                    OnceLock<u32>,
                    LazyLock<u32>,
                    Sender<Cell<u32>>,
                    SyncSender<Cell<u32>>,
                )>();
                shared::<(
                    Thread,
                    ThreadId,
                    JoinHandle<Cell<u32>>,
                    Builder,
                    AtomicPtr<u32>,
                )>();
                shared::<(
                    LocalKey<u32>,
                    Scope<'_, '_>,
                    AtomicU32,
                    ScopedJoinHandle<'_, u32>,
                )>();
                sent::<(Receiver<u32>, Cell<u32>, UnsafeCell<u32>, IntoIter<u32>)>();
                unwound::<(Mutex<Cell<u32>>, RwLock<Cell<u32>>, Condvar, Barrier, Once)>();
                unwound::<(OnceLock<u32>, LazyLock<u32>, Sender<u32>, SyncSender<u32>)>();
                unwound::<(Receiver<u32>, AtomicBool, AtomicU32, AtomicPtr<u32>, Thread)>();
                shown::<(
                    OnceState,
                    WaitTimeoutResult,
                    ThreadId,
                    JoinHandle<u32>,
                    AccessError,
                )>();
                shown::<(Builder, Iter<'_, u32>, TryIter<'_, u32>, IntoIter<u32>)>();
                shown::<(Scope<'_, '_>, ScopedJoinHandle<'_, u32>, BarrierWaitResult)>();
                displayed::<MutexGuard<'_, u32>>();
                displayed::<RwLockReadGuard<'_, u32>>();
                displayed::<RwLockWriteGuard<'_, u32>>();
                displayed::<AccessError>();
            }
        }
    };
}
