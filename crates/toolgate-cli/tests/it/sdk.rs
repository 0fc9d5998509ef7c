//! `toolgate sdk`: declarations on standard output, and nothing else there.

use crate::{project, run_in};

#[test]
fn tools_are_declared_in_both_languages() {
    let folder = project();
    for (language, words) in [
        ("ts", &["declare const tools: {", "  read(args: ", "  glob(args: ", "file_path: string;"][..]),
        ("py", &["read", "glob", "grep", "file_path"]),
    ] {
        let run = run_in(&folder, ["sdk", "--lang", language]).exits(0);
        for word in words {
            assert!(run.stdout.contains(word), "{language} {word}: {run:#?}");
        }
        assert!(run.stderr.lines().all(|line| line.starts_with("note: ")), "{run:#?}");
        assert!(!run.stdout.contains("run_code"), "{run:#?}");
        let again = run_in(&folder, ["sdk", "--lang", language, "-C", "src"]).exits(0);
        assert_eq!(run.stdout, again.stdout);
    }
}

#[test]
fn a_language_is_needed_and_has_to_be_one() {
    let folder = project();
    for args in [&["sdk"][..], &["sdk", "--lang", "ruby"]] {
        let run = run_in(&folder, args).exits(2);
        assert!(run.stdout.is_empty() && run.stderr.contains("--lang"), "{run:#?}");
    }
    run_in(&folder, ["sdk", "--lang", "ts", "-C", "gone"]).fails(2, "the workspace root `gone`");
}

#[test]
fn a_budget_makes_the_declarations_an_index() {
    let folder = project();
    for (language, function) in [("ts", "  search(words: string)"), ("py", "    def search(self, words: str")]
    {
        let whole = run_in(&folder, ["sdk", "--lang", language]).exits(0).stdout;
        let wide = run_in(&folder, ["sdk", "--lang", language, "--budget", "100000"]).exits(0).stdout;
        assert_eq!(wide, whole, "{language}");
        let index = run_in(&folder, ["sdk", "--lang", language, "--budget", "0"]).exits(0);
        assert!(index.stdout.contains(function) && index.stdout.contains(" read(file_path"), "{index:#?}");
        assert!(index.stderr.is_empty() && index.stdout.len() * 2 < whole.len(), "{index:#?}");
    }
}
