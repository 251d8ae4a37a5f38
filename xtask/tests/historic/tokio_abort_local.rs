//! A task that must stay on its thread is aborted from another one.

use std::thread::{self, ThreadId};
use tokio::runtime::Builder;
use tokio::task::{LocalSet, yield_now};

struct Local(ThreadId);

impl Drop for Local {
    fn drop(&mut self) {
        assert_eq!(self.0, thread::current().id(), "dropped on another thread");
    }
}

#[test]
fn a_local_task_is_dropped_where_it_lives() {
    let runtime = Builder::new_current_thread().build().unwrap();
    let tasks = LocalSet::new();
    let local = Local(thread::current().id());
    let task = tasks.spawn_local(async move {
        let _local = local;
        std::future::pending::<()>().await;
    });
    let aborting = thread::spawn(move || task.abort());
    runtime.block_on(tasks.run_until(yield_now()));
    aborting.join().expect("abort panics");
    drop(tasks);
}
