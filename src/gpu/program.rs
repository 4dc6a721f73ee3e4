//! The shader and what any host needs to run it.
//!
//! Nothing here knows wgpu, threads or a clock: `gpu/native` is one host, a web page is another. A
//! host with a device of its own asks a question in these steps:
//!
//! ```text
//! shape     = Shape::default().fitted(DeviceLimits of the device, positions of a dispatch)
//! buffers   = BINDINGS, with the sizes of shape.sizes(), and attacks::MASKS in the second
//! plan      = Plan::new(question, rules, shape)
//! pipeline  = plan.entry(), an entry point of SHADER with its constants
//! for each dispatch (plan.dispatch, from the end of the last one's rows on):
//!     upload      its params, positions and requests
//!     clear       the results: a word that stays 0 was not written
//!     dispatch    its groups
//!     read back   plan.read, which checks each answer and puts it into its row
//!     measure     Pace, which says how large the next dispatch may be
//! ```
//!
//! Shaders of your own can begin with [`COMMON`], and leave positions or take answers on the device:
//! [`Plan::in_place`] is the dispatch that judges what lies there.

pub(super) mod answers;
mod chunks;
pub(super) mod kernel;
pub(super) mod layout;
pub(super) mod limits;
mod pace;
pub(super) mod plan;
mod shader;

pub use layout::{Access, BINDINGS, Binding, Params};
pub use limits::{DeviceLimits, MAX_WRITERS, Shape};
pub use pace::Pace;
pub use plan::{Dispatch, Plan};
pub use shader::{COMMON, Entry, SHADER};
