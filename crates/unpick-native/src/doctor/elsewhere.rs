//! Other systems than Linux, on which no native program is explored.

pub(super) fn has_fsgsbase() -> bool {
    false
}

pub(super) fn kernel() -> String {
    format!("not Linux but {}", std::env::consts::OS)
}

pub(super) fn has_pagemap_scan() -> bool {
    false
}

pub(super) fn userfaultfd() -> Result<(), String> {
    Err("not available".to_string())
}

pub(super) fn can_fix_addresses() -> bool {
    false
}

pub(super) fn ptrace() -> Result<(), String> {
    Err("not used".to_string())
}
