//! The shader and what any host needs to run it.
//!
//! A host binds [`BINDINGS`] in order, compiles an [`Entry`] of [`SHADER`], and for each
//! [`Chunk`] of some [`Work`] uploads parameters, positions and requests, clears the results,
//! dispatches, and lets the work read the results.

mod answers;
mod chunks;
mod layout;
mod limits;
mod shader;
mod work;

pub use crate::device::{Ask, Coding, Raw, RawAnswer, RawFacts, Unit};
pub use answers::read_verdicts;
pub use chunks::Chunk;
pub use layout::{Access, BINDINGS, Binding, Capacity, DECODING, Params, masks, raw_words};
pub use layout::{
    PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, RAW_SLACK, RECORD_SIZE, RESULTS_AT, SERIAL_AT, WORD,
    ZEROS,
};
#[cfg(feature = "gpu")]
pub(super) use limits::within;
pub use limits::{Grid, Limits};
pub use shader::{DECODER, Entry, Kernel, SHADER};
pub use work::{Slots, Work};
