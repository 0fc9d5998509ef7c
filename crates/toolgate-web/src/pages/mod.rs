//! The pages: what a person sees and can do. Each file is one page, with what its forms send.
//!
//! A page is whole without its script; the script keeps it up to date.

pub(crate) mod approvals;
mod form;
pub(crate) mod kept;
pub(crate) mod policy;
pub(crate) mod session;
pub(crate) mod sessions;
pub(crate) mod statistics;
mod summary;
pub(crate) mod tools;

use std::str::FromStr as _;

use axum::response::Html;
use maud::{DOCTYPE, Markup, html};
use toolgate_session::SessionId;

use crate::fault::Fault;
pub(crate) use summary::Summaries;

/// Which entry of the navigation a page is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) enum Place {
    Sessions,
    Approvals,
    Tools,
    Policy,
    Statistics,
    /// None of them.
    Nowhere,
}

const NAVIGATION: [(Place, &str, &str); 5] = [
    (Place::Sessions, "/", "Sessions"),
    (Place::Approvals, "/approvals", "Approvals"),
    (Place::Tools, "/tools", "Tools"),
    (Place::Policy, "/policy", "Policy"),
    (Place::Statistics, "/statistics", "Statistics"),
];

/// What is around a page.
pub(crate) struct Frame<'a> {
    pub(crate) title: &'a str,
    pub(crate) place: Place,
    /// The event stream that keeps it up to date.
    pub(crate) live: Option<String>,
}

impl Frame<'_> {
    /// A whole page.
    pub(crate) fn around(&self, body: Markup) -> Html<String> {
        let page = html! {
            (DOCTYPE)
            html lang="en" {
                head {
                    meta charset="utf-8";
                    meta name="viewport" content="width=device-width, initial-scale=1";
                    meta name="color-scheme" content="light dark";
                    title { (crate::foreign::title(self.title)) " · Toolgate" }
                    link rel="icon" href="/assets/icon.svg" type="image/svg+xml";
                    link rel="stylesheet" href="/assets/page.css";
                    script src="/assets/page.js" defer {}
                }
                body data-live=[self.live.as_deref()] {
                    a.skip href="#main" { "Skip to the page" }
                    header.top {
                        a.brand href="/" { svg.logo viewBox="0 0 24 24" width="22" height="22" aria-hidden="true" {
                            path d="M4 20V9a8 8 0 0 1 16 0v11" {} path d="M9 20v-8a3 3 0 0 1 6 0v8" {}
                        } "Toolgate" }
                        nav aria-label="Pages" {
                            @for (place, address, name) in NAVIGATION {
                                a href=(address) aria-current=[(place == self.place).then_some("page")] {
                                    (name)
                                    @if place == Place::Approvals { span.badge #open-questions hidden {} }
                                }
                            }
                        }
                        span.link #link role="status" { "" }
                    }
                    main #main tabindex="-1" { (body) }
                }
            }
        };
        Html(page.into_string())
    }
}

/// Reads the name of a session. Nothing else can become a part of a path.
pub(crate) fn session_id(text: &str) -> Result<SessionId, Fault> {
    SessionId::from_str(text).map_err(|_| Fault::missing("such session"))
}
