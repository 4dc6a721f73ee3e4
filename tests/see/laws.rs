//! Laws that hold for every position and all rules.

use crate::common::{
    any::{captures, chess, config, rules, values},
    boards,
    boards::Random,
    oracle,
};
use proptest::prelude::*;
use shakmaty::{Bitboard, Piece, Position as _, Role, Square};
use swaplist::{
    Choice, Evaluator, PackedMove, PieceValues, Position, Profile, Rules,
    backend::{Backend, Cpu, Question},
    noisy_moves,
};

proptest! {
    #![proptest_config(config(30_000))]

    #[test]
    fn scalar_is_the_oracle(chess in chess(), rules in rules()) {
        let (position, moves) = captures(&chess);
        for (m, capture) in moves {
            let expected = oracle::see(&chess, m, &rules);
            prop_assert_eq!(rules.see(&position, capture), expected, "{} {}", position, m);
        }
        for m in chess.legal_moves().into_iter().take(12) {
            let capture = PackedMove::from_move(m).unwrap();
            let expected = oracle::see(&chess, m, &rules);
            prop_assert_eq!(rules.see(&position, capture), expected, "{} {}", position, m);
        }
    }

    #[test]
    fn see_is_rules_see_under_swap(chess in chess(), values in values(), threshold: i32) {
        let (position, moves) = captures(&chess);
        for (_, capture) in moves {
            let rules = Rules::new(Profile::Swap, values);
            let value = rules.see(&position, capture);
            prop_assert_eq!(swaplist::see(&position, capture, &values), value);
            for threshold in [value - 1, value, value + 1, threshold] {
                let ge = swaplist::see_ge(&position, capture, &values, threshold);
                prop_assert_eq!(ge, value >= threshold);
            }
        }
    }

    #[test]
    fn see_ge_is_see_against_every_partial_sum(chess in chess(), rules in rules()) {
        let (position, moves) = captures(&chess);
        for (_, capture) in moves {
            let value = rules.see(&position, capture);
            let sums = rules.trace(&position, capture).swap_list();
            let around = sums.iter().flat_map(|&sum| [sum - 1, sum, sum + 1]);
            let thresholds = around.flat_map(|sum| [sum, -sum]);
            let ends = [value - 1, value, value + 1, 0, i32::MIN, i32::MIN + 1, i32::MAX];
            for threshold in thresholds.chain(ends) {
                let ge = rules.see_ge(&position, capture, threshold);
                prop_assert_eq!(ge, value >= threshold, "{} {} {}", position, capture, threshold);
            }
        }
    }

    /// The swap list: each gain is what is won minus the gain before; its minimax is the value.
    #[test]
    fn a_trace_is_consistent(chess in chess(), rules in rules()) {
        let (position, moves) = captures(&chess);
        for (m, capture) in moves {
            let trace = rules.trace(&position, capture);
            prop_assert_eq!(trace.value, rules.see(&position, capture));
            prop_assert_eq!(trace.value, minimax(&trace.swap_list(), trace.speculative));
            let mut last = trace.gain;
            let mut used = Bitboard::from_square(capture.from());
            for (ply, recapture) in trace.recaptures.iter().enumerate() {
                let from = recapture.piece.square;
                let piece = position.piece_at(from).unwrap();
                let side = if ply % 2 == 0 { !chess.turn() } else { chess.turn() };
                prop_assert_eq!(piece, Piece { color: side, role: recapture.piece.role });
                prop_assert!(!used.contains(from), "nobody captures twice");
                used.add(from);
                let queens = rules.recapture_promotion == swaplist::RecapturePromotion::Queen
                    && piece.role == Role::Pawn
                    && Bitboard::BACKRANKS.contains(m.to());
                let bonus = rules.values.of(Role::Queen) - rules.values.of(Role::Pawn);
                let win = rules.values.of(recapture.victim) + if queens { bonus } else { 0 };
                prop_assert_eq!(recapture.gain, win - last);
                last = recapture.gain;
            }
        }
    }
}

/// CPW's fold, from the last capture back.
fn minimax(swap_list: &[i32], speculative: Option<i32>) -> i32 {
    let played = swap_list.len() - usize::from(speculative.is_some());
    let (first, rest) = swap_list[..played].split_first().unwrap();
    rest.iter()
        .rev()
        .fold(None, |best: Option<i32>, &gain| {
            Some(best.map_or(gain, |best| -(-gain).max(best)))
        })
        .map_or(*first, |best| -(-first).max(best))
}

/// On one, two and many threads, if there are threads.
fn cpus() -> Vec<Cpu> {
    #[cfg(feature = "rayon")]
    return [1, 2, 7].map(|n| Cpu::with_threads(n).unwrap()).into();
    #[cfg(not(feature = "rayon"))]
    vec![Cpu::new()]
}

/// Shuffled, split and on any number of threads: the same scores.
#[test]
fn batches_do_not_depend_on_order_or_chunks_or_threads() {
    let positions: Vec<_> = boards::playouts(8)
        .take(6_000)
        .chain(boards::dense(8).take(3_000))
        .map(|chess| Position::try_from(&chess).unwrap())
        .collect();
    let mut random = Random(5);
    for &profile in Profile::ALL {
        let rules = Rules::new(profile, PieceValues::CPW);
        let whole = boards::batch(&positions);
        let expected: Vec<_> = whole
            .iter()
            .flat_map(|(position, captures)| captures.iter().map(move |&c| rules.see(position, c)))
            .collect();
        for cpu in cpus() {
            let answers = cpu.answers(&Question::Scores(&whole), &rules).unwrap();
            assert_eq!(answers.scores, expected, "{}", cpu.name());
        }
        assert_eq!(Evaluator::cpu().scores(&whole, &rules), expected);

        let mut pieces = Vec::new();
        let mut rest = &positions[..];
        while !rest.is_empty() {
            let (first, others) = rest.split_at(random.below(1200).min(rest.len()));
            let piece = boards::batch(first);
            pieces.extend(Evaluator::cpu().scores(&piece, &rules));
            rest = others;
        }
        assert_eq!(pieces, expected);

        let mut order: Vec<_> = (0..positions.len()).collect();
        for i in (1..order.len()).rev() {
            order.swap(i, random.below(i + 1));
        }
        let in_order: Vec<_> = order.iter().map(|&i| positions[i]).collect();
        let shuffled = boards::batch(&in_order);
        let scores = Evaluator::cpu().scores(&shuffled, &rules);
        for (at, &i) in order.iter().enumerate() {
            assert_eq!(scores[shuffled.range(at)], expected[whole.range(i)]);
        }
    }
}

#[test]
fn noisy_moves_and_checks_are_shakmatys() {
    let boards = boards::playouts(2).take(40_000);
    for chess in boards.chain(boards::dense(2).take(40_000)) {
        let (position, moves) = captures(&chess);
        let expected: Vec<_> = moves.iter().map(|&(_, capture)| capture).collect();
        assert_eq!(noisy_moves(&position), expected, "{position}");
        assert_eq!(position.in_check(), chess.is_check(), "{position}");
    }
}

/// The lowest square goes first, which can matter: behind one of two rooks is a white rook;
/// behind one of two queens nothing new. Mirrored, the other one goes first.
#[test]
fn the_lowest_square_breaks_a_tie() {
    // Position, move, who recaptures first, and the value.
    for (fen, uci, from, value) in [
        ("3K4/1Rrrr3/8/8/7R/7Q/8/2k5 w - -", "h3d7", Square::C7, 0),
        ("4K3/3rrrR1/8/8/R7/Q7/8/5k2 w - -", "a3e7", Square::D7, -500),
        ("8/7k/8/4Q1P1/5b2/6QK/6r1/8 b - -", "f4g5", Square::G3, 100),
        ("8/6R1/6qk/5B2/4q1p1/8/7K/8 w - -", "f5g4", Square::E4, -225),
    ] {
        let chess = boards::board(fen);
        let position = Position::try_from(&chess).unwrap();
        let capture = PackedMove::from_move(boards::mv(&chess, uci)).unwrap();
        let trace = Rules::SWAP.trace(&position, capture);
        let first = trace.recaptures[0].piece.square;
        assert_eq!((first, trace.value), (from, value), "{fen}");
    }
}
