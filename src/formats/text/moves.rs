//! Named moves, in UCI or SAN.

use shakmaty::fen::Fen;
use shakmaty::san::{SanError, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{Bitboard, Chess, Move, Role};

use super::quoted;
use crate::formats::Reason;
use crate::position::chess_from_setup;
use crate::{Capture, PositionError};

/// The moves of `FEN;m1 m2`; empty if none is named.
pub(super) fn parse_moves(text: &[u8], fen: &[u8]) -> Result<Vec<Capture>, Reason> {
    let mut texts = text
        .split(|byte| matches!(byte, b' ' | b'\t' | b';'))
        .filter(|text| !text.is_empty())
        .peekable();
    if texts.peek().is_none() {
        return Ok(Vec::new());
    }
    let chess = chess_of(fen)?;
    texts
        .map(|text| parse_move(text, &chess).map_err(|problem| problem.reason(text, fen)))
        .collect()
}

/// The operand of EPD's `sm`, "supplied move": the move that was played.
pub(super) fn parse_played(text: &[u8], fen: &[u8]) -> Result<Capture, Reason> {
    let chess = chess_of(fen)?;
    parse_move(text, &chess).map_err(|problem| problem.reason(text, fen))
}

/// The packed position does not have the castling rights that moves need.
fn chess_of(fen: &[u8]) -> Result<Chess, Reason> {
    let fen = Fen::from_ascii(fen).map_err(PositionError::Fen);
    fen.and_then(|fen| chess_from_setup(fen.into_setup()))
        .map_err(Reason::Position)
}

/// Why a text names no move.
pub(super) enum Problem {
    Text,
    Illegal,
    NoPromotion,
    Ambiguous,
}

impl Problem {
    fn reason(self, text: &[u8], fen: &[u8]) -> Reason {
        let (text, fen) = (quoted(text), String::from_utf8_lossy(fen).into_owned());
        match self {
            Problem::Text => Reason::MoveText { text, fen },
            Problem::Illegal => Reason::IllegalMove { text, fen },
            Problem::NoPromotion => Reason::NoPromotion(text),
            Problem::Ambiguous => Reason::AmbiguousMove { text, fen },
        }
    }
}

/// A legal move of a position, in UCI (castling in either way) or SAN.
fn parse_move(text: &[u8], chess: &Chess) -> Result<Capture, Problem> {
    let legal = |m: Move| Capture::from_move(m).ok_or(Problem::Illegal);
    if let Ok(uci) = UciMove::from_ascii(text) {
        let m = uci.to_move(chess).map_err(|_| {
            if lacks_promotion(uci, chess) {
                Problem::NoPromotion
            } else {
                Problem::Illegal
            }
        });
        // Shakmaty passes over a promotion that en passant cannot have.
        let capture = m.and_then(legal)?;
        let promotes = capture.promotion() == uci.promotion();
        return promotes.then_some(capture).ok_or(Problem::Illegal);
    }
    let san = SanPlus::from_ascii(text).map_err(|_| Problem::Text)?;
    match san.san.to_move(chess) {
        Ok(m) => legal(m),
        Err(SanError::AmbiguousSan) => Err(Problem::Ambiguous),
        Err(_) => Err(Problem::Illegal),
    }
}

/// Whether a move would be legal if it named the piece that the pawn becomes.
pub(crate) fn lacks_promotion(uci: UciMove, chess: &Chess) -> bool {
    let UciMove::Normal {
        from,
        to,
        promotion: None,
    } = uci
    else {
        return false;
    };
    let promotion = Some(Role::Queen).filter(|_| Bitboard::BACKRANKS.contains(to));
    let queen = UciMove::Normal {
        from,
        to,
        promotion,
    };
    promotion.is_some() && queen.to_move(chess).is_ok()
}

/// A named move of a position, outside of a file.
///
/// # Errors
///
/// A [`Reason`] that names the move and the position.
pub fn named_move(text: &str, chess: &Chess, fen: &str) -> Result<Capture, Reason> {
    parse_move(text.as_bytes(), chess)
        .map_err(|problem| problem.reason(text.as_bytes(), fen.as_bytes()))
}
