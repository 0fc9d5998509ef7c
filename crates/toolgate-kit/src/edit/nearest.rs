//! Says where a text that was not found almost is: models mistake white space and line numbers more than words.
//!
//! Called when an edit finds nothing. Linear in the file for all but texts made to be slow, and bounded in what it says.

use crate::workspace::shown_text;

/// How much of the first line must agree for a line to be called near, in percent.
const NEAR: usize = 60;

/// How many comparisons are made at most.
const EFFORT: usize = 4_000_000;

/// The difference in words, beginning with a separator; empty where nothing is near. Both texts have line feeds only.
pub(super) fn nearest(text: &str, old: &str) -> String {
    if let Some(plain) = without_line_numbers(old).filter(|plain| text.contains(plain.as_str())) {
        let line = line_of(text, &plain);
        return format!(": it is in line {line} without the line numbers that begin its lines");
    }
    if old.strip_suffix('\n').is_some_and(|old| !old.is_empty() && text.ends_with(old)) {
        return ": it is at the end of the file, where the last line has no line ending".to_owned();
    }
    let wanted: Vec<String> = old.lines().map(squeezed).collect();
    let lines: Vec<&str> = text.lines().collect();
    let squeezed_lines: Vec<String> = lines.iter().map(|line| squeezed(line)).collect();
    let (mut best, mut effort) = (None, EFFORT);
    for start in 0..lines.len() {
        let agreeing = agreement(&wanted, squeezed_lines.get(start..).unwrap_or_default());
        effort = effort.saturating_sub(agreeing + 1);
        if agreeing > best.map_or(0, |(_, most)| most) {
            best = Some((start, agreeing));
        }
        if agreeing == wanted.len() || effort == 0 {
            break;
        }
    }
    match best {
        Some((start, agreeing)) if agreeing == wanted.len() => {
            let line = lines.get(start).copied().unwrap_or_default();
            format!(": in line {} it is there with other white space: `{}`", start + 1, shown_text(line))
        }
        Some((start, agreeing)) => {
            let there = lines.get(start + agreeing).copied().unwrap_or_default();
            let meant = old.lines().nth(agreeing).unwrap_or_default();
            format!(
                ": from line {} on it is alike, but line {} is `{}`, not `{}`",
                start + 1,
                start + agreeing + 1,
                shown_text(there),
                shown_text(meant)
            )
        }
        None => near_line(&lines, old).unwrap_or_default(),
    }
}

/// How many of the wanted lines agree with the lines there, white space aside. The first may be the end of a line, the
/// last the beginning of one.
fn agreement(wanted: &[String], there: &[String]) -> usize {
    let last = wanted.len().saturating_sub(1);
    let agree = |index: usize, wanted: &str, there: &str| match (index == 0, index == last) {
        _ if wanted.is_empty() => there.is_empty(),
        (true, true) => there.contains(wanted),
        (true, false) => there.ends_with(wanted),
        (false, true) => there.starts_with(wanted),
        (false, false) => there == wanted,
    };
    let pairs = wanted.iter().zip(there).enumerate();
    let agreeing = pairs.take_while(|(index, (wanted, there))| agree(*index, wanted, there)).count();
    // Blank lines alone are near nothing.
    let words = wanted.iter().take(agreeing).any(|line| !line.is_empty());
    if words { agreeing } else { 0 }
}

/// The line that begins most like the first line wanted.
fn near_line(lines: &[&str], old: &str) -> Option<String> {
    let wanted = old.lines().map(str::trim).find(|line| !line.is_empty())?;
    let shared = |line: &str| {
        let pairs = line.trim_start().chars().zip(wanted.chars());
        pairs.take_while(|(there, wanted)| there == wanted).count()
    };
    let alike = lines.iter().map(|line| shared(line)).enumerate();
    let (number, most) = alike.max_by_key(|(number, shared)| (*shared, std::cmp::Reverse(*number)))?;
    let is_near = most > 3 && most * 100 >= wanted.chars().count() * NEAR;
    let line = lines.get(number).copied().unwrap_or_default();
    is_near.then(|| format!(": the nearest is line {}, `{}`", number + 1, shown_text(line)))
}

/// The text without the numbers that the read tool puts before its lines, if every line has one.
fn without_line_numbers(old: &str) -> Option<String> {
    let plain = old.lines().map(|line| {
        let (number, text) = line.split_once('\t')?;
        let is_number = number.trim_start().parse::<u64>().is_ok();
        is_number.then_some(text)
    });
    plain.collect::<Option<Vec<_>>>().map(|lines| lines.join("\n"))
}

fn line_of(text: &str, part: &str) -> usize {
    let before = text.find(part).and_then(|place| text.get(..place)).unwrap_or_default();
    before.matches('\n').count() + 1
}

fn squeezed(line: &str) -> String {
    line.split_whitespace().collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[track_caller]
    fn check(text: &str, old: &str, expected: &str) {
        assert_eq!(nearest(text, old), expected);
    }

    #[test]
    fn what_is_almost_there_is_named() {
        let text = "fn one() {\n\tlet a = 1;\n}\n\nfn two() {\n    let b = 2;\n}\n";
        check(text, "    let a = 1;\n}", ": in line 2 it is there with other white space: `\\tlet a = 1;`");
        check(text, "leta=1", ": in line 2 it is there with other white space: `\\tlet a = 1;`");
        check(
            text,
            "fn two() {\n    let c = 2;\n",
            ": from line 5 on it is alike, but line 6 is `    let b = 2;`, not `    let c = 2;`",
        );
        check(
            text,
            "     5\tfn two() {\n     6\t    let b = 2;",
            ": it is in line 5 without the line numbers that begin its lines",
        );
        check(text, "fn two(x) {", ": the nearest is line 5, `fn two() {`");
        check("a\nlast", "last\n", ": it is at the end of the file, where the last line has no line ending");
        check(text, "struct Nothing;", "");
        check(text, "\n\n\n", "");
        check("", "x", "");
    }

    #[test]
    fn a_large_file_is_no_problem() {
        let text = "}\n".repeat(1_000_000);
        let start = std::time::Instant::now();
        nearest(&text, &"}\n".repeat(500_000).replacen("}\n}\n", "}\nx\n", 1));
        nearest(&text, &format!("{}x", "}\n".repeat(100_000)));
        assert!(start.elapsed() < std::time::Duration::from_secs(20), "{:?}", start.elapsed());
    }
}
