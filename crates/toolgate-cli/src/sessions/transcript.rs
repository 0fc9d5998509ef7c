//! [`Transcript`]: a conversation as a person sees it, made of the events of a log in their order.
//!
//! `toolgate agent` shows a turn with it while the turn runs, and `toolgate replay` shows a session with it afterwards, so
//! both print the same cards. A card stands where its call was settled.

use std::io::{self, Write as _};

use toolgate::text::{Line, Text};
use toolgate::{CallId, ContentBlock, ToolDefinition, ToolResultView};
use toolgate_session::replay::{Card, CardChange, CardReader};
use toolgate_session::{Event, TurnEnd, TurnOutcome, UserEntry};

use crate::fault;
use crate::output::Page;
use crate::render;

/// Writes what happens, as it happens.
pub(crate) struct Transcript<D> {
    reader: CardReader<D>,
    text: Page,
    /// Where cards go; to the text where they have no page of their own.
    cards: Option<Page>,
    /// What was shown of an answer that is not whole yet.
    said: String,
    /// Set where pieces of the answer may have been missed.
    has_gap: bool,
    /// The call whose title is the last thing that was shown.
    titled: Option<CallId>,
}

impl<D: Fn(&str) -> Option<ToolDefinition>> Transcript<D> {
    /// Shows text and cards on pages of their own, and no tasks: for somebody who has just typed one.
    pub(crate) fn live(definition: D) -> Self {
        Self { cards: Some(Page::stderr()), ..Self::whole(definition) }
    }

    /// Shows everything on standard output.
    pub(crate) fn whole(definition: D) -> Self {
        Self {
            reader: CardReader::new(definition),
            text: Page::stdout(),
            cards: None,
            said: String::new(),
            has_gap: false,
            titled: None,
        }
    }

    /// Shows a piece of an answer.
    ///
    /// # Errors
    /// Standard output cannot be written.
    pub(crate) fn piece(&mut self, text: &str) -> io::Result<()> {
        if self.has_gap {
            return Ok(());
        }
        self.said.push_str(text);
        write!(self.text, "{}", Text(text))?;
        self.text.flush()
    }

    /// Says that pieces were missed: the answer is shown once it is whole.
    pub(crate) fn gap(&mut self) {
        self.has_gap = true;
    }

    /// Shows an event that is in the log.
    ///
    /// # Errors
    /// A page cannot be written.
    pub(crate) fn event(&mut self, event: &Event) -> io::Result<()> {
        match event {
            Event::UserMessage(message) if self.cards.is_none() => self.message(message)?,
            Event::AssistantMessage(message) => self.answer(&text_of(&message.content))?,
            Event::TurnEnd(end) => self.end(end)?,
            Event::ToolCall(_)
            | Event::ToolResult(_)
            | Event::CodeDispatchStart(_)
            | Event::CodeDispatch(_)
            | Event::UserMessage(_)
            | Event::TurnStart(_)
            | Event::BodyStarted(_)
            | Event::BodyEnded(_)
            | Event::SubagentStarted(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_) => {}
        }
        match self.reader.note(event) {
            Some(CardChange::Begun(card)) if card.parent.is_none() => self.begun(card)?,
            Some(CardChange::Settled(card)) => self.settled(&card, event)?,
            Some(CardChange::Begun(_)) | None => {}
        }
        self.flush()
    }

    fn flush(&mut self) -> io::Result<()> {
        self.text.flush()?;
        self.cards.as_mut().map_or(Ok(()), Page::flush)
    }

    fn cards(&mut self) -> &mut Page {
        self.cards.as_mut().unwrap_or(&mut self.text)
    }

    /// What somebody other than the model says.
    fn message(&mut self, message: &UserEntry) -> io::Result<()> {
        self.titled = None;
        let title = self.text.styles().title;
        let who = message.source.as_deref().unwrap_or("you");
        let text = text_of(&message.content);
        writeln!(self.text, "{title}{}:{title:#} {}", Line(who), Text(&text))
    }

    /// A whole answer, of which pieces may have been shown.
    fn answer(&mut self, text: &str) -> io::Result<()> {
        self.titled = None;
        let said = std::mem::take(&mut self.said);
        let has_gap = std::mem::take(&mut self.has_gap);
        match text.strip_prefix(said.as_str()) {
            Some(rest) if !has_gap => write!(self.text, "{}", Text(rest))?,
            Some(_) | None if said.is_empty() => write!(self.text, "{}", Text(text))?,
            Some(_) | None => write!(self.text, "\n{}", Text(text))?,
        }
        if text.is_empty() { Ok(()) } else { writeln!(self.text) }
    }

    fn begun(&mut self, card: Card) -> io::Result<()> {
        let page = self.cards();
        let faint = page.styles().faint;
        writeln!(page, "{faint}>{faint:#} {}", Line(card.call.title()))?;
        self.titled = Some(card.call_id);
        Ok(())
    }

    fn settled(&mut self, card: &Card, event: &Event) -> io::Result<()> {
        if let Event::CodeDispatch(call) = event {
            self.titled = None;
            return sub_call(self.cards(), card, call.is_error, &call.content);
        }
        let Event::ToolResult(result) = event else { return Ok(()) };
        let content = result.content.as_slice();
        let nothing = ToolResultView::Generic { title: None, content: None };
        let view = card.result.as_ref().unwrap_or(&nothing);
        let has_title = self.titled.take().is_some_and(|call_id| call_id == card.call_id);
        let page = self.cards();
        let message = result.error.as_ref().map(|error| error.message.as_str());
        let heading = view.title().unwrap_or(card.call.title());
        let is_titled = has_title && heading == card.call.title();
        match (render::says_more(view, content, message), is_titled) {
            (true, true) => render::body(page, view, content)?,
            (true, false) if view.title().is_some() => render::card(page, view, content)?,
            (true, false) => {
                render::title(page, heading)?;
                render::body(page, view, content)?;
            }
            (false, false) => render::title(page, heading)?,
            (false, true) => {}
        }
        match message {
            None => Ok(()),
            Some(message) => {
                let (message, hints) = fault::split_hints(message);
                fault::show(page, message, None, &hints)
            }
        }
    }

    /// The end of a turn, where there is something to say of it.
    fn end(&mut self, end: &TurnEnd) -> io::Result<()> {
        self.titled = None;
        if !self.said.is_empty() {
            // An answer that was given up.
            self.said.clear();
            writeln!(self.text)?;
            self.text.flush()?;
        }
        self.has_gap = false;
        match (end.outcome, &end.reason) {
            (TurnOutcome::Completed, _) | (_, None) => Ok(()),
            (
                TurnOutcome::Interrupted
                | TurnOutcome::LimitReached
                | TurnOutcome::Failed
                | TurnOutcome::Crashed,
                Some(reason),
            ) => {
                let (message, hints) = fault::split_hints(reason);
                fault::show(self.cards(), message, None, &hints)
            }
        }
    }
}

/// A call of a program, on one line.
fn sub_call(page: &mut Page, card: &Card, is_error: bool, content: &[ContentBlock]) -> io::Result<()> {
    let styles = page.styles();
    let (faint, warning) = (styles.faint, styles.warning);
    let title = Line(card.call.title());
    if !is_error {
        return writeln!(page, "{faint}  >{faint:#} {title}");
    }
    let error = content.iter().find_map(ContentBlock::as_text).unwrap_or_default();
    let error = error.strip_prefix("Error: ").unwrap_or(error).lines().next().unwrap_or_default();
    writeln!(page, "{faint}  >{faint:#} {title}  {warning}failed:{warning:#} {}", Line(error))
}

fn text_of(content: &[ContentBlock]) -> String {
    content.iter().filter_map(ContentBlock::as_text).collect::<Vec<_>>().join("\n")
}
