//! The program alone gives the CPU's results on a host of the test's own.

use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::program::{self, BINDINGS, Judge, SHADER, Scoring, Variant, Workload};
use swaplist::{Batch, PieceValues, Position, Profile, Rules, Verdict, noisy_moves};

use crate::common::host::Host;
use crate::common::{boards, verdicts};

fn run<W: Workload>(
    host: &Host,
    work: &W,
    rules: &Rules,
    mut answers: &mut [W::Answer],
) -> Result<usize, BackendError> {
    let variant = Variant::new(work.kernel(), rules);
    let constants = variant.constants(host.grid.shape);
    let pipeline = host.pipeline(variant.kernel.entry_point(), &constants);
    let (mut last, mut chunks) = (None, 0);
    while let Some(chunk) = work.chunk_after(last.as_ref(), host.capacity(1000)) {
        let (own, rest) = answers.split_at_mut(W::answers(&chunk));
        let (params, groups) = work.params(&chunk, rules, host.grid, 0);
        let requests: Vec<_> = work.requests(&chunk).flatten().collect();
        let contents = [
            bytemuck::bytes_of(&params),
            program::masks(),
            work.upload(&chunk),
            &requests,
            &vec![0; work.kernel().bytes(own.len()) as usize],
        ];
        let written = host.dispatch(&pipeline, contents, groups);
        work.read(&written[0], own)?;
        (answers, last, chunks) = (rest, Some(chunk), chunks + 1);
    }
    Ok(chunks)
}

#[test]
fn the_program_is_all_that_a_host_needs() {
    let Some(host) = Host::open(SHADER, BINDINGS) else {
        return;
    };
    let mut positions = boards::packed(boards::playouts(61).take(2500));
    positions.extend(boards::packed(boards::dense(61).take(1000)));
    let mut batch = Batch::new();
    for position in &positions {
        batch.push(*position, noisy_moves(position));
    }
    // The profiles that differ most.
    for profile in [Profile::Swap, Profile::Legal] {
        let rules = Rules::new(profile, PieceValues::CPW);
        for with_threat in [false, true] {
            let judging = Judge {
                positions: &positions,
                with_threat,
            };
            let mut judged = vec![Verdict::default(); positions.len()];
            assert_eq!(run(&host, &judging, &rules, &mut judged), Ok(4), "chunks");
            let expected = verdicts::judge(&Cpu::new(), &positions, &rules, with_threat);
            assert!(judged == expected, "{rules}, {with_threat}");
        }
        let large = Rules::new(profile, PieceValues::new([30_000; 5]).unwrap());
        for rules in [rules, large] {
            let mut scores = vec![i32::MAX; batch.len()];
            let chunks = run(&host, &Scoring::new(&batch, &rules), &rules, &mut scores);
            assert!(chunks.unwrap() > 3);
            let mut expected = vec![0; batch.len()];
            Cpu::new().score_all(&batch, &rules, &mut expected);
            assert!(scores == expected, "{rules}");
        }
    }
}

/// A result that was not written is detected here, too.
#[test]
fn what_a_host_did_not_dispatch_is_wrong() {
    let positions: [Position; 3] = [bytemuck::Zeroable::zeroed(); 3];
    let judging = Judge {
        positions: &positions,
        with_threat: true,
    };
    let mut verdicts = [Verdict::default(); 3];
    let zeros = vec![[0_u32; 4]; 3];
    let read = judging.read(bytemuck::cast_slice(&zeros), &mut verdicts);
    assert!(matches!(read, Err(BackendError::Wrong(_))), "{read:?}");
}
