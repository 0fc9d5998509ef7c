//! One session: its timeline, more of it, and what can be said to its agent.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, Query, State};
use axum::response::{Html, IntoResponse, Redirect, Response};
use maud::{Markup, html};
use serde::Deserialize;
use toolgate_session::SessionId;

use super::{Frame, Place, approvals, session_id};
use crate::fault::Fault;
use crate::feed::{Page, Standing, Window};
use crate::foreign;
use crate::server::Shared;

/// Which part of the timeline.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct Part {
    /// The program whose calls are wanted; none for the timeline.
    #[serde(rename = "in")]
    program: Option<u64>,
    before: Option<u64>,
    after: Option<u64>,
}

impl Part {
    fn window(&self) -> Window {
        match (self.before, self.after) {
            (Some(before), _) => Window::Before(before),
            (None, Some(after)) => Window::After(after),
            (None, None) => Window::Last,
        }
    }
}

/// `GET /sessions/{id}`.
pub(crate) async fn show(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(part): Query<Part>,
) -> Result<Response, Fault> {
    let id = session_id(&id)?;
    let feed = shared.feeds.open(id).await?;
    let page = feed.page(None, part.window()).await?;
    let standing = feed.standing();
    let title = standing.task.as_deref().unwrap_or("Session").lines().next().unwrap_or_default().to_owned();
    let live = format!("/events?session={id}&after={}", page.head);
    let frame = Frame { title: &title, place: Place::Sessions, live: Some(live) };
    let questions: Vec<_> = shared
        .people
        .pending()
        .into_iter()
        .filter(|question| question.agent.as_deref() == Some(id.to_string().as_str()))
        .collect();
    let body = html! {
        div.session data-session=(id) data-part=(if page.after.is_some() { "middle" } else { "end" }) {
            (head(id, &title, &standing))
            div #timeline-before { (earlier(id, &page)) }
            ol.timeline #timeline aria-label="What happened" { (page.entries) }
            div #timeline-after { (later(id, &page)) }
            section.said.model.partial #partial hidden aria-label="The answer under way" {
                h3 { "Model" }
                pre.prose #partial-text {}
                p.quiet #partial-calls {}
            }
            div #questions { (approvals::list(&questions)) }
            @if shared.desk.has_model() { (composer(id, &standing)) }
        }
        button.jump #jump type="button" hidden { "To the end" }
    };
    Ok(frame.around(body).into_response())
}

fn head(id: SessionId, title: &str, standing: &Standing) -> Markup {
    html! {
        header.session-head {
            h1 { (foreign::title(title)) }
            p.quiet {
                code { (id) }
                " · " span #head-count { (standing.head) } " events"
                @if standing.is_turn_open && !standing.is_working { " · a turn is open, elsewhere or left by a crash" }
            }
        }
    }
}

fn earlier(id: SessionId, page: &Page) -> Markup {
    html! {
        @if let Some(before) = page.before {
            a.sentinel #earlier href={ "/sessions/" (id) "?before=" (before) } { "Earlier" }
        }
    }
}

fn later(id: SessionId, page: &Page) -> Markup {
    html! {
        @if let Some(after) = page.after {
            a.sentinel #later href={ "/sessions/" (id) "?after=" (after) } { "Later" }
        }
    }
}

fn composer(id: SessionId, standing: &Standing) -> Markup {
    html! {
        form.compose.sticky #composer method="post" action={ "/sessions/" (id) "/say" }
            data-working=(standing.is_working) data-send {
            label.hidden for="say" { "Say something to the agent" }
            textarea #say name="task" rows="2" required placeholder="Say something to the agent" data-submit {}
            button.main type="submit" #say-button {
                @if standing.is_working { "Steer" } @else { "Send" }
            }
            button.stop #stop-button type="submit" form="stop-form" hidden[!standing.is_working] { "Interrupt" }
        }
        form #stop-form method="post" action={ "/sessions/" (id) "/stop" } data-send {}
    }
}

/// `GET /sessions/{id}/items`: entries alone, for the script.
pub(crate) async fn items(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Query(part): Query<Part>,
) -> Result<Html<String>, Fault> {
    let id = session_id(&id)?;
    let feed = shared.feeds.open(id).await?;
    let page = feed.page(part.program, part.window()).await?;
    let fragment = html! {
        div #timeline-before {
            @if let (Some(program), Some(before)) = (part.program, page.before) {
                li.earlier {
                    a href={ "/sessions/" (id) "/items?in=" (program) "&before=" (before) } data-earlier { "Earlier calls" }
                }
            } @else {
                (earlier(id, &page))
            }
        }
        ol { (page.entries) }
        div #timeline-after { (later(id, &page)) }
    };
    Ok(Html(fragment.into_string()))
}

/// Something that is said to an agent.
#[derive(Debug, Deserialize)]
pub(crate) struct Said {
    task: String,
}

/// `POST /sessions/{id}/say`.
pub(crate) async fn say(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
    Form(Said { task }): Form<Said>,
) -> Result<Redirect, Fault> {
    let id = session_id(&id)?;
    if task.trim().is_empty() {
        return Err(Fault::unclear("Nothing was said."));
    }
    shared.desk.say(id, &task).await?;
    Ok(Redirect::to(&format!("/sessions/{id}")))
}

/// `POST /sessions/{id}/stop`.
pub(crate) async fn stop(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<String>,
) -> Result<Redirect, Fault> {
    let id = session_id(&id)?;
    if !shared.desk.interrupt(id) {
        return Err(Fault::conflict("No agent works on this session here."));
    }
    Ok(Redirect::to(&format!("/sessions/{id}")))
}
