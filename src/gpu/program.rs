//! The shader and what any host needs to run it.
//!
//! Each file uses only those above it:
//!
//! 1. `scores`, `verdicts`: results as the shader writes them
//! 2. `shader`: the text, its kernels and variants
//! 3. `layout`: bindings, parameters, offsets in transfer buffers
//! 4. `limits`: device limits, sizes of chunks and dispatches
//! 5. `chunks`, then `workload`: work in chunks, sent and read back
//!
//! A host binds [`BINDINGS`] in order, compiles [`SHADER`] for a [`Variant`], and for each
//! [`Chunk`] of a [`Workload`] uploads parameters, positions and requests, clears the results,
//! dispatches, and lets the workload read the results.

mod chunks;
mod layout;
mod limits;
#[cfg(all(test, feature = "gpu"))]
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
