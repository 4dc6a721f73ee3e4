//! Exceeded bounds, on every CPU path, compared with the scalar verdict: bounds at and next to
//! every value.

use crate::common::boards::{self, Random};
use crate::common::rules;
use shakmaty::Chess;
use std::collections::BTreeSet;
use swaplist::{
    Bounds, Evaluator, PieceValues, Position, RecapturePromotion, Rules, Sides, Verdict,
};

use super::simd::paths;

fn assert_agree(positions: &[Position], verdicts: &[Verdict], rules: &Rules, bounds: Bounds) {
    for path in paths() {
        let evaluator = Evaluator::cpu().callers(1).cpu_path(path).unwrap();
        let exceeds = evaluator.exceeds(positions, rules, bounds);
        for (i, verdict) in verdicts.iter().enumerate() {
            assert_eq!(
                exceeds[i],
                bounds.exceeds(verdict),
                "{path}, {rules}, {bounds:?}, {:#018x?}",
                positions[i].planes()
            );
        }
    }
}

/// Both sides' bounds at each best value, one below and one above.
fn assert_all_bounds_agree(positions: &[Position], rules: &Rules) {
    let verdict = |position: &Position| rules.verdict(position, Sides::Both);
    let verdicts: Vec<_> = positions.iter().map(verdict).collect();
    let best = verdicts
        .iter()
        .flat_map(|v| [v.best(), v.threat()])
        .flatten();
    let values: BTreeSet<i32> = best.map(|best| best.see).collect();
    assert!(!values.is_empty(), "nothing can be exceeds anything");
    let beside = values
        .iter()
        .flat_map(|&value| [value - 1, value, value + 1]);
    let all: BTreeSet<i32> = beside.chain([-1, 0, 1, i32::MIN, i32::MAX]).collect();
    for bound in all {
        let bounds = rules::bounds(Some(bound), Some(bound), true);
        assert_agree(positions, &verdicts, rules, bounds);
    }
}

/// Rules that differ in what may happen on one square.
fn some_rules(values: PieceValues) -> Vec<Rules> {
    let profiles = rules::profiles(values);
    let queens = profiles.map(|rules| Rules {
        recapture_promotion: RecapturePromotion::Queen,
        ..rules
    });
    [profiles, queens].concat()
}

fn tables() -> [PieceValues; 7] {
    let new = |values| PieceValues::new(values).unwrap();
    [
        PieceValues::CPW,
        PieceValues::STOCKFISH,
        new([100, 300, 50, 700, 400]), // bishops below pawns, queens below rooks
        new([900, 300, 300, 500, 100]), // to promote is to lose
        new([-300, 0, 30_000, -30_000, 7]),
        new([-5, -4, -3, -2, -1]),
        new([30_000; 5]),
    ]
}

/// A position for each reason that decides without an exchange, and for each that prevents it.
pub fn edges() -> Vec<Position> {
    let fens = [
        "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",          // undefended
        "4k3/8/2p5/3p4/8/4N3/8/4K3 w - - 0 1",        // defended, alone
        "4k3/8/2p5/3p4/8/4N3/6B1/4K3 w - - 0 1",      // another one, a slider
        "4k3/8/2p5/3p4/5N2/4N3/8/4K3 w - - 0 1",      // two knights
        "4k3/8/2p5/3p4/2P1P3/8/8/4K3 w - - 0 1",      // two pawns
        "4k3/8/2p5/3p4/3K4/4N3/8/8 w - - 0 1",        // a king to go on with
        "2k5/8/2n5/3n4/8/4N3/8/4K3 w - - 0 1",        // defended by nobody but a king's own piece
        "8/8/3k4/3p4/8/4N3/8/4K3 w - - 0 1",          // by a king alone
        "8/8/3k4/3p4/8/4N3/6B1/4K3 w - - 0 1",        // by a king that may not
        "3rk3/8/8/3n4/8/3R4/3R4/4K3 w - - 0 1",       // a rook behind a rook
        "3rk3/8/8/3p4/8/3Q4/3R4/4K3 w - - 0 1",       // a rook behind a queen
        "4k3/1b6/8/3n4/4P3/5B2/8/4K3 w - - 0 1",      // a bishop behind a pawn
        "B3k3/1p6/2p5/8/8/8/8/4K2R w - - 0 1",        // a bishop behind their pawns
        "4k3/8/1b6/2n5/1P6/B7/8/4K3 w - - 0 1",       // behind a pawn, down the board
        "3r1k2/3R4/8/8/3n4/8/4N3/4K3 w - - 0 1",      // their rook and ours on one file
        "3R4/3r3k/8/3n4/8/4N3/8/4K3 w - - 0 1",       // ours behind theirs
        "3R4/3r3k/3r4/3n4/8/4N3/8/4K3 w - - 0 1",     // ours behind two of theirs
        "B3k3/1b6/2b5/3n4/8/4N3/8/4K3 w - - 0 1",     // the same on a diagonal
        "B3k3/1q6/2p5/3n4/8/4N3/8/4K3 w - - 0 1",     // behind a queen and a pawn
        "4k2b/8/8/8/3B4/2p5/8/4K3 w - - 0 1",         // a guard behind the capturer
        "3r2k1/8/8/3R4/8/8/3p4/K7 w - - 0 1",         // the same on a file
        "4k3/8/8/8/q1R1p3/8/8/4K3 w - - 0 1",         // and along a rank
        "4r1k1/8/8/3p4/4P3/8/8/4K3 w - - 0 1",        // a capturer that is pinned
        "6k1/8/8/8/1b1p4/2P5/8/4K3 w - - 0 1",        // diagonally
        "6k1/8/8/8/1b6/2B5/1p6/4K3 w - - 0 1",        // that may take nothing
        "4k3/8/8/b2p4/8/2N5/8/4K3 w - - 0 1",         // a knight
        "4k2r/8/8/3p4/4P3/8/8/7K w - - 0 1",          // in check
        "r6k/8/8/8/8/8/1p6/K7 w - - 0 1",             // a king that may capture
        "7k/8/8/4b3/8/8/1p6/K7 w - - 0 1",            // one that may not
        "7k/8/8/8/8/p7/1p6/K7 w - - 0 1",             // nor beside a pawn
        "8/8/8/8/8/2k5/1n6/K7 w - - 0 1",             // nor beside a king
        "8/8/8/8/3n4/8/1n6/K6k w - - 0 1",            // nor where a knight guards
        "7k/8/8/8/r2Kp3/8/8/8 w - - 0 1",             // a king between guard and victim
        "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1",       // a guard that is pinned
        "4k3/4q3/8/2p5/8/4R1N1/8/B3Q2K w - - 0 1",    // by two on one line
        "4k3/4b3/8/2p5/8/1N6/8/4R2K w - - 0 1",       // and stays so
        "4k3/4b3/8/2p5/8/1N6/4R3/4R2K w - - 0 1",     // by two rooks
        "2k5/2b5/8/3p4/8/4N3/8/2R4K w - - 0 1",       // a guard that is pinned aside
        "k7/8/2n5/3p4/4B1N1/8/4K3/8 w - - 0 1",       // on the capturer's line
        "4k3/8/8/8/8/8/1pp5/rN2K3 b - - 0 1",         // recaptured on the last rank
        "4k3/8/8/8/8/2N5/p7/1n2K3 w - - 0 1",         // and by a pawn
        "4k3/8/8/8/8/2N5/p2N4/1n2K3 w - - 0 1",       // once more
        "1n2k3/P7/2N5/8/8/8/8/4K3 w - - 0 1",         // and on theirs
        "4k3/8/8/8/8/2n5/2P5/1R2K3 b - - 0 1",        // near ours
        "4k3/8/8/8/2n5/8/2P5/1R1RK3 b - - 0 1",       // nothing there
        "4k3/8/8/8/8/p7/1P6/b1R1K3 w - - 0 1",        // a pawn beside the corner
        "rn2k3/1P6/8/8/8/8/3b4/4K3 w - - 0 1",        // promotions
        "2kr4/2p5/8/8/8/8/2p5/2KR4 w - - 0 1",        // a pawn about to, that helps
        "1k3q2/P6P/8/8/8/8/p6p/1R2K1R1 b - - 0 1",    // and some on both sides
        "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1",          // en passant
        "4k3/8/8/K2pP2r/8/8/8/8 w - d6 0 1",          // that would expose the king
        "4k3/8/8/q1pPp1r1/8/5n2/4P1P1/4K3 w - - 0 1", // several victims
        "3r2k1/8/8/3q4/8/2N5/3R4/3R2K1 w - - 0 1",    // more than one bound's worth
        "4k3/8/8/4r3/8/8/4q3/4RK2 w - - 0 1",         // in check by what may be taken
        "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1",         // defended, alone
        "4k3/8/4p3/3p4/8/3R4/8/3QK3 w - - 0 1",       // another one behind
        "3rk3/8/8/3p4/8/8/8/3QK3 w - - 0 1",          // a guard behind the victim
        "4k3/8/8/2r5/3p4/2B5/8/q3K3 w - - 0 1",       // the same, and a direct one
        "7k/8/8/8/8/q7/K7/8 w - - 0 1",               // nothing but the checker
        "8/8/8/8/1k6/8/8/Kn5r w - - 0 1",             // guarded along the rank
        "3rk3/8/8/3q4/8/4N3/3R4/3RK3 w - - 0 1",      // two against one
        "3k4/8/2p5/3p4/8/8/3R4/3RK3 w - - 0 1",       // a king behind a pawn
        "8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1",         // a king alone
    ];
    fens.iter().map(|fen| fen.parse().expect(fen)).collect()
}

#[test]
fn at_the_edge_of_what_decides_at_once() {
    let positions = edges();
    for values in tables() {
        for rules in some_rules(values) {
            assert_all_bounds_agree(&positions, &rules);
        }
    }
}

/// Every kind of coincidence, in games and on crowded boards.
#[test]
fn of_random_boards() {
    let boards = boards::playouts(41)
        .take(2_000)
        .chain(boards::dense(42).take(2_000))
        .chain(boards::piled(43).take(1_000));
    let positions = boards::packed(boards);
    for (i, values) in tables().into_iter().enumerate() {
        for (j, rules) in some_rules(values).into_iter().enumerate() {
            let start = (8 * i + j) * 100 % 4_000;
            assert_all_bounds_agree(&positions[start..start + 1_000], &rules);
        }
    }
}

/// Many boards with few pieces, where each one matters, at few bounds.
#[test]
fn of_sparse_boards() {
    let sparse = |chess: &Chess| shakmaty::Position::board(chess).occupied().count() < 12;
    let positions = boards::packed(boards::dense(44).filter(sparse).take(30_000));
    for rules in some_rules(PieceValues::CPW) {
        let verdict = |position: &Position| rules.verdict(position, Sides::Both);
        let verdicts: Vec<_> = positions.iter().map(verdict).collect();
        for bound in [-1, 0, 99, 100, 224, 324, 400] {
            let bounds = rules::bounds(Some(bound), Some(bound), true);
            assert_agree(&positions, &verdicts, &rules, bounds);
        }
    }
}

/// Not positions, but with one king per side, or any number.
#[test]
fn of_random_bytes() {
    let mut random = Random(45);
    let mut positions = Vec::new();
    for i in 0..6_000 {
        let position = boards::garbage(&mut random);
        positions.push(match i % 3 {
            0 => position,
            _ => boards::with_two_kings(position.planes()),
        });
    }
    for rules in some_rules(PieceValues::CPW) {
        let verdict = |position: &Position| rules.verdict(position, Sides::Both);
        let verdicts: Vec<_> = positions.iter().map(verdict).collect();
        for bound in [i32::MIN, -1, 0, 400, i32::MAX] {
            for threat in [None, Some(bound)] {
                let bounds = rules::bounds(Some(bound), threat, true);
                assert_agree(&positions, &verdicts, &rules, bounds);
            }
        }
    }
}

/// Around the sizes of registers, blocks and stretches, with either bound missing.
#[test]
fn of_every_batch_size() {
    let positions = boards::packed(boards::playouts(46).take(9_000));
    let verdict = |position: &Position| Rules::SWAP.verdict(position, Sides::Both);
    let verdicts: Vec<_> = positions.iter().map(verdict).collect();
    let sizes = (0..70)
        .chain(250..262)
        .chain([1023, 4095, 4096, 4097, 4103, 8191, 8192, 9000]);
    for size in sizes {
        for (see, threat, double_threat) in [
            (Some(0), None, false),
            (None, Some(0), false),
            (Some(0), Some(0), true),
            (None, None, true),
            (None, None, false),
        ] {
            let bounds = rules::bounds(see, threat, double_threat);
            assert_agree(&positions[..size], &verdicts[..size], &Rules::SWAP, bounds);
        }
    }
}
