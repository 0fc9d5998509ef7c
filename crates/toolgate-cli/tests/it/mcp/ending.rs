//! The end of a gateway: whatever it had started is gone.

use std::thread;
use std::time::{Duration, Instant};

use rustix::process::{Pid, Signal, kill_process};

use super::{Client, Inner, PATIENCE, ended, fronting, processes_of};

#[test]
fn nothing_is_left_of_the_servers_however_it_ends() {
    for end in ["input", "SIGTERM", "SIGINT", "SIGKILL"] {
        let inner = Inner::new();
        let home = fronting(&inner, "");
        let mut client = Client::start(&mut home.command(&["mcp"]), "test");
        assert!(client.tools().iter().any(|tool| tool == "mcp__inner__read"), "{end}");
        assert!(!processes_of(inner.folder.path()).is_empty(), "{end}: the server runs");
        let pid = Pid::from_raw(i32::try_from(client.child.id()).unwrap()).unwrap();
        match end {
            "input" => drop(client.input.take()),
            "SIGTERM" => kill_process(pid, Signal::TERM).unwrap(),
            "SIGINT" => kill_process(pid, Signal::INT).unwrap(),
            _ => kill_process(pid, Signal::KILL).unwrap(),
        }
        let status = ended(&mut client.child);
        assert_eq!(status.success(), end != "SIGKILL", "{end}: {status}");
        let begun = Instant::now();
        while !processes_of(inner.folder.path()).is_empty() {
            // Who was killed has left this to the processes that watch over the servers.
            assert!(end == "SIGKILL", "{end}: {:?}", processes_of(inner.folder.path()));
            assert!(begun.elapsed() < PATIENCE, "{:?}", processes_of(inner.folder.path()));
            thread::sleep(Duration::from_millis(20));
        }
    }
}
