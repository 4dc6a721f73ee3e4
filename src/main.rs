//! The `swaplist` command.

fn main() {}
