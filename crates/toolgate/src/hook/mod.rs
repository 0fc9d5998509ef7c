//! What may look at a call on its way: listeners of the three waterfalls, guards, approvers and observers.
//!
//! Hooks are somebody else's code. Each runs contained: where one fails or panics, the call fails closed (rule P6).

mod approval;
mod dispatch_log;
mod execute;
mod guard;
mod next;
mod observe;
mod post_execute;
mod pre_execute;
mod report;

pub use approval::{ApprovalOutcome, ApprovalRequest, Approver};
pub use dispatch_log::{CodeDispatchLog, CodeDispatchLogListener};
pub use execute::Execute;
pub use next::{HookResult, Next, stage};
pub use observe::{ChangeObserver, ResultObserver};
pub use post_execute::{PostExecute, PostToolDecision, Replacement};
pub use pre_execute::{PreExecute, PreToolDecision};
pub use report::{Progress, Report, ReportObserver, ReportedMessage, Severity};

pub(crate) use approval::DynApprover;
pub(crate) use dispatch_log::DynCodeDispatchLogListener;
pub(crate) use execute::DynExecute;
pub(crate) use guard::Guard;
pub(crate) use post_execute::DynPostExecute;
pub(crate) use pre_execute::DynPreExecute;
