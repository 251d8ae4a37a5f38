//! The store behind TCP: a line for each request, a line for each answer.
//!
//! `PUT key value` is answered by `OK number`, `GET key` by `VALUE value` or `NONE`, anything else by `ERROR reason`.

use crate::log::FileLog;
use crate::{Flaw, StoreProxy, start};
use anyhow::{Context, Result};
use std::path::Path;
use tokio::io::{AsyncBufReadExt, AsyncWriteExt, BufReader};
use tokio::net::{TcpListener, TcpStream};
use unpick_actors::System;

/// Bytes of a line at most.
const LINE_MAX: usize = 64 * 1024;

/// Serves clients on this machine until the process ends. Says where, once it does.
///
/// # Errors
/// If the logs cannot be opened or the port is taken.
pub async fn serve(port: u16, data: &Path) -> Result<()> {
    std::fs::create_dir_all(data)
        .with_context(|| format!("cannot create the directory {}", data.display()))?;
    let open = |name: &str| FileLog::open(&data.join(name));
    let logs = [
        open("primary.log")?,
        open("backup-1.log")?,
        open("backup-2.log")?,
    ];
    let system = System::new();
    system.supervise(|crash| {
        // Whoever cannot keep its promises makes none any more.
        eprintln!("error: {} failed: {}", crash.actor, crash.panic);
        std::process::exit(1)
    });
    let store = start(&system, Flaw::None, logs);
    let listener = TcpListener::bind(("127.0.0.1", port))
        .await
        .with_context(|| {
            format!("cannot listen on port {port} of 127.0.0.1; give another `--port`")
        })?;
    println!("listening on {}", listener.local_addr()?);
    loop {
        let (stream, _) = listener
            .accept()
            .await
            .context("cannot accept a client; raise the limit of open files with `ulimit -n`")?;
        let store = store.clone();
        tokio::spawn(async move {
            // A client that goes away in the middle of a line is nobody's fault.
            let _ = converse(stream, store).await;
        });
    }
}

async fn converse(stream: TcpStream, store: StoreProxy) -> std::io::Result<()> {
    stream.set_nodelay(true)?;
    let (reader, mut writer) = stream.into_split();
    let mut reader = BufReader::new(reader);
    let mut line = String::new();
    loop {
        line.clear();
        let count = reader.read_line(&mut line).await?;
        if count == 0 {
            return Ok(());
        }
        let mut answer = match line.len() <= LINE_MAX {
            true => answer(&line, &store).await,
            false => format!("ERROR a line has at most {LINE_MAX} bytes"),
        };
        answer.push('\n');
        writer.write_all(answer.as_bytes()).await?;
    }
}

async fn answer(line: &str, store: &StoreProxy) -> String {
    let words: Vec<&str> = line.split_whitespace().collect();
    match words[..] {
        ["PUT", key, value] => match store.put(key.into(), value.into()).await {
            Ok(number) => format!("OK {number}"),
            Err(error) => format!("ERROR {error}"),
        },
        ["GET", key] => match store.get(key.into()).await {
            Ok(Some(value)) => format!("VALUE {value}"),
            Ok(None) => "NONE".to_string(),
            Err(error) => format!("ERROR {error}"),
        },
        _ => "ERROR say `PUT key value` or `GET key`, without spaces in key and value".to_string(),
    }
}
