//! The GPU, in two halves.
//!
//! [`program`] is the shader and what a host needs to run it: text, constants, layouts, chunks,
//! results. It uses no wgpu, no threads and no clock, and builds for wasm32. `native` runs it
//! through [wgpu] on Vulkan, Metal and Direct3D 12.
//!
//! [wgpu]: https://wgpu.rs

#[cfg(feature = "gpu")]
mod native;
pub mod program;

#[cfg(feature = "gpu")]
pub use native::{
    AdapterSummary, Commands, Context, Gpu, GpuOptions, Program, Submitted, adapters,
    usable_adapters, wgpu,
};
