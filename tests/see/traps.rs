//! Known mistakes of SEE implementations, made on purpose (`common/wrong.rs`), each exposed by
//! a position.

use crate::common::{
    boards,
    boards::board,
    oracle,
    wrong::{self, Mistake, Tie},
};
use shakmaty::{Chess, Move, uci::UciMove};
use swaplist::{Capture, PieceValues, Position, PositionError, Profile, Rules};

fn mv(chess: &Chess, uci: &str) -> Move {
    uci.parse::<UciMove>().unwrap().to_move(chess).unwrap()
}

/// The value under a profile, on which oracle and product agree.
fn right(fen: &str, uci: &str, profile: Profile) -> i32 {
    let chess = board(fen);
    let rules = Rules::new(profile, PieceValues::CPW);
    let position = Position::try_from(&chess).unwrap();
    let m = mv(&chess, uci);
    let capture = Capture::from_move(m).unwrap();
    let value = rules.see(&position, capture);
    assert_eq!(
        oracle::see(&chess, m, &rules),
        value,
        "{fen} {uci} {profile}"
    );
    for threshold in value - 1..=value + 1 {
        assert_eq!(
            rules.see_ge(&position, capture, threshold),
            value >= threshold
        );
    }
    value
}

/// The correct value under `swap` and the one that the mistake gives.
fn told_apart(fen: &str, uci: &str, mistake: Mistake) -> (i32, i32) {
    let chess = board(fen);
    let m = mv(&chess, uci);
    let truth = right(fen, uci, Profile::Swap);
    assert_eq!(wrong::see(&chess, m, None), truth, "without a mistake");
    (truth, wrong::see(&chess, m, Some(mistake)))
}

#[test]
fn the_wrong_algorithms_without_their_mistakes_are_right() {
    for chess in boards::dense(77).take(3000) {
        for m in oracle::noisy(&chess) {
            assert_eq!(
                wrong::see(&chess, m, None),
                oracle::see(&chess, m, &Rules::SWAP),
                "{chess:?} {m}"
            );
        }
    }
}

#[test]
fn trap_01_the_early_break_keeps_the_sign_but_not_the_value() {
    let fen = "4k3/8/2p5/3q4/4P3/8/8/4K3 w - - 0 1";
    assert_eq!(told_apart(fen, "e4d5", Mistake::EarlyBreak), (900, 1000));
    let (mut all, mut differ) = (0, 0);
    for chess in boards::playouts(3).take(5000) {
        for m in oracle::noisy(&chess) {
            let truth = oracle::see(&chess, m, &Rules::SWAP);
            let pruned = wrong::see(&chess, m, Some(Mistake::EarlyBreak));
            assert_eq!(truth >= 0, pruned >= 0, "{chess:?} {m}");
            all += 1;
            differ += u32::from(truth != pruned);
        }
    }
    assert!(
        differ * 50 > all,
        "{differ} of {all}: common, not a corner case"
    );
}

#[test]
fn trap_02_the_piece_on_the_square_counts_and_the_square_stays() {
    // Nxe5 dxe5 Nxe5: a knight for two pawns.
    let fen = "4k3/8/3p4/4p3/8/3N1N2/8/4K3 w - - 0 1";
    assert_eq!(
        told_apart(fen, "d3e5", Mistake::FirstVictimAgain),
        (-125, 100)
    );
    assert_eq!(
        told_apart(fen, "d3e5", Mistake::RecursesOnOrigin),
        (-125, -225)
    );
}

#[test]
fn trap_03_a_huge_king_is_not_the_king_rule() {
    let fen = "8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1";
    let (truth, mistaken) = told_apart(fen, "f4e5", Mistake::HugeKing);
    assert_eq!(truth, 100);
    assert_ne!(mistaken, 100);
}

#[test]
fn trap_04_a_captured_pinner_pins_no_longer() {
    // dxe4 takes the rook that pins the queen; on Nxe4 the queen recaptures.
    let fen = "4k3/4q3/8/3p4/4R3/2N5/8/3K4 b - - 0 1";
    for profile in Profile::ALL {
        assert_eq!(right(fen, "d5e4", profile), 500, "{profile}");
    }
    assert_eq!(told_apart(fen, "d5e4", Mistake::StaticPins), (500, 400));
}

#[test]
fn trap_05_pins_taken_once_flip_the_sign() {
    let fen = "5k2/4q3/3Q4/4p3/8/8/2K5/8 w - - 0 1";
    for profile in Profile::ALL {
        assert_eq!(right(fen, "d6e5", profile), -900, "{profile}");
    }
    assert_eq!(told_apart(fen, "d6e5", Mistake::StaticPins), (-900, 100));
}

#[test]
fn trap_06_a_capture_can_create_a_pin() {
    let fen = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";
    for profile in [Profile::Swap, Profile::Sf8, Profile::Sf] {
        assert_eq!(right(fen, "e4c5", profile), -225, "{profile}");
    }
    assert_eq!(right(fen, "e4c5", Profile::Legal), 100);
}

#[test]
fn trap_07_least_valuable_first_is_the_definition_not_the_truth() {
    let fen = "4k3/8/7b/8/5Q2/4q3/3P4/3K4 b - - 0 1";
    for profile in [Profile::Swap, Profile::Legal] {
        assert_eq!(right(fen, "e3d2", profile), -225, "{profile}");
    }
    let chess = board(fen);
    assert_eq!(wrong::minimax(&chess, mv(&chess, "e3d2")), -900);
}

#[test]
fn trap_08_ties_show_at_partial_sums_only() {
    for (tie, at_victim) in [
        (Tie::AtVictim, true), // wrong on most captures
        (Tie::InLoopStrict, true),
        (Tie::InLoopLoose, false), // nothing but the value itself shows it
    ] {
        let (mut at_sums, mut at_value, mut at_victims) = (0, 0, 0);
        for chess in boards::playouts(4).take(5000) {
            for m in oracle::noisy(&chess) {
                if m.is_promotion() || m.is_en_passant() {
                    continue;
                }
                let trace = trace(&chess, m);
                let sums: Vec<_> = trace
                    .swap_list()
                    .into_iter()
                    .flat_map(|s| [s, -s])
                    .collect();
                let fails = |threshold| {
                    let right = wrong::see_ge(&chess, m, threshold, None);
                    assert_eq!(right, trace.value >= threshold, "{chess:?} {m}");
                    u32::from(wrong::see_ge(&chess, m, threshold, Some(tie)) != right)
                };
                at_sums += sums.iter().map(|&sum| fails(sum)).sum::<u32>();
                at_value += fails(trace.value) + fails(trace.value + 1);
                at_victims += fails(trace.gain);
                let beside = sums.iter().flat_map(|sum| [sum - 7, sum + 7]);
                for threshold in beside.filter(|threshold| !sums.contains(threshold)) {
                    assert_eq!(fails(threshold), 0, "{tie:?} seen at {threshold}");
                }
            }
        }
        println!("{tie:?}: {at_sums} at sums, {at_value} at the value, {at_victims} at victims");
        assert!(at_sums > 0);
        assert_eq!(at_victims > 0, at_victim, "{tie:?}");
    }
}

fn trace(chess: &Chess, m: Move) -> swaplist::Trace {
    let position = Position::try_from(chess).unwrap();
    Rules::SWAP.trace(&position, Capture::from_move(m).unwrap())
}

#[test]
fn trap_09_long_exchanges_fit_and_more_than_32_men_do_not() {
    for (length, fen, uci) in boards::LONG {
        let chess = board(fen);
        let position = Position::try_from(&chess).unwrap();
        let capture = Capture::from_move(mv(&chess, uci)).unwrap();
        let trace = Rules::SWAP.trace(&position, capture);
        assert_eq!(1 + trace.recaptures.len(), length, "{fen}");
        for profile in Profile::ALL {
            right(fen, uci, profile);
        }
    }
    let longest = boards::LONG.iter().map(|long| long.0).max();
    assert!(longest >= Some(29));
    let crowd = "rnbqkbnr/pppppppp/8/8/8/N7/PPPPPPPP/RNBQKBNR w - - 0 1";
    assert_eq!(
        crowd.parse::<Position>(),
        Err(PositionError::TooManyPieces(33))
    );
}

mod trap_10_seen_in_public_engines {
    use super::*;

    #[test]
    fn gain_array_of_16() {
        let (_, fen, uci) = boards::LONG
            .into_iter()
            .find(|&(_, fen, uci)| {
                let (truth, mistaken) = told_apart(fen, uci, Mistake::SixteenGains);
                truth != mistaken
            })
            .expect("a long exchange whose value lies behind its 16th capture");
        assert!(right(fen, uci, Profile::Swap).abs() < 2000);
    }

    #[test]
    fn mover_still_counted() {
        let fen = "4k3/8/3p4/4p3/8/3N4/8/4K3 w - - 0 1";
        assert_eq!(told_apart(fen, "d3e5", Mistake::MoverStays), (-225, -125));
    }

    #[test]
    fn pawns_of_the_wrong_colour() {
        let fen = "4k3/8/8/4p3/3p4/3N4/8/4K3 w - - 0 1";
        assert_eq!(told_apart(fen, "d3e5", Mistake::PawnsTurned), (100, -225));
    }

    #[test]
    fn en_passant_victim_left_on_the_board() {
        let fen = "7k/8/8/3pP3/8/8/6K1/3r4 w - d6 0 1";
        assert_eq!(
            told_apart(fen, "e5d6", Mistake::EnPassantVictimStays),
            (0, 100)
        );
    }

    #[test]
    fn en_passant_victim_read_from_the_empty_target() {
        let fen = "7k/8/8/3pP3/8/8/8/7K w - d6 0 1";
        assert_eq!(
            told_apart(fen, "e5d6", Mistake::EnPassantVictimIsNothing),
            (100, 0)
        );
    }

    #[test]
    fn promotion_counted_twice() {
        let fen = "3r3k/4P3/8/8/8/8/8/7K w - - 0 1";
        assert_eq!(
            told_apart(fen, "e7d8q", Mistake::PromotionTwice),
            (1400, 2300)
        );
    }

    #[test]
    fn promoted_piece_recaptured_as_a_pawn() {
        let fen = "r2r3k/4P3/8/8/8/8/8/7K w - - 0 1";
        assert_eq!(
            told_apart(fen, "e7d8q", Mistake::PromotedIsPawn),
            (400, 1300)
        );
    }

    #[test]
    fn castling_as_king_takes_rook() {
        let fen = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";
        assert_eq!(told_apart(fen, "e1h1", Mistake::CastlingTakes), (0, 500));
    }

    #[test]
    fn piece_index_used_for_its_type() {
        let fen = "4k3/8/8/4r3/8/3N4/8/4K3 w - - 0 1";
        assert_eq!(told_apart(fen, "d3e5", Mistake::IndexForType), (500, 1000));
    }

    #[test]
    fn opposite_x_rays_missed() {
        // The black queen attacks d5 through the white bishop that captures first.
        let fen = "7k/8/8/3p4/8/1B6/q7/7K w - - 0 1";
        assert_eq!(
            told_apart(fen, "b3d5", Mistake::OppositeXRaysMissed),
            (-225, 100)
        );
    }

    #[test]
    fn knights_are_no_windows() {
        // No slider joins behind a knight, even if it is on its line.
        let fen = "7k/8/8/4p3/8/3N4/2B5/7K w - - 0 1";
        assert_eq!(right(fen, "d3e5", Profile::Swap), 100);
    }
}
