//! Verdicts in lanes: legal captures listed and scored in full registers, across positions.
//!
//! A verdict says how many noisy moves a side has, and which has the best SEE. A position has a few
//! targets, a target a few capturers, and most captures need no exchange, so registers with one
//! position per lane would be mostly empty after the first step. Therefore three stages feed each
//! other through short lists, and each of them takes full registers from its list.
//!
//! The scalar code for the same results is `captures.rs` (the first two stages) and `verdict.rs`.
//! `settle` below follows the rule of `exchange/settled.rs`. Under `Pins::Legal` all is scalar.
//!
//! # An example
//!
//! White to move. A pawn is worth 100, a knight 325:
//!
//! ```text
//! 8  . . . . k . . .        position 7 of its block
//! 7  . . . . . . . .
//! 6  . . . . p . . .
//! 5  . . . p . . . .
//! 4  . . . . P . . .
//! 3  . . N . . . . .
//! 2  . . . . . . . .
//! 1  . . . . K . . .
//!
//!    a b c d e f g h
//! ```
//!
//! 1. *Positions to targets.* White attacks one black piece. The list `targets` gets position 7
//!    with d5: `7 << 16 | 35 << 3`. Position 7 has a row ([`SideRow`]) that gets what decides which
//!    moves are legal: White's movers, pinned pieces, king, and the squares where captures end a
//!    check (evasions).
//! 2. *Targets to moves.* Attackers of d5 are c3, e4 and e6, legal capturers c3 and e4. Two white
//!    attackers and a defender: that needs an exchange, so the set of c3 and e4 goes to
//!    `contested`. (Without the pawn on e6 nobody could recapture, and both captures would have the
//!    value 100 at once.) That makes two noisy moves of position 7.
//! 3. *Moves to scores.* The set becomes the moves c3d5 and e4d5 in the list `moves`, each with its
//!    position: `7 << 16 | 18 << 9 | 35 << 3` is the first one. The exchange gives -125 and 100.
//!
//! The verdict: two noisy moves, the best is e4d5 with 100.
//!
//! # Keys
//!
//! The best move is the one with the highest SEE. If several moves have it, the best of them is the
//! one whose bits (`from << 9 | to << 3 | promotion`, see [`PackedMove`]) are the smallest number.
//! So a move has a *key*: the SEE in the upper bits, and below it the 16 bits of the move,
//! inverted. The best move is the one with the highest key.
//!
//! ```text
//! e4d5, 28 << 9 | 35 << 3 = 14616:     100 << 16 | (!14616 & 0xffff)
//! c3d5, 18 << 9 | 35 << 3 =  9496:    -125 << 16 | (!9496 & 0xffff)
//! ```
//!
//! A contested set carries the highest key that one of its captures can have: the victim's value
//! with the smallest of its moves. If the position has a better key when the set's turn comes, the
//! captures are never exchanged.
//!
//! # Words of lanes
//!
//! `a.meets(b)` are the lanes where `a & b` is not 0, `a.misses(b)` those where it is 0.
//! `m.keep(a)` is `a` in the lanes of the mask `m`, and 0 in the others; `m.select(a, b)` is `b` in
//! the others. `v.over(b)` is a key: the value `v` above the 16 bits `b`. `simd.list` appends an
//! entry for each bit of a set to a list, and `simd.pick` a set as a whole, with its tag. All are
//! in `lanes.rs`.
//!
//! # The steps
//!
//! ```text
//! for a block of up to 256 positions, and for the side to move or its opponent:
//!     until all positions were read and all lists are empty:
//!         stage 1 while targets and moves are each fewer than 128 and there are positions
//!         stage 2 while there is a register of targets, and contested sets are fewer than 128
//!         stage 3 while there are two registers of moves
//! ```
//!
//! When the positions are at an end, stages 2 and 3 also take registers that are not full.
//!
//! # Why this way
//!
//! At most 31 % of the captures of human games reach the exchange (`docs/performance.md`); the
//! others are done after stage 2. Two registers of moves go through the exchange together: each
//! step waits for the one before it, and the other register fills the gaps. What helped how much,
//! and what did not, is in `docs/performance.md`.
//!
//! # What must hold
//!
//! - A stage stops while a list that it fills has [`ENOUGH`] entries: stage 1 fills `targets` and
//!   `moves`, stage 2 `contested`. [`CAPACITY`] has room for what one more register of positions or
//!   targets adds.
//! - An index in a block is below 256, so that it fits in a byte of a tag.
//! - Promotions and en passant are rare, and left to the scalar generator: it puts them straight
//!   into `moves`.
//! - The pass for the side to move comes before the one for its opponent. A threat is what the
//!   opponent could win if the side to move passed, and a side in check may not pass. The first
//!   pass writes `in_check`, and the second one leaves out the positions that have it.

use core::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::board::{Board, Lines, Pieces, inner, king_squares, may_bar, shields};
use super::exchange::{GROUPS, Group, LaneRules, Scores, see};
use super::lanes::{
    LANE_NUMBERS, List, MAX_LANES, Mask, MaskOf, PerLane, Sets, Stages, Values, Word, each,
};
use super::unit::LaneKernel;
use crate::attacks::LAST_RANKS;
use crate::captures::Generator;
use crate::exchange::INFINITE;
use crate::{Best, PackedMove, Pins, Position, Rules, Sides, Verdict};

/// Finds the verdict on each position.
#[derive(Clone, Copy)]
pub(crate) struct VerdictKernel<'a> {
    /// All positions of a call. A task has a range of them.
    pub positions: &'a [Position],
    /// Whose best moves the verdicts have.
    pub sides: Sides,
}

// `unit.rs` has the trait: one of these functions is called for each task of some positions.
impl LaneKernel for VerdictKernel<'_> {
    type Answer = Verdict;

    // Without lanes: under `Pins::Legal`, and where the machine has no unit for the stages.
    fn one_by_one(self, positions: Range<usize>, rules: &Rules, verdicts: &mut [Verdict]) {
        for (position, verdict) in self.positions[positions].iter().zip(verdicts) {
            *verdict = rules.verdict(position, self.sides);
        }
    }

    // With the stages, block by block: first for the side to move, which also finds out who is in
    // check, then for the opponent.
    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        verdicts: &mut [Verdict],
    ) {
        let rules = LaneRules::new(simd, rules);
        let mut state = BlockState::new(simd, &rules);
        let positions = &self.positions[positions];
        let blocks = positions.chunks(BLOCK).zip(verdicts.chunks_mut(BLOCK));
        for (positions, verdicts) in blocks {
            for opponent in [false, true] {
                if opponent && self.sides == Sides::ToMove {
                    continue;
                }
                // The third argument says whether to note the squares on which the side wins: for
                // the opponent, since a verdict has the number of these squares. `NONE`: any move
                // can be the best one.
                state.judge(positions, opponent, opponent, NONE);
                for (i, verdict) in verdicts.iter_mut().enumerate() {
                    let best = best(state.best[i]);
                    *verdict = if opponent {
                        verdict.with_threat(best, state.won[i].count_ones())
                    } else {
                        Verdict::new(state.in_check[i] != 0, state.noisy[i], best)
                    };
                }
            }
        }
    }
}

/// The most positions in a block: their rows stay in the L1 cache.
pub(super) const BLOCK: usize = 256;

/// How many entries of a list are enough for the next stages to go first.
const ENOUGH: usize = 128;

/// The capacity of the lists of targets and moves. One step of stage 1 takes at most 8 positions
/// ([`MAX_LANES`]). Each has at most 64 targets, and at most 98 rare moves: 8 pawns with 3 squares
/// and 4 pieces to become make 96 promotions, and 2 pawns can capture en passant. Such a step
/// begins with fewer than [`ENOUGH`] entries, so there are at most 127 + 8 * 98 = 911. The rest is
/// spare: a list is written register by register, also if not all of a register is wanted. Were the
/// capacity too small, a list would panic.
const CAPACITY: usize = 1024;

/// The bits of a key that hold the inverted move. Keys order moves like [`Best::or_better`]: by
/// SEE, then the smallest move first.
pub(super) const MOVE_BITS: u32 = 0xffff;

/// No move: below every key.
const NONE: i64 = i64::MIN;

/// The move of a key with its SEE; `None` for [`NONE`].
#[inline(always)]
fn best(key: i64) -> Option<Best> {
    // Only for speed: this is built whether it is returned or not, also from `NONE`, where it has
    // no meaning.
    let best = Some(Best {
        see: (key >> 16) as i32,
        capture: PackedMove::from_bits(!key.cast_unsigned() as u16),
    });
    if key == NONE { None } else { best }
}

/// The state of a block of positions, and the lists between the stages. The arrays have an entry
/// per position of the block. Those that are read or written a register at a time have
/// [`MAX_LANES`] entries more, so that a register which begins at the last position stays within.
pub(super) struct BlockState<'a, S: Stages> {
    /// The vector unit, whose functions work on registers.
    pub simd: S,
    /// The rules of the exchange. `bounds.rs` puts those of its next question here.
    pub rules: &'a LaneRules<S>,
    /// The positions of the block, each with what one side can capture: written by stage 1, read by
    /// the other stages.
    rows: [SideRow; BLOCK + MAX_LANES],
    /// Pieces that can be attacked, from stage 1 to stage 2. An entry has the position's index in
    /// the block from bit 16 on, and below that a [`PackedMove`] that has only its target.
    targets: List<CAPACITY>,
    /// The sets of capturers of unsettled targets, one set for each target. Its tag is
    /// `key << 8 | index`: the highest key that one of these captures may have, and the position's
    /// index in the block. Stage 2 begins only below [`ENOUGH`] sets, and adds up to [`MAX_LANES`]:
    /// `ENOUGH + MAX_LANES` would do, the rest is spare.
    contested: Sets<{ 2 * ENOUGH }>,
    /// Moves for stage 3: the rare moves of stage 1, and those of contested sets. An entry has the
    /// position's index in the block from bit 16 on, and below that a [`PackedMove`].
    moves: List<CAPACITY>,
    /// 1 if the side to move is in check, 0 if not. Set by the pass for the side to move, and read
    /// by that for the opponent.
    pub in_check: [u32; BLOCK + MAX_LANES],
    /// The number of noisy moves. Captures by a king are counted before it is known whether they
    /// are legal; stage 3 takes illegal ones back.
    pub noisy: [u32; BLOCK],
    /// The key of the best move so far; the floor of [`BlockState::judge`] while there is none.
    pub best: [i64; BLOCK],
    /// Whether this pass fills `won`.
    notes_wins: bool,
    /// The squares where a move has a SEE above 0; a verdict has their number, at most 64.
    pub won: [u64; BLOCK],
    /// The victims that are looked at: all squares for a verdict; for `bounds.rs` those that the
    /// screen (`screen.rs`) has not ruled out. Promotions and en passant are always looked at.
    pub wanted: [u64; BLOCK + MAX_LANES],
}

impl<'a, S: Stages> BlockState<'a, S> {
    /// The state before the first block. One is made for a task, and used for all its blocks.
    #[inline(always)]
    #[allow(clippy::large_stack_arrays)] // 37 KB, once per task
    pub(super) fn new(simd: S, rules: &'a LaneRules<S>) -> Self {
        BlockState {
            simd,
            rules,
            rows: [SideRow::zeroed(); BLOCK + MAX_LANES],
            targets: List::new(),
            contested: Sets::new(),
            moves: List::new(),
            in_check: [0; BLOCK + MAX_LANES],
            noisy: [0; BLOCK],
            best: [NONE; BLOCK],
            notes_wins: false,
            won: [0; BLOCK],
            wanted: [!0; BLOCK + MAX_LANES],
        }
    }

    /// Runs all stages on up to [`BLOCK`] positions, for the side to move, or for its opponent
    /// where the side to move may pass. `best` begins with `floor`, so only moves with higher keys
    /// are found. For a verdict `floor` is [`NONE`]. `bounds.rs` calls this up to three times for a
    /// position, each time to ask whether a SEE is above some bound. Then `floor` is
    /// `bound << 16 | MOVE_BITS`: keys with a SEE up to the bound are not above it, all others are.
    /// With `notes_wins`, `won` gets the squares where moves win.
    #[inline(always)]
    pub(super) fn judge(
        &mut self,
        positions: &[Position],
        opponent: bool,
        notes_wins: bool,
        floor: i64,
    ) {
        self.notes_wins = notes_wins;
        self.noisy = [0; BLOCK];
        self.best = [floor; BLOCK];
        if self.notes_wins {
            self.won = [0; BLOCK];
        }
        let mut start = 0;
        loop {
            while start < positions.len()
                && self.targets.len() < ENOUGH
                && self.moves.len() < ENOUGH
            {
                self.find_targets(positions, start, opponent);
                start += S::LANES;
            }
            let all_read = start >= positions.len();
            // `has` (`lanes.rs`): whether there is a full register of entries or, once all
            // positions were read, any entry.
            while self.targets.has(S::LANES, all_read) && self.contested.len() < ENOUGH {
                self.find_moves();
            }
            let is_last = all_read && self.targets.len() == 0;
            self.score_all(is_last);
            if is_last {
                return;
            }
        }
    }

    /// The first stage, for one register of positions, from the index `start` in the block on:
    /// writes their rows, lists their targets, and lists and counts their rare moves.
    #[inline(always)]
    fn find_targets(&mut self, positions: &[Position], start: usize, opponent: bool) {
        let simd = self.simd;
        let count = S::LANES.min(positions.len() - start);
        let rows: &mut [SideRow; MAX_LANES] = self.rows[start..].first_chunk_mut().expect("padded");
        for (row, position) in rows.iter_mut().zip(&positions[start..start + count]) {
            row.position = *position;
        }
        // Lanes beyond the last position read stale ones; `first_lanes` leaves them out below.
        let [r0, r1, r2, r3, r4, r5, r6, r7] = &*rows;
        let in_rows = each([r0, r1, r2, r3, r4, r5, r6, r7], |row| &row.position);
        let sides = LaneSides::new(simd, in_rows, opponent);
        sides.store(simd, rows);
        let mut lanes = simd.first_lanes(count);
        let in_check = self.in_check[start..].first_chunk_mut().expect("padded");
        if opponent {
            // No threat in check: the side to move cannot pass.
            lanes = lanes & simd.load(in_check).misses(simd.splat(1));
        } else {
            let checks = sides.in_check.bits();
            *in_check = each(LANE_NUMBERS, |i| checks >> i & 1);
        }
        let indices: PerLane = each(LANE_NUMBERS, |i| (start as u32 + i) << 16);
        let wanted = simd.load_words(self.wanted[start..].first_chunk().expect("padded"));
        // 3: a target's place in a `PackedMove`.
        simd.list::<3, _>(
            lanes.keep(sides.targets & wanted),
            simd.load(&indices),
            &mut self.targets,
        );
        let mut rare = (lanes & sides.rare).bits();
        while rare != 0 {
            self.find_rare(positions, start + rare.trailing_zeros() as usize, opponent);
            rare &= rare - 1;
        }
    }

    /// Lists the promotions and en-passant captures of one position as moves, and counts them. The
    /// opponent has no en-passant capture: the target in a position is for the side to move.
    fn find_rare(&mut self, positions: &[Position], index: usize, opponent: bool) {
        let position = &positions[index];
        let (color, ep) = if opponent {
            (!position.turn(), None)
        } else {
            (position.turn(), position.ep_square())
        };
        let moves = &mut self.moves;
        let noisy = &mut self.noisy[index];
        Generator::new(position, color).generate_rare(ep, |capture| {
            *noisy += 1;
            moves.push((index as u32) << 16 | u32::from(capture.to_bits()));
        });
    }

    /// The second stage, for one register of targets: counts their captures, and either finds the
    /// best one of a target at once, or puts all of them into `contested` as a set.
    #[inline(always)]
    fn find_moves(&mut self) {
        let simd = self.simd;
        // `pop` (`lanes.rs`) takes the last entries of the list, up to a register.
        let (entries, count) = self.targets.pop::<MAX_LANES>(S::LANES);
        let rows = each(entries, |entry| &self.rows[owner(entry)]);
        let target = LaneTargets::new(simd, rows, &entries);
        // Beyond `count` the entries are stale. They get no capturers, so they change nothing.
        let capturers = simd.first_lanes(count).keep(target.capturers);
        let known = settle(simd, self.rules, &target);
        let any = capturers.meets(capturers);

        // The key of a target is that of its first capture: the one from the lowest square. All
        // captures of a target have the same value or bound, so the first one has the highest key.
        let words = simd.load(&entries);
        // A bit minus one is the set of all squares below it. Their number is the bit's square.
        let first = (capturers.lowest() - simd.splat(1)).count();
        // 9: an origin's place in a `PackedMove`.
        let moves = inverted_moves(simd, words + (first << 9));
        // A tag: the key, which is the highest value over the inverted move, and below it, in the
        // lowest 8 bits, the position's index in the block.
        let bound = known.bound.over(moves) << u8::BITS | words >> 16;
        simd.pick(any & !known.lanes, capturers, bound, &mut self.contested);

        let none = simd.splat(NONE.cast_unsigned());
        let best = (any & known.lanes).select(known.value.over(moves), none);
        let mut keys = [0; MAX_LANES];
        let mut counts = [0; MAX_LANES];
        best.store(&mut keys);
        capturers.count().store(&mut counts);
        for i in 0..S::LANES {
            let index = owner(entries[i]);
            let key = keys[i].cast_signed();
            self.best[index] = self.best[index].max(key);
            self.noisy[index] += counts[i] as u32;
        }
        if self.notes_wins {
            self.note_wins(&entries[..S::LANES], &keys);
        }
    }

    /// The third stage, as long as there are two full registers of moves. With `last`, stage 2 has
    /// nothing more to add: then the moves of the last registers, which may not be full, are scored
    /// too.
    #[inline(always)]
    fn score_all(&mut self, last: bool) {
        loop {
            self.list_moves();
            if !self.moves.has(S::LANES * GROUPS, last) {
                return;
            }
            self.score();
        }
    }

    /// Lists the moves of contested sets until there are enough for two registers. Drops a set if
    /// none of its moves can become the best one. Where wins are noted, it is dropped only if,
    /// besides, none of its moves can win or its square has been won already.
    ///
    /// A set with a king's capture has an infinite bound. So for a verdict it is never dropped, and
    /// an illegal capture is found and taken back. For `bounds.rs` the floor can be higher still: a
    /// question that is not asked has the bound `i32::MAX`. Then the set is dropped, which does no
    /// harm: `noisy` is not read there.
    #[inline(always)]
    fn list_moves(&mut self) {
        while self.moves.len() < S::LANES * GROUPS
            && let Some((set, tag)) = self.contested.pop()
        {
            let index = tag as u8;
            // The highest key that one of these captures can have.
            let bound = tag.cast_signed() >> u8::BITS;
            // The key's lowest 16 bits are the first of these moves, inverted. Inverted once more
            // they are the move, and the mask selects its bits 3 to 8: the target, which all moves
            // of the set have.
            let target = !(tag >> u8::BITS) as u32 & 63 << 3;
            let best = self.best[usize::from(index)];
            let won_squares = self.won[usize::from(index)];
            let may_win =
                self.notes_wins && is_winning(bound) && won_squares >> (target >> 3) & 1 == 0;
            if bound > best || may_win {
                let entry = u32::from(index) << 16 | target;
                // 9: an origin's place in a `PackedMove`.
                self.moves.extend_set::<9>(set, entry);
            }
        }
    }

    /// Plays the exchanges of up to two registers of moves, and updates the best move of each one's
    /// position. They are already counted; those that turn out to be illegal are taken back.
    #[inline(always)]
    fn score(&mut self) {
        let (entries, count) = self.moves.pop::<{ MAX_LANES * GROUPS }>(S::LANES * GROUPS);
        let groups = [
            group(&self.rows, &entries),
            group(&self.rows, &entries[S::LANES..]),
        ];
        // `see` (`simd/exchange.rs`) plays the exchanges of both registers step by step together.
        // It returns the SEEs, and which moves are illegal: a king's capture where an enemy slider
        // attacks the target through the king's own square.
        let [first, second] = see(self.simd, self.rules, &groups);
        let mut keys = [0; MAX_LANES * GROUPS];
        store_keys(self.simd, &first, &entries, &mut keys);
        store_keys(
            self.simd,
            &second,
            &entries[S::LANES..],
            &mut keys[S::LANES..],
        );
        for (&entry, &key) in entries.iter().zip(&keys).take(count) {
            let index = owner(entry);
            let key = key.cast_signed();
            self.best[index] = self.best[index].max(key);
            // `NONE`: the move is illegal, but stage 2 has counted it.
            self.noisy[index] -= u32::from(key == NONE);
        }
        if self.notes_wins {
            self.note_wins(&entries[..count], &keys);
        }
    }

    /// Notes the target squares of those moves whose keys are wins.
    #[inline(always)]
    fn note_wins(&mut self, entries: &[u32], keys: &[u64]) {
        for (&entry, &key) in entries.iter().zip(keys) {
            let wins = is_winning(key.cast_signed());
            self.won[owner(entry)] |= u64::from(wins) << (entry >> 3 & 63);
        }
    }
}

/// Whether a key's SEE is above 0. With a SEE of 0 it is at most `MOVE_BITS`.
#[inline(always)]
fn is_winning(key: i64) -> bool {
    key > MOVE_BITS.into()
}

/// Writes the key of each lane's move to `keys`; [`NONE`] if it is illegal. `entries` are the
/// moves.
#[inline(always)]
fn store_keys<S: Stages>(simd: S, scored: &Scores<S>, entries: &[u32], keys: &mut [u64]) {
    let moves = inverted_moves(simd, simd.load(entries.first_chunk().expect("padded")));
    let none = simd.splat(NONE.cast_unsigned());
    let of_moves = scored.illegal.select(none, scored.value.over(moves));
    of_moves.store(keys.first_chunk_mut().expect("a register's"));
}

/// The low part of the keys of these entries: their inverted moves.
#[inline(always)]
fn inverted_moves<S: Stages>(simd: S, entries: S::Word) -> S::Word {
    !entries & simd.splat(MOVE_BITS.into())
}

/// The entry's position, as an index in the block. It is cut to a byte, so it is below 256 also for
/// a stale entry, and an array of 256 needs no test of it.
#[inline(always)]
fn owner(entry: u32) -> usize {
    const { assert!(BLOCK == 1 << u8::BITS) };
    usize::from((entry >> 16) as u8)
}

/// The moves of a register of entries, with their positions, as [`see`] wants them. Entries beyond
/// the list's end are stale; they are scored as well, but the results are not looked at.
#[inline(always)]
fn group<'a>(rows: &'a [SideRow; BLOCK + MAX_LANES], entries: &[u32]) -> Group<'a> {
    let entries = entries.first_chunk().expect("padded");
    Group {
        positions: each(*entries, |entry| &rows[owner(entry)].position),
        captures: each(*entries, |entry| PackedMove::from_bits(entry as u16)),
    }
}

/// A position with one side's capturers: a cache line, loaded as a row per lane.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct SideRow {
    /// The position as it was given.
    position: Position,
    /// From [`LaneSides`]: movers, pinned, evasions, king. [`LaneTargets::new`] reads them in the same
    /// order.
    sides: [u64; 4],
}

/// What one side can capture in each lane's position.
struct LaneSides<S: Stages> {
    /// The side's pieces with its king, without pawns about to promote.
    movers: S::Word,
    /// The side's pieces that are pinned to their king.
    pinned: S::Word,
    /// Squares where pieces other than the king may capture: all; in check only the checker's; in
    /// double check none.
    evasions: S::Word,
    /// The side's king as a bit; a1 if it has none.
    king: S::Word,
    /// Enemy pieces that stage 2 looks at: those that a mover attacks and that are among the
    /// evasions, and those next to the king.
    targets: S::Word,
    /// Positions in which the side is in check.
    in_check: MaskOf<S>,
    /// Positions with a pawn about to promote or an en-passant target.
    rare: MaskOf<S>,
}

impl<S: Stages> LaneSides<S> {
    /// For the side to move, or its opponent as if it were to move.
    #[inline(always)]
    fn new(simd: S, positions: [&Position; MAX_LANES], opponent: bool) -> LaneSides<S> {
        let pieces = Pieces::<S>::new(simd, positions, opponent);
        let Pieces {
            board,
            occupied,
            us,
            them,
            ..
        } = pieces;
        let kings = board.kings() & us;
        let masks = simd.masks(&king_squares::<S>(kings)); // looked up, in `SquareMasks`' order
        // a1 without a king, as in scalar code.
        let king = kings.misses(kings).select(simd.splat(1), kings.lowest());
        let [.., king_mask, _, _] = masks; // the squares next to it; the last two are for pawns
        let lines = Lines::new(masks, king);
        let nearest = lines.nearest(simd, occupied);
        let snipers = lines.aligned(&board) & them;
        // `snipers`: enemy sliders that would attack the king on an empty board. `nearest`: the
        // first piece in each of the eight directions; a sniper among them gives check. `steps`:
        // pawns, knights and kings of either side that attack the king. (All are in `board.rs`.)
        let checkers = board.steps(masks) & them | nearest & snipers;
        let evasions = evasions(simd, checkers);
        let movers = us & !pieces.promoting;
        let attacked = attacked(simd, &pieces, movers) & evasions;
        LaneSides {
            movers,
            // `shields` (`board.rs`): own pieces that alone stand between the king and a sniper.
            pinned: shields(simd, &lines, nearest, us, snipers, occupied),
            evasions,
            king,
            targets: (attacked | king_mask) & them,
            in_check: checkers.meets(checkers),
            rare: pieces.rare.meets(pieces.rare),
        }
    }

    /// Stores one row per lane: the part of [`SideRow`] after the position.
    #[inline(always)]
    fn store(&self, simd: S, rows: &mut [SideRow; MAX_LANES]) {
        let words = [self.movers, self.pinned, self.evasions, self.king];
        let [r0, r1, r2, r3, r4, r5, r6, r7] = rows;
        let rows = [r0, r1, r2, r3, r4, r5, r6, r7];
        simd.store_rows(words, each(rows, |row| &mut row.sides));
    }
}

/// Where pieces other than the king may capture: in check by one piece only that piece, in double
/// check nothing, else everything. (Captures never end between the checker and the king.)
#[inline(always)]
fn evasions<S: Stages>(simd: S, checkers: S::Word) -> S::Word {
    // Without its lowest bit a set of one piece is empty.
    let more = checkers & (checkers - simd.splat(1));
    let single = more.misses(more).keep(checkers);
    checkers.misses(checkers).select(simd.splat(!0), single)
}

/// Squares that the pieces among `movers` attack, leaving out the king, which is one of them.
#[inline(always)]
fn attacked<S: Stages>(simd: S, pieces: &Pieces<S>, movers: S::Word) -> S::Word {
    let inner = inner(simd); // attacks of whole sets, by shifts (`Inner` in `attacks.rs`)
    let board = &pieces.board;
    let empty = !pieces.occupied;
    let pawns = board.pawns() & movers;
    let black = pieces.black_moves;
    black.select(inner.black_pawns(pawns), inner.white_pawns(pawns))
        | inner.knights(board.knights() & movers)
        | inner.diagonal(board.diagonal_sliders() & movers, empty)
        | inner.straight(board.straight_sliders() & movers, empty)
}

/// One target per lane, with its attackers and legal capturers.
struct LaneTargets<S: Stages> {
    /// The boards on which the targets stand.
    board: Board<S::Word>,
    /// The targets' squares, with the lines through them.
    lines: Lines<S::Word>,
    /// Sliders of both sides on the target's lines that move along them, also those behind other
    /// pieces.
    aligned: S::Word,
    /// Attackers of both sides.
    attackers: S::Word,
    /// The victim's side: black's bits or their complement.
    them: S::Word,
    /// Legal capturers. A king is left out if an enemy piece attacks the target. It is not left out
    /// if such a piece is a slider that attacks it only through the king's own square. Then the
    /// king's capture is counted, and goes to the exchange, where it is found to be illegal.
    capturers: S::Word,
}

impl<S: Stages> LaneTargets<S> {
    /// The targets of these entries; `rows` are the rows of their positions.
    #[inline(always)]
    fn new(simd: S, rows: [&SideRow; MAX_LANES], entries: &PerLane) -> LaneTargets<S> {
        let rows = simd.rows(each(rows, bytemuck::cast_ref));
        let [bit0, bit1, bit2, black, movers, pinned, evasions, king] = rows;
        let board = Board::new([bit0, bit1, bit2, black]);
        let masks = simd.masks(&each(*entries, |entry| entry >> 3 & 63));
        let target = (simd.load(entries) >> 3 & simd.splat(63)).bit();
        let lines = Lines::new(masks, target);
        let aligned = lines.aligned(&board);
        // The first piece in each direction, if it is a slider that moves along this line.
        let sliders = lines.nearest(simd, board.occupied()) & aligned;
        let attackers = board.steps(masks) | sliders;
        let them = board.black.meets(target).select(board.black, !board.black);
        // A pinned piece may capture only if the target is on the line through the piece and its
        // king. `line_of` (`board.rs`): the line through the target and the king, if there is one.
        let unpinned = attackers & movers & (!pinned | lines.line_of(king)) & !board.kings();
        let free = evasions.meets(target).keep(unpinned);
        let unguarded = attackers.misses(them);
        let king_capturer = unguarded.keep(attackers & movers & king & board.kings());
        LaneTargets {
            board,
            lines,
            aligned,
            attackers,
            them,
            capturers: free | king_capturer,
        }
    }
}

/// What is known about the captures of a target, per lane.
struct KnownValues<S: Stages> {
    /// Lanes where all captures are settled.
    lanes: MaskOf<S>,
    /// The value of each capture there.
    value: S::Word,
    /// An upper bound on the captures' values. Infinite if a king captures: its move may turn out
    /// illegal but is counted already, so it must be scored in any case, and then taken back.
    bound: S::Word,
}

/// Settles the captures that need no exchange; the rule, and what recapturers, joining pieces and
/// supporters are, is in `exchange/settled.rs`. Where a slider of either side stands behind an
/// attacker, nothing is settled, and the captures go to the exchange.
///
/// Here a lane has one target with all its captures, and none of them is made yet. `settle` in
/// `score.rs` is for scores of given moves: there a lane has one move, which was made. Either of
/// them would be slower in the place of the other (`docs/performance.md`).
#[inline(always)]
fn settle<S: Stages>(simd: S, rules: &LaneRules<S>, target: &LaneTargets<S>) -> KnownValues<S> {
    let board = &target.board;
    // Sliders that would attack the target if all its attackers were gone. One of them may join as
    // soon as the attacker before it has captured.
    let behind = board.occupied() & !target.attackers;
    let joining = target.lines.nearest(simd, behind) & target.aligned;
    let theirs = target.attackers & target.them;
    // Kings may recapture, too: the set of guards against them, the second argument, is empty here.
    // The result is used only where the capturer's side has no other attacker, so nothing guards
    // the square. The call is made only so that the rule about kings stays in one place.
    let recapturers = board.may_recapture(theirs, simd.splat(0));
    // The exchange ends after one recapture.
    let ends_recaptured = has_plain_recapture(simd, rules, target) & recapturers.meets(recapturers);
    let undefended = theirs.misses(theirs);
    let victim = rules.value(simd, board.code_at(simd, target.lines.square));
    // The values of all capturers are mixed up here if there are several. It is only used where
    // there is one.
    let capturer = rules.value(simd, board.code_at(simd, target.capturers));
    let loss = capturer.max_value(simd.splat(0));
    let kings = target.capturers.meets(board.kings());
    KnownValues {
        lanes: (undefended | ends_recaptured) & joining.misses(joining),
        value: undefended.select(victim, victim.sub_value(loss)),
        bound: kings.select(simd.splat_value(INFINITE), victim),
    }
}

/// Lanes where at most one piece of the capturer's side attacks the target, and where a recapture
/// is no more than a capture. The first means that, after its capture, no other attacker of that
/// side can take back. The second means that no pin can forbid the recapture, and that no pawn
/// becomes a queen by it; it is the twin of `is_plain_recapture` in `exchange/settled.rs`.
#[inline(always)]
fn has_plain_recapture<S: Stages>(
    simd: S,
    rules: &LaneRules<S>,
    target: &LaneTargets<S>,
) -> MaskOf<S> {
    let own = target.attackers & !target.them;
    // `own & (own - 1)` is `own` without its lowest bit: empty for one piece or none.
    let mut is_plain = own.misses(own & (own - simd.splat(1)));
    if rules.pins != Pins::None {
        // A pin may forbid it if an attacker of theirs is on a file or rank through their king, and
        // so is a rook or queen of the capturer's side; or the same with diagonals, and a bishop or
        // queen. `may_bar` (`board.rs`) asks no more than that, not even whether the two are on the
        // same line, so it says yes too often. That only sends captures to the exchange.
        is_plain = is_plain & !may_bar(simd, &target.board, target.them, target.attackers);
    }
    if rules.queens {
        // A pawn that recaptures there may become a queen.
        return is_plain & target.lines.square.misses(simd.splat(LAST_RANKS));
    }
    is_plain
}
