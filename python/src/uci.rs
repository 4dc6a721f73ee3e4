//! Writes moves in UCI.

use shakmaty::Square;
use swaplist::{PackedMove, Position};
use swaplist_files::formats::uci_target;

/// A move's UCI text.
pub struct Uci {
    text: [u8; 5],
    length: usize,
}

impl Uci {
    /// Writes a noisy move.
    pub fn new(played: PackedMove) -> Uci {
        Uci::to_square(played, played.to())
    }

    /// Writes any move. Castling is e1g1 or e1c1 (e8g8, e8c8); where king or rook stand elsewhere,
    /// as in Chess960, the king takes the rook.
    pub fn with_castling(position: &Position, played: PackedMove) -> Uci {
        Uci::to_square(played, uci_target(position, played))
    }

    fn to_square(played: PackedMove, to: Square) -> Uci {
        let [from, to] = [played.from(), to]
            .map(|square| [square.file().char() as u8, square.rank().char() as u8]);
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
