//! What the tags of a page mean for its text.
//!
//! Tags need not match: an end tag closes the innermost element that it can mean, and what is never closed ends with
//! the page.

use html5gum::emitters::callback::{CallbackEmitter, CallbackEvent};
use html5gum::{Span, Tokenizer};
use url::Url;

use super::Page;
use super::inline::Mark;
use super::markdown::{Container, Markdown};
use crate::stop::{Stop, Stopped};

/// How many tags are read between two questions whether to stop.
const STOP_INTERVAL: u32 = 1024;

/// The longest title, in characters.
const LONGEST_TITLE: usize = 300;

/// The longest address of a link, in bytes. A longer one leaves only the text of the link.
const LONGEST_ADDRESS: usize = 2048;

/// Reads the page from front to back.
pub(super) fn walk(html: &str, base: Option<&Url>, limit: usize, stop: &Stop) -> Result<Page, Stopped> {
    stop.check()?;
    let mut walker = Walker::new(base, limit);
    let mut emitter = CallbackEmitter::new(|event: CallbackEvent<'_>, _: Span<()>| walker.event(event));
    emitter.naively_switch_states(true);
    let mut questions = 0_u32;
    for step in Tokenizer::new_with_emitter(html, emitter) {
        let Ok(Step { is_full }) = step;
        questions = questions.wrapping_add(1);
        if questions.is_multiple_of(STOP_INTERVAL) {
            stop.check()?;
        }
        if is_full {
            break;
        }
    }
    Ok(walker.finish())
}

/// A tag or a text has been dealt with.
struct Step {
    is_full: bool,
}

struct Walker<'a> {
    base: Option<&'a Url>,
    markdown: Markdown,
    title: Option<String>,
    in_title: bool,
    /// The start tag being read.
    tag: Option<Tag>,
    attribute: Attribute,
    /// The element whose content is left out, and how many of its name are open.
    skipped: Option<(Vec<u8>, u32)>,
    /// Preformatted text being collected, and its language.
    pre: Option<(String, Option<String>)>,
    table: Table,
}

/// A start tag with the attributes that mean something here.
#[derive(Default)]
struct Tag {
    name: Vec<u8>,
    href: Option<String>,
    src: Option<String>,
    alt: Option<String>,
    class: Option<String>,
    start: Option<String>,
}

#[derive(Clone, Copy, PartialEq, Eq)]
enum Attribute {
    Href,
    Src,
    Alt,
    Class,
    Start,
    Other,
}

/// The row of the innermost table that is being written.
#[derive(Default)]
struct Table {
    columns: usize,
    has_heads: bool,
    /// Whether a row was written with a line below it.
    ruled: bool,
}

impl<'a> Walker<'a> {
    fn new(base: Option<&'a Url>, limit: usize) -> Self {
        Self {
            base,
            markdown: Markdown::new(limit),
            title: None,
            in_title: false,
            tag: None,
            attribute: Attribute::Other,
            skipped: None,
            pre: None,
            table: Table::default(),
        }
    }

    fn event(&mut self, event: CallbackEvent<'_>) -> Option<Step> {
        match event {
            CallbackEvent::OpenStartTag { name } => {
                self.tag = Some(Tag { name: name.to_vec(), ..Tag::default() });
                None
            }
            CallbackEvent::AttributeName { name } => {
                self.attribute = match name {
                    b"href" => Attribute::Href,
                    b"src" => Attribute::Src,
                    b"alt" => Attribute::Alt,
                    b"class" => Attribute::Class,
                    b"start" => Attribute::Start,
                    _ => Attribute::Other,
                };
                None
            }
            CallbackEvent::AttributeValue { value } => {
                self.attribute_value(value);
                None
            }
            CallbackEvent::CloseStartTag { self_closing } => {
                if let Some(tag) = self.tag.take() {
                    self.start(&tag, self_closing);
                }
                Some(self.step())
            }
            CallbackEvent::EndTag { name } => {
                self.tag = None;
                self.end(name);
                Some(self.step())
            }
            CallbackEvent::String { value } => {
                self.text(&String::from_utf8_lossy(value));
                Some(self.step())
            }
            CallbackEvent::Comment { .. } | CallbackEvent::Doctype { .. } | CallbackEvent::Error(_) => None,
        }
    }
    fn step(&self) -> Step {
        Step { is_full: self.markdown.is_full() }
    }

    fn finish(mut self) -> Page {
        self.end_pre();
        let cut = self.markdown.is_full();
        let title = self.title.map(|title| title.split_whitespace().collect::<Vec<_>>().join(" "));
        Page { title: title.filter(|title| !title.is_empty()), markdown: self.markdown.finish(), cut }
    }

    fn attribute_value(&mut self, value: &[u8]) {
        let Some(tag) = &mut self.tag else { return };
        let slot = match self.attribute {
            Attribute::Href => &mut tag.href,
            Attribute::Src => &mut tag.src,
            Attribute::Alt => &mut tag.alt,
            Attribute::Class => &mut tag.class,
            Attribute::Start => &mut tag.start,
            Attribute::Other => return,
        };
        if slot.is_none() && value.len() <= LONGEST_ADDRESS {
            *slot = Some(String::from_utf8_lossy(value).into_owned());
        }
    }

    fn text(&mut self, text: &str) {
        if self.skipped.is_some() {
            return;
        }
        if self.in_title {
            let title = self.title.get_or_insert_default();
            let room = LONGEST_TITLE.saturating_sub(title.chars().count());
            title.extend(text.trim_start().chars().take(room));
        } else if let Some((pre, _)) = &mut self.pre {
            pre.push_str(text);
        } else {
            self.markdown.text(text);
        }
    }

    fn start(&mut self, tag: &Tag, self_closing: bool) {
        if let Some((name, depth)) = &mut self.skipped {
            if *name == tag.name && !self_closing {
                *depth = depth.saturating_add(1);
            }
            return;
        }
        if self.pre.is_some() && self.start_in_pre(tag) {
            return;
        }
        match tag.name.as_slice() {
            // Only what is not of HTML can close itself.
            b"svg" if self_closing => {}
            b"script" | b"style" | b"template" | b"svg" | b"iframe" | b"object" | b"canvas" | b"audio"
            | b"video" | b"textarea" | b"noframes" | b"noembed" => {
                self.skipped = Some((tag.name.clone(), 1));
            }
            b"title" => self.in_title = self.title.is_none(),
            b"h1" => self.markdown.heading(1),
            b"h2" => self.markdown.heading(2),
            b"h3" => self.markdown.heading(3),
            b"h4" => self.markdown.heading(4),
            b"h5" => self.markdown.heading(5),
            b"h6" => self.markdown.heading(6),
            b"br" => self.markdown.line(),
            b"hr" => {
                self.markdown.end_heading();
                self.markdown.paragraph();
                self.markdown.verbatim("---");
                self.markdown.paragraph();
            }
            b"pre" => {
                self.markdown.end_heading();
                self.pre = Some((String::new(), language(tag)));
            }
            b"blockquote" => {
                self.begin_block();
                self.markdown.enter(Container::Quote);
            }
            b"ul" | b"menu" => self.begin_list(None),
            b"ol" => {
                let start = tag.start.as_deref().and_then(|start| start.trim().parse().ok());
                self.begin_list(Some(start.unwrap_or(1)));
            }
            b"li" => {
                self.markdown.end_heading();
                self.markdown.item();
            }
            b"dd" | b"option" | b"figcaption" | b"caption" => self.markdown.line(),
            b"table" => {
                self.markdown.cells = 0;
                self.begin_block();
                self.table = Table::default();
            }
            b"tr" => self.begin_row(),
            b"td" | b"th" => self.begin_cell(tag.name.as_slice() == b"th"),
            b"strong" | b"b" => self.begin_mark("**"),
            b"em" | b"i" => self.begin_mark("*"),
            b"code" | b"kbd" | b"samp" | b"tt" => self.begin_mark("`"),
            b"del" | b"s" | b"strike" => self.begin_mark("~~"),
            b"a" => {
                self.markdown.unmark(Mark::is_link);
                if let Some(address) = tag.href.as_deref().and_then(|href| self.address(href)) {
                    self.markdown.mark(Mark::link(address));
                }
            }
            b"img" => self.image(tag),
            name if is_block(name) => self.markdown.paragraph(),
            _ => {}
        }
    }

    fn end(&mut self, name: &[u8]) {
        if let Some((skipped, depth)) = &mut self.skipped {
            if skipped == name {
                *depth = depth.saturating_sub(1);
                if *depth == 0 {
                    self.skipped = None;
                }
            }
            return;
        }
        if self.pre.is_some() {
            if name == b"pre" {
                self.end_pre();
            }
            return;
        }
        match name {
            b"title" => self.in_title = false,
            b"h1" | b"h2" | b"h3" | b"h4" | b"h5" | b"h6" => self.begin_block(),
            b"blockquote" => {
                self.begin_block();
                self.markdown.leave(|container| matches!(container, Container::Quote));
            }
            b"ul" | b"ol" | b"menu" => {
                self.markdown.end_heading();
                self.markdown.leave(|container| matches!(container, Container::List { .. }));
                self.after_list();
            }
            b"li" => self.markdown.line(),
            b"table" => {
                self.end_row();
                self.table = Table::default();
                self.markdown.paragraph();
            }
            b"tr" => self.end_row(),
            b"td" | b"th" => self.markdown.cells = 0,
            b"strong" | b"b" => self.end_mark("**"),
            b"em" | b"i" => self.end_mark("*"),
            b"code" | b"kbd" | b"samp" | b"tt" => self.end_mark("`"),
            b"del" | b"s" | b"strike" => self.end_mark("~~"),
            b"a" => self.markdown.unmark(Mark::is_link),
            name if is_block(name) => self.markdown.paragraph(),
            _ => {}
        }
    }

    fn begin_block(&mut self) {
        self.markdown.end_heading();
        self.markdown.paragraph();
    }

    fn begin_list(&mut self, number: Option<u64>) {
        self.markdown.end_heading();
        self.after_list();
        self.markdown.enter(Container::List { number });
    }

    /// A list in an item follows it without a blank line.
    fn after_list(&mut self) {
        if self.markdown.is_in_item() { self.markdown.line() } else { self.markdown.paragraph() }
    }

    fn begin_mark(&mut self, characters: &'static str) {
        self.markdown.mark(Mark::around(characters));
    }

    fn end_mark(&mut self, meant: &'static str) {
        self.markdown.unmark(|mark| match mark {
            Mark::Around { characters, .. } => *characters == meant,
            Mark::Link { .. } => false,
        });
    }

    fn image(&mut self, tag: &Tag) {
        let alt = tag.alt.as_deref().map(str::trim).filter(|alt| !alt.is_empty());
        if let Some(alt) = alt {
            match tag.src.as_deref().and_then(|src| self.address(src)) {
                Some(address) => self.markdown.text(&format!("![{alt}]({address})")),
                None => self.markdown.text(alt),
            }
        }
    }

    /// The absolute address of a link, where it leads somewhere that can be fetched or written to.
    fn address(&self, href: &str) -> Option<String> {
        let href = href.trim();
        if href.is_empty() || href.starts_with('#') {
            return None;
        }
        let url = match self.base {
            Some(base) => base.join(href).ok()?,
            None => Url::parse(href).ok()?,
        };
        let kept = matches!(url.scheme(), "http" | "https" | "mailto");
        // A bracket or a space would end the address early for whoever reads the Markdown.
        kept.then(|| url.as_str().replace('(', "%28").replace(')', "%29").replace(' ', "%20"))
    }

    fn begin_row(&mut self) {
        self.end_row();
        self.markdown.end_heading();
        self.markdown.line();
    }

    fn begin_cell(&mut self, is_head: bool) {
        self.markdown.cells = 0;
        if self.table.columns > 0 {
            self.markdown.space();
            self.markdown.verbatim("|");
            self.markdown.space();
        }
        self.table.columns = self.table.columns.saturating_add(1);
        self.table.has_heads |= is_head;
        self.markdown.cells = 1;
    }

    /// Draws the line below the first row if it is one of headings.
    fn end_row(&mut self) {
        self.markdown.cells = 0;
        let Table { columns, has_heads, ruled } = std::mem::take(&mut self.table);
        if columns > 0 {
            self.markdown.line();
        }
        if columns > 1 && has_heads && !ruled {
            let rule = vec!["---"; columns.min(64)].join(" | ");
            self.markdown.verbatim(&rule);
            self.markdown.line();
        }
        self.table.ruled = ruled || columns > 0;
    }

    /// Whether a tag within preformatted text has been dealt with.
    fn start_in_pre(&mut self, tag: &Tag) -> bool {
        let Some((text, lang)) = &mut self.pre else { return false };
        match tag.name.as_slice() {
            b"br" => text.push('\n'),
            b"code" if lang.is_none() => *lang = language(tag),
            b"script" | b"style" | b"template" | b"svg" | b"textarea" => return false,
            _ => {}
        }
        true
    }

    fn end_pre(&mut self) {
        let Some((text, lang)) = self.pre.take() else { return };
        let text = text.strip_prefix('\n').unwrap_or(&text).trim_end();
        if text.is_empty() {
            return;
        }
        let longest = text.split(|c| c != '`').map(str::len).max().unwrap_or(0);
        let fence = "`".repeat(longest.saturating_add(1).clamp(3, 64));
        self.markdown.paragraph();
        self.markdown.verbatim(&format!("{fence}{}", lang.unwrap_or_default()));
        self.markdown.line();
        self.markdown.verbatim(text);
        self.markdown.line();
        self.markdown.verbatim(&fence);
        self.markdown.paragraph();
    }
}

/// The language that highlighters write into the class of code.
fn language(tag: &Tag) -> Option<String> {
    let classes = tag.class.as_deref()?.split_ascii_whitespace();
    let mut named =
        classes.filter_map(|class| class.strip_prefix("language-").or(class.strip_prefix("lang-")));
    let is_plain = |name: &&str| {
        name.len() <= 20 && name.bytes().all(|b| b.is_ascii_alphanumeric() || matches!(b, b'+' | b'-' | b'#'))
    };
    named.find(is_plain).map(str::to_owned)
}

fn is_block(name: &[u8]) -> bool {
    matches!(
        name,
        b"p" | b"div"
            | b"section"
            | b"article"
            | b"main"
            | b"header"
            | b"footer"
            | b"nav"
            | b"aside"
            | b"address"
            | b"figure"
            | b"form"
            | b"fieldset"
            | b"details"
            | b"summary"
            | b"dialog"
            | b"dl"
            | b"dt"
            | b"center"
            | b"body"
            | b"noscript"
            | b"search"
            | b"hgroup"
    )
}
