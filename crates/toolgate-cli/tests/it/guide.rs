//! The commands of the guide to rules and approvals, and those of the README, do what is written there.

#![cfg(unix)]

use std::fs;
use std::path::Path;
use std::process::{Command, Stdio};

use crate::home::Home;
use crate::project;

const GUIDE: &str = include_str!("../../../../docs/guides/rules-and-approvals.md");
const README: &str = include_str!("../../../../README.md");

/// Runs a line of a shell with the binary on its path. Gives what it printed on both streams.
fn shell(home: &Home, line: &str) -> (Option<i32>, String) {
    let command = home.command(&[]);
    let mut shell = Command::new("sh");
    shell.args(["-c", &format!("exec 2>&1; {line}")]).current_dir(home.workspace()).stdin(Stdio::null());
    shell.envs(command.get_envs().filter_map(|(name, value)| Some((name, value?))));
    let binary = Path::new(env!("CARGO_BIN_EXE_toolgate")).parent().unwrap();
    let path = std::env::var("PATH").unwrap();
    shell.env("PATH", format!("{}:{path}", binary.display()));
    shell.env("XDG_DATA_HOME", home.workspace().join("data"));
    let output = shell.output().unwrap();
    (output.status.code(), String::from_utf8(output.stdout).unwrap())
}

#[test]
fn the_commands_of_the_guide_print_what_it_shows() {
    let home = Home::new();
    fs::write(home.workspace().join("notes.txt"), "old\n").unwrap();
    let mut commands = 0;
    for block in GUIDE.split("```").skip(1).step_by(2) {
        let (language, text) = block.split_once('\n').unwrap();
        match language {
            // The user's own file, from here on.
            "toml yours" => home.configure(text),
            "toml workspace" => home.of_workspace(text),
            "console" => {
                let mut printed = String::new();
                for line in text.lines() {
                    if let Some(command) = line.strip_prefix("$ ") {
                        assert_eq!(
                            printed, "",
                            "the guide does not show all that is printed before {command}"
                        );
                        printed = shell(&home, command).1;
                        printed = printed
                            .replace(&format!("{}/", home.workspace().canonicalize().unwrap().display()), "");
                        printed = printed.replace(
                            &home.user_file().display().to_string(),
                            "~/.config/toolgate/toolgate.toml",
                        );
                        commands += 1;
                    } else {
                        let rest = printed.strip_prefix(line).and_then(|rest| rest.strip_prefix('\n'));
                        printed = rest
                            .unwrap_or_else(|| panic!("expected {line:?}, but it goes on {printed:?}"))
                            .to_owned();
                    }
                }
                assert_eq!(printed, "", "the guide does not show all that is printed");
            }
            "toml" | "decisions" | "text" => {}
            other => panic!("{other:?} is no kind of example"),
        }
    }
    assert_eq!(commands, 9);
}

/// The lines of the first shell block of a section of the README.
fn commands_of(section: &str) -> impl Iterator<Item = &'static str> {
    let section = README.split("\n## ").find(|text| text.starts_with(&format!("{section}\n"))).unwrap();
    let block = section.split("```sh\n").nth(1).unwrap().split("```").next().unwrap();
    let lines: Vec<_> = block.lines().filter(|line| !line.trim().is_empty()).collect();
    assert!(lines.len() >= 5, "{lines:?}");
    lines.into_iter()
}

#[test]
fn the_commands_of_the_readme_work_as_written() {
    let home = Home::new();
    let project = project();
    for name in ["README.md", "numbers.txt"] {
        fs::copy(project.path().join(name), home.workspace().join(name)).unwrap();
    }
    for line in commands_of("Policy") {
        let (code, printed) = shell(&home, line);
        assert_eq!(code, Some(0), "{line}: {printed}");
    }
}

#[test]
fn the_commands_of_the_readme_about_sessions_work_as_written() {
    let home = Home::new();
    crate::kept::copy(&crate::kept::examples().join("projects/greeting"), &home.workspace());
    crate::kept::copy(&crate::kept::examples().join("scripts"), &home.workspace().join("examples/scripts"));
    let first = "toolgate agent \"Make the test pass.\" --script examples/scripts/fix-test.toml --yes";
    assert_eq!(shell(&home, first).0, Some(0));
    let mut printed = String::new();
    for line in commands_of("Sessions") {
        let (code, text) = shell(&home, line);
        assert_eq!(code, Some(0), "{line}: {text}");
        printed = text;
    }
    assert!(printed.starts_with("There is nothing left to do: the test passes.\nsession "), "{printed}");
    let exported = fs::read_to_string(home.workspace().join("session.jsonl")).unwrap();
    assert_eq!(exported.lines().count(), 28);
}
