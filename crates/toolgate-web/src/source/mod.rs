//! Source text in colours: [`Highlighter`], for cards that show files and changes.
//!
//! A card is no editor. Comments, strings, numbers and words of the language are told apart, line by line and in one
//! pass, so that hostile text costs no more than other text. Nothing here makes HTML.

mod highlighter;
mod language;

pub(crate) use highlighter::Highlighter;
pub(crate) use language::language_of;
