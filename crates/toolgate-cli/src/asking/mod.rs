//! Questions to the person at the terminal, and what to say where nobody could be asked.

mod answer;
mod keyboard;
mod offered;
mod terminal;
mod unanswered;

pub(crate) use offered::OfferedRule;
pub(crate) use terminal::Terminal;
pub(crate) use unanswered::Unanswered;
