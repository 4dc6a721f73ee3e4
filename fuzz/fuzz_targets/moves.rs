//! Any text as an answer about a move gives a legal move or a typed error. The first byte
//! chooses a position; the text may contain its own.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shakmaty::Position as _;
use swaplist::{Rules, position::chess_from_setup};
use swaplist_files::check::Answer;

const POSITIONS: [&str; 6] = [
    "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1",
    "r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1",
    "7k/8/8/3pP3/8/8/6K1/3r4 w - d6 0 1",
    "3r3k/4P3/8/8/8/8/8/7K w - - 0 1",
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "4k3/8/8/8/8/8/4r3/4K3 w - - 0 1",
];

fuzz_target!(|input: (u8, &str, i32)| {
    let (index, text, value) = input;
    let fen = POSITIONS[usize::from(index) % POSITIONS.len()];
    for line in [text.to_owned(), format!("{fen};{text};{value}")] {
        match Answer::parse(&line, 1) {
            Ok(answer) => {
                let chess = chess_from_setup(answer.position.to_setup()).unwrap();
                let castles =
                    chess.board().role_at(answer.capture.from()) == Some(shakmaty::Role::King);
                // Castling rights are not packed; other legal moves stay legal.
                assert!(castles || answer.capture.to_move(&chess).is_some());
                let _ = answer.agrees(&Rules::SWAP);
                let _ = Rules::SWAP.trace(&answer.position, answer.capture);
            }
            Err(error) => assert!(!error.to_string().is_empty()),
        }
    }
});
