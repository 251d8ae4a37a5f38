//! Explores a test under control.

use super::TestOptions;
use crate::Status;
use crate::junit::{Case, Report};
use crate::native::{Presented, explore};
use anyhow::Result;
use unpick_native::cargo::{Explored, Explorer, Test, Verdict, program_name};
use unpick_native::drive::{Command, Options};
use unpick_native::install::runtime_library;
use unpick_native::program::Program;

/// Runs a test again and again in processes of its own.
pub(crate) struct ProcessExplorer {
    options: TestOptions,
    drive: Options,
    report: Option<Report>,
}

impl ProcessExplorer {
    pub(crate) fn new(options: &TestOptions, report: Option<Report>) -> Result<ProcessExplorer> {
        Ok(ProcessExplorer {
            drive: options.native.drive(&options.exploration)?,
            options: options.clone(),
            report,
        })
    }

    fn present(&self, test: &Test) -> Result<Presented> {
        Program::at(&test.binary)?;
        let command = Command {
            program: std::path::absolute(&test.binary)?,
            arguments: test.arguments.iter().map(Into::into).collect(),
            // The harness reads the description of the terminal each time it is run.
            environment: [
                ("RUST_BACKTRACE".into(), "0".into()),
                ("TERM".into(), "".into()),
            ]
            .into(),
            directory: std::env::current_dir().ok(),
            runtime: runtime_library()?,
        };
        let options = &self.options.exploration;
        explore(&test.name, &command, &self.drive, options)
    }
}

impl Explorer for ProcessExplorer {
    fn explore(&mut self, test: &Test) -> Result<Explored, String> {
        let presented = self.present(test).map_err(|error| format!("{error:#}"));
        if let Some(report) = &mut self.report {
            let suite = program_name(&test.binary);
            let case = match &presented {
                Ok(done) => Case::new(&suite, done.status, &done.json, &done.details),
                Err(error) => Case::not_explored(&suite, &test.name, error),
            };
            report.add(case).map_err(|error| format!("{error:#}"))?;
        }
        let presented = presented?;
        let mut details = presented.details;
        if let Some(line) = &presented.annotation {
            details.push_str(&format!("\n{line}"));
        }
        Ok(Explored {
            verdict: match presented.status {
                Status::Failed => Verdict::Failed,
                Status::Diverged => Verdict::Diverged,
                Status::Clean | Status::NothingRan => Verdict::Ok,
            },
            executions: presented.executions,
            elapsed: presented.elapsed,
            details,
            json: presented.json.to_string(),
        })
    }
}
