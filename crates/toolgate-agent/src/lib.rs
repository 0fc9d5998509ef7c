//! The agent of Toolgate: a model that works on a message with tools, one durable step after another.
//!
//! An [`Agent`] has a scope of a `ToolRuntime`, a [`Model`] and a session. A turn asks the model, makes the calls that it
//! wants on the ordered lane, and goes on until nothing is left to do. Every call goes through the runtime's pipeline, and
//! everything that happens is in the session's log before the next thing happens.
//!
//! ```text
//! agent      opening a session, new or again
//! turn       the steps of a turn, its limits, its end
//! step       the calls of one step on the lane, logged
//! arguments  the text that models send, read strictly
//! prompt     what the model is told beforehand
//! model      the model and its adapters
//! offline    a session run again from its log alone
//! subagent   the tool that gives a task to another agent
//! routes     where Code Mode and approvals find a session's log
//! ```
//!
//! There is no policy here, no second scheduler, and no tool besides `subagent`, which is an agent of its own.

mod agent;
mod arguments;
mod body_log;
mod family;
mod live;
pub mod model;
mod offline;
mod prompt;
mod recorder;
mod routes;
mod spent;
mod steering;
mod step;
mod subagent;
mod turn;

pub use agent::{Agent, AgentBuilder, OpenError, TurnLimits};
pub use arguments::{Normalization, ReadArguments, RefusedArguments, history_arguments, read_arguments};
pub use live::{Delta, Live};
pub use model::{Answer, Model, ModelError, ModelRequest, ScriptedModel, SharedModel};
pub use offline::{Divergence, ReplayError, ReplayReport, replay_offline};
pub use prompt::Prompt;
pub use routes::SessionRoutes;
pub use steering::{Steering, SteeringFull};
pub use subagent::{Subagent, SubagentArgs, SubagentLimits, SubagentReport};
pub use turn::{TurnError, TurnReport};
