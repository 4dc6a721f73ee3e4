//! Games, move by move.

use super::super::board::{Board, Kind};
use super::super::convert::OutputRecords;
use super::super::fixed::{put_word, word};
use super::super::isa::{Features, Isa, Work};
use super::super::marlinformat::{self, RECORD, Raw};
use super::super::move_bits::MoveBits;
use super::super::reach::is_same;
use super::super::{Action, Fault, Invalid, Open, RecordError, VALUE_NONE};
use crate::fen::ply;
use crate::{Capture, Position};
use shakmaty::Color;

/// Bytes of a move and its score.
pub(super) const STEP: usize = 4;
const SCORE: usize = 2;

/// A limit on the moves of a game, above all real games, to bound memory.
const MAX_MOVES: usize = 1 << 16;

/// A position of a game with its played move.
pub(super) struct Found {
    pub position: Position,
    pub played: Capture,
    /// White's.
    pub score: i16,
    /// Half-moves since the start of the game, from the full-move number if there is one.
    pub ply: Option<u32>,
}

pub(super) fn write(
    records: OutputRecords<'_>,
    out: &mut Vec<u8>,
    _: &mut Open,
) -> Result<(), RecordError> {
    // The board after the game's last move, and its result.
    let mut open: Option<(Board, u8)> = None;
    for record in records {
        let (score, result) = (record.white_score()?, record.white_result()?);
        let (played, kind) = record.played()?;
        let mut next = record.board;
        play(&mut next, played, kind).map_err(|fault| record.error(fault))?;
        let goes_on = |(next, of): &(Board, u8)| *of == result && is_same(next, &record.board);
        if !open.as_ref().is_some_and(goes_on) {
            end(open.is_some(), out);
            out.extend_from_slice(&marlinformat::pack(&record.board, 0, result));
        }
        out.extend_from_slice(&step(played, kind, score));
        open = Some((next, result));
    }
    end(open.is_some(), out);
    Ok(())
}

/// Ends a game, if one is open.
fn end(is_open: bool, out: &mut Vec<u8>) {
    if is_open {
        out.extend_from_slice(&[0; STEP]);
    }
}

/// The length of the first game, with its four zero bytes; `None` if it continues after these
/// bytes. Not for a game of more than [`MAX_MOVES`] moves.
pub(super) fn game_length(bytes: &[u8]) -> Result<Option<usize>, Invalid> {
    let steps = bytes.get(RECORD..).unwrap_or_default();
    let end = steps
        .chunks_exact(STEP)
        .take(MAX_MOVES + 1)
        .position(|step| step == [0; STEP]);
    match end {
        Some(moves) => Ok(Some(RECORD + (moves + 1) * STEP)),
        None if steps.len() / STEP > MAX_MOVES => Err(endless()),
        None => Ok(None),
    }
}

fn endless() -> Invalid {
    let message = format!("a game of more than {MAX_MOVES} moves");
    Invalid::new(Fault::EndlessGame, message)
}

/// The result of a game, White's: 0 loss, 1 draw, 2 win.
pub(super) fn result(game: &[u8]) -> Option<u8> {
    game.first_chunk().map(marlinformat::result)
}

/// Calls `found` with each position of a whole game, as framed by [`game_length`], and its
/// board, up to a fault, which is returned with its offset from the game's start.
pub(super) fn replay(
    features: Features,
    game: &[u8],
    found: impl FnMut(&Board, Found),
) -> Result<(), (usize, Invalid)> {
    struct Replay<'a, F>(&'a [u8], F);
    impl<F: FnMut(&Board, Found)> Work for Replay<'_, F> {
        type Output = Result<(), (usize, Invalid)>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let Replay(game, mut found) = self;
            let (first, steps, ended) = split(game).map_err(|fault| (0, fault))?;
            let mut board = marlinformat::board(isa, first).map_err(|fault| (0, fault))?;
            let numbered = board.fullmoves > 0;
            for (i, step) in steps.iter().enumerate() {
                let at = |fault| (RECORD + i * STEP, fault);
                let position = board.position().map_err(|error| at(error.into()))?;
                let (played, kind) = MOVES.read(word(step, 0));
                if played.from_index() == played.to_index() {
                    return Err(at(Invalid::new(Fault::PlayedMove, "a null move in a game")));
                }
                let here = Found {
                    position,
                    played,
                    score: word(step, SCORE).cast_signed(),
                    ply: numbered.then(|| ply(board.fullmoves.into(), board.turn)),
                };
                // A position whose move cannot be played is no record.
                let before = board;
                play(&mut board, played, kind).map_err(at)?;
                found(&before, here);
            }
            ended.map_err(|fault| (game.len() - game.len() % STEP, fault))
        }
    }
    features.run(Replay(game, found))
}

/// Calls `found` with the fields of each step of a whole game without a fault: what can be told
/// without playing. The score is White's, before the move.
pub(super) fn outline(game: &[u8], mut found: impl FnMut(Color, Capture, i16, Option<u32>)) {
    let Ok((first, steps, _)) = split(game) else {
        return;
    };
    let (turn, fullmoves) = (marlinformat::turn(first), marlinformat::fullmoves(first));
    for (played, step) in (usize::from(turn.is_black())..).zip(steps) {
        let turn = Color::from_white(played % 2 == 0);
        let now = fullmoves.wrapping_add((played / 2) as u16);
        let ply = (fullmoves > 0).then(|| ply(now.into(), turn));
        let score = word(step, SCORE).cast_signed();
        found(turn, MOVES.read(word(step, 0)).0, score, ply);
    }
}

/// Calls a function with each step and the board before it. They were decoded, so nothing is
/// checked again.
struct Boards<'a, F>(&'a Raw, &'a [[u8; STEP]], F);

impl<F: FnMut(&Board, &[u8; STEP])> Work for Boards<'_, F> {
    type Output = ();

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) {
        let Boards(first, steps, mut found) = self;
        let Ok(mut board) = marlinformat::board(isa, first) else {
            return;
        };
        for step in steps {
            found(&board, step);
            let (played, kind) = MOVES.read(word(step, 0));
            if play(&mut board, played, kind).is_err() {
                return;
            }
        }
    }
}

/// The first record, the steps without the zero bytes, and whether these are there.
fn split(game: &[u8]) -> Result<Split<'_>, Invalid> {
    let truncated = |needed| Invalid::cut_off(needed, game.len());
    let (first, steps) = game.split_first_chunk().ok_or(truncated(RECORD + STEP))?;
    let unended = || truncated(game.len() / STEP * STEP + STEP);
    Ok(match steps.as_chunks().0 {
        [steps @ .., [0, 0, 0, 0]] => (first, steps, Ok(())),
        steps => (first, steps, Err(unended())),
    })
}

type Split<'a> = (&'a Raw, &'a [[u8; STEP]], Result<(), Invalid>);

const MOVES: MoveBits = MoveBits {
    from: 0,
    to: 6,
    promotion: 12,
    kinds: [
        Kind::Normal,
        Kind::EnPassant,
        Kind::Castling,
        Kind::Promotion,
    ],
};

/// The bytes of a move with White's score of the position before it.
fn step(played: Capture, kind: Kind, score: i16) -> [u8; STEP] {
    let mut step = [0; STEP];
    put_word(&mut step, 0, MOVES.write(played, kind));
    put_word(&mut step, SCORE, score.cast_unsigned());
    step
}

/// A king that has moved may not castle, wherever it was.
#[inline(always)]
pub(crate) fn play(board: &mut Board, m: Capture, kind: Kind) -> Result<(), Invalid> {
    let king_moves = board.code_at(m.from_index()) == crate::position::KING_TO_MOVE;
    let ours = board.ours();
    board.play(m, kind)?;
    if king_moves {
        board.forbid_castling(ours);
    }
    Ok(())
}

/// Writes a game with positions marked; if some are dropped, split into games that can be
/// replayed. Positions without an action are dropped.
pub(super) fn rewrite(features: Features, game: &[u8], actions: &[Action], out: &mut Vec<u8>) {
    let Ok((first, steps, _)) = split(game) else {
        return;
    };
    if actions.iter().all(|&action| action == Action::Drop) {
        return;
    }
    let start = out.len() + RECORD;
    if actions.len() == steps.len() && !actions.contains(&Action::Drop) {
        out.extend_from_slice(first);
        out.extend_from_slice(steps.as_flattened());
        for (step, &action) in out[start..].as_chunks_mut().0.iter_mut().zip(actions) {
            mark(step, action);
        }
        return end(true, out);
    }
    let decoded = &steps[..actions.len().min(steps.len())];
    let mut actions = actions.iter();
    let mut open = false;
    let write = |board: &Board, step: &[u8; STEP]| {
        let Some(&action) = actions.next().filter(|action| **action != Action::Drop) else {
            return end(core::mem::take(&mut open), out);
        };
        if !open {
            let result = marlinformat::result(first);
            out.extend_from_slice(&marlinformat::pack(board, 0, result));
        }
        let mut step = *step;
        mark(&mut step, action);
        out.extend_from_slice(&step);
        open = true;
    };
    features.run(Boards(first, decoded, write));
    end(open, out);
}

/// Replaces the score by [`VALUE_NONE`] if the position is marked.
fn mark(step: &mut [u8; STEP], action: Action) {
    if action == Action::Mark {
        put_word(step, SCORE, VALUE_NONE.cast_unsigned());
    }
}
