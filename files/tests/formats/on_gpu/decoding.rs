//! Files decoded on the device as on the CPU: every position bit for bit, every word, and broken
//! exactly where the CPU finds a fault.

use swaplist_files::device::decoder;
use swaplist_files::formats::Format;

use super::compared::{compare, host, pipeline};
use crate::tests::common::boards::Random;
use crate::tests::common::coded::{self, FORMATS, framed};
use crate::tests::common::{data, odd};
use crate::tests::units::Coded;

/// Compares all at once; says how many units are whole and how many broken.
fn equal(coded: &Coded) -> [usize; 2] {
    let host = host(&decoder());
    let pipeline = pipeline(&host, coded);
    let compared = compare(&host, &pipeline, coded);
    compared.unwrap_or_else(|error| panic!("{:?}: {error}", coded.format));
    let counts = coded.whole_and_broken();
    let format = coded.format;
    let records = coded.found.len();
    eprintln!("{format:?}: {records} records; whole, broken units: {counts:?}");
    counts
}

#[test]
fn files_are_decoded_as_by_the_cpu() {
    for format in FORMATS {
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
        let sound = whole.unit(random.below(whole.units.len() - 1));
        let unit = coded::damaged(format, sound, &mut random);
        damaged.add(framed(format, &unit));
    }
    damaged
}

#[test]
fn damage_is_found_where_the_cpu_finds_it() {
    for format in FORMATS {
        let damaged = damaged(format, 4000);
        let [whole, broken] = equal(&damaged);
        assert!(whole > 200 && broken > 1000, "{format:?}: {whole} {broken}");
    }
}

#[test]
fn what_nobody_plays_is_decoded_as_by_the_cpu() {
    for format in [Format::Viriformat, Format::Binpack] {
        let odd = Coded::of(format, odd::files(format, 17, 5000));
        let [whole, broken] = equal(&odd);
        assert!(whole > 500 && broken > 500, "{format:?}: {whole} {broken}");
    }
    for format in FORMATS {
        equal(&Coded::of(format, odd::targets(format)));
    }
}

/// Whatever is in the file.
#[test]
fn garbage_ends() {
    let mut random = Random(5);
    let sample = coded::sample();
    for format in FORMATS {
        let mut garbage = Coded::new(format);
        for _ in 0..500 {
            let at = random.below(sample.len() - 1000);
            let mut bytes = sample[at..][..36 + 4 * random.below(200)].to_vec();
            match format {
                // The host looks at the result itself.
                Format::Viriformat => {
                    bytes[30] %= 3;
                    bytes.extend([0; 4]);
                }
                Format::Binpack => bytes[32] &= 1,
                other => panic!("{other:?}"),
            }
            garbage.add(framed(format, &bytes));
        }
        assert!(garbage.units.len() > 400, "{format:?}");
        equal(&garbage);
    }
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_is_decoded_as_by_the_cpu() {
    for (format, name) in [
        (Format::Binpack, "sf_small.binpack"),
        (Format::Binpack, "sf_ep1.binpack"),
        (Format::Viriformat, "sf_small.viriformat"),
    ] {
        let coded = Coded::of(format, [data::bytes(&format!("formats/{name}"))]);
        let [whole, broken] = equal(&coded);
        assert!(whole > 0 && broken == 0 && coded.uncut == 0, "{name}");
    }
}
