//! Stockfish's `.binpack`: chunks of chains of positions.
//!
//! A file is a sequence of chunks: `BINP`, the size in bytes (u32, little-endian), and that
//! many bytes of chains. A chain is a *stem*, the number of moves that follow (u16,
//! big-endian), and the *movetext*: for every further position the move played in it and its
//! score, in as few bits as the position allows, padded to whole bytes.
//!
//! | bytes of the stem | holds (big-endian) |
//! |---|---|
//! | 0..8 | the occupied squares |
//! | 8..24 | the pieces, a nibble each: type << 1 \| colour; 12 a pawn with the en-passant target behind it, 13 and 14 a rook that may castle, 15 the black king with Black to move |
//! | 24..26 | the move: kind << 14 (1 promotion, 2 castling, 3 en passant) \| origin << 8 \| target << 2 \| promotion |
//! | 26..28 | the score of the side to move, zigzag |
//! | 28..30 | the result of the side to move, zigzag << 14 \| the ply |
//! | 30..32 | the half-move clock |
//!
//! In movetext, castling is only long or short, and readers take the king to be on e1 or e8. So
//! castling of a king on another square, as in Chess960, is written in a stem, which holds the
//! squares of king and rook, and it is a fault in movetext.
//!
//! Scores and results are the side to move's. Moves are numbered among the *pseudo-legal* ones
//! of a piece, in ascending order of their targets; a score is stored as the difference to the
//! previous one with its sign flipped.
//!
//! # What a filter writes
//!
//! A chain with all positions kept is copied byte for byte. *Marked* positions get the score
//! [`VALUE_NONE`](super::VALUE_NONE) and the chain stays whole: move bits are copied, only
//! scores are coded again. If positions are *dropped*, each run of kept ones becomes a chain
//! with a new stem; the bits after it are copied. Bytes of an invalid chain are never written: the
//! format has no place for them. Empty chunks are left out.

mod bits;
mod chain;
pub(super) mod chunks;
mod cut;
mod moves;
mod ordinary;
mod select;
mod stem;
mod write;

use core::ops::Range;

use super::breakage::Breakage;
use super::convert::{Counting, OutputRecords, UnheldRights, too_large_for_16_bits};
use super::cut::Cut;
use super::isa::Features;
use super::record::CORNERS;
use super::spec::{Detection, FormatCode, FormatSpec, WholeRecords};
use super::{Action, Actions, Block, DecodedPart, Fault, Field, Invalid, OpenChunk, Place, Record};
use chain::walk;
use chunks::{CHUNK_HEADER, MAGIC, chunks};
use ordinary::{ChainRecord, decode};
use select::{Chain, drop_positions, mark_positions};
use swaplist::Position;
use swaplist::boards::{GROUP, Unpacker};

/// The properties of binpacks.
pub(super) const SPEC: FormatSpec = FormatSpec {
    extensions: &["binpack"],
    detection: Detection::Beginning,
    record_tenths_of_a_byte: 24,
    // A chunk has roughly this size.
    least_block_bytes: Some(900_000),
    units: Some("chains"),
    single_bytes: Some(chunks::MIN_CHAIN),
    prefers_mark: true,
    skips_unscored: true,
    needs: &[Field::Played, Field::Score, Field::Result],
    max_ply: stem::MAX_PLY as u32,
    counts: Counting::Plies,
    numbers_moves: true,
    filters_on_gpu: true,
    is_convertible_to: true,
    ..FormatSpec::new("binpack", &Binpack)
};

struct Binpack;

impl FormatCode for Binpack {
    fn begins(&self, head: &[u8]) -> bool {
        head.starts_with(&MAGIC)
    }

    fn whole_records(&self, bytes: &[u8]) -> WholeRecords {
        WholeRecords::from_length(chunks::whole_chunks(bytes))
    }

    fn never_whole(&self, rest: &[u8]) -> Option<Breakage> {
        chunks::never_whole(rest)
    }

    fn decode(
        &self,
        features: Features,
        block: &Block,
        from: usize,
        records: usize,
        part: &mut DecodedPart,
    ) -> Option<usize> {
        decode_chains(features, block, from, records, part)
    }

    fn states(
        &self,
        features: Features,
        block: &Block,
        part: &DecodedPart,
        states: &mut Vec<Record>,
    ) {
        for chain in part.units() {
            let _ = walk(features, block.slice(&chain[0].span()), |step| {
                states.push(Record::from_board(&step.state.board, step.position));
            });
        }
    }

    fn cut(&self, features: Features, block: &Block) -> Option<Cut> {
        // Blocks are cut for a device only, and a browser has none: see `jobs/rewriting.rs`.
        if cfg!(target_arch = "wasm32") {
            return None;
        }
        features.run(cut::CutBlock(block))
    }

    fn select(
        &self,
        features: Features,
        block: &Block,
        part: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        open_chunk: &mut OpenChunk,
    ) {
        select_chains(features, block, part, actions, out, open_chunk);
    }

    fn select_unit(
        &self,
        features: Features,
        block: &Block,
        part: &DecodedPart,
        records: Range<usize>,
        actions: &[Action],
        out: &mut Vec<u8>,
    ) {
        let of_chain = &part.records[records.clone()];
        let Some(first) = of_chain.first() else {
            return;
        };
        let chain = Chain {
            bytes: block.slice(&first.span()),
            records: of_chain,
            score_bits: &part.notes.chains.score_bits[records],
        };
        write_chain(features, &chain, actions, out);
    }

    /// Removes the header of the one chunk.
    fn remove_frame(&self, start: usize, out: &mut Vec<u8>) {
        if out.len() > start {
            out.drain(start..start + CHUNK_HEADER);
        }
    }

    fn cannot_hold(&self, score: Option<i32>, _: &Record) -> Option<String> {
        too_large_for_16_bits(score)
    }

    /// Castling rights exist only for rooks in the corners.
    fn unheld_rights(&self, record: &Record) -> Option<UnheldRights> {
        let what = "the castling right of a rook that is not in the corner";
        UnheldRights::new(record.castling.0 & !CORNERS, what)
    }

    fn write(&self, records: OutputRecords<'_>, out: &mut Vec<u8>, open_chunk: &mut OpenChunk) {
        write::write(records, out, open_chunk);
    }
}

impl DecodedPart {
    /// The bits of a record's score in its chain's movetext, in binpacks. For tests.
    #[doc(hidden)]
    pub fn score_bits(&self, record: usize) -> Range<usize> {
        let bits = self.notes.chains.score_bits[record];
        bits.start()..bits.end()
    }
}

/// Bytes of a chain before its movetext: the stem and the number of moves.
pub(crate) const CHAIN_HEAD: usize = chunks::MIN_CHAIN;

/// Fills `out` with a chain with marks, given its movetext: the stem, with the score of a marked
/// position if it is, and the number of moves, as they were.
pub(crate) fn put_marked_chain(chain: &[u8], marks_stem: bool, movetext: &[u8], out: &mut [u8]) {
    let (head, text) = out.split_at_mut(CHAIN_HEAD);
    head.copy_from_slice(&chain[..CHAIN_HEAD]);
    if marks_stem {
        let score = bits::to_zigzag(super::VALUE_NONE).to_be_bytes();
        head[stem::SCORE..stem::SCORE + score.len()].copy_from_slice(&score);
    }
    text.copy_from_slice(movetext);
}

/// Decodes chains from the byte `from` on until there are `records` positions.
fn decode_chains(
    features: Features,
    block: &Block,
    from: usize,
    records: usize,
    into: &mut DecodedPart,
) -> Option<usize> {
    into.clear();
    into.notes.chains.bytes = from as u32..block.bytes.len() as u32;
    for chunk in chunks(&block.bytes).filter(|chunk| chunk.end > from || chunk.start > from) {
        let mut at = chunk.start.max(from);
        while at < chunk.end {
            if into.records.len() >= records {
                into.notes.chains.bytes.end = at as u32;
                return Some(at);
            }
            match decode_chain(features, block, at, chunk.end, into) {
                Some(length) => at += length,
                None => break,
            }
        }
        if at == chunk.end && chunk.missing > 0 {
            let left = chunk.end - chunk.start;
            let fault = Invalid::cut_off(left + chunk.missing, left);
            let bad = at as u32..chunk.end as u32;
            into.refuse(block, chunk.start as u32, bad, fault);
        }
    }
    // A chunk whose bytes are cut off reaches to the block's end.
    let whole = chunks(&block.bytes).last().map_or(0, |chunk| chunk.end);
    if whole < block.bytes.len() {
        let bad = whole as u32..block.bytes.len() as u32;
        let fault = Invalid::new(Fault::CutOff, "the header of a chunk is cut off");
        into.refuse(block, whole as u32, bad, fault);
    }
    None
}

/// Appends the chains of a part, without dropped positions, in the chunks that they come from.
fn select_chains(
    features: Features,
    block: &Block,
    decoded: &DecodedPart,
    actions: &Actions<'_>,
    out: &mut Vec<u8>,
    open_chunk: &mut OpenChunk,
) {
    let notes = &decoded.notes.chains;
    let part = notes.bytes.start as usize..notes.bytes.end as usize;
    let begins_before = |bound: usize| {
        let records = &decoded.records;
        records.partition_point(|record| (record.span().start as usize) < bound)
    };
    for chunk in chunks(&block.bytes) {
        let span = chunk.start.max(part.start)..chunk.end.min(part.end);
        if span.is_empty() {
            continue;
        }
        open_chunk.go_on(chunk.start, out);
        // Positions without an action are not written.
        let end = begins_before(span.end).min(actions.records.len());
        let mut first = begins_before(span.start).min(end);
        let chains = decoded.records[first..end].chunk_by(|a, b| a.span().start == b.span().start);
        for records in chains {
            let all = first..first + records.len();
            let chain = Chain {
                bytes: block.slice(&records[0].span()),
                records,
                score_bits: &notes.score_bits[all.clone()],
            };
            first = all.end;
            write_chain(features, &chain, &actions.records[all], out);
        }
        open_chunk.pause(out);
    }
}

/// What all records of a chain have in common.
struct ChainOrigin {
    /// The chain's place in the file.
    place: Place,
    /// The chain's bytes in the block.
    span: Range<u32>,
}

/// Adds the positions of a chain up to a fault. Returns its length, or `None` if it has a fault:
/// then the rest of the chunk is lost.
fn decode_chain(
    features: Features,
    block: &Block,
    at: usize,
    end: usize,
    into: &mut DecodedPart,
) -> Option<usize> {
    let bytes = &block.bytes[at..end];
    // The end of the chain is not known yet.
    let origin = ChainOrigin {
        place: block.start.plus(at as u32),
        span: at as u32..at as u32,
    };
    let first = into.records.len();
    // The fast path does not test positions one by one, but all of them after the last move.
    let fast_walk = features.lanes.and_then(|lanes| {
        let walked = decode(features, bytes, into, &origin);
        all_sound(lanes, &into.positions[first..]).then_some(walked)
    });
    let walked = if let Some(walked) = fast_walk {
        walked
    } else {
        // Positions after an unsound one are meaningless.
        into.positions.truncate(first);
        into.records.truncate(first);
        into.notes.chains.score_bits.truncate(first);
        walk(features, bytes, |step| {
            ChainRecord::from_step(step).add(into, &origin);
        })
    };
    // The end of a faulty chain is unknown.
    let chain_end = walked.as_ref().map_or(end, |length| at + length);
    for record in &mut into.records[first..] {
        record.end_at(chain_end as u32);
    }
    walked
        .map_err(|found| {
            let bad = (at + found.offset) as u32..end as u32;
            into.refuse(block, at as u32, bad, found.fault);
        })
        .ok()
}

/// Whether all positions are sound. Tests eight at a time; the last eight may overlap the previous
/// ones.
fn all_sound(lanes: Unpacker, positions: &[Position]) -> bool {
    match positions.last_chunk::<GROUP>() {
        Some(last) => lanes.all_sound(positions) && lanes.all_sound(last),
        None => positions.iter().all(Position::is_sound),
    }
}

/// Appends the positions of a chain that are not dropped, in the cheapest way: as one chain that is
/// copied, as one with other scores, or as several with new stems.
fn write_chain(features: Features, chain: &Chain<'_>, actions: &[Action], out: &mut Vec<u8>) {
    // A bit for each kind of action that occurs: all are looked at, which is faster than to stop at
    // the first of a kind.
    let kinds = actions
        .iter()
        .fold(0, |kinds, &action| kinds | 1_u8 << action as u8);
    let has = |action| kinds >> action as u8 & 1 == 1;
    if !has(Action::Drop) {
        if has(Action::Mark) || !chain.is_whole() {
            return mark_positions(features, chain, actions, out);
        }
        // Copied bit for bit, including the padding.
        return out.extend_from_slice(chain.bytes);
    }
    let drops_all = kinds == 1 << Action::Drop as u8;
    if drops_all {
        return;
    }
    let is_kept = |i: usize| actions.get(i).is_some_and(|&action| action != Action::Drop);
    if !has(Action::Mark) {
        return drop_positions(features, chain.bytes, is_kept, out);
    }
    let mut marked_chain = Vec::new();
    mark_positions(features, chain, actions, &mut marked_chain);
    drop_positions(features, &marked_chain, is_kept, out);
}
