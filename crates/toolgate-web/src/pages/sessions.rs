//! The list of sessions, and how a new one begins.

use std::sync::Arc;

use axum::Form;
use axum::extract::{RawQuery, State};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;

use super::summary::Summary;
use super::{Frame, Place};
use crate::fault::Fault;
use crate::feed::off_thread;
use crate::foreign;
use crate::length::count;
use crate::server::Shared;

/// How many sessions are looked through.
const MOST_SEARCHED: usize = 1_000;

/// How many are shown.
const MOST_SHOWN: usize = 100;

/// How a session is, for the filter.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
enum Condition {
    Working,
    Asking,
    Open,
    Settled,
    Damaged,
}

impl Condition {
    const ALL: [Self; 5] = [Self::Working, Self::Asking, Self::Open, Self::Settled, Self::Damaged];

    fn word(self) -> &'static str {
        match self {
            Self::Working => "working",
            Self::Asking => "waits for you",
            Self::Open => "open",
            Self::Settled => "at rest",
            Self::Damaged => "damaged",
        }
    }

    fn class(self) -> &'static str {
        match self {
            Self::Working => "live",
            Self::Asking => "asks",
            Self::Open | Self::Settled => "off",
            Self::Damaged => "bad",
        }
    }
}

/// What is looked for.
#[derive(Default)]
struct Search {
    words: String,
    condition: Option<Condition>,
}

impl Search {
    fn read(query: &str) -> Self {
        let mut search = Self::default();
        for (name, value) in form_urlencoded::parse(query.as_bytes()) {
            match &*name {
                "q" => {
                    let seen = value.chars().filter(|c| !toolgate::text::is_hidden(*c));
                    search.words = seen.take(200).collect();
                }
                "state" => search.condition = Condition::ALL.into_iter().find(|each| each.word() == value),
                _ => {}
            }
        }
        search
    }

    fn fits(&self, summary: &Summary, condition: Condition) -> bool {
        let text =
            format!("{} {} {}", summary.task, summary.id, summary.model.as_deref().unwrap_or_default());
        let text = text.to_lowercase();
        self.condition.is_none_or(|wanted| wanted == condition)
            && self.words.to_lowercase().split_whitespace().all(|word| text.contains(word))
    }
}

fn condition(shared: &Shared, summary: &Summary, asking: &[String]) -> Condition {
    if asking.contains(&summary.id.to_string()) {
        Condition::Asking
    } else if shared.desk.is_working(summary.id) {
        Condition::Working
    } else if !summary.is_sound {
        Condition::Damaged
    } else if summary.is_settled {
        Condition::Settled
    } else {
        Condition::Open
    }
}

/// The rows of the list, for the query of a page.
pub(crate) async fn list(shared: &Arc<Shared>, query: &str) -> String {
    let search = Search::read(query);
    let reading = Arc::clone(shared);
    let newest = off_thread(move || reading.summaries.newest(&*reading.backend, MOST_SEARCHED)).await;
    let (summaries, all) = match newest {
        Ok(newest) => newest,
        Err(error) => {
            return html! { p.failure { "The sessions cannot be listed: " (foreign::text(&error.to_string())) } }
                .into_string();
        }
    };
    let asking: Vec<String> =
        shared.people.pending().iter().filter_map(|question| question.agent.clone()).collect();
    let rows: Vec<_> = summaries
        .iter()
        .map(|summary| (summary, condition(shared, summary, &asking)))
        .filter(|(summary, condition)| search.fits(summary, *condition))
        .collect();
    let shown = rows.len().min(MOST_SHOWN);
    html! {
        @if rows.is_empty() {
            p.empty { @if all == 0 { "No sessions yet. Say what there is to do, and one begins." } @else { "None fits." } }
        }
        ul.sessions {
            @for (summary, condition) in rows.iter().take(MOST_SHOWN) { (row(summary, *condition)) }
        }
        @if !rows.is_empty() {
            p.more {
                "Showing " (shown) " of " (rows.len())
                @if all > summaries.len() { " found in the newest " (summaries.len()) " of " (all) }
            }
        }
    }
    .into_string()
}

fn row(summary: &Summary, condition: Condition) -> Markup {
    let task = if summary.task.is_empty() { "(nothing was said)" } else { summary.task.as_str() };
    html! {
        li {
            a href={ "/sessions/" (summary.id) } {
                span.task { (foreign::title(task)) }
                span.about {
                    span.pill.(condition.class()) { (condition.word()) }
                    @if let Some(model) = &summary.model { span { (foreign::title(model)) } }
                    span { (count(summary.records)) " events" }
                    time datetime=(summary.time) data-time { (summary.time.get(..16).unwrap_or_default().replace('T', " ")) }
                }
            }
        }
    }
}

/// `GET /`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>, RawQuery(query): RawQuery) -> Response {
    let query = query.unwrap_or_default();
    let search = Search::read(&query);
    let live =
        format!("/events?list={}", form_urlencoded::byte_serialize(query.as_bytes()).collect::<String>());
    let list = list(&shared, &query).await;
    let frame = Frame { title: "Sessions", place: Place::Sessions, live: Some(live) };
    let body = html! {
        h1 { "Sessions" }
        @if shared.desk.has_model() {
        form.compose method="post" action="/sessions" {
            label.hidden for="task" { "What is there to do?" }
            textarea #task name="task" rows="2" required placeholder="What is there to do?" data-submit {}
            button.main type="submit" { "Begin" }
        }
        } @else {
            p.quiet.intro { "Sessions can be watched here. To begin some, start " code { "toolgate web" } " with a model." }
        }
        form.filter method="get" action="/" role="search" {
            label.hidden for="q" { "Search" }
            input #q type="search" name="q" value=(search.words) placeholder="Search" ;
            label.hidden for="state" { "State" }
            select #state name="state" data-submit {
                option value="" { "every state" }
                @for each in Condition::ALL {
                    option value=(each.word()) selected[search.condition == Some(each)] { (each.word()) }
                }
            }
            button type="submit" { "Find" }
        }
        div #list { (maud::PreEscaped(list)) }
        form.foot method="post" action="/links" {
            button.plain type="submit" { "A link for another browser" }
        }
    };
    frame.around(body).into_response()
}

/// A message.
#[derive(Debug, Deserialize)]
pub(crate) struct Task {
    task: String,
}

/// `POST /sessions`.
pub(crate) async fn begin(
    State(shared): State<Arc<Shared>>,
    Form(Task { task }): Form<Task>,
) -> Result<Redirect, Fault> {
    if task.trim().is_empty() {
        return Err(Fault::unclear("There is nothing to do.\nhint: say what the agent should do"));
    }
    let id = shared.desk.begin(&task).await?;
    Ok(Redirect::to(&format!("/sessions/{id}")))
}

/// `POST /links`.
pub(crate) async fn link(State(shared): State<Arc<Shared>>) -> Result<Response, Fault> {
    let link = shared.gate.link().map_err(|error| Fault::failed(error.to_string()))?;
    let frame = Frame { title: "A link for another browser", place: Place::Nowhere, live: None };
    let body = html! {
        h1 { "A link for another browser" }
        p { "Open it there. It is good for one use, and gives everything that this page can do." }
        pre.block tabindex="0" role="group" aria-label="Link" { (link) }
    };
    Ok(frame.around(body).into_response())
}
