//! Files decoded on the device as on the CPU: every position bit for bit, every word, and broken
//! exactly where the CPU finds a fault.

use std::sync::Arc;

use swaplist::backend::{Backend, Question};
use swaplist::formats::Format;
use swaplist::gpu::Gpu;
use swaplist::gpu::program::{Ask, DECODER, Raw, SHADER, Unit, Work};
use swaplist::{Bounds, PieceValues, Position, Profile, Rules};

use crate::common::boards::Random;
use crate::common::coded::{self, BROKEN, Coded, DECODED, FIRST, FORMATS, framed};
use crate::common::decoding::{CHUNK, compare, host, judged_like_cpu, pipeline, told_like_cpu};
use crate::common::facts::{every_move, facts_alone};
use crate::common::{answers, data, gpu, odd};

/// Compares all at once; says how many units are whole and how many broken.
fn equal(coded: &Coded) -> [usize; 2] {
    let host = host(DECODER);
    let pipeline = pipeline(&host, coded);
    let compared = compare(&host, &pipeline, coded, CHUNK);
    compared.unwrap_or_else(|error| panic!("{:?}: {error}", coded.format));
    let counts = coded.whole_and_broken();
    let (format, records) = (coded.format, coded.found.len());
    eprintln!("{format:?}: {records} records; whole, broken units: {counts:?}");
    counts
}

#[test]
fn files_are_decoded_as_by_the_cpu() {
    for (format, _) in FORMATS {
        let mut coded = Coded::of(format, (0..8).map(|seed| coded::file(format, seed, 30)));
        if format == Format::Binpack {
            coded.add(coded::sample());
        }
        let [whole, broken] = equal(&coded);
        assert!(whole > 200 && broken == 0 && coded.uncut == 0, "{format:?}");
    }
}

fn damaged(format: Format, count: usize) -> Coded {
    let mut random = Random(91);
    let whole = Coded::of(format, [coded::file(format, 90, 60)]);
    let mut damaged = Coded::new(format);
    while damaged.units.len() <= count {
        let unit = whole.unit(random.below(whole.units.len() - 1));
        let unit = coded::damaged(format, unit, &mut random);
        damaged.add(framed(format, &unit));
    }
    damaged
}

#[test]
fn damage_is_found_where_the_cpu_finds_it() {
    for (format, _) in FORMATS {
        let damaged = damaged(format, 4000);
        let [whole, broken] = equal(&damaged);
        assert!(whole > 200 && broken > 1000, "{format:?}: {whole} {broken}");
    }
}

#[test]
fn what_nobody_plays_is_decoded_as_by_the_cpu() {
    for format in [Format::Viriformat, Format::Binpack] {
        let odd = Coded::of(format, odd::files(format, 17, 4000));
        let [whole, broken] = equal(&odd);
        assert!(whole > 500 && broken > 500, "{format:?}: {whole} {broken}");
    }
    for (format, _) in FORMATS {
        equal(&Coded::of(format, odd::targets(format)));
    }
}

/// Whatever is in the file.
#[test]
fn garbage_ends() {
    let mut random = Random(5);
    let sample = coded::sample();
    for (format, coding) in FORMATS {
        let mut garbage = Coded::new(format);
        for _ in 0..500 {
            let at = random.below(sample.len() - 1000);
            let mut bytes = sample[at..][..36 + 4 * random.below(200)].to_vec();
            match format {
                Format::Viriformat => bytes.extend([0; 4]),
                Format::Binpack => bytes[32] &= 1,
                _ => bytes.truncate(bytes.len() & !31),
            }
            garbage.add(framed(format, &bytes));
        }
        assert!(garbage.units.len() > 400, "{coding:?}");
        equal(&garbage);
    }
}

/// The longest unit that a device decodes; the CPU gets longer ones.
#[test]
fn too_long_a_unit_is_refused() {
    let host = host(DECODER);
    let step = |from: u16, to: u16| [(from | to << 6).to_le_bytes(), [1, 0]].concat();
    // Knights go to and fro.
    let steps = [step(6, 21), step(62, 45), step(21, 6), step(45, 62)].concat();
    let first = &coded::file(Format::Viriformat, 2, 3)[..];
    let start = first
        .windows(FIRST)
        .find(|record| record[..8] == 0xffff_0000_0000_ffff_u64.to_le_bytes());
    let game = |records: usize| {
        let steps = steps.iter().copied().cycle().take(4 * records);
        start
            .unwrap()
            .iter()
            .copied()
            .chain(steps)
            .chain([0; 4])
            .collect::<Vec<u8>>()
    };
    let long = Coded::of(Format::Viriformat, [game(32_768)]);
    assert_eq!(long.whole_and_broken(), [1, 0]);
    equal(&long);
    for (_, coding) in &FORMATS[2..] {
        for (records, fits) in [(32_768, true), (32_769, false)] {
            let units = [(0, 0), (1 << 17, records)].map(|(start, first)| Unit { start, first });
            let raw = Raw {
                coding: *coding,
                bytes: &vec![0; 1 << 17],
                units: &units,
            };
            let question = Question::Records(raw, Ask::Bounds(Bounds::default()));
            let work = Work::new(question, &Rules::SWAP);
            assert_eq!(work.fits(host.capacity(CHUNK)), fits, "{records}");
        }
    }
}

/// Each number of units that fits in a chunk, with any rest.
#[test]
fn chunks_end_at_any_unit() {
    let host = host(DECODER);
    for (format, _) in FORMATS {
        let units = Coded::of(format, [coded::file(format, 4, 30)]);
        let mut some = Coded::new(format);
        let mut random = Random(6);
        while some.units.len() < 25 {
            let unit = units.unit(random.below(units.units.len() - 1));
            if unit.len() < 120 {
                some.add(framed(format, unit));
            }
        }
        let pipeline = pipeline(&host, &some);
        let mut seen = vec![false; some.units.len()];
        for chunk in 1..800 {
            match compare(&host, &pipeline, &some, chunk) {
                Ok(chunks) => chunks.into_iter().for_each(|units| seen[units] = true),
                Err(refused) => assert_eq!(refused, "refused"),
            }
            if seen[some.units.len() - 1] {
                break;
            }
        }
        assert_eq!(
            seen.iter().filter(|seen| **seen).count(),
            some.units.len() - 1,
            "{format:?}"
        );
    }
}

fn positions(coded: &Coded) -> Vec<Position> {
    coded.found.iter().map(|found| found.1.unwrap()).collect()
}

/// Through the whole backend, with the bounds exceeded; broken units are the CPU's.
#[test]
fn a_gpu_answers_what_it_decodes() {
    // How files are cut depends neither on the rules nor on the bounds.
    let (all, profiles) = (gpu::BOUNDS, [Profile::Swap, Profile::Legal, Profile::Sf]);
    let small = Arc::new(gpu::open(&gpu::with(|of| of.chunk = 300)));
    for (gpu, bounds, profiles) in [
        (small, &all[..1], &profiles[..1]),
        (gpu::usual(), &all, &profiles),
    ] {
        for (format, _) in FORMATS {
            let whole = Coded::of(format, [coded::file(format, 13, 12)]);
            for &bounds in bounds {
                answers_like_cpu(&gpu, &whole, bounds);
            }
            assert_eq!(judged_like_cpu(&gpu, &whole), Ok(()), "{format:?}");
            for &profile in profiles {
                let rules = Rules::new(profile, PieceValues::CPW);
                assert_eq!(told_like_cpu(&gpu, &whole, &rules), Ok(()), "{format:?}");
            }
            let mut broken = whole.clone();
            broken.bytes[..8].fill(0xff);
            let bounds = gpu::BOUNDS[0];
            for ask in [Ask::Bounds(bounds), Ask::Facts(bounds), Ask::Verdicts] {
                let question = Question::Records(broken.raw(), ask);
                let answers = gpu.answers(&question, &Rules::SWAP).unwrap();
                assert_eq!(answers.records, [], "{format:?} {ask:?}");
            }
        }
    }
}

/// Also illegal moves are found out: those of the rules, by shakmaty.
#[test]
fn facts_on_every_move_are_those_of_the_cpu() {
    assert_eq!(every_move(SHADER, Profile::Swap), Ok(()));
    for profile in &Profile::ALL[1..] {
        let told = every_move(&facts_alone(SHADER), *profile);
        assert_eq!(told, Ok(()), "{profile:?}");
    }
}

fn answers_like_cpu(gpu: &Gpu, coded: &Coded, bounds: Bounds) {
    let cpu = swaplist::backend::Cpu::new();
    let expected = answers::exceeds(&cpu, &positions(coded), &Rules::SWAP, bounds).unwrap();
    let question = Question::Records(coded.raw(), Ask::Bounds(bounds));
    let answers = gpu.answers(&question, &Rules::SWAP).unwrap().records;
    assert_eq!(answers.len(), expected.len());
    for ((answer, found), expected) in answers.iter().zip(&coded.found).zip(expected) {
        assert_eq!(answer.0 & !0x8000_000f, found.0);
        assert_eq!(answer.exceeds(bounds), expected);
    }
    assert!(
        coded
            .found
            .iter()
            .all(|found| found.0 & (DECODED | BROKEN) == DECODED)
    );
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_is_decoded_as_by_the_cpu() {
    for (format, name) in [
        (Format::Binpack, "sf_small.binpack"),
        (Format::Binpack, "sf_ep1.binpack"),
        (Format::Viriformat, "sf_small.viriformat"),
        (Format::Marlinformat, "sf_small.marlinformat.zst"),
        (Format::Bulletformat, "bulletformat_batch.bf"),
    ] {
        let coded = Coded::of(format, [data::bytes(&format!("formats/{name}"))]);
        let [whole, broken] = equal(&coded);
        assert!(whole > 0 && broken == 0 && coded.uncut == 0, "{name}");
    }
}
