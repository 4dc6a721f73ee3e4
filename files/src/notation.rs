//! Numbers and moves in text that is written.

use shakmaty::{File, Role, Square};
use swaplist::{PackedMove, Position};

/// The target square of any move, as UCI writes it: castling is e1g1 and e1c1 (e8g8, e8c8), and king
/// takes rook where king and rook are elsewhere, as in Chess960.
pub fn uci_target(position: &Position, played: PackedMove) -> Square {
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

/// Appends a move that is not castling, in UCI.
pub fn push_uci(out: &mut Vec<u8>, played: PackedMove) {
    for square in [played.from(), played.to()] {
        out.push(b'a' + square as u8 % 8);
        out.push(b'1' + square as u8 / 8);
    }
    out.extend(played.promotion().map(|role| role.char() as u8));
}

/// Appends a number in decimal.
pub fn push_number(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}
