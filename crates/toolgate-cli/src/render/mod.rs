//! Cards on a terminal: how the result of a call is shown to a person.
//!
//! `commands::call` gives a [`ToolResultView`] to [`card`]; each kind of card has its file. A renderer writes what the
//! card says and never decides what a call did. Everything that comes from a tool goes through [`escape`].

mod diff;
mod generic;
mod read;
mod search;
mod terminal;
mod web;

use std::io::{self, Write as _};

use toolgate::text::Line;
use toolgate::{ContentBlock, ToolResultView};

use crate::output::Page;

/// Writes the card of a finished call. `content` stands in where a generic card brings none of its own.
///
/// # Errors
/// The page cannot be written.
pub(crate) fn card(page: &mut Page, view: &ToolResultView, content: &[ContentBlock]) -> io::Result<()> {
    if let Some(title) = view.title().filter(|title| !says_itself(view, content, title)) {
        self::title(page, title)?;
    }
    body(page, view, content)
}

/// Writes the title of a card.
///
/// # Errors
/// The page cannot be written.
pub(crate) fn title(page: &mut Page, title: &str) -> io::Result<()> {
    let style = page.styles().title;
    writeln!(page, "{style}{}{style:#}", Line(title))
}

/// Writes the card without its title.
///
/// # Errors
/// The page cannot be written.
pub(crate) fn body(page: &mut Page, view: &ToolResultView, content: &[ContentBlock]) -> io::Result<()> {
    match view {
        ToolResultView::Generic { title: _, content: own } => {
            generic::blocks(page, own.as_deref().unwrap_or(content))
        }
        ToolResultView::Terminal { title: _, output, exit_code, signal } => {
            terminal::card(page, output.as_deref(), *exit_code, signal.as_deref())
        }
        ToolResultView::Diff { title: _, diffs } => diff::card(page, diffs),
        ToolResultView::Search { title: _, shape, truncated, total } => {
            search::card(page, shape, *truncated, *total)
        }
        ToolResultView::Read { title: _, path, offset, lines, total_lines, lang, content: _ } => {
            let window = read::Window { path, offset: *offset, lines, total_lines: *total_lines };
            read::card(page, &window, lang.as_deref())
        }
        ToolResultView::Web { title: _, view, truncated } => web::card(page, view, content, *truncated),
    }
}

/// Whether a card says more than the message of a failure, which is shown anyway.
pub(crate) fn says_more(view: &ToolResultView, content: &[ContentBlock], failure: Option<&str>) -> bool {
    match (view, failure) {
        (ToolResultView::Generic { title: _, content: own }, Some(message)) => {
            let blocks = own.as_deref().unwrap_or(content);
            let texts: Option<Vec<&str>> = blocks.iter().map(ContentBlock::as_text).collect();
            texts.is_none_or(|texts| texts.join("\n") != format!("Error: {message}"))
        }
        (_, None) | (_, Some(_)) => true,
    }
}

/// Whether a page begins with its title.
fn says_itself(view: &ToolResultView, content: &[ContentBlock], title: &str) -> bool {
    let text = content.first().and_then(ContentBlock::as_text).unwrap_or_default();
    matches!(view, ToolResultView::Web { .. })
        && text.strip_prefix(title).is_some_and(|rest| rest.starts_with('\n'))
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// The card of a view, which is given as interfaces get it.
    #[track_caller]
    fn check(view: serde_json::Value, content: &[ContentBlock], expected: &str) {
        let view: ToolResultView = serde_json::from_value(view).unwrap();
        let (memory, written) = std::sync::mpsc::channel();
        let mut page = Page::in_memory(memory);
        card(&mut page, &view, content).unwrap();
        drop(page);
        let bytes = written.iter().flatten().collect();
        assert_eq!(String::from_utf8(bytes).unwrap(), expected);
    }

    #[test]
    fn generic_cards_show_their_content_block_by_block() {
        let content = [
            ContentBlock::text("a\nb\x1b"),
            ContentBlock::text("ends\n"),
            ContentBlock::image("AAAA", "image/png"),
            toolgate::ContentBlock::from_json(
                &toolgate::JsonValue::parse(r#"{"type":"audio","data":"\u001b"}"#).unwrap(),
            )
            .unwrap(),
        ];
        let shown = "a\nb\\x1b\nends\n[image: image/png, about 3 bytes]\n[audio] {\"type\":\"audio\",\"data\":\"\\u001b\"}\n";
        check(json!({ "card": "generic" }), &content, shown);
        let own =
            json!({ "card": "generic", "title": "Do\nit", "content": [{ "type": "text", "text": "own" }] });
        check(own, &content, "Do\\nit\nown\n");
    }

    #[test]
    fn terminal_cards_say_how_the_command_ended() {
        let view = |exit_code: i32| json!({ "card": "terminal", "title": "ls", "output": "a\nb", "exitCode": exit_code });
        check(view(0), &[], "ls\na\nb\nexit code 0\n");
        check(view(2), &[], "ls\na\nb\nexit code 2\n");
        check(json!({ "card": "terminal", "signal": "SIGKILL" }), &[], "ended by signal SIGKILL\n");
    }

    #[test]
    fn diff_cards_show_what_went_and_what_came() {
        let diffs = json!([
            { "path": "a.rs", "oldText": "1\n2\n3\n", "newText": "1\ntwo\n3\n" },
            { "path": "a.rs", "oldText": "8\n9\n", "newText": "8\n" },
            { "path": "b.rs", "oldText": null, "newText": "new\n" },
        ]);
        let shown = "a.rs  +1 −2\n  1\n- 2\n+ two\n  3\n  …\n  8\n- 9\nb.rs  new file, 1 line\n+ new\n";
        check(json!({ "card": "diff", "diffs": diffs }), &[], shown);
    }

    #[test]
    fn web_cards_name_their_sources() {
        let search = json!({
            "card": "web", "kind": "search", "truncated": true, "answer": "42",
            "sources": [{ "title": "T\u{202e}", "url": "https://example.org/" }],
        });
        let shown =
            "42\n   1  T\\u{202e}\n      https://example.org/\n1 source\n… cut: this is not all of it\n";
        check(search, &[], shown);
        let fetch = json!({ "card": "web", "kind": "fetch", "truncated": false, "url": "https://a/", "statusCode": 404 });
        check(fetch, &[], "https://a/  status 404\n");
    }

    #[test]
    fn a_fetched_page_is_shown_with_its_text() {
        use std::io::{Read as _, Write as _};
        use std::net::TcpListener;

        let listener = TcpListener::bind("127.0.0.1:0").unwrap();
        let url = format!("http://{}/page", listener.local_addr().unwrap());
        let server = std::thread::spawn(move || {
            let mut socket = listener.accept().unwrap().0;
            let _ = socket.read(&mut [0; 4096]).unwrap();
            let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n\r\n";
            write!(socket, "{head}<h1>Hello\x1b[31m</h1><p>a <b>page</b></p>").unwrap();
        });
        let allow_private = vec!["127.0.0.1".parse().unwrap()];
        let config = toolgate_kit::WebConfig { allow_private, ..Default::default() };
        let tools = toolgate::ToolRuntime::builder().plugin(toolgate_kit::web_tools(config)).build().unwrap();
        let args = json!({ "url": url });
        let call = toolgate::ToolCall::new("web_fetch", args.clone(), toolgate::CancellationToken::new());
        let executor = tokio::runtime::Builder::new_current_thread().enable_all().build().unwrap();
        let result = executor.block_on(tools.execute(call));
        server.join().unwrap();
        assert!(!result.is_error(), "{}", result.text());
        let durable =
            toolgate::ToolResult { content: result.content(), error: result.error(), meta: result.meta() };
        let args = toolgate::JsonValue::encode(&args).unwrap();
        let view = tools.get("web_fetch").unwrap().present_result(&args, &durable);
        let view = serde_json::to_value(view).unwrap();
        check(view, result.content(), &format!("{url} (HTTP 200)\n\n# Hello\\x1b[31m\n\na **page**\n"));
    }

    #[test]
    fn search_cards_say_when_they_are_cut() {
        let paths = |truncated: bool, total: u64| json!({ "card": "search", "shape": "paths", "paths": ["a", "b\n"], "truncated": truncated, "total": total });
        check(paths(false, 2), &[], "a\nb\\n\n2 files\n");
        check(
            paths(true, 2_000),
            &[],
            "a\nb\\n\n… cut: 2 of 2,000 files shown; narrow the search to see others\n",
        );
    }
}
