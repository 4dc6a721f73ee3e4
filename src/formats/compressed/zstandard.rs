//! Zstandard by the C library, and on wasm32 by a decoder in Rust.

#[cfg(not(target_arch = "wasm32"))]
mod native;
#[cfg(any(target_arch = "wasm32", test))]
mod portable;

#[cfg(not(target_arch = "wasm32"))]
pub(super) use native::{Encoder, decoder, encoder};
#[cfg(target_arch = "wasm32")]
pub(super) use portable::decoder;
