//! Which positions exceed bounds, in lanes: a screen decides most of them, the others go through
//! all stages.
//!
//! For each position there are up to three questions. Can the side to move win more than a bound by
//! a capture? Could its opponent, if it were to move? And could the opponent win something on two
//! squares? `screen.rs` decides most positions from attack maps alone, one position per lane,
//! without a list of targets or moves. Those that stay undecided are decided by `stages.rs`, 256 at
//! a time, with moves and exchanges.
//!
//! Scalar code for the same answers: `Rules::exceeds` in `verdict.rs`. The CPU backend
//! (`backend.rs`) uses this file for every question about bounds, and `path.rs` and `unit.rs`
//! choose between the three methods of [`BoundsKernel`].
//!
//! # The steps
//!
//! ```text
//! for each stretch of 4,096 positions, for each question:
//!     until all are screened and none is undecided:
//!         screen registers of positions until 256 are undecided; write their answers as decided
//!         run all stages on the undecided ones, with the victims in question; write their answers
//! ```
//!
//! Positions of a stretch that are undecided fill whole blocks, except the last one.
//!
//! # Why this way
//!
//! At bound 0, asked only about the side to move, the screen decides 73 % of the positions of human
//! games, in 5.9 ns each with AVX-512. All stages take 35 ns to find a position's exact best SEE,
//! its verdict (`docs/performance.md`, with what did not help). A vector unit that has [`Simd`] but
//! not [`Stages`], as WebAssembly's, runs the screen too, and leaves the rest to the scalar code
//! (`by_screen` below).
//!
//! # What must hold
//!
//! - The question about the side to move comes first in [`Limits::all`]. The loop that answers it
//!   writes whole answers, and with them clears both flags about the opponent. The loops of the
//!   opponent's two questions read from these answers who is in check, and set one flag each. In
//!   another order flags would be lost in silence. A debug assertion in [`Limits::all`]
//!   (`screen.rs`) demands that no question about the opponent comes before the one about the side
//!   to move. (Among themselves the opponent's two questions could come in either order.)

use core::ops::Range;

use bytemuck::Zeroable as _;

use super::exchange::LaneRules;
use super::lanes::{
    LANE_NUMBERS, MAX_LANES, Mask, MaskOf, PerLane, Sets, Simd, Stages, Word as _, each,
};
use super::screen::{Limits, ScreenResult, screen};
use super::stages::{BLOCK, BlockState, MOVE_BITS};
use super::unit::LaneKernel;
use crate::captures::Generator;
use crate::{Bounds, BoundsExceeded, Position, Rules};

/// Positions screened for one question before the next one: their 128 KiB stay in a cache for all
/// three questions, and so many of them are undecided that they fill blocks for the stages, except
/// the last block of a stretch.
const STRETCH: usize = 4096;

/// Finds which bounds each position exceeds: one answer for each position, in their order.
#[derive(Clone, Copy)]
pub(crate) struct BoundsKernel<'a> {
    /// The positions asked about. The methods get a range of them, as threads share the work.
    pub positions: &'a [Position],
    /// The bounds. Each one that is set is a question; with none, only "in check" is found.
    pub bounds: Bounds,
}

impl LaneKernel for BoundsKernel<'_> {
    type Answer = BoundsExceeded;

    // Without lanes: under `Pins::Legal`, whose exchanges exist only as scalar code, and on the
    // scalar path (`path.rs`), which machines without a vector unit have.
    fn one_by_one(self, positions: Range<usize>, rules: &Rules, exceeds: &mut [BoundsExceeded]) {
        for (position, exceeds) in self.positions[positions].iter().zip(exceeds) {
            *exceeds = rules.exceeds(position, self.bounds);
        }
    }

    // Screen and stages, for the units that have [`Stages`]: AVX2 and AVX-512.
    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let questions = Limits::all(rules, self.bounds);
        // With these rules (`LaneRules::above` in `exchange.rs`) an exchange goes on only until it
        // is known whether the SEE exceeds the bound. The question about two squares has the bound
        // 0, and a question that is not asked `i32::MAX`, which no SEE exceeds.
        //
        // The question about the side to move is screened even if it is not asked, because the
        // screen also finds out who is in check. It then leaves undecided only the positions
        // without exactly one king: its "in check" may be wrong there, and `decide` writes it anew.
        let rules = [
            LaneRules::above(simd, rules, questions[0].bound),
            LaneRules::above(simd, rules, questions[1].bound),
            LaneRules::above(simd, rules, questions[2].bound),
        ];
        // One state for all questions, as it takes 37 KB: only its rules are replaced.
        let mut state = BlockState::new(simd, &rules[0]);
        let mut undecided = UndecidedList::new();
        let stretches = self.positions[positions].chunks(STRETCH);
        for (positions, exceeds) in stretches.zip(exceeds.chunks_mut(STRETCH)) {
            for (limits, rules) in questions.iter().zip(&rules) {
                state.rules = rules;
                let mut start = first_to_screen(limits, positions);
                // Each turn: screen until a block is undecided or nothing is left to screen, then
                // decide up to a block. At the end of a stretch `undecided` is empty again.
                while start < positions.len() || undecided.len() > 0 {
                    start = screen_block(simd, positions, start, limits, &mut undecided, exceeds);
                    state.decide(positions, limits, &mut undecided, exceeds);
                }
            }
        }
    }

    // For the units that have only [`Simd`], as WebAssembly's: whatever the screen leaves undecided
    // is decided by scalar code, position by position.
    #[inline(always)]
    fn by_screen<S: Simd>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        exceeds: &mut [BoundsExceeded],
    ) {
        let positions = &self.positions[positions];
        let mut undecided = UndecidedList::new();
        for limits in &Limits::all(rules, self.bounds) {
            let mut start = first_to_screen(limits, positions);
            while start < positions.len() {
                start = screen_block(simd, positions, start, limits, &mut undecided, exceeds);
                while let Some((targets, owner)) = undecided.pop() {
                    let position = &positions[owner as usize];
                    let exceeds = &mut exceeds[owner as usize];
                    // `beats` (`verdict.rs`) says whether a capture of these targets, or any
                    // promotion, exceeds the bound. In two cases it is not asked, and
                    // `Rules::exceeds` answers all questions about the position once more:
                    // - The question is about the opponent: it may ask on how many squares it wins.
                    // - All squares are in question. The screen does not say which of three things
                    //   is the reason: an en-passant capture, which `beats` does not get here; not
                    //   exactly one king; or a pawn one step from promotion. Only for the last one
                    //   `beats` would be enough.
                    //
                    // `Rules::exceeds` writes the flags of the other questions, too. That does no
                    // harm: each question's own loop, earlier or later, writes the same flag.
                    if limits.opponent || targets == !0 {
                        *exceeds = rules.exceeds(position, self.bounds);
                    } else {
                        let moves = Generator::new(position, position.turn());
                        let en_passant = None; // where there is one, all squares are in question
                        let see = rules.beats(position, &moves, targets, en_passant, limits.bound);
                        *exceeds = exceeds.with_see(see);
                    }
                }
            }
        }
    }
}

/// Positions that the screen could not decide. An entry is a set of squares with a tag: the set has
/// the victims whose capture may exceed the bound (`ScreenResult::targets` in `screen.rs`), the tag
/// is the position's index in the slice that is screened. A register is screened only while fewer
/// than `BLOCK` entries are listed, so before it there are at most `BLOCK - 1`. [`Simd::pick`]
/// appends the selected lanes, but writes a whole register: up to `MAX_LANES` more entries. So
/// `BLOCK + MAX_LANES` would be enough; two blocks are a round number.
type UndecidedList = Sets<{ 2 * BLOCK }>;

/// Where the screen begins: at the first position; or after the last one, so that nothing is
/// screened, if the question is about the opponent and there is no bound for it. The side to move
/// is always screened: whether it is in check is asked even without a bound.
#[inline(always)]
fn first_to_screen(limits: &Limits, positions: &[Position]) -> usize {
    if limits.is_bounded() || !limits.opponent {
        0
    } else {
        positions.len()
    }
}

/// The answers of four positions at once. The index has four bits for "in check", one for each
/// position, and above them four for "exceeds the bound". It is a table because the compiler makes
/// slow code for flags that are set one by one. Both flags about the opponent are false in all of
/// its answers.
static ANSWERS: [[BoundsExceeded; 4]; 256] = {
    let mut table = [[BoundsExceeded::from_bits(0); 4]; 256];
    let mut i = 0;
    while i < 4 * 256 {
        let in_check = (i / 4) >> (i % 4) & 1 != 0;
        let see = (i / 4) >> (4 + i % 4) & 1 != 0;
        table[i / 4][i % 4] = table[i / 4][i % 4].with_in_check(in_check).with_see(see);
        i += 1;
    }
    table
};

/// The highest key of a move that does not exceed a bound. `stages.rs` compares moves by their
/// keys, and keeps the highest key of each position in `best`. A key has the SEE in its upper bits,
/// and below it the 16 bits of the inverted move: of equal SEEs the smallest move has the highest
/// key. Here these 16 bits are all ones, so every key with this SEE is at most this one, and every
/// key above it has a higher SEE.
#[inline(always)]
fn highest_key_within(bound: i32) -> i64 {
    i64::from(bound) << 16 | i64::from(MOVE_BITS)
}

/// Screens positions from `start` on, until a block of them is undecided or all are screened.
/// Writes the answers of those that are decided, and returns where to go on.
#[inline(always)]
fn screen_block<S: Simd>(
    simd: S,
    positions: &[Position],
    start: usize,
    limits: &Limits,
    undecided: &mut UndecidedList,
    exceeds: &mut [BoundsExceeded],
) -> usize {
    // The same code twice, with the side as a constant: that is faster than to test it in the loop.
    if limits.opponent {
        screen_side::<true, S>(simd, positions, start, limits, undecided, exceeds)
    } else {
        screen_side::<false, S>(simd, positions, start, limits, undecided, exceeds)
    }
}

/// [`screen_block`], for the opponent of the side to move or for that side.
#[inline(always)]
fn screen_side<const OPPONENT: bool, S: Simd>(
    simd: S,
    positions: &[Position],
    mut start: usize,
    limits: &Limits,
    undecided: &mut UndecidedList,
    exceeds: &mut [BoundsExceeded],
) -> usize {
    // For the last positions, fewer than `MAX_LANES`: they are copied into these arrays, since a
    // register is read and written as `MAX_LANES` entries. (A unit with fewer lanes takes several
    // turns over them.) What pads them, empty or stale positions, is screened too, but
    // `screen_lanes` masks it out.
    let mut padded_positions = [Position::zeroed(); MAX_LANES];
    let mut padded_answers = [BoundsExceeded::default(); MAX_LANES];
    while start < positions.len() && undecided.len() < BLOCK {
        let positions = &positions[start..];
        let exceeds = &mut exceeds[start..];
        let count = S::LANES.min(positions.len());
        // The tags of the positions, should they be undecided.
        let indices: PerLane = each(LANE_NUMBERS, |i| start as u32 + i);
        // One call of `screen_lanes` for both cases, as all of it is compiled in place. `whole` has
        // both arrays if at least `MAX_LANES` positions are left.
        let whole = (positions.first_chunk(), exceeds.first_chunk_mut());
        let (lanes, answers) = if let (Some(lanes), Some(answers)) = whole {
            (lanes, answers)
        } else {
            padded_positions[..count].copy_from_slice(&positions[..count]);
            padded_answers[..count].copy_from_slice(&exceeds[..count]);
            (&padded_positions, &mut padded_answers)
        };
        let result = screen_lanes::<OPPONENT, S>(simd, lanes, count, limits, answers);
        if positions.len() < MAX_LANES {
            exceeds[..count].copy_from_slice(&padded_answers[..count]);
        }
        simd.pick(
            result.undecided,
            result.targets,
            simd.load(&indices),
            undecided,
        );
        start += S::LANES;
    }
    start
}

/// Screens one register of positions, of which the first `count` are asked about, and writes their
/// answers. An undecided one gets the answer "not exceeded", until somebody decides it. The result
/// has only the undecided lanes that are asked about.
#[inline(always)]
fn screen_lanes<const OPPONENT: bool, S: Simd>(
    simd: S,
    positions: &[Position; MAX_LANES],
    count: usize,
    limits: &Limits,
    answers: &mut [BoundsExceeded; MAX_LANES],
) -> ScreenResult<S> {
    let mut result = screen(simd, limits, positions.each_ref(), OPPONENT);
    let mut lanes = simd.first_lanes(count);
    if OPPONENT {
        // In check there is no threat, as the side to move cannot pass: these lanes are not
        // undecided, and their flags become false.
        lanes = lanes & not_in_check(simd, answers);
    }
    let in_check = result.in_check.bits();
    let exceeding = (lanes & result.exceeds).bits();
    if OPPONENT {
        for (i, answer) in answers[..S::LANES].iter_mut().enumerate() {
            *answer = with_threat(*answer, limits, exceeding >> i & 1 != 0);
        }
    } else {
        // This writes whole answers and clears both flags about the opponent, so the pass of the
        // side to move must come before the opponent's: see `Limits::all`. Four answers are written
        // at a time, also by a unit of two lanes, which leaves the last two wrong. If `answers` is
        // not padded, at least `MAX_LANES` positions are left, so the next turn of `screen_side`
        // overwrites these two. If it is, they do no harm: only `count` answers are copied back.
        let (fours, _) = answers[..S::LANES.max(4)].as_chunks_mut();
        for (i, four) in fours.iter_mut().enumerate() {
            let four_in_check = in_check >> (4 * i) & 15;
            let four_exceeding = exceeding >> (4 * i) & 15;
            *four = ANSWERS[(four_in_check | four_exceeding << 4) as usize];
        }
    }
    result.undecided = lanes & result.undecided;
    result
}

impl<S: Stages> BlockState<'_, S> {
    /// Takes up to a block of undecided positions off the list, runs all stages on them, and writes
    /// their answers.
    #[inline(always)]
    fn decide(
        &mut self,
        positions: &[Position],
        limits: &Limits,
        undecided: &mut UndecidedList,
        exceeds: &mut [BoundsExceeded],
    ) {
        // For each position of the block its index in `positions` and `exceeds`.
        let mut owners = [0; BLOCK];
        let mut block = [Position::zeroed(); BLOCK];
        let mut count = 0;
        while count < BLOCK
            && let Some((targets, owner)) = undecided.pop()
        {
            // Of the captures, the stages look only at those of these victims. They look at all
            // promotions and en-passant captures in any case: the screen has no maps of these, so
            // it never rules them out.
            self.wanted[count] = targets;
            owners[count] = owner as usize;
            block[count] = positions[owner as usize];
            count += 1;
        }
        if limits.opponent {
            // `judge` (`stages.rs`) writes `in_check` only for the side to move. For the opponent
            // it reads it, and leaves out the positions where it is set. The entries may still be
            // those of the last block of the side to move, thus of other positions. No position
            // here is in check, as the screen has left those out: so all entries are cleared.
            // (There are `MAX_LANES` more of them than positions, since `stages.rs` reads and
            // writes whole registers.)
            self.in_check = [0; BLOCK + MAX_LANES];
        }
        // The third argument says whether to note in `won` the squares where the opponent wins. The
        // fourth is the key that `best` begins with: only a move above the bound can raise it.
        self.judge(
            &block[..count],
            limits.opponent,
            limits.two,
            highest_key_within(limits.bound),
        );
        for (i, &owner) in owners[..count].iter().enumerate() {
            let answer = &mut exceeds[owner];
            // `won` has the squares where a SEE is above 0, which is what the question about two
            // squares asks (its bound is 0, see `Limits::all`). `best` has the key of the best
            // move.
            let exceeding = if limits.two {
                self.won[i].count_ones() > 1
            } else {
                self.best[i] > highest_key_within(limits.bound)
            };
            *answer = if limits.opponent {
                with_threat(*answer, limits, exceeding)
            } else {
                // The screen wrote "in check" already. In a position without exactly one king that
                // may be wrong: the screen tests all kings of the side. `judge` and the scalar code
                // test one square: the lowest king's, or a1 if there is none. So it is written
                // anew.
                answer
                    .with_in_check(self.in_check[i] != 0)
                    .with_see(exceeding)
            };
        }
    }
}

/// An answer with one of its two flags about the opponent set or cleared: the flag of the question
/// that the limits are for.
#[inline(always)]
fn with_threat(answer: BoundsExceeded, limits: &Limits, exceeding: bool) -> BoundsExceeded {
    if limits.two {
        answer.with_double_threat(exceeding)
    } else {
        answer.with_threat(exceeding)
    }
}

/// Lanes whose answers say that the side to move is not in check. The loop for the side to move has
/// written that; the loops for the opponent ask for it.
#[inline(always)]
fn not_in_check<S: Simd>(simd: S, answers: &[BoundsExceeded; MAX_LANES]) -> MaskOf<S> {
    let mut lanes = [0; MAX_LANES];
    for (lane, answer) in lanes.iter_mut().zip(answers) {
        *lane = answer.in_check().into();
    }
    simd.load(&lanes).misses(simd.splat(1))
}
