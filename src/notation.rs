//! Moves in UCI and SAN, and a board as text.

use crate::position::{PAWN, chess_from_setup};
use crate::{Capture, Position, PositionError};
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Color, File, MoveList, Piece, Position as _, Rank, Square};

/// A position with its legal moves, to list and write moves.
pub struct Game {
    legal: MoveList,
    mode: CastlingMode,
}

impl Game {
    /// The position of a FEN with its legal moves.
    pub fn of_fen(fen: &str) -> Result<Game, PositionError> {
        let fen: Fen = fen.parse().map_err(PositionError::Fen)?;
        let setup = fen.into_setup();
        let mode = CastlingMode::detect(&setup);
        let chess = chess_from_setup(setup)?;
        Ok(Game {
            legal: chess.legal_moves(),
            mode,
        })
    }

    /// A move in UCI, with castling by the king's squares, except in Chess960 setups; and in SAN,
    /// without the check sign. If the move is not legal, both are in UCI.
    pub fn names(&self, capture: Capture) -> [String; 2] {
        let mut moves = self.legal.iter();
        match moves.find(|&&m| Capture::from_move(m) == Some(capture)) {
            Some(&m) => [
                UciMove::from_move(m, self.mode).to_string(),
                San::disambiguate(m, &self.legal).to_string(),
            ],
            None => [capture.to_string(), capture.to_string()],
        }
    }

    /// All legal moves, in ascending order.
    pub fn legal(&self) -> Vec<Capture> {
        let moves = self.legal.iter().copied();
        let mut all: Vec<Capture> = moves.filter_map(Capture::from_move).collect();
        all.sort_unstable();
        all
    }
}

/// Appends a move that is not castling, in UCI.
pub fn push_uci(out: &mut Vec<u8>, capture: Capture) {
    for square in [capture.from(), capture.to()] {
        out.push(b'a' + square as u8 % 8);
        out.push(b'1' + square as u8 / 8);
    }
    out.extend(capture.promotion().map(|role| role.char() as u8));
}

/// A legal noisy move in SAN, without the check sign; `noisy` are the position's
/// [noisy moves](crate::noisy_moves), to disambiguate it.
pub fn san(position: &Position, capture: Capture, noisy: &[Capture]) -> String {
    let from = capture.from();
    let to = capture.to();
    let code = position.code_at(from as u32);
    let takes = from.file() != to.file() || code != PAWN;
    let mut san = String::new();
    if code == PAWN {
        san.extend(takes.then(|| from.file().char()));
    } else {
        san.push(char::from(b"  NBRQKK"[code as usize]));
        let is_rival = |other: &&Capture| {
            other.to() == to && other.from() != from && position.code_at(other.from_index()) == code
        };
        let rivals = || noisy.iter().filter(is_rival).map(|other| other.from());
        let on_file = rivals().any(|rival| rival.file() == from.file());
        let on_rank = rivals().any(|rival| rival.rank() == from.rank());
        let names_file = rivals().next().is_some() && (!on_file || on_rank);
        san.extend(names_file.then(|| from.file().char()));
        san.extend(on_file.then(|| from.rank().char()));
    }
    san.extend(takes.then_some('x'));
    san.extend([to.file().char(), to.rank().char()]);
    if let Some(role) = capture.promotion() {
        san.extend(['=', role.upper_char()]);
    }
    san
}

/// Appends a number in decimal.
pub fn push_number(out: &mut Vec<u8>, number: i64) {
    out.extend_from_slice(itoa::Buffer::new().format(number).as_bytes());
}

/// The board as text of ten lines, with coordinates, White at the bottom.
pub fn draw(position: &Position) -> String {
    let mut text = String::new();
    for rank in Rank::ALL.into_iter().rev() {
        text.extend([' ', ' ', rank.char(), ' ', ' ']);
        for file in File::ALL {
            let piece = position.piece_at(Square::from_coords(file, rank));
            text.push(piece.map_or('.', Piece::char));
            text.push(if file == File::H { '\n' } else { ' ' });
        }
    }
    text + "\n     a b c d e f g h\n"
}

/// `White` or `Black`.
pub fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}
