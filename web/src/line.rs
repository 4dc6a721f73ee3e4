//! Positions that people paste, and their changes in an editor.

use core::ops::Range;

use shakmaty::{
    Board, CastlingMode, Chess, Color, File, FromSetup, PositionErrorKinds, Rank, Setup, Square,
    attacks,
};
use swaplist_files::pasted::{self, Refusal, fen_of};

use crate::{Answer, Failure};

/// A position with what else was said about it.
pub struct Line {
    /// With as many fields as were given, and at least four.
    pub fen: String,
    pub setup: Setup,
    /// The move, in UCI if it is legal, otherwise as written.
    pub named: Option<String>,
    /// What was understood in another way than it was written.
    pub notes: Vec<String>,
}

impl Line {
    /// Reads the first position in a text, with a move that stands beside it.
    pub fn read(text: &str) -> Answer<Line> {
        let found = pasted::read(text, None).map_err(|refusal| refused(text, &refusal))?;
        Ok(Line {
            fen: found.fen,
            setup: found.setup,
            named: found.named,
            notes: found.notes,
        })
    }
}

/// What is wrong with a text, and where.
pub fn refused(text: &str, refusal: &Refusal) -> Failure {
    let failure = match &refusal.board {
        Some(setup) => Failure::of_board(setup, &refusal.message),
        None => Failure::of("fen", &refusal.message),
    };
    match &refusal.at {
        Some(at) => failure.at(&in_utf16(text, at)),
        None => failure,
    }
}

/// A part of a text in the units of the page's strings.
pub fn in_utf16(text: &str, part: &Range<usize>) -> [usize; 2] {
    let place = |at: usize| text[..at].encode_utf16().count();
    [place(part.start), place(part.end)]
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
    let before = match pasted::read(text, None) {
        Ok(found) => found.setup,
        Err(refusal) => refusal.board.map_or_else(Setup::empty, |setup| *setup),
    };
    let mut after = before.clone();
    after.board = change.board.unwrap_or_else(|| before.board.clone());
    after.turn = change.turn.unwrap_or(before.turn);
    let stays = |square: Square| {
        after.board.piece_at(square).is_some()
            && after.board.piece_at(square) == before.board.piece_at(square)
    };
    let kept = |rook: Square| {
        let color = Color::from_white(rook.rank() == Rank::First);
        stays(rook) && before.board.king_of(color).is_some_and(stays)
    };
    let rooks = before.castling_rights.into_iter();
    after.castling_rights = rooks.filter(|&rook| kept(rook)).collect();
    if let Some((rook, has)) = change.castle {
        after.castling_rights.set(rook, has);
    }
    if let Some(square) = change.passing {
        after.ep_square = square;
    }
    let mode = CastlingMode::detect(&after);
    let cannot_pass = |error: shakmaty::PositionError<Chess>| {
        error
            .kinds()
            .contains(PositionErrorKinds::INVALID_EP_SQUARE)
    };
    if after.turn != before.turn || Chess::from_setup(after.clone(), mode).is_err_and(cannot_pass) {
        after.ep_square = None;
    }
    fen_of(after)
}

/// The squares that a pawn may just have passed, where a pawn of the side to move can capture it.
pub fn passing(setup: &Setup) -> Vec<Square> {
    let rank = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
    let files = File::ALL.into_iter();
    let squares = files.map(|file| Square::from_coords(file, rank));
    let can = |&square: &Square| {
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
    };
    squares.filter(can).collect()
}
