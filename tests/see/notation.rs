//! Moves in SAN, compared with shakmaty's.

use shakmaty::san::San;
use shakmaty::{Chess, Position as _};
use swaplist::{Capture, Position, noisy_moves, san};

use crate::common::{boards, real};

/// How many noisy moves of a position needed disambiguation.
fn agrees(chess: &Chess) -> usize {
    let position = Position::try_from(chess).unwrap();
    let (noisy, legal) = (noisy_moves(&position), chess.legal_moves());
    let mut told_apart = 0;
    for &capture in &noisy {
        let is_it = |m: &&shakmaty::Move| Capture::from_move(**m) == Some(capture);
        let m = *legal.iter().find(is_it).expect("a legal move");
        let san = san(&position, capture, &noisy);
        let expected = San::disambiguate(m, &legal);
        assert_eq!(san, expected.to_string(), "{position} {capture}");
        told_apart += usize::from(expected.to_string().len() > 4 && !m.is_promotion());
    }
    told_apart
}

#[test]
fn san_is_that_of_shakmaty() {
    let chess = boards::dense(1)
        .take(4000)
        .chain(boards::piled(2).take(1000));
    let chess = chess.chain(boards::playouts(3).take(4000));
    let told_apart: usize = chess.map(|chess| agrees(&chess)).sum();
    assert!(told_apart > 2000, "{told_apart}");
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_san_is_that_of_shakmaty() {
    assert!(real::total(agrees) > 4000);
}
