//! Oversized results: what is shown of them, who may read the rest, and what is on disk.

mod access;
mod bench;
mod cut;
mod disk;
mod processes;
mod read;
mod settings;
