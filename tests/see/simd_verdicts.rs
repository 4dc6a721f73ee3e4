//! Verdicts on every CPU path against the scalar exchange.

use swaplist::{PieceValues, Position, Rules, Sides};
use swaplist_files::check;

use super::simd::{cpu, paths, tables};
use crate::common::{answers, boards, boards::Random, rules};

pub fn assert_verdicts_agree(positions: &[Position], rules: &Rules) {
    for sides in [Sides::ToMove, Sides::Both] {
        let verdict = |position: &Position| rules.verdict(position, sides);
        let expected: Vec<_> = positions.iter().map(verdict).collect();
        for path in paths() {
            let verdicts = answers::verdicts(&cpu(path), positions, rules, sides).unwrap();
            for (i, position) in positions.iter().enumerate() {
                let planes = position.planes();
                assert_eq!(verdicts[i], expected[i], "{path}, {rules}, {planes:#018x?}");
            }
        }
    }
}

#[test]
fn verdicts() {
    let boards = boards::playouts(31).take(20_000);
    let positions = boards::packed(boards.chain(boards::dense(31).take(20_000)));
    for values in [PieceValues::CPW, PieceValues::STOCKFISH] {
        for rules in rules::profiles(values) {
            assert_verdicts_agree(&positions, &rules);
        }
    }
    for rules in check::candidates(PieceValues::new([-300, 0, 30_000, -30_000, 7]).unwrap()) {
        assert_verdicts_agree(&positions[19_000..21_000], &rules);
    }
}

/// Everything that decides whether a capture is settled without an exchange: guards, joining
/// sliders, barred pieces, and the best move so far.
#[test]
fn verdicts_at_the_edge_of_the_exchange() {
    let positions = super::bounds::edges();
    for values in tables() {
        for rules in check::candidates(values) {
            assert_verdicts_agree(&positions, &rules);
        }
    }
}

#[test]
fn verdicts_of_every_batch_size() {
    let positions = boards::packed(boards::playouts(32).take(600));
    for size in (0..70).chain(250..262).chain(510..515) {
        assert_verdicts_agree(&positions[..size], &Rules::SWAP);
    }
}

/// Full boards with both kings but otherwise random bytes have far more captures and promotions
/// than games, and must not overflow anything.
#[test]
fn verdicts_of_random_bytes() {
    let mut random = Random(33);
    let mut positions = Vec::new();
    for i in 0..8_000 {
        let mut planes = boards::garbage(&mut random).planes();
        if i % 8 == 4 {
            let pawns = 0x00ff_0000_0000_ff00 | planes[0] & !planes[1];
            planes = [pawns, 0, 0, planes[3]];
        }
        positions.push(boards::with_two_kings(planes));
    }
    assert_verdicts_agree(&positions, &Rules::SWAP);
}
