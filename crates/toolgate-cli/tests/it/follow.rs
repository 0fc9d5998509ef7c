//! `toolgate log follow`: records of another process as they come, without its knowing.

use std::io::{BufRead as _, BufReader, Lines};
use std::process::{Child, ChildStdout, Command, Stdio};
use std::sync::mpsc::{Receiver, channel};
use std::thread;
use std::time::Duration;

use toolgate_session::Record;

use crate::kept::{Keeper, STORES};
use crate::log::{long_session, record};

/// How long a line may take. A line that never comes fails the test.
const PATIENCE: Duration = Duration::from_secs(30);

struct Follower {
    child: Child,
    lines: Receiver<String>,
}

impl Follower {
    fn start(keeper: &Keeper, args: &[&str]) -> Self {
        let mut command = keeper.command([&["log", "follow", "last", "--json"], args].concat());
        let mut child = command.stdout(Stdio::piped()).stderr(Stdio::piped()).spawn().unwrap();
        let (sender, lines) = channel();
        let out: Lines<BufReader<ChildStdout>> = BufReader::new(child.stdout.take().unwrap()).lines();
        thread::spawn(move || out.map_while(Result::ok).try_for_each(|line| sender.send(line)));
        Self { child, lines }
    }

    #[track_caller]
    fn expect(&self, seq: u64) {
        let line = self.lines.recv_timeout(PATIENCE).unwrap();
        assert_eq!(Record::from_line(line.as_bytes()).unwrap(), record(seq));
    }

    fn signal(&self, name: &str) {
        let pid = self.child.id().to_string();
        assert!(Command::new("kill").args([&format!("-{name}"), &pid]).status().unwrap().success());
    }
}

#[test]
fn records_are_shown_as_they_are_appended_and_the_writer_never_waits() {
    for store in STORES {
        let keeper = Keeper::new(store);
        let id = long_session(&keeper, store, 3);
        let follower = Follower::start(&keeper, &["--from", "2"]);
        (2..=3).for_each(|seq| follower.expect(seq));
        let mut journal = keeper.backend(store).open(id).unwrap();
        journal.append(&[record(4).to_line()]).unwrap();
        follower.expect(4);
        // Stopped in the middle of whatever it does, it holds nobody up.
        follower.signal("STOP");
        for seq in 5..=300 {
            journal.append(&[record(seq).to_line()]).unwrap();
        }
        assert!(follower.lines.try_recv().is_err(), "{store}: a stopped process shows nothing");
        follower.signal("CONT");
        (5..=300).for_each(|seq| follower.expect(seq));
        journal.append(&[record(301).to_line(), record(302).to_line()]).unwrap();
        (301..=302).for_each(|seq| follower.expect(seq));
        follower.signal("INT");
        let output = follower.child.wait_with_output().unwrap();
        assert_eq!((output.status.code(), output.stderr), (Some(0), vec![]), "{store}");
        assert!(follower.lines.recv().is_err(), "{store}: nothing came that was not appended");
    }
}

#[test]
fn what_was_there_before_is_shown_only_if_asked_for() {
    for store in STORES {
        let keeper = Keeper::new(store);
        let id = long_session(&keeper, store, 3);
        let follower = Follower::start(&keeper, &[]);
        // It listens to Ctrl-C once it knows where it begins.
        let status = format!("/proc/{}/status", follower.child.id());
        let listens = || {
            let text = std::fs::read_to_string(&status).unwrap();
            let caught = text.lines().find_map(|line| line.strip_prefix("SigCgt:")).unwrap();
            u64::from_str_radix(caught.trim(), 16).unwrap() & 0b10 != 0
        };
        let begun = std::time::Instant::now();
        while !listens() {
            assert!(begun.elapsed() < PATIENCE);
            thread::yield_now();
        }
        let mut journal = keeper.backend(store).open(id).unwrap();
        journal.append(&[record(4).to_line()]).unwrap();
        follower.expect(4);
        follower.signal("INT");
        assert_eq!(follower.child.wait_with_output().unwrap().status.code(), Some(0));
    }
}
