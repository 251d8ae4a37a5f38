//! A string is read while another task replaces it.

use rust_i18n_support::AtomicStr;
use std::sync::Arc;
use std::thread;

#[test]
fn a_string_lives_as_long_as_it_is_read() {
    let locale = Arc::new(AtomicStr::new("first"));
    let other = Arc::clone(&locale);
    let replacing = thread::spawn(move || drop(other.replace("second")));
    let now = locale.as_str();
    assert!(["first", "second"].contains(&&*now));
    replacing.join().unwrap();
}
