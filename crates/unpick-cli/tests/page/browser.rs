//! A real browser without a window, driven over a pair of pipes (*Chrome DevTools Protocol*).
//!
//! Nothing is installed: where there is no Chromium the tests say so and pass.

use serde_json::{Value, json};
use std::fs::{self, File, OpenOptions};
use std::io::{BufRead as _, BufReader, Write as _};
use std::path::{Path, PathBuf};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::time::Duration;

const NAMES: &[&str] = &["chromium", "chromium-browser", "google-chrome"];
/// A browser that says nothing for so long does not work.
const PATIENCE: Duration = Duration::from_secs(120);

pub struct Browser {
    process: Child,
    orders: File,
    answers: Receiver<Value>,
    session: Option<String>,
    number: u64,
    /// Errors that scripts of the page ran into.
    pub exceptions: Vec<Value>,
}

impl Browser {
    /// Starts a browser that keeps its files in a directory; `None` if there is none.
    pub fn start(place: &Path) -> Option<Browser> {
        let Some(program) = NAMES.iter().find_map(|name| on_path(name)) else {
            println!("skipped: no Chromium on PATH (Debian: apt-get install chromium)");
            return None;
        };
        let (input, output) = (place.join("orders"), place.join("answers"));
        let made = Command::new("mkfifo").args([&input, &output]).status();
        assert!(made.unwrap().success(), "mkfifo failed");
        // The browser wants its pipes as descriptors 3 and 4.
        let process = Command::new("sh")
            .args(["-c", "exec \"$@\" 3<\"$ORDERS\" 4>\"$ANSWERS\"", "sh"])
            .arg(program)
            .args(["--headless", "--no-sandbox", "--disable-gpu"])
            .args(["--no-first-run", "--remote-debugging-pipe"])
            // Containers often have little of the shared memory that it would use.
            .arg("--disable-dev-shm-usage")
            .arg("--window-size=1400,900")
            .arg(format!(
                "--user-data-dir={}",
                place.join("profile").display()
            ))
            .env("ORDERS", &input)
            .env("ANSWERS", &output)
            .stdin(Stdio::null())
            .stdout(Stdio::null())
            .stderr(Stdio::null())
            .spawn()
            .unwrap();
        let orders = OpenOptions::new().write(true).open(&input).unwrap();
        let answers = receive(File::open(&output).unwrap());
        let mut browser = Browser {
            process,
            orders,
            answers,
            session: None,
            number: 0,
            exceptions: Vec::new(),
        };
        let target = browser.call("Target.createTarget", json!({"url": "about:blank"}));
        let attach = json!({"targetId": target["targetId"], "flatten": true});
        let attached = browser.call("Target.attachToTarget", attach);
        browser.session = Some(attached["sessionId"].as_str().unwrap().to_string());
        browser.call("Runtime.enable", json!({}));
        browser.call("Page.enable", json!({}));
        Some(browser)
    }

    /// Opens a file and waits until it is there.
    pub fn open(&mut self, file: &Path) {
        let url = format!("file://{}", file.display());
        self.send("Page.navigate", json!({ "url": url }));
        while self.next()["method"] != "Page.loadEventFired" {}
    }

    /// The value of an expression in the page.
    pub fn evaluate(&mut self, expression: &str) -> Value {
        let order = json!({"expression": expression, "returnByValue": true, "awaitPromise": true});
        let found = self.call("Runtime.evaluate", order);
        assert!(found["exceptionDetails"].is_null(), "{expression}: {found}");
        found["result"]["value"].clone()
    }

    /// Presses and releases a key.
    pub fn press(&mut self, key: &str) {
        let text = if key.chars().count() == 1 { key } else { "" };
        let down = json!({"type": "keyDown", "key": key, "text": text});
        self.call("Input.dispatchKeyEvent", down);
        self.call(
            "Input.dispatchKeyEvent",
            json!({"type": "keyUp", "key": key}),
        );
    }

    /// Types a text into what has the focus.
    pub fn enter(&mut self, text: &str) {
        self.call("Input.insertText", json!({ "text": text }));
    }

    /// Gives an order and waits for its answer.
    pub fn call(&mut self, method: &str, parameters: Value) -> Value {
        let number = self.send(method, parameters);
        loop {
            let message = self.next();
            if message["id"] == number {
                assert!(message["error"].is_null(), "{method}: {message}");
                return message["result"].clone();
            }
        }
    }

    fn send(&mut self, method: &str, parameters: Value) -> u64 {
        self.number += 1;
        let mut order = json!({"id": self.number, "method": method, "params": parameters});
        if let Some(session) = &self.session {
            order["sessionId"] = json!(session);
        }
        let text = format!("{order}\0");
        self.orders.write_all(text.as_bytes()).unwrap();
        self.number
    }

    fn next(&mut self) -> Value {
        let message = self.answers.recv_timeout(PATIENCE);
        let message = message.expect("the browser has ended or hangs");
        if message["method"] == "Runtime.exceptionThrown" {
            self.exceptions.push(message.clone());
        }
        message
    }
}

impl Drop for Browser {
    fn drop(&mut self) {
        let _ = self.process.kill();
        let _ = self.process.wait();
    }
}

/// Messages end with a zero byte. The thread ends with the browser.
fn receive(answers: File) -> Receiver<Value> {
    let (sender, receiver) = channel();
    std::thread::spawn(move || {
        for message in BufReader::new(answers).split(0) {
            let Ok(message) = message else { return };
            let value = serde_json::from_slice(&message).unwrap_or(Value::Null);
            if sender.send(value).is_err() {
                return;
            }
        }
    });
    receiver
}

fn on_path(name: &str) -> Option<PathBuf> {
    let path = std::env::var_os("PATH")?;
    let mut places = std::env::split_paths(&path).map(|place| place.join(name));
    places.find(|place| fs::metadata(place).is_ok_and(|known| known.is_file()))
}
