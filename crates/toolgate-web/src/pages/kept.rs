//! Long texts, page by page: the whole content of a record, and what was kept aside of an oversized result.

use std::sync::Arc;

use axum::extract::{Path, Query, State};
use axum::response::{IntoResponse, Response};
use maud::{Markup, html};
use serde::Deserialize;
use serde_json::{Value, json};
use toolgate::{ContentBlock, JsonValue};

use super::{Frame, Place, session_id, tools};
use crate::card::said;
use crate::fault::Fault;
use crate::foreign;
use crate::length::count;
use crate::server::Shared;

/// How many bytes of a record a page has.
const PAGE: usize = 64 << 10;

/// How far earlier text begins at least.
const LEAST: u64 = 4 << 10;

/// The tool that reads what was kept aside.
const READER: &str = "spill_read";

/// Where to begin.
#[derive(Debug, Default, Deserialize)]
pub(crate) struct From {
    #[serde(default)]
    offset: u64,
}

/// A piece of a text.
struct Piece<'a> {
    text: &'a str,
    offset: u64,
    end: u64,
    total: u64,
}

impl Piece<'_> {
    /// The piece with the ways to those around it.
    fn shown(&self, address: &str, title: &str, back: &str) -> Markup {
        let before = self.offset.saturating_sub(self.end.saturating_sub(self.offset).max(LEAST));
        html! {
            p { a href=(back) { "← Session" } }
            h1 { (title) }
            p.quiet { "Bytes " (count(self.offset)) " to " (count(self.end)) " of " (count(self.total)) }
            (self.ways(address, before))
            pre.block.whole tabindex="0" role="group" aria-label="Text" { (foreign::text(self.text)) }
            (self.ways(address, before))
        }
    }

    fn ways(&self, address: &str, before: u64) -> Markup {
        html! {
            p.ways {
                @if self.offset > 0 { a href={ (address) "?offset=" (before) } { "Earlier" } }
                @if self.end < self.total { a href={ (address) "?offset=" (self.end) } { "Later" } }
            }
        }
    }
}

/// `GET /sessions/{id}/text/{seq}`: what a record says.
pub(crate) async fn text(
    State(shared): State<Arc<Shared>>,
    Path((id, seq)): Path<(String, u64)>,
    Query(from): Query<From>,
) -> Result<Response, Fault> {
    let id = session_id(&id)?;
    let feed = shared.feeds.open(id).await?;
    let record = feed.record(seq).await?.ok_or_else(|| Fault::missing("such record"))?;
    let blocks = said(&record.event).iter().filter_map(ContentBlock::as_text);
    let whole = blocks.collect::<Vec<_>>().join("\n");
    let start = usize::try_from(from.offset).unwrap_or(usize::MAX);
    let start = whole.ceil_char_boundary(start.min(whole.len()));
    let rest = whole.get(start..).unwrap_or_default();
    let (text, left) = foreign::beginning(rest, PAGE);
    let total = whole.len() as u64;
    let piece = Piece { text, offset: start as u64, end: total - left as u64, total };
    let address = format!("/sessions/{id}/text/{seq}");
    let frame = Frame { title: "The whole text", place: Place::Sessions, live: None };
    Ok(frame
        .around(piece.shown(&address, "The whole text", &format!("/sessions/{id}#i{seq}")))
        .into_response())
}

/// `GET /sessions/{id}/kept/{handle}`: what was kept aside, read by the tool that a model reads it with, under the same
/// policy.
pub(crate) async fn kept(
    State(shared): State<Arc<Shared>>,
    Path((id, handle)): Path<(String, String)>,
    Query(from): Query<From>,
) -> Result<Response, Fault> {
    let id = session_id(&id)?;
    shared.feeds.open(id).await?;
    // As much at a time as the tool gives.
    let wanted = json!({ "handle": handle, "offset": from.offset });
    let arguments = JsonValue::new(wanted).map_err(|_| Fault::unclear("That is no handle."))?;
    let stop = shared.stop.child_token();
    let _leaves = stop.clone().drop_guard();
    let result = tools::execute(&shared, &id.to_string(), READER, arguments, stop).await?;
    let Some(value) = result.value() else {
        let message = result.error().map(|error| error.message().to_owned()).unwrap_or_default();
        return Err(Fault::conflict(format!("What was kept cannot be read: {message}")));
    };
    let number = |name: &str| value.get(name).and_then(Value::as_u64).unwrap_or_default();
    let text = value.get("text").and_then(Value::as_str).unwrap_or_default();
    let piece = Piece { text, offset: number("offset"), end: number("end"), total: number("total") };
    let frame = Frame { title: "What was cut", place: Place::Sessions, live: None };
    let address = format!("/sessions/{id}/kept/{handle}");
    Ok(frame.around(piece.shown(&address, "What was cut", &format!("/sessions/{id}"))).into_response())
}
