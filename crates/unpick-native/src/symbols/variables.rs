//! Names of global variables, from the symbol table; parts of them, from debug information.

use super::demangled;
use super::members::{Shape, shapes};
use object::{Object as _, ObjectSymbol as _, SymbolKind};
use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::rc::Rc;

/// The variables of one module, in the order of their addresses.
#[derive(Default)]
pub(super) struct Variables {
    path: PathBuf,
    variables: Vec<Variable>,
    /// By address; read when the first part of a variable is asked for, because that takes time.
    shapes: Option<HashMap<u64, Rc<Shape>>>,
}

struct Variable {
    begin: u64,
    end: u64,
    name: String,
}

impl Variables {
    /// None, if the file cannot be read.
    pub(super) fn read(path: &Path) -> Variables {
        let content = fs::read(path).unwrap_or_default();
        let Ok(file) = object::File::parse(&*content) else {
            return Variables::default();
        };
        let symbols = file.symbols().chain(file.dynamic_symbols());
        let of_data = symbols.filter(|symbol| {
            symbol.kind() == SymbolKind::Data && symbol.is_definition() && symbol.size() > 0
        });
        let mut variables: Vec<_> = of_data
            .filter_map(|symbol| {
                let name = symbol.name().ok().filter(|name| !name.is_empty())?;
                Some(Variable {
                    begin: symbol.address(),
                    end: symbol.address() + symbol.size(),
                    name: plain(&demangled(name)),
                })
            })
            .collect();
        variables.sort_by_key(|variable| (variable.begin, variable.end));
        variables.dedup_by_key(|variable| variable.begin);
        Variables {
            path: path.to_path_buf(),
            variables,
            shapes: None,
        }
    }

    pub(super) fn name(&mut self, offset: u64) -> Option<String> {
        let variables = &self.variables;
        let after = variables.partition_point(|variable| variable.begin <= offset);
        let variable = &variables[after.checked_sub(1)?];
        if offset >= variable.end {
            return None;
        }
        let within = offset - variable.begin;
        if within == 0 {
            return Some(variable.name.clone());
        }
        let shapes = self.shapes.get_or_insert_with(|| read_shapes(&self.path));
        let shape = shapes
            .get(&variable.begin)
            .map_or(&Shape::Whole, Rc::as_ref);
        Some(format!("{}{}", variable.name, shape.part(within)))
    }
}

fn read_shapes(path: &Path) -> HashMap<u64, Rc<Shape>> {
    let content = fs::read(path).unwrap_or_default();
    match object::File::parse(&*content) {
        Ok(file) => shapes(&file),
        Err(_) => HashMap::new(),
    }
}

/// The version of a dynamic symbol and the number that gcc gives to statics of functions say
/// nothing to a reader.
fn plain(name: &str) -> String {
    let name = name.split('@').next().unwrap_or(name);
    match name.rsplit_once('.') {
        Some((name, number)) if number.bytes().all(|digit| digit.is_ascii_digit()) => name,
        _ => name,
    }
    .to_string()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn offsets_within_a_variable_are_told() {
        let variable = |begin, end, name: &str| Variable {
            begin,
            end,
            name: name.to_string(),
        };
        let mut variables = Variables {
            variables: vec![variable(16, 24, "counter"), variable(32, 96, "queue")],
            ..Variables::default()
        };
        assert_eq!(variables.name(16).as_deref(), Some("counter"));
        assert_eq!(variables.name(40).as_deref(), Some("queue+8"));
        assert_eq!(variables.name(24), None);
        assert_eq!(variables.name(15), None);
        assert_eq!(variables.name(96), None);
    }

    #[test]
    fn names_are_plain() {
        assert_eq!(plain("count.3"), "count");
        assert_eq!(plain("stdout@GLIBC_2.2.5"), "stdout");
        assert_eq!(plain("a::b"), "a::b");
    }
}
