//! Finds the processes that descend from this one, and signals them.
//!
//! Used by the supervisor, which is the parent of last resort: what loses its parent becomes its child, so everything
//! that a command starts stays below it, whatever sessions and groups it makes. Used by the owner too, for what a
//! killed supervisor left. A process is signalled through a handle that was checked after it was opened, so a number
//! that was given to somebody else meanwhile does no harm.

use rustix::process::{Pid, Signal};

/// A process, as it was when it was looked at.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Process {
    pub(super) pid: Pid,
    parent: i32,
    /// Its group. It is of its session, and everything below a supervisor is in sessions that were begun there.
    pub(super) group: Option<Pid>,
    /// When it began, in ticks of the system: with the number it is one process for ever.
    begun: u64,
    /// It has ended, and its parent has not looked yet.
    pub(super) is_over: bool,
}

/// Every process below this one, parents first, those that are over included.
#[cfg(target_os = "linux")]
pub(super) fn descendants() -> Vec<Process> {
    let mut others: Vec<Process> = numbers().filter_map(look).collect();
    let mut found: Vec<Process> = Vec::new();
    let mut parents = vec![rustix::process::getpid().as_raw_nonzero().get()];
    while !parents.is_empty() {
        let (children, rest) = others.into_iter().partition(|process| parents.contains(&process.parent));
        others = rest;
        parents = children.iter().map(|child: &Process| child.pid.as_raw_nonzero().get()).collect();
        found.extend(children);
    }
    found
}

/// Sends a signal to a process, unless its number belongs to another by now.
#[cfg(target_os = "linux")]
pub(super) fn signal(process: Process, signal: Signal) {
    use rustix::process::{PidfdFlags, pidfd_open, pidfd_send_signal};

    let Ok(handle) = pidfd_open(process.pid, PidfdFlags::empty()) else { return };
    let number = process.pid.as_raw_nonzero().get();
    if look(number).is_some_and(|now| now.begun == process.begun) {
        // It fails where the process has just ended, or belongs to another user.
        let _ = pidfd_send_signal(handle, signal);
    }
}

/// Every process whose environment holds a variable, as `NAME=value`. It sees those of this user alone.
#[cfg(target_os = "linux")]
pub(super) fn marked(variable: &str) -> Vec<Process> {
    let has = |number: &i32| {
        let environment = std::fs::read(format!("/proc/{number}/environ")).unwrap_or_default();
        environment.split(|byte| *byte == 0).any(|one| one == variable.as_bytes())
    };
    numbers().filter(has).filter_map(look).filter(|process| !process.is_over).collect()
}

#[cfg(target_os = "linux")]
fn numbers() -> impl Iterator<Item = i32> {
    let entries = std::fs::read_dir("/proc").into_iter().flatten().flatten();
    entries.filter_map(|entry| entry.file_name().to_str()?.parse().ok())
}

#[cfg(target_os = "linux")]
fn look(number: i32) -> Option<Process> {
    let status = std::fs::read(format!("/proc/{number}/stat")).ok()?;
    // The name stands in brackets and may hold anything.
    let after = status.iter().rposition(|byte| *byte == b')')?;
    let fields = std::str::from_utf8(status.get(after + 1..)?).ok()?;
    let mut fields = fields.split_ascii_whitespace();
    let state = fields.next()?;
    let parent = fields.next()?.parse().ok()?;
    // One that is just being buried has the group -1, which means something else to who signals it.
    let group = fields.next()?.parse().ok().filter(|group: &i32| *group > 0).and_then(Pid::from_raw);
    let begun = fields.nth(16)?.parse().ok()?;
    Some(Process { pid: Pid::from_raw(number)?, parent, group, begun, is_over: matches!(state, "Z" | "X") })
}

/// There is no such list here; groups have to do.
#[cfg(not(target_os = "linux"))]
pub(super) fn descendants() -> Vec<Process> {
    Vec::new()
}

/// Sends a signal to a process.
#[cfg(not(target_os = "linux"))]
pub(super) fn signal(process: Process, signal: Signal) {
    let _ = rustix::process::kill_process(process.pid, signal);
}

/// There is no such list here.
#[cfg(not(target_os = "linux"))]
pub(super) fn marked(_variable: &str) -> Vec<Process> {
    Vec::new()
}
