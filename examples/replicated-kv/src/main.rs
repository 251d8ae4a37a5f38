//! Serves the store, or loads it with clients.

use anyhow::Result;
use clap::{Parser, Subcommand};
use replicated_kv::{load, server};
use std::path::PathBuf;
use std::process::ExitCode;
use std::time::Duration;

#[derive(Parser)]
#[command(about = "A replicated key-value store on typed actors")]
struct Arguments {
    #[command(subcommand)]
    command: Command,
}

#[derive(Subcommand)]
enum Command {
    /// Serve clients on 127.0.0.1 until the process ends; starts with what its logs have
    Serve {
        /// Where to listen; 0 takes a free one, which is printed
        #[arg(long, default_value_t = 0)]
        port: u16,
        /// The directory of the logs
        #[arg(long)]
        data: PathBuf,
    },
    /// Write with many clients, then check that nothing is lost that was acknowledged
    Load {
        /// Where the server listens
        #[arg(long)]
        port: u16,
        /// Clients at once
        #[arg(long, default_value_t = 100, value_parser = clap::value_parser!(u32).range(1..=10_000))]
        clients: u32,
        /// How long
        #[arg(long, default_value_t = 5, value_parser = clap::value_parser!(u64).range(1..=600))]
        seconds: u64,
    },
}

#[tokio::main(worker_threads = 4)]
async fn main() -> ExitCode {
    match run(Arguments::parse().command).await {
        Ok(true) => ExitCode::SUCCESS,
        Ok(false) => ExitCode::from(1),
        Err(error) => {
            eprintln!("error: {error:#}");
            ExitCode::from(2)
        }
    }
}

async fn run(command: Command) -> Result<bool> {
    match command {
        Command::Serve { port, data } => {
            server::serve(port, &data).await?;
            Ok(true)
        }
        Command::Load {
            port,
            clients,
            seconds,
        } => {
            let time = Duration::from_secs(seconds);
            let tally = load::load(port, clients as usize, time).await?;
            let load::Tally {
                acknowledged,
                reconnections,
                checked,
                lost,
            } = tally;
            println!(
                "{clients} clients, {seconds} s: {acknowledged} writes acknowledged ({} a second), \
                 {reconnections} reconnections, {checked} keys checked, {lost} lost",
                acknowledged / seconds
            );
            Ok(lost == 0 && acknowledged > 0)
        }
    }
}
