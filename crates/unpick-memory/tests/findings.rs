//! What the shadow finds in small programs, and what it keeps quiet about.

#[path = "model/owned.rs"]
mod owned;

use AccessKind::{AtomicRead, AtomicWrite, Read, Write};
use owned::Owned;
use unpick_memory::{Access, AccessKind, Clocks, Finding};
use unpick_trace::{ObjectId, TaskId};

const ADDRESS: usize = 0x5555_5555_4000;
const LOCK: ObjectId = ObjectId(0);

/// A program of a main task and two more.
struct Program {
    owned: Owned,
    clocks: Clocks,
}

impl Program {
    fn new() -> Program {
        let mut program = Program::before_spawn();
        program.clocks.begin(Some(TaskId(0)), TaskId(1));
        program.clocks.begin(Some(TaskId(0)), TaskId(2));
        program
    }

    fn before_spawn() -> Program {
        let mut clocks = Clocks::new();
        clocks.begin(None, TaskId(0));
        Program {
            owned: Owned::new(),
            clocks,
        }
    }

    /// An access at an offset; the place in the code is 100 times the task plus the offset.
    fn access(&mut self, task: u32, kind: AccessKind, at: usize, size: usize) -> Option<Finding> {
        let access = self.expected(task, kind, at, size);
        let Program { owned, clocks } = self;
        let (address, pc) = (access.address, access.pc);
        owned
            .shadow
            .access(clocks, access.task, address, size, kind, pc)
    }

    fn expected(&self, task: u32, kind: AccessKind, at: usize, size: usize) -> Access {
        Access {
            task: TaskId(task),
            pc: 100 * task as usize + at + 1,
            kind,
            address: ADDRESS + at,
            size,
        }
    }

    fn free(&mut self, task: u32, at: usize, size: usize) -> Option<Finding> {
        let pc = 100 * task as usize + at + 1;
        let Program { owned, clocks } = self;
        owned
            .shadow
            .free(TaskId(task), ADDRESS + at, size, pc, clocks)
    }

    /// From what one task has done to what another one does.
    fn hand_over(&mut self, from: u32, to: u32) {
        self.clocks.release(TaskId(from), LOCK);
        self.clocks.acquire(TaskId(to), LOCK);
    }

    fn shared(&self) -> Vec<usize> {
        self.owned.shadow.shared().export()
    }
}

#[test]
fn a_race_names_both_accesses() {
    let mut program = Program::new();
    assert_eq!(program.access(1, Write, 2, 4), None);
    let earlier = program.expected(1, Write, 2, 4);
    let later = program.expected(2, Read, 4, 1);
    let finding = program.access(2, Read, 4, 1);
    assert_eq!(finding, Some(Finding::Race { earlier, later }));
}

#[test]
fn what_races_and_what_does_not() {
    for (one, other, races) in [
        (Read, Read, false),
        (Read, Write, true),
        (Write, Read, true),
        (Write, Write, true),
        (AtomicRead, AtomicWrite, false),
        (AtomicWrite, AtomicWrite, false),
        (AtomicRead, Read, false),
        (Read, AtomicRead, false),
        (AtomicWrite, Read, true),
        (Read, AtomicWrite, true),
        (AtomicWrite, Write, true),
        (AtomicRead, Write, true),
        (Write, AtomicRead, true),
        (Write, AtomicWrite, true),
    ] {
        let mut program = Program::new();
        assert_eq!(program.access(1, one, 0, 8), None);
        let finding = program.access(2, other, 0, 8);
        assert_eq!(finding.is_some(), races, "{one:?} {other:?}");
        let mut program = Program::new();
        program.access(1, one, 0, 8);
        program.hand_over(1, 2);
        assert_eq!(program.access(2, other, 0, 8), None);
    }
}

#[test]
fn neighbours_in_a_word_are_different_variables() {
    let mut program = Program::new();
    for round in 0..3 {
        for byte in 0..8 {
            let task = (byte % 3) as u32;
            assert_eq!(program.access(task, Write, byte, 1), None, "{round}");
        }
    }
    assert!(program.access(0, Read, 3, 2).is_some());
    let mut program = Program::new();
    assert_eq!(program.access(1, Write, 0, 4), None);
    assert_eq!(program.access(2, Write, 4, 4), None);
    assert_eq!(program.shared(), []);
}

#[test]
fn unaligned_and_large_accesses_meet_where_they_overlap() {
    let mut program = Program::new();
    assert_eq!(program.access(1, Write, 5, 8), None);
    assert_eq!(program.access(2, Write, 0, 5), None);
    assert_eq!(program.access(2, Write, 13, 3), None);
    assert!(program.access(2, Read, 12, 1).is_some());
    let mut program = Program::new();
    assert_eq!(program.access(1, Write, 3, 5_000), None);
    assert_eq!(program.access(2, Read, 0, 3), None);
    assert_eq!(program.access(2, Read, 5_003, 9_000), None);
    assert!(program.access(2, Read, 5_002, 1).is_some());
}

#[test]
fn a_write_races_with_each_of_many_readers() {
    for unordered in 1..12 {
        let mut program = Program::new();
        for task in 3..12 {
            program.clocks.begin(Some(TaskId(0)), TaskId(task));
        }
        for task in 1..12 {
            assert_eq!(program.access(task, Read, 0, 8), None);
        }
        for task in (1..12).filter(|task| *task != unordered) {
            program.hand_over(task, 0);
        }
        let earlier = program.expected(unordered, Read, 0, 8);
        let later = program.expected(0, Write, 0, 8);
        let finding = program.access(0, Write, 0, 8);
        assert_eq!(finding, Some(Finding::Race { earlier, later }));
    }
}

#[test]
fn an_atomic_access_does_not_hide_a_plain_one() {
    let mut program = Program::new();
    program.access(1, Write, 0, 8);
    program.access(1, AtomicWrite, 0, 8);
    assert!(program.access(2, AtomicRead, 0, 8).is_some());
    let mut program = Program::new();
    program.access(1, AtomicWrite, 0, 8);
    program.access(1, Read, 0, 8);
    assert!(program.access(2, AtomicWrite, 0, 8).is_some());
}

#[test]
fn freed_memory_is_not_to_be_used_even_in_order() {
    let mut program = Program::new();
    program.access(1, Write, 0, 40);
    program.hand_over(1, 2);
    assert_eq!(program.free(2, 0, 40), None);
    program.hand_over(2, 1);
    assert_eq!(program.access(1, Read, 40, 8), None);
    let finding = program.access(1, AtomicRead, 36, 8);
    let freed = program.expected(2, Write, 32, 8);
    let freed = Access { pc: 201, ..freed };
    let used = program.expected(1, AtomicRead, 36, 8);
    assert_eq!(finding, Some(Finding::UseAfterFree { freed, used }));
    // By the one who freed it, and by freeing it again.
    let used = program.access(2, Write, 0, 1);
    assert!(matches!(used, Some(Finding::UseAfterFree { .. })));
    let again = program.free(2, 0, 40);
    assert!(matches!(again, Some(Finding::UseAfterFree { .. })));
    program.owned.shadow.allocate(ADDRESS, 40);
    assert_eq!(program.access(1, Write, 0, 40), None);
}

#[test]
fn who_frees_memory_must_not_use_it_either() {
    for size in [8, 4096] {
        let mut program = Program::new();
        program.access(1, Write, 0, 8);
        assert_eq!(program.free(1, 0, size), None);
        for kind in [Read, Write, AtomicRead, AtomicWrite] {
            let used = program.access(1, kind, 0, 8);
            assert!(matches!(used, Some(Finding::UseAfterFree { .. })));
        }
    }
}

#[test]
fn a_free_races_with_an_access_that_it_does_not_know() {
    let mut program = Program::new();
    program.access(1, Read, 16, 4);
    let earlier = program.expected(1, Read, 16, 4);
    let later = program.expected(2, Write, 0, 64);
    let finding = program.free(2, 0, 64);
    assert_eq!(finding, Some(Finding::Race { earlier, later }));
}

#[test]
fn a_whole_page_freed_and_partly_allocated_again() {
    let mut program = Program::new();
    assert_eq!(program.free(1, 0, 3 * 4096), None);
    program.owned.shadow.allocate(ADDRESS + 4096 + 100, 50);
    assert_eq!(program.access(2, Write, 4096 + 100, 50), None);
    for at in [0, 4096 + 99, 4096 + 150, 8192 - 1, 3 * 4096 - 1] {
        let used = program.access(2, Read, at, 1);
        assert!(matches!(used, Some(Finding::UseAfterFree { .. })), "{at}");
    }
    assert_eq!(program.access(2, Read, 3 * 4096, 1), None);
}

#[test]
fn memory_handed_out_again_has_no_past() {
    for size in [24, 4096 * 2] {
        let mut program = Program::new();
        program.access(1, Write, 0, size);
        program.owned.shadow.allocate(ADDRESS, size);
        assert_eq!(program.access(2, Write, 0, size), None);
        assert_eq!(program.shared(), []);
        program.access(1, Read, 0, size);
        assert_eq!(program.shared(), [101, 201]);
        program.owned.shadow.allocate(ADDRESS, size);
        program.access(2, Write, 1, 1);
        assert_eq!(program.shared(), [101, 201]);
    }
}

#[test]
fn what_a_task_did_alone_is_known_when_another_one_comes() {
    let mut program = Program::new();
    program.owned.shadow.keep_private(TaskId(1), ADDRESS, 64);
    assert_eq!(program.access(1, Write, 8, 8), None);
    program.hand_over(1, 2);
    assert_eq!(program.access(1, Write, 16, 4), None);
    assert_eq!(program.access(2, Read, 8, 8), None);
    let earlier = program.expected(1, Write, 16, 4);
    let later = program.expected(2, Read, 18, 1);
    let expected = Some(Finding::Race { earlier, later });
    assert_eq!(program.access(2, Read, 18, 1), expected);
}

#[test]
fn what_lies_below_the_memory_that_another_one_came_to_is_not_forgotten() {
    let mut program = Program::new();
    program.owned.shadow.keep_private(TaskId(1), ADDRESS, 256);
    // One access to both sides of the place from which on the memory is lost.
    assert_eq!(program.access(1, Write, 120, 16), None);
    program.hand_over(1, 2);
    assert_eq!(program.access(1, Write, 0, 8), None);
    assert_eq!(program.access(2, Read, 128, 8), None);
    assert_eq!(program.access(1, Write, 120, 4), None);
    assert_eq!(program.access(2, Read, 124, 4), None);
    let earlier = program.expected(1, Write, 120, 4);
    let later = program.expected(2, Read, 120, 8);
    let expected = Some(Finding::Race { earlier, later });
    assert_eq!(program.access(2, Read, 120, 8), expected);
    let earlier = program.expected(1, Write, 0, 8);
    let later = program.expected(2, Write, 0, 8);
    let expected = Some(Finding::Race { earlier, later });
    assert_eq!(program.access(2, Write, 0, 8), expected);
}

#[test]
fn a_stack_that_another_one_came_to_has_no_past_either() {
    let mut program = Program::new();
    program.owned.shadow.keep_private(TaskId(1), ADDRESS, 256);
    program.access(1, Write, 8, 8);
    program.access(1, Write, 200, 8);
    program.access(2, Read, 136, 8);
    program.owned.shadow.recycle(ADDRESS, 256);
    program.owned.shadow.keep_private(TaskId(2), ADDRESS, 256);
    for at in [8, 136, 200] {
        assert_eq!(program.access(2, Write, at, 8), None, "{at}");
        assert_eq!(program.access(2, Read, at, 8), None, "{at}");
    }
}

#[test]
fn a_stack_that_goes_to_another_task_has_no_past() {
    for somebody_came in [false, true] {
        let mut program = Program::new();
        program.owned.shadow.keep_private(TaskId(1), ADDRESS, 64);
        program.access(1, Write, 8, 8);
        if somebody_came {
            program.access(2, Read, 32, 8);
        }
        program.owned.shadow.recycle(ADDRESS, 64);
        program.owned.shadow.keep_private(TaskId(2), ADDRESS, 64);
        assert_eq!(program.access(2, Write, 8, 8), None);
        assert_eq!(program.access(0, Read, 40, 8), None);
        assert_eq!(program.access(2, Write, 16, 8), None);
    }
}

#[test]
fn an_execution_knows_nothing_of_the_last_one() {
    let mut program = Program::new();
    program.access(1, Write, 0, 8);
    program.free(1, 4096, 4096);
    program.free(1, 64, 8);
    program.owned.shadow.begin_execution();
    for at in [0, 64, 4096, 5000] {
        assert_eq!(program.access(2, Write, at, 8), None);
    }
}

#[test]
fn places_are_shared_in_order_or_not() {
    let mut program = Program::new();
    program.access(1, Write, 0, 8);
    program.hand_over(1, 2);
    assert_eq!(program.shared(), []);
    program.access(2, Read, 0, 4);
    assert_eq!(program.shared(), [101, 201]);
    // Bytes that nobody else uses, and readers alone, share nothing.
    program.access(2, Write, 8, 4);
    program.access(1, Write, 12, 4);
    program.access(1, Read, 16, 4);
    program.access(2, Read, 16, 4);
    assert_eq!(program.shared(), [101, 201]);
    // Once shared, also those that change nothing about what is remembered.
    program.access(2, Read, 1, 2);
    assert_eq!(program.shared(), [101, 201, 202]);
    program.owned.shadow.begin_execution();
    assert_eq!(program.shared(), [101, 201, 202]);
}

#[test]
fn preparing_and_collecting_is_not_sharing() {
    let mut program = Program::before_spawn();
    program.access(0, Write, 0, 8);
    program.access(0, Write, 8, 8);
    program.clocks.begin(Some(TaskId(0)), TaskId(1));
    program.access(1, Read, 0, 8);
    program.access(1, Write, 8, 8);
    assert_eq!(program.shared(), []);
    program.clocks.join(TaskId(0), TaskId(1));
    program.access(0, Read, 8, 8);
    assert_eq!(program.shared(), []);
    // The creator itself is concurrent once it has created.
    let mut program = Program::new();
    program.access(0, Write, 0, 8);
    program.access(1, Read, 0, 8);
    assert_eq!(program.shared(), [1, 101]);
}

#[test]
fn who_is_alone_shares_nothing_more() {
    let mut program = Program::new();
    program.access(1, AtomicWrite, 0, 8);
    program.access(2, AtomicWrite, 0, 8);
    program.clocks.join(TaskId(0), TaskId(1));
    program.clocks.join(TaskId(0), TaskId(2));
    program.access(0, Read, 0, 8);
    program.access(0, Read, 0, 8);
    assert_eq!(program.shared(), [101, 201]);
}

#[test]
fn tasks_that_cannot_be_numbered_and_ends_of_memory_are_no_trouble() {
    let mut program = Program::new();
    program.access(1, Write, 0, 8);
    assert_eq!(program.access(65_536 + 1, Write, 0, 8), None);
    assert_eq!(program.access(2, Write, 8, 0), None);
    let last = usize::MAX - 3;
    let Program { owned, clocks } = &mut program;
    let shadow = &mut owned.shadow;
    assert_eq!(shadow.access(clocks, TaskId(1), last, 100, Write, 7), None);
    shadow.allocate(last, usize::MAX);
    assert_eq!(shadow.access(clocks, TaskId(2), last, 2, Write, 8), None);
    assert_eq!(shadow.free(TaskId(2), last, 2, 9, clocks), None);
}
