//! What global variables are made of, from debug information: `queue.tail`, `slots[3].next`.

use addr2line::gimli::{
    self, AttributeValue, DebuggingInformationEntry, DwTag, Dwarf, EndianSlice, Operation,
    RunTimeEndian, Unit, UnitOffset,
};
use object::{Object as _, ObjectSection as _};
use std::collections::HashMap;
use std::rc::Rc;

type Reader<'a> = EndianSlice<'a, RunTimeEndian>;

/// Types within types that are looked into; lists refer to themselves.
const DEPTH_MAX: u32 = 6;

/// How bytes of a type are called.
#[derive(Debug, PartialEq, Eq)]
pub(super) enum Shape {
    /// Not looked into. Unions are such, too: which member is meant cannot be told.
    Whole,
    Members(Vec<Member>),
    Elements {
        size: u64,
        shape: Rc<Shape>,
    },
}

#[derive(Debug, PartialEq, Eq)]
pub(super) struct Member {
    begin: u64,
    size: u64,
    /// Empty for base classes and anonymous structures.
    name: String,
    shape: Rc<Shape>,
}

impl Shape {
    /// Names the part at this offset, to be put behind the name of the whole.
    ///
    /// The first byte of a thing stands for the thing: a lock is called by its own name, not by
    /// that of its innermost first field.
    pub(super) fn part(&self, offset: u64) -> String {
        if offset == 0 {
            return String::new();
        }
        match self {
            Shape::Whole => format!("+{offset}"),
            Shape::Elements { size, shape } => {
                let index = offset / size;
                format!("[{index}]{}", shape.part(offset % size))
            }
            Shape::Members(members) => {
                let holds =
                    |member: &&Member| (member.begin..member.begin + member.size).contains(&offset);
                match members.iter().find(holds) {
                    Some(member) => {
                        let dot = if member.name.is_empty() { "" } else { "." };
                        let rest = member.shape.part(offset - member.begin);
                        format!("{dot}{}{rest}", member.name)
                    }
                    None => format!("+{offset}"),
                }
            }
        }
    }
}

/// The shapes of all global variables, by address. Empty if there is no debug information.
pub(super) fn shapes(file: &object::File<'_>) -> HashMap<u64, Rc<Shape>> {
    let order = match file.is_little_endian() {
        true => RunTimeEndian::Little,
        false => RunTimeEndian::Big,
    };
    let load = |id: gimli::SectionId| -> Result<Reader<'_>, gimli::Error> {
        let section = file.section_by_name(id.name());
        // Compressed sections are passed over: then names are as without debug information.
        let data = section.and_then(|section| section.uncompressed_data().ok());
        let data = match data {
            Some(std::borrow::Cow::Borrowed(data)) => data,
            _ => &[],
        };
        Ok(EndianSlice::new(data, order))
    };
    let mut shapes = HashMap::new();
    let Ok(dwarf) = Dwarf::load(load) else {
        return shapes;
    };
    let mut headers = dwarf.units();
    while let Ok(Some(header)) = headers.next() {
        if let Ok(unit) = dwarf.unit(header) {
            // Damage in one unit costs the names of that unit.
            let _ = add_variables(&dwarf, &unit, &mut shapes);
        }
    }
    shapes
}

fn add_variables(
    dwarf: &Dwarf<Reader<'_>>,
    unit: &Unit<Reader<'_>>,
    shapes: &mut HashMap<u64, Rc<Shape>>,
) -> Result<(), gimli::Error> {
    let types = Types { dwarf, unit };
    let mut entries = unit.entries();
    while let Some(entry) = entries.next_dfs()? {
        if entry.tag() != gimli::DW_TAG_variable {
            continue;
        }
        let Some(address) = types.address(entry) else {
            continue;
        };
        // The definition of a variable of a class or namespace refers to its declaration.
        let own = types.reference(entry, gimli::DW_AT_type);
        let declaration = types.reference(entry, gimli::DW_AT_specification);
        let declared = declaration.and_then(|at| {
            let entry = unit.entry(at).ok()?;
            types.reference(&entry, gimli::DW_AT_type)
        });
        if let Some(at) = own.or(declared) {
            let (_, shape) = types.read(at, 0);
            shapes.insert(address, shape);
        }
    }
    Ok(())
}

struct Types<'d, 'a> {
    dwarf: &'d Dwarf<Reader<'a>>,
    unit: &'d Unit<Reader<'a>>,
}

impl<'a> Types<'_, 'a> {
    /// The fixed address of a variable.
    fn address(&self, entry: &DebuggingInformationEntry<Reader<'a>>) -> Option<u64> {
        let expression = entry.attr_value(gimli::DW_AT_location)?.exprloc_value()?;
        let mut operations = expression.operations(self.unit.encoding());
        match operations.next().ok()?? {
            Operation::Address { address } => Some(address),
            Operation::AddressIndex { index } => self.dwarf.address(self.unit, index).ok(),
            _ => None,
        }
    }

    fn reference(
        &self,
        entry: &DebuggingInformationEntry<Reader<'a>>,
        name: gimli::DwAt,
    ) -> Option<UnitOffset> {
        match entry.attr_value(name)? {
            AttributeValue::UnitRef(at) => Some(at),
            _ => None,
        }
    }

    fn number(
        &self,
        entry: &DebuggingInformationEntry<Reader<'a>>,
        name: gimli::DwAt,
    ) -> Option<u64> {
        entry.attr_value(name)?.udata_value()
    }

    /// Size and shape of a type.
    fn read(&self, at: UnitOffset, depth: u32) -> (u64, Rc<Shape>) {
        let found = match depth < DEPTH_MAX {
            true => self.try_read(at, depth),
            false => None,
        };
        found.unwrap_or_else(|| (0, Rc::new(Shape::Whole)))
    }

    fn try_read(&self, at: UnitOffset, depth: u32) -> Option<(u64, Rc<Shape>)> {
        let entry = self.unit.entry(at).ok()?;
        let inner = || self.reference(&entry, gimli::DW_AT_type);
        let pointer = u64::from(self.unit.encoding().address_size);
        let size = self.number(&entry, gimli::DW_AT_byte_size);
        Some(match entry.tag() {
            gimli::DW_TAG_typedef
            | gimli::DW_TAG_const_type
            | gimli::DW_TAG_volatile_type
            | gimli::DW_TAG_restrict_type
            | gimli::DW_TAG_atomic_type => self.read(inner()?, depth + 1),
            gimli::DW_TAG_structure_type | gimli::DW_TAG_class_type => {
                let members = self.members(at, depth)?;
                (size?, Rc::new(Shape::Members(members)))
            }
            gimli::DW_TAG_array_type => {
                let (size, shape) = self.read(inner()?, depth + 1);
                let count = self.element_count(at)?;
                let shape = match size {
                    0 => Shape::Whole,
                    size => Shape::Elements { size, shape },
                };
                (size.saturating_mul(count), Rc::new(shape))
            }
            _ => (size.unwrap_or(pointer), Rc::new(Shape::Whole)),
        })
    }

    /// The entries right below one, if they have one of these tags.
    fn below(
        &self,
        at: UnitOffset,
        tags: &[DwTag],
    ) -> Option<Vec<DebuggingInformationEntry<Reader<'a>>>> {
        let mut tree = self.unit.entries_tree(Some(at)).ok()?;
        let mut children = tree.root().ok()?.children();
        let mut found = Vec::new();
        while let Ok(Some(child)) = children.next() {
            if tags.contains(&child.entry().tag()) {
                found.push(child.entry().clone());
            }
        }
        Some(found)
    }

    fn members(&self, at: UnitOffset, depth: u32) -> Option<Vec<Member>> {
        let tags = [gimli::DW_TAG_member, gimli::DW_TAG_inheritance];
        let mut members = Vec::new();
        for entry in self.below(at, &tags)? {
            // Without a place it is a static member, or one that lies at run time's pleasure.
            let Some(begin) = self.number(&entry, gimli::DW_AT_data_member_location) else {
                continue;
            };
            let Some(at) = self.reference(&entry, gimli::DW_AT_type) else {
                continue;
            };
            let (size, shape) = self.read(at, depth + 1);
            let name = entry.attr_value(gimli::DW_AT_name);
            let name = name.and_then(|name| self.dwarf.attr_string(self.unit, name).ok());
            let name = name.map(|name| name.to_string_lossy().into_owned());
            members.push(Member {
                begin,
                size,
                name: name.unwrap_or_default(),
                shape,
            });
        }
        Some(members)
    }

    /// Of all dimensions together.
    fn element_count(&self, at: UnitOffset) -> Option<u64> {
        let ranges = self.below(at, &[gimli::DW_TAG_subrange_type])?;
        ranges.iter().try_fold(1_u64, |product, range| {
            let count = self.number(range, gimli::DW_AT_count);
            let last = || self.number(range, gimli::DW_AT_upper_bound);
            product.checked_mul(count.or_else(|| last()?.checked_add(1))?)
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn parts_are_named_by_the_way_to_them() {
        let whole = || Rc::new(Shape::Whole);
        let member = |begin, size, name: &str, shape| Member {
            begin,
            size,
            name: name.to_string(),
            shape,
        };
        let node = Rc::new(Shape::Members(vec![
            member(0, 8, "value", whole()),
            member(8, 8, "next", whole()),
        ]));
        let list = Rc::new(Shape::Elements {
            size: 16,
            shape: node,
        });
        let queue = Shape::Members(vec![
            member(0, 40, "lock", whole()),
            member(40, 64, "slots", list),
        ]);
        for (offset, expected) in [
            (0, ""),
            (4, ".lock+4"),
            (40, ".slots"),
            (48, ".slots[0].next"),
            (72, ".slots[2]"),
            (76, ".slots[2].value+4"),
            (200, "+200"),
        ] {
            assert_eq!(queue.part(offset), expected);
        }
    }
}
