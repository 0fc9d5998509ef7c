//! What a model says, with the marks of Markdown that it uses: paragraphs, lists, emphasis, code, tables, links.
//!
//! Nothing that it writes becomes HTML of its own, no picture is fetched, and a link acts only when somebody follows it.

use maud::{Markup, PreEscaped, Render, html};
use pulldown_cmark::{CodeBlockKind, Event, Options, Parser, Tag, TagEnd};

use crate::card::block;
use crate::foreign;

/// A text of a model.
pub(crate) fn shown(text: &str, whole: Option<&str>) -> Markup {
    let (head, left) = foreign::beginning(text, foreign::MOST_SHOWN);
    html! { div.prose { (Page::of(head)) } (foreign::rest(left, whole)) }
}

#[derive(Default)]
struct Page {
    out: String,
    /// The language and text of the code block that is open.
    code: Option<(String, String)>,
    /// The address of each link that is open; none where it is not to be followed.
    links: Vec<bool>,
}

impl Page {
    fn of(text: &str) -> Markup {
        let mut page = Self::default();
        let options = Options::ENABLE_TABLES | Options::ENABLE_STRIKETHROUGH;
        Parser::new_ext(text, options).for_each(|event| page.event(event));
        PreEscaped(page.out)
    }

    fn push(&mut self, part: impl Render) {
        part.render_to(&mut self.out);
    }

    fn raw(&mut self, tag: &'static str) {
        self.out.push_str(tag);
    }

    fn event(&mut self, event: Event<'_>) {
        match event {
            Event::Start(tag) => self.start(tag),
            Event::End(tag) => self.end(tag),
            Event::Text(text) | Event::Html(text) | Event::InlineHtml(text) => match &mut self.code {
                Some((_, code)) => code.push_str(&text),
                None => self.push(foreign::text(&text)),
            },
            Event::Code(text) => self.push(html! { code { (foreign::line(&text)) } }),
            Event::InlineMath(text) | Event::DisplayMath(text) | Event::FootnoteReference(text) => {
                self.push(foreign::text(&text));
            }
            Event::SoftBreak => self.raw("\n"),
            Event::HardBreak => self.raw("<br>"),
            Event::Rule => self.raw("<hr>"),
            Event::TaskListMarker(is_done) => self.raw(if is_done { "☑ " } else { "☐ " }),
        }
    }

    fn start(&mut self, tag: Tag<'_>) {
        match tag {
            Tag::Paragraph => self.raw("<p>"),
            // The headings of a model stand below those of the page.
            Tag::Heading { .. } => self.raw("<p class=\"heading\">"),
            Tag::BlockQuote(_) => self.raw("<blockquote>"),
            Tag::CodeBlock(kind) => {
                let language = match kind {
                    CodeBlockKind::Fenced(hint) => {
                        hint.split([' ', ',']).next().unwrap_or_default().to_owned()
                    }
                    CodeBlockKind::Indented => String::new(),
                };
                self.code = Some((language, String::new()));
            }
            Tag::List(None) => self.raw("<ul>"),
            Tag::List(Some(start)) => {
                self.push(html! { (PreEscaped("<ol start=\"")) (start) (PreEscaped("\">")) })
            }
            Tag::Item => self.raw("<li>"),
            Tag::Table(_) => {
                self.raw("<div class=\"table\" tabindex=\"0\" role=\"group\" aria-label=\"Table\"><table>")
            }
            Tag::TableHead => self.raw("<thead><tr>"),
            Tag::TableRow => self.raw("<tr>"),
            Tag::TableCell => self.raw("<td>"),
            Tag::Emphasis => self.raw("<em>"),
            Tag::Strong => self.raw("<strong>"),
            Tag::Strikethrough => self.raw("<s>"),
            Tag::Link { dest_url, .. } => {
                let address = foreign::address(&dest_url);
                self.links.push(address.is_some());
                if let Some(address) = address {
                    self.raw("<a rel=\"noopener noreferrer nofollow\" target=\"_blank\" href=\"");
                    self.push(address);
                    self.raw("\">");
                }
            }
            // Its words are shown in its place.
            Tag::Image { .. } => self.raw("<em class=\"quiet\">"),
            Tag::HtmlBlock => self.raw("<p>"),
            Tag::FootnoteDefinition(_)
            | Tag::DefinitionList
            | Tag::DefinitionListTitle
            | Tag::DefinitionListDefinition
            | Tag::Superscript
            | Tag::Subscript
            | Tag::MetadataBlock(_) => {}
        }
    }

    fn end(&mut self, tag: TagEnd) {
        match tag {
            TagEnd::Paragraph | TagEnd::Heading(_) | TagEnd::HtmlBlock => self.raw("</p>"),
            TagEnd::BlockQuote(_) => self.raw("</blockquote>"),
            TagEnd::CodeBlock => {
                if let Some((language, code)) = self.code.take() {
                    self.push(block(&code, Some(&language), "Code"));
                }
            }
            TagEnd::List(is_ordered) => self.raw(if is_ordered { "</ol>" } else { "</ul>" }),
            TagEnd::Item => self.raw("</li>"),
            TagEnd::Table => self.raw("</table></div>"),
            TagEnd::TableHead => self.raw("</tr></thead>"),
            TagEnd::TableRow => self.raw("</tr>"),
            TagEnd::TableCell => self.raw("</td>"),
            TagEnd::Emphasis => self.raw("</em>"),
            TagEnd::Strong => self.raw("</strong>"),
            TagEnd::Strikethrough => self.raw("</s>"),
            TagEnd::Link => {
                if self.links.pop() == Some(true) {
                    self.raw("</a>");
                }
            }
            TagEnd::Image => self.raw("</em>"),
            TagEnd::FootnoteDefinition
            | TagEnd::DefinitionList
            | TagEnd::DefinitionListTitle
            | TagEnd::DefinitionListDefinition
            | TagEnd::Superscript
            | TagEnd::Subscript
            | TagEnd::MetadataBlock(_) => {}
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn nothing_of_a_model_acts() {
        for (text, expected) in [
            ("a **b** `c`", "<p>a <strong>b</strong> <code>c</code></p>"),
            ("<script>alert(1)</script>", "<p>&lt;script&gt;alert(1)&lt;/script&gt;</p>"),
            ("a <b onclick=x>b</b>", "<p>a &lt;b onclick=x&gt;b&lt;/b&gt;</p>"),
            ("[x](javascript:alert(1))", "<p>x</p>"),
            ("![alt](https://evil.example/p.png)", "<p><em class=\"quiet\">alt</em></p>"),
            (
                "[x](https://a.example/?q=\"<)",
                "<p><a rel=\"noopener noreferrer nofollow\" target=\"_blank\" \
                 href=\"https://a.example/?q=&quot;&lt;\">x</a></p>",
            ),
            ("a\u{202e}b\x1b[31m", "<p>a\\u{202e}b\\x1b[31m</p>"),
            ("- a\n- b", "<ul><li>a</li><li>b</li></ul>"),
            ("# Title", "<p class=\"heading\">Title</p>"),
        ] {
            let markup = Page::of(text).into_string();
            assert_eq!(markup.trim().replace("\n<", "<").replace(">\n", ">"), expected, "{text}");
        }
        let link = Page::of("[x](https://a.example/a?b=c&d)").into_string();
        assert!(link.contains("href=\"https://a.example/a?b=c&amp;d\""), "{link}");
    }
}
