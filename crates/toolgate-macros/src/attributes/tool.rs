//! The closed list of options of `#[tool(…)]`.
//!
//! Values are checked here, at compile time, by the rules of registration, so that a tool made by the macro cannot be
//! refused later for its name or its timeout.

use proc_macro2::{Ident, TokenStream};
use quote::quote;
use syn::{LitStr, Path, ext::IdentExt, parse::Parser};

use super::item::Item;
use crate::errors::Errors;

/// The longest name of a tool, in bytes (rule R2a).
const NAME_LIMIT: usize = 128;

/// What `#[tool(…)]` says.
#[derive(Default)]
pub(crate) struct ToolOptions {
    /// The name the model calls.
    pub(crate) name: Option<String>,
    /// Text instead of the doc comment.
    pub(crate) description: Option<String>,
    /// Whether calls may overlap with others.
    pub(crate) concurrency_safe: bool,
    /// The declared time limit, in milliseconds.
    pub(crate) timeout_milliseconds: Option<u64>,
    /// The variant of `ToolCallKind`.
    pub(crate) kind: Option<Ident>,
    /// The variant of `ToolEffect`.
    pub(crate) effect: Option<Ident>,
    /// Whether undeclared arguments are refused.
    pub(crate) deny_unknown_fields: bool,
    /// The function that makes content.
    pub(crate) render: Option<Path>,
    /// The function that makes the card of a call.
    pub(crate) present_call: Option<Path>,
    /// The function that makes the card of a result.
    pub(crate) present_result: Option<Path>,
    root: Option<Path>,
}

impl ToolOptions {
    /// Reads the inside of `#[tool(…)]`.
    pub(crate) fn read(tokens: TokenStream, errors: &mut Errors) -> Self {
        let mut read = Self::default();
        let mut seen = Vec::new();
        for item in Item::split(tokens, errors) {
            if seen.contains(&item.key) {
                errors.refuse(&item.place, format!("`{}` is set twice", item.key), "keep one of them");
                continue;
            }
            match item.key.as_str() {
                "name" => read.name = name(&item, errors),
                "description" => read.description = description(&item, errors),
                "concurrency_safe" => {
                    item.flag(errors);
                    read.concurrency_safe = true;
                }
                "timeout" => read.timeout_milliseconds = timeout(&item, errors),
                "kind" => read.kind = kind(&item, errors),
                "effect" => read.effect = effect(&item, errors),
                "deny_unknown_fields" => {
                    item.flag(errors);
                    read.deny_unknown_fields = true;
                }
                "render" => read.render = function(&item, errors),
                "present_call" => read.present_call = function(&item, errors),
                "present_result" => read.present_result = function(&item, errors),
                "crate" => read.root = item.inside_text(errors, "a path"),
                unknown => errors.refuse(
                    &item.place,
                    format!("`tool` has no option `{unknown}`"),
                    "use one of name, description, concurrency_safe, timeout, kind, effect, deny_unknown_fields, \
                     render, present_call, present_result, crate",
                ),
            }
            seen.push(item.key);
        }
        read
    }

    /// The path of the `toolgate` crate.
    pub(crate) fn root(&self) -> TokenStream {
        self.root.as_ref().map_or_else(|| quote!(::toolgate), |path| quote!(#path))
    }
}

fn name(item: &Item, errors: &mut Errors) -> Option<String> {
    let text = item.text(errors)?;
    let name = text.value();
    let problem = if name.is_empty() {
        "a tool needs a name".to_owned()
    } else if name.len() > NAME_LIMIT {
        format!("this name has {} bytes, and a tool's name has at most {NAME_LIMIT}", name.len())
    } else if name.chars().any(char::is_control) {
        "a tool's name has no control characters".to_owned()
    } else {
        return Some(name);
    };
    errors.refuse(&text, problem, "leave `name` out to use the name of the function");
    None
}

fn description(item: &Item, errors: &mut Errors) -> Option<String> {
    let text = item.text(errors)?;
    let description = text.value().trim().to_owned();
    if description.is_empty() {
        errors.refuse(
            &text,
            "this description is empty",
            "say what the tool does, or leave it to the doc comment",
        );
    }
    Some(description)
}

fn function(item: &Item, errors: &mut Errors) -> Option<Path> {
    item.assigned(errors, "the path of a function", "function")
}

fn timeout(item: &Item, errors: &mut Errors) -> Option<u64> {
    let text: LitStr = item.assigned(errors, "a duration in quotes", "\"10s\"")?;
    let milliseconds = milliseconds(&text.value());
    match milliseconds {
        None => errors.refuse(
            &text,
            format!("`{}` is no duration", text.value()),
            "write a whole number and its unit: \"500ms\", \"10s\" or \"2m\"",
        ),
        Some(0) => errors.refuse(
            &text,
            "a timeout of zero never lets the tool run",
            "leave `timeout` out for no limit",
        ),
        Some(_) => {}
    }
    milliseconds
}

fn milliseconds(text: &str) -> Option<u64> {
    let digits = text.find(|character: char| !character.is_ascii_digit()).unwrap_or(text.len());
    let (number, unit) = text.split_at(digits);
    let factor = match unit {
        "ms" => 1,
        "s" => 1_000,
        "m" => 60_000,
        _ => return None,
    };
    number.parse::<u64>().ok()?.checked_mul(factor)
}

fn kind(item: &Item, errors: &mut Errors) -> Option<Ident> {
    let variants = [
        ("read", "Read"),
        ("edit", "Edit"),
        ("delete", "Delete"),
        ("move", "Move"),
        ("search", "Search"),
        ("execute", "Execute"),
        ("fetch", "Fetch"),
        ("other", "Other"),
    ];
    let hint = "write `kind = …` with read, edit, delete, move, search, execute, fetch or other";
    variant(item, &variants, "this is no kind of tool", hint, errors)
}

fn effect(item: &Item, errors: &mut Errors) -> Option<Ident> {
    let variants = [
        ("pure", "Pure"),
        ("idempotent", "Idempotent"),
        ("keyed", "Keyed"),
        ("non_idempotent", "NonIdempotent"),
    ];
    let hint = "write `effect = …` with pure, idempotent, keyed or non_idempotent";
    variant(item, &variants, "this is no effect of a tool", hint, errors)
}

/// The variant that a word stands for, at the place of the word.
fn variant(
    item: &Item,
    variants: &[(&str, &str)],
    problem: &str,
    hint: &str,
    errors: &mut Errors,
) -> Option<Ident> {
    // `move` is a keyword, so the value is read as any word.
    let word = item.assigned_tokens().and_then(|tokens| Ident::parse_any.parse2(tokens.clone()).ok());
    let named = word.and_then(|word| {
        let (_, variant) = variants.iter().find(|(written, _)| word == written)?;
        Some(Ident::new(variant, word.span()))
    });
    if named.is_none() {
        errors.refuse(item.assigned_tokens().unwrap_or(&item.place), problem, hint);
    }
    named
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn reads_durations() {
        let table = [
            ("500ms", Some(500)),
            ("10s", Some(10_000)),
            ("2m", Some(120_000)),
            ("0s", Some(0)),
            ("10", None),
            ("s", None),
            ("1.5s", None),
            ("-1s", None),
            ("10 s", None),
            ("99999999999999999999s", None),
            ("18446744073709551615m", None),
        ];
        for (text, expected) in table {
            assert_eq!(milliseconds(text), expected, "{text}");
        }
    }

    #[test]
    fn reports_every_mistake_of_the_options() {
        let mut errors = Errors::default();
        let long = "a".repeat(129);
        let tokens = quote!(
            name = #long,
            timeout = "0s",
            kind = write,
            effect = none,
            concurrency_safe = true,
            render = 3,
            speed = 4,
            name = "b",
            description = " "
        );
        ToolOptions::read(tokens, &mut errors);
        let messages = errors.messages();
        assert_eq!(messages.len(), 9, "{messages:#?}");
    }

    #[test]
    fn reads_every_option() {
        let mut errors = Errors::default();
        let options = ToolOptions::read(
            quote!(
                name = "a b",
                description = " D ",
                concurrency_safe,
                timeout = "3s",
                kind = move,
                effect = non_idempotent,
                deny_unknown_fields,
                render = a::b,
                present_call = c,
                present_result = d,
                crate = "crate::x",
            ),
            &mut errors,
        );
        assert_eq!(errors.messages(), Vec::<String>::new());
        assert_eq!(options.name.as_deref(), Some("a b"));
        assert_eq!(options.description.as_deref(), Some("D"));
        assert!(options.concurrency_safe && options.deny_unknown_fields);
        assert_eq!(options.timeout_milliseconds, Some(3_000));
        assert_eq!(options.kind.as_ref().map(ToString::to_string).as_deref(), Some("Move"));
        assert_eq!(options.effect.as_ref().map(ToString::to_string).as_deref(), Some("NonIdempotent"));
        assert!(
            options.render.is_some() && options.present_call.is_some() && options.present_result.is_some()
        );
        assert_eq!(options.root().to_string(), "crate :: x");
    }
}
