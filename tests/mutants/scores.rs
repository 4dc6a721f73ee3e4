//! Scores of broken shaders.

use crate::common::{answers, boards, cases, gpu};
use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::SHADER;
use swaplist::{Batch, Choice, PieceValues, Profile, Rules};

use super::{mutants, replaced};

/// Random games, dense boards and the hand-made cases, which cover the rarest rules.
fn batch() -> Batch {
    let positions = boards::playouts(4)
        .take(4000)
        .chain(boards::dense(4).take(20_000))
        .chain(cases::tricky().into_iter().map(|case| case.chess));
    boards::batch(&boards::packed(positions))
}

/// How many values of a profile differ from the CPU's.
fn differences(gpu: &Gpu, batch: &Batch, profile: Profile) -> usize {
    let rules = Rules::new(profile, PieceValues::CPW);
    let expected = answers::scores(&Cpu::new(), batch, &rules).unwrap();
    let scores = answers::scores(gpu, batch, &rules).unwrap();
    scores.iter().zip(&expected).filter(|(a, b)| a != b).count()
}

#[test]
fn the_shader_itself_has_no_differences() {
    let gpu = gpu::open(&gpu::patient());
    let batch = batch();
    for &profile in Profile::ALL {
        assert_eq!(differences(&gpu, &batch, profile), 0);
    }
}

#[test]
#[ignore = "compiles each mutant: `bash tests/run.sh core` runs it"]
fn wrong_rules_differ() {
    let Some(mutants) = mutants(
        "on_gpu::scores::wrong_rules_differ",
        include_str!("scores.diff"),
    ) else {
        return;
    };
    let batch = batch();
    for mutant in mutants {
        let gpu = gpu::open(&gpu::with_shader(mutant.of(SHADER)));
        let profile: Profile = mutant.shown_by.parse().unwrap();
        let differing = differences(&gpu, &batch, profile);
        eprintln!("{mutant}: {differing} of {} differ", batch.len());
        assert!(differing > 0, "{mutant} is not found out");
    }
}

/// Stale scores of an earlier batch do not hide a mistake.
#[test]
fn what_was_written_before_does_not_count() {
    let from = "if index < params.count {\n        let request";
    let to = "if (index < params.count) && (params.values[0].y != 7) {\n        let request";
    let gpu = gpu::open(&gpu::with_shader(replaced(SHADER, from, to)));
    let batch = batch();
    gpu::equals_cpu(&gpu, &batch, &Rules::SWAP);
    let idle = Rules::new(
        Profile::Swap,
        PieceValues::new([7, 300, 300, 500, 900]).unwrap(),
    );
    let error = answers::scores(&gpu, &batch, &idle);
    assert!(matches!(error, Err(BackendError::Wrong(_))), "{error:?}");
}

#[test]
fn a_shader_that_does_not_compile_is_refused() {
    for broken in ["fn", "", "@compute @workgroup_size(1) fn other() {}"] {
        let opened = gpu::try_open(&gpu::with_shader(broken.to_owned()));
        let refused = opened.and_then(|gpu| answers::scores(&gpu, &batch(), &Rules::SWAP));
        assert!(
            matches!(refused, Err(BackendError::Device(_))),
            "{broken:?}: {refused:?}"
        );
    }
}
