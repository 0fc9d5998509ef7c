//! Several calls at once: which may overlap, and in what order everything else happens.

mod batch;
mod lane;
mod mode;

pub use batch::{BatchResult, CallBatch};
pub use lane::{Lane, LaneWork};
pub use mode::ToolExecutionMode;
