//! Many clients at once, and whether anything was lost that they were told is written.

use anyhow::{Context, Result, bail};
use std::sync::Arc;
use std::sync::atomic::{AtomicBool, AtomicU64, Ordering};
use std::time::{Duration, Instant};
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::TcpStream;
use tokio::net::tcp::{OwnedReadHalf, OwnedWriteHalf};

/// Keys of each client.
const KEYS: usize = 8;

/// How long a client looks for the server again before it gives up.
const PATIENCE: Duration = Duration::from_secs(60);

/// Time between two attempts.
const PAUSE: Duration = Duration::from_millis(20);

/// What came of it.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq)]
pub struct Tally {
    /// Writes that were answered.
    pub acknowledged: u64,
    /// How often a client lost its connection.
    pub reconnections: u64,
    /// Keys that were read in the end.
    pub checked: u64,
    /// Keys whose last acknowledged write is not there.
    pub lost: u64,
}

/// Lets clients write for some time, each its own keys with growing values, and reads all in the end. A client whose
/// connection breaks connects again and repeats what was not answered.
///
/// # Errors
/// If the server cannot be reached for a minute, or answers what it must not.
pub async fn load(port: u16, clients: usize, time: Duration) -> Result<Tally> {
    let counts = Arc::new(Counts::default());
    let started = Instant::now();
    let tasks: Vec<_> = (0..clients)
        .map(|number| {
            let client = Client {
                number,
                port,
                connection: None,
                counts: Arc::clone(&counts),
            };
            tokio::spawn(client.run(started + time))
        })
        .collect();
    for task in tasks {
        task.await.context("a client panicked")??;
    }
    let count = |of: &AtomicU64| of.load(Ordering::Relaxed);
    Ok(Tally {
        acknowledged: count(&counts.acknowledged),
        reconnections: count(&counts.reconnections),
        checked: count(&counts.checked),
        lost: count(&counts.lost),
    })
}

#[derive(Default)]
struct Counts {
    acknowledged: AtomicU64,
    reconnections: AtomicU64,
    checked: AtomicU64,
    lost: AtomicU64,
    /// Whether a client has given up, so that the others need not go on.
    is_over: AtomicBool,
}

struct Client {
    number: usize,
    port: u16,
    connection: Option<(BufReader<OwnedReadHalf>, OwnedWriteHalf)>,
    counts: Arc<Counts>,
}

impl Client {
    async fn run(mut self, until: Instant) -> Result<()> {
        let ended = self.write_and_check(until).await;
        if ended.is_err() {
            self.counts.is_over.store(true, Ordering::Relaxed);
        }
        ended
    }

    async fn write_and_check(&mut self, until: Instant) -> Result<()> {
        let mut written = [0_u64; KEYS];
        let mut value = 0;
        while Instant::now() < until && !self.counts.is_over.load(Ordering::Relaxed) {
            value += 1;
            let key = value as usize % KEYS;
            let request = format!("PUT {}.{key} {value}\n", self.number);
            let answer = self.ask(&request).await?;
            if !answer.starts_with("OK ") {
                bail!("the server answers `{answer}` to `{}`", request.trim_end());
            }
            written[key] = value;
            self.counts.acknowledged.fetch_add(1, Ordering::Relaxed);
        }
        for (key, expected) in written.into_iter().enumerate() {
            let answer = self.ask(&format!("GET {}.{key}\n", self.number)).await?;
            let found = answer.strip_prefix("VALUE ").unwrap_or("0");
            let found: u64 = found.parse().context("a value is no number")?;
            self.counts.checked.fetch_add(1, Ordering::Relaxed);
            if found != expected {
                eprintln!(
                    "{}.{key}: {expected} was acknowledged, {found} is there",
                    self.number
                );
                self.counts.lost.fetch_add(1, Ordering::Relaxed);
            }
        }
        Ok(())
    }

    /// Asks until there is an answer.
    async fn ask(&mut self, request: &str) -> Result<String> {
        let begun = Instant::now();
        loop {
            if let Some(answer) = self.try_to_ask(request).await {
                return Ok(answer);
            }
            if self.connection.take().is_some() {
                self.counts.reconnections.fetch_add(1, Ordering::Relaxed);
            }
            if begun.elapsed() > PATIENCE {
                bail!("no server answers on port {} of 127.0.0.1", self.port);
            }
            tokio::time::sleep(PAUSE).await;
        }
    }

    async fn try_to_ask(&mut self, request: &str) -> Option<String> {
        if self.connection.is_none() {
            let stream = TcpStream::connect(("127.0.0.1", self.port)).await.ok()?;
            stream.set_nodelay(true).ok()?;
            let (reader, writer) = stream.into_split();
            self.connection = Some((BufReader::new(reader), writer));
        }
        let (reader, writer) = self.connection.as_mut()?;
        writer.write_all(request.as_bytes()).await.ok()?;
        let mut line = String::new();
        reader.read_line(&mut line).await.ok()?;
        // Half a line is no answer.
        line.strip_suffix('\n').map(str::to_string)
    }
}
