//! Builds without optimisation, as of dependencies in debug builds; `.ci/run` makes one.

use crate::common::cases;
use swaplist::{Bounds, CpuPath, Evaluator, Position, Rules};

#[test]
fn the_stack_of_a_thread_suffices_on_every_path() {
    let cases = cases::tricky();
    let position = |case: &cases::Case| Position::try_from(&case.chess).unwrap();
    let positions: Vec<Position> = cases.iter().map(position).collect();
    for path in CpuPath::ALL.into_iter().filter(|path| path.is_available()) {
        let positions = positions.clone();
        let work = move || {
            let evaluator = Evaluator::cpu().cpu_path(path).unwrap();
            let verdicts = evaluator.verdicts(&positions, &Rules::SWAP, true);
            let bounds = Bounds {
                see: Some(0),
                threat: Some(0),
                double_threat: true,
            };
            let exceeds = evaluator.exceeds(&positions, &Rules::SWAP, bounds);
            for (verdict, exceeds) in verdicts.iter().zip(exceeds) {
                assert_eq!(bounds.exceeds(verdict), exceeds, "{path}");
            }
        };
        std::thread::spawn(work).join().unwrap();
    }
}
