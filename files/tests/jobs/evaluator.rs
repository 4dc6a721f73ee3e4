//! A device that fails or lies changes no result; the choice follows the measurement.

use std::sync::atomic::{AtomicUsize, Ordering};
use std::sync::{Arc, Mutex, mpsc};
use std::time::{Duration, Instant};

use swaplist::backend::{Backend, BackendError, Cpu, Question};
use swaplist::evaluator::Progress;
use swaplist::{
    BackendChoice, Batch, Bounds, CpuPath, Evaluator, Position, Rules, Sides, noisy_moves,
};

use crate::fake::Fake;

fn batch() -> Batch {
    let mut batch = Batch::new();
    for fen in [
        "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w - - 0 1",
        "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
    ] {
        let position = fen.parse().unwrap();
        batch.push(position, noisy_moves(&position));
    }
    batch
}

/// The known positions in turn, `positions` in all.
fn many(positions: usize) -> Vec<Position> {
    let known = batch().positions().to_vec();
    known.into_iter().cycle().take(positions).collect()
}

/// A correct device for verdicts on [`many`] positions, which takes so many times as long as the
/// CPU and fails after `lasts` questions; and how many it was asked.
fn device(times: usize, lasts: usize) -> (Fake, Arc<AtomicUsize>) {
    let asked = Arc::new(AtomicUsize::new(0));
    let counted = Arc::clone(&asked);
    let fake = Fake::new(move |question, rules, answers| {
        for _ in 0..times {
            Cpu::new().answer(question, rules, answers)?;
        }
        if counted.fetch_add(1, Ordering::Relaxed) >= lasts {
            return Err(BackendError::Lost("worn out".to_owned()));
        }
        let Question::Verdicts { positions, sides } = *question else {
            return Cpu::new().answer(question, rules, answers);
        };
        let known = many(3);
        let turn = known.iter().position(|known| *known == positions[0]);
        let verdict = |position| rules.verdict(position, sides);
        let verdicts: Vec<_> = known.iter().map(verdict).collect();
        let mut turns = verdicts.iter().cycle().skip(turn.unwrap());
        answers.fit(question);
        answers.verdicts.fill_with(|| *turns.next().unwrap());
        Ok(())
    });
    (fake, asked)
}

#[test]
fn a_failing_or_lying_device_is_announced_once_and_the_cpu_takes_over() {
    let positions = batch().positions().to_vec();
    let bounds = Bounds {
        see: Some(50),
        threat: Some(0),
        double_threat: true,
    };
    let ask = |evaluator: &Evaluator| {
        (
            evaluator.scores(&batch(), &Rules::SWAP),
            evaluator.verdicts(&positions, &Rules::SWAP, Sides::Both),
            evaluator.exceeds(&positions, &Rules::SWAP, bounds),
        )
    };
    let right = ask(&Evaluator::cpu());
    for fake in [
        Fake::lying(usize::MAX),
        Fake::silent(),
        Fake::broken(BackendError::Lost("unplugged".to_owned())),
        Fake::broken(BackendError::OutOfMemory("full".to_owned())),
        Fake::broken(BackendError::Timeout),
    ] {
        let fake: Arc<dyn Backend> = Arc::new(fake);
        let (sender, announced) = mpsc::channel();
        let evaluator = Evaluator::with_backend(Some(Arc::clone(&fake)))
            .announce(move |message| sender.send(message.to_string()).unwrap());
        assert_eq!(evaluator.name(), "fake");
        assert_eq!(ask(&evaluator), right);
        assert_eq!(ask(&evaluator), right);
        assert_eq!(announced.try_iter().count(), 1);
        assert!(evaluator.report().fallback.is_some());
        assert!(evaluator.name().starts_with("CPU"));
        // Each kind of question finds it out.
        let for_verdicts = Evaluator::with_backend(Some(Arc::clone(&fake)));
        let verdicts = for_verdicts.verdicts(&positions, &Rules::SWAP, Sides::Both);
        assert_eq!(verdicts, right.1);
        let for_bounds = Evaluator::with_backend(Some(fake));
        let exceeds = for_bounds.exceeds(&positions, &Rules::SWAP, bounds);
        assert_eq!(exceeds, right.2);
    }
    let unaudited = Evaluator::with_backend(Some(Arc::new(Fake::lying(usize::MAX)))).audit(0);
    let lies = ask(&unaudited);
    assert!(lies.0 != right.0 && lies.1 != right.1 && lies.2 != right.2);
}

/// An evaluator that opens this device at once, and its announcements.
fn auto(fake: Fake) -> (Evaluator, mpsc::Receiver<String>) {
    let (sender, said) = mpsc::channel();
    let unopened = Mutex::new(Some(fake));
    let open = move || {
        let device = unopened.lock().unwrap().take().expect("it is opened once");
        Ok(Some(Arc::new(device) as Arc<dyn Backend>))
    };
    let evaluator = Evaluator::auto_with(open, Duration::ZERO)
        .announce(move |message| sender.send(message.to_string()).unwrap());
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

/// Judges until something has happened, comparing all the while.
fn judge_until(evaluator: &Evaluator, happened: impl Fn() -> bool) {
    let positions = many(99_999);
    let right = Evaluator::cpu().verdicts(&positions, &Rules::SWAP, Sides::Both);
    until(happened, || {
        assert!(evaluator.verdicts(&positions, &Rules::SWAP, Sides::Both) == right);
    });
}

/// The same until the choice is made.
fn until_decided(evaluator: &Evaluator) {
    judge_until(evaluator, || {
        let report = evaluator.report();
        report.choice.is_some() || report.fallback.is_some()
    });
}

#[test]
fn auto_takes_a_faster_gpu_and_says_so_once() {
    let (on_any_path, announced) = auto(device(0, usize::MAX).0);
    // The slowest CPU path, so that the GPU clearly wins.
    let evaluator = on_any_path.cpu_path(CpuPath::Scalar).unwrap();
    assert!(evaluator.name().starts_with("CPU"), "the CPU begins");
    until_decided(&evaluator);
    assert!(evaluator.uses_gpu());
    let said: Vec<_> = announced.try_iter().collect();
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
fn a_gpu_that_is_not_there_is_told() {
    let name = "no such device";
    let evaluator = Evaluator::new(&BackendChoice::Gpu(Some(name.to_owned())));
    let why = evaluator.report().fallback.unwrap();
    assert!(why.contains(name), "{why}");
    assert!(!evaluator.uses_gpu());
}

#[test]
fn auto_leaves_a_slower_gpu_alone_and_says_so() {
    for callers in [None, Some(1), Some(2)] {
        let (fake, asked) = device(20, usize::MAX);
        let (mut evaluator, announced) = auto(fake);
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
        let said: Vec<_> = announced.try_iter().collect();
        assert_eq!(said, [choice]);
    }
}

#[test]
fn auto_without_a_gpu_is_silent_and_with_a_broken_one_is_not() {
    for (found, fallback) in [
        (Ok(()), false),
        (Err(BackendError::Lost("unplugged".to_owned())), true),
    ] {
        let (sender, said) = mpsc::channel();
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&opened);
        let open = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            found.clone().map(|()| None)
        };
        let evaluator = Evaluator::auto_with(open, Duration::ZERO)
            .announce(move |message| sender.send(message.to_string()).unwrap());
        judge_until(&evaluator, || opened.load(Ordering::Relaxed) > 0);
        for _ in 0..20 {
            let _ = evaluator.verdicts(&many(9_999), &Rules::SWAP, Sides::Both);
        }
        assert!(!evaluator.uses_gpu());
        assert_eq!(said.try_iter().count(), usize::from(fallback));
        assert_eq!(evaluator.report().fallback.is_some(), fallback);
        assert_eq!(evaluator.report().choice, None);
        assert_eq!(opened.load(Ordering::Relaxed), 1, "it is opened once");
    }
}

/// It fails while opening, measuring or working.
#[test]
fn a_gpu_that_fails_after_a_while_changes_no_result() {
    for lasts in [0, 1, 2, 3, 5, 100] {
        let (on_any_path, said) = auto(device(0, lasts).0);
        let evaluator = on_any_path.cpu_path(CpuPath::Scalar).unwrap();
        until_decided(&evaluator);
        let failed = || evaluator.report().fallback.is_some();
        until(failed, || until_decided(&evaluator));
        let told = said.try_iter().filter(|said| said.contains("takes over"));
        assert_eq!(told.count(), 1, "{lasts}");
    }
}

/// Little work opens nothing, and neither does an empty batch, which gives no measurement.
#[test]
fn auto_opens_nothing_for_little_work() {
    let opened = Arc::new(AtomicUsize::new(0));
    let auto = |patience| {
        let opened = Arc::clone(&opened);
        let open = move || {
            opened.fetch_add(1, Ordering::Relaxed);
            Ok(None)
        };
        Evaluator::auto_with(open, patience)
    };
    let patient = auto(Duration::from_hours(1));
    for _ in 0..10 {
        let _ = patient.verdicts(&many(1000), &Rules::SWAP, Sides::Both);
        let _ = patient.scores(&batch(), &Rules::SWAP);
    }
    assert_eq!(patient.report().choice, None);
    let hasty = auto(Duration::ZERO);
    let mut empty = Batch::new();
    empty.push(many(1)[0], []);
    assert!(hasty.verdicts(&[], &Rules::SWAP, Sides::Both).is_empty());
    assert!(hasty.scores(&empty, &Rules::SWAP).is_empty());
    // They wait for what they open.
    drop((patient, hasty));
    assert_eq!(opened.load(Ordering::Relaxed), 0);
}

/// A CPU that goes through more bytes than any bus carries makes every GPU useless, so that none is
/// looked for. It is noted, and nobody is told.
#[test]
fn auto_opens_nothing_that_a_bus_could_not_feed() {
    let auto = || {
        let opened = Arc::new(AtomicUsize::new(0));
        let counted = Arc::clone(&opened);
        let open = move || {
            counted.fetch_add(1, Ordering::Relaxed);
            Ok(None)
        };
        let evaluator = Evaluator::auto_with(open, Duration::ZERO)
            .announce(|message| panic!("nobody is told '{message}'"));
        (evaluator, opened)
    };
    let second = |bytes| Progress {
        amount: 3_000_000_000,
        bytes,
        time: Duration::from_secs(1),
    };
    for (bytes, expected) in [(62_000_000_000, None), (64_000_000_000, Some(()))] {
        let (evaluator, opened) = auto();
        evaluator.note_on_cpu(second(bytes), 2, || |_: &Arc<dyn Backend>| Ok(true));
        let choice = evaluator.report().choice;
        assert_eq!(choice.as_ref().map(|_| ()), expected, "{choice:?}");
        if let Some(choice) = choice {
            let words = "(2 CPU threads, 3000.0 M records/s, more than any bus carries to a GPU)";
            assert_eq!(choice, format!("backend: CPU {words}"));
        }
        // It waits for what it opens.
        drop(evaluator);
        let not_opened = usize::from(expected.is_none());
        assert_eq!(opened.load(Ordering::Relaxed), not_opened);
    }
    // As if so many threads asked at the same time.
    for (callers, not_opened) in [(1, 1), (1 << 24, 0)] {
        let (evaluator, opened) = auto();
        let evaluator = evaluator.callers(callers);
        let _ = evaluator.verdicts(&many(9_999), &Rules::SWAP, Sides::ToMove);
        drop(evaluator);
        assert_eq!(opened.load(Ordering::Relaxed), not_opened, "{callers}");
    }
}

/// A job may end in the middle of the trial: the next one goes on with it. Other work than that for
/// which the GPU was opened decides nothing.
#[test]
fn a_trial_goes_on_over_several_jobs() {
    let (fake, _) = device(0, usize::MAX);
    let (evaluator, said) = auto(fake);
    let some = |amount| Progress {
        amount,
        bytes: amount,
        time: Duration::from_secs(1),
    };
    let prepare = || |_: &Arc<dyn Backend>| Ok(true);
    let note = || evaluator.note_on_cpu(some(100_000), 3, prepare);
    let ask = || {
        for _ in 0..20 {
            let _ = evaluator.verdicts(&many(99_999), &Rules::SWAP, Sides::Both);
        }
        assert_eq!(evaluator.report().choice, None, "answers are no records");
    };
    note();
    ask();
    until(|| evaluator.device().is_some(), note);
    ask();
    // The first batch warms up, and two more are measured.
    for _ in 0..5 {
        evaluator.note_on_gpu(some(100_001), 200_000);
        assert_eq!(evaluator.report().choice, None);
    }
    evaluator.note_on_gpu(some(100_001), 200_000);
    let rates = "fake, 0.1 M records/s against 0.1 M/s on 3 CPU threads";
    let choice = evaluator.report().choice.unwrap();
    assert_eq!(choice, format!("backend: GPU ({rates})"));
    assert!(evaluator.uses_gpu());
    assert_eq!(said.try_iter().count(), 1);
}

/// A GPU that cannot do the work, or that fails while it is prepared, is never tried.
#[test]
fn a_gpu_of_no_use_is_no_candidate() {
    for result in [Ok(false), Err(BackendError::Timeout)] {
        let (evaluator, said) = auto(device(0, usize::MAX).0);
        let second = Progress {
            amount: 1 << 20,
            bytes: 1 << 20,
            time: Duration::from_secs(1),
        };
        let prepared = Arc::new(AtomicUsize::new(0));
        let prepare = || {
            let prepared = Arc::clone(&prepared);
            let result = result.clone();
            move |_: &Arc<dyn Backend>| {
                prepared.fetch_add(1, Ordering::Relaxed);
                result
            }
        };
        let note = || evaluator.note_on_cpu(second, 1, prepare);
        until(|| prepared.load(Ordering::Relaxed) > 0, note);
        for _ in 0..100 {
            std::thread::sleep(Duration::from_millis(1));
            note();
        }
        assert!(evaluator.device().is_none());
        assert_eq!(prepared.load(Ordering::Relaxed), 1);
        assert_eq!(said.try_iter().count(), usize::from(result.is_err()));
    }
}
