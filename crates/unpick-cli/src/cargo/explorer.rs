//! Explores a test under control.

use super::TestOptions;
use crate::Status;
use crate::junit::{Case, Report};
use crate::native::{Presented, explore};
use crate::options::ExplorationOptions;
use crate::progress::is_interrupted;
use anyhow::{Result, anyhow};
use std::panic::{AssertUnwindSafe, catch_unwind};
use unpick_native::cargo::{Explored, Explorer, Test, Verdict, program_name};
use unpick_native::drive::{Command, Options};
use unpick_native::install::runtime_library;
use unpick_native::program::Program;

/// Runs a test again and again in processes of its own.
pub(crate) struct ProcessExplorer {
    options: TestOptions,
    report: Option<Report>,
}

impl ProcessExplorer {
    pub(crate) fn new(options: &TestOptions, report: Option<Report>) -> ProcessExplorer {
        ProcessExplorer {
            options: options.clone(),
            report,
        }
    }

    /// How to explore a test.
    fn options(&self, name: &str) -> Result<(ExplorationOptions, Options)> {
        let options = self.options.exploration.options(name)?;
        let drive = self.options.native.drive(&options)?;
        Ok((options, drive))
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
        let (options, drive) = self.options(&test.name)?;
        explore(&test.name, &command, &drive, &options)
    }
}

impl Explorer for ProcessExplorer {
    fn explore(&mut self, test: &Test) -> Result<Explored, String> {
        // One test must not take with it what is known of others.
        let presented = catch_unwind(AssertUnwindSafe(|| self.present(test)));
        let presented = presented.unwrap_or_else(|_| Err(anyhow!("internal error; see above")));
        let presented = presented.map_err(|error| format!("{error:#}"));
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
        if presented.json["stopped_because"] == "interrupted" {
            details.push_str("\n  interrupted before its end");
        }
        Ok(Explored {
            verdict: match presented.status {
                Status::Failed => Verdict::Failed,
                Status::Diverged => Verdict::Diverged,
                Status::Clean | Status::NothingRan | Status::Interrupted => Verdict::Ok,
            },
            executions: presented.executions,
            inconclusive: presented.inconclusive,
            claim: presented.claim,
            elapsed: presented.elapsed,
            details,
            json: presented.json.to_string(),
        })
    }

    fn is_interrupted(&self) -> bool {
        is_interrupted()
    }
}
