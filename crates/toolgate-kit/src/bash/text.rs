//! What a model reads of a command: its output as it is, and remarks in a block of their own.

use std::time::Duration;

use toolgate::ContentBlock;

use super::types::BashOutput;
use crate::command::Captured;
use crate::text::blocks;

/// The output, and what there is to say besides.
pub(super) fn render(output: &BashOutput) -> Vec<ContentBlock> {
    if let Some(id) = &output.job_id {
        let text =
            format!("Runs in the background as {id}. Read its output with job_output, end it with job_kill.");
        return vec![ContentBlock::text(text)];
    }
    let mut notes = Vec::new();
    if output.output.is_empty() {
        notes.push("No output.".to_owned());
    }
    match (&output.signal, output.exit_code) {
        (Some(signal), _) => notes.push(format!("Ended by {signal}.")),
        (None, Some(code)) if code != 0 || output.output.is_empty() => {
            notes.push(format!("Exit code {code}."))
        }
        (None, Some(_) | None) => {}
    }
    if output.omitted_bytes > 0 {
        notes.push(format!(
            "It printed {} bytes, of which {} are left out.",
            output.output_bytes, output.omitted_bytes
        ));
    }
    notes.extend(stragglers(output.ended_processes));
    if output.surviving_processes > 0 {
        notes
            .push(format!("{} could not be ended and may still run.", processes(output.surviving_processes)));
    }
    blocks(output.output.clone(), &notes)
}

/// What became of processes that a shell left behind.
fn stragglers(count: u64) -> Option<String> {
    (count > 0).then(|| {
        format!(
            "{} that the command had left running were ended with it; run_in_background keeps a command running.",
            processes(count)
        )
    })
}

fn processes(count: u64) -> String {
    if count == 1 { "1 process".to_owned() } else { format!("{count} processes") }
}

/// What a command had printed when it was ended, for the message of its failure.
pub(super) fn printed(captured: &Captured) -> String {
    match captured {
        Captured { total: 0, .. } => "It had printed nothing.".to_owned(),
        Captured { text, total, omitted: 0 } => format!("It had printed {total} bytes:\n{text}"),
        Captured { text, total, omitted } => {
            format!("It had printed {total} bytes, of which {omitted} are left out:\n{text}")
        }
    }
}

/// A length of time in words.
pub(crate) fn length(time: Duration) -> String {
    let milliseconds = time.as_millis();
    if milliseconds.is_multiple_of(1000) {
        format!("{} s", milliseconds / 1000)
    } else {
        format!("{milliseconds} ms")
    }
}
