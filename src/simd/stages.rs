//! Legal captures listed and scored in full registers, across positions.
//!
//! Three stages feed each other through short lists: positions to targets, targets to moves,
//! moves to scores. Most targets are settled by the second stage; about a quarter of all moves
//! go on to the exchange. An entry holds the position's index in its block above bit 16, and a
//! [`Capture`], or only its target, below.

use bytemuck::Zeroable as _;

use super::exchange::{GROUPS, Group, LaneRules, Scores, see};
use super::lanes::{List, MAX_LANES, Mask, PerLane, Sets, Stages, Values, Word};
use super::noisy::{Row, Sides, Target};
use super::settled;
use crate::captures::{Generator, fill::Shift as _};
use crate::{Best, Capture, Position};

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
pub(super) const NONE: i64 = i64::MIN;

#[inline(always)]
pub(super) fn best(key: i64) -> Option<Best> {
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
        let settled = settled::captures(simd, self.rules, &target);
        let any = capturers.meets(capturers);

        // The key of the first capture of each target.
        let words = simd.load(&entries);
        let first = (capturers.lowest() - simd.splat(1)).count();
        let moves = turned(simd, words + first.shl::<9>());
        let bound = settled.bound.over(moves).shl::<{ u8::BITS }>() | words.shr::<16>();
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
