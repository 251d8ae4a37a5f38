//! A recorded execution under gdb: in threads, once, stopping at the failing step.

use std::process::{Command as Process, ExitStatus};

use unpick_engine::Limits;
use unpick_protocol::{Backend, DESK_VARIABLE, Launch, Reexecution, Work, encode};
use unpick_trace::Trace;

use super::desk::SharedDesk;
use super::exploration::{Options, TASKS_MAX, order};
use super::named;
use super::process::{Command, DriveError, LOOK, Preload, preload, start};

/// Runs gdb on a program that follows a trace. The terminal is gdb's until the user leaves it.
pub fn debug(
    command: &Command,
    options: &Options,
    trace: &Trace,
    shared: &[u64],
) -> Result<ExitStatus, DriveError> {
    let cannot_start = |cause| DriveError::Start {
        program: "gdb".into(),
        cause,
    };
    let desk = SharedDesk::new().map_err(cannot_start)?;
    let library = preload(&command.runtime).map_err(cannot_start)?;
    let launch = Launch {
        backend: Backend::Threads,
        reexecution: Reexecution::Exec,
        tasks_max: TASKS_MAX,
        processors: options.processors,
        shows_output: true,
    };
    let named = named::find(command, options, launch)?;
    desk.put_order(&start(command, launch));
    let limits = Limits {
        executions_max: 1,
        keep_going: false,
        fingerprint: false,
        classes: false,
        coverage: false,
        races: false,
    };
    let work = Work::Replay(trace.clone());
    let order = encode(&order(options, work, limits, shared, &named));
    let mut gdb = Process::new("gdb");
    gdb.args(["-quiet", "-ex", "set breakpoint pending on"])
        .args(["-ex", "break unpick_failing_step", "-ex"])
        .arg(wrapper(&library, &desk))
        .args(["-ex", "run", "--args"])
        .arg(&command.program)
        .args(&command.arguments)
        .envs(&command.environment);
    if let Some(directory) = &command.directory {
        gdb.current_dir(directory);
    }
    let mut child = gdb.spawn().map_err(cannot_start)?;
    // The first order tells how to start; the second one what to do, once the program is there.
    while !desk.is_answered() {
        if let Some(status) = child.try_wait().map_err(cannot_start)? {
            return Ok(status);
        }
        desk.wait(LOOK);
    }
    desk.put_order(&order);
    child.wait().map_err(cannot_start)
}

/// gdb's command that puts only the program, and not gdb, under control.
fn wrapper(library: &Preload, desk: &SharedDesk) -> String {
    format!(
        "set exec-wrapper env LD_PRELOAD={} LD_BIND_NOW=1 {DESK_VARIABLE}={}",
        library.list.display(),
        desk.file()
    )
}
