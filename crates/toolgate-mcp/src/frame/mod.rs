//! What a server sends, one JSON-RPC message at a time, before `rmcp` parses it.
//!
//! Both transports read through here. `rmcp` parses with serde, which stops at 128 levels, rounds large integers and keeps
//! the last of two equal keys, and would end a whole connection over one of them. So every message is bounded while it is
//! read (`lines`), judged by the project's own parser (`judge`, with `page` for lists of tools), and where it cannot be
//! taken, the one request that it answers fails with the reason and the path. `skim` finds out which request that is when
//! a message is too long or too broken to be parsed, `outline` takes a broken list apart. `ledger` knows what was asked,
//! and keeps the answers of tools as they were sent. Nothing here opens or writes to a connection.

mod judge;
mod ledger;
mod limits;
mod lines;
pub(crate) mod outline;
mod page;
mod skim;

pub(crate) use judge::{Frames, RMCP_LEVELS, Verdict, is_deeper, to_rmcp};
pub(crate) use ledger::Ledger;
pub use ledger::{RawAnswer, RawAnswers};
pub use limits::FrameLimits;
pub(crate) use lines::{Line, Lines};
pub use page::QuarantinedTool;
pub(crate) use skim::{Skim, Skimmed};
