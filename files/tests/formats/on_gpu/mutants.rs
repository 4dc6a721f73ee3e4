//! What broken decoders make of files.

use std::collections::HashMap;

use swaplist_files::device::decoder;
use swaplist_files::formats::Format::{self, Viriformat};

use super::compared::{compare, host, pipeline};
use crate::tests::common::boards::Random;
use crate::tests::common::coded::{self, FORMATS, framed};
use crate::tests::common::mutant::mutants;
use crate::tests::common::odd;
use crate::tests::units::Coded;

/// Whole units, and damaged ones.
fn coded(format: Format) -> [Coded; 2] {
    let mut random = Random(23);
    let mut whole = Coded::of(format, (0..3).map(|seed| coded::file(format, seed, 30)));
    whole.add_all(odd::files(format, 29, 5000));
    if format == Viriformat {
        whole.add_all(odd::returned());
    }
    whole.add_all(odd::targets(format));
    let mut broken = Coded::new(format);
    while broken.units.len() <= 6000 {
        let unit = whole.unit(random.below(whole.units.len() - 1));
        broken.add(framed(format, &coded::damaged(format, unit, &mut random)));
    }
    [whole, broken]
}

#[test]
fn the_decoder_itself_has_no_differences() {
    let host = host(&decoder());
    for format in FORMATS {
        for coded in coded(format) {
            let pipeline = pipeline(&host, &coded);
            compare(&host, &pipeline, &coded).unwrap_or_else(|error| panic!("{error}"));
        }
    }
}

#[test]
#[ignore = "compiles each mutant: `bash tests/run.sh core` runs it"]
fn wrong_positions_differ() {
    let test = "tests::on_gpu::mutants::wrong_positions_differ";
    let Some(mutants) = mutants(test, include_str!("decoding.diff")) else {
        return;
    };
    let mut all = HashMap::new();
    for mutant in mutants {
        let host = host(&mutant.of(&decoder()));
        let format: Format = mutant.shown_by.parse().unwrap();
        let coded = all.entry(format).or_insert_with(|| coded(format));
        let pipeline = pipeline(&host, &coded[0]);
        let mut compared = coded.iter().map(|coded| compare(&host, &pipeline, coded));
        let error = compared.find_map(Result::err);
        eprintln!("{mutant}: {error:?}");
        assert!(error.is_some(), "{mutant} is not found out");
    }
}
