//! On how many squares the opponent could win: a position for each clause, on every path.

use swaplist::{
    Evaluator, PieceValues, Position, Profile, Rules, Sides, position::chess_from_setup,
};

use super::simd::paths;
use crate::common::rules::bounds;
use crate::common::verdicts;

/// The opponent's threats, equal on every path, as a number and as a bound.
fn threats(fen: &str, rules: &Rules) -> u8 {
    let position: Position = fen.parse().unwrap();
    let chess = chess_from_setup(position.to_setup()).unwrap();
    let expected = verdicts::verdict(&chess, rules);
    assert_eq!(rules.verdict(&position, Sides::Both), expected, "{fen}");
    let two = bounds(None, None, true);
    for path in paths() {
        let evaluator = Evaluator::cpu().cpu_path(path).unwrap();
        let verdict = evaluator.verdicts(&[position], rules, Sides::Both);
        assert_eq!(verdict, [expected], "{path} {fen}");
        let exceeds = evaluator.exceeds(&[position], rules, two);
        let double = expected.threats() > 1;
        assert_eq!(exceeds[0].double_threat(), double, "{path} {fen}");
        assert!(
            !exceeds[0].threat() && !exceeds[0].see(),
            "no bound on them"
        );
    }
    expected.threats()
}

#[test]
fn squares_are_counted_where_a_move_wins() {
    for (fen, expected) in [
        // Nothing is attacked.
        ("4k3/8/8/8/8/8/4P3/4K3 w - -", 0),
        // A fork.
        ("6k1/8/8/3n4/8/2R1R3/8/6K1 w - -", 2),
        // A fork, seen by Black.
        ("6k1/8/2r1r3/8/3N4/8/8/6K1 b - -", 2),
        // One hangs, one is guarded.
        ("6k1/8/8/3n4/5P2/4K3/2R5/6N1 w - -", 0),
        // Two attack one.
        ("2r3k1/8/8/3n4/8/2P5/8/6K1 w - -", 1),
        // An even exchange.
        ("2r3k1/8/8/8/8/8/1P6/2R3K1 w - -", 1),
        // An even exchange, guarded.
        ("2r3k1/8/8/8/8/8/3B4/2R3K1 w - -", 0),
        // The smaller one counts, too.
        ("6k1/4Q3/8/3n4/8/2P5/8/6K1 w - -", 2),
        // A pawn about to promote.
        ("6k1/8/8/8/8/8/1p6/6K1 w - -", 1),
        // To b1, and to a1 and c1 with a capture: whatever it becomes.
        // A pawn that promotes on three squares, and wins on two.
        ("6k1/8/8/8/8/8/1p6/R1R3K1 w - -", 2),
        // And one with another capturer.
        ("2r3k1/8/8/8/8/8/1p6/2R3K1 w - -", 1),
        // A king takes two.
        ("8/8/8/8/8/1N1k1N2/8/6K1 w - -", 0),
        // A king takes.
        ("8/8/8/8/8/2NkN3/8/6K1 w - -", 2),
        // A king may not take.
        ("8/8/8/8/8/2NkN3/3P4/6K1 w - -", 1),
        // A fork by a pinned knight.
        ("3k4/8/8/3n4/8/2R1R3/3Q4/6K1 w - -", 0),
        // By a bishop pinned on its line.
        ("7k/8/5b2/4R3/3B4/2N5/8/B5K1 w - -", 1),
        // In check.
        ("6k1/8/8/3n4/8/2R1R3/8/r5K1 w - -", 0),
        // White has just moved nothing: the flip clears en passant for both.
        // No en passant after the flip.
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6", 0),
    ] {
        assert_eq!(threats(fen, &Rules::SWAP), expected, "{fen}");
    }
}

/// A pin can make a defended piece undefended, and values tell what wins.
#[test]
fn rules_and_values_decide_what_wins() {
    let fork = "6k1/8/8/3n4/3b4/2P1P3/1P3P2/6K1 w - - 0 1";
    let table = |values| Rules::new(Profile::Swap, PieceValues::new(values).unwrap());
    assert_eq!(threats(fork, &Rules::SWAP), 0);
    assert_eq!(threats(fork, &table([300, 100, 100, 500, 900])), 2);
    assert_eq!(threats(fork, &table([-1, 100, 100, 500, 900])), 0);
    // The pawn that guards c3 is pinned on g2's diagonal... by the rook on the b-file.
    let pinned = "1r4k1/8/8/3n4/8/2P5/1P6/1K6 w - - 0 1";
    assert_eq!(threats(pinned, &Rules::SWAP), 0);
    for profile in [Profile::Sf, Profile::Sf8, Profile::Legal] {
        let rules = Rules::new(profile, PieceValues::CPW);
        assert_eq!(threats(pinned, &rules), 1, "{profile}");
    }
}
