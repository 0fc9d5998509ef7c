//! The open questions, and their answers. Every page shows those that concern it.

use std::sync::Arc;

use axum::Form;
use axum::extract::{Path, State};
use axum::response::{IntoResponse, Redirect, Response};
use maud::{Markup, html};
use toolgate_policy::person::{Answer, AnswerRefused, Asking, Question, Remember, Remembered};

use super::{Frame, Place};
use crate::card::json;
use crate::fault::Fault;
use crate::foreign;
use crate::server::Shared;

/// Who answers, in events.
const PAGE: &str = "web";

/// Questions with the ways to answer them. Their texts are made for eyes already, and are shown whole.
pub(crate) fn list(questions: &[Arc<Question>]) -> Markup {
    html! { @for question in questions { (one(question)) } }
}

fn one(question: &Question) -> Markup {
    let is_sub_call = question.call_id != question.root_call_id;
    html! {
        article.question id={ "q" (question.id) } aria-label="A question for you" {
            @match &question.asking {
                Asking::Approval { title, shown, reason, rules, .. } => {
                    header {
                        h2 { "May this run? " span.what { (foreign::title(title)) } }
                        p.quiet {
                            span.tool { (question.tool) }
                            @if is_sub_call { " · called by a program" }
                            (place(question))
                        }
                    }
                    @if let Some(reason) = reason { p.why { (foreign::text(reason)) } }
                    (arguments(shown))
                    form.answers method="post" action={ "/approvals/" (question.id) } data-send {
                        button.main type="submit" name="answer" value="allow" data-key="y" { "Allow once " kbd { "Y" } }
                        @for (at, rule) in rules.iter().enumerate() {
                            button type="submit" name="answer" value={ "rule-" (at) } data-key=[(at < 9).then(|| (at + 1).to_string())] {
                                "Allow from now on " code { (rule) } @if at < 9 { " " kbd { (at + 1) } }
                            }
                        }
                        button.stop type="submit" name="answer" value="reject" data-key="n" { "Reject " kbd { "N" } }
                    }
                }
                Asking::Choice { question: text, options, is_multiple } => {
                    header { h2 { "A question for you" } p.quiet { span.tool { (question.tool) } (place(question)) } }
                    p.asked { (foreign::text(text)) }
                    form.answers method="post" action={ "/approvals/" (question.id) } data-send {
                        @if !options.is_empty() {
                            fieldset {
                                legend.hidden { "Choices" }
                                @for (at, option) in options.iter().enumerate() {
                                    label.choice {
                                        input type=(if *is_multiple { "checkbox" } else { "radio" }) name="option" value=(at);
                                        span { (option) }
                                    }
                                }
                            }
                        }
                        label for={ "reply" (question.id) } { "In your own words" }
                        input id={ "reply" (question.id) } type="text" name="text" autocomplete="off";
                        button.main type="submit" name="answer" value="reply" { "Answer" }
                        button.stop type="submit" name="answer" value="reject" { "No answer" }
                    }
                }
            }
        }
    }
}

/// The arguments, whole, in colours where they are not too many.
fn arguments(shown: &str) -> Markup {
    html! {
        @if shown.len() <= foreign::MOST_SHOWN { (json(shown, "Arguments")) }
        @else { pre.block tabindex="0" role="group" aria-label="Arguments" { (shown) } }
    }
}

/// The session that asks.
fn place(question: &Question) -> Markup {
    let session = question.agent.as_deref().and_then(|agent| super::session_id(agent).ok());
    html! { @if let Some(session) = session { " · " a href={ "/sessions/" (session) } { "session" } } }
}

/// `GET /approvals`.
pub(crate) async fn show(State(shared): State<Arc<Shared>>) -> Response {
    let live = Some("/events?questions=true".to_owned());
    let frame = Frame { title: "Approvals", place: Place::Approvals, live };
    let body = html! {
        h1 { "Approvals" }
        p.quiet.intro {
            "What waits for a person. Keys answer the first question: " kbd { "Y" } " allows once, " kbd { "1" } " to "
            kbd { "9" } " allow by a rule until the session ends, " kbd { "N" } " rejects."
        }
        div #questions { (list(&shared.people.pending())) }
        p.empty #no-questions { "Nothing waits for you." }
    };
    frame.around(body).into_response()
}

/// `POST /approvals/{id}`.
pub(crate) async fn answer(
    State(shared): State<Arc<Shared>>,
    Path(id): Path<u64>,
    Form(pairs): Form<Vec<(String, String)>>,
) -> Result<Redirect, Fault> {
    let questions = shared.people.pending();
    let gone = || Fault::conflict("This question was answered or withdrawn already.");
    let question =
        questions.iter().find(|question| question.id.to_string() == id.to_string()).ok_or_else(gone)?;
    let answer = read(&pairs).ok_or_else(|| Fault::unclear("That is no answer to this question."))?;
    match shared.people.answer(question.id, answer, PAGE) {
        Ok(()) => Ok(Redirect::to("/approvals")),
        Err(AnswerRefused::NotPending) => Err(gone()),
        Err(error @ AnswerRefused::DoesNotFit(_)) => Err(Fault::unclear(error.to_string())),
    }
}

fn read(pairs: &[(String, String)]) -> Option<Answer> {
    let values = |name: &'static str| {
        pairs.iter().filter(move |(key, _)| key == name).map(|(_, value)| value.as_str())
    };
    match values("answer").next()? {
        "allow" => Some(Answer::allow_once()),
        "reject" => Some(Answer::Reject),
        "reply" => {
            let options: Option<Vec<usize>> = values("option").map(|at| at.parse().ok()).collect();
            let options = options?;
            let text = values("text").next().unwrap_or_default().trim();
            match (text, options.is_empty()) {
                ("", true) => None,
                ("", false) => Some(Answer::Choose { options }),
                (text, _) => Some(Answer::Reply { text: text.to_owned() }),
            }
        }
        rule => {
            let at = rule.strip_prefix("rule-")?.parse().ok()?;
            let remember = Remember { what: Remembered::Rule(at), uses: None, seconds: None };
            Some(Answer::Allow { remember: Some(remember) })
        }
    }
}
