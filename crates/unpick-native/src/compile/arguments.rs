//! What the arguments of a compiler ask for: as much of it as decides what has to be added.

use std::ffi::{OsStr, OsString};
use std::fs;
use std::path::Path;

/// What the wrapper compiles if nothing else tells.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Language {
    /// `unpick cc`.
    C,
    /// `unpick c++`.
    Cpp,
}

/// What the compiler is asked to do.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Mode {
    /// Tell something, or nothing.
    Query,
    /// `-E`, `-M`, `-MM`.
    Preprocess,
    /// `-c`, `-S`, `-fsyntax-only`, or to make a precompiled header.
    Compile,
    /// Only objects and libraries are given.
    Link,
    CompileAndLink,
}

/// What was read out of the arguments.
pub(super) struct Reading {
    pub(super) mode: Mode,
    pub(super) static_option: Option<String>,
    pub(super) is_relocatable: bool,
    pub(super) has_debug_information: bool,
    pub(super) has_lto: bool,
    /// A sanitizer that ours cannot be combined with.
    pub(super) foreign_sanitizer: Option<String>,
    /// A response file says `-fsanitize=thread`.
    pub(super) is_sanitized_by_file: bool,
}

/// Options whose value is the next argument.
const WITH_VALUE: &[&str] = &[
    "-o",
    "-x",
    "-I",
    "-L",
    "-l",
    "-D",
    "-U",
    "-A",
    "-B",
    "-F",
    "-G",
    "-T",
    "-b",
    "-e",
    "-u",
    "-z",
    "-MF",
    "-MT",
    "-MQ",
    "-Xlinker",
    "-Xassembler",
    "-Xpreprocessor",
    "-Xclang",
    "-mllvm",
    "-include",
    "-imacros",
    "-isystem",
    "-iquote",
    "-idirafter",
    "-iprefix",
    "-iwithprefix",
    "-iwithprefixbefore",
    "-isysroot",
    "-imultilib",
    "-include-pch",
    "--param",
    "--sysroot",
    "-target",
    "--target",
    "-arch",
    "-aux-info",
    "-dumpdir",
    "-dumpbase",
    "-dumpbase-ext",
    "-framework",
    "-install_name",
    "-wrapper",
    "-soname",
    "--serialize-diagnostics",
    "-gcc-toolchain",
];

/// Options that only ask something; some of them also stand among others, but then as well.
const QUERIES: &[&str] = &[
    "--version",
    "--help",
    "--target-help",
    "-dumpversion",
    "-dumpmachine",
    "-dumpfullversion",
    "-dumpspecs",
    "-###",
    "-qversion",
    "-V",
];

const QUERY_PREFIXES: &[&str] = &["-print-", "--print-", "--help=", "--autocomplete"];

/// Names of files that are translated; all others go to the linker.
const SOURCES: &[&str] = &[
    "c", "cc", "cp", "cpp", "cxx", "c++", "C", "CPP", "i", "ii", "m", "mi", "mm", "M", "mii", "s",
    "S", "sx", "h", "hh", "H", "hp", "hpp", "hxx", "HPP", "h++", "tcc", "ixx", "cppm",
];

const HEADERS: &[&str] = &["h", "hh", "H", "hp", "hpp", "hxx", "HPP", "h++", "tcc"];

/// What ends the translation early.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Stop {
    Preprocess,
    Compile,
}

#[derive(Default)]
struct Inputs {
    source_count: usize,
    header_count: usize,
    other_count: usize,
    is_forced: bool,
    is_forced_header: bool,
}

impl Reading {
    pub(super) fn of(arguments: &[OsString]) -> Reading {
        let mut reading = Reading {
            mode: Mode::Query,
            static_option: None,
            is_relocatable: false,
            has_debug_information: false,
            has_lto: false,
            foreign_sanitizer: None,
            is_sanitized_by_file: false,
        };
        let mut inputs = Inputs::default();
        let mut stop = None;
        let mut is_query = false;
        let mut expanded = Vec::new();
        expand(arguments, false, 0, &mut expanded);
        let mut rest = expanded.iter();
        while let Some((argument, is_from_file)) = rest.next() {
            let text = argument.as_str();
            if !text.starts_with('-') || text == "-" {
                inputs.add(text);
                continue;
            }
            if text.starts_with("-fsanitize=") {
                reading.note_sanitizer(text, *is_from_file);
            }
            reading.note(text);
            is_query |= QUERIES.contains(&text) && rest.len() + 1 == expanded.len();
            is_query |= QUERIES.contains(&text) && text.starts_with("--");
            is_query |= QUERY_PREFIXES.iter().any(|query| text.starts_with(query));
            match text {
                "-E" | "-M" | "-MM" => stop = Some(Stop::Preprocess),
                "-c" | "-S" | "-fsyntax-only" if stop.is_none() => stop = Some(Stop::Compile),
                "-l" => inputs.other_count += 1,
                "-x" => inputs.force(rest.as_slice().first().map(|(value, _)| value.as_str())),
                _ if text.starts_with("-l") => inputs.other_count += 1,
                _ if text.starts_with("-x") => inputs.force(Some(&text[2..])),
                _ => {}
            }
            if WITH_VALUE.contains(&text) {
                rest.next();
            }
        }
        if !is_query {
            reading.mode = mode(&inputs, stop);
        }
        reading
    }

    fn note(&mut self, text: &str) {
        match text {
            "-static" | "--static" | "-static-pie" => self.static_option = Some(text.to_string()),
            "-r" | "-Wl,-r" | "-Wl,--relocatable" => self.is_relocatable = true,
            "-fno-lto" => self.has_lto = false,
            _ if text.starts_with("-flto") => self.has_lto = true,
            _ if text.starts_with("-g") => self.has_debug_information |= chooses_level(text),
            _ => {}
        }
    }

    fn note_sanitizer(&mut self, text: &str, is_from_file: bool) {
        for name in text["-fsanitize=".len()..].split(',') {
            match name {
                "thread" => self.is_sanitized_by_file |= is_from_file,
                "address" | "hwaddress" | "memory" | "leak" | "kernel-address" => {
                    self.foreign_sanitizer = Some(name.to_string());
                }
                _ => {}
            }
        }
    }
}

/// Whether an option that begins with `-g` says how much debug information there shall be.
fn chooses_level(text: &str) -> bool {
    const OTHERS: &[&str] = &[
        "-gno-",
        "-grecord-",
        "-gstrict-",
        "-gcolumn-",
        "-gz",
        "-gcc-",
    ];
    !OTHERS.iter().any(|other| text.starts_with(other))
}

fn mode(inputs: &Inputs, stop: Option<Stop>) -> Mode {
    let is_headers_only = inputs.source_count == inputs.header_count && inputs.other_count == 0;
    match stop {
        Some(Stop::Preprocess) => Mode::Preprocess,
        Some(Stop::Compile) => Mode::Compile,
        None if inputs.source_count + inputs.other_count == 0 => Mode::Query,
        None if inputs.source_count > 0 && is_headers_only => Mode::Compile,
        None if inputs.source_count > 0 => Mode::CompileAndLink,
        None => Mode::Link,
    }
}

impl Inputs {
    fn add(&mut self, name: &str) {
        let extension = Path::new(name).extension().and_then(OsStr::to_str);
        let is_one_of = |list: &[&str]| extension.is_some_and(|end| list.contains(&end));
        match self.is_forced || is_one_of(SOURCES) {
            true => self.source_count += 1,
            false => self.other_count += 1,
        }
        let is_header = match self.is_forced {
            true => self.is_forced_header,
            false => is_one_of(HEADERS),
        };
        self.header_count += usize::from(is_header);
    }

    /// From here on `-x` says what the files are.
    fn force(&mut self, language: Option<&str>) {
        self.is_forced = language.is_some_and(|language| language != "none");
        self.is_forced_header = language.is_some_and(|language| language.ends_with("-header"));
    }
}

/// Replaces `@file` by the arguments in it, and says of each whether it comes from a file.
fn expand(arguments: &[OsString], is_file: bool, depth: u32, all: &mut Vec<(String, bool)>) {
    /// A file that names itself would never end; the compiler says so itself.
    const DEPTH_MAX: u32 = 20;
    for argument in arguments {
        let text = argument.to_string_lossy();
        let content = text
            .strip_prefix('@')
            .filter(|_| depth < DEPTH_MAX)
            .and_then(|path| fs::read_to_string(path).ok());
        match content {
            Some(content) => expand(&split(&content), true, depth + 1, all),
            None => all.push((text.into_owned(), is_file)),
        }
    }
}

/// Splits the content of a response file as gcc does: at white space, with quotes and backslashes.
fn split(content: &str) -> Vec<OsString> {
    let mut words = Vec::new();
    let mut word = None::<String>;
    let mut quote = None;
    let mut characters = content.chars();
    while let Some(character) = characters.next() {
        match (character, quote) {
            ('\\', _) => word.get_or_insert_default().extend(characters.next()),
            (mark, Some(open)) if mark == open => quote = None,
            ('\'' | '"', None) => {
                quote = Some(character);
                word.get_or_insert_default();
            }
            (space, None) if space.is_whitespace() => words.extend(word.take()),
            _ => word.get_or_insert_default().push(character),
        }
    }
    words.extend(word);
    words.into_iter().map(OsString::from).collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    fn read(line: &str) -> Reading {
        let arguments: Vec<_> = line.split_whitespace().map(OsString::from).collect();
        Reading::of(&arguments)
    }

    #[test]
    fn modes_are_told() {
        for (line, expected) in [
            ("", Mode::Query),
            ("-v", Mode::Query),
            ("-V", Mode::Query),
            ("--version a.c", Mode::Query),
            ("-c a.c", Mode::Compile),
            ("-c -o a.o -MD -MF a.d a.c", Mode::Compile),
            ("-S a.c", Mode::Compile),
            ("-E -c a.c", Mode::Preprocess),
            ("-c -M a.c", Mode::Preprocess),
            ("-v -E -x c /dev/null", Mode::Preprocess),
            ("a.h", Mode::Compile),
            ("-x c-header a", Mode::Compile),
            ("a.o -o a.c", Mode::Link),
            ("a.o -lm", Mode::Link),
            ("liba.a", Mode::Link),
            ("-x c -", Mode::CompileAndLink),
            ("-xc++ a -x none b.o", Mode::CompileAndLink),
            ("-x none b", Mode::Link),
            ("-o a a.C b.o", Mode::CompileAndLink),
            ("-include a.h b.o", Mode::Link),
        ] {
            assert_eq!(read(line).mode, expected, "{line}");
        }
    }

    #[test]
    fn debug_information_is_recognised() {
        assert!(read("-g -c a.c").has_debug_information);
        assert!(read("-g0 -c a.c").has_debug_information);
        assert!(read("-gdwarf-4 -c a.c").has_debug_information);
        assert!(!read("-gno-column-info -c a.c").has_debug_information);
        assert!(!read("-c a.c -o -g").has_debug_information);
    }

    #[test]
    fn link_time_optimisation_can_be_taken_back() {
        assert!(read("-flto=auto -c a.c").has_lto);
        assert!(!read("-flto -fno-lto -c a.c").has_lto);
    }

    #[test]
    fn response_files_are_read() {
        let name = format!("unpick-response-{}", std::process::id());
        let path = std::env::temp_dir().join(name);
        fs::write(&path, "-fsanitize=thread 'a b.c'\n -o \"c d\"\\ e").unwrap();
        let reading = read(&format!("@{}", path.display()));
        assert_eq!(reading.mode, Mode::CompileAndLink);
        assert!(reading.is_sanitized_by_file);
        let words = split(&fs::read_to_string(&path).unwrap());
        assert_eq!(words, ["-fsanitize=thread", "a b.c", "-o", "c d e"]);
        fs::remove_file(&path).unwrap();
    }
}
