//! A server that does what a script says, line by line: what no honest server would do, too. A program of its own, for
//! the tests of this crate; with the argument `supervise` it is a supervisor instead.
//!
//! The script is a file of JSON: `{ "log": path, "start": [act…], "rules": [{ "on": method, "times": n, "send": [act…] }…] }`.
//! The first rule that matches a message and has not been used up `times` times says what is done. `on` is a method, or
//! `tools/call:NAME`. Each message that comes in is appended to the file `log`. An act is a line to print, in which
//! `$ID` and `$PROGRESS` are the id and the progress token of the message, or a command: see [`Stub::act`].

use std::fs::OpenOptions;
use std::io::{self, BufRead as _, Write as _};
use std::process::{Command, ExitCode, Stdio, exit};
use std::time::Duration;

use serde::Deserialize;
use serde_json::Value;

#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields, default)]
struct Script {
    log: Option<String>,
    start: Vec<String>,
    rules: Vec<Rule>,
}

#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct Rule {
    on: String,
    times: Option<u32>,
    send: Vec<String>,
}

/// What every server has to answer, unless the script says otherwise.
const INITIALIZE: &str = r#"{"jsonrpc":"2.0","id":$ID,"result":{"protocolVersion":"2025-11-25","capabilities":{"tools":{"listChanged":true}},"serverInfo":{"name":"stub","version":"1.0"}}}"#;

fn main() -> ExitCode {
    let mut arguments = std::env::args().skip(1);
    match (arguments.next().as_deref(), arguments.next()) {
        (Some("supervise"), _) => toolgate_kit::supervisor_main(),
        (Some("sleep"), _) => loop {
            std::thread::sleep(Duration::from_secs(60));
        },
        (Some("serve"), Some(script)) => match serve(&script) {
            Ok(()) => ExitCode::SUCCESS,
            Err(error) => {
                let _ = writeln!(io::stderr(), "stub: {error}");
                ExitCode::from(70)
            }
        },
        _ => ExitCode::from(64),
    }
}

fn serve(script: &str) -> io::Result<()> {
    let script: Script = serde_json::from_slice(&std::fs::read(script)?)?;
    let mut stub = Stub { script };
    for act in stub.script.start.clone() {
        stub.act(&act, &Value::Null)?;
    }
    for line in io::stdin().lock().lines() {
        stub.hear(&line?)?;
    }
    Ok(())
}

struct Stub {
    script: Script,
}

impl Stub {
    fn hear(&mut self, line: &str) -> io::Result<()> {
        if let Some(log) = &self.script.log {
            writeln!(OpenOptions::new().create(true).append(true).open(log)?, "{line}")?;
        }
        let message: Value = serde_json::from_str(line)?;
        let method = message.get("method").and_then(Value::as_str).unwrap_or_default();
        let name = message.pointer("/params/name").and_then(Value::as_str).unwrap_or_default();
        let full = format!("{method}:{name}");
        let rule = self
            .script
            .rules
            .iter_mut()
            .find(|rule| (rule.on == method || rule.on == full) && rule.times != Some(0));
        let acts = match rule {
            Some(rule) => {
                rule.times = rule.times.map(|left| left - 1);
                rule.send.clone()
            }
            None if method == "initialize" => vec![INITIALIZE.to_owned()],
            None => Vec::new(),
        };
        for act in acts {
            self.act(&act, &message)?;
        }
        Ok(())
    }

    /// Prints a line, or does what a word with an exclamation mark says.
    fn act(&self, act: &str, message: &Value) -> io::Result<()> {
        let (word, rest) = act.split_once(' ').unwrap_or((act, ""));
        match word {
            "!exit" => exit(rest.parse().unwrap_or(1)),
            // To the standard error.
            "!complain" => writeln!(io::stderr(), "{rest}"),
            // The bytes that this names in hexadecimal, and a line end.
            "!bytes" => {
                let digit = |at: usize| rest.get(at..at + 2).and_then(|two| u8::from_str_radix(two, 16).ok());
                let bytes: Vec<u8> = (0..rest.len()).step_by(2).filter_map(digit).collect();
                print(&[&bytes[..], b"\n"].concat())
            }
            // For so many milliseconds.
            "!sleep" => {
                std::thread::sleep(Duration::from_millis(rest.parse().unwrap_or(0)));
                Ok(())
            }
            // Neither reads nor ends.
            "!hang" => loop {
                std::thread::sleep(Duration::from_secs(60));
            },
            // Prints without an end; `$COUNT` is another number each time.
            "!flood" => {
                for count in 0_u64.. {
                    print(format!("{}\n", rest.replace("$COUNT", &count.to_string())).as_bytes())?;
                }
                Ok(())
            }
            // A process in a session of its own, which holds no pipe.
            "!fork" => Command::new("setsid")
                .arg(std::env::current_exe()?)
                .arg("sleep")
                .args(std::env::args().skip(2))
                .stdin(Stdio::null())
                .stdout(Stdio::null())
                .stderr(Stdio::null())
                .spawn()
                .map(drop),
            // The value of a variable to the standard error.
            "!env" => writeln!(io::stderr(), "{rest}={}", std::env::var(rest).unwrap_or_default()),
            "!cwd" => writeln!(io::stderr(), "cwd={}", std::env::current_dir()?.display()),
            _ => {
                let text = |pointer: &str| message.pointer(pointer).map(Value::to_string).unwrap_or_default();
                let line = act.replace("$ID", &text("/id"));
                let line = line.replace("$PROGRESS", &text("/params/_meta/progressToken"));
                print(format!("{line}\n").as_bytes())
            }
        }
    }
}

fn print(bytes: &[u8]) -> io::Result<()> {
    let mut stdout = io::stdout().lock();
    stdout.write_all(bytes)?;
    stdout.flush()
}
