//! How long an expression can make the search of one byte take, worked out before it is compiled.
//!
//! Called by [`super::expression`]. The size of a compiled expression says little about that: `\w` takes 50 KiB and has
//! one place where a search can be, while the 1000 places of `[ab]{1000}` take hardly more and can all be under way at
//! the same time. So the places are counted, each with what a step there costs.

use regex_syntax::hir::{Class, Hir, HirKind};

/// What an assertion such as `\b` costs: it looks at the characters around it.
const ASSERTION: u64 = 4;

/// How many ranges of a class are gone through at the cost of one place.
const RANGES_PER_PLACE: usize = 8;

/// How many ranges are gone through for one byte at most.
const MAXIMUM_RANGES: usize = 64;

/// The number of places in an expression where a search can be at the same time, repetitions written out and
/// expensive places counted several times. Each takes up to eight nanoseconds for a byte.
pub(super) fn weight(expression: &Hir) -> u64 {
    match expression.kind() {
        HirKind::Empty => 1,
        HirKind::Literal(literal) => literal.0.len() as u64,
        HirKind::Class(Class::Unicode(class)) => class_weight(class.ranges().len()),
        HirKind::Class(Class::Bytes(class)) => class_weight(class.ranges().len()),
        HirKind::Look(_) => ASSERTION,
        HirKind::Repetition(repetition) => {
            let copies = repetition.max.unwrap_or(repetition.min.saturating_add(1)).max(1);
            weight(&repetition.sub).saturating_add(1).saturating_mul(copies.into())
        }
        HirKind::Capture(capture) => weight(&capture.sub).saturating_add(2),
        HirKind::Concat(parts) => sum(parts),
        HirKind::Alternation(parts) => sum(parts).saturating_add(parts.len() as u64),
    }
}

fn class_weight(ranges: usize) -> u64 {
    1 + (ranges.min(MAXIMUM_RANGES) / RANGES_PER_PLACE) as u64
}

fn sum(parts: &[Hir]) -> u64 {
    parts.iter().map(weight).fold(0, u64::saturating_add)
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn places_are_counted_with_repetitions_written_out() {
        for (expression, expected) in [
            ("word", 4),
            ("[ab]", 1),
            (r"\w", 9),
            ("(?-u:x{3}y*)", 6 + 2),
            ("a|bcd", 4 + 2),
            ("(a)", 3),
            (r"\bx", 5),
            ("[ab]{1000}", 2000),
            ("(?:[ab]{0,200}c){20}", 20 * (400 + 1 + 1)),
        ] {
            assert_eq!(weight(&regex_syntax::parse(expression).unwrap()), expected, "{expression}");
        }
        let endless = format!("{}x{}", "(?:".repeat(9), "y){999}".repeat(9));
        assert_eq!(weight(&regex_syntax::parse(&endless).unwrap()), u64::MAX);
    }
}
