//! From TypeScript to JavaScript: types become blanks, so that every line and column stays where the author wrote it.
//!
//! The body is parsed alone, as the body of an asynchronous function. What cannot be erased is refused before
//! anything runs.

use oxc_allocator::Allocator;
use oxc_ast_visit::Visit;
use oxc_parser::{ParseOptions, Parser};
use oxc_span::SourceType;

use crate::limits::Limits;
use crate::outcome::{Failure, FailureKind};

use super::erase::Eraser;
use super::position::Position;
use super::scan;

/// The JavaScript of a program.
///
/// # Errors
/// When the source is too long, nests too deep, is not a program, or uses what cannot be erased; with the place.
pub(super) fn strip(source: &str, limits: &Limits) -> Result<String, Failure> {
    if source.len() > limits.source {
        let message =
            format!("the program has {} bytes, more than the {} it may have", source.len(), limits.source);
        return Err(Failure::new(FailureKind::Limit, message));
    }
    if let Some(at) = source.find('\0') {
        let message = "SyntaxError: a program cannot hold the character U+0000; write `\\0` in a text";
        return Err(place(Failure::new(FailureKind::Exception, message), source, at));
    }
    scan::depth(source)?;
    let allocator = Allocator::default();
    let options = ParseOptions { allow_return_outside_function: true, ..ParseOptions::default() };
    let parsed =
        Parser::new(&allocator, source, SourceType::ts().with_module(true)).with_options(options).parse();
    if let Some(diagnostic) = parsed.diagnostics.iter().next() {
        let message = format!("SyntaxError: {}", diagnostic.message);
        let failure = Failure::new(FailureKind::Exception, message);
        return Err(match diagnostic.labels.first() {
            Some(label) => place(failure, source, label.offset() as usize),
            None => failure,
        });
    }
    if parsed.panicked {
        return Err(Failure::new(FailureKind::Exception, "SyntaxError: the source is not a program"));
    }
    let mut eraser = Eraser::new(source);
    eraser.visit_program(&parsed.program);
    eraser.finish().map_err(|refusal| {
        let failure = Failure::new(FailureKind::Exception, format!("SyntaxError: {}", refusal.message));
        place(failure, source, refusal.offset)
    })
}

fn place(failure: Failure, source: &str, offset: usize) -> Failure {
    let place = Position::of(source, offset);
    failure.at(place.line, place.column)
}
