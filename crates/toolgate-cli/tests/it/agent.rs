//! `toolgate agent`: whole turns through real tools, what is shown of them, and how models are named.

use std::collections::BTreeSet;
use std::path::Path;
use std::process::Command;

use serde_json::Value;
use toolgate_session::Event;

use crate::kept::{Keeper, STORES};

fn test_of(project: &Path) -> bool {
    Command::new("sh").arg("tests/greet_test.sh").current_dir(project).output().unwrap().status.success()
}

/// What a replay shows besides what people said.
fn without_tasks(shown: &str) -> String {
    shown.lines().filter(|line| !line.starts_with("you: ")).map(|line| format!("{line}\n")).collect()
}

/// Runs the binary with both streams in one, as a terminal shows them.
fn together(command: &mut Command) -> String {
    let (mut reader, writer) = std::io::pipe().unwrap();
    let child = command.stdout(writer.try_clone().unwrap()).stderr(writer).spawn();
    // Else the pipe would never end.
    *command = Command::new("true");
    let mut shown = String::new();
    std::io::Read::read_to_string(&mut reader, &mut shown).unwrap();
    assert!(child.unwrap().wait().unwrap().success(), "{shown}");
    shown
}

#[test]
fn the_script_makes_the_failing_test_pass_and_its_session_replays_to_the_same_cards() {
    for store in STORES {
        let keeper = Keeper::new(store);
        assert!(!test_of(&keeper.project()), "the test fails first");
        let script = crate::kept::examples().join("scripts/fix-test.toml");
        let args = ["agent", "--yes", "--script", script.to_str().unwrap(), "Make the test pass."];
        let live = together(&mut keeper.command(args));
        assert!(test_of(&keeper.project()), "{live}");
        let id = keeper.latest(store);
        let live = live.strip_suffix(&format!("session {id}\n")).unwrap_or_else(|| panic!("{live}"));
        for part in ["exit code 1", "+     echo \"Hello, ${name:-World}!\"", "exit code 0", "> Read greet.sh"]
        {
            assert!(live.contains(part), "{part}: {live}");
        }
        assert!(
            live.ends_with("The test passes now: the greeting ends with an exclamation mark.\n"),
            "{live}"
        );

        // From the log alone, and from anywhere.
        let replayed = keeper.run(&["replay", "last"]).exits(0);
        assert_eq!(replayed.stderr, "");
        assert!(replayed.stdout.starts_with("you: Make the test pass.\n"));
        assert_eq!(without_tasks(&replayed.stdout), live);
        let mut elsewhere = keeper.command(["replay", "last", "--json"]);
        let elsewhere = crate::run(elsewhere.current_dir("/")).exits(0);
        let here = keeper.run(&["replay", "last", "--json"]).exits(0);
        assert_eq!(elsewhere.stdout, here.stdout);
        assert_eq!(here.stdout.lines().count(), 4);
        let offline = keeper.run(&["replay", "last", "--offline"]).exits(0);
        assert_eq!(offline.stdout, "no divergence: 1 turn and 13 events are as they were\n");
    }
}

#[test]
fn text_goes_to_one_stream_and_cards_to_the_other() {
    let run = Keeper::new("sqlite").fix_test(&[]).exits(0);
    let said = [
        "I run the test first, and read what it tests.",
        "The greeting lacks its exclamation mark.",
        "The test passes now: the greeting ends with an exclamation mark.",
    ];
    assert_eq!(run.stdout, said.map(|line| format!("{line}\n")).concat());
    assert!(run.stderr.starts_with("> sh tests/greet_test.sh\nFAILED: "), "{run:#?}");
}

#[test]
fn programs_get_the_records_of_the_log_and_pieces_of_answers() {
    let keeper = Keeper::new("jsonl");
    let run = keeper.fix_test(&["--json"]).exits(0);
    assert_eq!(run.stderr, "");
    let docs = Path::new(env!("CARGO_MANIFEST_DIR")).join("../../docs");
    let read = |path: &Path| serde_json::from_slice::<Value>(&std::fs::read(path).unwrap()).unwrap();
    let schema = read(&docs.join("agent-events.schema.json"));
    let records: Value = serde_json::from_str(toolgate_session::event_schema()).unwrap();
    let registry = jsonschema::Registry::new();
    let registry = registry.add("https://toolgate.example/session-record.schema.json", records).unwrap();
    let registry = registry.prepare().unwrap();
    let options = jsonschema::options().with_registry(&registry);
    let options = options.with_base_uri("https://toolgate.example/agent-events.schema.json");
    let validator = options.build(&schema).unwrap();
    let mut kept = String::new();
    let mut text = String::new();
    let mut types = BTreeSet::new();
    for line in run.stdout.lines() {
        let event: Value = serde_json::from_str(line).unwrap();
        let faults: Vec<String> = validator.iter_errors(&event).map(|fault| fault.to_string()).collect();
        assert_eq!(faults, Vec::<String>::new(), "{line}");
        types.insert(event["type"].as_str().unwrap().to_owned());
        match event["type"].as_str().unwrap() {
            "session" => assert_eq!(event["id"], keeper.latest("jsonl").to_string()),
            "delta/text" => text.push_str(event["text"].as_str().unwrap()),
            "delta/call" => assert!(event["arguments"].as_str().unwrap().starts_with('{')),
            _ => kept.push_str(&format!("{line}\n")),
        }
    }
    // The records are those of the log, byte for byte and all of them.
    assert_eq!(kept, std::fs::read_to_string(keeper.file("jsonl")).unwrap());
    assert_eq!(kept.lines().count(), 28);
    for expected in ["session", "delta/text", "delta/call", "approval/decided", "tool/body-end", "turn/end"] {
        assert!(types.contains(expected), "{expected} is not in {types:?}");
    }
    assert!(text.contains("The greeting lacks its exclamation mark.The test passes now"), "{text}");
    // The schema tells an event of ours from another object.
    for wrong in
        [r#"{"type":"delta/text"}"#, r#"{"type":"dance"}"#, r#"{"type":"session","id":"x","more":1}"#]
    {
        assert!(!validator.is_valid(&serde_json::from_str(wrong).unwrap()), "{wrong}");
    }
}

const PROGRAM: &str = r#"
[[answer]]
[[answer.calls]]
name = "run_code"
arguments = '''{"code": "const file = await tools.read({ file_path: 'greet.sh' }); await tools.read({ file_path: 'none' }).catch(() => null); return file.totalLines;", "description": "count"}'''
[[answer]]
text = "Done."
"#;

#[test]
fn a_model_may_get_the_tools_as_code() {
    for mode in ["code", "both"] {
        let keeper = Keeper::new("sqlite");
        let run = keeper.scripted(PROGRAM, &["count", "--mode", mode]).exits(0);
        assert!(run.stderr.contains("  > Read greet.sh\n"), "{run:#?}");
        assert!(run.stderr.contains("  > Read none  failed: "), "{run:#?}");
        let subs = keeper.records("sqlite").into_iter();
        let subs = subs.filter(|record| matches!(record.event, Event::CodeDispatch(_)));
        assert_eq!(subs.count(), 2);
        let replayed = keeper.run(&["replay", "last"]).exits(0);
        let cards = run.stderr.split("session ").next().unwrap();
        assert!(replayed.stdout.contains(cards), "{cards}\n---\n{}", replayed.stdout);
        keeper.run(&["replay", "last", "--offline"]).exits(0);
    }
    // Natively there is no such tool, and where programs are the only way there is no other one.
    let keeper = Keeper::new("sqlite");
    let run = keeper.scripted(PROGRAM, &["count"]).exits(0);
    assert!(run.stderr.contains("error: ") && !run.stderr.contains("Read greet.sh"), "{run:#?}");
    let read = "[[answer]]\n[[answer.calls]]\nname = \"read\"\narguments = '{\"file_path\": \"greet.sh\"}'\n[[answer]]\ntext = \"ok\"\n";
    let run = keeper.scripted(read, &["read", "--mode", "code"]).exits(0);
    assert!(run.stderr.contains("error: ") && !run.stderr.contains("World"), "{run:#?}");
}

#[test]
fn the_mode_and_the_limits_may_be_configured() {
    let keeper = Keeper::new("sqlite");
    keeper.configure("[agent]\nmode = \"code\"\nmax_steps = 1\n");
    let run = keeper.scripted(PROGRAM, &["count"]).exits(1);
    assert!(run.stderr.contains("  > Read greet.sh\n"), "{run:#?}");
    assert!(run.stderr.contains("error: the turn reached its limit of 1 step\n"), "{run:#?}");
    keeper.scripted(PROGRAM, &["count", "--max-steps", "2"]).exits(0);
}

#[test]
fn a_session_goes_on_where_it_was() {
    for store in STORES {
        let keeper = Keeper::new(store);
        let script = "[[answer]]\ntext = \"one\"\n[[answer]]\ntext = \"two\"\n";
        keeper.scripted(script, &["first"]).exits(0);
        let id = keeper.latest(store).to_string();
        for (name, code) in [("last", 0), (&id[..13], 1)] {
            // The script has an answer for the second turn, and none for the third.
            let run = keeper.scripted(script, &["more", "--resume", name]).exits(code);
            assert_eq!(run.stdout, if code == 0 { "two\n" } else { "" }, "{run:#?}");
            assert!(run.stderr.ends_with(&format!("session {id}\n")), "{run:#?}");
        }
        let said = keeper.run(&["replay", &id]).exits(0).stdout;
        assert!(said.starts_with("you: first\none\nyou: more\ntwo\nyou: more\nerror: the script"), "{said}");
        assert_eq!(keeper.backend(store).list().unwrap().len(), 1);
    }
    let keeper = Keeper::new("sqlite");
    keeper.scripted("", &["x", "--resume", "last"]).fails(2, "there is no session in");
    keeper.scripted("", &["x"]).exits(1);
    keeper.scripted("", &[" \n"]).fails(2, "the task is empty");
    let run = keeper.scripted("x = 1", &["x"]).fails(2, "unknown field `x`");
    assert!(!run.stderr.contains(" \n"), "no line is blank: {run:#?}");
    keeper.scripted("", &["x", "--resume", "f"]).fails(2, "no session has a name that begins with `f`");
}

#[test]
fn a_session_goes_on_in_its_own_workspace_unless_another_is_named() {
    let keeper = Keeper::new("sqlite");
    let write = "[[answer]]\n[[answer.calls]]\nname = \"write\"\narguments = '{\"file_path\": \"made\", \"content\": \"x\"}'\n";
    keeper.scripted("[[answer]]\ntext = \"one\"\n", &["first"]).exits(0);
    let elsewhere = tempfile::tempdir().unwrap();
    let script = keeper.root().join("go-on.toml");
    std::fs::write(&script, format!("[[answer]]\n{write}[[answer]]\ntext = \"done\"\n")).unwrap();
    let args = ["agent", "--yes", "more", "--resume", "last", "--script", script.to_str().unwrap()];
    crate::run(keeper.command(args).current_dir(elsewhere.path())).exits(0);
    assert!(keeper.project().join("made").exists() && !elsewhere.path().join("made").exists());
    // Where it is gone, nothing else is guessed.
    std::fs::rename(keeper.project(), keeper.root().join("moved")).unwrap();
    crate::run(keeper.command(args).current_dir(elsewhere.path())).fails(2, "which is no directory any more");
    std::fs::write(&script, format!("{}{write}[[answer]]\ntext = \"done\"\n", "[[answer]]\n".repeat(3)))
        .unwrap();
    let named = [&args[..], &["-C", "."]].concat();
    crate::run(keeper.command(named).current_dir(elsewhere.path())).exits(0);
    assert!(elsewhere.path().join("made").exists());
}

#[test]
fn a_damaged_session_is_not_gone_on_with_and_a_foreign_line_is_no_damage() {
    let keeper = Keeper::new("jsonl");
    let script = "[[answer]]\ntext = \"one\"\n[[answer]]\ntext = \"two\"\n";
    keeper.scripted(script, &["first"]).exits(0);
    let path = keeper.file("jsonl");
    let text = std::fs::read_to_string(&path).unwrap();
    let (first, rest) = text.split_once('\n').unwrap();
    std::fs::write(&path, format!("{first}\n{first}\n{rest}")).unwrap();
    let run = keeper.run(&["log", "verify", "last"]).exits(1);
    assert!(
        run.stdout.contains("no record is lost, but something stands before record 2, bytes "),
        "{run:#?}"
    );
    keeper.run(&["replay", "last", "--offline"]).exits(0);
    assert_eq!(keeper.scripted(script, &["more", "--resume", "last"]).exits(0).stdout, "two\n");
    // A record that is gone is.
    std::fs::write(&path, text.replace("\"one\"", "\"One\"")).unwrap();
    let run = keeper.scripted(script, &["more", "--resume", "last"]);
    run.fails(1, "the session cannot be resumed, because records 3 to 3 are lost");
}

#[test]
fn without_a_model_it_says_how_to_name_one_and_how_to_try() {
    let keeper = Keeper::new("sqlite");
    let run = keeper.run(&["agent", "task"]).fails(2, "there is no model to ask");
    for words in ["OPENAI_API_KEY", "[model]", "toolgate.toml", "--script examples/scripts/fix-test.toml"] {
        assert!(run.stderr.contains(words), "{words}: {run:#?}");
    }
    for (text, error) in [
        ("[model]\nname = \"gpt\"\n", "`gpt` names no model"),
        ("[model]\nkey = { environment = \"X\" }\n", "names no model"),
        ("[model]\nname = \"openai:m\"\nkey = { command = [\"false\"] }\n", "`false` failed"),
        (
            "[model]\nname = \"openai:m\"\nkey = { environment = \"NOT_SET_AT_ALL\" }\n",
            "NOT_SET_AT_ALL has no key",
        ),
        ("[model]\nname = \"openai:m\"\nkey = { command = [\"yes\"] }\n", "prints more than"),
    ] {
        keeper.configure(text);
        keeper.run(&["agent", "task"]).fails(2, error);
        assert!(!keeper.folder().exists(), "no session begins without a model");
    }
    keeper
        .run(&["agent", "task", "--script", "none.toml"])
        .fails(2, "the script `none.toml` could not be read");
}
