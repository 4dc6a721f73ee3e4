//! Facts of broken shaders.

use crate::common::facts::{every_move, facts_alone};
use swaplist::Profile;
use swaplist::gpu::program::SHADER;

use super::mutants;

#[test]
#[ignore = "compiles each mutant: `bash tests/run.sh core` runs it"]
fn wrong_facts_on_moves_are_found() {
    let test = "on_gpu::facts::wrong_facts_on_moves_are_found";
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
