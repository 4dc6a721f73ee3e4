//! Any text as what somebody pasted: a position with parts of the text, or advice about a part of
//! it. What was found is found again in its FEN.
#![no_main]

use libfuzzer_sys::fuzz_target;
use swaplist_files::check::answers;
use swaplist_files::pasted::{games, read};

const STANDING: &str = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";

fuzz_target!(|text: &str| {
    match read(text, Some(STANDING)) {
        Ok(found) => {
            for part in &found.used {
                assert!(text.get(part.clone()).is_some());
            }
            let again = read(&found.fen, None).unwrap();
            assert_eq!(again.setup.board, found.setup.board);
            assert_eq!(again.setup.turn, found.setup.turn);
        }
        Err(refusal) => {
            assert!(!refusal.message.is_empty());
            if let Some(part) = refusal.at {
                assert!(text.get(part).is_some());
            }
        }
    }
    for game in games(text) {
        assert!(text.get(game.part.clone()).is_some());
        for (number, played) in game.moves.iter().enumerate() {
            assert!(played.before.is_none_or(|before| before < number));
        }
    }
    for answer in answers(text.as_bytes()).flatten() {
        assert!(!answer.fen.is_empty());
    }
});
