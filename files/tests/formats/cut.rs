//! Files cut into games and chains for a device, without decoding them.

use swaplist_files::formats::{DecodedPart, Format, RecordFields};

use super::common::boards::{Random, board};
use super::common::coded::{self, FIRST, FORMATS, STEM, framed};
use super::common::games::{any_outcome, encoded, game_from};
use super::common::{chains, data, odd};
use super::units::{self, BROKEN, Coded, block};

/// Bytes in front of a chunk's chains.
const HEADER: usize = 8;

/// The chains of a file, each alone.
fn each(file: Vec<u8>) -> Vec<Vec<u8>> {
    let mut decoded = DecodedPart::default();
    let block = block(file);
    Format::Binpack.codec().decode(&block, &mut decoded);
    let mut spans: Vec<_> = decoded.records.iter().map(RecordFields::span).collect();
    spans.dedup();
    let bytes =
        |span: &core::ops::Range<u32>| block.bytes[span.start as usize..span.end as usize].to_vec();
    spans.iter().map(bytes).collect()
}

/// Where chains begin by the host, and whether all of them decode.
fn starts(chunk: Vec<u8>) -> (Vec<u32>, bool) {
    let coded = Coded::of(Format::Binpack, [chunk]);
    assert_eq!(coded.uncut, 0);
    let starts = coded.units.iter().map(|unit| unit.start).collect();
    (
        starts,
        coded.found.iter().all(|found| found.0 & BROKEN == 0),
    )
}

fn is_cut_right(file: Vec<u8>) -> usize {
    let chains = each(file.clone());
    let ends = chains.iter().scan(0, |end, chain| {
        *end += chain.len() as u32;
        Some(*end)
    });
    let expected: Vec<u32> = [0].into_iter().chain(ends).collect();
    assert!(starts(file) == (expected, true));
    chains.len()
}

#[test]
fn every_chain_is_found() {
    assert!(is_cut_right(coded::sample()) > 30);
    for seed in 0..6 {
        assert!(is_cut_right(coded::file(Format::Binpack, seed, 30)) >= 30);
    }
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_chains_are_all_found() {
    for name in ["sf_small.binpack", "sf_ep1.binpack"] {
        println!(
            "{name}: {} chains",
            is_cut_right(data::bytes(&format!("formats/{name}")))
        );
    }
}

/// The chain that other tests read is what this search finds.
#[test]
fn a_chain_in_movetext_is_found_again() {
    assert!(in_movetext() == chains::in_movetext());
}

/// Looks for a chain with movetext in which another seems to begin.
fn in_movetext() -> Vec<u8> {
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

/// A start that is missed, or found where none is, breaks the chain before it.
#[test]
fn a_wrong_start_breaks_a_chain() {
    for (chunk, wrong) in [
        (chains::clocked(), -1),
        (framed(Format::Binpack, &chains::in_movetext()), 1),
    ] {
        let found = each(chunk.clone()).len();
        let (starts, is_whole) = starts(chunk);
        assert!(!is_whole);
        assert_eq!(starts.len() - 1, found.strict_add_signed(wrong));
    }
}

/// Unless a unit is broken, the whole file is as the CPU decodes it.
#[test]
fn what_is_not_broken_is_what_the_cpu_decodes() {
    for format in FORMATS {
        let mut random = Random(43);
        let [mut whole, mut broken, mut uncut] = [0; 3];
        for round in 0..1500 {
            let sound = match round % 3 {
                0 => odd::files(format, round, 1).remove(0),
                _ => coded::file(format, round % 5, 4),
            };
            let file = match format {
                Format::Binpack => {
                    framed(format, &coded::damaged(format, &sound[8..], &mut random))
                }
                _ => coded::damaged(format, &sound, &mut random),
            };
            let coded = Coded::of(format, [file.clone()]);
            let block = block(file);
            let mut decoded = DecodedPart::default();
            format.codec().decode(&block, &mut decoded);
            if coded.uncut > 0 {
                uncut += 1;
            } else if coded.found.iter().any(|found| found.1.is_none()) {
                broken += 1;
            } else {
                whole += 1;
                assert!(decoded.invalid.is_empty(), "{format:?} {round}");
                let found = coded.found.iter().map(|found| found.1.unwrap());
                assert!(
                    found.eq(decoded.positions.iter().copied()),
                    "{format:?} {round}"
                );
                let words: Vec<_> = coded.found.iter().map(|found| found.0).collect();
                assert!(
                    words == units::words(format, &decoded),
                    "{format:?} {round}"
                );
            }
        }
        assert!(
            whole > 100 && broken > 100,
            "{format:?}: {whole} {broken} {uncut}"
        );
        println!("{format:?}: {whole} whole, {broken} broken, {uncut} cannot be cut");
    }
}
