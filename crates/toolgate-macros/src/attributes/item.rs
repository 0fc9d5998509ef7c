//! One part of an attribute: a word, `word = value`, or `word(…)`.
//!
//! The split works on tokens and goes on after a part it cannot read, so that one attribute can report several
//! mistakes. It knows no words itself.

use proc_macro2::{Delimiter, Group, TokenStream, TokenTree};
use quote::ToTokens;
use syn::{Attribute, LitStr, Meta, parse::Parse};

use crate::errors::Errors;

/// One part between two commas of an attribute.
pub(crate) struct Item {
    /// The word, with its path if it has one, as text.
    pub(crate) key: String,
    /// The tokens of the word, where a mistake about it is reported.
    pub(crate) place: TokenStream,
    value: Value,
}

enum Value {
    None,
    Assigned(TokenStream),
    List(Group),
}

impl Item {
    /// The parts of every attribute with this name, for example every `#[serde(…)]`.
    pub(crate) fn of(attributes: &[Attribute], name: &str, errors: &mut Errors) -> Vec<Self> {
        let mut items = Vec::new();
        for attribute in attributes.iter().filter(|attribute| attribute.path().is_ident(name)) {
            if let Meta::List(list) = &attribute.meta {
                items.extend(Self::split(list.tokens.clone(), errors));
            } else {
                errors.refuse(
                    attribute,
                    format!("`#[{name}]` says nothing"),
                    format!("write `#[{name}(…)]`, or remove it"),
                );
            }
        }
        items
    }

    /// The parts of the inside of an attribute.
    pub(crate) fn split(tokens: TokenStream, errors: &mut Errors) -> Vec<Self> {
        let mut items = Vec::new();
        let mut part = Vec::new();
        for token in tokens {
            if is_punct(&token, ',') {
                items.extend(Self::read(std::mem::take(&mut part), Some(&token), errors));
            } else {
                part.push(token);
            }
        }
        items.extend(Self::read(part, None, errors));
        items
    }

    fn read(part: Vec<TokenTree>, end: Option<&TokenTree>, errors: &mut Errors) -> Option<Self> {
        let word_length = word_length(&part);
        let place: TokenStream = part.iter().take(word_length).cloned().collect();
        let key: String = part.iter().take(word_length).map(ToString::to_string).collect();
        let mut rest = part.iter().skip(word_length);
        let value = match (rest.next(), rest.next()) {
            (None, _) => Value::None,
            (Some(TokenTree::Group(group)), None) if group.delimiter() == Delimiter::Parenthesis => {
                Value::List(group.clone())
            }
            (Some(equals), Some(_)) if is_punct(equals, '=') => {
                Value::Assigned(part.iter().skip(word_length + 1).cloned().collect())
            }
            (Some(unexpected), _) => {
                errors.refuse(
                    unexpected,
                    "this is not a part of an attribute",
                    "write `word`, `word = value` or `word(…)`, separated by commas",
                );
                return None;
            }
        };
        if key.is_empty() {
            // A trailing comma ends the list; a comma on its own is a mistake.
            if let Some(comma) = end {
                errors.refuse(comma, "there is nothing before this comma", "remove it");
            }
            return None;
        }
        Some(Self { key, place, value })
    }

    /// Checks that the word stands alone.
    pub(crate) fn flag(&self, errors: &mut Errors) {
        match &self.value {
            Value::None => {}
            Value::Assigned(tokens) => self.refuse_value(tokens, errors),
            Value::List(group) => self.refuse_value(group, errors),
        }
    }

    fn refuse_value(&self, place: impl ToTokens, errors: &mut Errors) {
        let key = &self.key;
        errors.refuse(place, format!("`{key}` takes no value"), format!("write `{key}` alone"));
    }

    /// The text of `word = "text"`.
    pub(crate) fn text(&self, errors: &mut Errors) -> Option<LitStr> {
        self.assigned(errors, "a text in quotes", "\"…\"")
    }

    /// What is written inside the text of `word = "…"`, for example a type.
    pub(crate) fn inside_text<T: Parse>(&self, errors: &mut Errors, what: &str) -> Option<T> {
        let text = self.text(errors)?;
        let parsed = text.parse::<T>();
        if parsed.is_err() {
            let key = &self.key;
            errors.refuse(
                &text,
                format!("this is not {what}"),
                format!("write `{key} = \"…\"` around {what}"),
            );
        }
        parsed.ok()
    }

    /// The value of `word = value`, parsed as `T`.
    pub(crate) fn assigned<T: Parse>(&self, errors: &mut Errors, what: &str, example: &str) -> Option<T> {
        let key = &self.key;
        let place = match &self.value {
            Value::Assigned(tokens) => match syn::parse2(tokens.clone()) {
                Ok(value) => return Some(value),
                Err(_) => tokens,
            },
            Value::None | Value::List(_) => &self.place,
        };
        errors.refuse(place, format!("`{key}` needs {what}"), format!("write `{key} = {example}`"));
        None
    }

    /// The tokens after `=`, if there are any.
    pub(crate) fn assigned_tokens(&self) -> Option<&TokenStream> {
        if let Value::Assigned(tokens) = &self.value { Some(tokens) } else { None }
    }

    /// The parts of `word(…)`; `None` when it has another form.
    pub(crate) fn list(&self, errors: &mut Errors) -> Option<Vec<Self>> {
        if let Value::List(group) = &self.value { Some(Self::split(group.stream(), errors)) } else { None }
    }
}

/// How many tokens the word has: `word`, or a path such as `a::b`.
fn word_length(part: &[TokenTree]) -> usize {
    let mut after_name = false;
    part.iter()
        .take_while(|token| {
            let is_name = matches!(token, TokenTree::Ident(_));
            let belongs = is_punct(token, ':') || (is_name && !after_name);
            after_name = is_name;
            belongs
        })
        .count()
}

fn is_punct(token: &TokenTree, character: char) -> bool {
    matches!(token, TokenTree::Punct(punct) if punct.as_char() == character)
}

#[cfg(test)]
mod tests {
    use super::*;
    use quote::quote;

    fn keys(tokens: TokenStream) -> (Vec<String>, Vec<String>) {
        let mut errors = Errors::default();
        let items = Item::split(tokens, &mut errors);
        (items.into_iter().map(|item| item.key).collect(), errors.messages())
    }

    #[test]
    fn goes_on_after_a_part_that_cannot_be_read() {
        let (keys, errors) = keys(quote!(crate = "a", move = , a::b(c, d), 7, last,));
        assert_eq!(keys, ["crate", "a::b", "last"]);
        assert_eq!(errors.len(), 2, "{errors:?}");
    }

    #[test]
    fn refuses_two_words_without_a_comma() {
        let (keys, errors) = keys(quote!(a b = 1, c));
        assert_eq!(keys, ["c"]);
        assert_eq!(errors.len(), 1, "{errors:?}");
    }

    #[test]
    fn refuses_a_lonely_comma() {
        let (keys, errors) = keys(quote!(a,,b));
        assert_eq!(keys, ["a", "b"]);
        assert_eq!(errors, ["there is nothing before this comma\nhint: remove it"]);
    }
}
