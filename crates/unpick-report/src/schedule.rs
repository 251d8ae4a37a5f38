//! A whole schedule as text, one step a line.

use unpick_trace::{Choice, Trace};

/// The steps of a trace, one a line: number, task, operation, object, value, place.
pub fn schedule(trace: &Trace) -> String {
    let mut text = String::new();
    let mut last = None;
    for (index, step) in trace.steps.iter().enumerate() {
        let place = match trace.site(step.site) {
            Some(site) => format!("  {site}"),
            None => String::new(),
        };
        let what = match step.choice {
            Choice::Task(_) if trace.objects.get(step.op.object.0 as usize).is_some() => format!(
                "{} {}",
                step.op.kind.verb(),
                trace.object_name(step.op.object)
            ),
            Choice::Task(_) => step.op.kind.verb().to_string(),
            Choice::Timeout(fires) => format!("  time-out {}", fires_or_not(fires)),
            Choice::SpuriousWake(fires) => format!("  spurious wake-up {}", fires_or_not(fires)),
            Choice::WeakFailure(fires) => format!("  weak failure {}", fires_or_not(fires)),
            Choice::Datum { value, of } => format!("  chose {value} of {of}"),
        };
        let switch = match last {
            Some(before) if before != step.task => '>',
            _ => ' ',
        };
        last = Some(step.task);
        text.push_str(&format!(
            "{index:>5} {switch} {:<16} {what}{place}\n",
            trace.task_name(step.task)
        ));
    }
    text
}

fn fires_or_not(fires: bool) -> &'static str {
    if fires { "happens" } else { "does not happen" }
}
