//! Files cut and outlined for a device that decodes, with the words that one gives: the same
//! records and bytes as of files decoded here.

use swaplist::formats::{Action, Actions, DecodedPart, Format, OpenEnd, RecordFields};
use swaplist::gpu::program::RawAnswer;

use crate::common::boards::Random;
use crate::common::coded::{self, BROKEN, Coded, FORMATS, block, framed, words};
use crate::common::{chains, data, odd};

const KINDS: [&[Action]; 4] = [
    &[Action::Keep],
    &[Action::Keep, Action::Mark],
    &[Action::Drop, Action::Keep],
    &[Action::Drop, Action::Keep, Action::Mark],
];

/// All that a device does not tell.
fn fields(format: Format, records: &[RecordFields]) -> Vec<RecordFields> {
    let without_move = |record: &RecordFields| match format {
        Format::Binpack => record.with_played(None),
        _ => *record,
    };
    records.iter().map(without_move).collect()
}

/// Checks a file without a fault in parts of roughly so many records; returns their number.
fn outlined(format: Format, file: &[u8], records: usize) -> usize {
    let (codec, block) = (format.codec(), block(file.to_vec()));
    let mut whole = DecodedPart::default();
    codec.decode(&block, &mut whole);
    assert!(whole.invalid.is_empty(), "{format:?}");
    let words: Vec<_> = words(format, &whole).into_iter().map(RawAnswer).collect();
    let mut random = Random(records as u64);
    let mut outputs = KINDS.map(|kinds| {
        let action = |_: &RecordFields| kinds[random.below(kinds.len())];
        let actions: Vec<_> = whole.records.iter().map(action).collect();
        (actions, Vec::new(), OpenEnd::default())
    });
    let (mut part, mut parts, mut done, mut next) = (DecodedPart::default(), 0, 0, Some(0));
    while let Some(from) = next {
        let cut = codec.cut(&block, from, records).unwrap();
        let own = done..done + cut.raw(&block.bytes).records();
        part.clear();
        codec.outline(&block, &cut, &words[own.clone()], &mut part);
        assert!(
            part.records == fields(format, &whole.records[own.clone()]),
            "{format:?} {records}"
        );
        for (actions, out, open) in &mut outputs {
            let actions = Actions {
                records: &actions[own.clone()],
                invalid: false,
            };
            codec.encode_part(&block, &part, &actions, out, open);
        }
        (done, parts, next) = (own.end, parts + 1, cut.next);
    }
    assert_eq!(done, whole.records.len());
    for (actions, out, _) in outputs {
        let mut expected = Vec::new();
        super::encode(&codec, &block, &whole, &actions, &mut expected);
        assert!(out == expected, "{format:?} {records}");
    }
    parts
}

#[test]
fn outlines_are_what_is_decoded_here() {
    for (format, _) in FORMATS {
        let mut file: Vec<u8> = (0..3)
            .flat_map(|seed| coded::file(format, seed, 20))
            .collect();
        if format == Format::Binpack {
            file.extend(coded::sample());
        }
        let parts = [1, 50, 700, usize::MAX].map(|records| outlined(format, &file, records));
        match format {
            // A part of each chunk, of which the sample has two.
            Format::Binpack => assert!(parts[0] > 60 && parts[3] == 5, "{parts:?}"),
            Format::Viriformat => assert!(parts[0] > 60 && parts[3] == 1, "{parts:?}"),
            _ => assert_eq!(parts, [1; 4]),
        }
    }
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
        let file = data::bytes(&format!("formats/{name}"));
        println!("{} parts", outlined(Format::Binpack, &file, 1 << 15));
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
    for (format, _) in FORMATS {
        let mut random = Random(43);
        let [mut whole, mut broken, mut uncut] = [0; 3];
        for round in 0..1500 {
            let file = match round % 3 {
                0 if matches!(format, Format::Viriformat | Format::Binpack) => {
                    odd::files(format, round, 1).remove(0)
                }
                _ => coded::file(format, round % 5, 4),
            };
            let file = match format {
                Format::Binpack => framed(format, &coded::damaged(format, &file[8..], &mut random)),
                _ => coded::damaged(format, &file, &mut random),
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
