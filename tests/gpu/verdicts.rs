//! Verdicts on the GPU equal the CPU's, bit for bit, for any number of positions and crowded
//! boards.

use crate::common::{answers, boards, cases, gpu, oracle};
use shakmaty::Chess;
use swaplist::gpu::program::SHADER;
use swaplist::{Choice, PackedMove, PieceValues, Position, Profile, Rules, Sides};

#[test]
fn verdicts_are_the_cpus_under_every_profile() {
    let gpu = gpu::usual();
    let mut positions = boards::packed(cases::tricky().into_iter().map(|case| case.chess));
    positions.extend(boards::packed(boards::playouts(11).take(10_000)));
    positions.extend(boards::packed(boards::dense(12).take(10_000)));
    for &profile in Profile::ALL {
        gpu::judges_like_cpu(&gpu, &positions, &Rules::new(profile, PieceValues::CPW));
    }
    // Among many equal values the smallest move must be found.
    for value in [0, 1] {
        let equal = PieceValues::new([value; 5]).unwrap();
        gpu::verdicts_like_cpu(
            &gpu,
            &positions,
            &Rules::new(Profile::Swap, equal),
            Sides::Both,
        );
    }
}

#[test]
fn any_number_of_positions() {
    let positions = boards::packed(boards::dense(13).take(400));
    let counts = [0, 1, 31, 32, 33, 63, 64, 65, 127, 128, 129, 400];
    // How work is cut depends on the number of sides alone: a kernel for each pair, so that each
    // chunk and each number of groups meets both.
    for (i, (chunk, threads)) in [(1, 1), (33, 1), (64, 3), (1 << 18, 2)]
        .into_iter()
        .enumerate()
    {
        for (j, groups) in [1, 3, 65_535].into_iter().enumerate() {
            let gpu = gpu::open(&gpu::with(|of| {
                (of.chunk, of.workers, of.max_workgroups) = (chunk, Some(threads), groups);
            }));
            // Chunks of one take long.
            let most = if chunk == 1 { 7 } else { counts.len() };
            for &count in &counts[..most] {
                let sides = [Sides::Both, Sides::ToMove][(i + j) % 2];
                gpu::verdicts_like_cpu(&gpu, &positions[..count], &Rules::SWAP, sides);
            }
        }
    }
}

#[test]
fn scores_and_verdicts_take_turns() {
    let gpu = gpu::open(&gpu::with(|of| (of.chunk, of.workers) = (100, Some(3))));
    let positions = boards::packed(boards::playouts(17).take(3000));
    let batch = boards::batch(&positions);
    for _ in 0..3 {
        gpu::equals_cpu(&gpu, &batch, &Rules::SWAP);
        gpu::judges_some_like_cpu(&gpu, &positions, &Rules::SWAP, Sides::Both);
    }
}

/// Lists far larger than the capacity: rows of promoting pawns.
#[test]
fn crowded_boards_overflow_the_lists() {
    let gpu = gpu::usual();
    let crowded = [
        "1rbqqbr1/PPPPPPPP/8/K7/7k/8/pppppppp/1RBQQBR1 w - - 0 1",
        "1rbqqbr1/PPPPPPPP/8/K7/7k/8/pppppppp/1RBQQBR1 b - - 0 1",
    ]
    .map(|fen| fen.parse::<Position>().unwrap());
    let judged = answers::verdicts(&*gpu, &crowded, &Rules::SWAP, Sides::ToMove).unwrap();
    assert!(judged[0].noisy() > 60, "8 of these fill a list");
    let positions: Vec<_> = crowded.iter().copied().cycle().take(1000).collect();
    for &profile in Profile::ALL {
        gpu::judges_like_cpu(&gpu, &positions, &Rules::new(profile, PieceValues::CPW));
    }
}

/// A shader that sums its noisy moves instead of counting them shows whether they are exactly
/// shakmaty's.
#[test]
fn noisy_moves_are_shakmatys_one_by_one() {
    let mut chess: Vec<Chess> = boards::playouts(18).take(20_000).collect();
    chess.extend(boards::dense(18).take(20_000));
    chess.extend(cases::tricky().into_iter().map(|case| case.chess));
    let positions = boards::packed(chess.iter().cloned());
    for factor in [1, 40_503, 52_711] {
        let gpu = gpu::open(&gpu::with_shader(summing(factor)));
        let judged = answers::verdicts(&gpu, &positions, &Rules::SWAP, Sides::ToMove).unwrap();
        for (chess, verdict) in chess.iter().zip(judged) {
            let captures = oracle::noisy(chess).into_iter();
            let term = |m| {
                let bits = u32::from(PackedMove::from_move(m).unwrap().to_bits()) * factor;
                1 + (bits >> 7 ^ bits) % 509
            };
            let sum: u32 = captures.map(term).sum();
            assert_eq!(verdict.noisy(), sum, "{chess:?}");
        }
    }
}

fn summing(factor: u32) -> String {
    let counts = "count(found.capturers) + MAX_PROMOTIONS * count(found.promoting)";
    assert_eq!(SHADER.matches(counts).count(), 1);
    let sums = format!(
        "
fn term(found: Target, origins: vec2<u32>, promotion: u32) -> u32 {{
    let bits = packed(0u, lowest_square(origins), found.square, promotion) * {factor}u;
    return 1u + ((bits >> 7u) ^ bits) % 509u;
}}

fn sum_of(found: Target) -> u32 {{
    var left = found;
    var sum = 0u;
    for (var i = 0u; i < MAX_SQUARES && !is_empty(left.capturers); i++) {{
        sum += term(found, left.capturers, 0u);
        left.capturers ^= lowest_bit(left.capturers);
    }}
    for (var i = 0u; i < MAX_SQUARES && !is_empty(left.promoting); i++) {{
        for (var p = KNIGHT; p <= QUEEN; p++) {{
            sum += term(found, left.promoting, p);
        }}
        left.promoting ^= lowest_bit(left.promoting);
    }}
    return sum;
}}"
    );
    SHADER.replace(counts, "sum_of(found)") + &sums
}
