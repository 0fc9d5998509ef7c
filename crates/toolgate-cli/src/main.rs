//! The toolgate command.

fn main() {}
