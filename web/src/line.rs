//! A position as a plain FEN, and its changes in an editor.
//!
//! What else people paste is read by [`crate::paste`], in the larger module.

use shakmaty::fen::Fen;
use shakmaty::{
    Board, CastlingMode, Chess, Color, File, FromSetup, Move, PositionErrorKinds, Rank, Setup,
    Square, attacks,
};
use shakmaty::{san::SanPlus, uci::UciMove};
use swaplist::Position;

use crate::{Answer, Failure};

/// A position that can be.
pub struct Line {
    /// As it is written.
    pub fen: String,
    pub setup: Setup,
    /// What was understood in another way than it was written.
    pub notes: Vec<String>,
}

impl Line {
    /// Reads a FEN of four fields or more, with nothing else beside it.
    pub fn read(text: &str) -> Answer<Line> {
        let setup = setup(text)?;
        let failed = |error: String| Failure::for_board(&setup, &error);
        Position::try_from(&setup).map_err(|error| failed(error.to_string()))?;
        // Castling or en passant that cannot be.
        Chess::from_setup(setup.clone(), CastlingMode::detect(&setup))
            .map_err(|error| failed(error.to_string()))?;
        Ok(Line {
            fen: text.trim().to_owned(),
            setup,
            notes: Vec::new(),
        })
    }
}

fn setup(text: &str) -> Answer<Setup> {
    let fields = text.split_whitespace().count();
    if fields < 4 {
        return Err(Failure::new("fen", "a FEN has at least four fields"));
    }
    let fen =
        Fen::from_ascii(text.trim().as_bytes()).map_err(|error| Failure::new("fen", error))?;
    Ok(fen.into_setup())
}

pub fn fen_of(setup: Setup) -> String {
    match Fen::try_from_setup(setup) {
        Ok(fen) => fen.to_string(),
        Err(lossy) => lossy.ignore().to_string(),
    }
}

/// A legal move in UCI or SAN.
pub fn find(chess: &Chess, text: &str) -> Option<Move> {
    let of_uci = UciMove::from_ascii(text.as_bytes())
        .ok()
        .and_then(|uci| uci.to_move(chess).ok());
    of_uci.or_else(|| {
        let san = SanPlus::from_ascii(text.as_bytes()).ok()?;
        san.san.to_move(chess).ok()
    })
}

/// King and rook of the usual castling: White's, then Black's, on the king's side first.
pub const CASTLING: [[Square; 2]; 4] = [
    [Square::E1, Square::H1],
    [Square::E1, Square::A1],
    [Square::E8, Square::H8],
    [Square::E8, Square::A8],
];

/// What an editor changes.
#[derive(Default)]
pub struct Change {
    pub board: Option<Board>,
    pub turn: Option<Color>,
    /// A rook, and whether it has the right to castle.
    pub castle: Option<(Square, bool)>,
    /// Another en-passant square, or none.
    #[allow(clippy::option_option)] // no change is not the same as no square
    pub passing: Option<Option<Square>>,
}

/// The setup with a change: the rest stays as far as it fits.
pub fn edited(text: &str, change: Change) -> String {
    let before = setup(text).unwrap_or_else(|_| Setup::empty());
    let mut after = before.clone();
    after.board = change.board.unwrap_or_else(|| before.board.clone());
    after.turn = change.turn.unwrap_or(before.turn);
    let stays = |square: Square| {
        after.board.piece_at(square).is_some()
            && after.board.piece_at(square) == before.board.piece_at(square)
    };
    let rooks = before.castling_rights.into_iter().filter(|&rook| {
        let color = Color::from_white(rook.rank() == Rank::First);
        stays(rook) && before.board.king_of(color).is_some_and(stays)
    });
    after.castling_rights = rooks.collect();
    if let Some((rook, has)) = change.castle {
        after.castling_rights.set(rook, has);
    }
    if let Some(square) = change.passing {
        after.ep_square = square;
    }
    let mode = CastlingMode::detect(&after);
    let cannot_pass = Chess::from_setup(after.clone(), mode).is_err_and(|error| {
        error
            .kinds()
            .contains(PositionErrorKinds::INVALID_EP_SQUARE)
    });
    if after.turn != before.turn || cannot_pass {
        after.ep_square = None;
    }
    fen_of(after)
}

/// The squares that a pawn may just have passed, where a pawn of the side to move can capture it.
pub fn passing(setup: &Setup) -> Vec<Square> {
    let rank = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
    let files = File::ALL.into_iter();
    let squares = files.map(|file| Square::from_coords(file, rank));
    let possible = squares.filter(|&square| {
        let own = setup.turn.pawn();
        let capturers = attacks::pawn_attacks(!setup.turn, square) & setup.board.by_piece(own);
        let mut with = setup.clone();
        with.ep_square = Some(square);
        let mode = CastlingMode::detect(&with);
        let is_wrong = Chess::from_setup(with, mode).is_err_and(|error| {
            error
                .kinds()
                .contains(PositionErrorKinds::INVALID_EP_SQUARE)
        });
        capturers.any() && !is_wrong
    });
    possible.collect()
}
