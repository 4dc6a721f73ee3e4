//! Why attackers may not recapture, for explanations.
//!
//! The exchange only picks the attackers that may; here the others get their reasons.

use core::fmt;

use shakmaty::{Role, Square};

use super::{Capturer, Exchange};
use crate::Pins;
use crate::position::KING;

/// A piece on its square; attackers capture in this order.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct PieceOn {
    /// The piece type.
    pub role: Role,
    /// Its square.
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
    /// The attacker.
    pub piece: PieceOn,
    /// The rule that stops it.
    pub reason: BarredBy,
    /// The piece that bars it: a pinner, a checking piece, or the target's least valuable guard.
    pub by: PieceOn,
    /// Its king's square; for [`BarredBy::Guarded`], the target.
    pub on: Square,
}

impl BarredPiece {
    /// The reason in words.
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
    /// The attackers of the side to recapture that may not, in order.
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

    /// The rule, the piece that bars, and the square that this is about.
    fn reason(&self, attacker: Capturer) -> Option<(BarredBy, u64, u32)> {
        if attacker.code >= KING {
            let guard = || self.least_valuable(self.guards(attacker)).bit;
            let barred = !self.may_recapture(attacker);
            return barred.then(|| (BarredBy::Guarded, guard(), self.target));
        }
        match self.pins {
            Pins::None => None,
            Pins::Sf8 | Pins::Sf => self.static_reason(attacker),
            Pins::Legal => self.legal_reason(attacker),
        }
    }

    /// By Stockfish's pins: the pinner, and whether it still stands.
    fn static_reason(&self, attacker: Capturer) -> Option<(BarredBy, u64, u32)> {
        if self.barred(attacker.bit) == 0 {
            return None;
        }
        let king = self.king(self.side);
        let pinners = |blocker: Option<u64>| {
            let pins = self.static_pins(king);
            pins.filter(move |pin| blocker.is_none_or(|bit| pin.0 == bit))
                .map(|pin| pin.1)
        };
        let stands = |pinner: &u64| self.occupied & pinner != 0;
        let own = Some(attacker.bit);
        if let Some(pinner) = pinners(own).find(stands) {
            return Some((BarredBy::Pinned, pinner, king));
        }
        let pinner = self.piece(pinners(own).next()?);
        let standing = pinners(None).find(stands)?;
        Some((BarredBy::PinStays { pinner }, standing, king))
    }

    /// By the pieces that attack the king after the capture: a pin if they do not attack it
    /// before.
    fn legal_reason(&self, attacker: Capturer) -> Option<(BarredBy, u64, u32)> {
        let king = self.king(self.side);
        let enemies = self.occupied & !self.side;
        let hits = |occupied| self.position.attackers(king, occupied) & enemies;
        let before = self.occupied | 1 << self.target;
        let (checks, after) = (hits(before), hits(before ^ attacker.bit));
        // A check that remains takes precedence over a pin.
        if checks & after != 0 {
            return Some((BarredBy::InCheck, checks & after, king));
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
