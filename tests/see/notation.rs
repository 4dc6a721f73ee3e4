//! Moves in SAN, compared with shakmaty's.

use shakmaty::san::San;
use shakmaty::{Chess, Position as _};
use swaplist::{PackedMove, Position, noisy_moves, san};

use crate::common::boards::MOVE_BITS;
use crate::common::{boards, real};

/// How many noisy moves of a position needed disambiguation.
fn agrees(chess: &Chess) -> usize {
    let position = Position::try_from(chess).unwrap();
    let noisy = noisy_moves(&position);
    let legal = chess.legal_moves();
    let mut told_apart = 0;
    for &capture in &noisy {
        let is_it = |m: &&shakmaty::Move| PackedMove::from_move(**m) == Some(capture);
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
        .chain(boards::piled(2).take(1000))
        .chain(boards::playouts(3).take(4000));
    let told_apart: usize = chess.map(|chess| agrees(&chess)).sum();
    assert!(told_apart > 2000, "{told_apart}");
}

#[test]
fn moves_in_uci_are_read_as_they_are_written() {
    for bits in 0..1 << MOVE_BITS {
        let capture = PackedMove::from_bits(bits);
        let text = capture.to_string();
        let is_move = capture.from() != capture.to() && matches!(bits & 7, 0 | 2..=5);
        let read = text.parse::<PackedMove>();
        if is_move {
            assert_eq!(read, Ok(capture), "{text}");
        } else if bits & 7 == 7 {
            // No piece is written for it.
            assert_ne!(read, Ok(capture));
        } else {
            assert!(read.is_err(), "{text}");
        }
    }
    assert_eq!("e7e8Q".parse(), "e7e8q".parse::<PackedMove>());
    let others = [
        "", "e2", "e2-e4", "e2e4 ", "e2e9", "i1a1", "0000", "N@e4", "e8=Q", "O-O", "e7e8qq",
        "e4\n", "é2e4", "Nf3",
    ];
    for text in others {
        let error = text.parse::<PackedMove>().unwrap_err().to_string();
        let shown = text.escape_debug();
        let expected =
            format!("'{shown}' is not a move in UCI, expected one such as e2e4 or e7e8q");
        assert_eq!(error, expected);
    }
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_san_is_that_of_shakmaty() {
    assert!(real::total(agrees) > 4000);
}
