//! The server survives kill -9: `survive.sh` in short.

use std::io::{BufRead, BufReader};
use std::path::Path;
use std::process::{Child, Command, Stdio};

const BINARY: &str = env!("CARGO_BIN_EXE_replicated-kv");

/// A server that dies with the test.
struct Server(Child);

impl Drop for Server {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

fn serve(port: u16, data: &Path) -> (Server, u16) {
    let child = Command::new(BINARY)
        .args(["serve", "--port", &port.to_string(), "--data"])
        .arg(data)
        .stdout(Stdio::piped())
        .spawn();
    let mut child = child.expect("the server starts");
    let output = child.stdout.take().expect("its output is read");
    let server = Server(child);
    let mut line = String::new();
    let mut output = BufReader::new(output);
    output
        .read_line(&mut line)
        .expect("it says where it listens");
    let port = line
        .trim_end()
        .rsplit(':')
        .next()
        .and_then(|port| port.parse().ok());
    (server, port.expect("it says its port"))
}

#[test]
fn no_acknowledged_write_is_lost_when_the_server_is_killed() {
    let data = std::env::temp_dir().join(format!("replicated-kv-{}", std::process::id()));
    let (server, port) = serve(0, &data);
    let load = Command::new(BINARY)
        .args(["load", "--port", &port.to_string()])
        .args(["--clients", "50", "--seconds", "3"])
        .stdout(Stdio::piped())
        .spawn()
        .expect("the clients start");
    let mut server = Some(server);
    for _ in 0..2 {
        // It is killed once it has written something more.
        let size = || std::fs::metadata(data.join("backup-2.log")).map_or(0, |one| one.len());
        let before = size();
        while size() == before {
            std::thread::yield_now();
        }
        drop(server.take());
        server = Some(serve(port, &data).0);
    }
    let output = load.wait_with_output().expect("the clients end");
    let told = String::from_utf8_lossy(&output.stdout);
    assert!(output.status.success(), "{told}");
    assert!(told.contains("400 keys checked, 0 lost"), "{told}");
    assert!(!told.contains(" 0 reconnections"), "{told}");
    drop(server);
    std::fs::remove_dir_all(&data).expect("the logs can be removed");
}
