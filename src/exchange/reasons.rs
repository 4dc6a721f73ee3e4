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
}

impl fmt::Display for BarredPiece {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} may not recapture: {}", self.piece, self.reason)
    }
}

/// The rule that stops an attacker.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum BarredBy {
    /// It is pinned: on the board before the move under the pin rules `sf8` and `sf`, at this
    /// ply under `legal`.
    Pinned {
        /// The king's square.
        king: Square,
        /// The pinner.
        pinner: PieceOn,
    },
    /// Pin rule `sf` only: its pinner is gone, but another pinner of the enemy still stands, so
    /// all pins remain.
    PinStays {
        /// The king's square.
        king: Square,
        /// The pinner before the move.
        pinner: PieceOn,
        /// The pinner that still stands.
        standing: PieceOn,
    },
    /// Pin rule `legal` only: its king is in check from another piece.
    InCheck {
        /// The king's square.
        king: Square,
        /// The checking piece.
        checker: PieceOn,
    },
    /// A king may not capture a guarded piece.
    Guarded {
        /// The target square.
        target: Square,
        /// Its least valuable guard.
        guard: PieceOn,
    },
}

impl fmt::Display for BarredBy {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BarredBy::Pinned { king, pinner } => write!(f, "pinned to {king} by {pinner}"),
            BarredBy::PinStays {
                king,
                pinner,
                standing,
            } => write!(
                f,
                "its pin to {king} by {pinner} stays in force while {standing} pins"
            ),
            BarredBy::InCheck { king, checker } => {
                write!(f, "the king on {king} is in check by {checker}")
            }
            BarredBy::Guarded { target, guard } => write!(f, "{guard} still guards {target}"),
        }
    }
}

impl Exchange<'_> {
    /// The attackers of the side to recapture that may not, in order.
    pub(super) fn all_barred(&self, ply: usize) -> Vec<BarredPiece> {
        let mut own = self.attackers & self.side;
        let mut barred = Vec::new();
        while own != 0 {
            let attacker = self.least_valuable(own);
            own ^= attacker.bit;
            if let Some(reason) = self.reason(attacker) {
                let piece = self.piece(attacker.bit);
                barred.push(BarredPiece { ply, piece, reason });
            }
        }
        barred
    }

    fn reason(&self, attacker: Capturer) -> Option<BarredBy> {
        if attacker.code >= KING {
            return self.king_reason(attacker);
        }
        match self.pins {
            Pins::None => None,
            Pins::Sf8 | Pins::Sf => self.static_reason(attacker),
            Pins::Legal => self.legal_reason(attacker),
        }
    }

    fn king_reason(&self, king: Capturer) -> Option<BarredBy> {
        (!self.may_recapture(king)).then(|| BarredBy::Guarded {
            target: Square::new(self.target),
            guard: self.piece(self.least_valuable(self.guards(king)).bit),
        })
    }

    /// By Stockfish's pins: the pinner, and whether it still stands.
    fn static_reason(&self, attacker: Capturer) -> Option<BarredBy> {
        if self.barred(attacker.bit) == 0 {
            return None;
        }
        let king = self.king(self.side);
        let pinners = |blocker: Option<u64>| {
            let pins = self.static_pins(king);
            pins.filter(move |pin| blocker.is_none_or(|bit| pin.0 == bit))
                .map(|pin| pin.1)
        };
        let king = Square::new(king);
        let stands = |pinner: &u64| self.occupied & pinner != 0;
        let own = Some(attacker.bit);
        if let Some(pinner) = pinners(own).find(stands) {
            let pinner = self.piece(pinner);
            return Some(BarredBy::Pinned { king, pinner });
        }
        Some(BarredBy::PinStays {
            king,
            pinner: self.piece(pinners(own).next()?),
            standing: self.piece(pinners(None).find(stands)?),
        })
    }

    /// By the pieces that attack the king after the capture: a pin if they do not attack it
    /// before.
    fn legal_reason(&self, attacker: Capturer) -> Option<BarredBy> {
        let king = self.king(self.side);
        let enemies = self.occupied & !self.side;
        let hits = |occupied| self.position.attackers(king, occupied) & enemies;
        let before = self.occupied | 1 << self.target;
        let (checks, after) = (hits(before), hits(before ^ attacker.bit));
        let king = Square::new(king);
        // A check that remains takes precedence over a pin.
        if checks & after != 0 {
            let checker = self.piece(checks & after);
            return Some(BarredBy::InCheck { king, checker });
        }
        let pinner = (after != 0).then(|| self.piece(after))?;
        Some(BarredBy::Pinned { king, pinner })
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
