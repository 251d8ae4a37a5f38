//! The programs of the IBM concurrency benchmark, as C programs to run freely or under control.
//!
//! Y. Eytani, S. Ur, *Compiling a benchmark of documented multi-threaded bugs*, IPDPS workshops 2004, as F. de Luna,
//! *OSCAR* (2022), describes and uses them. They are written anew from his descriptions: what they share with the
//! originals is the kind of bug and its place. Their sources are part of this library, so that an installed `unpick`
//! can build them; each says in its head what the bug is, and its exit code whether it has shown.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fs;
use std::hash::{DefaultHasher, Hash as _, Hasher as _};
use std::io;
use std::path::{Path, PathBuf};
use std::sync::{Mutex, PoisonError};

use crate::compile::{self, CompileError, Language};
use crate::drive::Command;
use crate::install::{InstallError, runtime_library};

/// What the thesis says noise does to a program.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Stated {
    /// Not seen without noise, seen with it.
    Exposed,
    /// Seen without, more often with it.
    Raised,
    /// Seen nearly always without, less often with it.
    Masked,
    /// Never seen, whatever the noise.
    Never,
    /// As often with noise as without.
    Unchanged,
}

impl Stated {
    /// In a word.
    pub fn word(self) -> &'static str {
        match self {
            Stated::Exposed => "exposed",
            Stated::Raised => "raised",
            Stated::Masked => "masked",
            Stated::Never => "never",
            Stated::Unchanged => "unchanged",
        }
    }
}

/// A program of the benchmark.
#[derive(Clone, Copy, Debug)]
pub struct Program {
    /// Its name.
    pub name: &'static str,
    /// The kind of its bug, as it was published.
    pub bug: &'static str,
    /// Its source.
    pub source: &'static str,
    /// Where noise is injected: what OSCAR had on, less what it had off for this program.
    pub noise_at: &'static str,
    /// What the thesis says of the whole.
    pub stated: Stated,
    /// What it says of sleep and of yield, in words.
    pub remark: &'static str,
}

static BUILDING: Mutex<()> = Mutex::new(());

const HEADER: &str = include_str!("ibm/ibm.h");

/// The start of threads, locks from outside, plain shared memory.
const USUAL: &str = "begin,before-lock,after-unlock,read,write";
/// Without plain memory: loops would not come to their end.
const WITHOUT_MEMORY: &str = "begin,before-lock,after-unlock";
/// Only the start of threads.
const BEGIN_ONLY: &str = "begin";
/// Only locks.
const LOCKS_ONLY: &str = "before-lock,after-unlock";
/// Without the start of threads.
const WITHOUT_BEGIN: &str = "before-lock,after-unlock,read,write";

macro_rules! programs {
    ($($name:ident $bug:literal $at:ident $stated:ident $remark:literal;)*) => {
        static PROGRAMS: &[Program] = &[$(Program {
            name: stringify!($name),
            bug: $bug,
            source: include_str!(concat!("ibm/", stringify!($name), ".c")),
            noise_at: $at,
            stated: Stated::$stated,
            remark: $remark,
        },)*];
    };
}

programs! {
    account "atomicity violation" USUAL Exposed "sleep exposes it often, yield hardly";
    airlinetickets "data race" USUAL Masked "sleep much lower than yield";
    allocationvector "atomicity violation" WITHOUT_MEMORY Raised "noise raises it";
    boundedbuffer "deadlock" USUAL Exposed "about 2 % at higher contention";
    bubblesort "order violation" USUAL Exposed "noise exposes it";
    bubblesort2 "sleep for synchronisation" WITHOUT_MEMORY Raised "raised strongly";
    bufwriter "data race" LOCKS_ONLY Raised "by about 15 %; higher intensity is worse";
    critical "data race, deadlock" WITHOUT_BEGIN Exposed "1 of 250, with sleep of 1 to 25 ms only";
    dcl "stale value" USUAL Never "never, after thousands of executions";
    deadlock "deadlock" USUAL Exposed "noise exposes it";
    deadlockexception "deadlock" USUAL Unchanged "drawn by the program: noise cannot act";
    garagemanager "deadlock" USUAL Raised "raised severely";
    linkedlist "stale value" BEGIN_ONLY Exposed "below 0.5 %";
    liveness "starvation" USUAL Exposed "sleep best, at low intensity only";
    lottery "data race" USUAL Masked "yield masks it now and then";
    manager "data race, deadlock" WITHOUT_MEMORY Raised "raised strongly";
    mergesort "atomicity violation" USUAL Raised "raised strongly by both";
    mergesortbug "data race" USUAL Exposed "yield of low intensity is best";
    pingpong "order violation" USUAL Masked "sleep masks it at lower contention";
    piper "wait without a loop" USUAL Exposed "sleep much better than yield";
    producerconsumer "missing wait" USUAL Masked "higher sleep yields executions without failure";
    shop "sleep for synchronisation" USUAL Exposed "by sleep only";
    suns_account "stale value" USUAL Raised "sharply, by both";
    xtangoanimation "deadlock" USUAL Exposed "the longest sleep is far best";
}

/// All of them, by name.
pub fn programs() -> &'static [Program] {
    PROGRAMS
}

/// Why a program could not be built.
#[derive(Debug, thiserror::Error)]
pub enum BuildError {
    /// The runtime has no place.
    #[error(transparent)]
    Install(#[from] InstallError),
    /// There is no compiler that can be used.
    #[error(transparent)]
    Compile(#[from] CompileError),
    /// A file cannot be written or a compiler not be run.
    #[error("cannot build {name} in {}: {cause}", folder.display())]
    Io {
        /// The program.
        name: &'static str,
        /// Where.
        folder: PathBuf,
        /// What the system says.
        cause: io::Error,
    },
    /// The compiler did not like it.
    #[error("the compiler refuses {name}: {words}")]
    Refused {
        /// The program.
        name: &'static str,
        /// What it says.
        words: String,
    },
}

impl Program {
    /// Builds the program below a folder, instrumented, unless it is there already, and gives it arguments.
    pub fn build(&self, folder: &Path, arguments: &[&str]) -> Result<Command, BuildError> {
        let runtime = runtime_library()?;
        let mut hasher = DefaultHasher::new();
        (self.source, HEADER, &runtime).hash(&mut hasher);
        let folder = folder.join(format!("{}-{:016x}", self.name, hasher.finish()));
        let program = folder.join(self.name);
        // Several threads may want the same one.
        let _building = BUILDING.lock().unwrap_or_else(PoisonError::into_inner);
        if !program.exists() {
            self.compile(&folder, &program)?;
        }
        Ok(Command {
            program,
            arguments: arguments.iter().map(OsString::from).collect(),
            environment: BTreeMap::new(),
            directory: None,
            runtime,
        })
    }

    fn compile(&self, folder: &Path, program: &Path) -> Result<(), BuildError> {
        let fail = |cause| BuildError::Io {
            name: self.name,
            folder: folder.to_path_buf(),
            cause,
        };
        fs::create_dir_all(folder).map_err(fail)?;
        let source = folder.join(format!("{}.c", self.name));
        fs::write(folder.join("ibm.h"), HEADER).map_err(fail)?;
        fs::write(&source, self.source).map_err(fail)?;
        // Renamed when it is whole: another process may look for it.
        let unfinished = folder.join(format!("{}.{}", self.name, std::process::id()));
        let mut words: Vec<OsString> = ["-std=gnu11", "-O1", "-g", "-pthread", "-o"]
            .map(Into::into)
            .into();
        words.extend([unfinished.clone().into(), source.into()]);
        let output = compile::command(Language::C, &words)?
            .output()
            .map_err(fail)?;
        if !output.status.success() {
            return Err(BuildError::Refused {
                name: self.name,
                words: String::from_utf8_lossy(&output.stderr).into_owned(),
            });
        }
        fs::rename(&unfinished, program).map_err(fail)
    }
}
