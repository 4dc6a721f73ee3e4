//! The structs and codes of the header, and what they are in Rust.

use bytemuck::{Pod, Zeroable};
use core::ffi::CStr;
use engine::{Choice as _, PackedMove, PieceValues, PositionError};
use swaplist_files::formats::{Place, RecordFields};

/// What a function returns: whether it worked, and if not, why.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[repr(i32)]
pub enum Status {
    /// The answer was written.
    Ok = 0,
    /// A pointer is null that must not be.
    NullPointer = 1,
    /// The text is not a FEN of standard chess.
    BadFen = 2,
    /// Bitboards that put two pieces on a square, or a piece without a colour, or a colour
    /// without a piece.
    BadBitboards = 3,
    /// More than 32 pieces.
    TooManyPieces = 4,
    /// A side has no king, or more than one.
    KingCount = 5,
    /// A pawn stands on the first or last rank.
    PawnOnBackRank = 6,
    /// The side that is not to move is in check.
    OppositeCheck = 7,
    /// Not a position for another reason.
    BadPosition = 8,
    /// A square above 63, or a promotion to another piece than knight, bishop, rook or queen.
    BadMove = 9,
    /// The profile is not one of those listed.
    BadProfile = 10,
    /// A piece value exceeds 30000 in magnitude.
    BadValue = 11,
    /// There are more elements than memory can hold.
    TooMany = 12,
    /// A fault of this library.
    Panic = 13,
    /// The text is not that of a filter.
    BadFilter = 14,
    /// A rule of the filter asks for what the record does not have, or a position alone.
    MissingField = 15,
    /// The outcome is not one of those listed.
    BadOutcome = 16,
}

/// By code.
const TEXTS: [&CStr; Status::BadOutcome as usize + 1] = [
    c"done",
    c"a pointer is null",
    c"not a FEN of standard chess",
    c"not one piece of one colour on some square",
    c"more than 32 pieces",
    c"a side has no king, or more than one",
    c"a pawn on the first or last rank",
    c"the side that is not to move is in check",
    c"not a position",
    c"a square above 63, or an unknown promotion",
    c"unknown profile",
    c"a piece value above 30000 or below -30000",
    c"more elements than memory can hold",
    c"a fault of this library",
    c"not the text of a filter",
    c"the filter asks for a field that is not there",
    c"unknown outcome",
];

pub(crate) fn text_of(status: i32) -> &'static CStr {
    let index = usize::try_from(status).ok();
    let text = index.and_then(|index| TEXTS.get(index));
    text.copied().unwrap_or(c"unknown status")
}

impl From<PositionError> for Status {
    fn from(error: PositionError) -> Status {
        match error {
            PositionError::Fen(_) | PositionError::Fields(_) | PositionError::Variant => {
                Status::BadFen
            }
            PositionError::Bitboards(_) => Status::BadBitboards,
            PositionError::TooManyPieces(_) => Status::TooManyPieces,
            PositionError::KingCount { .. } => Status::KingCount,
            PositionError::PawnOnBackRank(_) => Status::PawnOnBackRank,
            PositionError::OppositeCheck => Status::OppositeCheck,
            _ => Status::BadPosition,
        }
    }
}

/// A named set of rules, see docs/see.md.
#[repr(i32)]
#[allow(dead_code)] // callers pass its number
pub enum Profile {
    /// The Chess Programming Wiki's swap algorithm: no pins, everything else exact.
    Swap = 0,
    /// The `see_ge` of Stockfish 8 to 10.
    Sf8 = 1,
    /// The `see_ge` of Stockfish since 2019.
    Sf = 2,
    /// Least valuable attacker first, over strictly legal captures.
    Legal = 3,
}

/// What a pawn becomes.
#[repr(u8)]
#[allow(dead_code)] // callers pass its number
pub enum Promotion {
    /// Not a promotion.
    None = 0,
    /// A knight.
    Knight = 2,
    /// A bishop.
    Bishop = 3,
    /// A rook.
    Rook = 4,
    /// A queen.
    Queen = 5,
}

/// The rules of an exchange.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Rules {
    /// A `swaplist_profile`.
    pub profile: i32,
    /// The values of pawn, knight, bishop, rook and queen, at most 30000 in magnitude. Every SEE is
    /// in their unit.
    pub values: [i32; 5],
}

impl Rules {
    pub(crate) fn get(&self) -> Result<engine::Rules, Status> {
        let index = usize::try_from(self.profile).map_err(|_| Status::BadProfile)?;
        let profile = engine::Profile::ALL.get(index).ok_or(Status::BadProfile)?;
        let values = PieceValues::new(self.values).ok_or(Status::BadValue)?;
        Ok(engine::Rules::new(*profile, values))
    }
}

/// How a game ended.
#[repr(u8)]
#[allow(dead_code)] // callers pass its number
pub enum Outcome {
    /// Nobody says.
    Unknown = 0,
    /// White won.
    White = 1,
    /// A draw.
    Draw = 2,
    /// Black won.
    Black = 3,
}

/// Rules that keep or drop records, as those of `swaplist filter`. Made by `swaplist_filter_new`.
pub struct Filter(pub(crate) swaplist_files::filter::Filter);

/// What a file says about a position. All zero is a record that says nothing.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Record {
    /// The score in centipawns, from the side to move; 32002 means none, as in Stockfish's formats.
    pub score: i32,
    /// The half-moves since the start of the game.
    pub ply: u32,
    /// The move that was played; from a square to itself if that is not known.
    pub played: Move,
    /// A `swaplist_outcome`.
    pub outcome: u8,
    /// Whether there is a score: not if this is 0.
    pub has_score: u8,
    /// Whether the ply is known: not if this is 0.
    pub has_ply: u8,
}

impl Record {
    pub(crate) fn fields(self) -> Result<RecordFields, Status> {
        self.played.check()?;
        let is_played = self.played.from != self.played.to;
        let outcome = match self.outcome {
            0 => None,
            1 => Some(swaplist_files::formats::Outcome::White),
            2 => Some(swaplist_files::formats::Outcome::Draw),
            3 => Some(swaplist_files::formats::Outcome::Black),
            _ => return Err(Status::BadOutcome),
        };
        Ok(RecordFields::new(Place::Line(1), 0..0)
            .with_played(is_played.then(|| self.played.capture()))
            .with_score((self.has_score != 0).then_some(self.score))
            .with_ply((self.has_ply != 0).then_some(self.ply))
            .with_outcome(outcome))
    }
}

/// A packed position. Its bytes are made by `swaplist_from_fen` and `swaplist_from_bitboards`; the
/// answers for other bytes have no meaning, but do no harm.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub struct Position {
    /// Not for callers.
    pub planes: [u64; 4],
}

impl Position {
    pub(crate) fn get(self) -> engine::Position {
        bytemuck::cast(self.planes)
    }
}

impl From<engine::Position> for Position {
    fn from(position: engine::Position) -> Position {
        Position {
            planes: position.planes(),
        }
    }
}

/// A move, squares from a1 = 0, b1 = 1 to h8 = 63. Castling goes to the square of the own rook.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Move {
    /// The square that the piece leaves.
    pub from: u8,
    /// The square that it goes to.
    pub to: u8,
    /// A `swaplist_promotion`.
    pub promotion: u8,
}

impl Move {
    pub(crate) fn check(self) -> Result<(), Status> {
        let is_known = self.from < 64 && self.to < 64 && matches!(self.promotion, 0 | 2..=5);
        if is_known {
            Ok(())
        } else {
            Err(Status::BadMove)
        }
    }

    /// The move, which must have been checked.
    pub(crate) fn capture(self) -> PackedMove {
        let [from, to, promotion] = [self.from, self.to, self.promotion].map(u16::from);
        PackedMove::from_bits(from << 9 | to << 3 | promotion)
    }
}

impl From<PackedMove> for Move {
    fn from(capture: PackedMove) -> Move {
        let bits = capture.to_bits();
        Move {
            from: (bits >> 9) as u8,
            to: (bits >> 3 & 63) as u8,
            promotion: (bits & 7) as u8,
        }
    }
}

/// The best of a side's captures and promotions.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Best {
    /// Its SEE.
    pub see: i32,
    /// The smallest such move, by origin, target and promotion.
    pub r#move: Move,
    /// Whether there is any; if not, the rest is 0.
    pub exists: bool,
}

impl From<Option<engine::Best>> for Best {
    fn from(best: Option<engine::Best>) -> Best {
        let exists = best.is_some();
        // Without a branch, which would often be mispredicted.
        let best = best.unwrap_or(engine::Best {
            see: 0,
            capture: PackedMove::default(),
        });
        Best {
            see: best.see,
            r#move: best.capture.into(),
            exists,
        }
    }
}

/// What the legal captures and promotions of a position are worth.
#[derive(Clone, Copy)]
#[repr(C)]
pub struct Verdict {
    /// The best one of the side to move.
    pub best: Best,
    /// The best one of the opponent if it were to move; none in check.
    pub threat: Best,
    /// How many the side to move has.
    pub noisy: u32,
    /// On how many squares the opponent has one with a SEE above 0; 0 in check.
    pub threats: u8,
    /// Whether the side to move is in check.
    pub in_check: bool,
}

impl From<&engine::Verdict> for Verdict {
    fn from(verdict: &engine::Verdict) -> Verdict {
        Verdict {
            best: verdict.best().into(),
            threat: verdict.threat().into(),
            noisy: verdict.noisy(),
            threats: verdict.threats(),
            in_check: verdict.in_check(),
        }
    }
}
