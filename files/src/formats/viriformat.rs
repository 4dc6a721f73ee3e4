//! viriformat: whole games, written by viridithas and read by bullet.
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
//! A game with all positions kept is copied byte for byte. If positions are *dropped*, each run of
//! kept positions becomes a game with a new first record (castling rights, en-passant target and
//! clocks as played, the result, score 0), so every game in the output can be replayed. If they are
//! *marked*, their score becomes one that loaders refuse, and the game stays whole. Bytes of an
//! invalid game are never written: the format has no place for them.

mod marks;

use shakmaty::Color;

use super::board::{Board, Kind, MoveBits};
use super::convert::{OutputRecords, white_too_large_for_16_bits};
use super::cut::{Cut, CutUnit};
use super::error::FaultAt;
use super::fixed::{put_word, word};
use super::games::{self, GameStep, Games, MAX_MOVES, endless};
use super::isa::{Features, Isa, IsaFn};
use super::legal;
use super::marlinformat::{self, RESULT};
use super::pieces::{RECORD, Record32};
use super::spec::FormatSpec;
use super::{Action, Block, Fault, Invalid, Record, VALUE_NONE, turned_score};
use swaplist::Position;
use swaplist::fen::ply;

pub(crate) use marks::RecordMarks;

pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["viriformat", "vf", "viri"],
    shared_extensions: &["bin", "binpack"],
    // Four bytes a move, and some for the first record of a game.
    record_tenths_of_a_byte: 43,
    single_bytes: Some(RECORD + 2 * STEP),
    skips_unscored: true,
    filters_on_gpu: true,
    is_convertible_to: true,
    ..games::spec::<Viriformat>("viriformat")
};

/// Whether all games of a block say which move they begin with, as rules about the ply need.
pub(crate) fn are_numbered(block: &Block, cut: &Cut) -> bool {
    cut.units.iter().all(|game| {
        let first = block.slice(&game.bytes).first_chunk();
        first.is_some_and(|first| marlinformat::fullmoves(first) > 0)
    })
}

/// Bytes of a move and its score.
const STEP: usize = 4;
const SCORE: usize = 2;

/// The score of a step, for the side to move.
#[inline(always)]
fn score(step: &[u8; STEP], turn: Color) -> i32 {
    turned_score(word(step, SCORE).cast_signed().into(), turn)
}

/// The four zero bytes after the last move of a game.
const END: [u8; STEP] = [0; STEP];

fn end_if_open(is_open: bool, out: &mut Vec<u8>) {
    if is_open {
        out.extend_from_slice(&END);
    }
}

/// The number of the first step that is all zeros, which ends a game.
///
/// Blocks are cut off where a game ends, so all steps are looked at. Eight are compared at a time,
/// without a branch for each one: the compiler makes vector instructions of that, which took 0.4 ns
/// a step instead of 0.6 even without AVX2.
#[inline(always)]
fn find_end(steps: &[[u8; STEP]]) -> Option<usize> {
    let is_end = |step: &[u8; STEP]| u32::from_ne_bytes(*step) == 0;
    let (groups, _) = steps.as_chunks::<8>();
    let groups_before = groups.iter().take_while(|group| {
        // All bits of a step's mask are set if it is an end, as in a vector's comparison.
        let masks = group
            .iter()
            .map(|step| u32::from(is_end(step)).wrapping_neg());
        masks.fold(0, |all, mask| all | mask) == 0
    });
    let passed = 8 * groups_before.count();
    let end = steps[passed..].iter().position(is_end)?;
    Some(passed + end)
}

/// A first record, steps of a move and White's score, four zero bytes.
struct Viriformat;

impl Games for Viriformat {
    const RESULT: usize = RESULT;

    #[inline(always)]
    fn length(bytes: &[u8]) -> Result<Option<usize>, String> {
        let (steps, _) = bytes.get(RECORD..).unwrap_or_default().as_chunks();
        match find_end(&steps[..steps.len().min(MAX_MOVES + 1)]) {
            Some(moves) => Ok(Some(RECORD + (moves + 1) * STEP)),
            None if steps.len() > MAX_MOVES => Err(endless()),
            None => Ok(None),
        }
    }

    fn replay(
        features: Features,
        game: &[u8],
        found: impl FnMut(usize, &Board, Position, GameStep),
    ) -> Result<(), FaultAt> {
        features.run(Replay(game, found))
    }

    /// `None` if a game has no move: a device would find no record in it, and could not report that
    /// its first record is invalid. The CPU does.
    fn cut(block: &Block) -> Option<Cut> {
        let mut cut = Cut::default();
        let mut start = 0;
        for &end in games::game_ends::<Viriformat>(block).iter() {
            let game = block.slice(&(start..end));
            let result = *game.get(RESULT)?;
            let records = (game.len() - RECORD) / STEP - 1;
            if records == 0 || result > 2 {
                return None;
            }
            cut.units.push(CutUnit {
                bytes: start..end,
                records: records as u32,
                result,
            });
            start = end;
        }
        // After the last game there may be an incomplete one.
        (start as usize == block.bytes.len()).then_some(cut)
    }

    /// Positions without an action are dropped. If some are, the game is split into games that can
    /// be replayed.
    fn select(features: Features, game: &[u8], actions: &[Action], out: &mut Vec<u8>) {
        let Ok(GameParts { first, steps, .. }) = GameParts::from_bytes(game) else {
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
            return out.extend_from_slice(&END);
        }
        let decoded_steps = &steps[..actions.len().min(steps.len())];
        let mut actions = actions.iter();
        let mut is_game_open = false;
        features.run(Boards(
            first,
            decoded_steps,
            |board: &Board, step: &[u8; STEP]| {
                let Some(&action) = actions.next().filter(|action| **action != Action::Drop) else {
                    return end_if_open(core::mem::take(&mut is_game_open), out);
                };
                if !is_game_open {
                    out.extend_from_slice(&marlinformat::pack(board, 0, first[RESULT]));
                }
                let mut step = *step;
                mark(&mut step, action);
                out.extend_from_slice(&step);
                is_game_open = true;
            },
        ));
        end_if_open(is_game_open, out);
    }

    fn cannot_hold(score: Option<i32>, record: &Record) -> Option<String> {
        white_too_large_for_16_bits(score, record)
    }

    fn write(records: OutputRecords<'_>, out: &mut Vec<u8>) {
        // The board after the game's last move, and its result.
        let mut open_game: Option<(Board, u8)> = None;
        records.each(|record| {
            // Records without a move, or whose move cannot be played, were refused before.
            let Some(played) = record.source.fields.played() else {
                return;
            };
            let score = record.white_score();
            let result = record.white_result();
            let board = record.source.board();
            let kind = board.kind(played);
            let mut next = board;
            if next.advance(played, kind).is_err() {
                return;
            }
            let continues = open_game.as_ref().is_some_and(|(expected, of_game)| {
                *of_game == result && legal::goes_on(expected, &board)
            });
            if !continues {
                end_if_open(open_game.is_some(), out);
                out.extend_from_slice(&marlinformat::pack(&board, 0, result));
            }
            let mut step = [0; STEP];
            put_word(&mut step, 0, MOVES.write(played, kind));
            put_word(&mut step, SCORE, score.cast_unsigned());
            out.extend_from_slice(&step);
            open_game = Some((next, result));
        });
        end_if_open(open_game.is_some(), out);
    }
}

/// A game, and what to call with each of its positions.
struct Replay<'a, F>(&'a [u8], F);

impl<F: FnMut(usize, &Board, Position, GameStep)> IsaFn for Replay<'_, F> {
    type Output = Result<(), FaultAt>;

    #[inline(always)]
    fn run<I: Isa>(self, isa: I) -> Self::Output {
        let Replay(game, mut found) = self;
        let at_start = |fault| FaultAt { offset: 0, fault };
        let parts = GameParts::from_bytes(game).map_err(at_start)?;
        let mut board = marlinformat::board(isa, parts.first).map_err(at_start)?;
        let is_numbered = board.fullmoves > 0;
        for (i, step) in parts.steps.iter().enumerate() {
            let offset = RECORD + i * STEP;
            let at = |fault| FaultAt { offset, fault };
            let position = board.position().map_err(|error| at(error.into()))?;
            let (played, kind) = MOVES.read(word(step, 0));
            if played.from() == played.to() {
                return Err(at(Invalid::new(Fault::PlayedMove, "a null move in a game")));
            }
            let game_step = GameStep {
                played,
                score: score(step, board.turn),
                ply: is_numbered.then(|| ply(board.fullmoves.into(), board.turn)),
            };
            // A position whose move cannot be played is not a record.
            let before = board;
            board.advance(played, kind).map_err(at)?;
            found(offset, &before, position, game_step);
        }
        if parts.is_ended {
            return Ok(());
        }
        // Where the next step or the end would begin.
        let offset = game.len() / STEP * STEP;
        Err(FaultAt {
            offset,
            fault: Invalid::cut_off(offset + STEP, game.len()),
        })
    }
}

/// Calls a function with each step and the board before it. They were decoded, so nothing is
/// checked again: by [`Replay`], a filter would take 4 % longer.
struct Boards<'a, F>(&'a Record32, &'a [[u8; STEP]], F);

impl<F: FnMut(&Board, &[u8; STEP])> IsaFn for Boards<'_, F> {
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
            if board.advance(played, kind).is_err() {
                return;
            }
        }
    }
}

/// The parts of a game.
struct GameParts<'a> {
    /// The record of the first position.
    first: &'a Record32,
    /// The moves with their scores.
    steps: &'a [[u8; STEP]],
    /// Whether the four zero bytes are there.
    is_ended: bool,
}

impl GameParts<'_> {
    /// Fails if the first record is not whole.
    fn from_bytes(game: &[u8]) -> Result<GameParts<'_>, Invalid> {
        let (first, steps) = game
            .split_first_chunk()
            .ok_or_else(|| Invalid::cut_off(RECORD + STEP, game.len()))?;
        Ok(match steps.as_chunks().0 {
            [steps @ .., [0, 0, 0, 0]] => GameParts {
                first,
                steps,
                is_ended: true,
            },
            steps => GameParts {
                first,
                steps,
                is_ended: false,
            },
        })
    }
}

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

/// Replaces the score by [`VALUE_NONE`] if the position is marked.
fn mark(step: &mut [u8; STEP], action: Action) {
    if action == Action::Mark {
        put_word(step, SCORE, VALUE_NONE.cast_unsigned());
    }
}
