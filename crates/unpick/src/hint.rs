//! Drop-in for `std::hint`. Only `spin_loop` concerns concurrency.

use crate::rt;
pub use std::hint::{
    assert_unchecked, black_box, cold_path, select_unpredictable, unreachable_unchecked,
};
use unpick_trace::OpKind;

/// Tells that the caller waits in a loop for somebody else. Under exploration it is a yield.
#[track_caller]
pub fn spin_loop() {
    if rt::operate_without_object(OpKind::Yield).is_none() {
        std::hint::spin_loop();
    }
}
