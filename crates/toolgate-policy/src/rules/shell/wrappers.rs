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
    "csh",
    "dash",
    "dbus-run-session",
    "doas",
    "docker",
    "eatmydata",
    "entr",
    "env",
    "eval",
    "exec",
    "fakeroot",
    "fd",
    "find",
    "firejail",
    "fish",
    "flock",
    "gdb",
    "ionice",
    "ksh",
    "ltrace",
    "mksh",
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
    "rbash",
    "rlwrap",
    "runuser",
    "screen",
    "script",
    "setarch",
    "setpriv",
    "setsid",
    "sh",
    "source",
    "ssh",
    "ssh-agent",
    "stdbuf",
    "strace",
    "su",
    "sudo",
    "systemd-run",
    "taskset",
    "tcsh",
    "time",
    "timeout",
    "tmux",
    "toybox",
    "trap",
    "unbuffer",
    "unshare",
    "uv",
    "valgrind",
    "watch",
    "xargs",
    "xvfb-run",
    "yash",
    "zsh",
];

/// Read commands from their input where no argument says otherwise.
const SHELLS: &[&str] =
    &["ash", "bash", "csh", "dash", "fish", "ksh", "mksh", "rbash", "sh", "tcsh", "yash", "zsh"];

/// Run a file that an argument names, which may be their input.
const RUN_FILES: &[&str] = &[".", "source"];

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
            let Some(text) = text else { continue };
            self.is_open |= ADD_ARGUMENTS.contains(&name) && replaces_words(text);
            self.is_open |= has_input && reads_commands(rest);
            // An option may hold the text that it is about: `-Srm`, `--split-string=rm`.
            let held = text.starts_with('-').then(|| text.get(2..)).flatten();
            let value = held.and_then(|held| held.split_once('=')).map(|(_, value)| value);
            for text in [Some(text), held, value].into_iter().flatten().filter(|text| !text.is_empty()) {
                let mut command = rest.to_vec();
                if let Some(first) = command.first_mut() {
                    first.text = Some(text.to_owned());
                }
                if ADD_ARGUMENTS.contains(&name) {
                    command.push(unknown());
                }
                self.commands.push(command);
                self.add_line(text, depth);
            }
        }
        self.is_open |= has_input && reads_commands(argv);
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

/// Whether a command is a shell that may take its commands from its input.
fn reads_commands(argv: &[Word]) -> bool {
    let mut texts = argv.iter().map(|word| word.text.as_deref());
    let Some(Some(name)) = texts.next() else { return false };
    let name = base_name(name);
    if RUN_FILES.contains(&name) {
        return texts.any(is_input);
    }
    if !SHELLS.contains(&name) {
        return false;
    }
    while let Some(text) = texts.next() {
        match text {
            Some("-" | "--") => {}
            // The value of this option is the next word.
            Some("-o" | "+o" | "-O" | "+O" | "--rcfile" | "--init-file") => drop(texts.next()),
            Some(text) if text.starts_with("--") => {}
            Some(text) if text.starts_with('-') && text.contains('s') => return true,
            Some(text) if text.starts_with('-') && text.contains('c') => return false,
            Some(text) if text.starts_with(['-', '+']) => {}
            script => return is_input(script),
        }
    }
    true
}

/// Whether a file may be the input of the command that opens it.
fn is_input(file: Option<&str>) -> bool {
    file.is_none_or(|file| file.starts_with("/dev/") || file.starts_with("/proc/"))
}

/// Whether an option has words of the command replaced by others.
fn replaces_words(option: &str) -> bool {
    option.starts_with("-I")
        || option.starts_with("-i")
        || option.starts_with("-J")
        || option.starts_with("--replace")
}

/// Whether a command does whatever its arguments say, so that no rule should be offered that lets others follow.
pub(crate) fn is_open_ended(name: &str, subcommand: &str) -> bool {
    const INTERPRETERS: &[&str] = &[
        "awk", "bun", "deno", "ed", "emacs", "ex", "gawk", "lua", "make", "node", "nvim", "perl", "php",
        "python", "python3", "rm", "rsync", "ruby", "sed", "tar", "tclsh", "vi", "vim",
    ];
    const SUBCOMMANDS: &[(&str, &[&str])] = &[
        ("git", &["bisect", "config", "difftool", "filter-branch", "mergetool", "rebase", "submodule"]),
        ("kubectl", &["exec"]),
        ("npm", &["exec"]),
        ("pnpm", &["dlx", "exec"]),
        ("yarn", &["dlx", "exec"]),
    ];
    let name = base_name(name);
    RUN_ARGUMENTS.contains(&name)
        || INTERPRETERS.contains(&name)
        || SUBCOMMANDS.iter().any(|(command, open)| *command == name && open.contains(&subcommand))
}

fn unknown() -> Word {
    Word { range: 0..0, text: None, is_quoted: false, is_assignment: false }
}

/// The name of a command without its folder.
pub(super) fn base_name(name: &str) -> &str {
    name.rsplit('/').next().unwrap_or(name)
}
