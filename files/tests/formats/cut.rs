//! Files cut into games and chains for a device, without decoding them.

use swaplist_files::formats::{DecodedPart, Format};

use crate::common::boards::Random;
use crate::common::coded::{self, BROKEN, Coded, FORMATS, block, framed};
use crate::common::{chains, data, odd};

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
    let chains = chains::each(file.clone());
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

/// A start that is missed, or found where none is, breaks the chain before it.
#[test]
fn a_wrong_start_breaks_a_chain() {
    for (chunk, wrong) in [
        (chains::clocked(), -1),
        (framed(Format::Binpack, &chains::in_movetext()), 1),
    ] {
        let found = chains::each(chunk.clone()).len();
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
                    words == coded::words(format, &decoded),
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
