//! Statistics over the newest sessions: calls and failures, how long tools took, what models read and wrote.

use std::collections::{BTreeMap, HashMap};
use std::sync::Arc;

use axum::extract::State;
use axum::response::{IntoResponse, Response};
use jiff::Timestamp;
use maud::{Markup, html};
use toolgate::CallId;
use toolgate_session::{Backend, Entry, Event, SessionId, StoreError, Usage};

use super::{Frame, Place};
use crate::fault::Fault;
use crate::feed::off_thread;
use crate::foreign;
use crate::length::{count, words};
use crate::server::Shared;

/// How many sessions are counted, and how many of their records.
const MOST_SESSIONS: usize = 50;
const MOST_RECORDS: u64 = 200_000;

/// How many lengths of time are kept of one tool.
const MOST_TIMES: usize = 10_000;

/// How many records are read at a time.
const READ: usize = 1_000;

/// The upper ends of the bars of the chart of times, in milliseconds; the last bar has none.
const BARS: [i64; 7] = [10, 30, 100, 300, 1_000, 3_000, 10_000];

/// What is counted of one tool.
#[derive(Debug, Default)]
struct Tally {
    calls: u64,
    failures: u64,
    /// How long bodies took, in milliseconds.
    times: Vec<i64>,
}

/// What is counted of all.
#[derive(Debug, Default)]
struct Totals {
    sessions: usize,
    records: u64,
    turns: u64,
    tools: BTreeMap<String, Tally>,
    /// What each request of the newest turns cost, oldest first.
    usage: Vec<Usage>,
}

/// `GET /statistics`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>) -> Result<Response, Fault> {
    let backend = Arc::clone(&shared.backend);
    let totals = off_thread(move || counted(&*backend)).await?;
    let live = Some("/events".to_owned());
    let frame = Frame { title: "Statistics", place: Place::Statistics, live };
    Ok(frame.around(page(&totals)).into_response())
}

fn counted(backend: &dyn Backend) -> Result<Totals, StoreError> {
    let mut totals = Totals::default();
    for id in backend.list()?.into_iter().rev().take(MOST_SESSIONS) {
        if totals.records >= MOST_RECORDS {
            break;
        }
        totals.sessions += 1;
        // A session that cannot be read is left out, and the list of sessions says so.
        let _ = totals.add(backend, id);
    }
    Ok(totals)
}

impl Totals {
    fn add(&mut self, backend: &dyn Backend, id: SessionId) -> Result<(), StoreError> {
        let (mut from, mut open) = (1, HashMap::new());
        loop {
            let entries = backend.read(id, from, READ)?;
            if entries.is_empty() || self.records >= MOST_RECORDS {
                return Ok(());
            }
            for entry in entries {
                match entry {
                    Entry::Record(record) => {
                        from = record.seq + 1;
                        self.records += 1;
                        self.note(&record.event, record.time.parse().ok(), &mut open);
                    }
                    Entry::Damaged(damage) => from = from.max(damage.last.unwrap_or(damage.first) + 1),
                }
            }
        }
    }

    /// Counts an event. `open` has the calls that are not settled, by their ids.
    fn note(
        &mut self,
        event: &Event,
        time: Option<Timestamp>,
        open: &mut HashMap<CallId, (String, Option<Timestamp>)>,
    ) {
        match event {
            Event::TurnStart(_) => self.turns += 1,
            Event::AssistantMessage(message) => self.usage.extend(message.usage),
            Event::ToolCall(call) => drop(open.insert(call.call_id.clone(), (call.name.clone(), None))),
            Event::CodeDispatchStart(call) => {
                drop(open.insert(call.call_id.clone(), (call.name.clone(), time)))
            }
            Event::BodyStarted(body) => {
                open.entry(body.call_id.clone()).and_modify(|(_, began)| *began = began.or(time));
            }
            Event::ToolResult(result) => {
                self.settle(open.remove(&result.call_id), time, result.error.is_some())
            }
            Event::CodeDispatch(call) => self.settle(open.remove(&call.call_id), time, call.is_error),
            Event::UserMessage(_)
            | Event::BodyEnded(_)
            | Event::ApprovalAsked(_)
            | Event::ApprovalDecided(_)
            | Event::SubagentStarted(_)
            | Event::TurnEnd(_) => {}
        }
    }

    fn settle(&mut self, call: Option<(String, Option<Timestamp>)>, time: Option<Timestamp>, is_error: bool) {
        let Some((name, began)) = call else { return };
        let tally = self.tools.entry(name).or_default();
        tally.calls += 1;
        tally.failures += u64::from(is_error);
        if let (Some(began), Some(ended)) = (began, time)
            && tally.times.len() < MOST_TIMES
        {
            tally.times.push(ended.as_millisecond().saturating_sub(began.as_millisecond()).max(0));
        }
    }
}

fn page(totals: &Totals) -> Markup {
    let calls: u64 = totals.tools.values().map(|tally| tally.calls).sum();
    let failures: u64 = totals.tools.values().map(|tally| tally.failures).sum();
    let (read, written) = totals.usage.iter().fold((0_u64, 0_u64), |(read, written), usage| {
        (read.saturating_add(usage.input), written.saturating_add(usage.output))
    });
    let times: Vec<i64> = totals.tools.values().flat_map(|tally| tally.times.iter().copied()).collect();
    let numbers = [
        ("Sessions", count(totals.sessions as u64)),
        ("Turns", count(totals.turns)),
        ("Calls", count(calls)),
        (
            "Failed",
            match (failures * 100).checked_div(calls) {
                Some(percent) if failures > 0 => format!("{} ({percent} %)", count(failures)),
                Some(_) | None => "0".to_owned(),
            },
        ),
        ("Tokens read", count(read)),
        ("Tokens written", count(written)),
    ];
    html! {
        h1 { "Statistics" }
        p.quiet.intro { "Counted over the newest sessions, " (count(totals.records)) " events." }
        dl.numbers { @for (name, value) in &numbers { div { dt { (name) } dd { (value) } } } }
        div.charts {
            figure { figcaption { "How long calls took at most" } (times_chart(&times)) }
            figure { figcaption { "Tokens of the last requests" } (usage_chart(&totals.usage)) }
        }
        @if !totals.tools.is_empty() {
            h2 { "Tools" }
            div.table tabindex="0" role="group" aria-label="Tools" { table.numbers {
                thead { tr {
                    th scope="col" { "Tool" } th scope="col" { "Calls" } th scope="col" { "Failed" }
                    th scope="col" { "Median" } th scope="col" { "90 %" } th scope="col" { "99 %" }
                } }
                tbody { @for (name, tally) in &totals.tools { (row(name, tally)) } }
            } }
        }
    }
}

fn row(name: &str, tally: &Tally) -> Markup {
    let mut times = tally.times.clone();
    times.sort_unstable();
    html! {
        tr {
            th scope="row" { (foreign::title(name)) }
            td { (count(tally.calls)) }
            td { (count(tally.failures)) }
            @for part in [50, 90, 99] { td { (percentile(&times, part).map_or_else(|| "–".to_owned(), words)) } }
        }
    }
}

/// The value that so many of a hundred do not exceed. `times` are sorted.
fn percentile(times: &[i64], part: usize) -> Option<i64> {
    let rank = (times.len() * part).div_ceil(100).saturating_sub(1);
    times.get(rank).copied()
}

/// How many calls took how long.
fn times_chart(times: &[i64]) -> Markup {
    let mut counts = [0_u64; BARS.len() + 1];
    for time in times {
        let bar = BARS.iter().position(|end| time <= end).unwrap_or(BARS.len());
        if let Some(count) = counts.get_mut(bar) {
            *count += 1;
        }
    }
    let label = |bar: usize| match BARS.get(bar) {
        Some(end) => words(*end).replace(".0", ""),
        None => "more".to_owned(),
    };
    let bars: Vec<_> = counts.iter().enumerate().map(|(bar, count)| (label(bar), vec![*count])).collect();
    chart(&bars, "calls")
}

/// What the last requests cost.
fn usage_chart(usage: &[Usage]) -> Markup {
    let last = usage.get(usage.len().saturating_sub(24)..).unwrap_or_default();
    let bars: Vec<_> = last.iter().map(|usage| (String::new(), vec![usage.input, usage.output])).collect();
    chart(&bars, "tokens")
}

const WIDTH: u64 = 360;
const HEIGHT: u64 = 120;

/// Bars beside each other; each may have several parts, one above the other.
fn chart(bars: &[(String, Vec<u64>)], unit: &str) -> Markup {
    let tallest = bars.iter().map(|(_, parts)| parts.iter().sum::<u64>()).max().unwrap_or_default();
    if tallest == 0 {
        return html! { p.quiet { "Nothing to show yet." } };
    }
    let step = WIDTH / (bars.len() as u64).max(1);
    let width = step.saturating_sub(4).clamp(2, 48);
    let height = |value: u64| (value.saturating_mul(HEIGHT) / tallest).max(u64::from(value > 0));
    let text: Vec<_> = bars
        .iter()
        .map(|(label, parts)| {
            let parts = parts.iter().map(|part| count(*part)).collect::<Vec<_>>().join(" + ");
            if label.is_empty() { parts } else { format!("{label}: {parts}") }
        })
        .collect();
    html! {
        svg.chart viewBox={ "0 0 " (WIDTH) " " (HEIGHT + 36) } role="img" aria-label={ (unit) ": " (text.join(", ")) } {
            @for (at, (label, parts)) in bars.iter().enumerate() {
                @let left = at as u64 * step + 2;
                @let total: u64 = parts.iter().sum();
                @for (part, value) in parts.iter().enumerate() {
                    @let below: u64 = parts.iter().take(part).map(|value| height(*value)).sum();
                    @let tall = height(*value);
                    rect class={ "part" (part) } x=(left) width=(width) rx="2"
                        y=((HEIGHT + 16).saturating_sub(below + tall)) height=(tall) {}
                }
                @if !label.is_empty() {
                    text x=(left + width / 2) y=(HEIGHT + 30) text-anchor="middle" { (label) }
                    text x=(left + width / 2) y=((HEIGHT + 12).saturating_sub(height(total))) text-anchor="middle" { (count(total)) }
                }
            }
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn percentiles_are_values_that_occurred() {
        let times: Vec<i64> = (1..=100).collect();
        assert_eq!([50, 90, 99].map(|part| percentile(&times, part)), [Some(50), Some(90), Some(99)]);
        assert_eq!(percentile(&[7], 99), Some(7));
        assert_eq!(percentile(&[], 50), None);
    }
}
