//! Wrong uses of memory orderings, each with its fixed twin: `bad` says which of the two it is.

use unpick::cell::UnsafeCell;
use unpick::sync::atomic::Ordering::{self, *};
use unpick::sync::atomic::{AtomicUsize, fence};
use unpick::sync::{Arc, Mutex};
use unpick::thread;

fn two(a: impl FnOnce() + Send + 'static, b: impl FnOnce() + Send + 'static) {
    let h = thread::spawn(a);
    let k = thread::spawn(b);
    h.join().unwrap();
    k.join().unwrap();
}

struct Sh {
    x: AtomicUsize,
    y: AtomicUsize,
    z: AtomicUsize,
    c: UnsafeCell<usize>,
    d: UnsafeCell<usize>,
    m: Mutex<()>,
}

// SAFETY: an exploration runs one task at a time, and reports the races of the cells.
unsafe impl Sync for Sh {}

fn sh() -> Arc<Sh> {
    Arc::new(Sh {
        x: AtomicUsize::new(0),
        y: AtomicUsize::new(0),
        z: AtomicUsize::new(0),
        c: UnsafeCell::new(0),
        d: UnsafeCell::new(0),
        m: Mutex::new(()),
    })
}

fn wr(c: &UnsafeCell<usize>, v: usize) {
    // SAFETY: tasks run one at a time.
    c.with_mut(|p| unsafe { *p = v })
}

fn rd(c: &UnsafeCell<usize>) -> usize {
    // SAFETY: tasks run one at a time.
    c.with(|p| unsafe { *p })
}

fn inc(c: &UnsafeCell<usize>) {
    let v = rd(c);
    wr(c, v + 1)
}

fn rel(bad: bool) -> Ordering {
    if bad { Relaxed } else { Release }
}

fn acq(bad: bool) -> Ordering {
    if bad { Relaxed } else { Acquire }
}

fn ar(bad: bool) -> Ordering {
    if bad { Relaxed } else { AcqRel }
}

fn sc(bad: bool, o: Ordering) -> Ordering {
    if bad { o } else { SeqCst }
}

/// Message passing over atomics, relaxed flag store.
fn mp_store(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.store(1, Relaxed);
            s.y.store(1, rel(bad));
        },
        move || {
            if t.y.load(Acquire) == 1 {
                assert_eq!(t.x.load(Relaxed), 1)
            }
        },
    )
}

/// The same, relaxed flag load (stale data read).
fn mp_load(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.store(1, Relaxed);
            s.y.store(1, Release);
        },
        move || {
            if t.y.load(acq(bad)) == 1 {
                assert_eq!(t.x.load(Relaxed), 1)
            }
        },
    )
}

/// Message passing of a cell, relaxed flag store.
fn mp_cell_store(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            wr(&s.c, 1);
            s.y.store(1, rel(bad));
        },
        move || {
            if t.y.load(Acquire) == 1 {
                assert_eq!(rd(&t.c), 1)
            }
        },
    )
}

/// Message passing of a cell, relaxed flag load.
fn mp_cell_load(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            wr(&s.c, 1);
            s.y.store(1, Release);
        },
        move || {
            if t.y.load(acq(bad)) == 1 {
                assert_eq!(rd(&t.c), 1)
            }
        },
    )
}

/// Store buffering, relaxed.
fn sb(bad: bool) {
    let s = sh();
    let (t, u) = (s.clone(), s.clone());
    let o = sc(bad, Relaxed);
    let a = thread::spawn(move || {
        s.x.store(1, o);
        s.y.load(o)
    });
    let b = thread::spawn(move || {
        t.y.store(1, o);
        t.x.load(o)
    });
    let (a, b) = (a.join().unwrap(), b.join().unwrap());
    drop(u);
    assert!(a == 1 || b == 1)
}

/// Store buffering, release/acquire.
fn sb_ra(bad: bool) {
    let s = sh();
    let t = s.clone();
    let (w, r) = (sc(bad, Release), sc(bad, Acquire));
    let a = thread::spawn(move || {
        s.x.store(1, w);
        s.y.load(r)
    });
    let b = thread::spawn(move || {
        t.y.store(1, w);
        t.x.load(r)
    });
    let (a, b) = (a.join().unwrap(), b.join().unwrap());
    assert!(a == 1 || b == 1)
}

/// Load buffering.
fn lb(bad: bool) {
    let s = sh();
    let t = s.clone();
    let a = thread::spawn(move || {
        let r = s.x.load(acq(bad));
        s.y.store(1, rel(bad));
        r
    });
    let b = thread::spawn(move || {
        let r = t.y.load(acq(bad));
        t.x.store(1, rel(bad));
        r
    });
    let (a, b) = (a.join().unwrap(), b.join().unwrap());
    assert!(a == 0 || b == 0)
}

/// IRIW with release/acquire.
fn iriw(bad: bool) {
    let s = sh();
    let (t, u) = (s.clone(), s.clone());
    let v = s.clone();
    let (w, r) = (sc(bad, Release), sc(bad, Acquire));
    let a = thread::spawn(move || {
        s.x.store(1, w);
    });
    let b = thread::spawn(move || {
        t.y.store(1, w);
    });
    let c = thread::spawn(move || (u.x.load(r), u.y.load(r)));
    let d = (v.y.load(r), v.x.load(r));
    let c = c.join().unwrap();
    a.join().unwrap();
    b.join().unwrap();
    assert!(!(c == (1, 0) && d == (1, 0)))
}

/// Write-to-read causality, relaxed.
fn wrc(bad: bool) {
    let s = sh();
    let (t, u) = (s.clone(), s.clone());
    let a = thread::spawn(move || {
        s.x.store(1, rel(bad));
    });
    let b = thread::spawn(move || {
        if t.x.load(acq(bad)) == 1 {
            t.y.store(1, rel(bad))
        }
    });
    if u.y.load(acq(bad)) == 1 {
        assert_eq!(u.x.load(Relaxed), 1)
    }
    a.join().unwrap();
    b.join().unwrap();
}

/// Peterson/Dekker entry with release/acquire, critical section in a cell.
fn dekker_ra(bad: bool) {
    let s = sh();
    let t = s.clone();
    let (w, r) = (sc(bad, Release), sc(bad, Acquire));
    two(
        move || {
            s.x.store(1, w);
            if s.y.load(r) == 0 {
                inc(&s.c)
            }
        },
        move || {
            t.y.store(1, w);
            if t.x.load(r) == 0 {
                inc(&t.c)
            }
        },
    )
}

/// Dekker entry with fence(AcqRel) in place of fence(SeqCst).
fn dekker_fence(bad: bool) {
    let s = sh();
    let t = s.clone();
    let f = sc(bad, AcqRel);
    two(
        move || {
            s.x.store(1, Relaxed);
            fence(f);
            if s.y.load(Relaxed) == 0 {
                s.z.fetch_add(1, Relaxed);
                assert!(s.z.load(Relaxed) < 2)
            }
        },
        move || {
            t.y.store(1, Relaxed);
            fence(f);
            if t.x.load(Relaxed) == 0 {
                t.z.fetch_add(1, Relaxed);
                assert!(t.z.load(Relaxed) < 2)
            }
        },
    )
}

/// Seqlock, reader without the acquire fence before the second look at the sequence.
fn seqlock_reader(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.z.store(1, Relaxed);
            fence(Release);
            s.x.store(1, Relaxed);
            s.y.store(1, Relaxed);
            s.z.store(2, Release);
        },
        move || {
            let q = t.z.load(Acquire);
            let a = t.x.load(Relaxed);
            let b = t.y.load(Relaxed);
            if !bad {
                fence(Acquire)
            }
            if q.is_multiple_of(2) && t.z.load(Relaxed) == q {
                assert_eq!(a, b)
            }
        },
    )
}

/// Seqlock, writer without the release fence behind the odd sequence.
fn seqlock_writer(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.z.store(1, Relaxed);
            if !bad {
                fence(Release)
            }
            s.x.store(1, Relaxed);
            s.y.store(1, Relaxed);
            s.z.store(2, Release);
        },
        move || {
            let q = t.z.load(Acquire);
            let a = t.x.load(Relaxed);
            let b = t.y.load(Relaxed);
            fence(Acquire);
            if q.is_multiple_of(2) && t.z.load(Relaxed) == q {
                assert_eq!(a, b)
            }
        },
    )
}

/// Lock whose unlock is relaxed.
fn unlock_relaxed(bad: bool) {
    let s = sh();
    let t = s.clone();
    let f = move |s: &Sh| {
        if s.x.compare_exchange(0, 1, Acquire, Relaxed).is_ok() {
            inc(&s.c);
            s.x.store(0, rel(bad));
            true
        } else {
            false
        }
    };
    let g = f;
    let u = s.clone();
    let a = thread::spawn(move || f(&s));
    let b = thread::spawn(move || g(&t));
    let n = a.join().unwrap() as usize + b.join().unwrap() as usize;
    assert_eq!(rd(&u.c), n)
}

/// Lock whose acquisition is relaxed.
fn lock_relaxed(bad: bool) {
    let s = sh();
    let t = s.clone();
    let f = move |s: &Sh| {
        if s.x.compare_exchange(0, 1, acq(bad), Relaxed).is_ok() {
            inc(&s.c);
            s.x.store(0, Release);
            true
        } else {
            false
        }
    };
    let g = f;
    let u = s.clone();
    let a = thread::spawn(move || f(&s));
    let b = thread::spawn(move || g(&t));
    let n = a.join().unwrap() as usize + b.join().unwrap() as usize;
    assert_eq!(rd(&u.c), n)
}

/// Reference count lowered with relaxed order, last one frees.
fn arc_relaxed(bad: bool) {
    let s = sh();
    let t = s.clone();
    s.x.store(2, Relaxed);
    let f = move |s: &Sh, own: &UnsafeCell<usize>| {
        wr(own, 1);
        if s.x.fetch_sub(1, ar(bad)) == 1 {
            assert_eq!(rd(&s.c) + rd(&s.d), 2)
        }
    };
    let g = f;
    two(move || f(&s, &s.c), move || g(&t, &t.d))
}

/// The same with Release and without the Acquire fence.
fn arc_no_fence(bad: bool) {
    let s = sh();
    let t = s.clone();
    s.x.store(2, Relaxed);
    let f = move |s: &Sh, own: &UnsafeCell<usize>| {
        wr(own, 1);
        if s.x.fetch_sub(1, Release) == 1 {
            if !bad {
                fence(Acquire)
            }
            assert_eq!(rd(&s.c) + rd(&s.d), 2)
        }
    };
    let g = f;
    two(move || f(&s, &s.c), move || g(&t, &t.d))
}

/// Double-checked initialisation, relaxed fast path.
fn dcl(bad: bool) {
    let s = sh();
    let t = s.clone();
    let f = move |s: &Sh| {
        if s.x.load(acq(bad)) == 0 {
            let g = s.m.lock().unwrap();
            if s.x.load(Relaxed) == 0 {
                wr(&s.c, 7);
                s.x.store(1, Release)
            }
            drop(g);
        }
        assert_eq!(rd(&s.c), 7)
    };
    let g = f;
    two(move || f(&s), move || g(&t))
}

/// Ring of one: tail stored relaxed.
fn spsc(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            wr(&s.c, 5);
            s.y.store(1, rel(bad));
            if s.x.load(Acquire) == 1 {
                wr(&s.c, 6);
                s.y.store(2, rel(bad))
            }
        },
        move || {
            if t.y.load(Acquire) == 1 {
                assert_eq!(rd(&t.c), 5);
                t.x.store(1, Release)
            }
        },
    )
}

/// Two relaxed counters, read in the opposite order.
fn counters(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.fetch_add(1, Relaxed);
            s.y.fetch_add(1, rel(bad));
        },
        move || {
            let b = t.y.load(acq(bad));
            let a = t.x.load(Relaxed);
            assert!(a >= b)
        },
    )
}

/// Published by a relaxed read-modify-write, data atomic.
fn rmw_publish(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.store(1, Relaxed);
            s.y.fetch_add(1, rel(bad));
        },
        move || {
            if t.y.load(Acquire) == 1 {
                assert_eq!(t.x.load(Relaxed), 1)
            }
        },
    )
}

/// 2+2W.
fn w22(bad: bool) {
    let s = sh();
    let (t, u) = (s.clone(), s.clone());
    let (o, p) = (rel(bad), rel(bad));
    two(
        move || {
            s.x.store(1, Relaxed);
            s.y.store(2, o);
        },
        move || {
            t.y.store(1, Relaxed);
            t.x.store(2, p);
        },
    );
    assert!(!(u.x.load(Relaxed) == 1 && u.y.load(Relaxed) == 1))
}

/// Message passing by fences, the release fence is missing.
fn mp_fence(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.store(1, Relaxed);
            if !bad {
                fence(Release)
            }
            s.y.store(1, Relaxed);
        },
        move || {
            if t.y.load(Relaxed) == 1 {
                fence(Acquire);
                assert_eq!(t.x.load(Relaxed), 1)
            }
        },
    )
}

/// Message passing by fences, the acquire fence is missing.
fn mp_fence_acq(bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.store(1, Relaxed);
            fence(Release);
            s.y.store(1, Relaxed);
        },
        move || {
            if t.y.load(Relaxed) == 1 {
                if !bad {
                    fence(Acquire)
                }
                assert_eq!(t.x.load(Relaxed), 1)
            }
        },
    )
}

/// Work-stealing deque: take and steal of the last item without the sequentially consistent fence (`y` is
/// the bottom, `x` the top).
fn chase_lev(bad: bool) {
    let s = sh();
    let t = s.clone();
    s.y.store(1, Relaxed);
    let a = thread::spawn(move || {
        s.y.store(0, Relaxed);
        if !bad {
            fence(SeqCst)
        }
        s.x.load(Relaxed) == 0 && s.x.load(Relaxed) == 0
    });
    let b = thread::spawn(move || {
        let top = t.x.load(Acquire);
        if top == 0 {
            let _ = t.x.compare_exchange(0, 1, SeqCst, Relaxed);
        }
        if !bad {
            fence(SeqCst)
        }
        t.y.load(Acquire) > 0
    });
    let (a, b) = (a.join().unwrap(), b.join().unwrap());
    assert!(!(a && b))
}

/// Coherence of reads of one relaxed variable holds: both twins are right.
fn corr(_bad: bool) {
    let s = sh();
    let t = s.clone();
    two(
        move || {
            s.x.store(1, Relaxed);
            s.x.store(2, Relaxed);
        },
        move || {
            let a = t.x.load(Relaxed);
            let b = t.x.load(Relaxed);
            assert!(a <= b)
        },
    )
}

pub type Twins = (&'static str, fn(bool));

/// All of them, by name.
pub const ALL: &[Twins] = &[
    ("mp_store", mp_store),
    ("mp_load", mp_load),
    ("mp_cell_store", mp_cell_store),
    ("mp_cell_load", mp_cell_load),
    ("sb", sb),
    ("sb_ra", sb_ra),
    ("lb", lb),
    ("iriw", iriw),
    ("wrc", wrc),
    ("dekker_ra", dekker_ra),
    ("dekker_fence", dekker_fence),
    ("seqlock_reader", seqlock_reader),
    ("seqlock_writer", seqlock_writer),
    ("unlock_relaxed", unlock_relaxed),
    ("lock_relaxed", lock_relaxed),
    ("arc_relaxed", arc_relaxed),
    ("arc_no_fence", arc_no_fence),
    ("dcl", dcl),
    ("spsc", spsc),
    ("counters", counters),
    ("rmw_publish", rmw_publish),
    ("w22", w22),
    ("mp_fence", mp_fence),
    ("mp_fence_acq", mp_fence_acq),
    ("chase_lev", chase_lev),
    ("corr", corr),
];
