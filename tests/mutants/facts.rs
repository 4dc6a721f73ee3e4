//! Facts of broken shaders and decoders.

use crate::common::coded::{self, Coded};
use crate::common::decoding::told_like_cpu;
use crate::common::facts::{every_move, facts_alone};
use crate::common::{gpu, odd};
use swaplist::formats::Format::{Binpack, Viriformat};
use swaplist::gpu::program::{DECODER, SHADER};
use swaplist::{Profile, Rules};

use super::{mutants, replaced};

#[test]
fn wrong_facts_on_decoded_records_are_found() {
    let coded = [Viriformat, Binpack].map(|format| {
        let files = (0..3).map(|seed| coded::file(format, seed, 30));
        Coded::of(format, files.chain(odd::targets(format)))
    });
    let decoder = |from, to| gpu::with(|of| of.decoder = replaced(DECODER, from, to).into());
    let shader = |from, to| gpu::with(|of| of.shader = replaced(SHADER, from, to).into());
    for (mutant, options) in [
        decoder("put_played(game.first + i, played);", ""),
        decoder("put_played(chain.first, played);", ""),
        decoder("put_played(chain.first + i, played);", ""),
        decoder(
            "played.kind == KIND_PROMOTION);\n        let",
            "true);\n        let",
        ),
        decoder(
            "answers[FACTS_WORDS * record] =",
            "answers[FACTS_WORDS * record + 1u] =",
        ),
        shader("answers[word] = facts(", "answers[word + 1u] = facts("),
        shader("if ANSWER_WORDS == FACTS_WORDS {", "if false {"),
    ]
    .into_iter()
    .enumerate()
    {
        let gpu = gpu::open(&options);
        let mut told = coded
            .iter()
            .map(|coded| told_like_cpu(&gpu, coded, &Rules::SWAP));
        assert!(told.any(|told| told.is_err()), "{mutant}");
    }
    let right = gpu::open(&gpu::patient());
    for coded in &coded {
        assert_eq!(told_like_cpu(&right, coded, &Rules::SWAP), Ok(()));
    }
}

#[test]
fn wrong_facts_on_moves_are_found() {
    let right = every_move(&facts_alone(SHADER), Profile::Swap);
    assert_eq!(right, Ok(()));
    for mutant in mutants(include_str!("facts.diff")) {
        let told = every_move(&facts_alone(&mutant.of(SHADER)), Profile::Swap);
        assert!(told.is_err(), "{mutant} is not found out");
    }
}
