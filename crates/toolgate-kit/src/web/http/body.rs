//! A body, decompressed and bounded while it is read.
//!
//! Both the bytes that arrive and the bytes that they expand to are counted, and reading stops at the limit: neither
//! an endless body nor a small one that expands without end costs more than the limit.

use std::io::{self, Write};

use flate2::write::MultiGzDecoder;
use hyper::header::{CONTENT_ENCODING, CONTENT_LENGTH};

use super::Reply;
use crate::web::error::WebError;
use crate::workspace::shown_text;

/// What was read of a body.
#[derive(Debug)]
pub(crate) struct Body {
    pub(crate) bytes: Vec<u8>,
    /// Whether there is more that was not read.
    pub(crate) cut: bool,
}

impl Reply {
    /// How long the body is, as the server says and as it is sent.
    pub(crate) fn declared_length(&self) -> Option<u64> {
        self.headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
    }

    /// Reads the body up to `limit` bytes.
    pub(crate) async fn read(mut self, limit: usize) -> Result<Body, WebError> {
        let mut decoder = self.decoder(limit)?;
        let mut arrived = 0_usize;
        while let Some(chunk) = self.chunk().await? {
            arrived = arrived.saturating_add(chunk.len());
            match decoder.push(&chunk) {
                Ok(()) => {}
                Err(_) if decoder.sink().full => break,
                Err(error) => return Err(self.bad(format!("the gzip data is damaged: {error}"))),
            }
            if arrived > limit {
                decoder.sink().full = true;
                break;
            }
        }
        decoder.finish().map_err(|error| self.bad(format!("the gzip data is damaged: {error}")))
    }

    fn decoder(&self, limit: usize) -> Result<Decoder, WebError> {
        let sink = Sink { bytes: Vec::new(), limit, full: false };
        let mut encodings = self.headers.get_all(CONTENT_ENCODING).iter();
        match (encodings.next().map(|value| value.as_bytes().to_ascii_lowercase()), encodings.next()) {
            (None, _) => Ok(Decoder::Plain(sink)),
            (Some(name), None) if name.is_empty() || name == b"identity" => Ok(Decoder::Plain(sink)),
            (Some(name), None) if name == b"gzip" || name == b"x-gzip" => {
                Ok(Decoder::Gzip(Box::new(MultiGzDecoder::new(sink))))
            }
            (Some(name), _) => {
                let name = shown_text(&String::from_utf8_lossy(&name));
                Err(self.bad(format!("it is compressed as `{name}`, which was not asked for")))
            }
        }
    }
}

enum Decoder {
    Plain(Sink),
    Gzip(Box<MultiGzDecoder<Sink>>),
}

impl Decoder {
    fn push(&mut self, bytes: &[u8]) -> io::Result<()> {
        match self {
            Self::Plain(sink) => sink.write_all(bytes),
            Self::Gzip(decoder) => decoder.write_all(bytes),
        }
    }

    fn sink(&mut self) -> &mut Sink {
        match self {
            Self::Plain(sink) => sink,
            Self::Gzip(decoder) => decoder.get_mut(),
        }
    }

    fn finish(mut self) -> io::Result<Body> {
        if !self.sink().full
            && let Self::Gzip(decoder) = &mut self
            && let Err(error) = decoder.try_finish()
            && !decoder.get_ref().full
        {
            return Err(error);
        }
        let sink = self.sink();
        Ok(Body { bytes: std::mem::take(&mut sink.bytes), cut: sink.full })
    }
}

/// Takes bytes up to a limit and refuses the rest.
struct Sink {
    bytes: Vec<u8>,
    limit: usize,
    full: bool,
}

impl Write for Sink {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        let room = self.limit.saturating_sub(self.bytes.len());
        match bytes.get(..room) {
            Some(fitting) if fitting.len() < bytes.len() => {
                self.bytes.extend_from_slice(fitting);
                self.full = true;
                Err(io::Error::from(io::ErrorKind::FileTooLarge))
            }
            Some(_) | None => {
                self.bytes.extend_from_slice(bytes);
                Ok(bytes.len())
            }
        }
    }

    fn flush(&mut self) -> io::Result<()> {
        Ok(())
    }
}
