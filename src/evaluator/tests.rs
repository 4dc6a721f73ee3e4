//! A device that fails or lies changes no result; the choice follows the measurement.

use std::sync::Arc;

use shakmaty::Square;

use super::*;
use crate::Capture;
use crate::backend::{Ask, Coding, Raw, RawAnswer, RawFacts, Told, Unit};

mod devices;

use devices::{Broken, Fake, batch, many};

#[test]
fn a_failing_or_lying_device_is_announced_once_and_the_cpu_takes_over() {
    let right = Evaluator::cpu().scores(&batch(), &Rules::SWAP);
    for broken in [
        None,
        Some(BackendError::Lost("unplugged".to_owned())),
        Some(BackendError::OutOfMemory("full".to_owned())),
        Some(BackendError::Timeout),
    ] {
        let (sender, announced) = std::sync::mpsc::channel();
        let evaluator = Evaluator::with_backend(Some(Arc::new(Broken(broken))))
            .announce(move |message| sender.send(message.to_owned()).unwrap());
        assert_eq!(evaluator.name(), "broken");
        assert_eq!(evaluator.scores(&batch(), &Rules::SWAP), right);
        assert_eq!(evaluator.scores(&batch(), &Rules::SWAP), right);
        assert_eq!(announced.try_iter().count(), 1);
        assert!(evaluator.report().fallback.is_some());
        assert!(evaluator.name().starts_with("CPU"));
    }
}

#[test]
fn a_failing_or_lying_judge_is_no_other() {
    let positions: Vec<_> = batch().positions().to_vec();
    let right = Evaluator::cpu().verdicts(&positions, &Rules::SWAP, true);
    for broken in [None, Some(BackendError::Timeout)] {
        let evaluator = Evaluator::with_backend(Some(Arc::new(Broken(broken)))).announce(|_| ());
        assert_eq!(evaluator.verdicts(&positions, &Rules::SWAP, true), right);
        assert!(evaluator.report().fallback.is_some());
    }
    let unaudited = Evaluator::with_backend(Some(Arc::new(Broken(None)))).audit(0);
    let lies = unaudited.verdicts(&positions, &Rules::SWAP, true);
    assert_ne!(lies, right, "the test above can fail");
}

/// An evaluator that opens this device at once, and its announcements.
fn auto(fake: Fake) -> (Evaluator, std::sync::mpsc::Receiver<String>) {
    let (sender, said) = std::sync::mpsc::channel();
    let fake = Mutex::new(Some(fake));
    let open = move || {
        let fake = fake.lock().unwrap().take().expect("it is opened once");
        Ok(Some((
            Arc::new(fake) as Arc<dyn Backend>,
            "fake".to_owned(),
        )))
    };
    let evaluator = Evaluator::auto_with(open, Duration::ZERO)
        .announce(move |message| sender.send(message.to_owned()).unwrap());
    (evaluator, said)
}

/// Works until something has happened, and once more.
fn until(happened: impl Fn() -> bool, work: impl Fn()) {
    let deadline = Instant::now() + Duration::from_mins(1);
    while !happened() {
        work();
        assert!(Instant::now() < deadline, "it never happens");
    }
    work();
}

/// Judges until the choice is made, comparing all the while.
fn until_decided(evaluator: &Evaluator) {
    let positions = many(99_999);
    let right = Evaluator::cpu().verdicts(&positions, &Rules::SWAP, true);
    let is_decided = || evaluator.gpu.get().is_some();
    until(is_decided, || {
        assert!(evaluator.verdicts(&positions, &Rules::SWAP, true) == right);
    });
}

#[test]
fn auto_takes_a_faster_gpu_and_says_so_once() {
    let (evaluator, said) = auto(Fake::new(Duration::ZERO));
    // The slowest CPU path, so that the GPU clearly wins.
    let evaluator = evaluator.cpu_path(CpuPath::Scalar).unwrap();
    assert!(evaluator.name().starts_with("CPU"), "the CPU begins");
    until_decided(&evaluator);
    assert!(evaluator.uses_gpu());
    let said: Vec<_> = said.try_iter().collect();
    let [choice] = &said[..] else {
        panic!("{said:?}")
    };
    let words = ["backend: GPU", "(fake, ", " M verdicts/s", " CPU thread"];
    assert!(words.iter().all(|word| choice.contains(word)), "{choice}");
    let report = evaluator.report();
    assert_eq!(report.choice.as_ref(), Some(choice));
    assert!(report.audited > 0 && report.fallback.is_none());
}

#[test]
fn auto_leaves_a_slower_gpu_alone_and_says_so_unless_quiet() {
    for quiet in [false, true] {
        for callers in [None, Some(1), Some(2)] {
            let fake = Fake::new(Duration::from_millis(100));
            let asked = Arc::clone(&fake.asked);
            let (mut evaluator, said) = auto(fake);
            evaluator = evaluator.quiet(quiet);
            if let Some(callers) = callers {
                evaluator = evaluator.callers(callers);
            }
            until_decided(&evaluator);
            assert!(!evaluator.uses_gpu());
            let before = asked.load(Ordering::Relaxed);
            until_decided(&evaluator);
            assert_eq!(asked.load(Ordering::Relaxed), before, "nothing more for it");
            let choice = evaluator.report().choice.unwrap();
            let words = ["backend: CPU (", " M verdicts/s against ", " M/s on fake"];
            assert!(words.iter().all(|word| choice.contains(word)), "{choice}");
            let said: Vec<_> = said.try_iter().collect();
            assert_eq!(said, if quiet { vec![] } else { vec![choice] });
        }
    }
}

#[test]
fn auto_opens_nothing_for_little_work() {
    let open = || unreachable!("nothing is to be opened");
    let patient = Evaluator::auto_with(open, Duration::from_hours(1));
    for _ in 0..10 {
        let _ = patient.verdicts(&many(1000), &Rules::SWAP, true);
        let _ = patient.scores(&batch(), &Rules::SWAP);
    }
    assert_eq!(patient.report().choice, None);
}

#[test]
fn auto_without_a_gpu_is_silent_and_with_a_broken_one_is_not() {
    for (found, fallback) in [
        (Ok(()), false),
        (Err(BackendError::Lost("unplugged".to_owned())), true),
    ] {
        let (sender, said) = std::sync::mpsc::channel();
        let open = move || found.clone().map(|()| None);
        let evaluator = Evaluator::auto_with(open, Duration::ZERO)
            .announce(move |message| sender.send(message.to_owned()).unwrap());
        until_decided(&evaluator);
        assert!(!evaluator.uses_gpu());
        assert_eq!(said.try_iter().count(), usize::from(fallback));
        assert_eq!(evaluator.report().fallback.is_some(), fallback);
        assert_eq!(evaluator.report().choice, None);
    }
}

/// It fails while opening, measuring or working.
#[test]
fn a_gpu_that_fails_after_a_while_changes_no_result() {
    for lasts in [0, 1, 2, 3, 5, 100] {
        let mut fake = Fake::new(Duration::ZERO);
        fake.lasts = lasts;
        let (evaluator, said) = auto(fake);
        let evaluator = evaluator.cpu_path(CpuPath::Scalar).unwrap();
        until_decided(&evaluator);
        let failed = || evaluator.report().fallback.is_some();
        until(failed, || until_decided(&evaluator));
        let told = said.try_iter().filter(|said| said.contains("takes over"));
        assert_eq!(told.count(), 1, "{lasts}");
    }
}

/// A GPU is measured with the batch size that it will get, not with the CPU's.
#[test]
fn auto_measures_with_what_is_to_come() {
    let bounds = Bounds {
        see: Some(0),
        threat: None,
        double_threat: false,
    };
    for expected in [None, Some(70_000)] {
        let fake = Fake::new(Duration::ZERO);
        let most = Arc::clone(&fake.most);
        let (evaluator, said) = auto(fake);
        let evaluator = evaluator.callers(1).cpu_path(CpuPath::Scalar).unwrap();
        if let Some(positions) = expected {
            evaluator.expect(1, positions);
        }
        let positions = many(1000);
        let mut right = vec![Exceeds::default(); 1000];
        Cpu::new().exceeds_all(&positions, &Rules::SWAP, bounds, &mut right);
        let is_decided = || evaluator.gpu.get().is_some();
        until(is_decided, || {
            let mut exceeds = vec![Exceeds::default(); 1000];
            evaluator.exceeds(&positions, &Rules::SWAP, bounds, &mut exceeds);
            assert_eq!(exceeds, right);
        });
        // It warms up with more than 1,000.
        let most = most.load(Ordering::Relaxed);
        assert_eq!(most, expected.unwrap_or(super::auto::LEAST_MEASURED));
        assert!(evaluator.uses_gpu());
        let report = evaluator.report();
        assert!(report.audited > 0 && report.fallback.is_none());
        let said: Vec<_> = said.try_iter().collect();
        assert!(matches!(&said[..], [choice] if choice.contains(" M positions/s against ")));
    }
}

/// Screening gives the CPU's results on all cores, through a backend, and despite a lying one.
#[test]
fn screening_is_audited() {
    let positions = many(3 * PIECE + 5);
    let bounds = Bounds {
        see: Some(50),
        threat: Some(0),
        double_threat: true,
    };
    let mut right = vec![Exceeds::default(); positions.len()];
    Cpu::new().exceeds_all(&positions, &Rules::SWAP, bounds, &mut right);
    assert!(right.iter().any(|exceeds| exceeds.see) && right.iter().any(|exceeds| !exceeds.see));
    let lying = || Arc::new(Broken(None));
    for (evaluator, falls_back) in [
        (Evaluator::cpu(), false),
        (Evaluator::cpu().callers(2), false),
        (Evaluator::with_backend(Some(Arc::new(Cpu::new()))), false),
        (
            Evaluator::with_backend(Some(lying())).audit(positions.len()),
            true,
        ),
    ] {
        let evaluator = evaluator.announce(|_| ());
        let mut exceeds = vec![Exceeds::default(); positions.len()];
        evaluator.exceeds(&positions, &Rules::SWAP, bounds, &mut exceeds);
        assert!(exceeds == right, "{}", evaluator.name());
        assert_eq!(evaluator.report().fallback.is_some(), falls_back);
    }
}

/// What a device tells of records is compared with what the CPU finds.
#[test]
fn decoding_is_audited() {
    let positions = many(3);
    let played = Some(Capture::new(Square::E4, Square::D5, None));
    let seen: Vec<_> = positions
        .iter()
        .map(|&position| (position, played))
        .collect();
    let bounds = Bounds {
        see: Some(0),
        ..Bounds::default()
    };
    let exceeds = |position: &Position| {
        let exceeds = Rules::SWAP.exceeds(position, bounds);
        RawAnswer(u32::from(exceeds.in_check) | u32::from(exceeds.see) << 1)
    };
    let facts = |position: &Position| RawFacts {
        raw: exceeds(position),
        ..RawFacts::new(position, played, &Rules::SWAP)
    };
    let pieces = |position: &Position| RawAnswer(position.occupied().count() as u32);
    let answers: Vec<_> = positions.iter().map(exceeds).collect();
    let all_facts: Vec<_> = positions.iter().map(facts).collect();
    let bounded = Told {
        answers: answers.clone(),
        ..Told::default()
    };
    let with_facts = Told {
        answers,
        facts: all_facts,
        ..Told::default()
    };
    let judged = Told {
        answers: positions.iter().map(pieces).collect(),
        verdicts: Evaluator::cpu().verdicts(&positions, &Rules::SWAP, false),
        ..Told::default()
    };
    let right = [
        (Ask::Bounds(bounds), bounded),
        (Ask::Facts(bounds), with_facts),
        (Ask::Verdicts, judged),
    ];
    for (ask, told) in &right {
        assert_eq!(audited(*ask, told, &seen), (true, 3), "{ask:?}");
        assert_eq!(audited(*ask, told, &seen[..2]), (false, 0), "{ask:?}");
    }
    let wrong = |which: usize, spoil: fn(&mut Told)| {
        let (ask, mut told) = right[which].clone();
        spoil(&mut told);
        assert_eq!(audited(ask, &told, &seen), (false, 0), "{told:?}");
    };
    wrong(0, |told| told.answers[2].0 ^= 2);
    wrong(1, |told| told.answers[2].0 ^= 2);
    wrong(1, |told| told.facts[2].word ^= 1 << 9);
    wrong(1, |told| told.facts[2].see += 1);
    wrong(2, |told| told.verdicts[2].noisy += 1);
    wrong(2, |told| told.answers[2].0 ^= 1);
}

/// Whether this is taken for right, and how many records count as decoded.
fn audited(ask: Ask, told: &Told, seen: &[(Position, Option<Capture>)]) -> (bool, u64) {
    let raw = Raw {
        coding: Coding::Viriformat,
        bytes: &[0; 8],
        units: &[Unit::new(0, 0), Unit::new(8, 3)],
    };
    let device = Arc::new(devices::Decoder(told.clone()));
    let evaluator = Evaluator::with_backend(Some(device)).announce(|_| ());
    let found = evaluator.decode(&raw, &Rules::SWAP, ask, |_| seen.to_vec());
    let report = evaluator.report();
    assert_eq!(report.fallback.is_none(), found.is_some());
    assert!(found.as_ref().is_none_or(|found| found == told));
    assert_eq!(report.audited >= 3, found.is_some());
    (found.is_some(), report.decoded)
}

/// Large work is judged in pieces before the choice, so that the choice is made within it; the
/// rest then goes to the GPU at once.
#[test]
fn auto_decides_within_large_work() {
    let positions = many(32 * PIECE);
    let right = Evaluator::cpu().verdicts(&positions, &Rules::SWAP, true);
    // On a busy machine opening may take longer than all the work.
    let is_shared_out = (0..20).any(|_| {
        let fake = Fake::new(Duration::ZERO);
        let most = Arc::clone(&fake.most);
        let (evaluator, _said) = auto(fake);
        let evaluator = evaluator.cpu_path(CpuPath::Scalar).unwrap();
        evaluator.expect(1, PIECE);
        assert!(evaluator.verdicts(&positions, &Rules::SWAP, true) == right);
        most.load(Ordering::Relaxed) > PIECE
    });
    assert!(is_shared_out, "the GPU gets nothing of it");
}

/// An empty batch gives no measurement.
#[test]
fn auto_measures_nothing_by_nothing() {
    let open = || unreachable!("nothing is to be opened");
    let evaluator = Evaluator::auto_with(open, Duration::ZERO);
    let quiet: Position = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    let mut batch = Batch::new();
    batch.push(quiet, []);
    assert!(evaluator.verdicts(&[], &Rules::SWAP, true).is_empty());
    assert!(evaluator.scores(&batch, &Rules::SWAP).is_empty());
    assert!(evaluator.gpu.get().is_none());
}
