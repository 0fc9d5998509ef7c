//! The card of a web search or a fetched page. Of a page it shows the text too, which is what it was fetched for.

use std::io::{self, Write as _};

use toolgate::ContentBlock;
use toolgate::text::Line;
use toolgate::tool::WebView;

use super::generic::{self, text_lines};
use crate::output::{Page, counted};

pub(super) fn card(
    page: &mut Page,
    view: &WebView,
    content: &[ContentBlock],
    truncated: bool,
) -> io::Result<()> {
    let styles = page.styles();
    let (path, faint, warning) = (styles.path, styles.faint, styles.warning);
    match view {
        WebView::Search { sources, answer } => {
            if let Some(answer) = answer {
                text_lines(page, answer)?;
            }
            for (number, source) in (1_u64..).zip(sources) {
                writeln!(page, "{faint}{number:>4}{faint:#}  {}", Line(&source.title))?;
                writeln!(page, "      {path}{}{path:#}", Line(&source.url))?;
            }
            writeln!(page, "{faint}{}{faint:#}", counted(sources.len() as u64, "source", "sources"))?;
        }
        // The text says address and status itself.
        WebView::Fetch { .. } if !content.is_empty() => generic::blocks(page, content)?,
        WebView::Fetch { url, status_code } => {
            writeln!(page, "{path}{}{path:#}  {faint}status {status_code}{faint:#}", Line(url))?;
        }
    }
    if truncated { writeln!(page, "{warning}… cut: this is not all of it{warning:#}") } else { Ok(()) }
}
