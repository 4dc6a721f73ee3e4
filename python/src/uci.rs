//! Writes moves in UCI.

use shakmaty::{File, Role, Square};
use swaplist::{PackedMove, Position};

/// The target square of any move, as UCI writes it: castling is e1g1 and e1c1 (e8g8, e8c8), and king
/// takes rook where king and rook are elsewhere, as in Chess960.
pub fn target(position: &Position, played: PackedMove) -> Square {
    let from = played.from();
    let to = played.to();
    let file = match to.file() {
        File::A => File::C,
        File::H => File::G,
        _ => return to,
    };
    let castles = from.file() == File::E
        && from.rank() == to.rank()
        && position.piece_at(from).is_some_and(|king| {
            let target = position.piece_at(to);
            king.role == Role::King && target.is_some_and(|piece| piece.color == king.color)
        });
    if castles {
        Square::from_coords(file, to.rank())
    } else {
        to
    }
}

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
        Uci::to_square(played, target(position, played))
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
