//! Asking a server for its tools: page after page, bounded in time, pages, tools and bytes, and never in circles (K41).

use std::collections::HashSet;
use std::time::Duration;

use rmcp::model::{ClientRequest, ListToolsRequest, PaginatedRequestParams, ServerResult};
use rmcp::service::{Peer, PeerRequestOptions, RoleClient, ServiceError};
use serde_json::Value;
use tokio::time::{Instant, timeout_at};

use super::offer::{Offer, Unusable};

/// How many pages are asked for.
const MOST_PAGES: usize = 500;
/// How many pages may follow each other that bring no tool.
const MOST_EMPTY_PAGES: usize = 10;
/// How many tools one server may have.
const MOST_TOOLS: usize = 2_000;
/// How much text all tools of a server may be, in bytes.
const MOST_BYTES: usize = 16 << 20;
/// The longest cursor, in bytes.
const MOST_CURSOR_BYTES: usize = 64 << 10;

/// What a server offers, as far as it was read.
#[derive(Debug, Default, PartialEq)]
pub(crate) struct Discovery {
    /// The tools that can be used, in the server's order, each name once.
    pub(crate) offers: Vec<Offer>,
    /// The tools that cannot.
    pub(crate) unusable: Vec<Unusable>,
    /// Why the list may not be all of it.
    pub(crate) warning: Option<String>,
}

/// Why there is no list.
#[derive(Debug, thiserror::Error)]
pub(crate) enum DiscoveryError {
    #[error("asking for its tools failed: {0}")]
    Refused(#[from] Box<ServiceError>),
    #[error("it did not list its tools within {} ms", .0.as_millis())]
    TimedOut(Duration),
    #[error("what it answered is no list of tools")]
    NoList,
}

/// Asks for all tools. What came before a limit was met is kept, with a warning; where nothing came, it is an error.
pub(crate) async fn discover(
    peer: &Peer<RoleClient>,
    patience: Duration,
) -> Result<Discovery, DiscoveryError> {
    let deadline = Instant::now() + patience;
    let mut reading = Reading::default();
    let mut cursor: Option<String> = None;
    for page in 0.. {
        if page == MOST_PAGES {
            return Ok(reading.stopped(format!("it lists its tools on more than {MOST_PAGES} pages")));
        }
        let answer = match timeout_at(deadline, ask(peer, cursor.take())).await {
            Ok(answer) => answer?,
            Err(_) if page > 0 => {
                return Ok(
                    reading.stopped(format!("it did not list all tools within {} ms", patience.as_millis()))
                );
            }
            Err(_) => return Err(DiscoveryError::TimedOut(patience)),
        };
        if let Some(warning) = reading.page(&answer)? {
            return Ok(reading.stopped(warning));
        }
        match answer.get("nextCursor") {
            None | Some(Value::Null) => return Ok(reading.found),
            Some(Value::String(next)) if next.is_empty() => {
                return Ok(reading.stopped("it names an empty cursor for the next page".to_owned()));
            }
            Some(Value::String(next)) if next.len() <= MOST_CURSOR_BYTES => {
                if !reading.cursors.insert(next.clone()) {
                    return Ok(reading.stopped("its pages go round in a circle".to_owned()));
                }
                cursor = Some(next.clone());
            }
            Some(_) => return Ok(reading.stopped("its cursor is no text of a reasonable length".to_owned())),
        }
    }
    Ok(reading.found)
}

async fn ask(peer: &Peer<RoleClient>, cursor: Option<String>) -> Result<Value, DiscoveryError> {
    let params = cursor.map(|cursor| PaginatedRequestParams::default().with_cursor(Some(cursor)));
    let request = ClientRequest::ListToolsRequest(ListToolsRequest { params, ..ListToolsRequest::default() });
    let handle =
        peer.send_cancellable_request(request, PeerRequestOptions::no_options()).await.map_err(Box::new)?;
    let result: ServerResult = handle.await_response().await.map_err(Box::new)?;
    // One tool that is not as the protocol says makes the typed reading fail for a whole page, so each is read alone.
    serde_json::to_value(&result).map_err(|_| DiscoveryError::NoList)
}

#[derive(Default)]
struct Reading {
    found: Discovery,
    names: HashSet<String>,
    cursors: HashSet<String>,
    bytes: usize,
    empty_pages: usize,
}

impl Reading {
    /// Takes the tools of one page. Says why no further page is asked for, where that is so.
    fn page(&mut self, page: &Value) -> Result<Option<String>, DiscoveryError> {
        let tools = page.get("tools").and_then(Value::as_array).ok_or(DiscoveryError::NoList)?;
        self.empty_pages = if tools.is_empty() { self.empty_pages + 1 } else { 0 };
        if self.empty_pages > MOST_EMPTY_PAGES {
            return Ok(Some(format!("more than {MOST_EMPTY_PAGES} pages in a row have no tool")));
        }
        for tool in tools {
            if self.found.offers.len() + self.found.unusable.len() >= MOST_TOOLS {
                return Ok(Some(format!("it has more than {MOST_TOOLS} tools")));
            }
            match Offer::read(tool) {
                Ok(offer) if self.names.contains(&offer.name) => {}
                Ok(offer) => {
                    self.bytes += offer.bytes();
                    if self.bytes > MOST_BYTES {
                        return Ok(Some("its tools are more than 16 MiB of text".to_owned()));
                    }
                    self.names.insert(offer.name.clone());
                    self.found.offers.push(offer);
                }
                Err(unusable) => self.found.unusable.push(unusable),
            }
        }
        Ok(None)
    }

    fn stopped(self, warning: String) -> Discovery {
        Discovery { warning: Some(format!("{warning}; what came before that is used")), ..self.found }
    }
}
