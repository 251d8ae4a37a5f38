//! How much memory an exploration may take, and how much it takes.

use std::fs;
use std::io::Read as _;
use std::path::{Path, PathBuf};

/// Bytes that an exploration may take.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Room {
    /// Bytes in memory, of this process and of those of the program.
    resident_max: Option<u64>,
    /// Bytes of the address space of this process, where `ulimit -v` limits these.
    mapped_max: Option<u64>,
}

/// What processes take.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Taken {
    /// Bytes in memory that a process has for itself.
    pub own: u64,
    /// Bytes in memory that it may share with others.
    pub shared: u64,
    /// Bytes of its address space.
    pub mapped: u64,
}

/// All but one of these parts of what there is may be taken.
const PARTS: u64 = 4;

impl Room {
    /// A limit; `None` for none.
    pub fn new(resident_max: Option<u64>) -> Room {
        Room {
            resident_max,
            mapped_max: None,
        }
    }

    /// Three quarters of what the machine, the control group and `ulimit -v` allow this process.
    pub fn of_machine() -> Room {
        let share = |bytes: u64| bytes / PARTS * (PARTS - 1);
        let machine = field_of("/proc/meminfo", "MemTotal:").map(|kilobytes| kilobytes * 1024);
        let allowed = machine.into_iter().chain(limit_of_group()).min();
        Room {
            resident_max: allowed.map(share),
            mapped_max: limit_of_address_space().map(share),
        }
    }

    /// Whether this process and others, which share memory with each other, take more than there is room for.
    pub fn is_exceeded_by(&self, own: Taken, others: impl Iterator<Item = Taken>) -> bool {
        let (mut sum, mut shared) = (own.own + own.shared, 0);
        for one in others {
            sum = sum.saturating_add(one.own);
            shared = shared.max(one.shared);
        }
        let resident = sum.saturating_add(shared);
        self.resident_max.is_some_and(|max| resident > max)
            || self.mapped_max.is_some_and(|max| own.mapped > max)
    }

    /// Whether this process takes more than there is room for.
    pub fn is_exceeded(&self) -> bool {
        self.is_exceeded_by(Taken::by_us(), std::iter::empty())
    }
}

impl Taken {
    /// What this process takes; nothing where that is not told.
    pub fn by_us() -> Taken {
        Taken::read(Path::new("/proc/self/statm"))
    }

    /// What another process takes; nothing if it has ended.
    pub fn by(process: u32) -> Taken {
        Taken::read(&PathBuf::from(format!("/proc/{process}/statm")))
    }

    fn read(path: &Path) -> Taken {
        // On every machine that unpick knows pages of programs have this size.
        const PAGE: u64 = 4096;
        let mut bytes = [0; 128];
        let read = fs::File::open(path).and_then(|mut file| file.read(&mut bytes));
        let text = std::str::from_utf8(&bytes[..read.unwrap_or(0)]).unwrap_or_default();
        let mut pages = text.split(' ').map(|word| word.parse().unwrap_or(0_u64));
        let mut next = || pages.next().unwrap_or(0).saturating_mul(PAGE);
        let (mapped, resident, shared) = (next(), next(), next());
        Taken {
            own: resident.saturating_sub(shared),
            shared,
            mapped,
        }
    }
}

/// A number in a file of lines that begin with a name.
fn field_of(path: &str, name: &str) -> Option<u64> {
    let text = fs::read_to_string(path).ok()?;
    let line = text.lines().find_map(|line| line.strip_prefix(name))?;
    line.split_whitespace().next()?.parse().ok()
}

/// The least limit of the control groups of this process.
fn limit_of_group() -> Option<u64> {
    let text = fs::read_to_string("/proc/self/cgroup").ok()?;
    let limits = text.lines().filter_map(|line| {
        let mut parts = line.splitn(3, ':').skip(1);
        let (controllers, path) = (parts.next()?, parts.next()?.trim_start_matches('/'));
        let (root, name) = match controllers {
            "" => ("/sys/fs/cgroup", "memory.max"),
            _ if controllers.split(',').any(|one| one == "memory") => {
                ("/sys/fs/cgroup/memory", "memory.limit_in_bytes")
            }
            _ => return None,
        };
        // In a container the path may be that outside, and the group is mounted at the root.
        let group = Path::new(root).join(path);
        let above = group.ancestors().take_while(|one| one.starts_with(root));
        let read = |one: &Path| fs::read_to_string(one.join(name)).ok()?.trim().parse().ok();
        above.filter_map(read).min()
    });
    limits.min()
}

/// The limit of the address space of this process.
fn limit_of_address_space() -> Option<u64> {
    field_of("/proc/self/limits", "Max address space")
}

#[cfg(all(test, target_os = "linux"))]
mod tests {
    use super::*;

    #[test]
    fn what_is_taken_is_seen() {
        let before = Taken::by_us();
        assert!(before.own > 0 && before.mapped > before.own + before.shared);
        assert_eq!(Taken::by(std::process::id()).mapped, before.mapped);
        assert_eq!(Taken::by(u32::MAX), Taken::default());
        let room = Room::new(Some(before.own + before.shared + (16 << 20)));
        assert!(!room.is_exceeded());
        let bytes = vec![1_u8; 64 << 20];
        assert!(room.is_exceeded());
        drop(bytes);
        assert!(!Room::new(None).is_exceeded());
        assert!(!Room::of_machine().is_exceeded());
    }

    #[test]
    fn shared_memory_counts_once() {
        let of = |own, shared| Taken {
            own,
            shared,
            mapped: 0,
        };
        let room = Room::new(Some(100));
        let is_exceeded = |others: &[Taken]| room.is_exceeded_by(of(10, 5), others.iter().copied());
        assert!(!is_exceeded(&[of(10, 50), of(20, 50)]));
        assert!(is_exceeded(&[of(10, 50), of(26, 50)]));
    }
}
