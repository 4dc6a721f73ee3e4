//! Cutting chunks into chains without playing their moves, and records without positions, for a
//! device that decodes.
//!
//! The length of a chain is not stored. But a chain is followed by another, which begins with a
//! stem, and hardly any movetext looks like one: the high byte of its half-move clock is 0, its
//! position is sound, and its move can be played. The device finds out if a start was missed or
//! is not one: then the chain before it ends elsewhere.

use core::iter;
use core::ops::Range;

use super::super::board::Kind;
use super::super::isa::{Features, Isa, Work};
use super::super::legal::{counted_ep, is_possible};
use super::super::{Block, Decoded, Outcome, RecordFields};
use super::bits::from_zigzag;
use super::chunks::{MIN_CHAIN, STEM, moves};
use super::select::ScoreBits;
use super::stem::Stem;
use crate::device::{RawAnswer, Unit};

/// The high byte of a stem's half-move clock.
const CLOCK: usize = 30;

/// The fewest bits of a move and its score: one of one piece's few moves, and one block.
const LEAST_BITS: usize = 5;

/// Cuts the chains from `span.start` on, up to roughly so many records or the chunk's end.
/// Returns `None` if they cannot be cut.
pub(super) fn cut(
    features: Features,
    block: &Block,
    span: Range<usize>,
    records: usize,
) -> Option<(Vec<Unit>, usize)> {
    let (mut at, mut first, mut units) = (span.start, 0, Vec::new());
    while at < span.end && first < records {
        units.push(Unit::new(at - span.start, first));
        let bytes = &block.bytes[at..span.end];
        let moves = moves(bytes)?;
        first += moves + 1;
        let least = MIN_CHAIN + (moves * LEAST_BITS).div_ceil(8);
        at += next_stem(features, bytes, least).unwrap_or(bytes.len());
    }
    units.push(Unit::new(at - span.start, first));
    Some((units, at))
}

/// Where the next chain begins, at `from` or after it.
fn next_stem(features: Features, bytes: &[u8], from: usize) -> Option<usize> {
    struct Next<'a>(&'a [u8], usize);
    impl Work for Next<'_> {
        type Output = Option<usize>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Option<usize> {
            let Next(bytes, from) = self;
            let clocks = bytes.get(from + CLOCK..).unwrap_or_default();
            let mut starts = memchr::memchr_iter(0, clocks).map(|at| from + at);
            starts.find(|&at| is_stem(isa, &bytes[at..]))
        }
    }
    features.run(Next(bytes, from))
}

/// Whether a chain may begin here.
#[inline(always)]
fn is_stem<I: Isa>(isa: I, bytes: &[u8]) -> bool {
    let Some(raw) = bytes.first_chunk().filter(|_| bytes.len() >= MIN_CHAIN) else {
        return false;
    };
    let Ok(Stem {
        board,
        played,
        kind,
        ..
    }) = Stem::read(isa, raw)
    else {
        return false;
    };
    let Ok(position) = board.position() else {
        return false;
    };
    match kind {
        Kind::Castling => board.castling & board.ours() & 1 << played.to_index() != 0,
        kind => is_possible(&board, counted_ep(&position, &board), played, kind),
    }
}

/// Adds the records of a chain that a device decoded.
pub(super) fn outline(
    features: Features,
    block: &Block,
    bytes: Range<usize>,
    answers: &[RawAnswer],
    into: &mut Decoded,
) {
    struct Begin<'a>(&'a [u8; STEM]);
    impl Work for Begin<'_> {
        type Output = Option<Stem>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Option<Stem> {
            Stem::read(isa, self.0).ok()
        }
    }
    let chain = &block.bytes[bytes.clone()];
    let stem = chain.first_chunk().and_then(|raw| features.run(Begin(raw)));
    let Some(stem) = stem else { return };
    let place = block.start.plus(bytes.start as u32);
    let white = stem.board.turn.fold_wb(stem.result, -stem.result);
    let outcome = Some(Outcome::of_white(white.into()));
    let record =
        RecordFields::new(place, bytes.start as u32..bytes.end as u32).with_outcome(outcome);
    let (mut score, mut ply, mut end) = (stem.score, stem.ply, 0);
    let record = |score: i16, ply: u16| {
        record
            .with_score(Some(score.into()))
            .with_ply(Some(ply.into()))
    };
    let first = record(score, ply);
    let rest = answers.iter().skip(1).map(|answer| {
        score = from_zigzag(answer.score_code()).wrapping_sub(score);
        ply = ply.saturating_add(1);
        record(score, ply)
    });
    into.records.extend(iter::once(first).chain(rest));
    let places = answers.iter().skip(1).map(|answer| {
        let start = end + answer.move_bits();
        end = start + answer.score_bits();
        ScoreBits::new(start, end).0
    });
    into.notes
        .extend(iter::once(ScoreBits::new(0, 0).0).chain(places));
}
