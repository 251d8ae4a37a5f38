//! What was measured, kept in a file so that nothing is measured twice.
//!
//! Each result is written as soon as it is known, as a transaction of its own: a process that is killed loses
//! no more than the cells it was at.

use crate::{Cell, Error};
use rusqlite::{Connection, OptionalExtension as _, params};
use serde_json::Value;
use std::path::{Path, PathBuf};

/// The results of studies in one directory.
pub struct Results {
    path: PathBuf,
    database: Connection,
}

/// A result that was kept.
pub struct Kept {
    /// What was measured.
    pub value: Value,
    /// How long that took.
    pub time_ms: u64,
    /// The build that has measured it.
    pub build: String,
}

const SCHEMA: &str = "
    CREATE TABLE IF NOT EXISTS result (
        study TEXT NOT NULL,
        program TEXT NOT NULL,
        technique TEXT NOT NULL,
        variant TEXT NOT NULL,
        schedules_max INTEGER NOT NULL,
        seed TEXT NOT NULL,
        value TEXT NOT NULL,
        time_ms INTEGER NOT NULL,
        build TEXT NOT NULL,
        PRIMARY KEY (study, program, technique, variant, schedules_max, seed)
    ) WITHOUT ROWID;";

impl Results {
    /// Opens the results in a directory, which is made if it is not there.
    ///
    /// # Errors
    ///
    /// If the directory cannot be made, or the file there is no file of results.
    pub fn open(directory: &Path) -> Result<Results, Error> {
        let path = directory.join("results.sqlite");
        std::fs::create_dir_all(directory).map_err(|source| Error::Write {
            path: directory.to_path_buf(),
            source,
        })?;
        let open = || {
            let database = Connection::open(&path)?;
            // Another process may be at the same study; it then waits for its turn.
            database.busy_timeout(std::time::Duration::from_secs(60))?;
            // A process that is killed loses nothing, and each result costs no wait for the disk.
            database.pragma_update(None, "journal_mode", "WAL")?;
            database.pragma_update(None, "synchronous", "NORMAL")?;
            database.execute_batch(SCHEMA)?;
            Ok(database)
        };
        match open() {
            Ok(database) => Ok(Results { path, database }),
            Err(source) => Err(Error::Results { path, source }),
        }
    }

    /// What is known of a cell.
    ///
    /// # Errors
    ///
    /// If the file cannot be read.
    pub fn get(&self, study: &str, cell: &Cell) -> Result<Option<Kept>, Error> {
        let query = "SELECT value, time_ms, build FROM result WHERE study = ?1 AND program = ?2
            AND technique = ?3 AND variant = ?4 AND schedules_max = ?5 AND seed = ?6";
        let row = self.database.query_row(
            query,
            params![
                study,
                cell.program,
                cell.technique,
                cell.variant,
                cell.limit as i64,
                cell.seed.to_string()
            ],
            |row| {
                let text: String = row.get(0)?;
                Ok((text, row.get::<_, i64>(1)?, row.get(2)?))
            },
        );
        let found = row.optional().map_err(|source| self.error(source))?;
        // What cannot be read is measured again.
        Ok(found.and_then(|(text, time_ms, build)| {
            Some(Kept {
                value: serde_json::from_str(&text).ok()?,
                time_ms: time_ms as u64,
                build,
            })
        }))
    }

    /// Keeps what was measured.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn put(&self, study: &str, cell: &Cell, kept: &Kept) -> Result<(), Error> {
        let query = "INSERT OR REPLACE INTO result VALUES (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9)";
        let done = self.database.execute(
            query,
            params![
                study,
                cell.program,
                cell.technique,
                cell.variant,
                cell.limit as i64,
                cell.seed.to_string(),
                kept.value.to_string(),
                kept.time_ms as i64,
                kept.build
            ],
        );
        done.map(|_| ()).map_err(|source| self.error(source))
    }

    /// Drops all results of a study.
    ///
    /// # Errors
    ///
    /// If the file cannot be written.
    pub fn clear(&self, study: &str) -> Result<(), Error> {
        let query = "DELETE FROM result WHERE study = ?1";
        let done = self.database.execute(query, params![study]);
        done.map(|_| ()).map_err(|source| self.error(source))
    }

    fn error(&self, source: rusqlite::Error) -> Error {
        Error::Results {
            path: self.path.clone(),
            source,
        }
    }
}
