//! The measured programs, written once and made for each tool by a macro.
//!
//! `Arc` is always the standard library's, so that every tool sees the same visible operations.
//! None of the programs has a bug: a measurement must not stop early.

/// A program with the ratios that unpick must reach on it.
pub struct Program {
    pub name: &'static str,
    pub times_shuttle_min: f64,
    pub times_loom_min: f64,
    pub on_unpick: fn(),
    pub on_shuttle: fn(),
    pub on_loom: fn(),
}

macro_rules! programs_on {
    ($module:ident, $tool:ident) => {
        pub mod $module {
            use std::sync::Arc;

            use $tool::sync::atomic::{AtomicUsize, Ordering::SeqCst};
            use $tool::sync::{Condvar, Mutex, mpsc};
            use $tool::thread;

            fn atomics(task_count: usize, addition_count: usize) {
                let total = Arc::new(AtomicUsize::new(0));
                let mut tasks = Vec::with_capacity(task_count);
                for _ in 0..task_count {
                    let total = Arc::clone(&total);
                    tasks.push(thread::spawn(move || {
                        for _ in 0..addition_count {
                            total.fetch_add(1, SeqCst);
                        }
                    }));
                }
                for task in tasks {
                    task.join().unwrap();
                }
                assert_eq!(total.load(SeqCst), task_count * addition_count);
            }

            pub fn atomics_2x4() {
                atomics(2, 4);
            }

            pub fn atomics_4x25() {
                atomics(4, 25);
            }

            /// Three tasks, each three times: lock and increment.
            pub fn mutex_counter() {
                let total = Arc::new(Mutex::new(0));
                let mut tasks = Vec::with_capacity(3);
                for _ in 0..3 {
                    let total = Arc::clone(&total);
                    tasks.push(thread::spawn(move || {
                        for _ in 0..3 {
                            *total.lock().unwrap() += 1;
                        }
                    }));
                }
                for task in tasks {
                    task.join().unwrap();
                }
                assert_eq!(*total.lock().unwrap(), 9);
            }

            struct Buffer {
                slot: Mutex<Option<usize>>,
                changed: Condvar,
            }

            impl Buffer {
                fn put(&self, item: usize) {
                    let mut slot = self.slot.lock().unwrap();
                    while slot.is_some() {
                        slot = self.changed.wait(slot).unwrap();
                    }
                    *slot = Some(item);
                    self.changed.notify_all();
                }

                fn take(&self) -> usize {
                    let mut slot = self.slot.lock().unwrap();
                    loop {
                        if let Some(item) = slot.take() {
                            self.changed.notify_all();
                            return item;
                        }
                        slot = self.changed.wait(slot).unwrap();
                    }
                }
            }

            /// One producer and two consumers of one item each share one slot and one condition.
            pub fn bounded_buffer() {
                let buffer = Arc::new(Buffer {
                    slot: Mutex::new(None),
                    changed: Condvar::new(),
                });
                let mut tasks = Vec::with_capacity(3);
                for _ in 0..2 {
                    let buffer = Arc::clone(&buffer);
                    tasks.push(thread::spawn(move || {
                        buffer.take();
                    }));
                }
                tasks.push(thread::spawn(move || {
                    for item in 0..2 {
                        buffer.put(item);
                    }
                }));
                for task in tasks {
                    task.join().unwrap();
                }
            }

            /// Three producers send two messages each to the first task.
            pub fn channel_3x2() {
                let (sender, receiver) = mpsc::channel();
                let mut tasks = Vec::with_capacity(3);
                for producer in 0..3_usize {
                    let sender = sender.clone();
                    tasks.push(thread::spawn(move || {
                        for message in 0..2_usize {
                            sender.send((producer, message)).unwrap();
                        }
                    }));
                }
                let mut next = [0; 3];
                for _ in 0..6 {
                    let (producer, message) = receiver.recv().unwrap();
                    assert_eq!(next[producer], message);
                    next[producer] += 1;
                }
                for task in tasks {
                    task.join().unwrap();
                }
            }
        }
    };
}

programs_on!(on_unpick, unpick);
programs_on!(on_shuttle, shuttle);
programs_on!(on_loom, loom);

macro_rules! program {
    ($name:literal, $function:ident, $times_shuttle_min:literal, $times_loom_min:literal) => {
        Program {
            name: $name,
            times_shuttle_min: $times_shuttle_min,
            times_loom_min: $times_loom_min,
            on_unpick: on_unpick::$function,
            on_shuttle: on_shuttle::$function,
            on_loom: on_loom::$function,
        }
    };
}

/// All programs: short ones must reach 8 times shuttle and 80 times loom, the long one 5 and 30.
pub const PROGRAMS: &[Program] = &[
    program!("atomics 2x4", atomics_2x4, 8.0, 80.0),
    program!("atomics 4x25", atomics_4x25, 5.0, 30.0),
    program!("mutex counter", mutex_counter, 8.0, 80.0),
    program!("condvar bounded buffer", bounded_buffer, 8.0, 80.0),
    program!("channel 3x2", channel_3x2, 8.0, 80.0),
];
