//! The shader and what any host needs to run it.
//!
//! A host binds [`BINDINGS`] in order, compiles an [`Entry`] of [`SHADER`], and for each
//! [`Chunk`] of some [`Work`] uploads parameters, positions and requests, clears the results,
//! dispatches, and lets the work read the results.

mod answers;
mod chunks;
mod kernel;
mod layout;
mod limits;
mod shader;
mod work;

pub use answers::read_verdicts;
pub use chunks::Chunk;
pub use kernel::{FileKernel, Kernel};
pub use layout::{Access, BINDINGS, Binding, Capacity, DECODING, ENCODING, Params, asked, masks};
pub use layout::{
    PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, RECORD_SIZE, RESULTS_AT, SERIAL_AT, WORD,
};
#[cfg(feature = "gpu")]
pub(super) use limits::within;
pub use limits::{Grid, Limits};
pub use shader::{DECODER, ENCODER, Entry, SHADER};
pub use work::{Slots, Work};
