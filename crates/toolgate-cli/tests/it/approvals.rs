//! What rules ask about where nobody can be asked: denied, with the flag that would allow it.

use std::fs;

use crate::home::Home;
use crate::project;
use crate::{Run, run_in, write};

/// The flag that a hint names, as a shell would read it.
fn named_flag(run: &Run) -> [String; 2] {
    let line = run.stderr.lines().find(|line| line.starts_with("hint: --allow '")).unwrap();
    let rest = line.strip_prefix("hint: --allow '").unwrap();
    let rule = rest.strip_suffix("' allows this call").unwrap().replace(r"'\''", "'");
    ["--allow".to_owned(), rule]
}

#[test]
fn what_is_denied_names_the_flag_that_allows_it() {
    for (tool, arguments, rule) in [
        ("write", r#"{"file_path":"notes.txt","content":"x"}"#, "write(notes.txt)"),
        ("write", r#"{"file_path":"it's.txt","content":"x"}"#, "write(it's.txt)"),
        ("edit", r#"{"file_path":"README.md","old_string":"things","new_string":"x"}"#, "edit(README.md)"),
        ("delete", r#"{"file_path":"numbers.txt"}"#, "delete(numbers.txt)"),
        ("move", r#"{"source":"numbers.txt","destination":"n.txt"}"#, "move(**)"),
        ("todo_write", r#"{"todos":[]}"#, "todo_write"),
        #[cfg(unix)]
        ("bash", r#"{"command":"echo 'a b' c"}"#, "bash(echo 'a b' c)"),
    ] {
        let folder = project();
        let run = run_in(&folder, ["call", tool, arguments]);
        if run.code == Some(0) {
            // A list of steps changes nothing outside of this process.
            assert_eq!(tool, "todo_write", "{run:#?}");
            continue;
        }
        let run = run.fails(1, "the call needs an approval, and nobody could be asked");
        let flag = named_flag(&run);
        assert_eq!(flag[1], rule);
        assert!(folder.path().join("numbers.txt").exists() && !folder.path().join("notes.txt").exists());
        run_in(&folder, ["call", tool, arguments, &flag[0], &flag[1]]).exits(0);
    }
}

#[test]
fn answers_can_be_given_beforehand() {
    let folder = project();
    let call = |content: &str, more: &[&str]| {
        let arguments = serde_json::json!({ "file_path": "a.txt", "content": content }).to_string();
        run_in(&folder, [&["call", "write", arguments.as_str()], more].concat())
    };
    call("1", &["--deny-asks"]).fails(1, "needs an approval");
    call("1", &["--yes", "--deny", "write"]).fails(1, "deny: the rule `write` (--deny) decides");
    call("1", &["--allow", "write", "--deny", "write(*.txt)"]).fails(1, "(--deny) decides");
    call("1", &["--allow", "write", "--ask", "write(a.txt)"]).fails(1, "(--ask) decides");
    assert!(!folder.path().join("a.txt").exists());
    call("1", &["--yes", "--ask", "write"]).exits(0);
    assert_eq!(fs::read_to_string(folder.path().join("a.txt")).unwrap(), "1");
    run_in(&folder, ["call", "write", "{}", "--yes", "--deny-asks"]).exits(2);
    // Rules can be stricter than the tools.
    run_in(&folder, ["call", "read", r#"{"file_path":"README.md"}"#, "--ask", "read"])
        .fails(1, "needs an approval");
}

#[test]
fn calls_of_a_program_are_decided_one_by_one() {
    let folder = project();
    write(
        &folder,
        "p.ts",
        "await tools.read({ file_path: 'README.md' });
         let refused = 'none';
         try { await tools.write({ file_path: 'b.txt', content: 'b' }) } catch (error) { refused = error.name }
         await tools.write({ file_path: 'a.txt', content: 'a' });
         return refused",
    );
    let run = run_in(&folder, ["run", "p.ts", "--allow", "write(a.txt)"]).exits(0);
    assert!(folder.path().join("a.txt").exists() && !folder.path().join("b.txt").exists(), "{run:#?}");
    assert_ne!(run.stdout, "none\n", "{run:#?}");
    assert!(run.stderr.contains("\nhint: --allow 'write(b.txt)' allows this call\n"), "{run:#?}");

    let run = run_in(&folder, ["run", "p.ts", "--yes", "--deny", "read"]).exits(1);
    assert!(run.stderr.contains("the rule `read` (--deny) decides"), "{run:#?}");
    run_in(&folder, ["run", "p.ts", "--yes"]).exits(0);
    assert!(folder.path().join("b.txt").exists());
}

#[test]
fn nobody_answers_a_question_without_a_terminal() {
    let run = run_in(&project(), ["call", "ask_user", r#"{"question":"Which colour?"}"#]);
    run.fails(1, "there is nobody who could answer");
}

#[test]
fn the_users_stance_counts() {
    let home = Home::new();
    let write = ["call", "write", r#"{"file_path":"a.txt","content":"x"}"#];
    home.configure("[approvals]\nstance = \"yes\"\n");
    home.run(&write).exits(0);
    home.run(&[&write[..], &["--deny-asks"]].concat()).exits(1);
}
