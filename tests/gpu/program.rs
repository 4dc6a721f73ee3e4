//! The program alone gives the CPU's results on a host of the test's own.

use swaplist::backend::{Answers, Backend as _, Cpu, Question};
use swaplist::gpu::program::{self, AnswerSlices, BINDINGS, ChunkedQuestion, SHADER};
use swaplist::{PieceValues, Profile, Rules, Sides};

use crate::common::boards;
use crate::common::host::Host;

/// The answers, and the number of chunks.
fn run(host: &Host, question: &Question<'_>, rules: &Rules) -> (Answers, usize) {
    let work = ChunkedQuestion::new(*question, rules);
    let pipeline = host.pipeline(&work.kernel().entry(rules, host.grid));
    let mut answers = Answers::default();
    answers.fit(question);
    let mut left = AnswerSlices::new(&mut answers);
    let mut last = None;
    let mut chunks = 0;
    while let Some(chunk) = work.chunk_after(last.as_ref(), host.capacity(1000)) {
        let mut slots = left.take(work.answers(&chunk));
        let (params, groups) = work.params(&chunk, host.grid, 0);
        let requests: Vec<_> = work.requests(&chunk).flatten().collect();
        let contents = [
            bytemuck::bytes_of(&params),
            program::masks(),
            work.upload(&chunk),
            &requests,
            &vec![0; work.kernel().bytes(work.answers(&chunk)) as usize],
        ];
        let written = host.dispatch(&pipeline, contents, groups);
        work.read(&written[0], &mut slots).unwrap();
        (last, chunks) = (Some(chunk), chunks + 1);
    }
    (answers, chunks)
}

#[test]
fn the_program_is_all_that_a_host_needs() {
    let host = Host::open(SHADER, BINDINGS);
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
            let (judged, chunks) = run(&host, &question, &rules);
            assert_eq!(chunks, 4);
            let expected = Cpu::new().answers(&question, &rules).unwrap();
            assert!(judged == expected, "{rules}, {sides:?}");
        }
        let large = Rules::new(profile, PieceValues::new([30_000; 5]).unwrap());
        for rules in [rules, large] {
            let question = Question::Scores(&batch);
            let (scores, chunks) = run(&host, &question, &rules);
            assert!(chunks > 3);
            let expected = Cpu::new().answers(&question, &rules).unwrap();
            assert!(scores == expected, "{rules}");
        }
    }
}
