//! Parsing moves: UCI, SAN and variants.

use shakmaty::san::{San, SanError, SanPlus};
use shakmaty::uci::UciMove;
use shakmaty::{Chess, Move, Square};

use super::quoted;
use crate::formats::{Fault, Invalid, Record};
use swaplist::fen::chess_and_castling;
use swaplist::{PackedMove, Position};

/// The position of a FEN, on which moves are named.
pub(super) struct Namer<'a> {
    fen: &'a [u8],
    /// With its en-passant square, if it has been parsed.
    state: Option<(Record, Option<Square>)>,
    chess: Option<Chess>,
}

impl<'a> Namer<'a> {
    pub fn on(fen: &'a [u8], position: Position) -> Namer<'a> {
        Namer {
            fen,
            state: Record::from_ascii(fen, position),
            chess: None,
        }
    }

    /// The moves of `FEN;m1 m2`; empty if none is named.
    pub fn moves(&mut self, text: &[u8]) -> Result<Vec<PackedMove>, Invalid> {
        text.split(|byte| matches!(byte, b' ' | b'\t' | b';'))
            .filter(|text| !text.is_empty())
            .map(|text| {
                let found = self.find(text);
                found.map_err(|fault| {
                    if is_number(text) {
                        as_answer(&fault)
                    } else {
                        fault
                    }
                })
            })
            .collect()
    }

    /// A legal move in UCI, SAN or variants.
    pub fn find(&mut self, text: &[u8]) -> Result<PackedMove, Invalid> {
        if let Some(found) = self.find_fast(text) {
            return Ok(found);
        }
        let chess = match self.chess.take() {
            Some(chess) => chess,
            None => chess_and_castling(self.fen)?.0,
        };
        read_move(text, self.chess.insert(chess))
            .and_then(|m| PackedMove::from_move(m).ok_or(Fault::IllegalMove))
            .map_err(|kind| not_a_move(kind, text, self.fen))
    }

    /// Finds most legal moves in UCI, without shakmaty.
    fn find_fast(&self, text: &[u8]) -> Option<PackedMove> {
        let (state, ep) = self.state.as_ref()?;
        let UciMove::Normal {
            from,
            to,
            promotion,
        } = UciMove::from_ascii(text).ok()?
        else {
            return None;
        };
        let played = PackedMove::new(from, to, promotion);
        state.is_sound(*ep, Some(played)).then_some(played)
    }
}

/// Whether a text is a whole number, rather than a move.
fn is_number(text: &[u8]) -> bool {
    core::str::from_utf8(text).is_ok_and(|text| text.parse::<i32>().is_ok())
}

/// The fault of a number where a move is expected: the line may be an engine's answer.
#[cold]
fn as_answer(fault: &Invalid) -> Invalid {
    let hint = "a move and its SEE, as an engine says it, is for `swaplist check`";
    Invalid::new(fault.kind(), format!("{fault}; {hint}"))
}

/// A text is not a legal move, for a reason of these three kinds.
pub(in crate::formats) fn not_a_move(kind: Fault, text: &[u8], fen: &[u8]) -> Invalid {
    let text = quoted(text);
    let fen = String::from_utf8_lossy(fen);
    let message = match kind {
        Fault::IllegalMove => format!("illegal move '{text}' in the position '{fen}'"),
        Fault::AmbiguousMove => {
            format!("ambiguous move '{text}' in the position '{fen}', name the piece's square too")
        }
        _ => format!("'{text}' is not a move in UCI or SAN (in the position '{fen}')"),
    };
    Invalid::new(kind, message)
}

/// A legal move of a position, in UCI, SAN or variants such as `0-0`, `e2-e4`, `e7-e8Q`, `e8(Q)`,
/// `exd6e.p.`, `ed6`.
pub(crate) fn read_move(text: &[u8], chess: &Chess) -> Result<Move, Fault> {
    match read_usual(text, chess) {
        Err(Fault::MoveText) => read_usual(&as_usual(text), chess),
        read => read,
    }
}

fn read_usual(text: &[u8], chess: &Chess) -> Result<Move, Fault> {
    if let Ok(uci) = UciMove::from_ascii(text) {
        return read_uci(uci, chess);
    }
    let san = SanPlus::from_ascii(text).map_err(|_| Fault::MoveText)?;
    let found = match san.san.to_move(chess) {
        Err(SanError::IllegalSan) => {
            let capture = as_capture(san.san).ok_or(SanError::IllegalSan);
            capture.and_then(|capture| capture.to_move(chess))
        }
        found => found,
    };
    found.map_err(|error| match error {
        SanError::AmbiguousSan => Fault::AmbiguousMove,
        SanError::IllegalSan => Fault::IllegalMove,
    })
}

/// A move without the `x` of a capture, with it.
fn as_capture(san: San) -> Option<San> {
    match san {
        San::Normal {
            role,
            file,
            rank,
            capture: false,
            to,
            promotion,
        } => Some(San::Normal {
            role,
            file,
            rank,
            capture: true,
            to,
            promotion,
        }),
        _ => None,
    }
}

/// Castling may be written to the rook or over two files.
fn read_uci(uci: UciMove, chess: &Chess) -> Result<Move, Fault> {
    let m = uci.to_move(chess).map_err(|_| Fault::IllegalMove)?;
    // Shakmaty ignores an impossible promotion of an en-passant capture.
    let promotes = m.promotion() == uci.promotion();
    promotes.then_some(m).ok_or(Fault::IllegalMove)
}

/// Normalises: letters for castling, no dash between squares, an equals sign before a promotion
/// piece, no en-passant mark.
fn as_usual(text: &[u8]) -> Vec<u8> {
    if text.starts_with(b"0-0") {
        return text
            .iter()
            .map(|&byte| if byte == b'0' { b'O' } else { byte })
            .collect();
    }
    let mut usual = text.to_vec();
    for mark in [&b"e.p."[..], b"e.p", b"ep"] {
        if let Some(at) = usual.windows(mark.len()).position(|found| found == mark) {
            usual.drain(at..at + mark.len());
        }
    }
    let before_dash = usual
        .array_windows()
        .position(|window| matches!(window, [b'1'..=b'8', b'-', b'a'..=b'h']));
    if let Some(before) = before_dash {
        usual.remove(before + 1);
    }
    let to = usual.iter().rposition(u8::is_ascii_digit);
    let mut after = usual.split_off(to.map_or(0, |to| to + 1));
    after.retain(|byte| !b"()/=".contains(byte));
    if let [
        piece @ (b'N' | b'B' | b'R' | b'Q' | b'n' | b'b' | b'r' | b'q'),
        ..,
    ] = &mut after[..]
    {
        piece.make_ascii_uppercase();
        usual.push(b'=');
    }
    usual.append(&mut after);
    usual
}

/// A move named on the position of a FEN, outside of a file.
///
/// # Errors
///
/// A message that names the move and the position.
pub fn move_on(fen: &str, position: Position, text: &str) -> Result<PackedMove, Invalid> {
    Namer::on(fen.as_bytes(), position).find(text.as_bytes())
}
