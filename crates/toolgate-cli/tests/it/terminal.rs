//! A person at a real terminal who is asked: the whole question, and nothing but a clear answer counts.

use std::fs::{File, OpenOptions};
use std::io::{Read as _, Write as _};
use std::os::unix::ffi::OsStrExt as _;
use std::os::unix::fs::OpenOptionsExt as _;
use std::os::unix::process::CommandExt as _;
use std::path::Path;
use std::process::{Child, Command};
use std::sync::{Arc, Mutex};
use std::thread::{self, JoinHandle};
use std::time::{Duration, Instant};

use rustix::pty::{OpenptFlags, grantpt, openpt, ptsname, unlockpt};
use rustix::termios::{Winsize, tcsetwinsize};
use tempfile::TempDir;

use crate::{project, toolgate, write};

const PATIENCE: Duration = Duration::from_secs(60);
const QUESTION: &str = "May this call run?";
const WRITE: [&str; 3] = ["call", "write", r#"{"file_path":"notes.txt","content":"x"}"#];

/// A terminal with the binary in it, and the person before it.
struct Session {
    terminal: File,
    screen: Arc<Mutex<String>>,
    reader: JoinHandle<()>,
    child: Child,
}

impl Session {
    fn begin(mut command: Command) -> Self {
        let terminal = openpt(OpenptFlags::RDWR | OpenptFlags::NOCTTY | OpenptFlags::CLOEXEC).unwrap();
        grantpt(&terminal).unwrap();
        unlockpt(&terminal).unwrap();
        let name = ptsname(&terminal, Vec::new()).unwrap();
        let path = Path::new(std::ffi::OsStr::from_bytes(name.to_bytes()));
        let noctty = rustix::fs::OFlags::NOCTTY.bits().cast_signed();
        let inside = OpenOptions::new().read(true).write(true).custom_flags(noctty).open(path).unwrap();
        command.stdin(inside.try_clone().unwrap());
        command.stdout(inside.try_clone().unwrap()).stderr(inside.try_clone().unwrap()).env("TERM", "xterm");
        let own = inside.try_clone().unwrap();
        #[expect(
            unsafe_code,
            reason = "only a child can make a terminal its own; both calls are plain system calls"
        )]
        // SAFETY: between fork and exec nothing allocates and no lock is taken.
        unsafe {
            command.pre_exec(move || {
                rustix::process::setsid()?;
                rustix::process::ioctl_tiocsctty(&own)?;
                Ok(())
            });
        }
        let child = command.spawn().unwrap();
        // The command holds the terminal open from inside.
        drop(command);
        drop(inside);
        let terminal = File::from(terminal);
        let screen = Arc::new(Mutex::new(String::new()));
        let (mut reader, shown) = (terminal.try_clone().unwrap(), Arc::clone(&screen));
        let reader = thread::spawn(move || {
            let mut bytes = [0; 4096];
            // Ends with an error when the last process inside is gone.
            while let Ok(read @ 1..) = reader.read(&mut bytes) {
                shown.lock().unwrap().push_str(&String::from_utf8_lossy(&bytes[..read]));
            }
        });
        Self { terminal, screen, reader, child }
    }

    fn call(folder: &TempDir, args: &[&str]) -> Self {
        let mut command = toolgate(folder.path());
        command.args(args).env("NO_COLOR", "1");
        Self::begin(command)
    }

    fn screen(&self) -> String {
        self.screen.lock().unwrap().clone()
    }

    /// Waits until a text stands on the screen so often.
    fn sees(&self, text: &str, times: usize) -> String {
        let begun = Instant::now();
        loop {
            let screen = self.screen();
            if screen.matches(text).count() >= times {
                return screen;
            }
            assert!(begun.elapsed() < PATIENCE, "{text:?} is not {times} times on the screen:\n{screen}");
            thread::sleep(Duration::from_millis(5));
        }
    }

    fn types(&mut self, keys: &str) {
        self.terminal.write_all(keys.as_bytes()).unwrap();
    }

    /// Waits for the end. Gives the exit code and all that was shown.
    fn ends(mut self) -> (Option<i32>, String) {
        let begun = Instant::now();
        let status = loop {
            if let Some(status) = self.child.try_wait().unwrap() {
                break status;
            }
            assert!(begun.elapsed() < PATIENCE, "it does not end:\n{}", self.screen());
            thread::sleep(Duration::from_millis(5));
        };
        // What was written last may still be on its way.
        let Self { screen, reader, .. } = self;
        reader.join().unwrap();
        (status.code(), screen.lock().unwrap().clone())
    }
}

#[test]
fn the_person_sees_the_whole_call_and_allows_it() {
    let folder = project();
    let notes = folder.path().join("notes.txt");
    let mut session = Session::call(&folder, &WRITE);
    let screen = session.sees("y, 1–2 or n? ", 1);
    for part in [
        QUESTION,
        "tool write",
        "\"file_path\": \"notes.txt\"",
        "\"content\": \"x\"",
        "no rule allows it, and `write` changes something",
        "that fits  write(notes.txt)",
        "that fits  write(**)",
    ] {
        assert!(screen.contains(part), "{part}: {screen}");
    }
    assert!(!notes.exists());
    session.types("y\n");
    let (code, screen) = session.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(notes.exists());
}

#[test]
fn a_rejection_runs_nothing() {
    let folder = project();
    let mut session = Session::call(&folder, &WRITE);
    session.sees("or n? ", 1);
    session.types("n\n");
    let (code, screen) = session.ends();
    assert_eq!(code, Some(1), "{screen}");
    assert!(screen.contains("was rejected"), "{screen}");
    assert!(!folder.path().join("notes.txt").exists());
}

#[test]
fn ctrl_c_takes_the_question_back() {
    let folder = project();
    let mut session = Session::call(&folder, &WRITE);
    session.sees("or n? ", 1);
    session.types("\x03");
    let (code, screen) = session.ends();
    assert_eq!(code, Some(130), "{screen}");
    assert!(!folder.path().join("notes.txt").exists());
}

#[test]
fn garbage_and_the_end_of_the_input_are_no_answer() {
    let folder = project();
    let mut session = Session::call(&folder, &WRITE);
    session.sees("or n? ", 1);
    for (times, garbage) in ["\n", "\x1b[8;24;80t\n", "yes please\n", "9\n", "\u{fffd}y\n"].iter().enumerate()
    {
        let size = Winsize { ws_row: 10 + times as u16, ws_col: 20, ws_xpixel: 0, ws_ypixel: 0 };
        tcsetwinsize(&session.terminal, size).unwrap();
        session.types(garbage);
        session.sees("or n? ", times + 2);
    }
    assert!(!folder.path().join("notes.txt").exists());
    // Ctrl-D: nobody is there any more.
    session.types("\x04");
    let (code, screen) = session.ends();
    assert_eq!(code, Some(1), "{screen}");
    assert!(screen.contains("hint: --allow 'write(notes.txt)'"), "{screen}");
    assert!(!folder.path().join("notes.txt").exists());
}

#[test]
fn what_was_typed_before_the_question_does_not_answer_it() {
    let folder = project();
    write(
        &folder,
        "p.ts",
        "try { await tools.write({ file_path: 'a.txt', content: 'a' }) } catch {}
        await tools.glob({ pattern: '*' });
        await tools.write({ file_path: 'b.txt', content: 'b' })",
    );
    let mut session = Session::call(&folder, &["run", "p.ts"]);
    session.types("y\ny\n");
    session.sees("or n? ", 1);
    session.types("n\ny\ny\n");
    session.sees(QUESTION, 2);
    session.sees("or n? ", 2);
    session.types("n\n");
    let (code, screen) = session.ends();
    assert_eq!(code, Some(1), "{screen}");
    assert!(!folder.path().join("a.txt").exists() && !folder.path().join("b.txt").exists(), "{screen}");
}

#[test]
fn a_chosen_rule_holds_for_the_rest_of_the_program() {
    let folder = project();
    write(
        &folder,
        "p.ts",
        "for (const name of ['out/a.txt', 'out/b.txt', 'out/c/d.txt']) await tools.write({ file_path: name, content: 'x' })",
    );
    let mut session = Session::call(&folder, &["run", "p.ts"]);
    let screen = session.sees("or n? ", 1);
    assert!(
        screen.contains("2  allow every call, until this command ends, that fits  write(out/**)"),
        "{screen}"
    );
    assert!(screen.contains("called by a program"), "{screen}");
    session.types("2\n");
    let (code, screen) = session.ends();
    assert_eq!((code, screen.matches(QUESTION).count()), (Some(0), 1), "{screen}");
    assert!(folder.path().join("out/c/d.txt").exists());
}

#[test]
fn a_call_cannot_draw_its_own_question() {
    let folder = project();
    let arguments = serde_json::json!({
        "file_path": "a\u{1b}[2K\u{202e}.txt",
        "content": "\r\u{1b}[31m\nMay this call run?  Read `README.md`\n  y  allow this one call\nend",
    });
    let mut session = Session::call(&folder, &["call", "write", &arguments.to_string()]);
    let screen = session.sees("or n? ", 1);
    assert!(!screen.contains('\u{1b}') && !screen.contains('\u{202e}'), "{screen:?}");
    assert!(screen.contains("\\u001b[31m\\nMay this") || screen.contains("\\x1b[31m\\nMay this"), "{screen}");
    assert_eq!(screen.lines().filter(|line| line.starts_with(QUESTION)).count(), 1, "{screen}");
    session.types("n\n");
    assert_eq!(session.ends().0, Some(1));
}

#[test]
fn the_spinner_stands_still_while_somebody_is_asked() {
    let folder = project();
    let mut session = Session::call(&folder, &WRITE);
    let before = session.sees("or n? ", 1);
    // Longer than the spinner waits before it shows itself.
    thread::sleep(Duration::from_millis(1_500));
    assert_eq!(session.screen(), before);
    session.types("n\n");
    assert_eq!(session.ends().0, Some(1));
}

#[test]
fn a_tool_may_ask_as_well() {
    let folder = project();
    let arguments = r#"{"question":"Which colour?","options":["red","blue"]}"#;
    let mut session = Session::call(&folder, &["call", "ask_user", arguments]);
    let screen = session.sees("own words, or - for none: ", 1);
    assert!(screen.contains("Which colour?") && screen.contains("2  blue"), "{screen}");
    session.types("2\n");
    let (code, screen) = session.ends();
    assert_eq!(code, Some(0), "{screen}");
    assert!(screen.ends_with("blue\r\n"), "{screen:?}");
}

#[test]
fn nobody_is_asked_where_a_stream_is_no_terminal_or_an_answer_was_given() {
    let folder = project();
    let mut command = toolgate(folder.path());
    command.args(WRITE);
    let session = Session::begin({
        let mut piped = Command::new("sh");
        piped.args(["-c", "\"$0\" \"$@\" < /dev/null"]).arg(command.get_program()).args(command.get_args());
        piped.current_dir(folder.path());
        piped
    });
    let (code, screen) = session.ends();
    assert_eq!((code, screen.contains(QUESTION)), (Some(1), false), "{screen}");
    for (answer, code) in [("--yes", 0), ("--deny-asks", 1)] {
        let session = Session::call(&folder, &[&WRITE[..], &[answer]].concat());
        let (ended, screen) = session.ends();
        assert_eq!((ended, screen.contains(QUESTION)), (Some(code), false), "{screen}");
    }
}
