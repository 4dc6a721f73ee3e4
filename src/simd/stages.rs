//! Verdicts: legal captures listed and scored in full registers, across positions.
//!
//! Three stages feed each other through short lists: positions to targets, targets to moves,
//! moves to scores. Most targets are settled by the second stage; about a quarter of all moves
//! go on to the exchange. An entry holds the position's index in its block above bit 16, and a
//! [`Capture`], or only its target, below.
//!
//! Twins: `captures.rs`, with one position, then one target per lane, and `exchange/settled.rs`.
//! Promotions and en passant are rare and left to the scalar generator.

use core::ops::Range;

use bytemuck::{Pod, Zeroable};

use super::board::{Board, Lines, Pieces, inner, king_squares, may_bar, shields};
use super::exchange::{GROUPS, Group, LaneRules, Scores, see};
use super::lanes::{List, MAX_LANES, Mask, MaskOf, PerLane, Sets, Stages, Values, Word};
use super::path::Kernel;
use crate::attacks::LAST_RANKS;
use crate::captures::Generator;
use crate::exchange::INFINITE;
use crate::{Best, Capture, Pins, Position, Rules, Verdict};

/// The verdict on each position.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub positions: &'a [Position],
    pub with_threat: bool,
}

impl Kernel for Judge<'_> {
    type Answer = Verdict;

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, verdicts: &mut [Verdict]) {
        for (position, verdict) in self.positions[positions].iter().zip(verdicts) {
            *verdict = rules.verdict(position, self.with_threat);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        verdicts: &mut [Verdict],
    ) {
        let rules = LaneRules::new(simd, rules);
        let mut work = Work::new(simd, &rules);
        let positions = &self.positions[positions];
        let blocks = positions.chunks(BLOCK).zip(verdicts.chunks_mut(BLOCK));
        for (positions, verdicts) in blocks {
            for opponent in [false, true] {
                if opponent && !self.with_threat {
                    continue;
                }
                work.judge(positions, opponent, opponent, NONE);
                for (i, verdict) in verdicts.iter_mut().enumerate() {
                    let best = best(work.best[i]);
                    *verdict = if opponent {
                        verdict.with_threat(best, work.won[i].count_ones())
                    } else {
                        Verdict::new(work.in_check[i] != 0, work.noisy[i], best)
                    };
                }
            }
        }
    }
}

/// Positions worked on together: their rows stay in the L1 cache.
pub(super) const BLOCK: usize = 256;

/// Entries that a list gathers before the next stage, and its capacity: one step adds at most 8
/// x 64 targets, or 8 x 99 rare moves.
const ENOUGH: usize = 128;
const CAPACITY: usize = 1024;

/// A move's key orders like [`Best::or_better`]: by SEE, then the smallest move first. It is
/// the SEE above 16 bits of the inverted move.
pub(super) const MOVE_BITS: u32 = 0xffff;

/// Below every key.
const NONE: i64 = i64::MIN;

#[inline(always)]
fn best(key: i64) -> Option<Best> {
    // Always built: keeping the old content of an empty `Option` costs more.
    let best = Some(Best {
        see: (key >> 16) as i32,
        capture: Capture::from_bits(!key.cast_unsigned() as u16),
    });
    if key == NONE { None } else { best }
}

/// The state of a block of positions, and the lists between the stages.
pub(super) struct Work<'a, S: Stages> {
    pub simd: S,
    pub rules: &'a LaneRules<S>,
    rows: [Row; BLOCK + MAX_LANES],
    targets: List<CAPACITY>,
    /// Capturers of unsettled targets. The tag is the highest key that one of them may have,
    /// above the position's index.
    contested: Sets<{ 2 * ENOUGH }>,
    moves: List<CAPACITY>,
    pub in_check: [u32; BLOCK + MAX_LANES],
    pub noisy: [u32; BLOCK],
    pub best: [i64; BLOCK],
    /// Whether squares where moves win are counted.
    counts: bool,
    /// Those squares.
    pub won: [u64; BLOCK],
    /// Victims that matter, by position.
    pub wanted: [u64; BLOCK + MAX_LANES],
}

impl<'a, S: Stages> Work<'a, S> {
    #[inline(always)]
    #[allow(clippy::large_stack_arrays)] // a third of the L1 cache, once per task
    pub(super) fn new(simd: S, rules: &'a LaneRules<S>) -> Self {
        Work {
            simd,
            rules,
            rows: [Row::zeroed(); BLOCK + MAX_LANES],
            targets: List::new(),
            contested: Sets::new(),
            moves: List::new(),
            in_check: [0; BLOCK + MAX_LANES],
            noisy: [0; BLOCK],
            best: [NONE; BLOCK],
            counts: false,
            won: [0; BLOCK],
            wanted: [!0; BLOCK + MAX_LANES],
        }
    }

    /// Runs all stages for the side to move, or for its opponent if it may pass. Moves with
    /// keys up to `floor` need not be found. `counts` the squares where moves win.
    #[inline(always)]
    pub(super) fn judge(
        &mut self,
        positions: &[Position],
        opponent: bool,
        counts: bool,
        floor: i64,
    ) {
        self.counts = counts;
        self.noisy = [0; BLOCK];
        self.best = [floor; BLOCK];
        if self.counts {
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
            let last = start >= positions.len();
            while self.targets.has(S::LANES, last) && self.contested.len() < ENOUGH {
                self.find_moves();
            }
            let last = last && self.targets.len() == 0;
            self.score_all(last);
            if last {
                return;
            }
        }
    }

    /// The first stage, for one register of positions.
    #[inline(always)]
    fn find_targets(&mut self, positions: &[Position], start: usize, opponent: bool) {
        let simd = self.simd;
        let count = S::LANES.min(positions.len() - start);
        let rows: &mut [Row; MAX_LANES] = self.rows[start..].first_chunk_mut().expect("padded");
        for (row, position) in rows.iter_mut().zip(&positions[start..start + count]) {
            row.position = *position;
        }
        // Lanes beyond the last position read stale ones.
        let lanes = rows.each_ref().map(|row| &row.position);
        let sides = Sides::new(simd, lanes, opponent);
        sides.store(simd, rows);
        let mut asked = simd.first_lanes(count);
        let in_check = self.in_check[start..].first_chunk_mut().expect("padded");
        if opponent {
            // No threat in check: the side to move cannot pass.
            asked = asked & simd.load(in_check).misses(simd.splat(1));
        } else {
            let checks = sides.in_check.bits();
            *in_check = core::array::from_fn(|i| checks >> i & 1);
        }
        let indices: PerLane = core::array::from_fn(|i| ((start + i) as u32) << 16);
        let wanted = simd.load_words(self.wanted[start..].first_chunk().expect("padded"));
        simd.list::<3, _>(
            asked.keep(sides.targets & wanted),
            simd.load(&indices),
            &mut self.targets,
        );
        let mut rare = (asked & sides.rare).bits();
        while rare != 0 {
            self.find_rare(positions, start + rare.trailing_zeros() as usize, opponent);
            rare &= rare - 1;
        }
    }

    /// Promotions and en passant, one position at a time.
    fn find_rare(&mut self, positions: &[Position], index: usize, opponent: bool) {
        let position = &positions[index];
        let (color, ep) = if opponent {
            (!position.turn(), None)
        } else {
            (position.turn(), position.ep_square())
        };
        let (moves, noisy) = (&mut self.moves, &mut self.noisy[index]);
        Generator::new(position, color).generate_rare(ep, |capture| {
            *noisy += 1;
            moves.push((index as u32) << 16 | u32::from(capture.to_bits()));
        });
    }

    /// The second stage, for one register of targets.
    #[inline(always)]
    fn find_moves(&mut self) {
        let simd = self.simd;
        let (entries, count) = self.targets.pop::<MAX_LANES>(S::LANES);
        let rows = entries.map(|entry| &self.rows[owner(entry)]);
        let target = Target::new(simd, rows, &entries);
        let capturers = simd.first_lanes(count).keep(target.capturers);
        let settled = settle(simd, self.rules, &target);
        let any = capturers.meets(capturers);

        // The key of the first capture of each target.
        let words = simd.load(&entries);
        let first = (capturers.lowest() - simd.splat(1)).count();
        let moves = turned(simd, words + (first << 9));
        let bound = settled.bound.over(moves) << u8::BITS | words >> 16;
        simd.pick(any & !settled.lanes, capturers, bound, &mut self.contested);

        let none = simd.splat(NONE.cast_unsigned());
        let best = (any & settled.lanes).select(settled.value.over(moves), none);
        let (mut keys, mut counts) = ([0; MAX_LANES], [0; MAX_LANES]);
        best.store(&mut keys);
        capturers.count().store(&mut counts);
        for i in 0..S::LANES {
            let (index, key) = (owner(entries[i]), keys[i].cast_signed());
            self.best[index] = self.best[index].max(key);
            self.noisy[index] += counts[i] as u32;
        }
        if self.counts {
            self.note_wins(&entries[..S::LANES], &keys);
        }
    }

    /// The third stage, for full registers, or for all moves when `last`.
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

    /// Lists contested moves until there are enough, without those that cannot become the best
    /// or win on another square.
    #[inline(always)]
    fn list_moves(&mut self) {
        while self.moves.len() < S::LANES * GROUPS
            && let Some((set, tag)) = self.contested.pop()
        {
            let (index, bound) = (tag as u8, tag.cast_signed() >> u8::BITS);
            let target = !(tag >> u8::BITS) as u32 & 63 << 3;
            let (best, won) = (self.best[usize::from(index)], self.won[usize::from(index)]);
            let may_win = self.counts && is_winning(bound) && won >> (target >> 3) & 1 == 0;
            if bound > best || may_win {
                let entry = u32::from(index) << 16 | target;
                self.moves.extend_set::<9>(set, entry);
            }
        }
    }

    /// The exact SEE of two registers of moves, which are already counted.
    #[inline(always)]
    fn score(&mut self) {
        let (entries, count) = self.moves.pop::<{ MAX_LANES * GROUPS }>(S::LANES * GROUPS);
        let groups = [
            group(&self.rows, &entries),
            group(&self.rows, &entries[S::LANES..]),
        ];
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
            let (index, key) = (owner(entry), key.cast_signed());
            self.best[index] = self.best[index].max(key);
            self.noisy[index] -= u32::from(key == NONE);
        }
        if self.counts {
            self.note_wins(&entries[..count], &keys);
        }
    }

    #[inline(always)]
    fn note_wins(&mut self, entries: &[u32], keys: &[u64]) {
        for (&entry, &key) in entries.iter().zip(keys) {
            let wins = is_winning(key.cast_signed());
            self.won[owner(entry)] |= u64::from(wins) << (entry >> 3 & 63);
        }
    }
}

/// Whether a key's SEE is above 0.
#[inline(always)]
fn is_winning(key: i64) -> bool {
    key > MOVE_BITS.into()
}

/// The key of each lane's move; `NONE` if it is illegal.
#[inline(always)]
fn store_keys<S: Stages>(simd: S, scored: &Scores<S>, entries: &[u32], keys: &mut [u64]) {
    let moves = turned(simd, simd.load(entries.first_chunk().expect("padded")));
    let none = simd.splat(NONE.cast_unsigned());
    let of_moves = scored.illegal.select(none, scored.value.over(moves));
    of_moves.store(keys.first_chunk_mut().expect("a register's"));
}

/// The low part of the keys: the inverted moves.
#[inline(always)]
fn turned<S: Stages>(simd: S, entries: S::Word) -> S::Word {
    !entries & simd.splat(MOVE_BITS.into())
}

/// The entry's position, as an index in the block.
#[inline(always)]
fn owner(entry: u32) -> usize {
    const { assert!(BLOCK == 1 << u8::BITS) };
    usize::from((entry >> 16) as u8)
}

#[inline(always)]
fn group<'a>(rows: &'a [Row; BLOCK + MAX_LANES], entries: &[u32]) -> Group<'a> {
    let entries = entries.first_chunk().expect("padded");
    Group {
        positions: entries.map(|entry| &rows[owner(entry)].position),
        captures: entries.map(|entry| Capture::from_bits(entry as u16)),
    }
}

/// A position with one side's capturers: a cache line, loaded as a row per lane.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C, align(64))]
struct Row {
    position: Position,
    /// From [`Sides`]: movers, pinned, evasions, king.
    sides: [u64; 4],
}

/// What one side can capture in each lane's position.
struct Sides<S: Stages> {
    /// The side's pieces, without pawns about to promote.
    movers: S::Word,
    /// Movers pinned to their king.
    pinned: S::Word,
    /// Targets for all but the king: in check only the checker.
    evasions: S::Word,
    king: S::Word,
    /// Attacked enemy pieces.
    targets: S::Word,
    in_check: MaskOf<S>,
    /// Positions that may have promotions or en passant.
    rare: MaskOf<S>,
}

impl<S: Stages> Sides<S> {
    /// For the side to move, or its opponent as if it were to move.
    #[inline(always)]
    fn new(simd: S, positions: [&Position; MAX_LANES], opponent: bool) -> Sides<S> {
        let pieces = Pieces::<S>::new(simd, positions, opponent);
        let Pieces {
            board,
            occupied,
            us,
            them,
            ..
        } = pieces;
        let kings = board.kings() & us;
        let masks = simd.masks(&king_squares::<S>(kings));
        let king = kings.misses(kings).select(simd.splat(1), kings.lowest());
        let [.., king_mask, _, _] = masks;
        let lines = Lines::new(masks, king);
        let nearest = lines.nearest(simd, occupied);
        let snipers = lines.aligned(&board) & them;
        let checkers = board.steps(masks) & them | nearest & snipers;
        let evasions = evasions(simd, checkers);
        let movers = us & !pieces.promoting;
        let attacked = attacked(simd, &pieces, movers) & evasions;
        Sides {
            movers,
            pinned: shields(simd, &lines, nearest, us, snipers, occupied),
            evasions,
            king,
            targets: (attacked | king_mask) & them,
            in_check: checkers.meets(checkers),
            rare: pieces.rare.meets(pieces.rare),
        }
    }

    /// Stores one row per lane.
    #[inline(always)]
    fn store(&self, simd: S, rows: &mut [Row; MAX_LANES]) {
        let words = [self.movers, self.pinned, self.evasions, self.king];
        simd.store_rows(words, rows.each_mut().map(|row| &mut row.sides));
    }
}

#[inline(always)]
fn evasions<S: Stages>(simd: S, checkers: S::Word) -> S::Word {
    let more = checkers & (checkers - simd.splat(1));
    let single = more.misses(more).keep(checkers);
    checkers.misses(checkers).select(simd.splat(!0), single)
}

/// Squares attacked by `movers` other than the king.
#[inline(always)]
fn attacked<S: Stages>(simd: S, pieces: &Pieces<S>, movers: S::Word) -> S::Word {
    let (inner, board, empty) = (inner(simd), &pieces.board, !pieces.occupied);
    let pawns = board.pawns() & movers;
    let black = pieces.black_moves;
    let pawns = black.select(inner.black_pawns(pawns), inner.white_pawns(pawns));
    pawns
        | inner.knights(board.knights() & movers)
        | inner.diagonal(board.diagonal_sliders() & movers, empty)
        | inner.straight(board.straight_sliders() & movers, empty)
}

/// One target per lane, with its attackers and legal capturers.
struct Target<S: Stages> {
    board: Board<S::Word>,
    lines: Lines<S::Word>,
    /// Sliders on the target's lines that move along them.
    aligned: S::Word,
    /// Attackers of both sides.
    attackers: S::Word,
    /// The victim's side: black's bits or their complement.
    them: S::Word,
    /// Legal capturers. A king is left out if a visible piece guards the target; a guard behind
    /// the king is found by the exchange.
    capturers: S::Word,
}

impl<S: Stages> Target<S> {
    #[inline(always)]
    fn new(simd: S, rows: [&Row; MAX_LANES], entries: &PerLane) -> Target<S> {
        let rows = simd.rows(rows.map(bytemuck::cast_ref));
        let [bit0, bit1, bit2, black, movers, pinned, evasions, king] = rows;
        let board = Board::new([bit0, bit1, bit2, black]);
        let masks = simd.masks(&entries.map(|entry| entry >> 3 & 63));
        let target = (simd.load(entries) >> 3 & simd.splat(63)).bit();
        let lines = Lines::new(masks, target);
        let aligned = lines.aligned(&board);
        let sliders = lines.nearest(simd, board.occupied()) & aligned;
        let attackers = board.steps(masks) | sliders;
        let them = board.black.meets(target).select(board.black, !board.black);
        // A pinned piece may only move along the line to its king.
        let free = attackers & movers & (!pinned | lines.line_of(king)) & !board.kings();
        let free = evasions.meets(target).keep(free);
        let unguarded = attackers.misses(them);
        let king = unguarded.keep(attackers & movers & king & board.kings());
        Target {
            board,
            lines,
            aligned,
            attackers,
            them,
            capturers: free | king,
        }
    }
}

/// What is known about the captures of a target, per lane.
struct KnownValues<S: Stages> {
    /// Lanes where all captures are settled.
    lanes: MaskOf<S>,
    /// The value of each capture there.
    value: S::Word,
    /// An upper bound on the captures' values; infinite if one may turn out illegal.
    bound: S::Word,
}

/// A capture is settled if nobody can recapture, or nobody can answer the recapture. It then
/// wins the victim, or loses the capturer for it if the other side chooses. A slider behind an
/// attacker leaves the lane open.
///
/// All captures of a target are settled in one lane, before any is made; scores have one move per
/// lane. Using either way for the other is slower (docs/performance.md).
#[inline(always)]
fn settle<S: Stages>(simd: S, rules: &LaneRules<S>, target: &Target<S>) -> KnownValues<S> {
    let board = &target.board;
    let behind = board.occupied() & !target.attackers;
    let joining = target.lines.nearest(simd, behind) & target.aligned;
    let theirs = target.attackers & target.them;
    let answers = board.may_recapture(theirs, simd.splat(0));
    let answered = is_alone(simd, rules, target) & answers.meets(answers);
    let undefended = theirs.misses(theirs);
    let victim = rules.value(simd, board.code_at(simd, target.lines.square));
    // The only capturer, where this is used.
    let capturer = rules.value(simd, board.code_at(simd, target.capturers));
    let lost = capturer.max_value(simd.splat(0));
    let kings = target.capturers.meets(board.kings());
    KnownValues {
        lanes: (undefended | answered) & joining.misses(joining),
        value: undefended.select(victim, victim.sub_value(lost)),
        bound: kings.select(simd.splat_value(INFINITE), victim),
    }
}

/// Lanes with one attacker of its side, which any defender may capture.
#[inline(always)]
fn is_alone<S: Stages>(simd: S, rules: &LaneRules<S>, target: &Target<S>) -> MaskOf<S> {
    let own = target.attackers & !target.them;
    let mut alone = own.misses(own & (own - simd.splat(1)));
    if rules.pins != Pins::None {
        alone = alone & !may_bar(simd, &target.board, target.them, target.attackers);
    }
    if rules.queens {
        // A pawn that recaptures there may become a queen.
        return alone & target.lines.square.misses(simd.splat(LAST_RANKS));
    }
    alone
}
