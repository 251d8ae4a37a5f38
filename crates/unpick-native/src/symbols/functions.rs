//! Functions by the names that people give them.

use super::demangled;
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::collections::BTreeSet;
use std::fs;
use std::ops::Range;
use std::path::Path;

/// Functions of a module that a name may mean.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub struct Functions {
    /// Their full names.
    pub names: BTreeSet<String>,
    /// Their code, as addresses of the file. Copies and instances of one function share its name.
    pub code: BTreeSet<(u64, u64)>,
}

impl Functions {
    /// The functions of a program or library that best fit a name: those of this very symbol or full
    /// name, else those whose path ends with it. None if nothing fits or nothing can be read.
    pub fn find(module: &Path, name: &str) -> Functions {
        let content = fs::read(module).unwrap_or_default();
        let Ok(file) = object::File::parse(&*content) else {
            return Functions::default();
        };
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let of_code = symbols.filter(|symbol| {
            symbol.kind() == SymbolKind::Text && symbol.is_definition() && symbol.size() > 0
        });
        let mut exact = Functions::default();
        let mut ending = Functions::default();
        for symbol in of_code {
            let Ok(raw) = symbol.name() else { continue };
            let Some(stem) = without_suffix(raw) else {
                continue;
            };
            let code = symbol.address()..symbol.address() + symbol.size();
            let full = demangled(stem);
            let path = path_of(&full);
            if name == raw || name == stem || name == full || name == path {
                exact.add(path, code);
            } else if path
                .strip_suffix(name)
                .is_some_and(|rest| rest.ends_with("::"))
            {
                ending.add(path, code);
            }
        }
        match exact.code.is_empty() {
            true => ending,
            false => exact,
        }
    }

    fn add(&mut self, name: String, code: Range<u64>) {
        self.names.insert(name);
        self.code.insert((code.start, code.end));
    }
}

/// A symbol without what compilers append to the names of copies. `None` for the cold part of a
/// function, which has no beginning.
pub(super) fn without_suffix(symbol: &str) -> Option<&str> {
    const COPIES: &[&str] = &[".constprop.", ".isra.", ".part.", ".llvm.", ".lto_priv."];
    if symbol.contains(".cold") {
        return None;
    }
    let cut = COPIES.iter().filter_map(|suffix| symbol.find(suffix)).min();
    Some(&symbol[..cut.unwrap_or(symbol.len())])
}

/// The path of a function without arguments, result and parameters of types: `Queue::push` for
/// `void Queue<int>::push(int)` of C++ as for `<Queue<u32>>::push` of Rust.
pub(super) fn path_of(name: &str) -> String {
    let name = name.replace("(anonymous namespace)::", "");
    let mut path = String::new();
    let mut depth = 0_usize;
    // The type whose function it is stands in brackets in Rust: `<Type as Trait>::function`.
    let mut type_depth = 0;
    let mut rest = name.as_str();
    while let Some(character) = rest.chars().next() {
        match character {
            '<' if path.is_empty() && depth == 0 => type_depth = 1,
            '<' => depth += 1,
            '>' if depth > 0 => depth -= 1,
            '>' if type_depth > 0 => type_depth = 0,
            _ if depth > 0 => {}
            ' ' if type_depth > 0 && rest.starts_with(" as ") => {
                depth = 1;
                type_depth = 0;
            }
            '(' => break,
            // Before it stood the result.
            ' ' => path.clear(),
            _ => path.push(character),
        }
        rest = &rest[character.len_utf8()..];
    }
    path.trim_end_matches("::").to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn paths_are_what_people_write() {
        for (name, path) in [
            ("main", "main"),
            ("Queue::push(int)", "Queue::push"),
            ("int twice<int>(int)", "twice"),
            ("void Queue<std::pair<int, int> >::push(int)", "Queue::push"),
            ("(anonymous namespace)::hidden(char*)", "hidden"),
            ("bank::transfer", "bank::transfer"),
            ("bank::twice::<u32>", "bank::twice"),
            ("<bank::Account>::take", "bank::Account::take"),
            (
                "<bank::Account<u8> as core::ops::Drop>::drop",
                "bank::Account::drop",
            ),
            ("bank::run::{closure#0}", "bank::run::{closure#0}"),
        ] {
            assert_eq!(path_of(name), path, "{name}");
        }
    }

    #[test]
    fn copies_have_the_name_of_the_original() {
        assert_eq!(without_suffix("save.constprop.0.isra.1"), Some("save"));
        assert_eq!(without_suffix("save.part.0"), Some("save"));
        assert_eq!(without_suffix("save"), Some("save"));
        assert_eq!(without_suffix("save.cold"), None);
    }
}
