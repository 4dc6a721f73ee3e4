//! Moves of a game in UCI and SAN, and a board as text.

use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Color, File, MoveList, Piece, Position as _, Rank, Square};

use crate::position::chess_from_setup;
use crate::{PackedMove, Position, PositionError};

/// The legal moves of a position, and their names.
pub struct MoveNames {
    legal: MoveList,
    mode: CastlingMode,
}

impl MoveNames {
    /// The position of a FEN with its legal moves.
    ///
    /// # Errors
    ///
    /// [`PositionError`] if it is not the FEN of a position that can be played.
    pub fn from_fen(fen: &str) -> Result<MoveNames, PositionError> {
        let fen: Fen = fen.parse().map_err(PositionError::Fen)?;
        let setup = fen.into_setup();
        let mode = CastlingMode::detect(&setup);
        let chess = chess_from_setup(setup)?;
        Ok(MoveNames {
            legal: chess.legal_moves(),
            mode,
        })
    }

    /// A move in UCI, with castling by the king's squares, except in Chess960 setups; and in SAN,
    /// without the check sign. If the move is not legal, both are in UCI.
    pub fn names(&self, played: PackedMove) -> [String; 2] {
        let mut moves = self.legal.iter();
        match moves.find(|&&m| PackedMove::from_move(m) == Some(played)) {
            Some(&m) => [
                UciMove::from_move(m, self.mode).to_string(),
                San::disambiguate(m, &self.legal).to_string(),
            ],
            None => [played.to_string(), played.to_string()],
        }
    }

    /// All legal moves, in ascending order.
    pub fn legal(&self) -> Vec<PackedMove> {
        let moves = self.legal.iter().copied();
        let mut all: Vec<PackedMove> = moves.filter_map(PackedMove::from_move).collect();
        all.sort_unstable();
        all
    }
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
