//! Legal noisy moves: captures, en passant and promotions.
//!
//! They are found target by target, not piece by piece: all attackers of a square are needed
//! anyway, to tell whether its captures need an exchange (`verdict.rs`). For the GPU,
//! `shaders/captures.wgsl` has the same result; in lanes, `simd/stages.rs`.
//!
//! # An example
//!
//! White to move:
//!
//! ```text
//! 8  . . . r . . . k
//! 7  . . . . P . . .
//! 6  . . n . . . . .
//! 5  . . . . . . . .
//! 4  . n . N . . . .
//! 3  . . P . . . . .
//! 2  . . . K . . . .
//! 1  . . . . . . . .
//!
//!    a b c d e f g h
//! ```
//!
//! - Nobody gives check, so `checkers` is empty, and White's pieces may go everywhere. The rook on
//!   d8 looks at the king through one white piece: `pinned` is d4.
//! - White's *movers* are c3 and d4. The pawn on e7 is about to promote, so it is not one of them,
//!   and neither is the king. They attack, of Black's pieces, b4 and c6: these are the *targets*.
//! - b4 is attacked by c3, and by Black's knight on c6. c3 may capture: one noisy move.
//! - c6 is attacked by d4, and by Black's knight on b4. d4 is pinned, and c6 is not on the line
//!   through its king: no legal capturer. A target may have none.
//! - The *rare* moves are the promotions of e7, on e8 or by taking on d8, to four pieces each.
//!
//! That makes 9 noisy moves.
//!
//! # The steps
//!
//! ```text
//! Side       the pieces of both sides, and where the king is
//! Generator  checkers: enemy pieces that attack the king
//!            pinned:   own pieces that alone stand between the king and an enemy slider
//!            evasions: everywhere; in check onto the checker or in between; in double check none
//! targets    enemy pieces that a mover attacks and that are evasions, and those next to the king
//! a target   attackers: all pieces of both sides that attack it
//!            capturers: movers among them, if the target is an evasion; a pinned one only if the
//!                       target is on the line through its king; the king, if nothing guards it
//! rare       promotions and en passant, one by one
//! ```
//!
//! Attacks of all movers at once are shifts and fills without branches (`attacks.rs`). The
//! attackers of one target are found backwards, by looking from its square along its file, rank and
//! diagonals.
//!
//! # What must hold
//!
//! - One may also ask about the side that is not to move, to find the opponent's threats. It has no
//!   en-passant target then, and the caller makes sure that the side to move is not in check.
//! - A slider that gives check still attacks a king that moves away from it along the line. So the
//!   pieces that guard a square against a king are sought on the board without that king.
//! - En passant is tested on the board after the move, since two pawns leave the king's rank at
//!   once.
//! - Any 32 bytes are a position. A side without a king is treated as if its king stood on a1, to
//!   find checks and pins. But such a king never captures.

// `magic` is shakmaty's module of attack tables, so named to tell it from `crate::attacks`. Used
// here: `between`, the squares between two others; `ray`, the whole line through two squares (both
// are empty if no line goes through the two); and `pawn_attacks`.
use shakmaty::{Bitboard, Color, Square, attacks as magic};

// `INNER` has the attacks of whole sets of pieces, by shifts. A shift may carry a piece round the
// board's edge; the masks of `INNER` are the squares on which no such piece can end.
use crate::attacks::{INNER, LAST_RANKS, MASKS};
use crate::position::{KNIGHT, QUEEN};
use crate::{PackedMove, Position};

/// Calls `found` with each legal noisy move of the side to move, in no particular order, without
/// allocating.
pub fn for_each_noisy(position: &Position, mut found: impl FnMut(PackedMove)) {
    // `turn` is the colour of the king whose code says that it is to move; White if there is none
    // (`position.rs`).
    let moves = Generator::new(position, position.turn());
    moves.for_each_target(moves.targets(), |target| {
        for from in Bitboard(target.capturers) {
            found(PackedMove::new(from, target.square, None));
        }
    });
    moves.generate_rare(position.ep_square(), found);
}

/// The legal noisy moves of the side to move, in ascending order: by origin, then target, then
/// promotion, which is the order of the numbers of [`PackedMove`].
///
/// ```
/// use swaplist::{Position, noisy_moves};
///
/// let position: Position = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1".parse()?;
/// let moves: Vec<_> = noisy_moves(&position).iter().map(|m| m.to_string()).collect();
/// assert_eq!(moves, ["a7a8n", "a7a8b", "a7a8r", "a7a8q", "a7b8n", "a7b8b", "a7b8r", "a7b8q"]);
/// # Ok::<(), swaplist::PositionError>(())
/// ```
pub fn noisy_moves(position: &Position) -> Vec<PackedMove> {
    let mut moves = Vec::new();
    for_each_noisy(position, |capture| moves.push(capture));
    moves.sort_unstable();
    moves
}

/// A piece that may be captured, with all that is needed to judge its captures together.
pub(crate) struct Target {
    /// The square on which it stands.
    pub square: Square,
    /// The pieces of both sides that attack it.
    pub attackers: u64,
    /// The pieces that may legally capture it, without pawns about to promote. There may be none.
    pub capturers: u64,
    /// All pieces of the target's own side.
    pub them: u64,
}

/// A side's pieces. Enough to see what it attacks, before [`Generator`] finds its checks and pins.
/// Two callers may stop there, as they know the answer already. `verdict.rs` asks whether the
/// opponent wins on two squares: it does not if it attacks fewer than two pieces and no pawn is
/// about to promote. `quiescence.rs` asks what can be won: nothing if nothing that is attacked is
/// worth enough, and there can be no promotion or en passant.
pub(crate) struct Side<'a> {
    /// The board with the pieces of both sides.
    position: &'a Position,
    /// Which side it is. It need not be the side to move.
    color: Color,
    /// The square of its king, the lowest one if it has several; a1 if it has none.
    king: u32,
    /// The pieces of this side.
    us: u64,
    /// The other side's pieces.
    pub them: u64,
    /// The pieces of both.
    occupied: u64,
}

impl<'a> Side<'a> {
    /// The side of this colour, whether it is to move or not.
    #[inline(always)]
    pub(crate) fn new(position: &'a Position, color: Color) -> Side<'a> {
        let us = position.pieces_of(color);
        let them = position.pieces_of(!color);
        Side {
            position,
            color,
            king: position.king_of(color),
            us,
            them,
            occupied: us | them,
        }
    }

    /// Enemy pieces that it attacks, also with its king, but not with pawns about to promote. It
    /// may be in check, and the pieces that attack may be pinned: so there may be no legal capture.
    #[inline(always)]
    pub(crate) fn attacked_pieces(&self) -> u64 {
        (self.attacked() | self.near_king()) & self.them
    }

    /// Squares attacked by its movers, by the shifts of `attacks.rs` for all pieces at once.
    #[inline(always)]
    fn attacked(&self) -> u64 {
        let position = self.position;
        let movers = self.movers();
        let empty = !self.occupied;
        let pawns = position.pawns() & movers;
        let by_pawns = match self.color {
            Color::White => INNER.white_pawns(pawns),
            Color::Black => INNER.black_pawns(pawns),
        };
        by_pawns
            | INNER.knights(position.knights() & movers)
            | INNER.diagonal(position.diagonal_sliders() & movers, empty)
            | INNER.straight(position.straight_sliders() & movers, empty)
    }

    /// Its movers: pieces that move and capture in the usual way. Not the king, and not pawns about
    /// to promote. (In lanes, `simd/stages.rs`, the movers include the king.)
    #[inline(always)]
    fn movers(&self) -> u64 {
        self.us & !self.promoting() & !self.position.kings()
    }

    /// The king as a bit; 0 if there is none. Then `king` is a1, where something else may stand.
    #[inline(always)]
    fn king_bit(&self) -> u64 {
        1 << self.king & self.us & self.position.kings()
    }

    /// The squares next to the king; none if there is no king.
    #[inline(always)]
    fn near_king(&self) -> u64 {
        if self.king_bit() == 0 {
            0
        } else {
            MASKS[self.king as usize].king
        }
    }

    /// Its pawns that are one step before promotion: White's on the seventh rank, Black's on the
    /// second. All their moves promote, so they are not among the movers.
    #[inline(always)]
    pub(crate) fn promoting(&self) -> u64 {
        let seventh = self.color.fold_wb(0x00ff_0000_0000_0000, 0xff00);
        self.us & self.position.pawns() & seventh
    }
}

/// What decides which of a side's moves are legal, computed once per position.
pub(crate) struct Generator<'a> {
    /// The side whose moves are found.
    side: Side<'a>,
    /// Own pieces that are pinned to the king.
    pinned: u64,
    /// Enemy pieces that attack the king. For callers: the side is in check if there are any.
    pub checkers: u64,
}

impl<'a> Generator<'a> {
    /// For the side of this colour, whether it is to move or not.
    #[inline(always)]
    pub(crate) fn new(position: &'a Position, color: Color) -> Generator<'a> {
        Generator::for_side(Side::new(position, color))
    }

    /// The same for a [`Side`] that the caller has already, to see from it whether moves are
    /// needed.
    #[inline(always)]
    pub(crate) fn for_side(side: Side<'a>) -> Generator<'a> {
        let Side {
            position,
            king,
            us,
            them,
            occupied,
            ..
        } = side;
        let masks = &MASKS[king as usize];
        // Pawns, knights and kings of both sides that attack the king's square.
        let steps = position.pawn_attackers(king)
            | position.knights() & masks.knight
            | position.kings() & masks.king;
        let mut checkers = steps & them;
        let mut pinned = 0;
        // Sliders of both sides that would attack the king's square on an empty board.
        let snipers = position.aligned(king);
        for sniper in Bitboard(snipers & them) {
            // Nothing in between: a check. One piece: it is pinned if it is an own one.
            let shield = magic::between(Square::new(king), sniper).0 & occupied;
            if shield == 0 {
                checkers |= 1 << sniper as u32;
            } else if shield & shield.wrapping_sub(1) == 0 {
                pinned |= shield & us;
            }
        }
        Generator {
            side,
            pinned,
            checkers,
        }
    }

    /// The enemy pieces that a mover attacks and whose capture can end a check, if there is one,
    /// and those next to the king. Some have no legal capturer. A piece that only pawns about to
    /// promote attack is not among them; [`Generator::generate_rare`] has their captures.
    #[inline(always)]
    pub(crate) fn targets(&self) -> u64 {
        let evasions = self.evasions().unwrap_or(0);
        (self.side.attacked() & evasions | self.side.near_king()) & self.side.them
    }

    /// Calls `found` with each of `pieces`, by ascending square. They are enemy pieces: some or all
    /// of [`Generator::targets`], or of [`Side::attacked_pieces`], which a caller can have before
    /// checks and pins are known. The latter may hold pieces that are no targets: these get no
    /// capturers.
    #[inline(always)]
    pub(crate) fn for_each_target(&self, pieces: u64, mut found: impl FnMut(Target)) {
        let Side {
            position,
            king,
            them,
            ..
        } = self.side;
        let movers = self.side.movers();
        let king_bit = self.side.king_bit();
        let evasions = self.evasions().unwrap_or(0);
        for square in Bitboard(pieces) {
            let attackers = position.attackers(square as u32, self.side.occupied);
            // The whole line through the king and the target, from edge to edge; empty if no file,
            // rank or diagonal goes through both.
            let line = magic::ray(Square::new(king), square).0;
            let free = attackers & movers & (!self.pinned | line);
            let mut capturers = if evasions >> square as u32 & 1 == 0 {
                0
            } else {
                free
            };
            if attackers & king_bit != 0 && self.king_may_take(square) {
                capturers |= king_bit;
            }
            found(Target {
                square,
                attackers,
                capturers,
                them,
            });
        }
    }

    /// Calls `found` with each legal promotion and each legal capture on the en-passant target
    /// `ep`. Few positions have any.
    #[inline(always)]
    pub(crate) fn generate_rare(&self, ep: Option<Square>, mut found: impl FnMut(PackedMove)) {
        let promoting = self.side.promoting();
        if promoting == 0 && ep.is_none() {
            return;
        }
        // In double check only the king may move.
        let Some(evasions) = self.evasions() else {
            return;
        };
        self.promotions(promoting, evasions, &mut found);
        if let Some(ep) = ep {
            self.en_passant(ep, &mut found);
        }
    }

    /// Where pieces other than the king may go: everywhere; in check onto the checker, or between
    /// it and the king; `None` in double check. An en-passant capture need not end there, but in
    /// double check there is none either.
    fn evasions(&self) -> Option<u64> {
        if self.checkers & self.checkers.wrapping_sub(1) != 0 {
            return None;
        }
        Some(match Bitboard(self.checkers).first() {
            Some(checker) => self.checkers | magic::between(Square::new(self.side.king), checker).0,
            None => !0,
        })
    }

    /// Where a pin lets a piece go: everywhere if it is not pinned, else on the line through its
    /// king.
    fn line_of_pin(&self, from: Square) -> u64 {
        if self.pinned >> (from as u32) & 1 == 0 {
            !0
        } else {
            // Without a king, a1 is taken for the king's square, and an enemy piece may stand on
            // it. `for_each_target` lets no pinned piece capture that piece, as the line from a1 to
            // a1 is empty; the shaders do the same. So a pinned black pawn on b2 must not capture
            // it either, and the line leaves out a1. With a king this changes nothing, as no own
            // piece goes to its square.
            magic::ray(Square::new(self.side.king), from).0 & !(1 << self.side.king)
        }
    }

    /// Whether the king may capture on a square next to it: no enemy piece guards it, not even
    /// through the square that the king leaves.
    #[inline(always)]
    fn king_may_take(&self, to: Square) -> bool {
        let without_king = self.side.occupied & !(1 << self.side.king);
        self.side.position.attackers(to as u32, without_king) & self.side.them == 0
    }

    /// Calls `found` with all promotions of these pawns. Only pawns that have a capture or a push
    /// are visited; whether a pin forbids it is asked one by one.
    #[inline(always)]
    fn promotions(&self, pawns: u64, evasions: u64, found: &mut impl FnMut(PackedMove)) {
        let targets = self.side.them & evasions;
        let pushes = !self.side.occupied & LAST_RANKS & evasions;
        // Targets that can be reached towards the h-file (none on the a-file), and towards the
        // a-file.
        let east = targets & INNER.b_to_h;
        let west = targets & INNER.a_to_g;
        // One step forward, and the squares from which a pawn would have a move. These are found
        // backwards: from each target and push to the square from which a pawn goes there. A white
        // pawn captures by 9 squares towards the h-file and by 7 towards the a-file, a black one by
        // -7 and -9. `east` has no targets on the a-file, and `west` none on the h-file: from there
        // the shift would lead round the edge.
        let (forward, ready) = match self.side.color {
            Color::White => (8, east >> 9 | west >> 7 | pushes >> 8),
            Color::Black => (-8, east << 7 | west << 9 | pushes << 8),
        };
        for from in Bitboard(pawns & ready) {
            let captures = magic::pawn_attacks(self.side.color, from).0 & targets;
            // `& 63` changes nothing: it tells the compiler that the shift is in range.
            let ahead = 1 << ((from as i32 + forward) & 63);
            for to in Bitboard((captures | ahead & pushes) & self.line_of_pin(from)) {
                // The codes of a knight, bishop, rook and queen follow each other.
                for promotion in KNIGHT..=QUEEN {
                    found(PackedMove::from_parts(from as u32, to as u32, promotion));
                }
            }
        }
    }

    /// Calls `found` with each legal capture on `ep`. A capture is tested on the board after it,
    /// where both pawns have left their squares, since two pawns may leave the king's rank at once.
    /// The same test finds a check that the capture does not end, so `evasions` are not needed
    /// here. They would be wrong if the pawn that is taken gives check: they have its square, but
    /// not `ep`, on which the capture ends.
    fn en_passant(&self, ep: Square, found: &mut impl FnMut(PackedMove)) {
        // The pawn that is taken: `^ 8` leads from `ep` to the square that it stands on.
        let victim = 1 << (ep as u32 ^ 8);
        let pawns = self.side.position.pawns() & self.side.us;
        // Own pawns attack `ep` from the squares that an enemy pawn on `ep` would attack.
        for from in magic::pawn_attacks(!self.side.color, ep) & Bitboard(pawns) {
            let occupied = self.side.occupied & !(1 << from as u32) & !victim | 1 << ep as u32;
            let attackers = self.side.position.attackers(self.side.king, occupied);
            // `attackers` counts pawns that are not in `occupied`, so the taken one is removed
            // here.
            if attackers & self.side.them & !victim == 0 {
                found(PackedMove::new(from, ep, None));
            }
        }
    }
}
