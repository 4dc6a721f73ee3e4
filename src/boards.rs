//! Boards as many files have them, turned into positions many at a time: a set of occupied squares,
//! then four bits for each piece, in the order of the squares.
//!
//! bulletformat and marlinformat are made of such records. To read one of your own, say what its
//! nibbles and its last eight bytes mean ([`Nibbles`]), and give an [`Unpacker`] many records at a
//! time:
//!
//! ```
//! use swaplist::boards::{Codes, Nibbles, Unpacker, codes};
//! use swaplist::shakmaty::Color;
//! use swaplist::{CpuPath, Position};
//!
//! /// White moves, and nothing but the board counts.
//! struct WhiteToMove;
//!
//! impl Nibbles for WhiteToMove {
//!     const CODES: [Codes; 2] = [codes(Color::White); 2];
//!     const TURN: u8 = 0;
//! }
//!
//! // Kings on e1 and e8: squares 4 and 60, nibbles 5 (a white king) and 13 (a black one).
//! let mut record = [0; 32];
//! record[..8].copy_from_slice(&(1_u64 << 4 | 1 << 60).to_le_bytes());
//! record[8] = 13 << 4 | 5;
//!
//! if let Some(unpacker) = Unpacker::new(CpuPath::best()) {
//!     let mut positions = [Position::from_ascii(b"4k3/8/8/8/8/8/8/4K2R w - - 0 1")?; 8];
//!     let mut valid = [0];
//!     unpacker.unpack::<WhiteToMove>(&[record; 8], &mut positions, &mut valid);
//!     assert_eq!(valid, [0xff]);
//!     assert_eq!(positions[7].to_string(), "4k3/8/8/8/8/8/8/4K3 w - - 0 1");
//! }
//! # Ok::<(), swaplist::PositionError>(())
//! ```

use crate::simd::{Instructions, all_sound, unpack};
use crate::{CpuPath, Position};

pub use crate::simd::{Codes, GROUP, NibbleBoard, Nibbles, codes};

/// Turns boards into positions, and tests positions, in the lanes of a vector unit. A value proves
/// that this machine has the unit.
#[derive(Clone, Copy, Debug)]
pub struct Unpacker(Instructions);

impl Unpacker {
    /// With the vector unit of a path; `None` for [`CpuPath::Scalar`], and if this machine does not
    /// have it.
    pub fn new(path: CpuPath) -> Option<Unpacker> {
        let instructions = Instructions::for_path(path).filter(|_| path != CpuPath::Scalar);
        instructions.map(Unpacker)
    }

    /// Unpacks whole groups of [`GROUP`] records; an incomplete last group is ignored. Bit j of
    /// `valid[i]` is set if record `GROUP * i + j` is valid; otherwise its position is meaningless.
    ///
    /// A record is refused for whatever [`Position::from_bare_planes`] refuses, and for a nibble
    /// without a piece, more pieces than nibbles, or wrong last bytes.
    ///
    /// # Panics
    ///
    /// If there are fewer positions than records, or fewer bytes than groups.
    #[inline]
    pub fn unpack<N: Nibbles>(
        self,
        records: &[NibbleBoard],
        positions: &mut [Position],
        valid: &mut [u8],
    ) {
        unpack::<N>(self.0, records, positions, valid);
    }

    /// Whether all positions of whole groups are sound ([`Position::is_sound`]); an incomplete last
    /// group is ignored.
    pub fn all_sound(self, positions: &[Position]) -> bool {
        all_sound(self.0, positions)
    }
}
