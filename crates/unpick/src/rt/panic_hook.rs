//! Keeps panics of tasks quiet and remembers where they happened.

use super::runtime::note_panic;
use super::task::is_in_task;
use std::any::Any;
use std::panic::PanicHookInfo;
use std::sync::Once;

/// Installs the hook in front of the one that is there, once for the process.
pub(super) fn install() {
    static INSTALLED: Once = Once::new();
    INSTALLED.call_once(|| {
        let previous = std::panic::take_hook();
        std::panic::set_hook(Box::new(move |info: &PanicHookInfo<'_>| {
            if is_in_task() {
                note_panic(message(info.payload()), info.location());
            } else {
                previous(info);
            }
        }));
    });
}

/// The message of a panic.
pub(super) fn message(payload: &(dyn Any + Send)) -> String {
    if let Some(text) = payload.downcast_ref::<&'static str>() {
        (*text).to_string()
    } else if let Some(text) = payload.downcast_ref::<String>() {
        text.clone()
    } else {
        "a panic whose payload is not text".to_string()
    }
}
