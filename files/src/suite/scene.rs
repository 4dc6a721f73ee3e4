//! A position as an array of squares, and which pieces attack one of them.

use shakmaty::{Color, Piece, Role, Square};

use super::faults::{Fault, FaultSet};

/// The pieces by square, a1 first.
pub(super) type Squares = [Option<Piece>; 64];

/// A position and the first move of an exchange.
#[derive(Clone, Debug, PartialEq, Eq)]
pub(crate) struct Scene {
    pub squares: Squares,
    pub turn: Color,
    pub from: Square,
    pub to: Square,
    pub promotion: Option<Role>,
}

/// Files and ranks from one square to another.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Way {
    pub files: i32,
    pub ranks: i32,
}

impl Way {
    pub fn from_to(from: Square, to: Square) -> Way {
        Way {
            files: i32::from(to.file()) - i32::from(from.file()),
            ranks: i32::from(to.rank()) - i32::from(from.rank()),
        }
    }

    pub fn is_diagonal(self) -> bool {
        self.files != 0 && self.files.abs() == self.ranks.abs()
    }

    pub fn is_straight(self) -> bool {
        (self.files == 0) != (self.ranks == 0)
    }

    /// The other way between squares with the same difference of numbers: eight files back and a
    /// rank on, or the reverse. An engine that forgets the edge of the board sees a move that way, too.
    fn around_edge(self) -> Option<Way> {
        let files = self.files - 8 * self.files.signum();
        let ranks = self.ranks + self.files.signum();
        (self.files != 0).then_some(Way { files, ranks })
    }
}

/// The squares strictly between two on one line; none if they are not on one.
pub(super) fn between(from: Square, to: Square) -> impl Iterator<Item = Square> {
    let way = Way::from_to(from, to);
    let is_line = way.is_diagonal() || way.is_straight();
    let length = if is_line {
        way.files.abs().max(way.ranks.abs())
    } else {
        0
    };
    (1..length).map(move |step| {
        let file = i32::from(from.file()) + step * way.files.signum();
        let rank = i32::from(from.rank()) + step * way.ranks.signum();
        Square::new((rank * 8 + file).cast_unsigned())
    })
}

pub(super) const fn bit(square: Square) -> u64 {
    1 << square as u32
}

pub(super) fn squares_of(set: u64) -> impl Iterator<Item = Square> + Clone {
    shakmaty::Bitboard(set).into_iter()
}

/// Whether a slider of this role moves along this way.
pub(super) fn slides(role: Role, way: Way) -> bool {
    match role {
        Role::Bishop => way.is_diagonal(),
        Role::Rook => way.is_straight(),
        Role::Queen => way.is_diagonal() || way.is_straight(),
        _ => false,
    }
}

/// Whether a piece on `from` attacks `to`, if `blocks` says which squares sliders cannot pass.
pub(super) fn attacks(
    faults: &FaultSet,
    piece: Piece,
    from: Square,
    to: Square,
    blocks: impl Fn(Square) -> bool,
) -> bool {
    let way = Way::from_to(from, to);
    match piece.role {
        Role::Pawn => pawn_attacks(faults, piece.color, from, way),
        Role::Knight => jumps(faults, way, Fault::KnightsWrap, |way| {
            let is_short = way.files.abs() == 1 || !faults.has(Fault::ShortKnights);
            way.files.abs().min(way.ranks.abs()) == 1
                && way.files.abs() + way.ranks.abs() == 3
                && is_short
        }),
        Role::King => jumps(faults, way, Fault::KingWraps, |way| {
            let is_straight = !way.is_diagonal() || !faults.has(Fault::KingOnlyStraight);
            way.files.abs().max(way.ranks.abs()) == 1 && is_straight
        }),
        Role::Bishop | Role::Rook | Role::Queen => {
            let stops_before = faults.has(Fault::SlidersStopBeforeEdge) && is_edge(to);
            let queen_cannot = faults.has(Fault::QueensOnlyStraight) && way.is_diagonal()
                || faults.has(Fault::QueensOnlyDiagonal) && way.is_straight();
            let is_missed = stops_before || piece.role == Role::Queen && queen_cannot;
            slides(piece.role, way) && !is_missed && !between(from, to).any(blocks)
        }
    }
}

fn is_edge(square: Square) -> bool {
    let coordinates = [i32::from(square.file()), i32::from(square.rank())];
    coordinates.iter().any(|at| matches!(at, 0 | 7))
}

fn jumps(faults: &FaultSet, way: Way, wraps: Fault, is_jump: impl Fn(Way) -> bool) -> bool {
    is_jump(way) || faults.has(wraps) && way.around_edge().is_some_and(is_jump)
}

fn pawn_attacks(faults: &FaultSet, color: Color, from: Square, way: Way) -> bool {
    let belongs_upwards = color.is_white() || faults.has(Fault::PawnsUpwards);
    let goes_up = belongs_upwards != faults.has(Fault::PawnsBackwards);
    let up = if goes_up { 1 } else { -1 };
    let is_on_edge = matches!(i32::from(from.file()), 0 | 7);
    if faults.has(Fault::EdgePawns) && is_on_edge {
        return false;
    }
    let is_in_front = faults.has(Fault::PawnsStraight) && way.files == 0 && way.ranks == up;
    is_in_front
        || jumps(faults, way, Fault::PawnsWrap, |way| {
            let is_side = way.files == 1 || way.files == -1 && !faults.has(Fault::PawnsToOneSide);
            way.ranks == up && is_side
        })
}
