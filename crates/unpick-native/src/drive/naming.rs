//! Words for machine addresses: places in the source, names of variables.
//!
//! The runtime tells places as `MODULE:OFFSET` (see `Answer::modules`): in sites as a list, innermost
//! first, in messages as `@MODULE:OFFSET@` for code and `&MODULE:OFFSET&` for data.

use std::cmp::Reverse;
use std::collections::HashMap;
use std::ffi::OsString;
use std::path::{Path, PathBuf};

use unpick_analysis::Meaning;
use unpick_engine::{FirstFailure, Warning};
use unpick_protocol::Module;
use unpick_trace::{ObjectId, Outcome, Site, Trace};

use super::output::{RETURNED, explain_by_output};
use crate::symbols::functions::Functions;
use crate::symbols::{Place, Symbols, is_standard, within_library};

/// What is needed to name things.
pub struct Naming<'a> {
    /// The program, which is the module without a path.
    program: &'a Path,
    /// The files mapped into it.
    modules: &'a [Module],
    /// The addresses of the objects of the execution, by number.
    addresses: &'a [u64],
    /// What is known of these files.
    symbols: Symbols,
}

impl<'a> Naming<'a> {
    /// For executions of a program into which these files are mapped, whose objects have these addresses, by
    /// number; none if objects are not to be named.
    pub fn new(program: &'a Path, modules: &'a [Module], addresses: &'a [u64]) -> Naming<'a> {
        Naming {
            program,
            modules,
            addresses,
            symbols: Symbols::default(),
        }
    }

    /// The same, with files shown as they are seen from a directory.
    #[must_use]
    pub fn seen_from(self, directory: &Path) -> Naming<'a> {
        Naming {
            symbols: Symbols::new(directory),
            ..self
        }
    }

    /// Puts words for all addresses in an execution.
    pub fn name(&mut self, failure: &mut FirstFailure) {
        self.name_trace(&mut failure.trace);
        match &mut failure.outcome {
            Outcome::Fail(fault) => {
                if let Some(site) = &mut fault.site {
                    self.name_site(site);
                }
                fault.message = self.message(&fault.message);
            }
            Outcome::Deadlock(deadlock) => {
                for blocked in &mut deadlock.blocked {
                    if let Some(site) = &mut blocked.site {
                        self.name_site(site);
                    }
                }
            }
            _ => {}
        }
    }

    /// Makes more of a failure with the help of what the program printed, which has these arguments. What a test
    /// returned has no place but that of the test.
    pub fn explain(&mut self, outcome: &mut Outcome, output: &str, arguments: &[OsString]) {
        explain_by_output(outcome, output);
        let Outcome::Fail(failure) = outcome else {
            return;
        };
        if let Some(site) = &mut failure.site
            && let Some(short) = within_library(&site.file)
        {
            site.words = Some(format!("{short}:{}", site.line));
        }
        let mut pairs = arguments.windows(2);
        let test = pairs.find(|pair| pair[0] == "--exact");
        let test = test.and_then(|pair| pair[1].to_str());
        if let Some(test) = test.filter(|_| failure.message.starts_with(RETURNED)) {
            failure.site = self.place_of_function(test);
        }
    }

    /// Where a function of the program begins.
    fn place_of_function(&mut self, name: &str) -> Option<Site> {
        // Compilers put its code where it is called.
        let names = [name.to_string(), format!("{name}::{{{{closure}}}}")];
        let found = names
            .iter()
            .map(|name| Functions::find(self.program, name).code);
        let (start, _) = found.flatten().next()?;
        let program = self.program.to_path_buf();
        let place = self.symbols.locate(&program, start + 1)?;
        (place.line != 0).then(|| Site::new(place.file, place.line, place.column))
    }

    /// Puts words for all addresses in a trace.
    pub fn name_trace(&mut self, trace: &mut Trace) {
        let types = self.library_types(trace);
        for site in &mut trace.sites {
            self.name_site(site);
        }
        for (index, &address) in self.addresses.iter().enumerate() {
            let nameless = trace.objects.get(index).filter(|one| one.name.is_none());
            if nameless.is_some() && address != 0 {
                let name = self.variable_at(address);
                let name = name.or_else(|| types.get(&address).cloned());
                name_object(trace, ObjectId(index as u32), name);
            }
        }
    }

    /// What the user calls the words at which libraries were seen, by address. The first one to use a word
    /// tells: a mutex is locked before a wait for a condition gives it up.
    fn library_types(&mut self, trace: &Trace) -> HashMap<u64, String> {
        let mut of_sites = HashMap::new();
        let mut types = HashMap::new();
        for step in &trace.steps {
            let index = step.op.object.index();
            let address = self.addresses.get(index).copied().unwrap_or(0);
            let (Some(site), false) = (trace.site(step.site), address == 0) else {
                continue;
            };
            let frames = &site.file;
            let found = of_sites.entry(step.site).or_insert_with(|| {
                frames
                    .split(' ')
                    .next()
                    .and_then(|it| self.library_type(it))
            });
            let Some(name) = found else { continue };
            // A channel waits by means of others.
            let known = types.entry(address).or_insert((*name, index));
            if known.0 == "channel" {
                known.0 = name;
            }
        }
        let words = types
            .into_iter()
            .map(|(address, (name, index))| (address, format!("{name} {index}")));
        words.collect()
    }

    fn library_type(&mut self, frame: &str) -> Option<&'static str> {
        let (path, offset, _) = self.split(frame)?;
        self.symbols.library_type(&path, offset + 1)
    }

    /// Puts words for all addresses in a warning.
    pub fn name_warning(&mut self, warning: &mut Warning) {
        if let Some(cycle) = &mut warning.cycle {
            for link in &mut cycle.links {
                let places = [&mut link.held_at, &mut link.wanted_at];
                for site in places.into_iter().flatten() {
                    self.name_site(site);
                }
            }
            warning.text = cycle.text();
        } else if let Some(site) = &mut warning.site {
            let before = site.to_string();
            self.name_site(site);
            warning.text = warning.text.replace(&before, &site.to_string());
        }
    }

    /// The place of a program counter in an answer.
    pub fn place(&mut self, pc: u64) -> String {
        let found = self.modules.iter().position(|module| contains(module, pc));
        match found {
            Some(number) => {
                let frame = format!("{number}:{:x}", pc.wrapping_sub(self.modules[number].base));
                self.describe(&frame)
            }
            None => format!("{pc:#x}"),
        }
    }

    /// Whether the user has meant what happens at a place that has no words yet, or a library on the way has.
    pub fn meaning(&mut self, site: &Site) -> Meaning {
        let first = site.file.split(' ').next().unwrap_or_default();
        if self.library_type(first) == Some("Arc") {
            return Meaning::Handle;
        }
        let mut places = site.file.split(' ').filter_map(|frame| self.locate(frame));
        match places.find_map(|place| place.is_meant()) {
            Some(true) => Meaning::Own,
            Some(false) | None => Meaning::Library,
        }
    }

    fn name_site(&mut self, site: &mut Site) {
        if site.line != 0 {
            site.file = self.symbols.shorten(&site.file);
            return;
        }
        let frames = self.locate_all(&site.file);
        match best(&frames) {
            Some(place) if place.line != 0 => {
                site.words = words(&frames, place);
                site.file = place.file.clone();
                site.line = place.line;
                site.column = place.column;
            }
            Some(place) => site.file = place.function.clone(),
            None => site.file = String::from("unknown code"),
        }
    }

    fn path_of(&self, number: usize) -> Option<PathBuf> {
        let module = self.modules.get(number)?;
        Some(match module.path.is_empty() {
            true => self.program.to_path_buf(),
            false => PathBuf::from(&module.path),
        })
    }

    fn split<'frame>(&self, frame: &'frame str) -> Option<(PathBuf, u64, &'frame str)> {
        let (number, offset) = frame.split_once(':')?;
        let path = self.path_of(number.parse().ok()?)?;
        Some((path, u64::from_str_radix(offset, 16).ok()?, offset))
    }

    fn locate(&mut self, frame: &str) -> Option<Place> {
        let (path, offset, _) = self.split(frame)?;
        // The runtime gives the address of the call; this wants the one that it returns to.
        self.symbols.locate(&path, offset + 1)
    }

    /// A place and its callers, innermost first, also those into which it was inlined.
    fn locate_all(&mut self, frames: &str) -> Vec<Place> {
        let mut places = Vec::new();
        for frame in frames.split(' ') {
            if let Some((path, offset, _)) = self.split(frame) {
                // As in `locate`.
                places.extend_from_slice(self.symbols.locate_all(&path, offset + 1));
            }
        }
        places
    }

    /// A place in code, in words, given with or without its callers.
    fn describe(&mut self, frames: &str) -> String {
        let places = self.locate_all(frames);
        match best(&places) {
            Some(place) if place.line != 0 => {
                let words = words(&places, place);
                let words = words.unwrap_or_else(|| format!("{}:{}", place.file, place.line));
                match caller(&places, place) {
                    Some(caller) => format!("{words}, called by {caller}"),
                    None => words,
                }
            }
            Some(place) => place.function.clone(),
            None => match frames.split(' ').next().and_then(|frame| self.split(frame)) {
                Some((path, _, offset)) => format!("{}+0x{offset}", path.display()),
                None => String::from("unknown code"),
            },
        }
    }

    fn variable_at(&mut self, address: u64) -> Option<String> {
        let number = self
            .modules
            .iter()
            .position(|module| contains(module, address))?;
        let path = self.path_of(number)?;
        let offset = address - self.modules[number].base;
        self.symbols.variable(&path, offset)
    }

    fn data(&mut self, frame: &str) -> String {
        let name = self
            .split(frame)
            .and_then(|(path, offset, _)| self.symbols.variable(&path, offset));
        match name {
            Some(name) => format!("`{name}`"),
            None => String::from("memory"),
        }
    }

    /// A message with words for the addresses in it.
    fn message(&mut self, text: &str) -> String {
        let mut words = String::new();
        let mut rest = text;
        while let Some(start) = rest.find(['@', '&']) {
            let mark = &rest[start..=start];
            let inner = &rest[start + 1..];
            let end = inner.find(mark);
            let frame = end.map(|end| &inner[..end]).filter(|frame| is_frame(frame));
            match frame {
                Some(frame) => {
                    words.push_str(&rest[..start]);
                    words.push_str(&match mark {
                        "@" => self.describe(frame),
                        _ => self.data(frame),
                    });
                    rest = &inner[frame.len() + 1..];
                }
                None => {
                    words.push_str(&rest[..=start]);
                    rest = inner;
                }
            }
        }
        words.push_str(rest);
        words
    }
}

/// Names an object, and with it the tasks that are called after it: what empties a buffer.
fn name_object(trace: &mut Trace, object: ObjectId, name: Option<String>) {
    let before = format!(" to {}", trace.object_name(object));
    trace.objects[object.index()].name = name;
    let after = format!(" to {}", trace.object_name(object));
    for name in trace.tasks.iter_mut().filter_map(|task| task.name.as_mut()) {
        let rest = name.strip_suffix(&before).map(str::len);
        if let Some(length) = rest.filter(|_| name.starts_with("stores of ")) {
            name.truncate(length);
            name.push_str(&after);
        }
    }
}

/// Of a place and its callers, innermost first, the one that says most; of equal ones the innermost.
fn best(frames: &[Place]) -> Option<&Place> {
    frames.iter().min_by_key(|place| Reverse(worth(place)))
}

/// Libraries on the way from the user's own code to an operation that are named.
const LIBRARIES_MAX: usize = 2;

/// The best of these places, innermost first, in words: with the libraries that it calls. `None` if file and line say it
/// all. Each library is named by its last place, and the first one also by the place before that, since the last one is
/// often a helper.
fn words(frames: &[Place], best: &Place) -> Option<String> {
    let inside = match best.is_user_code {
        true => frames.split(|place| place == best).next()?,
        false => frames,
    };
    // As the calls go.
    let places = inside.iter().rev().filter(|place| place.line != 0);
    let places = places.filter_map(|place| Some((within_library(&place.file)?, place.line)));
    let places: Vec<(&str, u32)> = places.collect();
    let libraries = places.chunk_by(|one, other| package(one.0) == package(other.0));
    let mut text = String::new();
    let mut last_file = "";
    for (number, library) in libraries.take(LIBRARIES_MAX).enumerate() {
        let count = library.len().min(if number == 0 { 2 } else { 1 });
        for (file, line) in &library[library.len() - count..] {
            let separator = if text.is_empty() { "" } else { " > " };
            let file_shown = if *file == last_file { "" } else { *file };
            text.push_str(&format!("{separator}{file_shown}:{line}"));
            last_file = file;
        }
    }
    match (text.is_empty(), best.is_user_code) {
        (true, _) => None,
        (false, true) => Some(format!("{}:{}, in {text}", best.file, best.line)),
        (false, false) => Some(text),
    }
}

/// The package of a source file of a library.
fn package(short: &str) -> &str {
    short.split('/').next().unwrap_or(short)
}

/// The place in a library that calls the best of these places, if a library does: it was handed a function, or drops or
/// clones a value.
fn caller(frames: &[Place], best: &Place) -> Option<String> {
    let at = frames.iter().position(|place| place == best)?;
    let mut callers = frames[at + 1..].iter();
    let next = callers.find(|place| place.line != 0 && !is_standard(&place.file))?;
    let short = within_library(&next.file)?;
    best.is_user_code.then(|| format!("{short}:{}", next.line))
}

/// How much a place says to the user: own code says more than that of a dependency, and that says
/// more than the standard library's.
fn worth(place: &Place) -> u8 {
    match place {
        Place { line: 0, .. } => 0,
        Place {
            is_user_code: true, ..
        } => 3,
        Place { file, .. } if is_standard(file) => 1,
        _ => 2,
    }
}

fn contains(module: &Module, address: u64) -> bool {
    (module.start..module.end).contains(&address)
}

/// Whether a text is a place with or without its callers.
fn is_frame(text: &str) -> bool {
    let is_one = |text: &str| {
        text == "-"
            || text.split_once(':').is_some_and(|(number, offset)| {
                number.parse::<usize>().is_ok() && u64::from_str_radix(offset, 16).is_ok()
            })
    };
    text.split(' ').all(is_one)
}

#[cfg(test)]
mod tests {
    use super::*;

    fn naming() -> Naming<'static> {
        Naming::new(Path::new("/nowhere"), &[], &[])
    }

    #[test]
    fn marks_in_messages_that_are_no_frames_stay() {
        let mut naming = naming();
        let text = "a && b at me@home & elsewhere";
        assert_eq!(naming.message(text), text);
    }

    fn library(path: &str, line: u32) -> Place {
        Place::at(&format!("/a/.cargo/registry/src/index/{path}"), line)
    }

    fn words_of(frames: &[Place]) -> Option<String> {
        words(frames, best(frames).unwrap())
    }

    #[test]
    fn the_libraries_on_the_way_are_named() {
        let own = Place::at("tests/a.rs", 7);
        let atomic = Place::at("/rustc/0/library/core/src/sync/atomic.rs", 900);
        let helper = library("spin-0.9.7/src/once.rs", 96);
        let call = library("spin-0.9.7/src/once.rs", 220);
        assert_eq!(words_of(std::slice::from_ref(&own)), None);
        assert_eq!(words_of(&[atomic.clone(), own.clone()]), None);
        let frames = [atomic, helper.clone(), call.clone(), own.clone()];
        let in_once = "tests/a.rs:7, in spin-0.9.7/src/once.rs:220 > :96";
        assert_eq!(words_of(&frames).as_deref(), Some(in_once));
        // Without a place of the user's, among the frames that are kept.
        let in_once = "spin-0.9.7/src/once.rs:220 > :96";
        assert_eq!(words_of(&[helper.clone(), call]).as_deref(), Some(in_once));
        let other = library("state-0.4.2/src/container.rs", 151);
        let third = library("c-1.0.0/src/lib.rs", 2);
        let in_both =
            "tests/a.rs:7, in spin-0.9.7/src/once.rs:96 > state-0.4.2/src/container.rs:151";
        let frames = [third, other, helper, own];
        assert_eq!(words_of(&frames).as_deref(), Some(in_both));
    }

    #[test]
    fn a_library_that_calls_the_users_code_is_named() {
        let own = Place::at("src/a.rs", 7);
        let shim = Place::at("/rustc/0/library/core/src/ops/function.rs", 250);
        let calling = library("b-1.0.0/src/lib.rs", 9);
        let called_by = |frames: &[Place]| caller(frames, best(frames).unwrap());
        let frames = [own.clone(), shim.clone(), calling.clone()];
        assert_eq!(called_by(&frames).as_deref(), Some("b-1.0.0/src/lib.rs:9"));
        assert_eq!(called_by(&[own.clone(), own.clone(), calling]), None);
        assert_eq!(called_by(&[own, shim]), None);
    }

    #[test]
    fn frames_that_cannot_be_found_get_a_word() {
        let mut naming = naming();
        assert_eq!(
            naming.message("reads &-&, written at @-@"),
            "reads memory, written at unknown code"
        );
        assert_eq!(naming.message("&0:12& @3:4f@"), "memory unknown code");
    }
}
