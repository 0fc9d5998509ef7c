//! What can go wrong on the way of an answer.

use std::io;
use std::time::Duration;

use tokio::io::AsyncWriteExt as _;
use tokio::net::TcpStream;

/// Something that goes wrong with one request.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum HttpFault {
    /// Nothing.
    None,
    /// 429, with this `Retry-After`.
    Busy(&'static str),
    /// A status and a message.
    Status(&'static str, &'static str),
    /// The connection ends before the head of an answer.
    Hangup,
    /// The stream ends in the middle, as if the server had crashed.
    Cut,
    /// The same after this many bytes, wherever that is: in a line, in a character.
    CutAt(usize),
    /// The stream ends properly, and the answer does not.
    Unfinished,
    /// The bytes come in pieces of this size, which splits lines and characters.
    Split(usize),
    /// The first piece is no JSON.
    Malformed,
    /// A piece in the middle is these bytes.
    Piece(&'static [u8]),
    /// A piece says that something went wrong.
    ErrorEvent,
    /// The fragments of calls come in turns.
    Interleave,
    /// The first byte comes after this many milliseconds.
    SlowFirstByte(u64),
    /// The stream says something and then nothing.
    Silence,
}

/// Answers a request that gets no events; false where it gets some.
pub(super) async fn refuses(fault: &HttpFault, stream: &mut TcpStream) -> io::Result<bool> {
    match fault {
        HttpFault::Busy(after) => {
            let header = format!("Retry-After: {after}\r\n");
            let body = r#"{"error":{"message":"too many requests"}}"#;
            respond(stream, "429 Too Many Requests", &header, body).await?;
        }
        HttpFault::Status(status, message) => {
            let body = serde_json::json!({ "error": { "message": message } }).to_string();
            respond(stream, status, "", &body).await?;
        }
        HttpFault::Hangup => {}
        HttpFault::SlowFirstByte(milliseconds) => {
            tokio::time::sleep(Duration::from_millis(*milliseconds)).await;
            return Ok(false);
        }
        HttpFault::None
        | HttpFault::Cut
        | HttpFault::CutAt(_)
        | HttpFault::Piece(_)
        | HttpFault::Unfinished
        | HttpFault::Split(_)
        | HttpFault::Malformed
        | HttpFault::ErrorEvent
        | HttpFault::Interleave
        | HttpFault::Silence => return Ok(false),
    }
    Ok(true)
}

/// A whole answer.
pub(super) async fn respond(
    stream: &mut TcpStream,
    status: &str,
    headers: &str,
    body: &str,
) -> io::Result<()> {
    let length = body.len();
    let head = format!(
        "HTTP/1.1 {status}\r\nContent-Type: application/json\r\n{headers}Content-Length: {length}\r\nConnection: close\r\n\r\n"
    );
    stream.write_all(head.as_bytes()).await?;
    stream.write_all(body.as_bytes()).await?;
    stream.shutdown().await
}

/// A stream of events, or what the fault makes of it.
pub(super) async fn stream(
    stream: &mut TcpStream,
    events: &[String],
    fault: Option<&HttpFault>,
) -> io::Result<()> {
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nTransfer-Encoding: chunked\r\nConnection: close\r\n\r\n";
    stream.write_all(head.as_bytes()).await?;
    let half = events.len() / 2;
    let kept = match fault {
        Some(HttpFault::Cut | HttpFault::Unfinished | HttpFault::Silence) => half,
        _ => events.len(),
    };
    let mut text: String = events.iter().take(kept).map(String::as_str).collect();
    match fault {
        Some(HttpFault::Malformed) => text.insert_str(0, "data: {\"choices\":[{\"delta\":{\"content\":\n\n"),
        Some(HttpFault::ErrorEvent) => {
            text = "event: error\ndata: {\"type\":\"error\",\"error\":{\"message\":\"the model is overloaded\"}}\n\n".to_owned();
        }
        _ => {}
    }
    let mut bytes = text.into_bytes();
    match fault {
        Some(HttpFault::Piece(piece)) => {
            let before: usize = events.iter().take(half).map(String::len).sum();
            let whole = [b"data: ".as_slice(), piece, b"\n\n"].concat();
            bytes.splice(before..before, whole);
        }
        Some(HttpFault::CutAt(kept)) => bytes.truncate(*kept),
        _ => {}
    }
    let size = if let Some(HttpFault::Split(size)) = fault { *size } else { bytes.len().max(1) };
    for piece in bytes.chunks(size) {
        stream.write_all(format!("{:x}\r\n", piece.len()).as_bytes()).await?;
        stream.write_all(piece).await?;
        stream.write_all(b"\r\n").await?;
        stream.flush().await?;
    }
    match fault {
        Some(HttpFault::Silence) => std::future::pending().await,
        Some(HttpFault::Cut | HttpFault::CutAt(_)) => Ok(()),
        _ => {
            stream.write_all(b"0\r\n\r\n").await?;
            stream.shutdown().await
        }
    }
}
