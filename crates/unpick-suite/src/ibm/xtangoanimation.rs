//! A renderer locks the scene and then each object; an animation locks its object and then the scene.
//!
//! *Left out*: the animation framework, 31 classes; only who holds what while it asks for what is kept.

use super::{program, run_all};
use crate::{Arguments, Parameter, Program};
use std::sync::Arc;
use unpick::sync::Mutex;

pub(crate) const PROGRAM: Program = program(
    "ibm.xtangoanimation",
    "scene that is rendered and animated",
    "scene and object are locked in both orders: deadlock",
    &[Parameter::twin("0 locks the scene first")],
    body,
);

const OBJECTS: usize = 2;

#[derive(Default)]
struct Scene {
    lock: Mutex<()>,
    objects: [Mutex<u32>; OBJECTS],
}

fn body(arguments: &Arguments) {
    let scene_first = !arguments.is_on("bug");
    let scene = Arc::new(Scene::default());
    run_all(1 + OBJECTS, move |me| {
        if me == 0 {
            let held = scene.lock.lock().unwrap();
            for object in &scene.objects {
                drop(object.lock().unwrap());
            }
            drop(held);
            return;
        }
        let object = &scene.objects[me - 1];
        let early = scene_first.then(|| scene.lock.lock().unwrap());
        let mut frame = object.lock().unwrap();
        *frame += 1;
        let late = (!scene_first).then(|| scene.lock.lock().unwrap());
        drop(late);
        drop(frame);
        drop(early);
    });
}
