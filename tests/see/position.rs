//! The packed position: round trips, refusals, and arbitrary bytes.

use proptest::prelude::*;
use shakmaty::{Bitboard, Chess, Color, EnPassantMode, Position as _, Setup, Square, fen::Fen};
use swaplist::{
    PackedMove, PieceValues, Position, PositionError, Profile, Rules, Sides, noisy_moves, position,
};
use swaplist_files::check;

use crate::common::boards::{self, Random};

fn error(fen: &str) -> PositionError {
    fen.parse::<Position>().expect_err(fen)
}

#[test]
fn every_refusal_by_an_example() {
    assert!(matches!(error("not a fen"), PositionError::Fen(_)));
    assert!(matches!(error(""), PositionError::Fen(_)));
    assert_eq!(
        error("rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1"),
        PositionError::TooManyPieces(33)
    );
    assert_eq!(
        error("8/8/8/8/8/8/8/4K3 w - - 0 1"),
        PositionError::KingCount {
            color: Color::Black,
            kings: 0
        }
    );
    assert_eq!(
        error("4k3/8/8/8/8/8/8/K3K3 b - - 0 1"),
        PositionError::KingCount {
            color: Color::White,
            kings: 2
        }
    );
    assert_eq!(
        error("4k3/8/8/8/8/8/8/P3K3 w - - 0 1"),
        PositionError::PawnOnBackRank(Square::A1)
    );
    assert_eq!(
        error("4k2p/8/8/8/8/8/8/4K3 w - - 0 1"),
        PositionError::PawnOnBackRank(Square::H8)
    );
    assert_eq!(
        error("4k3/8/8/8/8/8/4R3/4K3 w - - 0 1"),
        PositionError::OppositeCheck
    );
    assert_eq!(
        error("8/8/8/8/8/8/4k3/4K3 w - - 0 1"),
        PositionError::OppositeCheck,
        "neighbouring kings"
    );
    let pockets = Setup {
        pockets: Some(shakmaty::ByColor::default()),
        ..Setup::initial()
    };
    assert_eq!(Position::try_from(&pockets), Err(PositionError::Variant));
    let checks = Setup {
        remaining_checks: Some(shakmaty::ByColor::default()),
        ..Setup::initial()
    };
    assert_eq!(Position::try_from(&checks), Err(PositionError::Variant));
}

/// Errors that only bitboards can have, and targets that are dropped.
#[test]
fn every_refusal_of_bitboards_by_an_example() {
    let kings = 1 << 4 | 1 << 60;
    let pawns = 1 << 35 | 1 << 36;
    let colors = [1 << 4 | 1 << 36, 1 << 60 | 1 << 35];
    let roles = [pawns, 0, 0, 0, 0, kings];
    for (ep, fen) in [
        (Some(43), "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1"),
        (Some(42), "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
        (Some(64), "4k3/8/8/3pP3/8/8/8/4K3 w - - 0 1"),
    ] {
        let position = Position::from_bitboards(roles, colors, Color::White, ep);
        assert_eq!(position, fen.parse());
    }
    for (roles, colors, wrong) in [
        ([pawns, 1 << 36, 0, 0, 0, kings], colors, 36),
        (roles, [colors[0] | 1 << 60, colors[1]], 60),
        (roles, [colors[0], colors[1] | 1 << 9], 9),
        (roles, [colors[0], 1 << 60], 35),
    ] {
        let found = Position::from_bitboards(roles, colors, Color::Black, None);
        let wrong = PositionError::Bitboards(Bitboard(1 << wrong));
        assert_eq!(found, Err(wrong));
    }
}

/// Errors that only planes can have.
#[test]
fn every_refusal_of_planes_by_an_example() {
    let valid: Position = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1".parse().unwrap();
    let [bit0, bit1, bit2, black] = valid.planes();
    assert_eq!(Position::from_planes(valid.planes()), Ok(valid));
    assert_eq!(valid.ep_square(), Some(Square::D6));

    let no_mover = [bit0 & !(1 << 4), bit1, bit2, black];
    assert_eq!(
        Position::from_planes(no_mover),
        Err(PositionError::SideToMove(0))
    );
    let two_movers = [bit0 | 1 << 60, bit1, bit2, black];
    assert_eq!(
        Position::from_planes(two_movers),
        Err(PositionError::SideToMove(2))
    );
    for marked in [1 << 20, 1 << 43 | 1 << 44, 1 << 41] {
        let black_and_marked = black & !(1 << 43) | marked;
        let error = Position::from_planes([bit0, bit1, bit2, black_and_marked]).unwrap_err();
        assert_eq!(error, PositionError::EnPassant(Bitboard(marked)));
    }
    let full = [!0, 0, 0, 0];
    assert_eq!(
        Position::from_planes(full),
        Err(PositionError::SideToMove(0))
    );
    let zero = Position::from_planes([0; 4]).unwrap_err();
    assert_eq!(zero, PositionError::SideToMove(0));
}

#[test]
fn refusals_say_why_in_one_line() {
    for (error, message) in [
        (PositionError::TooManyPieces(33), "33"),
        (PositionError::PawnOnBackRank(Square::A1), "a1"),
        (PositionError::SideToMove(2), "2 kings"),
        (PositionError::EnPassant(Bitboard(1)), "en-passant"),
        (PositionError::OppositeCheck, "check"),
        (PositionError::Unplayable, "playable"),
        (PositionError::Variant, "standard"),
    ] {
        let text = error.to_string();
        assert!(text.contains(message), "{text}");
        assert!(!text.contains('\n') && !text.ends_with('.'), "{text}");
    }
}

/// Through planes, FEN, setup and chess, and back.
fn round_trips(position: Position) {
    assert_eq!(Position::from_planes(position.planes()), Ok(position));
    assert_eq!(position.to_string().parse(), Ok(position), "{position}");
    assert_eq!(Position::try_from(&position.to_setup()), Ok(position));
    let chess = position::chess_from_setup(position.to_setup()).expect("an accepted position");
    assert_eq!(Position::try_from(&chess), Ok(position), "{position}");
    let bytes = bytemuck::bytes_of(&position);
    assert_eq!(*bytemuck::from_bytes::<Position>(bytes), position);
    assert_eq!(bytes.len(), 32);
}

#[test]
fn made_positions_survive() {
    for chess in boards::playouts(12)
        .take(20_000)
        .chain(boards::dense(12).take(20_000))
    {
        let position = Position::try_from(&chess).unwrap();
        assert_eq!(position.turn(), chess.turn());
        assert_eq!(position.occupied(), chess.board().occupied());
        for square in Square::ALL {
            assert_eq!(position.piece_at(square), chess.board().piece_at(square));
        }
        let usable = |square: &Square| {
            let ready = shakmaty::attacks::pawn_attacks(!chess.turn(), *square);
            (ready & chess.board().pawns() & chess.us()).any()
        };
        let ep = chess.ep_square(EnPassantMode::Always).filter(usable);
        assert_eq!(position.ep_square(), ep, "{position}");
        round_trips(position);
    }
}

#[test]
fn odd_but_meaningful_positions_are_accepted() {
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "4k3/8/8/8/8/8/8/4K3 w KQkq e6 0 1", // castling and en passant that cannot be
        "QQQQkQQQ/8/8/8/8/8/8/QQQQKQQQ b - - 0 1", // material and checks that cannot be
        "4k3/8/8/8/8/8/8/4K2R w K -",
    ] {
        let position: Position = fen.parse().expect(fen);
        round_trips(position);
    }
}

/// Any 16 bits as a move, under every rule: a value in bounds, with overflow checks.
fn any_bytes_have_a_value(position: &Position, capture: PackedMove, rules: &Rules, threshold: i32) {
    let value = rules.see(position, capture);
    let bound = 64 * 3 * swaplist::values::MAX_VALUE;
    assert!(value.abs() <= bound);
    assert_eq!(
        rules.see_ge(position, capture, threshold),
        value >= threshold
    );
    let trace = rules.trace(position, capture);
    // Every recapture empties a square.
    assert!(trace.recaptures.len() <= 64);
    assert_eq!(trace.value, value);
}

fn everything_else_answers_too(position: &Position, rules: &Rules) {
    assert!(noisy_moves(position).len() <= 64 * 64 * 4);
    let _ = rules.verdict(position, Sides::Both);
    let _ = (position.to_string(), position.turn(), position.ep_square());
    let _ = (position.to_setup(), position.in_check());
    let _ = position::chess_from_setup(position.to_setup());
    if let Ok(same) = Position::from_planes(position.planes()) {
        round_trips(same);
    }
}

fn any_values() -> impl Strategy<Value = PieceValues> {
    prop_oneof![
        Just([30_000; 5]),
        Just([-30_000; 5]),
        Just([-30_000, 30_000, -30_000, 30_000, 30_000]),
        prop::array::uniform5(-30_000..=30_000),
    ]
    .prop_map(|table| PieceValues::new(table).unwrap())
}

/// Planes of a valid position with a few bits flipped.
fn nearly_valid() -> impl Strategy<Value = [u64; 4]> {
    let turned = prop::collection::vec((0..4_usize, 0..64), 0..4);
    (any::<u64>(), any::<bool>(), turned).prop_map(|(seed, dense, turned)| {
        let chess: Chess = if dense {
            boards::dense(seed).next().unwrap()
        } else {
            boards::playouts(seed).nth((seed % 120) as usize).unwrap()
        };
        let mut planes = Position::try_from(&chess).unwrap().planes();
        for (plane, bit) in turned {
            planes[plane] ^= 1_u64 << bit;
        }
        planes
    })
}

proptest! {
    #![proptest_config(ProptestConfig { cases: 20_000, failure_persistence: None, ..ProptestConfig::default() })]

    #[test]
    fn any_32_bytes_and_16_bits(seed: u64, bits in any::<[u16; 24]>(), values in any_values(), threshold: i32) {
        let position = boards::garbage(&mut Random(seed));
        for rules in check::candidates(values) {
            for bits in bits.into_iter().take(3) {
                any_bytes_have_a_value(&position, bytemuck::cast(bits), &rules, threshold);
            }
        }
        for (bits, rules) in bits.into_iter().zip(check::candidates(values)) {
            any_bytes_have_a_value(&position, bytemuck::cast(bits), &rules, threshold);
        }
        everything_else_answers_too(&position, &Rules::new(Profile::Swap, values));
    }

    #[test]
    fn nearly_valid_planes(planes in nearly_valid(), bits in any::<[u16; 8]>(), values in any_values()) {
        let position: Position = bytemuck::cast(planes);
        everything_else_answers_too(&position, &Rules::new(Profile::Swap, values));
        for bits in bits {
            for rules in check::candidates(values) {
                any_bytes_have_a_value(&position, PackedMove::from_bits(bits), &rules, 0);
            }
        }
    }

    /// This crate accepts the setups that shakmaty accepts, leniently.
    #[test]
    fn setups_are_accepted_as_shakmaty_does(planes in nearly_valid(), turned in prop::collection::vec(0..64_u32, 0..3)) {
        let mut setup = bytemuck::cast::<_, Position>(planes).to_setup();
        for square in turned {
            setup.board.set_piece_at(Square::new(square), Color::White.pawn());
        }
        let pieces = setup.board.occupied().count();
        let chess = position::chess_from_setup(setup.clone());
        prop_assert_eq!(Position::try_from(&setup).is_ok(), chess.is_ok() && pieces <= 32, "{:?}", setup);
        if let (Ok(position), Ok(chess)) = (Position::try_from(&setup), chess) {
            prop_assert_eq!(Position::try_from(&chess), Ok(position));
        }
    }

    #[test]
    fn any_text(text in "\\PC{0,80}") {
        let _ = text.parse::<Position>();
    }

    #[test]
    fn texts_like_a_fen(seed: u64, at in any::<prop::sample::Index>(), put in "[1-8pnbrqkPNBRQK/ abwdefgh36-]{0,2}") {
        let chess = boards::dense(seed).next().unwrap();
        let mut text = Position::try_from(&chess).unwrap().to_string();
        let at = at.index(text.len());
        text.replace_range(at..=at, &put);
        if let Ok(position) = text.parse::<Position>() {
            round_trips(position);
            let fen: Fen = text.parse().unwrap();
            prop_assert!(position::chess_from_setup(fen.into_setup()).is_ok());
        }
    }
}
