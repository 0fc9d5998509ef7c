//! Commands that run other commands, for the rules that must not be dodged: those that deny or ask.
//!
//! Called by the matching of such rules. Rules that allow need none of this: to them `env cat a` is a command of its
//! own. The list cannot be complete, which is why a rule that denies is a guard rail and no sandbox.

use super::line::{ShellLine, SimpleCommand};
use super::word::Word;

/// Run what their arguments say, from some argument on.
const RUN_ARGUMENTS: &[&str] = &[
    ".",
    "ash",
    "bash",
    "builtin",
    "bunx",
    "busybox",
    "bwrap",
    "chroot",
    "chrt",
    "command",
    "coproc",
    "dash",
    "doas",
    "docker",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "fd",
    "find",
    "firejail",
    "flock",
    "gdb",
    "ionice",
    "ksh",
    "ltrace",
    "nice",
    "nohup",
    "npx",
    "nsenter",
    "parallel",
    "perf",
    "pkexec",
    "podman",
    "prlimit",
    "proot",
    "rlwrap",
    "runuser",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sh",
    "source",
    "ssh",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "time",
    "timeout",
    "toybox",
    "trap",
    "unbuffer",
    "unshare",
    "uv",
    "watch",
    "xargs",
    "zsh",
];

/// Read commands from their input where no argument says otherwise.
const SHELLS: &[&str] = &["ash", "bash", "dash", "ksh", "sh", "zsh"];

/// Add arguments out of their input.
const ADD_ARGUMENTS: &[&str] = &["entr", "parallel", "xargs"];

/// How deep lines within lines are looked into.
const DEEPEST: usize = 4;

/// What a simple command may run, itself first.
#[derive(Debug, Default)]
pub(super) struct Reach {
    /// The argument lists that may run.
    pub(super) commands: Vec<Vec<Word>>,
    /// Whether something else may run, which is not known before.
    pub(super) is_open: bool,
}

impl Reach {
    /// What the command may run, on a line that gives commands their input or not.
    pub(super) fn of(command: &SimpleCommand, has_input: bool) -> Self {
        let mut reach = Self::default();
        reach.add(command.argv(), has_input, 0);
        reach
    }

    fn add(&mut self, argv: &[Word], has_input: bool, depth: usize) {
        self.commands.push(argv.to_vec());
        let Some(first) = argv.first() else { return };
        let Some(name) = first.text.as_deref() else {
            self.is_open = true;
            return;
        };
        let name = base_name(name);
        if !RUN_ARGUMENTS.contains(&name) {
            return;
        }
        let arguments = argv.get(1..).unwrap_or_default();
        if depth >= DEEPEST {
            self.is_open = true;
            return;
        }
        for start in 0..arguments.len() {
            let rest = arguments.get(start..).unwrap_or_default();
            let text = rest.first().and_then(|word| word.text.as_deref());
            // An expansion where a command may begin may be any command.
            self.is_open |= text.is_none();
            if let Some(text) = text {
                let mut command = rest.to_vec();
                if ADD_ARGUMENTS.contains(&name) {
                    command.push(unknown());
                }
                self.commands.push(command);
                self.add_line(text, depth);
            }
        }
        let takes_input = SHELLS.contains(&name)
            && arguments.iter().all(|word| word.text.as_deref().is_some_and(|text| text.starts_with('-')));
        self.is_open |= takes_input && has_input;
    }

    /// Looks into an argument that may itself be a command line.
    fn add_line(&mut self, text: &str, depth: usize) {
        if text.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_./=+:,@%".contains(&byte)) {
            return;
        }
        let line = ShellLine::read(text);
        self.is_open |= line.may_hide_commands();
        for command in &line.commands {
            self.add(command.argv(), line.has_inputs, depth + 1);
        }
    }
}

/// Whether a command does whatever its arguments say, so that no rule should be offered for its name.
pub(crate) fn is_open_ended(name: &str) -> bool {
    const INTERPRETERS: &[&str] = &[
        "awk", "bun", "deno", "gawk", "lua", "make", "node", "perl", "php", "python", "python3", "rm",
        "ruby", "tclsh",
    ];
    let name = base_name(name);
    RUN_ARGUMENTS.contains(&name) || INTERPRETERS.contains(&name)
}

fn unknown() -> Word {
    Word { range: 0..0, text: None, is_quoted: false, is_assignment: false }
}

/// The name of a command without its folder.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
