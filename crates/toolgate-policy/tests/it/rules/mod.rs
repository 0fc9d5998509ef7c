//! Permission rules: which calls they let pass, and why.

mod bench;
mod explain;
mod hook;
mod load;
mod paths;
mod property;
mod shell;
mod urls;
