//! The declarations of toolgate-sdk: tables of texts, and real type checkers over generated schemas and programs.

mod checkers;
mod generate;
mod hostile;
mod index;
mod limits;
mod losses;
mod programs;
mod python;
mod random;
mod tools;
mod typescript;
