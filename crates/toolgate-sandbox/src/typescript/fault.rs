//! From what a program threw to a [`Failure`]: its kind, one message, and the place in the author's source.

use rquickjs::{Ctx, Object, Value};

use crate::ending::{MOST_CHARACTERS, clipped, memory, stack};
use crate::outcome::{Failure, FailureKind};

use super::FILE;
use super::encode::{self, Language};

/// The failure that a thrown value stands for, in a program whose memory was once exhausted or never. Reading it may run
/// getters of the program, under the run's limits.
pub(super) fn of<'js>(
    ctx: &Ctx<'js>,
    language: &Language<'js>,
    thrown: Value<'js>,
    is_exhausted: bool,
) -> Failure {
    // The engine throws null when there is no memory for an error.
    if thrown.is_null() && is_exhausted {
        return memory();
    }
    let Some(object) = thrown.as_object().filter(|_| thrown.is_error()) else {
        let mut text = String::new();
        if encode::lenient(ctx, language, thrown, &mut text, 4 * MOST_CHARACTERS, &|| false).is_err() {
            ctx.catch();
            text = "a value that cannot be shown".to_owned();
        }
        return Failure::new(FailureKind::Exception, format!("the program threw {}", clipped(&text)));
    };
    let name = member(ctx, language, object, "name");
    let message = member(ctx, language, object, "message").unwrap_or_default();
    let place = member(ctx, language, object, "stack").and_then(|stack| place(&stack));
    let failure = match (name.as_deref(), message.as_str()) {
        // Every error of the engine has a message, unless there is no memory even for that.
        (Some("InternalError"), "out of memory" | "Invalid error message" | "") => memory(),
        (Some("RangeError"), "Maximum call stack size exceeded") => stack(),
        (name, "") => Failure::new(FailureKind::Exception, clipped(name.unwrap_or("Error"))),
        (name, message) => {
            Failure::new(FailureKind::Exception, clipped(&format!("{}: {message}", name.unwrap_or("Error"))))
        }
    };
    match place {
        Some((line, column)) => failure.at(line, column),
        None => failure,
    }
}

/// Completes a failure by what stands at its place. The engine counts columns in bytes, and does not say what is no
/// function: most often a tool that does not exist.
pub(super) fn placed(failure: Failure, source: &str) -> Failure {
    const UNNAMED: &str = "TypeError: not a function";
    let (Some(line), Some(column)) = (failure.line, failure.column) else { return failure };
    let text = source.lines().nth((line as usize).saturating_sub(1)).unwrap_or_default();
    let at = text.floor_char_boundary((column as usize).saturating_sub(1));
    let (before, after) = text.split_at(at);
    let failure = failure.at(line, u32::try_from(before.chars().count() + 1).unwrap_or(u32::MAX));
    let is_part = |c: char| c.is_alphanumeric() || matches!(c, '_' | '$');
    let name = after.split(|c| !is_part(c)).next().unwrap_or_default();
    if failure.message != UNNAMED || name.is_empty() {
        return failure;
    }
    let owner = before.trim_end_matches(|c| is_part(c) || matches!(c, '.' | '?'));
    let owner = before.strip_prefix(owner).unwrap_or_default();
    let hint = match owner {
        "tools." | "tools?." => format!("\nhint: there is no tool `{}`", clipped(name)),
        _ => String::new(),
    };
    let message = format!("TypeError: {} is not a function{hint}", clipped(&format!("{owner}{name}")));
    Failure { message, ..failure }
}

/// A member that is a text. What its getter throws is forgotten.
fn member<'js>(ctx: &Ctx<'js>, language: &Language<'js>, object: &Object<'js>, key: &str) -> Option<String> {
    let Ok(value) = object.get::<_, Value<'js>>(key) else {
        ctx.catch();
        return None;
    };
    let text = encode::well_formed(language, value.as_string()?);
    if text.is_err() {
        ctx.catch();
    }
    text.ok()
}

/// The first place of the author's source in a stack trace.
fn place(stack: &str) -> Option<(u32, u32)> {
    stack.lines().find_map(|frame| {
        let (before, after) = frame.split_once(FILE)?;
        if !(before.ends_with('(') || before.ends_with("at ")) {
            return None;
        }
        let mut numbers = after.strip_prefix(':')?.split([':', ')']);
        let line: u32 = numbers.next()?.parse().ok()?;
        let column: u32 = numbers.next()?.parse().ok()?;
        Some((line, column))
    })
}
