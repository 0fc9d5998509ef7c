//! The edit engine: one or several edits of a text file, all of them or none. Blocking.

use super::decode::decode;
use super::replacement::{Edited, Problem, replace};
use super::types::{Edit, EditArgs, EditOutput, MOST_EDITS};
use crate::change::{
    Agent, Before, ChangeError, Changes, TEXT_LIMIT, check_text_size, line_changes, other_names, put_in_place,
};
use crate::failure::FileToolError;
use crate::stop::Stop;
use crate::workspace::shown_text;

/// Makes the edits that `args` ask for.
pub(super) fn edit_file(
    changes: &Changes,
    agent: Agent,
    args: &EditArgs,
    stop: &Stop,
) -> Result<EditOutput, FileToolError> {
    let edits = edits(args)?;
    stop.check()?;
    let entry = changes.workspace.file_entry(&args.file_path)?;
    if let Some(metadata) = &entry.metadata {
        // Looked at first, so that nobody waits for a huge file to be read.
        check_text_size(&args.file_path, metadata.len())?;
    }
    let Some(before) = Before::take(&changes.workspace, &entry, stop)? else {
        return Err(changes.workspace.nothing_at(&args.file_path).into());
    };
    changes.check_seen(agent, &entry.path, &before)?;
    let Some(content) = &before.content else {
        // It has grown since.
        return Err(ChangeError::ChangedMeanwhile { path: shown_text(&args.file_path) }.into());
    };
    let (mark, old) = decode(content, &args.file_path)?;
    let mut text = old.to_owned();
    let mut replacements = 0;
    for (index, edit) in edits.iter().enumerate() {
        stop.check()?;
        let which = |argument: &str| match args.edits {
            Some(_) => format!("`{argument}` of edit {}", index + 1),
            None => format!("`{argument}`"),
        };
        let edited = replace(&text, edit).map_err(|problem| explain(problem, &args.file_path, which))?;
        let Edited { text: now, replacements: made } = edited;
        text = now;
        replacements += made;
    }
    if text == old {
        return Err(FileToolError::Arguments {
            what: "the edits undo each other, so nothing would change".to_owned(),
            hint: "leave out what should stay as it is",
        });
    }
    let lines = line_changes(old, &text);
    text.insert_str(0, mark);
    let fingerprint = put_in_place(changes, &entry, Some(&before), text.as_bytes(), stop)?;
    changes.seen.note(agent, &entry.path, fingerprint);
    Ok(EditOutput { path: entry.path, replacements, changes: lines, other_names: other_names(&before) })
}

/// The edits that the arguments ask for, in one form or the other.
pub(super) fn edits(args: &EditArgs) -> Result<Vec<Edit>, FileToolError> {
    let wrong = |what: String| FileToolError::Arguments {
        what,
        hint: "give `old_string` and `new_string`, or `edits` with at least one edit, and not both",
    };
    let EditArgs { old_string, new_string, replace_all, edits, .. } = args;
    match (old_string, new_string, edits) {
        (Some(old_string), Some(new_string), None) => Ok(vec![Edit {
            old_string: old_string.clone(),
            new_string: new_string.clone(),
            replace_all: *replace_all,
        }]),
        (None, None, Some(_)) if replace_all.is_some() => {
            Err(wrong("`replace_all` stands beside `edits` instead of in one of them".to_owned()))
        }
        (None, None, Some(edits)) if edits.is_empty() => Err(wrong("`edits` is empty".to_owned())),
        (None, None, Some(edits)) if edits.len() > MOST_EDITS => Err(FileToolError::Arguments {
            what: format!("there are {} edits, and one call makes at most {MOST_EDITS}", edits.len()),
            hint: "make several calls",
        }),
        (None, None, Some(edits)) => Ok(edits.clone()),
        (Some(_), None, None) => Err(wrong("`new_string` is missing".to_owned())),
        (None, Some(_), None) => Err(wrong("`old_string` is missing".to_owned())),
        (None, None, None) => Err(wrong("there is nothing to replace".to_owned())),
        (_, _, Some(_)) => Err(wrong("there are `edits` and a single edit".to_owned())),
    }
}

fn explain(problem: Problem, path: &str, which: impl Fn(&str) -> String) -> FileToolError {
    let path = shown_text(path);
    let which_old = which("old_string");
    match problem {
        Problem::EmptyOld => FileToolError::Arguments {
            what: format!("{which_old} is empty, so there is nothing to look for"),
            hint: "to insert text, replace the text beside it; to fill an empty file, use write",
        },
        Problem::Same => FileToolError::Arguments {
            what: format!("{which_old} and {} are the same, so nothing would change", which("new_string")),
            hint: "give the text as it should become; line endings stay as they are in the file",
        },
        Problem::NoMatch { nearest } => ChangeError::NoMatch { path, which: which_old, nearest }.into(),
        Problem::Several { times, lines } => {
            ChangeError::SeveralMatches { path, which: which_old, times, lines }.into()
        }
        Problem::TooLarge { size } => ChangeError::TooLarge { path, size, most: TEXT_LIMIT }.into(),
    }
}
