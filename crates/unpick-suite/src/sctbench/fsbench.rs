//! Files take blocks of a small disk: a task for each file, a lock for each inode and each block.
//!
//! There are more tasks than inodes have locks, and the last one uses a lock that is not there. The
//! fault does not depend on the schedule: the task stops before its first operation. From the CS suite in
//! SCTBench (id 15), where the bounds were asserted by hand.
//!
//! *Kept*: all of it.

use super::with_twin;
use crate::join::join_all;
use crate::published::rows::FSBENCH;
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;
use unpick::thread;

pub(crate) const PROGRAM: Program = with_twin(
    &FSBENCH,
    "files take blocks of a disk, with a lock for each",
    "one more task than inodes have locks",
    &[Parameter::twin(
        "0 creates as many tasks as there are locks",
    )],
    body,
);

const BLOCKS: usize = 26;
const INODES: usize = 32;

struct Disk {
    /// The block of each inode, from 1; 0 is none. Only as many have a lock as there are blocks.
    inodes: Vec<Mutex<usize>>,
    busy: Vec<Mutex<bool>>,
}

fn body(arguments: &Arguments) {
    let tasks = BLOCKS + usize::from(arguments.is_on("bug"));
    let disk = Arc::new(Disk {
        inodes: (0..BLOCKS).map(|_| Mutex::new(0)).collect(),
        busy: (0..BLOCKS).map(|_| Mutex::new(false)).collect(),
    });
    let handles = (0..tasks)
        .map(|task| {
            let disk = disk.clone();
            thread::spawn(move || take_block(&disk, task % INODES))
        })
        .collect();
    join_all(handles);
}

fn take_block(disk: &Disk, file: usize) {
    assert!(file < disk.inodes.len(), "inode {file} has no lock");
    let mut inode = disk.inodes[file].lock().unwrap();
    if *inode == 0 {
        let mut block = (file * 2) % BLOCKS;
        for _ in 0..BLOCKS / 2 {
            let mut is_busy = disk.busy[block].lock().unwrap();
            if !*is_busy {
                *is_busy = true;
                *inode = block + 1;
                drop(is_busy);
                break;
            }
            drop(is_busy);
            block = (block + 1) % BLOCKS;
        }
    }
    drop(inode);
}
