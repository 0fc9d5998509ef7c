//! One entry of a timeline as markup, from its records alone: the same for a page, for its live stream and for a replay.

use std::sync::Arc;

use maud::{Markup, html};
use toolgate::ToolRuntime;
use toolgate_session::{Damage, Event, Record, SessionId, TurnEnd, TurnOutcome, TurnStart};

use crate::card::{RecordedCall, Spot, blocks, card};
use crate::{foreign, markdown};

/// What an entry needs to be drawn.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Drawing<'a> {
    pub(crate) session: SessionId,
    pub(crate) tools: &'a ToolRuntime,
}

impl Drawing<'_> {
    fn address(&self) -> String {
        format!("/sessions/{}", self.session)
    }

    /// The part of an entry that changes: its card, or what is said. `records` are the entry's, in order.
    pub(crate) fn body(&self, seq: u64, records: &[Arc<Record>]) -> Markup {
        let address = self.address();
        let spot = Spot { session: Some(&address), seq };
        let Some(first) = records.first() else { return html! {} };
        if let Some(call) = RecordedCall::new(records, |name| self.tools.get(name)) {
            return card(&call, spot);
        }
        match &first.event {
            Event::TurnStart(start) => turn_start(start, first, seq),
            Event::TurnEnd(end) => turn_end(end, seq),
            Event::UserMessage(message) => html! {
                section.said.user id={ "c" (seq) } {
                    h3 { @match &message.source { None => "You", Some(source) => (foreign::title(source)) } }
                    (blocks(&message.content, spot.whole(first.seq).as_deref()))
                }
            },
            Event::AssistantMessage(message) => html! {
                section.said.model id={ "c" (seq) } {
                    h3 { "Model" }
                    @for block in &message.content {
                        @if let Some(text) = block.as_text() { (markdown::shown(text, spot.whole(first.seq).as_deref())) }
                    }
                }
            },
            Event::ToolCall(_)
            | Event::BodyStarted(_)
            | Event::BodyEnded(_)
            | Event::ToolResult(_)
            | Event::CodeDispatchStart(_)
            | Event::CodeDispatch(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_)
            | Event::SubagentStarted(_) => html! {},
        }
    }
}

fn turn_start(start: &TurnStart, record: &Record, seq: u64) -> Markup {
    html! {
        section.turn id={ "c" (seq) } {
            h2 { "Turn " (start.turn) }
            span.quiet {
                @if let Some(model) = &start.model { (foreign::title(model)) " · " }
                time datetime=(record.time) data-time { (record.time.get(..19).unwrap_or_default().replace('T', " ")) }
            }
        }
    }
}

fn turn_end(end: &TurnEnd, seq: u64) -> Markup {
    let (word, class) = match end.outcome {
        TurnOutcome::Completed => ("Done", "ok"),
        TurnOutcome::Interrupted => ("Interrupted", "off"),
        TurnOutcome::LimitReached => ("A limit was reached", "bad"),
        TurnOutcome::Failed => ("Failed", "bad"),
        TurnOutcome::Crashed => ("The process ended", "bad"),
    };
    html! {
        section.end id={ "c" (seq) } {
            span.pill.(class) { (word) }
            @if let Some(reason) = &end.reason { span.quiet.reason { (foreign::text(reason)) } }
        }
    }
}

/// What stands where records are lost.
pub(crate) fn damaged(damage: &Damage) -> Markup {
    html! {
        section.lost id={ "c" (damage.first) } {
            p.warn {
                "Records " (damage.first) @if let Some(last) = damage.last { " to " (last) } " are lost: "
                (foreign::title(&damage.reason))
            }
        }
    }
}
