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
                ("gives", value) => value.to_owned(),
                (word, message) => {
                    assert_eq!(word, "refused");
                    format!("exception: {message}")
                }
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
        // A failure has its place as well.
        let text = text.split(" (line ").next().unwrap_or_default();
        if text != end {
            faults.push(format!("{program}\n  the page says {end}\n  it ends as    {text}"));
        }
    }
    assert!(faults.is_empty(), "{}", faults.join("\n"));
}
