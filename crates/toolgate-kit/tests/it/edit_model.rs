//! `edit` against a model of it: texts as lists of characters in which CRLF is one character that equals LF.

use serde_json::json;

use crate::bench::Bench;

/// How many random edits are made.
const ROUNDS: u64 = 1_500;

/// A generator of numbers that look random (xorshift), so that a failing round can be run again.
struct Dice(u64);

impl Dice {
    fn below(&mut self, most: u64) -> u64 {
        self.0 ^= self.0 << 13;
        self.0 ^= self.0 >> 7;
        self.0 ^= self.0 << 17;
        self.0 % most
    }

    /// A text of few different characters, so that it repeats itself.
    fn text(&mut self, longest: u64) -> String {
        const PARTS: [&str; 9] = ["a", "b", "\n", "\r\n", "\r", "é", "e\u{301}", "😀", "  "];
        let length = self.below(longest + 1);
        // Most texts use few of the parts.
        let kinds = 2 + self.below(PARTS.len() as u64 - 1);
        let skipped = self.below(PARTS.len() as u64);
        let part = |dice: &mut Self| PARTS[((dice.below(kinds) + skipped) % PARTS.len() as u64) as usize];
        (0..length).map(|_| part(self)).collect()
    }
}

/// The characters of a text; CRLF is one.
fn units(text: &str) -> Vec<&str> {
    let mut units = Vec::new();
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let length = if rest.starts_with("\r\n") { 2 } else { first.len_utf8() };
        units.push(&rest[..length]);
        rest = &rest[length..];
    }
    units
}

fn is_line_end(unit: &str) -> bool {
    unit == "\n" || unit == "\r\n"
}

fn same(one: &str, other: &str) -> bool {
    one == other || is_line_end(one) && is_line_end(other)
}

/// What the edit should leave; `None` where it should be refused.
fn model(text: &str, old: &str, new: &str, all: bool) -> Option<String> {
    let (text, old, new) = (units(text), units(old), units(new));
    let equal = |one: &[&str], other: &[&str]| {
        one.len() == other.len() && one.iter().zip(other).all(|(one, other)| same(one, other))
    };
    if old.is_empty() || equal(&old, &new) {
        return None;
    }
    let is_at = |place: usize| text.get(place..place + old.len()).is_some_and(|there| equal(there, &old));
    let found = (0..text.len()).filter(|place| is_at(*place)).count();
    if found == 0 || !all && found > 1 {
        return None;
    }
    let start = old.iter().zip(&new).take_while(|(old, new)| same(old, new)).count();
    let (old_rest, new_rest) = (&old[start..], &new[start..]);
    let end =
        old_rest.iter().rev().zip(new_rest.iter().rev()).take_while(|(old, new)| same(old, new)).count();
    let inserted = &new_rest[..new_rest.len() - end];
    let (mut result, mut place) = (String::new(), 0);
    while place < text.len() {
        if !is_at(place) {
            result.push_str(text[place]);
            place += 1;
            continue;
        }
        let after = place + old.len();
        let style = (place..after)
            .find(|index| is_line_end(text[*index]))
            .or_else(|| (0..place).rev().find(|index| is_line_end(text[*index])))
            .or_else(|| (after..text.len()).find(|index| is_line_end(text[*index])))
            .map_or("\n", |index| text[index]);
        result.extend(text[place..place + start].iter().copied());
        result.extend(inserted.iter().map(|unit| if is_line_end(unit) { style } else { unit }));
        result.extend(text[after - end..after].iter().copied());
        place = after;
    }
    Some(result)
}

#[tokio::test]
async fn random_edits_do_what_the_model_does() {
    let bench = Bench::changing();
    let mut dice = Dice(0x9e37_79b9_7f4a_7c15);
    let (mut made, mut refused) = (0, 0);
    for round in 0..ROUNDS {
        let mut text = dice.text(40);
        if dice.below(8) == 0 {
            text.insert(0, '\u{feff}');
        }
        let mark = if text.starts_with('\u{feff}') { "\u{feff}" } else { "" };
        let plain = text.trim_start_matches('\u{feff}').to_owned();
        // Half of the time a part of the text itself, in the other line endings at times.
        let pieces = units(&plain);
        let old = if dice.below(2) == 0 || pieces.is_empty() {
            dice.text(4)
        } else {
            let from = dice.below(pieces.len() as u64) as usize;
            let to = from + dice.below((pieces.len() - from) as u64 + 1) as usize;
            let part = pieces[from..to].concat();
            if dice.below(2) == 0 { part.replace("\r\n", "\n") } else { part }
        };
        let new = if dice.below(3) == 0 { format!("{old}{}", dice.text(3)) } else { dice.text(6) };
        let all = dice.below(2) == 0;
        bench.write("f", &text);
        let args = json!({ "file_path": "f", "old_string": old, "new_string": new, "replace_all": all });
        bench.call("read", json!({ "file_path": "f" })).await;
        let result = bench.call("edit", args).await;
        let expected = model(&plain, &old, &new, all);
        let what = format!("round {round}: {text:?}, {old:?} -> {new:?}, all: {all}: {}", result.text());
        assert_eq!(result.is_error(), expected.is_none(), "{what}");
        let expected = expected.map_or(text, |expected| format!("{mark}{expected}"));
        assert_eq!(bench.content("f"), expected, "{what}");
        if result.is_error() { refused += 1 } else { made += 1 }
    }
    assert!(made > 300 && refused > 300, "{made} made, {refused} refused");
}
