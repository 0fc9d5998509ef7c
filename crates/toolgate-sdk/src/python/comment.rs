//! Comments and documentation strings that nothing in their text can end, and that a checker takes no orders from.

/// Comment lines, each with its line break.
pub(super) fn lines(lines: &[String], indent: usize) -> String {
    let pad = "    ".repeat(indent);
    lines.iter().map(|line| format!("{pad}# {}", harmless(line)).trim_end().to_owned() + "\n").collect()
}

/// A documentation string with its line break; nothing where there are no lines.
pub(super) fn doc(lines: &[String], indent: usize) -> String {
    let pad = "    ".repeat(indent);
    match lines {
        [] => String::new(),
        [line] => format!("{pad}\"\"\"{}\"\"\"\n", inside(line)),
        lines => {
            let mut text = format!("{pad}\"\"\"");
            for (index, line) in lines.iter().enumerate() {
                let pad = if index == 0 { "" } else { pad.as_str() };
                text.push_str(format!("{pad}{}", inside(line)).trim_end());
                text.push('\n');
            }
            text + &format!("{pad}\"\"\"\n")
        }
    }
}

/// Type checkers obey comments like `type: ignore`, also behind a second `#`.
fn harmless(line: &str) -> String {
    ["type:", "pyright:", "mypy:", "pyre:", "pyrefly:", "ty:"].iter().fold(line.to_owned(), |line, order| {
        line.replace(order, &format!("{} :", order.trim_end_matches(':')))
    })
}

/// A line inside of a documentation string: no backslash acts, and no three quotes stand together.
fn inside(line: &str) -> String {
    let mut text = String::with_capacity(line.len());
    let mut rest = line.chars().peekable();
    while let Some(c) = rest.next() {
        match (c, rest.peek()) {
            ('\\', _) => text.push_str("\\\\"),
            // The last quote of a run stays, unless the string could end there.
            ('"', None | Some('"')) => text.push_str("\\\""),
            _ => text.push(c),
        }
    }
    text
}
