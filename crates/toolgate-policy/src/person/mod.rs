//! Questions to people: who can be asked, what is being asked, and what an answer is good for.
//!
//! [`People`] is the one channel. [`Approvals`] asks through it whether a call may run, a tool may ask through it for
//! something that only a person knows, and [`Answerer`]s (a terminal, a page, an editor) carry questions and answers.
//! Nothing here decides for a person.

mod answerer;
mod approvals;
mod clock;
mod event;
mod grant;
mod pending;
mod people;
mod question;

pub use answerer::Answerer;
pub use approvals::{Approvals, Stance};
pub use clock::{PersonClock, StoppedClock};
pub use event::{
    ApprovalAsked, ApprovalDecided, ApprovalEvent, ApprovalLog, DecidedBy, DecidedOutcome, LapsedGrant,
    LapsedWhy,
};
pub use grant::{GrantId, GrantRule};
pub use pending::{AnswerRefused, Attendance};
pub use people::{Answered, People};
pub use question::{Answer, Asking, Closed, Question, QuestionId, Remember, Remembered};
