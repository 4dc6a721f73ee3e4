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
use super::super::isa::{Features, Isa, Portable, Work};
use super::super::legal::{counted_ep, is_possible};
use super::super::{Block, Cut, DecodedPart, Outcome, RecordFields};
use super::bits::from_zigzag;
use super::chunks::{CHUNK_HEADER, Chunk, MIN_CHAIN, chunks, moves};
use super::select::ScoreBits;
use super::stem::Stem;
use crate::device::{Coding, RawAnswer, Unit};

/// The high byte of a stem's half-move clock.
const CLOCK: usize = 30;

/// The fewest bits of a move and its score: one of one piece's few moves, and one block.
const LEAST_BITS: usize = 5;

/// Cuts a part of a block into chains, up to its chunk's end at the latest. Empty and truncated
/// chunks are left to the CPU.
pub(super) fn cut(features: Features, block: &Block, from: usize, records: usize) -> Option<Cut> {
    let is_usual = |chunk: &Chunk| chunk.missing == 0 && chunk.end > chunk.start;
    if !chunks(&block.bytes).all(|chunk| is_usual(&chunk)) {
        return None;
    }
    let chunk = chunks(&block.bytes).find(|chunk| chunk.end > from)?;
    let start = chunk.start.max(from);
    let (mut at, mut first, mut units) = (start, 0, Vec::new());
    while at < chunk.end && first < records {
        units.push(Unit::new(at - start, first));
        let bytes = &block.bytes[at..chunk.end];
        let moves = moves(bytes)?;
        first += moves + 1;
        let least = MIN_CHAIN + (moves * LEAST_BITS).div_ceil(8);
        at += next_stem(features, bytes, least).unwrap_or(bytes.len());
    }
    units.push(Unit::new(at - start, first));
    let next = (at < block.bytes.len()).then_some(at);
    Some(Cut::new(Coding::Binpack, start..at, units, next))
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
    let Ok(stem) = Stem::read(isa, raw) else {
        return false;
    };
    let (board, played) = (&stem.board, stem.played);
    let Ok(position) = board.position() else {
        return false;
    };
    match stem.kind {
        Kind::Castling => board.castling & board.ours() & 1 << played.to_index() != 0,
        kind => is_possible(board, counted_ep(&position, board), played, kind),
    }
}

/// Adds the records of chains that a device decoded.
pub(super) fn outline(
    _: Features,
    block: &Block,
    part: &Cut,
    answers: &[RawAnswer],
    into: &mut DecodedPart,
) {
    let Range { start, end } = part.bytes;
    // The first part begins with its chunk's header.
    let first = if start == CHUNK_HEADER { 0 } else { start };
    into.part = first as u32..end as u32;
    for (bytes, records) in part.each_unit() {
        outline_chain(block, bytes, &answers[records], into);
    }
}

fn outline_chain(
    block: &Block,
    bytes: Range<usize>,
    answers: &[RawAnswer],
    into: &mut DecodedPart,
) {
    let chain = &block.bytes[bytes.clone()];
    let Some(Ok(stem)) = chain.first_chunk().map(|raw| Stem::read(Portable, raw)) else {
        return;
    };
    let place = block.start.plus(bytes.start as u32);
    let outcome = Some(Outcome::of_white(stem.white_result().into()));
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
