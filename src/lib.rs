//! crate
mod attacks;
mod capture;
mod exchange;
pub mod position;
mod rules;
pub mod values;

pub use capture::Capture;
pub use exchange::{Recapture, Trace, see, see_ge};
pub use position::{Position, PositionError};
pub use rules::{EnPassant, FirstPromotion, InsidePromotion, Pins, Profile, Rules, UnknownName};
pub use values::{PieceValues, ValuesError};
