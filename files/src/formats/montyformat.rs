//! Monty's games, read only, in its two formats: `montyformat` with the visits of the search, for
//! policies, and `montyvalue` without them, which bullet reads.
//!
//! A game is 43 bytes of its first position, steps, and the end. Little-endian, a1 is square 0:
//!
//! | bytes | holds |
//! |---|---|
//! | 0..8 | Black's pieces |
//! | 8..32 | rooks, queens, kings; knights, bishops, kings; pawns, bishops, queens |
//! | 32 | the side to move: 1 for Black |
//! | 33 | the en-passant target, 0 if none |
//! | 34 | castling rights: 8 and 4 White's with the rooks on the a- and the h-side, 2 and 1 Black's |
//! | 35..38 | the half-move clock, and the full-move number in two bytes |
//! | 38..42 | the files of those rooks, in this order; all 0 for the corners |
//! | 42 | the result, White's: 0 loss, 1 draw, 2 win |
//!
//! | a step of | has the move, and | ends with |
//! |---|---|---|
//! | `montyvalue` | White's score, i16 | four zero bytes |
//! | `montyformat` | the chance of the side to move, u16 of 65535; the number of legal moves, a byte or 0; a byte for each, its visits | two zero bytes |
//!
//! A chance p becomes 400 ln(p / (1 - p)) centipawns, as Monty itself writes scores. A certain
//! win or loss is 32767 or -32767. A move is
//!
//! | bits | holds |
//! |---|---|
//! | 0..4 | 1 two squares ahead, 2 castling with the rook on the h-side, 3 on the a-side, 4 a capture, 5 en passant, 8 to 11 promotion to knight, bishop, rook, queen, 12 to 15 with a capture |
//! | 4..10 | the target; for castling, the king's |
//! | 10..16 | the origin |

use shakmaty::Color;

use super::arise::rights_with_rook;
use super::board::{Board, Kind};
use super::error::FaultAt;
use super::fixed::{ep_square, word};
use super::games::{self, GameStep, Games, MAX_MOVES, endless};
use super::isa::Features;
use super::spec::FormatSpec;
use super::{Fault, Invalid, turned_score};
use crate::packed::{PAWN, packed_move};
use swaplist::fen::ply;
use swaplist::{PackedMove, Position};

pub(super) const POLICY_SPEC: FormatSpec = FormatSpec {
    extensions: &["montyformat"],
    record_tenths_of_a_byte: 400,
    can_mark: false,
    is_writable: false,
    ..games::spec::<Monty<true>>("montyformat")
};

pub(super) const VALUE_SPEC: FormatSpec = FormatSpec {
    extensions: &["montyvalue"],
    record_tenths_of_a_byte: 43,
    can_mark: false,
    is_writable: false,
    ..games::spec::<Monty<false>>("montyvalue")
};

/// With the visits of the search or without.
struct Monty<const VISITS: bool>;

const FIRST: usize = 43;
const RESULT: usize = 42;

type First = [u8; FIRST];

impl<const VISITS: bool> Games for Monty<VISITS> {
    const RESULT: usize = RESULT;

    fn length(bytes: &[u8]) -> Result<Option<usize>, String> {
        let mut at = FIRST;
        for _ in 0..=MAX_MOVES {
            let Some(step) = Step::read::<VISITS>(bytes, at) else {
                return Ok(None);
            };
            at += step.length;
            if step.is_end() {
                return Ok(Some(at));
            }
        }
        Err(endless())
    }

    fn replay(
        _: Features,
        game: &[u8],
        mut found: impl FnMut(usize, &Board, Position, GameStep),
    ) -> Result<(), FaultAt> {
        let cut_off = || Invalid::cut_off(game.len() + 1, game.len());
        let at_start = |fault| FaultAt { offset: 0, fault };
        let first: &First = game.first_chunk().ok_or_else(|| at_start(cut_off()))?;
        let (mut board, rooks, mut lost_rights) = board(first).map_err(at_start)?;
        let is_numbered = board.fullmoves > 0;
        let mut at = FIRST;
        loop {
            let at_step = |fault| FaultAt { offset: at, fault };
            let step = Step::read::<VISITS>(game, at).ok_or_else(|| at_step(cut_off()))?;
            if step.is_end() {
                return Ok(());
            }
            let position = board.position().map_err(|error| at_step(error.into()))?;
            let (played, kind) = played(&board, rooks, step.bits).map_err(at_step)?;
            let game_step = GameStep {
                played,
                score: if VISITS {
                    centipawns(step.score)
                } else {
                    let white = step.score.cast_signed().max(-i16::MAX);
                    turned_score(white.into(), board.turn)
                },
                ply: is_numbered.then(|| ply(board.fullmoves.into(), board.turn)),
            };
            // Rights without a rook are found with the first position, and end there.
            let mut before = board;
            before.castling |= core::mem::take(&mut lost_rights);
            board.advance(played, kind).map_err(at_step)?;
            found(at, &before, position, game_step);
            at += step.length;
        }
    }
}

/// A step, or the end of a game, which has neither move nor score.
struct Step {
    bits: u16,
    score: u16,
    length: usize,
}

impl Step {
    /// `None` if it is not whole.
    fn read<const VISITS: bool>(game: &[u8], at: usize) -> Option<Step> {
        let rest = game.get(at..)?;
        let bits = word(rest.first_chunk::<2>()?, 0);
        let (score, length) = if VISITS && bits == 0 {
            (0, 2)
        } else {
            let visits = if VISITS {
                1 + usize::from(*rest.get(4)?)
            } else {
                0
            };
            (word(rest.first_chunk::<4>()?, 2), 4 + visits)
        };
        (length <= rest.len()).then_some(Step {
            bits,
            score,
            length,
        })
    }

    const fn is_end(&self) -> bool {
        self.bits == 0 && self.score == 0
    }
}

/// The squares of the rooks that can have castling rights: White's on the a-side and the h-side,
/// and Black's.
type Rooks = [u32; 4];

/// The first position, the rooks of all rights, and the rights without a rook.
fn board(first: &First) -> Result<(Board, Rooks, u64), Invalid> {
    let (planes, _) = first.as_chunks();
    let [black, straight, knightly, pawnly] = [0, 1, 2, 3].map(|i| u64::from_le_bytes(planes[i]));
    let [turn_byte, ep_byte, rights, halfmoves] = [first[32], first[33], first[34], first[35]];
    let rook_files = [first[38], first[39], first[40], first[41]];
    if straight & knightly & pawnly != 0 || black & !(straight | knightly | pawnly) != 0 {
        let message = "a square with several pieces or only a colour";
        return Err(Invalid::new(Fault::PieceCode, message));
    }
    if turn_byte > 1 || rights > 15 || rook_files.iter().any(|&file| file > 7) {
        return Err(Invalid::other("not a side to move with castling rights"));
    }
    if first[RESULT] > 2 {
        return Err(Invalid::code(Fault::Outcome, first[RESULT]));
    }
    let turn = Color::from_white(turn_byte == 0);
    let mover = straight & knightly & turn.fold_wb(!black, black);
    let position = Position::from_bare_planes([pawnly | mover, knightly, straight, black])?;
    let ep = match ep_byte {
        0 => None,
        _ => Some(ep_square(ep_byte)?),
    };
    let files = match rook_files {
        [0, 0, 0, 0] => [0, 7, 0, 7],
        _ => rook_files,
    };
    let rooks = [0, 1, 2, 3].map(|i| u32::from(files[i]) + 56 * (i as u32 / 2));
    let allowed = (0..4)
        .filter(|i| rights << i & 8 != 0)
        .fold(0, |squares, i| squares | 1_u64 << rooks[i]);
    let castling = rights_with_rook(&position, allowed);
    let fullmoves = word(first, 36);
    let board = Board::new(&position.with_ep(ep), castling, halfmoves, fullmoves);
    Ok((board, rooks, allowed & !castling))
}

fn played(board: &Board, rooks: Rooks, bits: u16) -> Result<(PackedMove, Kind), Invalid> {
    let [from, target, flags] = [bits >> 10, bits >> 4 & 63, bits & 15].map(u32::from);
    let rooks_of_side = 2 * usize::from(board.turn.is_black());
    let (to, promotion, kind) = match flags {
        2 => (rooks[rooks_of_side + 1], 0, Kind::Castling),
        3 => (rooks[rooks_of_side], 0, Kind::Castling),
        5 => (target, 0, Kind::EnPassant),
        8.. => (target, (flags & 3) + 2, Kind::Promotion),
        _ => (target, 0, Kind::Normal),
    };
    let played = packed_move(from, to, promotion);
    let captures = u32::from(board.occupied() >> to & 1 == 1);
    let advances = u32::from(board.code_at(from) == PAWN && from ^ to == 16);
    let fits = match kind {
        Kind::Castling | Kind::EnPassant => true,
        Kind::Promotion => flags >> 2 & 1 == captures,
        Kind::Normal => flags == captures << 2 | advances,
    };
    fits.then_some((played, kind))
        .ok_or_else(|| Invalid::played(played, " has the flags of another move"))
}

/// The score of a chance in 65535ths.
fn centipawns(chance: u16) -> i32 {
    let chance = f64::from(chance) / f64::from(u16::MAX);
    // Beyond the range of numbers they become its ends.
    let score = (400.0 * (chance / (1.0 - chance)).ln()) as i16;
    score.max(-i16::MAX).into()
}
