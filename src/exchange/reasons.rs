//! Why attackers may not recapture, for explanations.
//!
//! The exchange only picks an attacker that may capture. Explanations also name those that may not,
//! each with the rule and the piece that bars it. Nothing here is needed for a SEE.

use core::fmt;

use shakmaty::{Role, Square};

use super::{Capturer, Exchange};
use crate::Pins;
use crate::position::KING;

/// A piece on its square; attackers capture in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceOn {
    /// The type of the piece.
    pub role: Role,
    /// The square on which it stands before the exchange.
    pub square: Square,
}

/// Writes `Nd7`; a pawn as `Pd7`.
impl fmt::Display for PieceOn {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.role.upper_char(), self.square)
    }
}

/// An attacker that may not recapture.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub struct BarredPiece {
    /// The recapture it is barred from: 0 is the first. The last ply of a trace, where nobody
    /// recaptures, counts too.
    pub ply: usize,
    /// The attacker of the target that may not recapture, on its square.
    pub piece: PieceOn,
    /// The rule that stops it.
    pub reason: BarredBy,
    /// The piece that bars it: a pinner, a checking piece, or the target's least valuable guard.
    pub by: PieceOn,
    /// Its king's square; for [`BarredBy::Guarded`], the target.
    pub on: Square,
}

impl BarredPiece {
    /// The reason in English, without the barred piece: `pinned to e8 by Re1`.
    pub fn why(&self) -> String {
        let BarredPiece { by, on, .. } = self;
        match self.reason {
            BarredBy::Pinned => format!("pinned to {on} by {by}"),
            BarredBy::PinStays { pinner } => {
                format!("its pin to {on} by {pinner} stays in force while {by} pins")
            }
            BarredBy::InCheck => format!("the king on {on} is in check by {by}"),
            BarredBy::Guarded => format!("{by} still guards {on}"),
        }
    }
}

impl fmt::Display for BarredPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} may not recapture: {}", self.piece, self.why())
    }
}

/// The rule that stops an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BarredBy {
    /// It is pinned: on the board before the move under the pin rules `sf8` and `sf`, at this
    /// ply under `legal`.
    Pinned,
    /// Pin rule `sf` only: its pinner is gone, but another pinner of the enemy still stands, so
    /// all pins remain.
    PinStays {
        /// The pinner before the move.
        pinner: PieceOn,
    },
    /// Pin rule `legal` only: its king is in check from another piece.
    InCheck,
    /// A king may not capture a guarded piece.
    Guarded,
}

impl Exchange<'_> {
    /// The attackers of the side to recapture that may not capture at this ply, in the order in
    /// which they would.
    pub(super) fn all_barred(&self, ply: usize) -> Vec<BarredPiece> {
        let mut own = self.attackers & self.side;
        let mut barred = Vec::new();
        while own != 0 {
            let attacker = self.least_valuable(own);
            own ^= attacker.bit;
            if let Some((reason, by, on)) = self.reason(attacker) {
                barred.push(BarredPiece {
                    ply,
                    piece: self.piece(attacker.bit),
                    reason,
                    by: self.piece(by),
                    on: Square::new(on),
                });
            }
        }
        barred
    }

    /// If an attacker may not capture: the rule, the bit of the piece that bars it, and the square
    /// on which its king is, or which is guarded.
    fn reason(&self, attacker: Capturer) -> Option<(BarredBy, u64, u32)> {
        if attacker.code >= KING {
            return (!self.may_recapture(attacker)).then(|| {
                let guard = self.least_valuable(self.guards_against(attacker));
                (BarredBy::Guarded, guard.bit, self.target)
            });
        }
        match self.pins {
            Pins::None => None,
            Pins::Sf8 | Pins::Sf => self.static_reason(attacker),
            Pins::Legal => self.legal_reason(attacker),
        }
    }

    /// The reason by Stockfish's pins: the attacker's own pinner if it is still on its square, else
    /// another one that is.
    fn static_reason(&self, attacker: Capturer) -> Option<(BarredBy, u64, u32)> {
        if self.barred(attacker.bit) == 0 {
            return None;
        }
        let king = self.king_of(self.side);
        let pinners = |blocker: Option<u64>| {
            let pins = self.static_pins(king);
            pins.filter(move |pin| blocker.is_none_or(|bit| pin.0 == bit))
                .map(|pin| pin.1)
        };
        let stands = |pinner: &u64| self.occupied & pinner != 0;
        let of_attacker = Some(attacker.bit);
        if let Some(pinner) = pinners(of_attacker).find(stands) {
            return Some((BarredBy::Pinned, pinner, king));
        }
        let pinner = self.piece(pinners(of_attacker).next()?);
        let standing = pinners(None).find(stands)?;
        Some((BarredBy::PinStays { pinner }, standing, king))
    }

    /// The reason by the pieces that attack the king after the capture: a pin if they did not
    /// attack it before.
    fn legal_reason(&self, attacker: Capturer) -> Option<(BarredBy, u64, u32)> {
        let king = self.king_of(self.side);
        let enemies = self.occupied & !self.side;
        let hits = |occupied| self.position.attackers(king, occupied) & enemies;
        let occupied_before = self.occupied | 1 << self.target;
        let before = hits(occupied_before);
        let after = hits(occupied_before ^ attacker.bit);
        // A check that remains takes precedence over a pin.
        let remaining = before & after;
        if remaining != 0 {
            return Some((BarredBy::InCheck, remaining, king));
        }
        (after != 0).then_some((BarredBy::Pinned, after, king))
    }

    /// The piece on the lowest of these squares.
    pub(super) fn piece(&self, squares: u64) -> PieceOn {
        let square = Square::new(squares.trailing_zeros() & 63);
        let piece = self.position.piece_at(square);
        PieceOn {
            role: piece.map_or(Role::Pawn, |piece| piece.role),
            square,
        }
    }
}
