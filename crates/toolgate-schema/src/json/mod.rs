//! The JSON boundary: values that are lossless by construction, and everything that is done to a whole value.
//!
//! Everything here works with explicit stacks, so that depth is bounded by memory and by stated limits, never by
//! the thread's stack (rule S4). Schemas are not known here; see `schema`.

mod compare;
mod copy;
mod decode;
mod decode_access;
mod decode_key;
mod drop;
mod encode;
mod encode_compound;
mod encode_key;
mod lossless;
mod nullable;
mod number;
mod parse;
mod parse_error;
mod parse_token;
mod print;
mod raw;
mod scan;
mod serde_value;
mod typed_error;
mod value;

pub use decode::DecodeError;
pub use encode::EncodeError;
pub use nullable::Nullable;
pub use parse::ParseLimits;
pub use parse_error::{ParseError, ParseErrorKind};
pub use print::indented_text;
pub use raw::RawJson;
pub use value::{JsonValue, NotLossless};

pub(crate) use copy::copy;
pub(crate) use lossless::is_lossless;
pub(crate) use number::{NumberKey, is_integer, is_negative_zero};
