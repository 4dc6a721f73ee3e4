//! The fast path through a chain, for ordinary moves.
//!
//! A move is ordinary unless it is castling, a promotion, a king's move with castling rights, or
//! played while there is an en-passant target. All other moves, and all faults, are left to
//! [`chain::next`], which decides every case; so this file can only be faster, never different.
//!
//! # The steps
//!
//! ```text
//! read the stem                                            chain::first
//! while moves are left:
//!     read any move                                        chain::next
//!     if it is an ordinary one:
//!         run: repeat                                      Run::next
//!             play the move on three bit planes and two sets of pieces
//!             stop if the other side has an en-passant capture, or the piece that moves next is a
//!                 king with castling rights or a pawn about to promote
//!             read the number of the next piece, of its target, and the score
//!             stop if one of them is not valid, or bits are missing
//!             add the position to the part
//!         put the state back for chain::next               Run::pause
//! ```
//!
//! # Why this way
//!
//! Everything about a position waits for the bits of the one before, so what counts is the length
//! of that chain of instructions. The next bits are kept in a register, loaded ahead; squares are
//! found as bits and turned into numbers only where they must be; and there are no branches on data
//! that cannot be predicted, such as the kind of piece or the length of a score. Positions are not
//! tested here: the caller of [`decode`] tests many at a time.
//!
//! # What must hold
//!
//! - A `Run` that stops has changed nothing: it returns `None`, and the caller keeps the state from
//!   before that move.
//! - Clocks are not kept, as no record of a part needs them; those who do walk the chain once more.

use shakmaty::Color;

use super::super::board::{Board, Kind};
use super::super::error::FaultAt;
use super::super::isa::{Features, Isa, IsaFn};
use super::super::legal::pawn_sees;
use super::super::notes::ScoreBits;
use super::super::{DecodedPart, Outcome, RecordFields};
use super::ChainOrigin;
use super::bits::Window;
use super::chain::{self, ChainStart, ChainStep};
use super::stem::lost_castling;
use crate::packed::{BISHOP, KING_TO_MOVE, KNIGHT, LAST_RANKS, PAWN, QUEEN, ROOK, packed_move};
use swaplist::attacks::{self, MASKS};
use swaplist::{PackedMove, Position};

/// Squares that a step towards h may end on, and one towards a.
const B_TO_H: u64 = 0xfefe_fefe_fefe_fefe;
const A_TO_G: u64 = 0x7f7f_7f7f_7f7f_7f7f;

/// What a chain holds of a position.
pub(super) struct ChainRecord {
    pub position: Position,
    pub played: PackedMove,
    /// The score of the side to move, in centipawns.
    pub score: i16,
    pub ply: u16,
    /// White's result, the same for the whole chain.
    pub result: i8,
    /// The bit of the movetext at which its score begins.
    pub score_start: usize,
    /// The bit at which its score ends.
    pub end: usize,
}

impl ChainRecord {
    #[inline(always)]
    pub(super) fn from_step(step: &ChainStep) -> ChainRecord {
        ChainRecord {
            position: step.position,
            played: step.state.played,
            score: step.state.score,
            ply: step.state.ply,
            result: step.state.white_result(),
            score_start: step.score_start,
            end: step.end,
        }
    }

    /// Adds it to a part. No closure does this, as the compiler may leave one uninlined.
    #[inline(always)]
    pub(super) fn add(&self, into: &mut DecodedPart, origin: &ChainOrigin) {
        into.positions.push(self.position);
        // Made anew: copying would copy padding, too.
        into.records.push(
            RecordFields::new(origin.place, origin.span.clone())
                .with_played(Some(self.played))
                .with_score(Some(self.score.into()))
                .with_outcome(Some(Outcome::from_white(self.result.into())))
                .with_ply(Some(self.ply.into())),
        );
        let score_bits = ScoreBits::new(self.score_start, self.end);
        into.notes.chains.score_bits.push(score_bits);
    }
}

/// Like [`walk`](chain::walk), but the side not to move may be in check in a position found.
/// Then the following positions and the returned length are meaningless.
#[inline]
pub(super) fn decode(
    features: Features,
    bytes: &[u8],
    into: &mut DecodedPart,
    origin: &ChainOrigin,
) -> Result<usize, FaultAt> {
    struct Decode<'a>(&'a [u8], &'a mut DecodedPart, &'a ChainOrigin);
    impl IsaFn for Decode<'_> {
        type Output = Result<usize, FaultAt>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let Decode(bytes, into, origin) = self;
            let ChainStart {
                mut step,
                text,
                moves: mut left,
            } = chain::first(isa, bytes)?;
            ChainRecord::from_step(&step).add(into, origin);
            while left > 0 {
                // The stem's move is unchecked, and special moves change more.
                chain::next(isa, text, &mut step).map_err(|fault| chain::at(&step, fault))?;
                ChainRecord::from_step(&step).add(into, origin);
                left -= 1;
                if step.state.kind == Kind::Normal && left > 0 {
                    let mut run = Run::after(&step, text);
                    left -= run.go_on(isa, text, left, into, origin);
                    run.pause(&mut step);
                }
            }
            Ok(chain::length(&step))
        }
    }
    features.run(Decode(bytes, into, origin))
}

/// A position with the ordinary move played in it.
#[derive(Clone, Copy)]
struct Run {
    /// Bits of the piece codes, as in [`Position`].
    planes: [u64; 3],
    /// The pieces of the side to move.
    ours: u64,
    theirs: u64,
    white: bool,
    /// The castling rights at the start, and the squares left or entered since.
    castling: u64,
    touched: u64,
    /// The code of the moving piece.
    code: u32,
    from: u32,
    to: u32,
    /// The bit of the square that it leaves.
    origin: u64,
    /// The bit of the square that it enters.
    target: u64,
    /// The side to move's.
    score: i16,
    ply: u16,
    /// White's result.
    result: i8,
    /// The bit of the movetext at which its score ends.
    end: usize,
    /// The next 27 or more bits: kept in a register, because everything that follows waits for
    /// them.
    ahead: Window,
}

impl Run {
    #[inline(always)]
    fn after(step: &ChainStep, text: &[u8]) -> Run {
        let ChainStep { state, .. } = step;
        let [bit0, bit1, bit2, _] = state.board.planes;
        let ours = state.board.ours();
        let from = state.played.from() as u32;
        let to = state.played.to() as u32;
        Run {
            planes: [bit0, bit1, bit2],
            ours,
            theirs: state.board.occupied() & !ours,
            white: state.board.turn.is_white(),
            castling: state.board.castling,
            touched: 0,
            code: state.board.code_at(from),
            from,
            to,
            origin: 1 << from,
            target: 1 << to,
            score: state.score,
            ply: state.ply,
            result: state.white_result(),
            end: step.end,
            ahead: Window::at(text, step.end),
        }
    }

    /// The state for [`chain::next`]. Clocks are not kept.
    #[inline(always)]
    fn pause(&self, step: &mut ChainStep) {
        let black = if self.white { self.theirs } else { self.ours };
        let [bit0, bit1, bit2] = self.planes;
        let position: Position = bytemuck::cast([bit0, bit1, bit2, black]);
        let state = &mut step.state;
        let castling = self.castling & !lost_castling(self.touched);
        state.board = Board::new(&position, castling, 0, 0);
        state.played = packed_move(self.from, self.to, 0);
        state.score = self.score;
        state.ply = self.ply;
        state.result = state.board.turn.fold_wb(self.result, -self.result);
        step.end = self.end;
    }

    /// Walks ordinary moves, at most `most`, and adds their positions to a part; returns how many.
    #[inline(always)]
    fn go_on<I: Isa>(
        &mut self,
        isa: I,
        text: &[u8],
        most: usize,
        into: &mut DecodedPart,
        origin: &ChainOrigin,
    ) -> usize {
        let mut run = *self;
        let mut count = 0;
        while count < most {
            let next = if run.white {
                run.next::<I, true>(isa, text)
            } else {
                run.next::<I, false>(isa, text)
            };
            let Some((next, position, score_start)) = next else {
                break;
            };
            run = next;
            count += 1;
            let record = ChainRecord {
                position,
                played: packed_move(run.from, run.to, 0),
                score: run.score,
                ply: run.ply,
                result: run.result,
                score_start,
                end: run.end,
            };
            record.add(into, origin);
        }
        *self = run;
        count
    }

    /// Plays the move and reads the next one. Returns the next run, its position and the bit at
    /// which its score begins; `None` if it is not ordinary, or faulty.
    #[inline(always)]
    fn next<I: Isa, const WHITE: bool>(
        &self,
        isa: I,
        text: &[u8],
    ) -> Option<(Run, Position, usize)> {
        let [bit0, bit1, bit2] = self.played();
        let pawns = bit0 & !bit1 & !bit2;
        // Until now `ours` are the pieces of the side that moves, from now on of the other one.
        let origin = self.origin;
        let target = self.target;
        let ours = self.theirs & !target;
        let theirs = self.ours ^ (origin | target);
        let beside = target << 1 & B_TO_H | target >> 1 & A_TO_G;
        // Computed by numbers, so that only rare cases branch.
        let is_not_two_steps = u32::from(self.code != PAWN) | self.from ^ self.to ^ 16;
        let en_passant = if is_not_two_steps == 0 {
            beside & pawns & ours
        } else {
            0
        };
        if en_passant != 0 {
            return None;
        }
        let occupied = ours | theirs;
        let black = if WHITE { ours } else { theirs };
        let position: Position = bytemuck::cast([bit0, bit1, bit2, black]);

        let pieces = ours.count_ones();
        let mut ahead = self.ahead;
        let number = ahead.number(pieces);
        let mut window = Window::at(text, self.end);
        window.skip(ahead.used());
        let next_origin = isa.nth_bit(ours, number);
        let from = next_origin.trailing_zeros() & 63;
        let code = (bit0 >> from & 1 | (bit1 >> from & 1) << 1 | (bit2 >> from & 1) << 2) as u32;
        let has = &ATTACKS[code as usize & 7];
        let masks = &MASKS[from as usize];
        let attacked = masks.knight & has.knight
            | masks.king & has.king
            | attacks::diagonal_attacks(from, occupied) & has.diagonal
            | attacks::straight_attacks(from, occupied) & has.straight;
        let turn = Color::from_white(!WHITE);
        let pawn = pawn_sees(turn, from, occupied, theirs) & has.pawn;
        if pawn & LAST_RANKS | self.castling & ours & has.king != 0 {
            return None;
        }
        let targets = attacked & !ours | pawn;
        let choices = targets.count_ones();
        let target_number = window.number(choices);
        let next_target = isa.nth_bit(targets, target_number);
        let score_start = self.end + window.used() as usize;
        let difference = window.take_score().ok()?;
        let end = self.end + window.used() as usize;
        if number >= pieces.into() || target_number >= choices.into() || end > text.len() * 8 {
            return None;
        }
        let next = Run {
            planes: [bit0, bit1, bit2],
            ours,
            theirs,
            white: !WHITE,
            castling: self.castling,
            touched: self.touched | origin | target,
            code,
            from,
            to: next_target.trailing_zeros() & 63,
            origin: next_origin,
            target: next_target,
            score: difference.wrapping_sub(self.score),
            ply: self.ply.saturating_add(1),
            result: self.result,
            end,
            ahead: window.rest(),
        };
        Some((next, position, score_start))
    }

    /// The planes after the move.
    #[inline(always)]
    fn played(&self) -> [u64; 3] {
        let left = !(self.origin | self.target);
        let moved = |bit: u32| u64::from(self.code >> bit & 1) << self.to;
        let bit0 = self.planes[0] & left | moved(0);
        let bit1 = self.planes[1] & left | moved(1);
        let bit2 = self.planes[2] & left | moved(2);
        // The other king is now the one to move.
        [bit0 ^ bit1 & bit2, bit1, bit2]
    }
}

/// Which attacks a piece code has, as masks: all squares or none.
struct AttackMasks {
    knight: u64,
    king: u64,
    diagonal: u64,
    straight: u64,
    pawn: u64,
}

/// The attacks of each piece code; the king that is not to move has none.
static ATTACKS: [AttackMasks; 8] = {
    let mut table = [const { AttackMasks::for_code(0) }; 8];
    let mut code = 1;
    while code < 8 {
        table[code as usize] = AttackMasks::for_code(code);
        code += 1;
    }
    table
};

impl AttackMasks {
    const fn for_code(code: u32) -> AttackMasks {
        const fn all_if(it_is: bool) -> u64 {
            if it_is { !0 } else { 0 }
        }
        AttackMasks {
            knight: all_if(code == KNIGHT),
            king: all_if(code == KING_TO_MOVE),
            diagonal: all_if(code == BISHOP || code == QUEEN),
            straight: all_if(code == ROOK || code == QUEEN),
            pawn: all_if(code == PAWN),
        }
    }
}
