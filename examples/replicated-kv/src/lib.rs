//! A key-value store on typed actors, with a real bug to switch on.
//!
//! A [`Primary`] numbers what clients write, puts it into its log and sends it to its [`Copying`] backups, each with a
//! log of its own. A write is answered when two logs of three have it, so that one of them can be lost. What is
//! written while a batch is under way goes with the next one: one wait for the disk serves many clients.
//!
//! With [`Flaw::CountsAnyAnswer`] the primary does not look which batch a backup has answered. A backup that is slow
//! then confirms a batch that it does not have. The tests find that under control; the binary serves the same actors
//! on tokio.

pub mod load;
pub mod log;
pub mod server;

use log::{Entry, Log};
use std::collections::BTreeMap;
use std::sync::Arc;
use unpick_actors::{Context, Handle, Proxy, Reply, actor};

/// Backups of a primary.
pub const BACKUPS: usize = 2;

/// What the primary understands.
#[actor]
pub trait Store {
    /// Writes. Answers its number when it cannot be lost any more.
    fn put(&mut self, context: &Context<StoreProxy>, key: String, value: String, done: Reply<u64>);
    /// What was written last, of what is answered.
    fn get(&mut self, key: String) -> Option<String>;
    /// A backup has everything up to this number.
    fn appended(&mut self, context: &Context<StoreProxy>, up_to: u64);
}

/// What a backup understands.
#[actor]
pub trait Backup {
    /// Puts entries into its log, and tells the primary.
    fn append(&mut self, entries: Arc<[Entry]>, primary: StoreProxy);
}

/// What is wrong with a store.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub enum Flaw {
    /// Nothing.
    #[default]
    None,
    /// Any answer of a backup confirms the batch that is under way.
    CountsAnyAnswer,
}

/// Writes that set out together.
struct Batch {
    up_to: u64,
    writes: Vec<(Entry, Reply<u64>)>,
}

/// Who numbers writes and answers clients.
pub struct Primary<L> {
    flaw: Flaw,
    log: L,
    backups: Vec<BackupProxy>,
    values: BTreeMap<String, String>,
    last: u64,
    waiting: Vec<(Entry, Reply<u64>)>,
    batch: Option<Batch>,
}

impl<L: Log> Primary<L> {
    fn send_out(&mut self, context: &Context<StoreProxy>) {
        if self.batch.is_some() || self.waiting.is_empty() {
            return;
        }
        let writes = std::mem::take(&mut self.waiting);
        let entries: Arc<[Entry]> = writes.iter().map(|(entry, _)| entry.clone()).collect();
        self.log.append(&entries);
        for backup in &self.backups {
            backup.append(Arc::clone(&entries), context.me().clone());
        }
        let up_to = self.last;
        self.batch = Some(Batch { up_to, writes });
    }
}

impl<L: Log> Store for Primary<L> {
    fn put(&mut self, context: &Context<StoreProxy>, key: String, value: String, done: Reply<u64>) {
        self.last += 1;
        let number = self.last;
        self.waiting.push((Entry { number, key, value }, done));
        self.send_out(context);
    }

    fn get(&mut self, key: String) -> Option<String> {
        self.values.get(&key).cloned()
    }

    fn appended(&mut self, context: &Context<StoreProxy>, up_to: u64) {
        let counts_any = self.flaw == Flaw::CountsAnyAnswer;
        let is_confirmed = |batch: &mut Batch| batch.up_to <= up_to || counts_any;
        if let Some(batch) = self.batch.take_if(is_confirmed) {
            for (entry, done) in batch.writes {
                self.values.insert(entry.key, entry.value);
                done.send(entry.number);
            }
            self.send_out(context);
        }
    }
}

/// A backup and its log.
pub struct Copying<L>(L);

impl<L: Log> Backup for Copying<L> {
    fn append(&mut self, entries: Arc<[Entry]>, primary: StoreProxy) {
        self.0.append(&entries);
        if let Some(last) = entries.last() {
            primary.appended(last.number);
        }
    }
}

/// Creates a store on the logs of its primary and its backups. What the longest of them has is brought to the
/// others first: every write that was answered is in two of three, so that it is there if one was lost.
///
/// # Panics
/// If a log cannot be written.
pub fn start<L: Log>(system: &Handle, flaw: Flaw, logs: [L; BACKUPS + 1]) -> StoreProxy {
    let mut logs = logs.map(|log| {
        let entries = log.entries();
        (log, entries)
    });
    let longest = logs
        .iter()
        .map(|(_, entries)| entries)
        .max_by_key(|entries| entries.len());
    let all = longest.cloned().unwrap_or_default();
    for (log, entries) in &mut logs {
        log.append(&all[entries.len()..]);
    }
    let [(log, _), backups @ ..] = logs;
    let backups = backups.into_iter().zip(1..).map(|((log, _), number)| {
        BackupProxy::create(system, format!("backup {number}"), Copying(log))
    });
    let primary = Primary {
        flaw,
        log,
        backups: backups.collect(),
        last: all.last().map_or(0, |entry| entry.number),
        values: all
            .into_iter()
            .map(|entry| (entry.key, entry.value))
            .collect(),
        waiting: Vec::new(),
        batch: None,
    };
    StoreProxy::create(system, "primary", primary)
}
