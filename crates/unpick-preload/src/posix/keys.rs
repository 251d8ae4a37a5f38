//! Thread-specific data: our own table, because a parked thread never comes to the end at which the
//! C library would look at its own.

use crate::away;
use crate::interpose::interpose;
use crate::real::{self, Destructor};
use crate::runtime::{running, runtime};
use alloc::{vec, vec::Vec};
use core::ffi::{c_int, c_void};

/// Keys there can be; those of the C library have smaller numbers and stay its own.
const KEYS_MAX: usize = 1024;
const FIRST: u32 = 1 << 16;
/// Rounds of destructors at the end of a task, as POSIX has them.
const ROUNDS: usize = 4;

/// The keys of one execution.
#[derive(Clone, Default)]
pub struct Keys {
    destructors: Vec<Option<Destructor>>,
    /// By task, then by key.
    values: Vec<Vec<usize>>,
}

impl Keys {
    pub fn new() -> Keys {
        Keys {
            destructors: Vec::new(),
            values: Vec::new(),
        }
    }

    pub fn reset(&mut self) {
        self.destructors.clear();
        for values in &mut self.values {
            values.clear();
        }
    }

    /// Takes over the keys of an execution with one task.
    pub fn copy_from(&mut self, other: &Keys) {
        self.destructors.clone_from(&other.destructors);
        for (task, values) in other.values.iter().enumerate() {
            for (key, &value) in values.iter().enumerate() {
                *self.value(task, key) = value;
            }
        }
    }

    fn value(&mut self, task: usize, key: usize) -> &mut usize {
        while self.values.len() <= task {
            self.values.push(vec![]);
        }
        let values = &mut self.values[task];
        if values.len() <= key {
            values.resize(key + 1, 0);
        }
        &mut values[key]
    }

    /// Takes the next value with a destructor out of a task's table.
    fn take(&mut self, task: usize, from: usize) -> Option<(usize, Destructor, usize)> {
        for key in from..self.destructors.len() {
            let Some(destructor) = self.destructors[key] else {
                continue;
            };
            let value = core::mem::take(self.value(task, key));
            if value != 0 && destructor.is_some() {
                return Some((key, destructor, value));
            }
        }
        None
    }
}

/// Runs the destructors of the current task, which ends.
pub fn run_destructors() {
    let task = runtime().current.index();
    for _ in 0..ROUNDS {
        let mut next = 0;
        let mut is_done = true;
        while let Some((key, destructor, value)) = runtime().keys.take(task, next) {
            is_done = false;
            next = key + 1;
            if let Some(destructor) = destructor {
                // SAFETY: the program gave both.
                unsafe { destructor(value as *mut c_void) };
                away::come_back();
            }
        }
        if is_done {
            break;
        }
    }
}

interpose! {
    fn pthread_key_create(out: *mut u32, destructor: Destructor; pc) -> c_int {
        let Some(runtime) = running() else {
            return real::pthread_key_create()(out, destructor);
        };
        let keys = &mut runtime.keys;
        let free = keys.destructors.iter().position(Option::is_none);
        let key = free.unwrap_or(keys.destructors.len());
        if key >= KEYS_MAX {
            return libc::EAGAIN;
        }
        match keys.destructors.get_mut(key) {
            Some(place) => *place = Some(destructor),
            None => keys.destructors.push(Some(destructor)),
        }
        for values in &mut keys.values {
            if let Some(value) = values.get_mut(key) {
                *value = 0;
            }
        }
        *out = FIRST + key as u32;
        0
    }

    fn pthread_key_delete(key: u32; pc) -> c_int {
        let Some(runtime) = running().filter(|_| key >= FIRST) else {
            return real::pthread_key_delete()(key);
        };
        match runtime.keys.destructors.get_mut((key - FIRST) as usize) {
            Some(place @ Some(_)) => {
                *place = None;
                0
            }
            _ => libc::EINVAL,
        }
    }

    fn pthread_setspecific(key: u32, value: *const c_void; pc) -> c_int {
        let Some(runtime) = running().filter(|_| key >= FIRST) else {
            return real::pthread_setspecific()(key, value);
        };
        let key = (key - FIRST) as usize;
        if !matches!(runtime.keys.destructors.get(key), Some(Some(_))) {
            return libc::EINVAL;
        }
        let task = runtime.current.index();
        *runtime.keys.value(task, key) = value as usize;
        0
    }

    fn pthread_getspecific(key: u32; pc) -> *mut c_void {
        let Some(runtime) = running().filter(|_| key >= FIRST) else {
            return real::pthread_getspecific()(key);
        };
        let task = runtime.current.index();
        match runtime.keys.destructors.get((key - FIRST) as usize) {
            Some(Some(_)) => *runtime.keys.value(task, (key - FIRST) as usize) as *mut c_void,
            _ => core::ptr::null_mut(),
        }
    }
}
