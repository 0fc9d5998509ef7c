//! The page about Python says what its interpreter lacks: every program of the page ends as the page says.

use super::run_in;
use crate::host::{pool, tight};

const PAGE: &str = include_str!("../../../../../docs/python.md");

/// The programs of the page, each with how it ends.
fn programs() -> Vec<(&'static str, String)> {
    let blocks = PAGE.split("```python\n").skip(1).filter_map(|block| block.split_once("```"));
    blocks
        .map(|(program, _)| {
            let (_, end) = program.trim_end().rsplit_once("\n# ").expect("a last line that says how it ends");
            let end = match end.split_once(": ").expect("a word and what follows it") {
                ("refused", message) => format!("exception: {message} (line "),
                ("gives", value) => value.to_owned(),
                (other, _) => panic!("{other:?} is not known"),
            };
            (program, end)
        })
        .collect()
}

#[tokio::test]
async fn every_program_of_the_page_ends_as_it_says() {
    let pool = pool();
    let programs = programs();
    assert!(programs.len() > 50, "only {} programs", programs.len());
    let mut faults = Vec::new();
    for (program, end) in programs {
        let text = run_in(&pool, program, tight()).await.text();
        let is_right = if end.ends_with("(line ") { text.starts_with(&end) } else { text == end };
        if !is_right {
            faults.push(format!("{program}\n  the page says {end}\n  it ends as    {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
