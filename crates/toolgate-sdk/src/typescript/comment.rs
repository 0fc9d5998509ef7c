//! Comments that nothing in their text can end, and that a compiler takes no orders from.

/// A documentation comment before a declaration, with its line break; nothing where there are no lines.
pub(super) fn before(lines: &[String], indent: usize) -> String {
    let pad = "  ".repeat(indent);
    match lines {
        [] => String::new(),
        [line] => format!("{pad}/** {} */\n", harmless(line)),
        lines => {
            let mut text = format!("{pad}/**\n");
            for line in lines {
                text.push_str(format!("{pad} * {}", harmless(line)).trim_end());
                text.push('\n');
            }
            text + &format!("{pad} */\n")
        }
    }
}

/// A comment in the middle of a type.
pub(super) fn within(line: &str) -> String {
    format!("/* {} */ ", harmless(line))
}

/// The compiler obeys `@ts-ignore` and its like in comments of either kind.
fn harmless(line: &str) -> String {
    line.replace("*/", "*\\/").replace("@ts-", "@ ts-")
}
