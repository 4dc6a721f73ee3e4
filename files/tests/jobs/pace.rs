//! How much a device gets at a time, by how long it took before.

use core::ops::Range;
use std::time::{Duration, Instant};

use swaplist::backend::BackendError;
use swaplist::gpu::program::Pace;

/// How long dispatches of these numbers of records took, and the next number.
#[test]
fn the_pace_follows_what_dispatches_took() {
    let mut pace = Pace::default();
    assert_eq!(pace.records(), 1 << 14);
    let milliseconds = Duration::from_millis;
    for (records, took, next) in [
        (1 << 14, milliseconds(20), 49_152),
        (49_152, milliseconds(75), 39_321),
        (39_321, milliseconds(60), 39_321),
        // The rest of a file: few records, and mostly overhead.
        (1_000, milliseconds(10), 39_321),
        // Something else was computed meanwhile.
        (39_321, milliseconds(600), 3_932),
        (3_932, milliseconds(6), 39_320),
        // At most sixteenfold at a time.
        (39_320, Duration::from_micros(10), 629_120),
        (629_120, milliseconds(4), 9_436_800),
        (1, Duration::from_secs(100), 1),
        (1, Duration::ZERO, 16),
    ] {
        pace.note(records, took);
        assert_eq!(pace.records(), next, "{records} in {took:?}");
    }
}

/// Dispatches follow one another, each as large as the ones before tell.
#[test]
fn work_in_place_is_given_in_turns() {
    let mut pace = Pace::default();
    let mut given = |records: usize, a_record: Duration| {
        let mut turns = Vec::new();
        let mut waits = 0;
        let submit = |some: Range<usize>| {
            turns.push(some.clone());
            Ok::<_, BackendError>(some.len())
        };
        let wait = |records: usize| {
            std::thread::sleep(a_record * records as u32);
            waits += 1;
            Ok(())
        };
        pace.in_turns(records, 16, Instant::now, submit, wait)
            .unwrap();
        assert_eq!(waits, turns.len() - 1, "nobody waits for the last one");
        let ends = turns.iter().map(|some| some.end);
        let starts = turns.iter().map(|some| some.start);
        assert!(std::iter::once(0).chain(ends).eq(starts.chain([records])));
        turns.iter().map(ExactSizeIterator::len).collect::<Vec<_>>()
    };
    assert_eq!(given(100, Duration::ZERO), [100]);
    assert_eq!(given(16_384, Duration::ZERO), [16_384]);
    // 25 ms, and then no more than 60.
    let slow = Duration::from_nanos(1_500);
    let turns = given(200_000, slow);
    assert_eq!(turns[0], 16_384);
    assert!(turns[1..].iter().all(|&some| some <= 40_000), "{turns:?}");
    let multiples = turns[..turns.len() - 1].iter();
    assert!(
        multiples.map(|some| some % 16).all(|rest| rest == 0),
        "{turns:?}"
    );
    // A fast one has it all soon, and what is known of it is kept.
    assert!(given(1 << 30, Duration::ZERO).len() < 20);
    assert_eq!(given(1 << 20, Duration::ZERO), [1 << 20]);
}

/// What fails ends it.
#[test]
fn turns_end_with_the_first_error() {
    let lost = || BackendError::Lost("unplugged".to_owned());
    let mut submitted = 0;
    let submit = |_| {
        submitted += 1;
        Ok(())
    };
    let ended = Pace::default().in_turns(1 << 20, 16, Instant::now, submit, |()| Err(lost()));
    assert_eq!((ended, submitted), (Err(lost()), 1));
    let ended = Pace::default().in_turns(1 << 20, 16, Instant::now, |_| Err(lost()), |()| Ok(()));
    assert_eq!(ended, Err(lost()));
}

/// A dispatch that waits for the one before does not begin when it is submitted.
#[test]
fn dispatches_that_wait_are_not_slow() {
    let start = Instant::now();
    let at = |milliseconds| start + Duration::from_millis(milliseconds);
    let mut pace = Pace::default();
    for (submitted, end, next) in [(0, 20, 49_152), (0, 40, 49_152), (1, 55, 65_536)] {
        pace.note_end(1 << 14, at(submitted), at(end));
        assert_eq!(pace.records(), next);
    }
    pace.note_end(1 << 14, at(100), at(220));
    assert_eq!(pace.records(), 1 << 13);
}
