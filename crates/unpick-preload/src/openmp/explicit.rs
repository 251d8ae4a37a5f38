//! Explicit tasks: a thread puts them down, and threads that wait take them up, the oldest first.
//!
//! Threads wait at barriers, for the children of a task, and at the end of a group. What they share is changed between
//! two operations, so that it needs no lock; an operation on the board of the team stands for every change and every
//! look, so that reductions know of them.

use super::{Body, Part, change_board, openmp, openmp_wide, tell_news, wait_for_news};
use crate::allocation;
use crate::away;
use crate::runtime::{Runtime, operate_alone, refuse, runtime};
use core::ffi::{c_int, c_long, c_void};
use unpick_engine::Shape;
use unpick_protocol::TroubleKind;
use unpick_trace::{ObjectId, OpKind};

/// Flags that change what a task waits for, which is not modelled.
const DEPENDS: u32 = 1 << 3;
const DETACHES: u32 = 1 << 13;

/// Bytes to which the data of a task are aligned at most.
const ALIGN_MAX: usize = 4096;

/// A task of a team: one for each thread, which runs the region, and the explicit ones.
#[derive(Clone, Copy)]
pub struct Record {
    /// What its creator knew when it made it, and what its children knew at their end.
    pub object: ObjectId,
    parent: usize,
    group: Option<usize>,
    /// Children that have not ended.
    children: u32,
    body: Option<Body>,
    data: usize,
}

impl Default for Record {
    fn default() -> Record {
        Record {
            object: ObjectId::NONE,
            parent: 0,
            group: None,
            children: 0,
            body: None,
            data: 0,
        }
    }
}

/// A `taskgroup`.
#[derive(Clone, Copy)]
pub struct Group {
    outer: Option<usize>,
    /// Tasks made in it, and tasks made in these, that have not ended.
    pending: u32,
    object: ObjectId,
}

/// Where a thread waits for tasks, and so which of them it may take up.
#[derive(Clone, Copy)]
enum Wait {
    Barrier { generation: u64 },
    Children,
    Group(usize),
}

impl Runtime {
    /// Whether what a thread waits for has come.
    fn is_over(&mut self, team: usize, wait: Wait) -> bool {
        let record = self.member().record;
        let team = &self.openmp.teams[team];
        match wait {
            Wait::Barrier { generation } => team.generation != generation,
            Wait::Children => team.records[record].children == 0,
            Wait::Group(group) => team.groups[group].pending == 0,
        }
    }

    /// Takes a task up that a thread may run while it waits.
    fn take_up(&mut self, team: usize, wait: Wait) -> Option<usize> {
        let record = self.member().record;
        let team = &mut self.openmp.teams[team];
        let place = match wait {
            Wait::Barrier { .. } => 0,
            Wait::Children => {
                let is_child = |&task: &usize| team.records[task].parent == record;
                team.queue.iter().position(is_child)?
            }
            Wait::Group(group) => {
                let is_in =
                    |&task: &usize| is_within(&team.groups, team.records[task].group, group);
                team.queue.iter().position(is_in)?
            }
        };
        team.queue.remove(place)
    }
}

/// Whether a group is another one, or lies in it.
fn is_within(groups: &[Group], group: Option<usize>, other: usize) -> bool {
    let mut at = group;
    while let Some(group) = at {
        if group == other {
            return true;
        }
        at = groups[group].outer;
    }
    false
}

/// Waits, and runs tasks meanwhile. The running thread has just performed an operation on the board.
fn wait_for(team: usize, wait: Wait, pc: usize) {
    loop {
        let this = runtime();
        if this.is_over(team, wait) {
            return;
        }
        if let Some(task) = this.take_up(team, wait) {
            run(team, task, pc);
            continue;
        }
        if let Wait::Barrier { .. } = wait
            && is_last(team)
        {
            open_barrier(team, pc);
            return;
        }
        wait_for_news(team, pc);
    }
}

/// Waits for all threads of a team and for all its tasks.
pub fn gather(team: usize, pc: usize) {
    change_board(team, pc);
    let this = runtime();
    let (task, board) = (this.current, this.object_of_team(team, Part::Board));
    this.clocks.release(task, board);
    let shared = &mut this.openmp.teams[team];
    shared.arrived += 1;
    let generation = shared.generation;
    wait_for(team, Wait::Barrier { generation }, pc);
    runtime().clocks.acquire(task, board);
}

fn is_last(team: usize) -> bool {
    let team = &runtime().openmp.teams[team];
    team.arrived == team.size && team.pending == 0
}

fn open_barrier(team: usize, pc: usize) {
    let shared = &mut runtime().openmp.teams[team];
    shared.generation += 1;
    shared.arrived = 0;
    tell_news(team, pc);
}

/// Runs a task that was put down, in the running thread.
fn run(team: usize, task: usize, pc: usize) {
    let this = runtime();
    let record = this.openmp.teams[team].records[task];
    this.clocks.acquire(this.current, record.object);
    let member = this.member();
    let (outer, group) = (member.record, member.group);
    (member.record, member.group) = (task, record.group);
    // SAFETY: the program asked for it.
    unsafe {
        record.body.expect("internal error: a task without a body")(record.data as *mut c_void)
    };
    away::come_back();
    if record.data != 0 {
        allocation::release(record.data as *mut c_void, pc);
    }
    change_board(team, pc);
    end(team, record);
    let member = runtime().member();
    (member.record, member.group) = (outer, group);
    tell_news(team, pc);
}

/// A task has ended: whoever waits for it knows what it did.
fn end(team: usize, record: Record) {
    let this = runtime();
    let (task, board) = (this.current, this.object_of_team(team, Part::Board));
    this.clocks.release(task, board);
    let team = &mut this.openmp.teams[team];
    team.pending -= 1;
    let parent = &mut team.records[record.parent];
    parent.children -= 1;
    this.clocks.release(task, parent.object);
    let mut group = record.group;
    while let Some(number) = group {
        let one = &mut team.groups[number];
        one.pending -= 1;
        this.clocks.release(task, one.object);
        group = one.outer;
    }
}

/// What a task begins with.
struct Data {
    data: *mut c_void,
    /// How it is copied, if not byte by byte.
    copy: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
    size: usize,
    align: usize,
}

impl Data {
    /// A copy on the heap of the program.
    ///
    /// # Safety
    ///
    /// The program passes what it wants to be copied.
    unsafe fn copied(&self, pc: usize) -> *mut c_void {
        let align = self.align.clamp(16, ALIGN_MAX).next_power_of_two();
        let copy = allocation::allocate(self.size.max(1), align, pc);
        // SAFETY: by the caller, and there is room.
        unsafe {
            match self.copy {
                Some(function) => function(copy, self.data),
                None => {
                    core::ptr::copy_nonoverlapping(self.data.cast::<u8>(), copy.cast(), self.size)
                }
            }
        }
        copy
    }
}

/// Runs a task at once, in the thread that makes it.
///
/// # Safety
///
/// The program passes a task.
unsafe fn run_at_once(body: Body, data: &Data, pc: usize) {
    // SAFETY: by the caller.
    unsafe {
        match data.copy {
            None => body(data.data),
            Some(_) => {
                let copy = data.copied(pc);
                body(copy);
                allocation::release(copy, pc);
            }
        }
    }
    away::come_back();
}

/// Puts a task down.
///
/// # Safety
///
/// The program passes a task.
unsafe fn put_down(team: usize, body: Body, data: &Data, pc: usize) {
    // SAFETY: by the caller.
    let copy = unsafe { data.copied(pc) };
    change_board(team, pc);
    let this = runtime();
    let object = this.add_object(Shape::Variable, 0);
    this.clocks.release(this.current, object);
    let (parent, group) = (this.member().record, this.member().group);
    let team_of = &mut this.openmp.teams[team];
    let record = Record {
        object,
        parent,
        group,
        children: 0,
        body: Some(body),
        data: copy as usize,
    };
    team_of.records.push(record);
    team_of.records[parent].children += 1;
    team_of.pending += 1;
    let mut at = group;
    while let Some(number) = at {
        team_of.groups[number].pending += 1;
        at = team_of.groups[number].outer;
    }
    team_of.queue.push_back(team_of.records.len() - 1);
    tell_news(team, pc);
}

openmp_wide! {
    fn GOMP_task(body: Body, data: *mut c_void, copy: Option<unsafe extern "C" fn(*mut c_void, *mut c_void)>,
                 size: c_long, align: c_long, is_deferred: bool, flags: u32, depend: *mut c_void,
                 priority: c_int, detach: *mut c_void) {
        for (flag, what) in [(DEPENDS, "a task with dependences"), (DETACHES, "a detached task")] {
            if flags & flag != 0 {
                refuse(TroubleKind::Unmodelled, what, 0);
            }
        }
        let data = Data { data, copy, size: size as usize, align: align as usize };
        let this = runtime();
        let team = this.team();
        match is_deferred && this.openmp.teams[team].size > 1 {
            true => put_down(team, body, &data, 0),
            false => run_at_once(body, &data, 0),
        }
    }
}

openmp! {
    fn GOMP_taskwait(; pc) {
        let this = runtime();
        let team = this.team();
        if this.openmp.teams[team].size > 1 {
            change_board(team, pc);
            wait_for(team, Wait::Children, pc);
            let this = runtime();
            let record = this.member().record;
            let object = this.openmp.teams[team].records[record].object;
            this.clocks.acquire(this.current, object);
        }
    }

    fn GOMP_taskyield(; pc) {
        operate_alone(OpKind::Yield, pc);
    }

    fn GOMP_taskgroup_start(; pc) {
        let this = runtime();
        let team = this.team();
        let object = this.add_object(Shape::Variable, 0);
        let outer = this.member().group;
        let groups = &mut this.openmp.teams[team].groups;
        groups.push(Group { outer, pending: 0, object });
        let group = groups.len() - 1;
        this.member().group = Some(group);
    }

    fn GOMP_taskgroup_end(; pc) {
        let this = runtime();
        let team = this.team();
        let Some(group) = this.member().group else {
            return;
        };
        if this.openmp.teams[team].size > 1 {
            change_board(team, pc);
            wait_for(team, Wait::Group(group), pc);
        }
        let this = runtime();
        let Group { outer, object, .. } = this.openmp.teams[team].groups[group];
        this.clocks.acquire(this.current, object);
        this.member().group = outer;
    }
}
