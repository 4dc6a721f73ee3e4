//! Moves in UCI.

use shakmaty::Square;
use swaplist::{PackedMove, Position};
use swaplist_files::formats::uci_target;

/// A move's UCI text.
pub struct Uci {
    text: [u8; 5],
    length: usize,
}

impl Uci {
    /// A noisy move.
    pub fn new(played: PackedMove) -> Uci {
        Uci::of(played, played.to())
    }

    /// Any move. Castling is written as e1g1 and e1c1 (e8g8, e8c8), and as king takes rook where
    /// king and rook stand elsewhere, as in Chess960.
    pub fn castling(position: &Position, played: PackedMove) -> Uci {
        Uci::of(played, uci_target(position, played))
    }

    fn of(played: PackedMove, to: Square) -> Uci {
        let name = |square: Square| [square.file().char() as u8, square.rank().char() as u8];
        let [from, to] = [played.from(), to].map(name);
        let promotion = played.promotion().map(|role| role.char() as u8);
        Uci {
            text: [from[0], from[1], to[0], to[1], promotion.unwrap_or(0)],
            length: 4 + usize::from(promotion.is_some()),
        }
    }
}

impl AsRef<str> for Uci {
    fn as_ref(&self) -> &str {
        std::str::from_utf8(&self.text[..self.length]).unwrap_or_default()
    }
}
