//! Work-sharing constructs: loops whose iterations are handed out, sections, `single`.
//!
//! Loops with a static schedule are not here: the compiler writes out which thread runs what.

use super::{Body, barrier, change, openmp, openmp_wide, parallel};
use crate::runtime::{Runtime, runtime};
use core::ffi::{c_long, c_void};
use core::ptr::null_mut;
use unpick_engine::Shape;
use unpick_trace::ObjectId;

/// What is left of a construct.
#[derive(Clone, Copy)]
pub struct Share {
    /// The variable that counts; made when the first thread comes.
    object: Option<ObjectId>,
    /// The next iteration, the one behind the last, and how far they are apart.
    next: i128,
    end: i128,
    step: i128,
    /// Iterations that are handed out at once, at least.
    chunk: i128,
    /// Whether there are more at first, a share of what is left.
    is_guided: bool,
    /// What it is called in reports.
    name: &'static str,
}

/// How iterations are handed out.
#[derive(Clone, Copy)]
enum Schedule {
    Dynamic,
    Guided,
}

impl Share {
    fn new((start, end, step): (i128, i128, i128), chunk: i128, schedule: Schedule) -> Share {
        Share {
            object: None,
            next: start,
            end,
            step,
            chunk: chunk.max(1),
            is_guided: matches!(schedule, Schedule::Guided),
            name: "the iterations of the loop",
        }
    }

    fn sections(count: u32) -> Share {
        let bounds = (1, i128::from(count) + 1, 1);
        Share {
            name: "the sections",
            ..Share::new(bounds, 1, Schedule::Dynamic)
        }
    }

    fn single() -> Share {
        Share {
            name: "the single block",
            ..Share::new((0, 1, 1), 1, Schedule::Dynamic)
        }
    }

    /// Iterations that are left.
    fn left(&self) -> i128 {
        let distance = self.end - self.next;
        match self.step.signum() == distance.signum() {
            true => (distance + self.step - self.step.signum()) / self.step,
            false => 0,
        }
    }

    /// Takes iterations for one of the threads of a team: the first one, and the one behind the last.
    fn take(&mut self, size: u32) -> Option<(i128, i128)> {
        let left = self.left();
        let size = i128::from(size);
        let count = match self.is_guided {
            true => self.chunk.max((left + size - 1) / size),
            false => self.chunk,
        };
        if left == 0 {
            return None;
        }
        let start = self.next;
        self.next = match count < left {
            true => start + count * self.step,
            false => self.end,
        };
        Some((start, self.next))
    }
}

/// Begins a construct in the running thread: the first one of the team makes it known.
fn begin(share: Share) {
    let this = runtime();
    let team = this.team();
    let member = this.member();
    let number = member.share_count;
    (member.share, member.share_count) = (number, number + 1);
    let shares = &mut this.openmp.teams[team].shares;
    if shares.len() == number {
        shares.push(share);
    }
}

impl Runtime {
    /// The variable of a construct.
    fn object_of_share(&mut self, team: usize, number: usize) -> ObjectId {
        let Share { object, name, .. } = self.openmp.teams[team].shares[number];
        if let Some(object) = object {
            return object;
        }
        let object = self.add_object(Shape::Variable, 0);
        self.execution.name_object(object, name);
        self.openmp.teams[team].shares[number].object = Some(object);
        object
    }
}

/// Takes iterations of the construct that the running thread is in.
fn take(pc: usize) -> Option<(i128, i128)> {
    let this = runtime();
    let team = this.team();
    let number = this.member().share;
    let object = this.object_of_share(team, number);
    change(object, pc);
    let this = runtime();
    let size = this.openmp.teams[team].size;
    let share = &mut this.openmp.teams[team].shares[number];
    let found = share.next;
    let taken = share.take(size);
    let left = share.next;
    if !this.is_alone() {
        this.execution.observe_store(left as u64);
        let task = this.current;
        this.execution.observe(task, found as u64, found != left);
    }
    taken
}

/// The same, put where the program wants it; whether there were any.
///
/// # Safety
///
/// The program passes two places.
unsafe fn take_into<T>(start: *mut T, end: *mut T, as_its: impl Fn(i128) -> T, pc: usize) -> bool {
    let Some(taken) = take(pc) else {
        return false;
    };
    // SAFETY: by the caller.
    unsafe {
        start.write(as_its(taken.0));
        end.write(as_its(taken.1));
    }
    true
}

/// The number of the next section; zero if there is none.
fn next_section(pc: usize) -> u32 {
    take(pc).map_or(0, |(number, _)| number as u32)
}

/// The bounds of a loop of unsigned numbers, which may run downwards.
fn unsigned(is_upward: bool, start: u64, end: u64, step: u64) -> (i128, i128, i128) {
    let step = match is_upward {
        true => i128::from(step),
        false => i128::from(step as i64),
    };
    (i128::from(start), i128::from(end), step)
}

/// Loops that are handed out in one way, with the sizes of chunks given.
macro_rules! loops {
    ($($schedule:ident $start:ident $next:ident $unsigned:ident $unsigned_next:ident $parallel:ident;)*) => {
        openmp_wide! {
            $(fn $start(start: c_long, end: c_long, step: c_long, chunk: c_long,
                        from: *mut c_long, to: *mut c_long) -> bool {
                let bounds = (start.into(), end.into(), step.into());
                begin(Share::new(bounds, chunk.into(), Schedule::$schedule));
                take_into(from, to, |number| number as c_long, 0)
            }

            fn $unsigned(up: bool, start: u64, end: u64, step: u64, chunk: u64,
                         from: *mut u64, to: *mut u64) -> bool {
                let bounds = unsigned(up, start, end, step);
                begin(Share::new(bounds, chunk.into(), Schedule::$schedule));
                take_into(from, to, |number| number as u64, 0)
            }

            fn $parallel(body: Body, data: *mut c_void, threads: u32, start: c_long, end: c_long,
                         step: c_long, chunk: c_long, flags: u32) {
                let bounds = (start.into(), end.into(), step.into());
                let share = Share::new(bounds, chunk.into(), Schedule::$schedule);
                parallel(body, data, threads, Some(share), 0);
            })*
        }

        openmp! {
            $(fn $next(from: *mut c_long, to: *mut c_long; pc) -> bool {
                take_into(from, to, |number| number as c_long, pc)
            }

            fn $unsigned_next(from: *mut u64, to: *mut u64; pc) -> bool {
                take_into(from, to, |number| number as u64, pc)
            })*
        }
    };
}

loops! {
    Dynamic GOMP_loop_dynamic_start GOMP_loop_dynamic_next GOMP_loop_ull_dynamic_start
        GOMP_loop_ull_dynamic_next GOMP_parallel_loop_dynamic;
    Dynamic GOMP_loop_nonmonotonic_dynamic_start GOMP_loop_nonmonotonic_dynamic_next
        GOMP_loop_ull_nonmonotonic_dynamic_start GOMP_loop_ull_nonmonotonic_dynamic_next
        GOMP_parallel_loop_nonmonotonic_dynamic;
    Guided GOMP_loop_guided_start GOMP_loop_guided_next GOMP_loop_ull_guided_start
        GOMP_loop_ull_guided_next GOMP_parallel_loop_guided;
    Guided GOMP_loop_nonmonotonic_guided_start GOMP_loop_nonmonotonic_guided_next
        GOMP_loop_ull_nonmonotonic_guided_start GOMP_loop_ull_nonmonotonic_guided_next
        GOMP_parallel_loop_nonmonotonic_guided;
}

/// Loops whose schedule is chosen when the program runs: one iteration at a time.
macro_rules! runtime_loops {
    ($($start:ident $next:ident $unsigned:ident $unsigned_next:ident $parallel:ident;)*) => {
        openmp_wide! {
            $(fn $unsigned(up: bool, start: u64, end: u64, step: u64, from: *mut u64, to: *mut u64) -> bool {
                begin(Share::new(unsigned(up, start, end, step), 1, Schedule::Dynamic));
                take_into(from, to, |number| number as u64, 0)
            }

            fn $parallel(body: Body, data: *mut c_void, threads: u32, start: c_long, end: c_long,
                         step: c_long, flags: u32) {
                let share = Share::new((start.into(), end.into(), step.into()), 1, Schedule::Dynamic);
                parallel(body, data, threads, Some(share), 0);
            })*
        }

        openmp! {
            $(fn $start(start: c_long, end: c_long, step: c_long, from: *mut c_long, to: *mut c_long; pc) -> bool {
                begin(Share::new((start.into(), end.into(), step.into()), 1, Schedule::Dynamic));
                take_into(from, to, |number| number as c_long, pc)
            }

            fn $next(from: *mut c_long, to: *mut c_long; pc) -> bool {
                take_into(from, to, |number| number as c_long, pc)
            }

            fn $unsigned_next(from: *mut u64, to: *mut u64; pc) -> bool {
                take_into(from, to, |number| number as u64, pc)
            })*
        }
    };
}

runtime_loops! {
    GOMP_loop_runtime_start GOMP_loop_runtime_next GOMP_loop_ull_runtime_start
        GOMP_loop_ull_runtime_next GOMP_parallel_loop_runtime;
    GOMP_loop_nonmonotonic_runtime_start GOMP_loop_nonmonotonic_runtime_next
        GOMP_loop_ull_nonmonotonic_runtime_start GOMP_loop_ull_nonmonotonic_runtime_next
        GOMP_parallel_loop_nonmonotonic_runtime;
    GOMP_loop_maybe_nonmonotonic_runtime_start GOMP_loop_maybe_nonmonotonic_runtime_next
        GOMP_loop_ull_maybe_nonmonotonic_runtime_start
        GOMP_loop_ull_maybe_nonmonotonic_runtime_next
        GOMP_parallel_loop_maybe_nonmonotonic_runtime;
}

openmp! {
    fn GOMP_loop_end(; pc) {
        barrier(pc);
    }

    fn GOMP_loop_end_nowait(; pc) {}

    fn GOMP_sections_start(count: u32; pc) -> u32 {
        begin(Share::sections(count));
        next_section(pc)
    }

    fn GOMP_sections_next(; pc) -> u32 {
        next_section(pc)
    }

    fn GOMP_sections_end(; pc) {
        barrier(pc);
    }

    fn GOMP_sections_end_nowait(; pc) {}

    fn GOMP_parallel_sections(body: Body, data: *mut c_void, threads: u32, count: u32, flags: u32; pc) {
        parallel(body, data, threads, Some(Share::sections(count)), pc);
    }

    fn GOMP_single_start(; pc) -> bool {
        begin(Share::single());
        take(pc).is_some()
    }

    fn GOMP_single_copy_start(; pc) -> *mut c_void {
        begin(Share::single());
        if take(pc).is_some() {
            return null_mut();
        }
        barrier(pc);
        let this = runtime();
        let team = this.team();
        this.openmp.teams[team].copied as *mut c_void
    }

    fn GOMP_single_copy_end(data: *mut c_void; pc) {
        let this = runtime();
        let team = this.team();
        this.openmp.teams[team].copied = data as usize;
        barrier(pc);
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn all(mut share: Share, size: u32) -> alloc::vec::Vec<(i128, i128)> {
        core::iter::from_fn(|| share.take(size)).collect()
    }

    #[test]
    fn every_iteration_is_handed_out_once() {
        let share = |bounds, chunk, schedule| Share::new(bounds, chunk, schedule);
        let upward = all(share((0, 5, 1), 2, Schedule::Dynamic), 2);
        assert_eq!(upward, [(0, 2), (2, 4), (4, 5)]);
        let downward = all(share((9, 0, -4), 2, Schedule::Dynamic), 2);
        assert_eq!(downward, [(9, 1), (1, 0)]);
        let guided = all(share((0, 8, 1), 1, Schedule::Guided), 2);
        assert_eq!(guided, [(0, 4), (4, 6), (6, 7), (7, 8)]);
        assert_eq!(all(share((3, 3, 1), 1, Schedule::Dynamic), 2), []);
        assert_eq!(all(share((4, 3, 1), 1, Schedule::Guided), 2), []);
        let wide = u64::MAX;
        let wide = all(
            share(unsigned(true, wide - 2, wide, 1), 9, Schedule::Dynamic),
            2,
        );
        assert_eq!(wide.len(), 1);
        assert_eq!(all(Share::sections(3), 4), [(1, 2), (2, 3), (3, 4)]);
    }
}
