//! The shader and all that a host has to know to run it, whatever the host is.
//!
//! Each file uses only those above it:
//!
//! 1. `scores`, `verdicts`: results as the shader writes them
//! 2. `shader`: the text, its kernels, what a pipeline is compiled for
//! 3. `layout`: the bindings, the parameters, where things lie in transfer buffers
//! 4. `limits`: what a device must offer, how large chunks and dispatches are
//! 5. `chunks`, then `workload`: work cut into chunks, sent and taken back
//!
//! A host binds [`BINDINGS`] in their order, compiles [`SHADER`] for a [`Variant`],
//! and for each [`Chunk`] of a [`Workload`] uploads parameters, positions and requests,
//! clears the results, dispatches, and has the workload read what came back.

mod chunks;
mod layout;
mod limits;
#[cfg(test)]
mod reflection;
mod scores;
mod shader;
mod verdicts;
mod workload;

pub use chunks::Chunk;
pub use layout::{Access, BINDINGS, Binding, Capacity, Params, masks};
pub use layout::{
    PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, RECORD_SIZE, RESULTS_AT, SERIAL_AT, WORD,
};
#[cfg(feature = "gpu")]
pub(super) use limits::within;
pub use limits::{Grid, Limits};
pub use shader::{Kernel, SHADER, Shape, Variant};
pub use verdicts::{VerdictRecord, read as read_verdicts};
pub use workload::{Judging, Scoring, Workload};
