//! Any text as a FEN: accepted if and only if shakmaty accepts it and it has four fields
//! between blanks, and preserved by round trips.
#![no_main]

use libfuzzer_sys::fuzz_target;
use shakmaty::fen::Fen;
use swaplist::{Sides, Position, PositionError, Rules, position::chess_from_setup};

fuzz_target!(|text: &str| {
    let ours = text.parse::<Position>();
    let text = text.trim_ascii();
    let Ok(fen) = text.parse::<Fen>() else {
        assert!(matches!(ours, Err(PositionError::Fen(_))));
        return;
    };
    let setup = fen.into_setup();
    let variant = setup.pockets.is_some() || setup.remaining_checks.is_some();
    let many = setup.board.occupied().count() > 32;
    let fields = text.split(' ').filter(|field| !field.is_empty());
    let few = fields.count() < 4;
    let chess = chess_from_setup(setup);
    assert_eq!(ours.is_ok(), chess.is_ok() && !many && !variant && !few);
    if let (Ok(position), Ok(chess)) = (ours, chess) {
        assert_eq!(Position::try_from(&chess), Ok(position));
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!(Position::from_planes(position.planes()), Ok(position));
        assert_eq!(
            Position::try_from(&chess_from_setup(position.to_setup()).unwrap()),
            Ok(position)
        );
        let _ = Rules::SWAP.verdict(&position, Sides::Both);
    }
});
