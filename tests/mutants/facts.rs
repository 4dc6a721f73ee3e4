//! Facts of broken shaders and decoders.

use crate::common::coded::{self, Coded};
use crate::common::decoding::told_like_cpu;
use crate::common::facts::{every_move, facts_alone};
use crate::common::{gpu, odd};
use swaplist::formats::Format::{Binpack, Viriformat};
use swaplist::gpu::program::SHADER;
use swaplist::{Profile, Rules};

use super::mutants;

#[test]
fn wrong_facts_on_decoded_records_are_found() {
    let test = "facts::wrong_facts_on_decoded_records_are_found";
    let Some(mutants) = mutants(test, include_str!("decoded_facts.diff")) else {
        return;
    };
    let coded = [Viriformat, Binpack].map(|format| {
        let files = (0..3).map(|seed| coded::file(format, seed, 30));
        Coded::of(format, files.chain(odd::targets(format)))
    });
    for mutant in mutants {
        let gpu = gpu::open(&mutant.options());
        let mut told = coded
            .iter()
            .map(|coded| told_like_cpu(&gpu, coded, &Rules::SWAP));
        assert!(told.any(|told| told.is_err()), "{mutant} is not found out");
    }
    let right = gpu::open(&gpu::patient());
    for coded in &coded {
        assert_eq!(told_like_cpu(&right, coded, &Rules::SWAP), Ok(()));
    }
}

#[test]
fn wrong_facts_on_moves_are_found() {
    let test = "facts::wrong_facts_on_moves_are_found";
    let Some(mutants) = mutants(test, include_str!("facts.diff")) else {
        return;
    };
    let right = every_move(&facts_alone(SHADER), Profile::Swap);
    assert_eq!(right, Ok(()));
    for mutant in mutants {
        let told = every_move(&facts_alone(&mutant.of(SHADER)), Profile::Swap);
        assert!(told.is_err(), "{mutant} is not found out");
    }
}
