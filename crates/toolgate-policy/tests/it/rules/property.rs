//! The property of rules about commands, against random rules and random lines: no line runs a command that no rule
//! allows. What a line runs is known because it was built so; and, for lines that were allowed, because it was run.

use std::os::unix::fs::PermissionsExt as _;
use std::path::{Path, PathBuf};
use std::process::{Command, Stdio};

use serde_json::json;
use toolgate::ToolEffect;
use toolgate_policy::rules::{Decision, Permissions};

use super::bench::{builder, lossless};

/// Set to another number to look at other lines.
const SEED: u64 = 0x5eed_0001;

/// How many lines are built, and how many of them are broken at random places.
const BUILT: usize = 6_000;
const BROKEN: usize = 6_000;

/// How many of the allowed ones of each kind are run.
const RUN: usize = 60;

const NAMES: &[&str] = &["c0", "c1", "c2", "c3"];
const WORDS: &[&str] = &[
    "a", "b", "-x", "--y=z", "a b", "it's", "$(c0)", "*", "#", "", "é", ";", "\"", "`c1`", "~", "{a,b}", "\\",
];

/// Xorshift: random enough, and the same on every machine.
struct Random(u64);

impl Random {
    fn below(&mut self, limit: usize) -> usize {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        (self.0 % limit as u64) as usize
    }

    fn one<'a>(&mut self, of: &[&'a str]) -> &'a str {
        of[self.below(of.len())]
    }

    fn chance(&mut self, percent: usize) -> bool {
        self.below(100) < percent
    }
}

/// An allowing rule, apart from how it is written.
struct Allowed {
    words: Vec<String>,
    is_prefix: bool,
}

impl Allowed {
    fn new(random: &mut Random) -> Self {
        let mut words = vec![random.one(NAMES).to_owned()];
        words.extend((0..random.below(3)).map(|_| random.one(WORDS).to_owned()));
        Self { words, is_prefix: random.chance(60) }
    }

    fn text(&self) -> String {
        let words: Vec<String> =
            self.words.iter().map(|word| format!("'{}'", word.replace('\'', r"'\''"))).collect();
        format!("allow bash({}{})", words.join(" "), if self.is_prefix { ":*" } else { "" })
    }

    /// Whether the rule means a command, some of whose words may be unknown.
    fn covers(&self, argv: &[Option<String>]) -> bool {
        let fits =
            if self.is_prefix { argv.len() >= self.words.len() } else { argv.len() == self.words.len() };
        fits && self.words.iter().zip(argv).all(|(word, argument)| argument.as_ref() == Some(word))
    }
}

/// A line, with everything that it may run.
#[derive(Default)]
struct Built {
    text: String,
    runs: Vec<Vec<Option<String>>>,
    /// Whether it holds only what rules claim to understand.
    is_plain: bool,
}

impl Built {
    fn new(random: &mut Random) -> Self {
        let mut built = Self { is_plain: true, ..Self::default() };
        built.list(random, 3);
        built
    }

    fn push(&mut self, text: &str) {
        self.text.push_str(text);
    }

    fn list(&mut self, random: &mut Random, depth: usize) {
        self.statement(random, depth);
        for _ in 0..random.below(3) {
            let operator = random.one(&["; ", ";", " && ", "||", " | ", "|", "\n", " & ", " # c1\n", "\n\n"]);
            self.push(operator);
            self.statement(random, depth);
        }
    }

    fn statement(&mut self, random: &mut Random, depth: usize) {
        let Some(below) = depth.checked_sub(1) else { return self.command(random, 0) };
        let parts: &[&str] = match random.below(18) {
            0 => &["(", "L", ")"],
            1 => &["{ ", "L", "; }"],
            2 => &["if ", "L", "; then ", "L", "; fi"],
            3 => &["if ", "L", "\nthen ", "L", "\nelif ", "L", "; then ", "L", "; else ", "L", "; fi"],
            4 => &["while ", "C", "; do ", "L", "; done"],
            5 => &["for f in a 'b c' *; do ", "L", "; done"],
            6 => &["! ", "C"],
            7 => &["P", "f() { ", "L", "; }; f"],
            8 => &["P", "case a in a) ", "L", ";; esac"],
            9 => &["P", "PATH=", "C"],
            10 => &["P", "C", " <<E\n$(", "C", ")\nE\n"],
            _ => &["C"],
        };
        for part in parts {
            match *part {
                "L" => self.list(random, below),
                "C" => self.command(random, below),
                "P" => self.is_plain = false,
                text => self.push(text),
            }
        }
    }

    fn command(&mut self, random: &mut Random, depth: usize) {
        let mut argv = vec![Some(random.one(NAMES).to_owned())];
        let name = argv[0].clone().unwrap_or_default();
        self.push(&spelled(&name, random));
        for _ in 0..random.below(4) {
            self.push(random.one(&[" ", "  ", "\t"]));
            let word = match random.below(12) {
                0 if depth > 0 => {
                    self.push("\"$(");
                    self.list(random, depth - 1);
                    self.push(")\"");
                    None
                }
                1 if depth > 0 => {
                    self.is_plain = false;
                    self.push("`");
                    self.command(random, 0);
                    self.push("`");
                    None
                }
                2 => {
                    self.push(random.one(&["$x", "\"$x\"", "${x}", "*", "a?", "~/a", "{a,b}"]));
                    None
                }
                _ => {
                    let word = random.one(WORDS);
                    self.push(&spelled(word, random));
                    Some(word.to_owned())
                }
            };
            argv.push(word);
        }
        match random.below(14) {
            0 => self.push(" 2>&1"),
            1 => self.push(" >/dev/null"),
            2 => {
                self.is_plain = false;
                self.push(" > out");
            }
            _ => {}
        }
        self.runs.push(argv);
    }
}

/// One of the spellings of a word.
fn spelled(word: &str, random: &mut Random) -> String {
    let is_simple =
        !word.is_empty() && word.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-=".contains(&byte));
    match random.below(4) {
        0 | 1 if is_simple => word.to_owned(),
        2 if word.is_ascii() && !word.is_empty() => word.chars().flat_map(|each| ['\\', each]).collect(),
        3 => {
            let inside: String = word
                .chars()
                .flat_map(|c| ['\\'].into_iter().filter(move |_| "\"\\$`".contains(c)).chain([c]))
                .collect();
            format!("\"{inside}\"")
        }
        _ => format!("'{}'", word.replace('\'', r"'\''")),
    }
}

/// Takes something out of a line, or puts something into it.
fn broken(line: &str, random: &mut Random) -> String {
    const PIECES: &[&str] = &[
        "'", "\"", "\\", "`", "$(", ")", "(", "{", "}", ";", "&", "|", "<", ">", "\n", "#", "$", "*", " ",
        "=", "<<E\n", "$((", "))", "c3", "\r", "\u{0}", "!", "[", "]", "~", "X=1 ", "${", "in", "do", "done",
        "case", "$'", "<(", "\\\n", "c3 a;", ";;", "&>",
    ];
    let mut characters: Vec<char> = line.chars().collect();
    for _ in 0..=random.below(3) {
        let at = random.below(characters.len() + 1);
        if random.chance(40) && at < characters.len() {
            characters.remove(at);
        } else {
            let piece = random.one(PIECES);
            characters.splice(at..at, piece.chars());
        }
    }
    characters.into_iter().collect()
}

#[test]
fn no_line_runs_what_no_rule_allows() {
    let mut random = Random(SEED);
    let world = World::new();
    let folder = tempfile::tempdir().expect("a folder");
    let (mut allowed, mut plain, mut needless, mut run) = (0, 0, 0, [0; 2]);
    let mut rules: Vec<Allowed> = Vec::new();
    let mut permissions = None;
    for index in 0..BUILT + BROKEN {
        if index % 20 == 0 {
            rules = (0..3 + random.below(8)).map(|_| Allowed::new(&mut random)).collect();
            // Most words of most lines are of a few commands, which some rule should allow altogether.
            rules.extend(
                NAMES
                    .iter()
                    .filter(|_| random.chance(60))
                    .map(|name| Allowed { words: vec![(*name).to_owned()], is_prefix: true }),
            );
            let texts: Vec<String> = rules.iter().map(Allowed::text).collect();
            let texts: Vec<&str> = texts.iter().map(String::as_str).collect();
            let built = builder(folder.path(), &texts).build();
            permissions = Some(Permissions::new(built.unwrap_or_else(|error| panic!("{error}"))));
        }
        let permissions = permissions.as_ref().expect("set at first");
        let built = Built::new(&mut random);
        let is_broken = index >= BUILT;
        let line = if is_broken { broken(&built.text, &mut random) } else { built.text.clone() };
        let arguments = lossless(json!({ "command": line }));
        let explanation = permissions.explain("bash", &arguments, Some(ToolEffect::NonIdempotent), None);
        let is_allowed = explanation.decision() == Decision::Allow;
        let covered = |argv: &[Option<String>]| rules.iter().any(|rule| rule.covers(argv));
        if !is_broken {
            let uncovered = built.runs.iter().find(|argv| !covered(argv));
            assert!(
                !is_allowed || uncovered.is_none(),
                "seed {SEED:#x}: {line:?} runs {uncovered:?}\n{explanation}"
            );
            if built.is_plain && uncovered.is_none() {
                plain += 1;
                needless += usize::from(!is_allowed);
            }
        }
        allowed += usize::from(is_allowed);
        if is_allowed && run[usize::from(is_broken)] < RUN {
            run[usize::from(is_broken)] += 1;
            for (shell, argv) in world.run(&line) {
                let argv: Vec<Option<String>> = argv.into_iter().map(Some).collect();
                assert!(covered(&argv), "seed {SEED:#x}: {shell:?} ran {argv:?} for {line:?}\n{explanation}");
            }
        }
    }
    // A test of lines that all ask would hold for anything.
    assert!(allowed > BUILT / 10, "only {allowed} lines were allowed");
    assert_eq!(run, [RUN; 2]);
    // The grammar misreads some odd spellings; the other reader notices, and the line asks.
    assert!(
        needless * 20 < plain,
        "{needless} of {plain} plain lines asked although rules allow all of them"
    );
}

/// Real shells, and programs that write down how they were started.
struct World {
    folder: tempfile::TempDir,
    shells: Vec<PathBuf>,
}

impl World {
    fn new() -> Self {
        let folder = tempfile::tempdir().expect("a folder");
        for part in ["bin", "here"] {
            std::fs::create_dir(folder.path().join(part)).expect("a folder");
        }
        // A loop that does not end is ended after a hundred runs.
        // A record is written at once, so that programs that run side by side do not mix theirs.
        let script = "#!/bin/sh\nend=$(printf '\\037.')\nrecord=\nfor each in \"${0##*/}\" \"$@\"; do record=\"$record$each${end%.}\"; done\n\
                      printf '%s\\036' \"$record\" >> \"$LOG\"\n\
                      read -r all < \"$LOG\"\n[ \"${#all}\" -lt 2000 ] || kill -9 \"$PPID\"\n[ $(( (${#all} / 7) % 2 )) = 0 ]\n";
        for name in NAMES {
            let path = folder.path().join("bin").join(name);
            std::fs::write(&path, script).expect("a program");
            std::fs::set_permissions(&path, std::fs::Permissions::from_mode(0o755)).expect("a program");
        }
        let shells = ["/bin/sh", "/bin/bash", "/bin/dash"].into_iter().map(PathBuf::from);
        Self { folder, shells: shells.filter(|shell| shell.exists()).collect() }
    }

    /// What ran, in each shell. Nothing but the log may have been written.
    fn run(&self, line: &str) -> Vec<(&Path, Vec<String>)> {
        let here = self.folder.path().join("here");
        let mut ran = Vec::new();
        for shell in &self.shells {
            // What a line leaves in the background may still write when the next one runs, so each has its own log;
            // reading the output to its end waits for all that did not close it.
            let log = tempfile::NamedTempFile::new_in(self.folder.path()).expect("a log");
            let log = log.path();
            let mut command = Command::new(shell);
            command.arg("-c").arg(line).current_dir(&here).env_clear();
            command
                .env("PATH", self.folder.path().join("bin"))
                .env("LOG", log)
                .env("x", "a  *")
                .env("HOME", &here);
            command.stdin(Stdio::null()).output().expect("the shell starts");
            let written = std::fs::read_to_string(log).expect("the log");
            let records = written.split('\u{1e}').filter(|record| !record.is_empty());
            ran.extend(records.map(|record| {
                let mut argv: Vec<String> = record.split('\u{1f}').map(str::to_owned).collect();
                argv.pop();
                (shell.as_path(), argv)
            }));
            let left = std::fs::read_dir(&here).expect("the folder").count();
            assert_eq!(left, 0, "{line:?} wrote a file");
        }
        ran
    }
}
