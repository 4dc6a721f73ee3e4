//! Piece values in centipawns.

use bytemuck::{Pod, Zeroable};
use core::{fmt, str::FromStr};
use shakmaty::Role;

use crate::ParseError;

/// The largest magnitude of a piece value, so that sums stay far inside an `i32`.
pub const MAX_VALUE: i32 = 30_000;

/// Piece values in centipawns.
///
/// Kings have no value, since they are never captured. Values may be equal, zero or negative:
/// they do not decide which attacker goes first (its piece type does), so every table gives a
/// well-defined exchange.
///
/// Stored as eight words, indexed by the piece codes of [`Position`](crate::Position), as the
/// shader reads them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash, Pod, Zeroable)]
#[repr(C)]
pub struct PieceValues([i32; 8]);

impl PieceValues {
    /// The Chess Programming Wiki's values: 100, 325, 325, 500, 1000.
    pub const CPW: PieceValues = PieceValues::table(100, 325, 325, 500, 1000);
    /// Stockfish's values: 208, 781, 825, 1276, 2538.
    pub const STOCKFISH: PieceValues = PieceValues::table(208, 781, 825, 1276, 2538);
    /// The classical values: 1, 3, 3, 5, 9 (whole pawns).
    pub const CLASSICAL: PieceValues = PieceValues::table(1, 3, 3, 5, 9);

    const fn table(pawn: i32, knight: i32, bishop: i32, rook: i32, queen: i32) -> PieceValues {
        PieceValues([0, pawn, knight, bishop, rook, queen, 0, 0])
    }

    /// Your own values, in the order pawn, knight, bishop, rook, queen.
    ///
    /// `None` if one is above [`MAX_VALUE`] or below its negative. Zero and negative values are
    /// allowed.
    pub const fn new(values: [i32; 5]) -> Option<PieceValues> {
        let [pawn, knight, bishop, rook, queen] = values;
        let mut i = 0;
        while i < 5 {
            if values[i] < -MAX_VALUE || values[i] > MAX_VALUE {
                return None;
            }
            i += 1;
        }
        Some(PieceValues::table(pawn, knight, bishop, rook, queen))
    }

    /// The value of a piece type, in centipawns or whatever unit the table has; 0 for the king.
    pub const fn of(&self, role: Role) -> i32 {
        self.0[role as usize]
    }

    /// The values in the order pawn, knight, bishop, rook, queen.
    pub const fn to_array(&self) -> [i32; 5] {
        let [_, pawn, knight, bishop, rook, queen, ..] = self.0;
        [pawn, knight, bishop, rook, queen]
    }

    /// The value of a piece code; 0 for an empty square and for kings.
    #[inline(always)]
    pub(crate) const fn of_code(&self, code: u32) -> i32 {
        self.0[(code & 7) as usize]
    }
}

impl Default for PieceValues {
    /// [`PieceValues::CPW`].
    fn default() -> PieceValues {
        PieceValues::CPW
    }
}

/// Writes `P,N,B,R,Q`.
impl fmt::Display for PieceValues {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let [pawn, knight, bishop, rook, queen] = self.to_array();
        write!(f, "{pawn},{knight},{bishop},{rook},{queen}")
    }
}

const EXPECTED: &str = "expected cpw, stockfish, 1-3-3-5-9 or five whole numbers P,N,B,R,Q \
                        such as 100,325,325,500,1000";

/// Parses a preset's name (`cpw`, `stockfish`, `1-3-3-5-9`) or five numbers `P,N,B,R,Q`.
impl FromStr for PieceValues {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PieceValues, ParseError> {
        match text {
            "cpw" => return Ok(PieceValues::CPW),
            "stockfish" => return Ok(PieceValues::STOCKFISH),
            "1-3-3-5-9" | "classical" => return Ok(PieceValues::CLASSICAL),
            _ => {}
        }
        let numbers: Result<Vec<i32>, _> =
            text.split(',').map(|field| field.trim().parse()).collect();
        let five = numbers.ok().and_then(|numbers| numbers.try_into().ok());
        let values: [i32; 5] = five.ok_or_else(|| ParseError::new(EXPECTED))?;
        PieceValues::new(values).ok_or_else(|| {
            let value = values
                .into_iter()
                .find(|value| value.unsigned_abs() > MAX_VALUE.unsigned_abs())
                .unwrap_or(0);
            ParseError::new(format!("piece value {value} exceeds ±{MAX_VALUE}"))
        })
    }
}
