//! The tools of the kit, called through the runtime as an agent calls them, on real files.
#![expect(
    clippy::unwrap_used,
    clippy::expect_used,
    clippy::panic,
    clippy::indexing_slicing,
    clippy::print_stderr,
    reason = "a failing helper fails its test"
)]

mod ask_user;
#[cfg(target_os = "linux")]
mod bash;
mod bench;
mod cancellation;
mod cards;
mod change_cards;
mod concurrent;
#[cfg(target_os = "linux")]
mod confine;
mod delete_move;
mod edit;
mod edit_model;
mod escapes;
mod glob;
mod grep;
mod hard_limits;
mod ignore_rules;
#[cfg(target_os = "linux")]
mod jobs;
mod killed;
mod open_texts;
mod paths;
#[cfg(target_os = "linux")]
mod process_tree;
mod read;
mod schemas;
mod seen;
#[cfg(target_os = "linux")]
mod shell_bench;
mod swapped;
mod todo;
mod web;
mod write;
