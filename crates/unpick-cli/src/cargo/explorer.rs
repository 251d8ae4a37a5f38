//! Explores a test under control.

use super::TestOptions;
use crate::Status;
use crate::native::explore;
use crate::options::ExplorationOptions;
use anyhow::Result;
use unpick_native::cargo::{Explored, Explorer, Test, Verdict};
use unpick_native::drive::{Command, Options};
use unpick_native::install::runtime_library;
use unpick_native::program::Program;

/// Runs a test again and again in processes of its own.
pub(crate) struct ProcessExplorer {
    options: TestOptions,
}

impl ProcessExplorer {
    pub(crate) fn new(options: &TestOptions) -> ProcessExplorer {
        ProcessExplorer {
            options: options.clone(),
        }
    }

    /// How to explore a test.
    fn options(&self, name: &str) -> Result<(ExplorationOptions, Options)> {
        let options = self.options.exploration.options(name)?;
        let drive = self.options.native.drive(&options)?;
        Ok((options, drive))
    }
}

impl Explorer for ProcessExplorer {
    fn explore(&mut self, test: &Test) -> Result<Explored, String> {
        Program::at(&test.binary).map_err(|error| error.to_string())?;
        let command = Command {
            program: std::path::absolute(&test.binary).map_err(|error| error.to_string())?,
            arguments: test.arguments.iter().map(Into::into).collect(),
            // The harness reads the description of the terminal each time it is run.
            environment: [
                ("RUST_BACKTRACE".into(), "0".into()),
                ("TERM".into(), "".into()),
            ]
            .into(),
            directory: std::env::current_dir().ok(),
            runtime: runtime_library().map_err(|error| error.to_string())?,
        };
        let presented = self
            .options(&test.name)
            .and_then(|(options, drive)| explore(&test.name, &command, &drive, &options))
            .map_err(|error| format!("{error:#}"))?;
        Ok(Explored {
            verdict: match presented.status {
                Status::Failed => Verdict::Failed,
                Status::Diverged => Verdict::Diverged,
                Status::Clean | Status::NothingRan => Verdict::Ok,
            },
            executions: presented.executions,
            elapsed: presented.elapsed,
            details: presented.details,
            json: presented.json.to_string(),
        })
    }
}
