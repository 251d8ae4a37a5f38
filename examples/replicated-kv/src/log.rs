//! Logs of writes: in files that survive the process, and in memory for tests.

use anyhow::{Context, Result};
use std::fs::{File, OpenOptions};
use std::io::{Read, Write};
use std::path::{Path, PathBuf};
use std::sync::{Arc, PoisonError};
use unpick::sync::Mutex;

/// One write.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Entry {
    /// Its place in the order of writes, from 1.
    pub number: u64,
    /// Where.
    pub key: String,
    /// What.
    pub value: String,
}

/// A log of writes.
pub trait Log: Send + 'static {
    /// Adds entries. When this returns they are not lost with the process.
    ///
    /// # Panics
    /// If they cannot be stored.
    fn append(&mut self, entries: &[Entry]);

    /// What is in it, from its beginning.
    fn entries(&self) -> Vec<Entry>;
}

/// A log in memory. Copies are the same log. To use it is a visible operation: a write reaches a disk at any time after
/// it was asked for.
#[derive(Clone, Debug, Default)]
pub struct MemoryLog(Arc<Mutex<Vec<Entry>>>);

impl Log for MemoryLog {
    fn append(&mut self, entries: &[Entry]) {
        let mut log = self.0.lock().unwrap_or_else(PoisonError::into_inner);
        log.extend_from_slice(entries);
    }

    fn entries(&self) -> Vec<Entry> {
        self.0
            .lock()
            .unwrap_or_else(PoisonError::into_inner)
            .clone()
    }
}

/// A log in a file. A record is its length, its check sum, and number, length of the key, key and value.
#[derive(Debug)]
pub struct FileLog {
    path: PathBuf,
    file: File,
    found: Vec<Entry>,
}

impl FileLog {
    /// Opens or creates a log. A record that was not written to its end, and what follows it, is cut off: nobody was
    /// told that it is there.
    ///
    /// # Errors
    /// If the file cannot be read or written.
    pub fn open(path: &Path) -> Result<FileLog> {
        let what = || format!("cannot open the log {}", path.display());
        let mut file = OpenOptions::new()
            .read(true)
            .append(true)
            .create(true)
            .open(path)
            .with_context(what)?;
        let mut bytes = Vec::new();
        file.read_to_end(&mut bytes).with_context(what)?;
        let (mut found, mut rest) = (Vec::new(), &bytes[..]);
        while let Some((entry, after)) = decode(rest) {
            found.push(entry);
            rest = after;
        }
        file.set_len((bytes.len() - rest.len()) as u64)
            .with_context(what)?;
        file.sync_all().with_context(what)?;
        Ok(FileLog {
            path: path.to_path_buf(),
            file,
            found,
        })
    }
}

impl Log for FileLog {
    fn append(&mut self, entries: &[Entry]) {
        if entries.is_empty() {
            return;
        }
        let bytes: Vec<u8> = entries.iter().flat_map(encode).collect();
        let file = &mut self.file;
        // Other actors go on meanwhile.
        let written = tokio::task::block_in_place(|| {
            file.write_all(&bytes)?;
            file.sync_data()
        });
        if let Err(error) = written {
            panic!(
                "cannot write the log {}: {error}; make room and start again",
                self.path.display()
            );
        }
    }

    fn entries(&self) -> Vec<Entry> {
        self.found.clone()
    }
}

const HEAD: usize = 4 + 8;

fn encode(entry: &Entry) -> Vec<u8> {
    let key_length = (entry.key.len() as u32).to_le_bytes();
    let number = entry.number.to_le_bytes();
    let (key, value) = (entry.key.as_bytes(), entry.value.as_bytes());
    let body = [&number[..], &key_length, key, value].concat();
    let length = (body.len() as u32).to_le_bytes();
    [&length[..], &check_sum(&body).to_le_bytes(), &body].concat()
}

/// The first record and what follows it, if there is a whole one.
fn decode(bytes: &[u8]) -> Option<(Entry, &[u8])> {
    let (length, rest) = bytes.split_first_chunk()?;
    let (sum, rest) = rest.split_first_chunk()?;
    let body = rest.get(..u32::from_le_bytes(*length) as usize)?;
    if check_sum(body) != u64::from_le_bytes(*sum) {
        return None;
    }
    let (number, content) = body.split_first_chunk()?;
    let (key_length, content) = content.split_first_chunk()?;
    let (key, value) = content.split_at_checked(u32::from_le_bytes(*key_length) as usize)?;
    let entry = Entry {
        number: u64::from_le_bytes(*number),
        key: String::from_utf8(key.to_vec()).ok()?,
        value: String::from_utf8(value.to_vec()).ok()?,
    };
    Some((entry, &bytes[HEAD + body.len()..]))
}

/// FNV-1a, 64 bits.
fn check_sum(bytes: &[u8]) -> u64 {
    bytes.iter().fold(0xcbf2_9ce4_8422_2325, |hash, &byte| {
        (hash ^ u64::from(byte)).wrapping_mul(0x100_0000_01b3)
    })
}

#[cfg(test)]
mod tests {
    use super::*;

    fn entry(number: u64) -> Entry {
        Entry {
            number,
            key: format!("key {number}"),
            value: "é".repeat(number as usize),
        }
    }

    /// Wherever the process dies, a log has the records that were whole, and goes on behind them.
    #[test]
    fn a_record_that_is_not_whole_is_cut_off() {
        let path = std::env::temp_dir().join(format!("replicated-kv-{}.log", std::process::id()));
        let records: Vec<Vec<u8>> = (1..=3).map(|number| encode(&entry(number))).collect();
        let whole = records.concat();
        for length in 0..=whole.len() {
            std::fs::write(&path, &whole[..length]).unwrap();
            let ends = records.iter().scan(0, |end, record| {
                *end += record.len();
                Some(*end)
            });
            let count = ends.filter(|end| *end <= length).count() as u64;
            let expected: Vec<Entry> = (1..=count).map(entry).collect();
            assert_eq!(FileLog::open(&path).unwrap().entries(), expected);
            let kept = std::fs::metadata(&path).unwrap().len();
            let records = &records[..count as usize];
            assert_eq!(kept, records.iter().map(Vec::len).sum::<usize>() as u64);
        }
        let mut damaged = whole.clone();
        damaged[records[0].len() + HEAD + 3] ^= 1;
        std::fs::write(&path, &damaged).unwrap();
        assert_eq!(FileLog::open(&path).unwrap().entries(), [entry(1)]);
        std::fs::remove_file(&path).unwrap();
    }
}
