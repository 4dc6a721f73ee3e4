//! Verdicts and bounds on every CPU path against the scalar exchange.

use crate::common::{answers, boards, boards::Random, rules};
use swaplist::{Bounds, PieceValues, Position, Profile, Rules};

use super::simd::{cpu, pack, paths, tables};

pub fn assert_verdicts_agree(positions: &[Position], rules: &Rules) {
    for with_threat in [false, true] {
        let verdict = |position: &Position| rules.verdict(position, with_threat);
        let expected: Vec<_> = positions.iter().map(verdict).collect();
        for path in paths() {
            let verdicts = answers::verdicts(&cpu(path), positions, rules, with_threat).unwrap();
            for (i, position) in positions.iter().enumerate() {
                let planes = position.planes();
                assert_eq!(verdicts[i], expected[i], "{path}, {rules}, {planes:#018x?}");
            }
        }
    }
}

fn assert_bounds_agree(positions: &[Position], rules: &Rules) {
    let verdict = |position: &Position| rules.verdict(position, true);
    let expected: Vec<_> = positions.iter().map(verdict).collect();
    for (see, threat, double_threat) in [
        (Some(0), None, false),
        (Some(-1), Some(99), true),
        (None, Some(0), false),
        (None, None, true),
        (Some(i32::MIN), Some(i32::MAX), true),
        (Some(30_000), Some(i32::MIN), false),
    ] {
        let bounds = Bounds {
            see,
            threat,
            double_threat,
        };
        let expected = expected.iter().map(|verdict| bounds.exceeds(verdict));
        for path in paths() {
            let exceeds = answers::exceeds(&cpu(path), positions, rules, bounds).unwrap();
            for (i, expected) in expected.clone().enumerate() {
                let planes = positions[i].planes();
                assert_eq!(
                    exceeds[i], expected,
                    "{path}, {rules}, {bounds:?}, {planes:#018x?}"
                );
            }
        }
    }
}

#[test]
fn verdicts() {
    let mut positions = pack(boards::playouts(31).take(20_000));
    positions.extend(pack(boards::dense(31).take(20_000)));
    for values in [PieceValues::CPW, PieceValues::STOCKFISH] {
        for profile in Profile::ALL {
            assert_verdicts_agree(&positions, &Rules::new(profile, values));
            assert_bounds_agree(&positions, &Rules::new(profile, values));
        }
    }
    for rules in rules::combinations(PieceValues::new([-300, 0, 30_000, -30_000, 7]).unwrap()) {
        assert_verdicts_agree(&positions[19_000..21_000], &rules);
        assert_bounds_agree(&positions[19_000..21_000], &rules);
    }
}

/// Everything that decides whether a capture is settled without an exchange: guards, joining
/// sliders, barred pieces, and the best move so far.
#[test]
fn verdicts_at_the_edge_of_the_exchange() {
    let fens = [
        "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",          // undefended
        "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1",         // defended, alone
        "4k3/8/4p3/3p4/8/3R4/8/3QK3 w - - 0 1",       // another one behind
        "3rk3/8/8/3p4/8/8/8/3QK3 w - - 0 1",          // a guard behind the victim
        "4k2b/8/8/8/3B4/2p5/8/4K3 w - - 0 1",         // a guard behind the capturer
        "4k3/8/8/2r5/3p4/2B5/8/q3K3 w - - 0 1",       // the same, and a direct one
        "r6k/8/8/8/8/8/1p6/K7 w - - 0 1",             // a king that may capture
        "7k/8/8/4b3/8/8/1p6/K7 w - - 0 1",            // and one that may not
        "7k/8/8/8/8/q7/K7/8 w - - 0 1",               // nothing but the checker
        "8/8/8/8/1k6/8/8/Kn5r w - - 0 1",             // guarded along the rank
        "7k/8/8/8/r2Kp3/8/8/8 w - - 0 1",             // a king between guard and victim
        "3rk3/8/8/3q4/8/4N3/3R4/3RK3 w - - 0 1",      // two against one
        "3k4/8/2p5/3p4/8/8/3R4/3RK3 w - - 0 1",       // a king behind a pawn
        "8/8/3k4/3p4/8/8/3R4/3RK3 w - - 0 1",         // a king alone
        "4k3/8/8/b2p4/8/2N5/8/4K3 w - - 0 1",         // pinned
        "rn2k3/1P6/8/8/8/8/3b4/4K3 w - - 0 1",        // promotions
        "1k3q2/P6P/8/8/8/8/p6p/1R2K1R1 b - - 0 1",    // and some on both sides
        "4k3/8/8/q1pPp1r1/8/5n2/4P1P1/4K3 w - - 0 1", // several victims
    ];
    let positions: Vec<Position> = fens.iter().map(|fen| fen.parse().unwrap()).collect();
    for values in tables() {
        for rules in rules::combinations(values) {
            assert_verdicts_agree(&positions, &rules);
        }
    }
}

#[test]
fn verdicts_of_every_batch_size() {
    let positions = pack(boards::playouts(32).take(600));
    for size in (0..70).chain(250..262).chain(510..515) {
        assert_verdicts_agree(&positions[..size], &Rules::SWAP);
        assert_bounds_agree(&positions[..size], &Rules::SWAP);
    }
}

/// Full boards with both kings but otherwise random bytes have far more captures and promotions
/// than games, and must not overflow anything.
#[test]
fn verdicts_of_random_bytes() {
    let mut random = Random(33);
    let mut positions = Vec::new();
    for i in 0..8_000 {
        let mut word = || match i / 1000 % 4 {
            0 => random.next(),
            1 => random.next() & random.next(),
            2 => random.next() | random.next(),
            _ => random.next() & random.next() & random.next(),
        };
        let mut planes = [word(), word(), word(), word()];
        if i / 1000 == 4 {
            planes = [
                0x00ff_0000_0000_ff00 | planes[0] & !planes[1],
                0,
                0,
                planes[3],
            ];
        }
        let (mover, other) = (random.below(64), random.below(64));
        for plane in &mut planes[..3] {
            *plane |= 1 << mover | 1 << other;
        }
        planes[0] &= !(1 << other) | 1 << mover;
        if mover != other {
            planes[3] = planes[3] & !(1 << other) | (!planes[3] >> mover & 1) << other;
            positions.push(bytemuck::cast(planes));
        }
    }
    assert_verdicts_agree(&positions, &Rules::SWAP);
}
