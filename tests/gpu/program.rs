//! The program alone gives the CPU's results on a host of the test's own.

use swaplist::attacks::MASKS;
use swaplist::backend::{Answers, Backend as _, Cpu, Question};
use swaplist::gpu::program::{BINDINGS, Plan, SHADER};
use swaplist::{PieceValues, Profile, Rules, Sides};

use crate::common::boards;
use crate::common::host::Host;

/// The answers, and the number of dispatches.
fn run(host: &Host, question: &Question<'_>, rules: &Rules) -> (Answers, usize) {
    let plan = Plan::new(*question, rules, &host.shape);
    let pipeline = host.pipeline(&plan.entry());
    let mut answers = Answers::default();
    let mut next = 0;
    let mut dispatches = 0;
    while let Some(dispatch) = plan.dispatch(next, usize::MAX) {
        let requests: Vec<_> = dispatch.requests().flatten().collect();
        let contents = [
            bytemuck::bytes_of(&dispatch.params),
            bytemuck::cast_slice(&MASKS),
            bytemuck::cast_slice(dispatch.positions),
            &requests,
            &vec![0; dispatch.result_size as usize],
        ];
        let written = host.dispatch(&pipeline, contents, dispatch.groups);
        next = dispatch.rows.end;
        plan.read(dispatch.rows, &written[0], &mut answers).unwrap();
        dispatches += 1;
    }
    (answers, dispatches)
}

#[test]
fn the_program_is_all_that_a_host_needs() {
    let host = Host::open(SHADER, BINDINGS, 1000);
    let mut positions = boards::packed(boards::playouts(61).take(2500));
    positions.extend(boards::packed(boards::dense(61).take(1000)));
    let batch = boards::batch(&positions);
    // The profiles that differ most.
    for profile in [Profile::Swap, Profile::Legal] {
        let rules = Rules::new(profile, PieceValues::CPW);
        for sides in [Sides::ToMove, Sides::Both] {
            let question = Question::Verdicts {
                positions: &positions,
                sides,
            };
            let (judged, dispatches) = run(&host, &question, &rules);
            assert_eq!(dispatches, 4);
            let expected = Cpu::new().answers(&question, &rules).unwrap();
            assert!(judged == expected, "{rules}, {sides:?}");
        }
        let large = Rules::new(profile, PieceValues::new([30_000; 5]).unwrap());
        for rules in [rules, large] {
            let question = Question::Scores(&batch);
            let (scores, dispatches) = run(&host, &question, &rules);
            assert!(dispatches > 3);
            let expected = Cpu::new().answers(&question, &rules).unwrap();
            assert!(scores == expected, "{rules}");
        }
    }
}
