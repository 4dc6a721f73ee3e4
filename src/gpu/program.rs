//! The shader and what any host needs to run it.
//!
//! Nothing here knows wgpu, threads or a clock: `gpu/native` is one host, a web page is another. A
//! host asks a question in these steps:
//!
//! ```text
//! limits      = DeviceLimits of the device
//! grid        = Grid::USUAL.fitted(limits), capacity = grid.capacity(chunk, limits)
//! question    = ChunkedQuestion::new(question, rules)
//! pipeline    = question.kernel().entry(rules, grid), an entry point of SHADER
//! buffers     = BINDINGS, with the sizes of `capacity`
//! for each chunk (question.chunk_after):
//!     upload      question.params, positions (question.upload), question.requests
//!     clear       the results: a word that stays 0 was not written
//!     dispatch    as many workgroups as `params` came with
//!     read back   question.read, which checks each answer
//!     measure     Pace, which says how large the next dispatch may be
//! ```
//!
//! Shaders of your own can begin with [`COMMON`], and leave positions or take answers on the device.

mod answers;
mod chunks;
mod kernel;
pub(super) mod layout;
pub(super) mod limits;
mod pace;
mod shader;
mod work;

pub use answers::read_verdicts;
pub use chunks::Chunk;
pub use kernel::Kernel;
pub use layout::{Access, BINDINGS, Binding, Capacity, Params, bound_params};
pub use layout::{PARAMS_SIZE, POSITION_SIZE, POSITIONS_AT, RESULTS_AT, SERIAL_AT, WORD, masks};
pub use limits::{DeviceLimits, Grid, MAX_WRITERS};
pub use pace::Pace;
pub use shader::{COMMON, Entry, SHADER};
pub use work::{AnswerSlices, ChunkedQuestion};
