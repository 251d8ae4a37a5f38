//! An operation within a sentence: what, on what, the values it found and left, where.

use unpick_trace::{ObjectId, Op, OpKind, Site, Step, Trace};

/// Whether the object of an operation is told.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Object {
    Told,
    /// The sentence has told it before.
    Known,
}

impl Object {
    pub(crate) fn told_if(is_told: bool) -> Object {
        match is_told {
            true => Object::Told,
            false => Object::Known,
        }
    }
}

/// An operation in words. Its values are told if the step is given by which it was performed.
pub(crate) fn operation(
    trace: &Trace,
    op: &Op,
    object: Object,
    step: Option<usize>,
    site: Option<&Site>,
) -> String {
    let mut text = op.verb().to_string();
    if object == Object::Told && op.object != ObjectId::NONE {
        text.push_str(&format!(" on {}", trace.object_name(op.object)));
    }
    let mut details = Vec::new();
    details.extend(step.and_then(|step| values(trace, step)));
    details.extend(site.map(Site::to_string));
    if !details.is_empty() {
        text.push_str(&format!(" ({})", details.join(", ")));
    }
    text
}

/// What the operation of a step found and left. Plain accesses tell nothing: cells hold any type, and what
/// compilers insert before an access of native code names the memory only.
fn values(trace: &Trace, step: usize) -> Option<String> {
    let value = number(trace.steps[step].value);
    let found = match trace.steps[step].op.kind {
        OpKind::Load => return Some(format!("read {value}")),
        OpKind::Store => return Some(format!("wrote {value}")),
        // Calls to the operating system are such too: their value is what they return.
        OpKind::ReadModifyWrite => format!("gave {value}"),
        OpKind::CompareExchange => format!("found {value}"),
        _ => return trace.label(&trace.steps[step]).map(String::from),
    };
    match found_next(trace, step).map(number) {
        Some(left) if left != value => Some(format!("{found}, left {left}")),
        _ => Some(found),
    }
}

/// What the next operation on the same variable found there; `None` if nobody looked before it was
/// changed again.
fn found_next(trace: &Trace, step: usize) -> Option<u64> {
    let object = trace.steps[step].op.object;
    let is_next = |next: &&Step| next.is_operation() && next.op.object == object;
    let next = trace.steps[step + 1..].iter().find(is_next)?;
    let looks = matches!(next.op.kind, OpKind::Load | OpKind::CompareExchange);
    looks.then_some(next.value)
}

/// A value as a person would write it: what is large is an address, or has a sign.
pub(crate) fn number(value: u64) -> String {
    match value as i64 {
        small @ -65_536..=65_536 => small.to_string(),
        _ => format!("{value:#x}"),
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use unpick_trace::{Choice, SiteId, TaskBits, TaskId};

    /// What is told of each of these operations of one task on one variable.
    fn told(operations: &[(OpKind, u64)]) -> Vec<Option<String>> {
        let mut trace = Trace::default();
        for &(kind, value) in operations {
            let op = Op::new(kind, ObjectId(0));
            let mut step = Step::new(Choice::Task(TaskId(0)), TaskId(0), op, SiteId(0));
            step.value = value;
            trace.push(step, TaskBits::from_words(1, &[]));
        }
        let steps = 0..operations.len();
        steps.map(|step| values(&trace, step)).collect()
    }

    #[test]
    fn an_operation_without_an_object_tells_none() {
        let op = Op::new(OpKind::Yield, ObjectId::NONE);
        let text = operation(&Trace::default(), &op, Object::Told, None, None);
        assert_eq!(text, "yield");
    }

    #[test]
    fn what_an_update_left_is_what_the_next_one_found() {
        use OpKind::*;
        let operations = [
            (Store, 1),
            (ReadModifyWrite, 1),
            (CompareExchange, 3),
            (Load, 3),
            (ReadModifyWrite, 3),
            (ReadModifyWrite, 4),
            (Store, 9),
            (PlainRead, 0),
        ];
        let expected = [
            Some("wrote 1"),
            Some("gave 1, left 3"),
            // It failed, or wrote what was there.
            Some("found 3"),
            Some("read 3"),
            // Changed again before anybody looked.
            Some("gave 3"),
            Some("gave 4"),
            Some("wrote 9"),
            None,
        ];
        assert_eq!(
            told(&operations),
            expected.map(|told| told.map(String::from))
        );
    }
}
