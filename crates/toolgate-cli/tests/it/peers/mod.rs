//! The official conformance suite, servers and clients of the Model Context Protocol against Toolgate; with the feature
//! `peers` alone, because they are installed from their registries. Nothing here is skipped: what cannot be installed or run
//! fails its test and says why.

#![expect(clippy::expect_used, reason = "a helper that fails fails its test")]

mod clients;
mod conformance;
mod install;
mod servers;
mod world;

use std::io::{BufRead as _, BufReader, Write as _};
use std::process::{Child, Command, Stdio};
use std::sync::mpsc::channel;
use std::thread;
use std::time::{Duration, Instant};

use crate::Run;

/// How long a peer may take, the start of its servers included.
const PATIENCE: Duration = Duration::from_secs(120);

/// A process that is ended with the test.
struct Running(Child);

impl Running {
    /// Starts a server, and gives what follows these words at the beginnings of lines of standard error, in this order.
    fn announced<const WORDS: usize>(command: &mut Command, words: [&str; WORDS]) -> (Self, [String; WORDS]) {
        let child = command.stdin(Stdio::null()).stdout(Stdio::null()).stderr(Stdio::piped()).spawn();
        let mut running = Self(child.expect("the process starts"));
        let stderr = BufReader::new(running.0.stderr.take().expect("its words"));
        let (sender, lines) = channel();
        // What nobody waits for is passed on, so that the server is never held up.
        thread::spawn(move || {
            for line in stderr.lines().map_while(Result::ok) {
                let _ = writeln!(std::io::stderr(), "{line}");
                let _ = sender.send(line);
            }
        });
        let values = words.map(|word| {
            loop {
                let line = lines.recv_timeout(PATIENCE);
                let line = line.unwrap_or_else(|error| panic!("{command:?} does not say `{word}`: {error}"));
                if let Some(value) = line.strip_prefix(word) {
                    break value.trim().to_owned();
                }
            }
        });
        (running, values)
    }
}

impl Drop for Running {
    fn drop(&mut self) {
        let _ = self.0.kill();
        let _ = self.0.wait();
    }
}

/// Runs a process to its end, which must come in time.
fn ends(command: &mut Command) -> Run {
    let child = command.stdin(Stdio::null()).stdout(Stdio::piped()).stderr(Stdio::piped()).spawn();
    let child = child.unwrap_or_else(|error| panic!("{command:?}: {error}"));
    let id = child.id().to_string();
    let waiting = thread::spawn(move || child.wait_with_output().expect("its end"));
    let begun = Instant::now();
    while !waiting.is_finished() {
        if begun.elapsed() > PATIENCE {
            let _ = Command::new("kill").args(["-KILL", &id]).status();
            panic!("{command:?} did not end within {PATIENCE:?}");
        }
        thread::sleep(Duration::from_millis(20));
    }
    let output = waiting.join().expect("its output");
    Run {
        code: output.status.code(),
        stdout: String::from_utf8_lossy(&output.stdout).into_owned(),
        stderr: String::from_utf8_lossy(&output.stderr).into_owned(),
    }
}
