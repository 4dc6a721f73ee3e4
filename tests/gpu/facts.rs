//! Facts on moves, which a kernel finds for positions that a decoder has left.

use swaplist::gpu::program::SHADER;
use swaplist::{Choice, Profile};

use crate::common::facts::{every_move, facts_alone};

/// Also illegal moves are found out: those of the rules, by shakmaty.
#[test]
fn facts_on_every_move_are_those_of_the_cpu() {
    assert_eq!(every_move(SHADER, Profile::Swap), Ok(()));
    for profile in &Profile::ALL[1..] {
        let told = every_move(&facts_alone(SHADER), *profile);
        assert_eq!(told, Ok(()), "{profile:?}");
    }
}
