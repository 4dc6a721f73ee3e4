//! Chains whose starts cannot be told from the bytes alone.

use swaplist_files::formats::{DecodedPart, Format, RecordFields};

use super::boards::{Random, board};
use super::coded::{FIRST, STEM, block, file, framed};
use super::games::{any_outcome, encoded, game_from};

/// Bytes in front of a chunk's chains.
const HEADER: usize = 8;
/// The half-move clock of a stem, which no writer lets grow beyond a byte.
const CLOCK: usize = 30;

/// The chains of a file, each alone.
pub fn each(file: Vec<u8>) -> Vec<Vec<u8>> {
    let mut decoded = DecodedPart::default();
    let block = block(file);
    Format::Binpack.codec().decode(&block, &mut decoded);
    let mut spans: Vec<_> = decoded.records.iter().map(RecordFields::span).collect();
    spans.dedup();
    let bytes =
        |span: &core::ops::Range<u32>| block.bytes[span.start as usize..span.end as usize].to_vec();
    spans.iter().map(bytes).collect()
}

/// Chains of which the second has a clock of more than a byte, so that it does not look like one.
pub fn clocked() -> Vec<u8> {
    let mut chains = each(file(Format::Binpack, 31, 6));
    chains[1][CLOCK] = 1;
    framed(Format::Binpack, &chains.concat())
}

/// A chain with movetext in which another seems to begin.
pub fn in_movetext() -> Vec<u8> {
    let mut random = Random(12);
    let chess = board("7k/K7/8/8/8/8/8/N6n w - - 0 1");
    let start = encoded(
        Format::Binpack,
        &[game_from(chess, 1, any_outcome(&mut random), &mut random)],
    );
    // Two kings, of which White's moves from d4 to d5.
    let mut stem = [0; FIRST];
    stem[..8].copy_from_slice(&(1_u64 << 27 | 1 << 59).to_be_bytes());
    stem[8] = 10 | 11 << 4;
    stem[24..26].copy_from_slice(&(27_u16 << 8 | 35 << 2).to_be_bytes());
    let is_free =
        |at: usize| (9..24).contains(&at) || (26..28).contains(&at) || at == 29 || at == 31;

    let moves = 120;
    let at = STEM + 80;
    let mut chain = start[HEADER..HEADER + STEM].to_vec();
    chain[FIRST..].copy_from_slice(&[0, moves]);
    chain.extend([0; 400]);
    chain[at..at + FIRST].copy_from_slice(&stem);
    for _ in 0..50_000 {
        let mut decoded = DecodedPart::default();
        let file = block(framed(Format::Binpack, &chain));
        Format::Binpack.codec().decode(&file, &mut decoded);
        let records = decoded.records.iter();
        let own = records
            .take_while(|record| record.span().start as usize == HEADER)
            .count();
        if own == usize::from(moves) + 1 {
            let end = decoded.records[0].span().end as usize;
            if end >= HEADER + at + STEM {
                return file.bytes[HEADER..end].to_vec();
            }
        }
        // Other moves in front of the one that cannot be played.
        let bad = decoded.score_bits(own - 1).end / 8 + STEM;
        let before = 1 + random.below(40);
        let near = bad.saturating_sub(before).max(STEM)..bad + 3;
        for (near, byte) in near.clone().zip(&mut chain[near]) {
            let is_own = !(at..at + FIRST).contains(&near) || is_free(near - at);
            if is_own && random.below(3) == 0 {
                *byte = random.next() as u8;
            }
        }
    }
    panic!("no such movetext was found");
}
