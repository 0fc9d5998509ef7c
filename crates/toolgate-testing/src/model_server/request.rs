//! A request as it comes over the socket.

use std::io;

use serde_json::Value;
use tokio::io::AsyncReadExt as _;
use tokio::net::TcpStream;

use crate::provider_rules::Dialect;

/// A request.
pub(super) struct Received {
    pub(super) dialect: Dialect,
    pub(super) body: Value,
}

/// Reads one request.
pub(super) async fn read(stream: &mut TcpStream) -> io::Result<Received> {
    let mut bytes = Vec::new();
    let head_end = loop {
        if let Some(at) = bytes.windows(4).position(|window| window == b"\r\n\r\n") {
            break at + 4;
        }
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    };
    let head = String::from_utf8_lossy(bytes.get(..head_end).unwrap_or_default()).to_ascii_lowercase();
    let length =
        head.lines().find_map(|line| line.strip_prefix("content-length:")?.trim().parse::<usize>().ok());
    let length = length.unwrap_or_default();
    while bytes.len() < head_end + length {
        if stream.read_buf(&mut bytes).await? == 0 {
            return Err(io::ErrorKind::UnexpectedEof.into());
        }
    }
    let dialect = if head.starts_with("post /v1/messages ") { Dialect::Messages } else { Dialect::Chat };
    let body = serde_json::from_slice(bytes.get(head_end..).unwrap_or_default())?;
    Ok(Received { dialect, body })
}

/// How many answers the conversation holds already.
pub(super) fn answers_so_far(body: &Value) -> usize {
    body["messages"]
        .as_array()
        .map_or(0, |messages| messages.iter().filter(|message| message["role"] == "assistant").count())
}

/// What the conversation begins with, as the JSON that it is.
pub(super) fn first_message(body: &Value) -> String {
    let messages = body["messages"].as_array().map_or(&[][..], Vec::as_slice);
    let said = messages.iter().find(|message| message["role"] == "user");
    said.map(|message| message["content"].to_string()).unwrap_or_default()
}
