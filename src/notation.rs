//! Moves in SAN and UCI, and a board as text.

use crate::position::PAWN;
use crate::{PackedMove, Position};

mod game;
pub use game::MoveNames;
pub(crate) use game::{draw, name};

/// A legal noisy move in SAN, without the check sign; `noisy` are the position's
/// [noisy moves](crate::noisy_moves), to disambiguate it.
pub fn san(position: &Position, played: PackedMove, noisy: &[PackedMove]) -> String {
    let from = played.from();
    let to = played.to();
    let code = position.code_at(from as u32);
    let takes = from.file() != to.file() || code != PAWN;
    let mut san = String::new();
    if code == PAWN {
        san.extend(takes.then(|| from.file().char()));
    } else {
        san.push(char::from(b"  NBRQKK"[code as usize]));
        let rivals = || {
            noisy
                .iter()
                .filter(|other| {
                    other.to() == to
                        && other.from() != from
                        && position.code_at(other.from_index()) == code
                })
                .map(|other| other.from())
        };
        let on_file = rivals().any(|rival| rival.file() == from.file());
        let on_rank = rivals().any(|rival| rival.rank() == from.rank());
        let names_file = rivals().next().is_some() && (!on_file || on_rank);
        san.extend(names_file.then(|| from.file().char()));
        san.extend(on_file.then(|| from.rank().char()));
    }
    san.extend(takes.then_some('x'));
    san.extend([to.file().char(), to.rank().char()]);
    if let Some(role) = played.promotion() {
        san.extend(['=', role.upper_char()]);
    }
    san
}
