//! viriformat: whole games, as viridithas writes and bullet reads.
//!
//! A game is a [`marlinformat`] record of its first position, then four
//! bytes a move, then four zero bytes. A move is 16 bits, then White's score
//! of the position *before* it, i16:
//!
//! | bits | holds |
//! |---|---|
//! | 0..6 | the origin square |
//! | 6..12 | the target; for castling, the king's own rook |
//! | 12..14 | the promotion: knight, bishop, rook, queen |
//! | 14..16 | 1 en passant, 2 castling, 3 promotion, 0 anything else |
//!
//! Chess960 games castle from any square. The score and full-move number in the
//! first record may be zero.
//!
//! # What a filter writes
//!
//! A game of which every position is kept is copied byte for byte. Where
//! positions are *dropped*, the game is cut: each run of kept positions becomes
//! a game of its own that begins with a fresh record of its first position
//! (castling rights, en-passant target and clocks as played, the result, score
//! 0), so every game in the output replays. Where they are *marked*, their score
//! becomes one that loaders refuse and the game stays whole.

mod stream;

use super::board::{Board, Kind};
use super::convert::{Kept, no_place_for_white_in_16_bits};
use super::isa::{Features, Isa, Task};
use super::marlinformat::{self, RECORD, Raw};
use super::row::{Row, Target};
use super::{EncodeError, Fault, Open, Part, VALUE_NONE};
use crate::{Capture, Position};
use stream::{GameCodec, GameReader};

pub(super) const ROW: Row = Row {
    extensions: &["vf", "viri", "viriformat"],
    shared_extensions: &["bin", "binpack"],
    tenths_of_a_record: 43,
    units: Some("games"),
    has_parts: true,
    skips_unscored: true,
    needs: &[Part::Played, Part::Score, Part::Result],
    forms: &[(Part::Clocks, "the number of the first move")],
    target: Some(Target {
        no_place: no_place_for_white_in_16_bits,
        write,
    }),
    ..Row::new(
        "viriformat",
        |input, block_bytes| Box::new(GameReader::new(input, block_bytes)),
        |path| Box::new(GameCodec(Features::of(path))),
    )
};

/// Bytes of a move and its score.
const STEP: usize = 4;

/// More moves than any game has, and a bound on what one game takes in memory.
const MAX_MOVES: usize = 1 << 16;

/// A position of a game, with the move played in it.
struct Found {
    position: Position,
    played: Capture,
    /// White's.
    score: i16,
    /// Half-moves since the start of the game, by the full-move number, if the
    /// game has one.
    ply: Option<u32>,
}

fn write(records: Kept<'_>, out: &mut Vec<u8>, _: &mut Open) -> Result<(), EncodeError> {
    // The board behind the last move of the game, and its result.
    let mut open: Option<(Board, u8)> = None;
    for record in records {
        let (score, result) = (record.white_score()?, record.white_result()?);
        let (played, kind) = record.played()?;
        let (step, next) = step(&record.board, played, kind, score)
            .map_err(|fault| record.error(fault.to_string()))?;
        if open != Some((record.board, result)) {
            end(open.is_some(), out);
            out.extend_from_slice(&marlinformat::pack(&record.board, 0, result));
        }
        out.extend_from_slice(&step);
        open = Some((next, result));
    }
    end(open.is_some(), out);
    Ok(())
}

/// Ends a game, if there is one.
fn end(is_open: bool, out: &mut Vec<u8>) {
    if is_open {
        out.extend_from_slice(&[0; STEP]);
    }
}

/// How many bytes the first game takes, its four zero bytes included; `None` if
/// it goes on behind these bytes.
///
/// # Errors
///
/// [`Fault::EndlessGame`] if it has more than [`MAX_MOVES`] moves.
fn game_length(bytes: &[u8]) -> Result<Option<usize>, Fault> {
    let steps = bytes.get(RECORD..).unwrap_or_default();
    let end = steps
        .chunks_exact(STEP)
        .take(MAX_MOVES + 1)
        .position(|step| step == [0; STEP]);
    match end {
        Some(moves) => Ok(Some(RECORD + (moves + 1) * STEP)),
        None if steps.len() / STEP > MAX_MOVES => Err(Fault::EndlessGame(MAX_MOVES)),
        None => Ok(None),
    }
}

/// The result of a game, White's: 0 loss, 1 draw, 2 win.
fn result(game: &[u8]) -> Option<u8> {
    game.first_chunk().map(marlinformat::result)
}

/// Calls `found` with each position of one whole game, as framed by [`game_length`], and
/// its board.
///
/// # Errors
///
/// The offset of the bytes at fault, from the game's start, and the [`Fault`].
/// Positions before them have been found by then.
fn replay(
    features: Features,
    game: &[u8],
    found: impl FnMut(&Board, Found),
) -> Result<(), (usize, Fault)> {
    struct Replay<'a, F>(&'a [u8], F);
    impl<F: FnMut(&Board, Found)> Task for Replay<'_, F> {
        type Output = Result<(), (usize, Fault)>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            replay_with(isa, self.0, self.1)
        }
    }
    features.run(Replay(game, found))
}

#[inline(always)]
fn replay_with<I: Isa>(
    isa: I,
    game: &[u8],
    mut found: impl FnMut(&Board, Found),
) -> Result<(), (usize, Fault)> {
    let (first, steps, ended) = split(game).map_err(|fault| (0, fault))?;
    let mut board = marlinformat::board(isa, first).map_err(|fault| (0, fault))?;
    let numbered = board.fullmoves() > 0;
    for (i, step) in steps.iter().enumerate() {
        let at = |fault| (RECORD + i * STEP, fault);
        let position = board.position().map_err(|error| at(error.into()))?;
        let (played, kind) = read_move(step).map_err(at)?;
        let ply = Found {
            position,
            played,
            score: i16::from_le_bytes([step[2], step[3]]),
            ply: numbered.then(|| ply(&board)),
        };
        found(&board, ply);
        play(&mut board, played, kind).map_err(at)?;
    }
    ended.map_err(|fault| (game.len() - game.len() % STEP, fault))
}

/// The first record, the steps without the zero bytes, and whether these are
/// there.
fn split(game: &[u8]) -> Result<Split<'_>, Fault> {
    let truncated = |needed| Fault::Truncated {
        needed,
        left: game.len(),
    };
    let (first, steps) = game.split_first_chunk().ok_or(truncated(RECORD + STEP))?;
    Ok(match steps.as_chunks().0 {
        [steps @ .., [0, 0, 0, 0]] => (first, steps, Ok(())),
        steps => (
            first,
            steps,
            Err(truncated(game.len() / STEP * STEP + STEP)),
        ),
    })
}

type Split<'a> = (&'a Raw, &'a [[u8; STEP]], Result<(), Fault>);

fn ply(board: &Board) -> u32 {
    let moves = u32::from(board.fullmoves()).saturating_sub(1);
    moves * 2 + u32::from(board.turn().is_black())
}

#[inline(always)]
fn read_move(step: &[u8; STEP]) -> Result<(Capture, Kind), Fault> {
    let bits = u32::from(u16::from_le_bytes([step[0], step[1]]));
    let kind = match bits >> 14 {
        0 => Kind::Normal,
        1 => Kind::EnPassant,
        2 => Kind::Castling,
        _ => Kind::Promotion,
    };
    let promotion = match kind {
        Kind::Promotion => (bits >> 12 & 3) + 2,
        _ => 0,
    };
    let (from, to) = (bits & 63, bits >> 6 & 63);
    if from == to {
        return Err(Fault::NullMove);
    }
    Ok((Capture::from_parts(from, to, promotion), kind))
}

/// The bytes of a move with White's score of the position before it, and the
/// board behind it.
///
/// # Errors
///
/// The [`Fault`] of a move that cannot be played.
pub(crate) fn step(
    board: &Board,
    played: Capture,
    kind: Kind,
    score: i16,
) -> Result<([u8; STEP], Board), Fault> {
    let mut next = *board;
    play(&mut next, played, kind)?;
    let (code, promotion) = match kind {
        Kind::Normal => (0, 0),
        Kind::EnPassant => (1, 0),
        Kind::Castling => (2, 0),
        Kind::Promotion => (3, played.promotion_code().saturating_sub(2)),
    };
    let bits = played.from_index() | played.to_index() << 6 | promotion << 12 | code << 14;
    let [low, high] = (bits as u16).to_le_bytes();
    let [score_low, score_high] = score.to_le_bytes();
    Ok(([low, high, score_low, score_high], next))
}

/// A king that has moved castles no more, from wherever it stood.
#[inline(always)]
fn play(board: &mut Board, m: Capture, kind: Kind) -> Result<(), Fault> {
    let king_moves = board.code_at(m.from_index()) == crate::position::KING_TO_MOVE;
    let ours = board.ours();
    board.play(m, kind)?;
    if king_moves {
        board.forbid_castling(ours);
    }
    Ok(())
}

/// Writes a game without some of its positions, cut into games that replay.
/// `kept` says of each position whether it stays.
///
/// # Errors
///
/// As [`replay`]. The kept positions before the fault have been written by
/// then.
fn drop_positions(
    features: Features,
    game: &[u8],
    kept: impl Fn(usize) -> bool,
    out: &mut Vec<u8>,
) -> Result<(), (usize, Fault)> {
    let (_, steps, ended) = split(game).map_err(|fault| (0, fault))?;
    let all_kept = (0..steps.len()).all(&kept);
    if all_kept && ended.is_ok() && !steps.is_empty() {
        out.extend_from_slice(game);
        return Ok(());
    }
    let result = result(game).unwrap_or_default();
    let mut index = 0;
    let mut open = false;
    let replayed = replay(features, game, |board, _| {
        let keep = kept(index);
        if keep && !open {
            out.extend_from_slice(&marlinformat::pack(board, 0, result));
        }
        if keep {
            out.extend_from_slice(&steps[index]);
        } else {
            end(open, out);
        }
        open = keep;
        index += 1;
    });
    end(open, out);
    replayed
}

/// Writes a game whole, the scores of positions that are not `kept` replaced by
/// [`VALUE_NONE`].
fn mark_positions(game: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
    let Ok((first, steps, _)) = split(game) else {
        return;
    };
    out.extend_from_slice(first);
    for (index, step) in steps.iter().enumerate() {
        out.extend_from_slice(step);
        if !kept(index)
            && let Some(score) = out.last_chunk_mut()
        {
            *score = VALUE_NONE.to_le_bytes();
        }
    }
    out.extend_from_slice(&[0; STEP]);
}
