//! Fetches a page: redirects, the deadline, the type of the content, and the text in it.

use hyper::StatusCode;
use hyper::header::{CONTENT_TYPE, LOCATION};
use toolgate::{Cancellation, ToolError};

use super::content::{ContentType, Format, decode};
use super::types::{WebFetchArgs, WebFetchOutput};
use crate::blocking::run_blocking;
use crate::stop::{Stop, Stopped};
use crate::web::config::WebConfig;
use crate::web::error::WebError;
use crate::web::html::{Page, read_page};
use crate::web::http::{Body, HttpClient, Reply, Target};
use crate::workspace::shown_text;

/// What is asked for: pages that are text already before those that have to be converted.
const ACCEPT: &str = "text/markdown, text/html;q=0.9, application/xhtml+xml;q=0.9, text/plain;q=0.8, \
                      application/json;q=0.8, application/xml;q=0.7, */*;q=0.1";

/// A body that is text, as it arrived.
struct Arrived {
    target: Target,
    status: StatusCode,
    content_type: ContentType,
    format: Format,
    body: Body,
}

/// Fetches the page of the arguments. The socket is closed when this ends or is dropped.
pub(super) async fn fetch(
    client: &HttpClient,
    config: &WebConfig,
    args: WebFetchArgs,
    cancellation: &Cancellation,
) -> Result<WebFetchOutput, ToolError> {
    let target = Target::parse(&args.url).map_err(WebError::into_tool_error)?;
    let timed_out = || WebError::TimedOut { url: target.shown(), limit: config.timeout };
    let arriving = tokio::time::timeout(config.timeout, arrive(client, config, target.clone()));
    let arrived = tokio::select! {
        biased;
        () = cancellation.cancelled() => return Err(ToolError::aborted()),
        arrived = arriving => arrived.unwrap_or_else(|_| Err(timed_out())).map_err(WebError::into_tool_error)?,
    };
    let (limit, most) = (config.max_bytes, config.max_characters);
    let offset = args.offset.unwrap_or(0);
    let read =
        run_blocking(cancellation, move |stop| Ok(window(arrived, limit, offset, most, stop)?)).await?;
    read.map_err(WebError::into_tool_error)
}

/// Follows redirects to a body of text, and reads it.
async fn arrive(client: &HttpClient, config: &WebConfig, mut target: Target) -> Result<Arrived, WebError> {
    let mut followed = 0;
    loop {
        let reply = client.get(&target, ACCEPT, None).await?;
        let Some(location) = location(&reply) else { return read(reply, config, target).await };
        if followed == config.max_redirects {
            return Err(WebError::RedirectRefused {
                from: target.shown(),
                to: shown_text(&location),
                why: format!("{followed} redirects were followed already"),
                hint: "the site sends its readers in circles; use another source",
            });
        }
        followed = followed.saturating_add(1);
        target = target.redirected(&location)?;
    }
}

/// Where a redirect points to; what names no place is a page like any other.
fn location(reply: &Reply) -> Option<String> {
    let redirects = matches!(reply.status.as_u16(), 301 | 302 | 303 | 307 | 308);
    let location = reply.headers.get(LOCATION).filter(|_| redirects)?;
    Some(String::from_utf8_lossy(location.as_bytes()).into_owned())
}

async fn read(reply: Reply, config: &WebConfig, target: Target) -> Result<Arrived, WebError> {
    let header = reply.headers.get(CONTENT_TYPE).map(|value| String::from_utf8_lossy(value.as_bytes()));
    let content_type = ContentType::parse(header.as_deref().unwrap_or_default());
    let Some(format) = content_type.format() else {
        let size = reply.declared_length().map(|bytes| format!(", {bytes} bytes")).unwrap_or_default();
        let what = format!("the server sends {}{size}", shown_text(&content_type.essence));
        return Err(WebError::NotText { url: target.shown(), what });
    };
    let status = reply.status;
    let body = reply.read(config.max_bytes).await?;
    Ok(Arrived { target, status, content_type, format, body })
}

/// The part of the text that was asked for. Blocking work, linear in the body.
fn window(
    arrived: Arrived,
    limit: usize,
    offset: u64,
    most: usize,
    stop: &Stop,
) -> Result<Result<WebFetchOutput, WebError>, Stopped> {
    let Arrived { target, status, content_type, format, body: Body { bytes, cut } } = arrived;
    let read_bytes = bytes.len() as u64;
    let Some((text, format)) = decode(bytes, &content_type, format, cut) else {
        let what = "it holds NUL characters".to_owned();
        return Ok(Err(WebError::NotText { url: target.shown(), what }));
    };
    let Page { title, markdown: text, cut: text_cut } = match format {
        Format::Html => read_page(&text, Some(target.url()), limit, stop)?,
        Format::Xml | Format::Plain | Format::Unknown => Page { title: None, markdown: text, cut: false },
    };
    let total = text.chars().count();
    let skipped = usize::try_from(offset).unwrap_or(usize::MAX);
    let text: String = text.chars().skip(skipped).take(most).collect();
    let shown = skipped.saturating_add(text.chars().count());
    Ok(Ok(WebFetchOutput {
        url: target.url().to_string(),
        status_code: status.as_u16(),
        content_type: shown_text(&content_type.essence),
        title,
        text,
        offset,
        total_characters: total as u64,
        truncated: shown < total || cut || text_cut,
        cut_at_bytes: (cut || text_cut).then_some(read_bytes),
    }))
}
