//! Programs that run for real, in every placement.

mod host;
mod semantics;
mod strip;
