//! Choosing by measurement, with the adapter under test as the real GPU.

use std::sync::Arc;
use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::common::{boards, gpu};
use swaplist::{BackendChoice, Bounds, Evaluator, PieceValues, Position, Profile, Rules};

fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::playouts(41).take(5000));
    positions.extend(boards::packed(boards::dense(41).take(5000)));
    positions
}

/// An evaluator that takes the adapter for a real GPU, and its announcements.
fn auto() -> (Evaluator, mpsc::Receiver<String>) {
    let (sender, said) = mpsc::channel();
    let open = || {
        let gpu = gpu::open(&gpu::patient());
        let name = gpu.adapter().name.clone();
        Ok(Some((Arc::new(gpu) as _, name)))
    };
    let evaluator = Evaluator::auto_with(open, Duration::from_millis(1))
        .announce(move |message| sender.send(message.to_owned()).unwrap());
    (evaluator, said)
}

/// The same results before, during and after the choice, from one thread or several, and one
/// line about the choice.
#[test]
fn the_adapter_is_measured_against_the_cpu() {
    let positions = positions();
    for (callers, with_threat, profile) in [
        (None, false, Profile::Swap),
        (Some(2), true, Profile::Legal),
    ] {
        let rules = Rules::new(profile, PieceValues::CPW);
        let expected = Evaluator::cpu().verdicts(&positions, &rules, with_threat);
        let (mut evaluator, said) = auto();
        if let Some(callers) = callers {
            evaluator = evaluator.callers(callers);
        }
        let work = || {
            let deadline = Instant::now() + Duration::from_mins(2);
            while evaluator.report().choice.is_none() {
                assert!(evaluator.verdicts(&positions, &rules, with_threat) == expected);
                assert!(Instant::now() < deadline, "it is never decided");
            }
            assert!(evaluator.verdicts(&positions, &rules, with_threat) == expected);
        };
        std::thread::scope(|scope| {
            for _ in 1..callers.unwrap_or(1) {
                scope.spawn(work);
            }
            work();
        });
        let said: Vec<_> = said.try_iter().collect();
        let [choice] = &said[..] else {
            panic!("{said:?}")
        };
        eprintln!("{choice}");
        let name = gpu::open(&gpu::patient()).adapter().name.clone();
        assert!(
            choice.starts_with("backend: ") && choice.contains(&name),
            "{choice}"
        );
        assert!(choice.contains(" M verdicts/s"), "{choice}");
        assert_eq!(evaluator.report().fallback, None);
    }
}

#[test]
fn scores_are_measured_as_scores() {
    let batch = boards::batch(&positions());
    let expected = Evaluator::cpu().scores(&batch, &Rules::SWAP);
    let (evaluator, said) = auto();
    let deadline = Instant::now() + Duration::from_mins(2);
    while evaluator.report().choice.is_none() {
        assert!(evaluator.scores(&batch, &Rules::SWAP) == expected);
        assert!(Instant::now() < deadline, "it is never decided");
    }
    assert!(evaluator.scores(&batch, &Rules::SWAP) == expected);
    let choice = said.try_iter().next().unwrap();
    assert!(choice.contains(" M scores/s"), "{choice}");
}

#[test]
fn screening_is_measured_as_positions() {
    let positions = positions();
    let bounds = Bounds {
        see: Some(0),
        threat: Some(100),
        double_threat: true,
    };
    let expected = Evaluator::cpu().exceeds(&positions, &Rules::SWAP, bounds);
    let (evaluator, said) = auto();
    let evaluator = evaluator.callers(2);
    let work = || {
        let deadline = Instant::now() + Duration::from_mins(2);
        let mut decided = false;
        while !decided {
            decided = evaluator.report().choice.is_some();
            assert!(evaluator.exceeds(&positions, &Rules::SWAP, bounds) == expected);
            assert!(Instant::now() < deadline, "it is never decided");
        }
    };
    std::thread::scope(|scope| {
        scope.spawn(work);
        work();
    });
    let said: Vec<_> = said.try_iter().collect();
    let [choice] = &said[..] else {
        panic!("{said:?}")
    };
    eprintln!("{choice}");
    assert!(choice.contains(" M positions/s"), "{choice}");
    assert_eq!(evaluator.report().fallback, None);
}

/// All work on the adapter, through the evaluator: exactly the CPU's results, in order.
#[test]
fn much_work_through_the_evaluator_is_the_cpus() {
    let some = positions();
    let many: Vec<_> = some.iter().copied().cycle().take(300_001).collect();
    let evaluator = Evaluator::with_backend(Some(Arc::new(gpu::open(&gpu::patient()))));
    for with_threat in [false, true] {
        let expected = Evaluator::cpu().verdicts(&many, &Rules::SWAP, with_threat);
        assert!(evaluator.verdicts(&many, &Rules::SWAP, with_threat) == expected);
    }
    let batch = boards::batch(&many);
    let expected = Evaluator::cpu().scores(&batch, &Rules::SWAP);
    assert!(evaluator.scores(&batch, &Rules::SWAP) == expected);
    let report = evaluator.report();
    assert_eq!(report.fallback, None);
    assert!(report.audited > 0, "the adapter did it");
}

#[test]
fn a_software_adapter_is_never_taken_by_itself() {
    let evaluator = Evaluator::new(&BackendChoice::Auto);
    let positions = positions();
    let deadline = Instant::now() + Duration::from_secs(2);
    while Instant::now() < deadline {
        let _ = evaluator.verdicts(&positions, &Rules::SWAP, true);
    }
    let all = swaplist::gpu::adapters();
    if all.iter().all(|adapter| adapter.software) {
        assert!(!evaluator.uses_gpu());
        assert_eq!(
            evaluator.report().choice,
            None,
            "there was nothing to choose"
        );
    } else {
        assert!(evaluator.report().choice.is_some());
    }
}
