//! Choosing by measurement, with the adapter under test as the real GPU.

use std::sync::mpsc;
use std::time::{Duration, Instant};

use crate::common::rules::bounds;
use crate::common::{boards, gpu};
use swaplist::backend::{Answers, Backend as _, BackendError, Question};
use swaplist::gpu::{Gpu, GpuOptions, adapters};
use swaplist::{BackendChoice, Evaluator, PieceValues, Position, Profile, Rules, Sides};

fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::playouts(41).take(5000));
    positions.extend(boards::packed(boards::dense(41).take(5000)));
    positions
}

fn answers(evaluator: &Evaluator, question: &Question<'_>, rules: &Rules) -> Answers {
    let mut answers = Answers::default();
    evaluator.answer(question, rules, &mut answers);
    answers
}

/// The same answers before, during and after the choice, from one thread or several, and one
/// line about the choice.
#[test]
fn the_adapter_is_measured_against_the_cpu() {
    let positions = &positions()[..];
    let batch = boards::batch(positions);
    let verdicts = |sides| Question::Verdicts { positions, sides };
    let bounds = bounds(Some(0), Some(100), true);
    for (callers, profile, question, unit) in [
        (1, Profile::Swap, verdicts(Sides::ToMove), "verdicts"),
        (2, Profile::Legal, verdicts(Sides::Both), "verdicts"),
        (1, Profile::Swap, Question::Scores(&batch), "scores"),
        (
            2,
            Profile::Swap,
            Question::Bounds { positions, bounds },
            "positions",
        ),
    ] {
        let rules = Rules::new(profile, PieceValues::CPW);
        let expected = answers(&Evaluator::cpu(), &question, &rules);
        let name = gpu::usual().adapter().name.clone();
        let (sender, receiver) = mpsc::channel();
        let open = || Ok(Some(gpu::usual() as _));
        let mut evaluator = Evaluator::auto_with(open, Duration::from_millis(1))
            .announce(move |message| sender.send(message.to_string()).unwrap());
        if callers > 1 {
            evaluator = evaluator.callers(callers);
        }
        let work = || {
            let deadline = Instant::now() + Duration::from_mins(2);
            let mut is_decided = false;
            while !is_decided {
                is_decided = evaluator.report().choice.is_some();
                assert!(answers(&evaluator, &question, &rules) == expected);
                assert!(Instant::now() < deadline, "it is never decided");
            }
        };
        std::thread::scope(|scope| {
            for _ in 1..callers {
                scope.spawn(work);
            }
            work();
        });
        let said: Vec<_> = receiver.try_iter().collect();
        let [choice] = &said[..] else {
            panic!("{said:?}")
        };
        eprintln!("{choice}");
        assert!(
            choice.starts_with("backend: ") && choice.contains(&name),
            "{choice}"
        );
        assert!(choice.contains(&format!(" M {unit}/s")), "{choice}");
        assert_eq!(evaluator.report().fallback, None);
    }
}

/// All work on the adapter, through the evaluator: exactly the CPU's results, in order.
#[test]
fn much_work_through_the_evaluator_is_the_cpus() {
    let some = positions();
    // More than a chunk.
    let many: Vec<_> = some.iter().copied().cycle().take(140_001).collect();
    let evaluator = Evaluator::with_backend(Some(gpu::usual()));
    for sides in [Sides::ToMove, Sides::Both] {
        let expected = Evaluator::cpu().verdicts(&many, &Rules::SWAP, sides);
        assert!(evaluator.verdicts(&many, &Rules::SWAP, sides) == expected);
    }
    let batch = boards::batch(&many);
    let expected = Evaluator::cpu().scores(&batch, &Rules::SWAP);
    assert!(evaluator.scores(&batch, &Rules::SWAP) == expected);
    let report = evaluator.report();
    assert_eq!(report.fallback, None);
    assert!(report.audited > 0, "the adapter did it");
}

/// Where there is a real GPU, that one is measured.
#[test]
fn a_software_adapter_is_never_taken_by_itself() {
    let evaluator = Evaluator::new(&BackendChoice::Auto);
    let positions = positions();
    let (software, real): (Vec<_>, Vec<_>) =
        adapters().into_iter().partition(|adapter| adapter.software);
    let patience = Duration::from_secs(if real.is_empty() { 2 } else { 120 });
    let deadline = Instant::now() + patience;
    while evaluator.report().choice.is_none() && Instant::now() < deadline {
        let _ = evaluator.verdicts(&positions, &Rules::SWAP, Sides::Both);
        // Busy for a third of a second in all, and then waiting for an adapter to be opened.
        std::thread::sleep(Duration::from_millis(20));
    }
    let Some(choice) = evaluator.report().choice else {
        assert!(real.is_empty(), "{real:?} is never measured");
        assert!(!evaluator.uses_gpu());
        return;
    };
    eprintln!("{choice}");
    assert!(!real.is_empty(), "there was nothing to choose: {choice}");
    for adapter in software {
        assert!(!choice.contains(&adapter.name), "{choice}");
    }
}

/// Whoever asks for a GPU without a name gets a real one, or the CPU, aloud.
#[test]
fn a_software_adapter_is_used_only_if_it_is_named() {
    let all = adapters();
    let real = all.iter().find(|adapter| !adapter.software);
    for name in [None, Some(""), Some(" ")] {
        let named = name.map(str::to_owned);
        let evaluator = Evaluator::new(&BackendChoice::Gpu(named));
        match (Gpu::open(name, &GpuOptions::default()), real) {
            (Ok(gpu), Some(real)) => {
                assert_eq!(gpu.adapter().name, real.name);
                assert_eq!(evaluator.report().fallback, None);
            }
            (Err(error @ BackendError::NoAdapter(_)), None) => {
                assert!(
                    error.to_string().contains("asked for by name: 'gpu:"),
                    "{error}"
                );
                assert_eq!(evaluator.report().fallback, Some(error.to_string()));
            }
            (opened, real) => panic!("{:?} of {real:?}", opened.map(|gpu| gpu.name())),
        }
    }
    for adapter in all.iter().filter(|adapter| adapter.software) {
        for name in [&adapter.name, adapter.name.split(" (").next().unwrap()] {
            let evaluator = Evaluator::new(&BackendChoice::Gpu(Some(name.to_owned())));
            assert!(evaluator.uses_gpu(), "{:?}", evaluator.report());
        }
    }
}
