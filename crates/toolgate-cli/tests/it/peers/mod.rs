//! The official conformance suite, servers and clients of the Model Context Protocol against Toolgate; with the feature
//! `peers` alone, because they are installed from their registries. Nothing here is skipped: what cannot be installed or run
//! fails its test and says why.

mod clients;
mod conformance;
mod install;
mod servers;
mod world;

use std::io::{BufRead as _, BufReader};
use std::process::{Child, Command, Stdio};
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
        let mut stderr = BufReader::new(running.0.stderr.take().expect("its words"));
        let mut said = String::new();
        let values = words.map(|word| {
            loop {
                let begin = said.len();
                let read = stderr.read_line(&mut said).expect("a line");
                assert!(read > 0, "it ended before it served: {said}");
                if let Some(value) = said[begin..].strip_prefix(word) {
                    break value.trim().to_owned();
                }
            }
        });
        // What it says later must go somewhere.
        thread::spawn(move || std::io::copy(&mut stderr, &mut std::io::stderr()));
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
