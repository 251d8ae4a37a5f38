//! Looks at a program before it is started: whether it can be controlled, and how much of it.
//!
//! Reads the file only; nothing is run.

use crate::install::LIBRARY_NAME;
use object::elf::{
    self, DF_1_PIE, DT_FLAGS_1, DT_NEEDED, EM_X86_64, ET_DYN, FileHeader64, PT_INTERP,
};
use object::read::elf::{Dyn as _, FileHeader, ProgramHeader as _};
use object::{Endianness, Object as _, ObjectSymbol as _};
use std::ffi::OsStr;
use std::fs;
use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use thiserror::Error;

/// Why a program cannot be controlled.
#[derive(Debug, Error, PartialEq, Eq)]
pub enum ProgramError {
    /// There is no such file.
    #[error("there is no program `{0}`; give its path, as in ./program, or a name found on PATH")]
    Missing(String),
    /// It cannot be read.
    #[error("cannot read `{path}`: {reason}")]
    Unreadable {
        /// The file.
        path: String,
        /// What the system says.
        reason: String,
    },
    /// It must not be executed.
    #[error("`{0}` is not executable; make it so with `chmod +x {0}`")]
    NotExecutable(String),
    /// A script.
    #[error(
        "`{path}` is a script for `{interpreter}`; name the program that the script starts instead"
    )]
    Script {
        /// The file.
        path: String,
        /// What its first line says.
        interpreter: String,
    },
    /// Another kind of file, or another machine's.
    #[error("`{path}` is {kind}; only programs for x86-64 Linux can be explored")]
    NotForThisMachine {
        /// The file.
        path: String,
        /// What it is instead.
        kind: String,
    },
    /// A shared library or an object file.
    #[error("`{0}` is no program but a library or an object file; link it into a program")]
    NotProgram(String),
    /// Nothing can be put in front of libc.
    #[error(
        "`{0}` is linked statically, so that the runtime cannot take control of it; link it \
         dynamically, without -static (and without a musl target)"
    )]
    Static(String),
    /// Another C library.
    #[error("`{path}` uses the loader `{loader}`; only programs for glibc can be explored")]
    ForeignLoader {
        /// The file.
        path: String,
        /// The loader it asks for.
        loader: String,
    },
    /// A sanitizer's runtime is in the place of ours.
    #[error(
        "`{path}` is linked with `{library}`, which excludes the runtime of unpick; build it with \
         `unpick cc` or `unpick c++` and without -fsanitize"
    )]
    ForeignRuntime {
        /// The file.
        path: String,
        /// What it is linked with.
        library: String,
    },
    /// The system ignores preloaded libraries.
    #[error("`{0}` runs with the rights of its owner, so that nothing can be preloaded; copy it")]
    SetUser(String),
}

/// A program that can be controlled.
#[derive(Clone, Debug, PartialEq, Eq)]
pub struct Program {
    /// Where it is.
    pub path: PathBuf,
    /// The libraries that it names itself.
    pub libraries: Vec<String>,
    /// Its accesses are announced to the runtime.
    pub is_instrumented: bool,
    /// It names the runtime library itself.
    pub has_runtime: bool,
}

impl Program {
    /// Finds a program by path or, if there is no `/` in it, by name, and looks at it.
    pub fn find(name: &OsStr) -> Result<Program, ProgramError> {
        let path = Path::new(name);
        let has_folder = path.components().count() > 1;
        let found = match has_folder {
            true => path.is_file().then(|| path.to_path_buf()),
            false => on_path(path),
        };
        let missing = || ProgramError::Missing(path.display().to_string());
        Program::at(&found.ok_or_else(missing)?)
    }

    /// Looks at the program in this file.
    pub fn at(path: &Path) -> Result<Program, ProgramError> {
        let shown = path.display().to_string();
        let unreadable = |error: std::io::Error| ProgramError::Unreadable {
            path: shown.clone(),
            reason: error.to_string(),
        };
        let metadata = fs::metadata(path).map_err(|error| match error.kind() {
            std::io::ErrorKind::NotFound => ProgramError::Missing(shown.clone()),
            _ => unreadable(error),
        })?;
        let mode = metadata.permissions().mode();
        if !metadata.is_file() || mode & 0o111 == 0 {
            return Err(ProgramError::NotExecutable(shown));
        }
        let content = fs::read(path).map_err(unreadable)?;
        let program = read(path, &content)?;
        match mode & 0o6000 {
            0 => Ok(program),
            _ => Err(ProgramError::SetUser(shown)),
        }
    }

    /// What is invisible in this program, if it is not instrumented.
    pub fn warning(&self) -> Option<String> {
        (!self.is_instrumented).then(|| {
            format!(
                "`{}` is not instrumented: preload only. Locks, condition variables, thread \
                 creation and system calls are controlled; plain accesses to memory (and so data \
                 races and misuse of freed memory), atomics and the fast paths of Rust's and \
                 C++'s own locks are invisible. Build it with `unpick cc`, `unpick c++` or \
                 `cargo unpick` to see them",
                self.path.display()
            )
        })
    }
}

fn on_path(name: &Path) -> Option<PathBuf> {
    let folders = std::env::var_os("PATH")?;
    let is_program = |path: &PathBuf| {
        fs::metadata(path)
            .is_ok_and(|found| found.is_file() && found.permissions().mode() & 0o111 != 0)
    };
    std::env::split_paths(&folders)
        .map(|folder| folder.join(name))
        .find(is_program)
}

fn read(path: &Path, content: &[u8]) -> Result<Program, ProgramError> {
    let shown = path.display().to_string();
    if let Some(line) = content.strip_prefix(b"#!") {
        let line = String::from_utf8_lossy(line.split(|byte| *byte == b'\n').next().unwrap_or(&[]));
        return Err(ProgramError::Script {
            path: shown,
            interpreter: line.trim().to_string(),
        });
    }
    let kind = |kind: String| ProgramError::NotForThisMachine {
        path: shown.clone(),
        kind,
    };
    if !content.starts_with(&elf::ELFMAG) {
        return Err(kind("no ELF file".to_string()));
    }
    let damaged = |error: object::Error| kind(format!("a damaged ELF file ({error})"));
    let Ok(header) = FileHeader64::<Endianness>::parse(content) else {
        return Err(kind("no 64-bit ELF file".to_string()));
    };
    let order = header.endian().map_err(damaged)?;
    let machine = header.e_machine(order);
    if machine != EM_X86_64 {
        return Err(kind(format!(
            "for another machine (ELF machine {})",
            machine.0
        )));
    }
    let layout = Layout::read(header, order, content).map_err(damaged)?;
    layout.check(header.e_type(order) == ET_DYN, &shown)?;
    let has_runtime = layout.libraries.iter().any(|name| name == LIBRARY_NAME);
    Ok(Program {
        path: path.to_path_buf(),
        is_instrumented: is_instrumented(content).map_err(damaged)?,
        has_runtime,
        libraries: layout.libraries,
    })
}

/// Whether an ELF file (also an object file) calls the instrumentation's functions.
pub fn is_instrumented(content: &[u8]) -> Result<bool, object::Error> {
    calls(content, |name| name.starts_with(b"__tsan_"))
}

/// Whether an ELF file leaves a name undefined that fits.
pub(crate) fn calls(content: &[u8], fits: impl Fn(&[u8]) -> bool) -> Result<bool, object::Error> {
    let file = object::File::parse(content)?;
    let mut symbols = file.symbols().chain(file.dynamic_symbols());
    Ok(symbols.any(|symbol| symbol.is_undefined() && symbol.name_bytes().is_ok_and(&fits)))
}

/// What the loader will make of the file.
struct Layout {
    loader: Option<String>,
    libraries: Vec<String>,
    /// Says of itself that it is a program although it can be loaded anywhere.
    is_marked_program: bool,
}

impl Layout {
    fn read(
        header: &FileHeader64<Endianness>,
        order: Endianness,
        content: &[u8],
    ) -> Result<Layout, object::Error> {
        let mut layout = Layout {
            loader: None,
            libraries: Vec::new(),
            is_marked_program: false,
        };
        let text = |bytes: &[u8]| {
            let end = bytes.iter().position(|byte| *byte == 0);
            String::from_utf8_lossy(&bytes[..end.unwrap_or(bytes.len())]).into_owned()
        };
        for segment in header.program_headers(order, content)? {
            if segment.p_type(order) == PT_INTERP {
                let bytes = segment.data(order, content).unwrap_or_default();
                layout.loader = Some(text(bytes));
            }
        }
        let sections = header.sections(order, content)?;
        let Some((entries, strings)) = sections.dynamic(order, content)? else {
            return Ok(layout);
        };
        let strings = sections.strings(order, content, strings)?;
        for entry in entries {
            if entry.d_tag(order) == DT_NEEDED {
                let name = u32::try_from(entry.d_val(order)).ok();
                let name = name.and_then(|name| strings.get(name).ok());
                layout.libraries.extend(name.map(text));
            }
            let is_flags = entry.d_tag(order) == DT_FLAGS_1;
            layout.is_marked_program |= is_flags && entry.d_val(order) & DF_1_PIE.0 != 0;
        }
        Ok(layout)
    }

    fn check(&self, is_movable: bool, path: &str) -> Result<(), ProgramError> {
        let path = path.to_string();
        let Some(loader) = &self.loader else {
            let is_library = is_movable && !self.is_marked_program;
            return Err(match is_library {
                true => ProgramError::NotProgram(path),
                false => ProgramError::Static(path),
            });
        };
        if !loader.contains("ld-linux") {
            let loader = loader.clone();
            return Err(ProgramError::ForeignLoader { path, loader });
        }
        let is_foreign = |name: &&String| {
            ["libtsan.so", "libasan.so", "libhwasan.so", "libclang_rt."]
                .iter()
                .any(|library| name.starts_with(library))
        };
        match self.libraries.iter().find(is_foreign) {
            Some(library) => Err(ProgramError::ForeignRuntime {
                path,
                library: library.clone(),
            }),
            None => Ok(()),
        }
    }
}
