//! Every CPU path against the scalar exchange.

use shakmaty::{Chess, Position as _};
use swaplist::backend::Cpu;
use swaplist::{Batch, Choice, CpuPath, PackedMove, PieceValues, Position, Profile, Rules};
use swaplist_files::{check, suite};

use crate::common::{answers, boards, boards::Random, data};

/// The paths of this machine. That none is missing, the last test here says.
pub fn paths() -> impl Iterator<Item = CpuPath> {
    CpuPath::ALL
        .iter()
        .copied()
        .filter(|path| path.is_available())
}

pub fn cpu(path: CpuPath) -> Cpu {
    Cpu::default().with_path(path).unwrap()
}

fn scalar(batch: &Batch, rules: &Rules) -> Vec<i32> {
    let of = |(position, captures): (&Position, &[PackedMove])| {
        captures
            .iter()
            .map(|&capture| rules.see(position, capture))
            .collect::<Vec<_>>()
    };
    batch.iter().flat_map(of).collect()
}

fn assert_all_agree(batch: &Batch, rules: &Rules) {
    let expected = scalar(batch, rules);
    for path in paths() {
        let scores = answers::scores(&cpu(path), batch, rules).unwrap();
        answers::assert_scores(path.name(), rules, batch, &scores, &expected);
    }
}

pub fn tables() -> [PieceValues; 4] {
    let new = |values| PieceValues::new(values).unwrap();
    [
        PieceValues::CPW,
        PieceValues::STOCKFISH,
        new([-300, 0, 30_000, -30_000, 7]),
        new([30_000; 5]),
    ]
}

/// Every legal move of each position, quiet ones and castling too.
fn all_moves(boards: impl Iterator<Item = Chess>) -> Batch {
    let mut batch = Batch::new();
    for chess in boards {
        let moves = chess.legal_moves();
        let captures = moves.iter().map(|&m| PackedMove::from_move(m).unwrap());
        batch.push(Position::try_from(&chess).unwrap(), captures);
    }
    batch
}

#[test]
fn playouts() {
    let batch = all_moves(boards::playouts(12).take(3_000));
    for values in tables() {
        for rules in check::candidates(values) {
            assert_all_agree(&batch, &rules);
        }
    }
}

#[test]
fn dense_boards() {
    let batch = all_moves(boards::dense(13).take(2_000));
    for values in tables() {
        for rules in check::candidates(values) {
            assert_all_agree(&batch, &rules);
        }
    }
}

/// Not a position, and any 15 bits as a move: nothing panics, and the results still agree.
#[test]
fn random_bytes() {
    let mut random = Random(14);
    let mut batch = Batch::new();
    for _ in 0..4_000 {
        let captures: Vec<_> = (0..12)
            .map(|_| PackedMove::from_bits(random.next() as u16))
            .collect();
        batch.push(boards::garbage(&mut random), captures);
    }
    for rules in check::candidates(PieceValues::CPW) {
        assert_all_agree(&batch, &rules);
    }
}

#[test]
fn every_batch_size() {
    let pool = all_moves(boards::playouts(15).take(40));
    for size in 0..70 {
        let mut batch = Batch::new();
        let mut left = size;
        for (&position, captures) in pool.iter() {
            let count = left.min(captures.len());
            batch.push(position, captures[..count].iter().copied());
            left -= count;
        }
        assert_eq!(batch.len(), size);
        assert_all_agree(&batch, &Rules::SWAP);
    }
}

/// Positions without moves, with few, and with more than any buffer holds.
#[test]
fn uneven_positions() {
    let pool = all_moves(boards::playouts(16).take(3_000));
    let mut random = Random(16);
    let mut batch = Batch::new();
    for (&position, captures) in pool.iter() {
        let count = [0, 0, 1, 2, 8, 9, 16, 700, 1400][random.below(9)];
        batch.push(position, captures.iter().copied().cycle().take(count));
    }
    assert_all_agree(&batch, &Rules::SWAP);
}

fn real_data(name: &str) -> Vec<Position> {
    let text = data::text(name);
    text.lines().filter_map(|line| line.parse().ok()).collect()
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_scores_and_verdicts() {
    let mut positions = real_data("human_100k.fen");
    for name in [
        "captures_12plus",
        "double_check",
        "ep_legal",
        "ep_pseudolegal_but_illegal",
        "exchange_8plus_direct_attackers",
        "pinned_capture_illegal",
        "promotion_capture",
        "promotion_quiet",
        "queens_4plus",
        "single_check",
    ] {
        let rare = real_data(&format!("rare/{name}.fen"));
        assert!(!rare.is_empty(), "{name}");
        positions.extend(rare);
    }
    let batch = boards::batch(&positions);
    for profile in [Profile::Swap, Profile::Sf8, Profile::Sf] {
        for values in [PieceValues::CPW, PieceValues::STOCKFISH] {
            let rules = Rules::new(profile, values);
            assert_all_agree(&batch, &rules);
            super::simd_verdicts::assert_verdicts_agree(&positions, &rules);
        }
    }
}

#[test]
fn names_go_both_ways() {
    for &path in CpuPath::ALL {
        assert_eq!(path.name().parse(), Ok(path));
    }
    let error = "sse".parse::<CpuPath>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown CPU path 'sse', expected one of: scalar, simd128, avx2, avx512"
    );
}

/// What Linux says of the CPU, against what the library finds: a path that it does not find would
/// not be tested, in silence.
#[cfg(all(target_os = "linux", target_arch = "x86_64", not(unoptimized)))]
#[test]
fn every_path_of_this_machine_is_tested() {
    let info = std::fs::read_to_string("/proc/cpuinfo").unwrap();
    let flags_line = info.lines().find(|line| line.starts_with("flags"));
    let flags: Vec<_> = flags_line.unwrap().split_whitespace().collect();
    let avx512 = "avx512f avx512bw avx512cd avx512dq avx512vl avx512vbmi avx512_vbmi2 \
                  avx512_vpopcntdq gfni";
    for (path, needed) in [
        (CpuPath::Avx2, "avx2 bmi1 bmi2 abm"),
        (CpuPath::Avx512, avx512),
    ] {
        let lacked: Vec<_> = needed
            .split(' ')
            .filter(|one| !flags.contains(one))
            .collect();
        let is_tested = paths().any(|tested| tested == path);
        let reason = match &lacked[..] {
            [] => String::new(),
            lacked => format!(", the CPU lacks {}", lacked.join(", ")),
        };
        println!(
            "CPU path {path}: {}{reason}",
            if is_tested { "tested" } else { "NOT TESTED" }
        );
        assert_eq!(is_tested, lacked.is_empty(), "{path}");
    }
}

/// The suite for engines, on the vector units of this machine.
#[test]
fn the_suite_for_engines() {
    let mut batch = Batch::new();
    for line in suite::lines() {
        batch.push(line.position, [line.played]);
    }
    for values in tables() {
        for &profile in Profile::ALL {
            assert_all_agree(&batch, &Rules::new(profile, values));
        }
    }
}
