//! What happens before what, by its definition: paths in a graph of all that tasks have done.

use proptest::prelude::*;
use unpick_memory::Clocks;
use unpick_trace::{ObjectId, TaskId};

pub const TASK_COUNT_MAX: usize = 6;
const OBJECT_COUNT: usize = 3;

/// Something a task does to its own knowledge or to that of others. Numbers are taken modulo what
/// there is.
#[derive(Clone, Copy, Debug)]
pub enum Sync {
    Begin,
    Join(usize),
    Acquire(usize),
    Release(usize),
    AcquireShared(usize),
    ReleaseShared(usize),
    Replace(usize),
    Observe(usize),
    Overwrite(usize),
    Update(usize),
    Forget(usize),
    FenceAcquire,
    FenceRelease,
    AcquireAll,
}

pub fn sync() -> impl Strategy<Value = Sync> {
    let object = 0..OBJECT_COUNT;
    prop_oneof![
        3 => Just(Sync::Begin),
        1 => (0..TASK_COUNT_MAX).prop_map(Sync::Join),
        6 => object.clone().prop_map(Sync::Acquire),
        4 => object.clone().prop_map(Sync::Release),
        2 => object.clone().prop_map(Sync::AcquireShared),
        2 => object.clone().prop_map(Sync::ReleaseShared),
        2 => object.clone().prop_map(Sync::Replace),
        3 => object.clone().prop_map(Sync::Observe),
        3 => object.clone().prop_map(Sync::Overwrite),
        2 => object.clone().prop_map(Sync::Update),
        1 => object.prop_map(Sync::Forget),
        3 => Just(Sync::FenceAcquire),
        3 => Just(Sync::FenceRelease),
        1 => Just(Sync::AcquireAll),
    ]
}

/// A set of nodes, by their numbers.
pub type Nodes = u128;

pub const NODE_COUNT_MAX: usize = 128;

/// All that was done, and for each node what comes before it.
#[derive(Default)]
pub struct Graph {
    before: Vec<Nodes>,
    tasks: Vec<Task>,
    /// For each object the nodes that whoever acquires it comes after.
    objects: [Nodes; OBJECT_COUNT],
    /// The same for who acquires what was released in shared mode.
    shared: [Nodes; OBJECT_COUNT],
}

struct Task {
    first: usize,
    last: usize,
    observed: Nodes,
    fence: Nodes,
    joined: bool,
}

impl Graph {
    pub fn new(clocks: &mut Clocks) -> Graph {
        let mut graph = Graph::default();
        graph.begin_task(0);
        clocks.reset();
        clocks.begin(None, TaskId(0));
        graph
    }

    /// The tasks that may still do something.
    pub fn live(&self) -> Vec<usize> {
        (0..self.tasks.len())
            .filter(|task| !self.tasks[*task].joined)
            .collect()
    }

    pub fn some_task(&self, number: usize) -> usize {
        let live = self.live();
        live[number % live.len()]
    }

    /// A node for what a task does now.
    pub fn node(&mut self, task: usize) -> usize {
        self.node_after(task, 0)
    }

    /// Whether what happened at a node happened before what happened at another one.
    pub fn reaches(&self, earlier: usize, later: usize) -> bool {
        self.before[later] >> earlier & 1 != 0
    }

    /// Whether a node of one task can never come after a node of another one, whatever is locked.
    pub fn is_apart(&self, (task, node): (usize, usize), (other, later): (usize, usize)) -> bool {
        let before_birth = self.reaches(node, self.tasks[other].first);
        let ended = &self.tasks[task];
        before_birth || ended.joined && self.reaches(ended.last, later)
    }

    /// Does something, in the graph and on the clocks.
    pub fn apply(&mut self, task: usize, sync: Sync, clocks: &mut Clocks) {
        let id = TaskId(task as u32);
        let object_id = |object: usize| ObjectId(object as u32);
        match sync {
            Sync::Begin if self.tasks.len() == TASK_COUNT_MAX => {}
            Sync::Begin => {
                let node = self.node(task);
                clocks.begin(Some(id), TaskId(self.tasks.len() as u32));
                self.begin_task(1 << node);
            }
            Sync::Join(number) => {
                let ended = self.some_task(number);
                if ended != task {
                    self.tasks[ended].joined = true;
                    let end = self.node(ended);
                    self.node_after(task, 1 << end);
                    clocks.join(id, TaskId(ended as u32));
                }
            }
            Sync::Acquire(object) => {
                self.node_after(task, self.objects[object]);
                clocks.acquire(id, object_id(object));
            }
            Sync::Release(object) => {
                let node = self.node(task);
                self.objects[object] |= 1 << node;
                clocks.release(id, object_id(object));
            }
            Sync::AcquireShared(_) | Sync::ReleaseShared(_) => self.share(task, sync, clocks),
            Sync::Replace(object) => {
                let node = self.node(task);
                self.objects[object] = 1 << node;
                clocks.replace(id, object_id(object));
            }
            Sync::Observe(object) => {
                self.tasks[task].observed |= self.objects[object];
                clocks.observe(id, object_id(object));
            }
            Sync::Overwrite(object) => {
                self.objects[object] = self.tasks[task].fence;
                clocks.overwrite(id, object_id(object));
            }
            Sync::Update(object) => {
                self.objects[object] |= self.tasks[task].fence;
                clocks.update(id, object_id(object));
            }
            Sync::Forget(object) => {
                self.objects[object] = 0;
                self.shared[object] = 0;
                clocks.forget(object_id(object));
            }
            Sync::FenceAcquire => {
                self.node_after(task, self.tasks[task].observed);
                clocks.fence_acquire(id);
            }
            Sync::FenceRelease => {
                let node = self.node(task);
                self.tasks[task].fence = 1 << node;
                clocks.fence_release(id);
            }
            Sync::AcquireAll => {
                let all = self
                    .tasks
                    .iter()
                    .fold(0, |all, other| all | 1 << other.last);
                self.node_after(task, all);
                clocks.acquire_all(id);
            }
        }
    }

    /// The part of [`Graph::apply`] that is in shared mode.
    fn share(&mut self, task: usize, sync: Sync, clocks: &mut Clocks) {
        let id = TaskId(task as u32);
        match sync {
            Sync::AcquireShared(object) => {
                self.node_after(task, self.shared[object]);
                clocks.acquire_shared(id, ObjectId(object as u32));
            }
            Sync::ReleaseShared(object) => {
                let node = self.node(task);
                self.shared[object] |= 1 << node;
                clocks.release_shared(id, ObjectId(object as u32));
            }
            _ => {}
        }
    }

    /// Whether there is room for one more operation.
    pub fn is_full(&self) -> bool {
        self.before.len() + 2 > NODE_COUNT_MAX
    }

    fn begin_task(&mut self, after: Nodes) {
        self.tasks.push(Task {
            first: 0,
            last: 0,
            observed: 0,
            fence: 0,
            joined: false,
        });
        let first = self.add(after);
        let task = self.tasks.last_mut().unwrap();
        (task.first, task.last) = (first, first);
    }

    fn node_after(&mut self, task: usize, after: Nodes) -> usize {
        let node = self.add(after | 1 << self.tasks[task].last);
        self.tasks[task].last = node;
        node
    }

    fn add(&mut self, after: Nodes) -> usize {
        let mut before = after;
        for node in 0..self.before.len() {
            if after >> node & 1 != 0 {
                before |= self.before[node];
            }
        }
        self.before.push(before);
        self.before.len() - 1
    }
}
