//! swaplist for C and C++; `include/swaplist.h` is made of it. What its caller sees is in
//! `exports.rs` and `types.rs`.

mod answers;
mod exports;
mod types;
