//! `toolgate replay`: cards from the log alone, and the loop run again, which finds whatever does not fit.

use std::fs;

use toolgate::{CallId, ContentBlock, JsonValue};
use toolgate_session::{Event, Record};

use crate::kept::Keeper;

/// Writes other records in the place of those that are there, as somebody would who knows about checksums.
fn rewrite(keeper: &Keeper, records: &[Record]) {
    let text: Vec<u8> =
        records.iter().flat_map(|record| [record.to_line(), b"\n".to_vec()].concat()).collect();
    fs::write(keeper.file("jsonl"), text).unwrap();
}

type Change = fn(&mut Event) -> bool;

/// Changes of a record, and how many events behind it the difference shows.
const CHANGES: [(&str, Change, &str); 6] = [
    (
        "arguments of a call",
        |event| {
            let Event::ToolCall(call) = event else { return false };
            call.arguments = JsonValue::parse(r#"{"command":"rm -rf /"}"#).unwrap();
            true
        },
        "tool/call",
    ),
    (
        "the tool of a call",
        |event| {
            let Event::ToolCall(call) = event else { return false };
            call.name = "write".to_owned();
            true
        },
        "tool/call",
    ),
    (
        "the call of a result",
        |event| {
            let Event::ToolResult(result) = event else { return false };
            result.call_id = CallId::from("another");
            true
        },
        "tool/result",
    ),
    (
        "a result that would have ended the turn",
        |event| {
            let Event::ToolResult(result) = event else { return false };
            result.concludes_turn = true;
            true
        },
        "assistant/message",
    ),
    (
        "what the model asked for",
        |event| {
            let Event::AssistantMessage(message) = event else { return false };
            message.calls.pop();
            true
        },
        "tool/call",
    ),
    (
        "how the turn ended",
        |event| {
            let Event::TurnEnd(end) = event else { return false };
            end.reason = Some("because".to_owned());
            true
        },
        "turn/end",
    ),
];

#[test]
fn a_log_that_does_not_follow_from_itself_is_found_at_its_place() {
    let keeper = Keeper::new("jsonl");
    keeper.fix_test(&[]).exits(0);
    let records = keeper.records("jsonl");
    for (what, change, kind) in CHANGES {
        let mut changed = records.clone();
        let place = changed.iter_mut().position(|record| change(&mut record.event)).unwrap();
        // The first event from there on that the loop would not write.
        let expected = match what {
            "what the model asked for" => changed.iter().filter(|record| record.event.kind() == kind).nth(1),
            _ => changed[place..].iter().find(|record| record.event.kind() == kind),
        };
        let expected = expected.unwrap().seq;
        rewrite(&keeper, &changed);
        // The checksums are right, so nothing else notices.
        keeper.run(&["log", "verify"]).exits(0);
        let told = keeper.run(&["replay", "last", "--offline"]).exits(1);
        assert!(
            told.stdout.starts_with(&format!("divergence at record {expected}, after ")),
            "{what}: {told:#?}"
        );
        assert!(
            told.stdout.contains("\n  recorded: {") && told.stdout.contains("\n  replayed: "),
            "{what}: {told:#?}"
        );
        let report = keeper.run(&["replay", "last", "--offline", "--json"]).exits(1).json();
        assert_eq!(report["divergence"]["seq"], expected, "{what}");
        assert_eq!(report["divergence"]["recorded"]["type"], kind, "{what}");
    }
    rewrite(&keeper, &records);
    let report = keeper.run(&["replay", "last", "--offline", "--json"]).exits(0).json();
    assert_eq!(report, serde_json::json!({ "turns": 1, "compared": 13, "divergence": null }));
}

#[test]
fn another_result_is_another_card() {
    let keeper = Keeper::new("jsonl");
    let live = keeper.fix_test(&[]).exits(0).stderr;
    let cards = live.split("session ").next().unwrap().to_owned();
    let shown = |keeper: &Keeper| {
        let said = keeper.run(&["replay", "last"]).exits(0).stdout;
        let lines = said.lines().filter(|line| !line.ends_with('.') || line.starts_with(' '));
        lines.map(|line| format!("{line}\n")).collect::<String>()
    };
    assert_eq!(shown(&keeper), cards);
    let mut records = keeper.records("jsonl");
    for record in &mut records {
        if let Event::ToolResult(result) = &mut record.event {
            result.content = vec![ContentBlock::text("something else")];
            result.meta = None;
        }
    }
    rewrite(&keeper, &records);
    let changed = shown(&keeper);
    assert_ne!(changed, cards);
    assert!(changed.contains("something else"), "{changed}");
}

#[test]
fn nothing_is_run_by_a_replay() {
    let keeper = Keeper::new("sqlite");
    let touch = "[[answer]]\n[[answer.calls]]\nname = \"bash\"\narguments = '{\"command\": \"echo x >> ran\"}'\n[[answer]]\ntext = \"done\"\n";
    keeper.scripted(touch, &["touch"]).exits(0);
    keeper.configure("[model]\nname = \"openai:m\"\nkey = { command = [\"touch\", \"asked\"] }\n");
    for args in [&["replay", "last"][..], &["replay", "last", "--json"], &["replay", "last", "--offline"]] {
        keeper.run(args).exits(0);
    }
    assert_eq!(fs::read_to_string(keeper.project().join("ran")).unwrap(), "x\n");
    assert!(!keeper.project().join("asked").exists());
    assert_eq!(keeper.run(&["log", "verify"]).exits(0).stdout.lines().count(), 1, "nor written");
}

#[test]
fn what_is_left_of_a_damaged_session_is_shown_and_not_run() {
    let keeper = Keeper::new("jsonl");
    keeper.fix_test(&[]).exits(0);
    let text = fs::read_to_string(keeper.file("jsonl")).unwrap();
    let changed = text.replacen("\"seq\":9,", "\"seq\":8,", 1);
    fs::write(keeper.file("jsonl"), changed).unwrap();
    let run = keeper.run(&["replay", "last"]).exits(1);
    assert!(
        run.stderr.starts_with("damage: record 9 is lost") && run.stdout.contains("Read greet.sh"),
        "{run:#?}"
    );
    let run = keeper.run(&["replay", "last", "--offline"]).fails(2, "because record 9 is lost");
    assert!(run.stderr.contains("without --offline"), "{run:#?}");
}
