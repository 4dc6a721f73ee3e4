//! One suite for every backend: the hand-made cases and the naive oracle, bit for bit, under
//! all rules. To add a backend, add a line at the end.

use std::sync::OnceLock;

use shakmaty::Chess;
use swaplist::backend::{Backend, Cpu};
use swaplist::{
    Batch, CpuPath, EnPassant, FirstPromotion, PackedMove, PieceValues, Pins, Position, Profile,
    RecapturePromotion, Rules, Sides,
};
use swaplist_files::{check, suite};

#[cfg(feature = "gpu")]
use crate::common;
use crate::common::verdicts::Judgement;
use crate::common::{answers, boards, cases, oracle, rules};

/// Positions with all their noisy moves, and the oracle's values.
struct Known {
    batch: Batch,
    expected: Vec<(Rules, Vec<i32>)>,
}

impl Known {
    fn new(positions: impl Iterator<Item = Chess>, rules: &[Rules]) -> Known {
        let mut batch = Batch::new();
        let mut expected: Vec<_> = rules.iter().map(|rules| (*rules, Vec::new())).collect();
        for chess in positions {
            let moves = oracle::noisy(&chess);
            for (rules, values) in &mut expected {
                values.extend(moves.iter().map(|&m| oracle::see(&chess, m, rules)));
            }
            let captures = moves.iter().map(|&m| PackedMove::from_move(m).unwrap());
            batch.push(Position::try_from(&chess).unwrap(), captures);
        }
        Known { batch, expected }
    }

    fn check(&self, backend: &dyn Backend, at_least: usize) {
        assert!(self.batch.len() >= at_least, "{} moves", self.batch.len());
        for (rules, expected) in &self.expected {
            let scores = answers::scores(backend, &self.batch, rules).unwrap();
            answers::assert_scores(&backend.name(), rules, &self.batch, &scores, expected);
        }
        let values = self.batch.len() * self.expected.len();
        eprintln!("{}: {values} values equal the oracle's", backend.name());
    }
}

fn tricky_cases(backend: &dyn Backend) {
    for case in cases::tricky() {
        let mut batch = Batch::new();
        let capture = PackedMove::from_move(case.mv).unwrap();
        batch.push(Position::try_from(&case.chess).unwrap(), [capture]);
        for rules in rules::profiles(case.values) {
            let expected = case.expected(rules.profile().unwrap());
            let scores = answers::scores(backend, &batch, &rules).unwrap();
            assert_eq!(scores, [expected], "{} {rules}", case.name);
        }
    }
}

/// The suite for engines, all lines at a time, under its four profiles.
fn see_suite(backend: &dyn Backend) {
    let lines = suite::lines();
    let mut batch = Batch::new();
    for line in &lines {
        batch.push(line.position, [line.played]);
    }
    for values in [PieceValues::CPW, PieceValues::STOCKFISH] {
        for rules in rules::profiles(values) {
            let profile = rules.profile().unwrap();
            let expected: Vec<i32> = lines
                .iter()
                .map(|line| line.sums[profile as usize].at(&values))
                .collect();
            let scores = answers::scores(backend, &batch, &rules).unwrap();
            answers::assert_scores(&backend.name(), &rules, &batch, &scores, &expected);
        }
    }
}

fn playouts(backend: &dyn Backend) {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let known = || {
        Known::new(
            boards::playouts(11).take(50_000),
            &rules::profiles(PieceValues::CPW),
        )
    };
    KNOWN.get_or_init(known).check(backend, 150_000);
}

fn dense_boards(backend: &dyn Backend) {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let rules = rules::profiles(PieceValues::STOCKFISH);
    let known = || Known::new(boards::dense(11).take(40_000), &rules);
    KNOWN.get_or_init(known).check(backend, 50_000);
}

fn every_combination_of_rules(backend: &dyn Backend) {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let known = || {
        let hand_made = cases::tricky().into_iter().map(|case| case.chess);
        let positions = hand_made.chain(boards::dense(12).take(2000));
        Known::new(positions, &check::candidates(PieceValues::CLASSICAL))
    };
    KNOWN.get_or_init(known).check(backend, 4000);
}

fn odd_values(backend: &dyn Backend) {
    static KNOWN: OnceLock<Known> = OnceLock::new();
    let known = || {
        let tables = [
            [0; 5],
            [-100, -325, -325, -500, -1000],
            [30_000, -30_000, 30_000, -30_000, 30_000],
            [900, 500, 300, 300, 100],
        ];
        let rules: Vec<_> = tables
            .into_iter()
            .flat_map(|table| rules::profiles(PieceValues::new(table).unwrap()))
            .collect();
        Known::new(boards::dense(13).take(5000), &rules)
    };
    KNOWN.get_or_init(known).check(backend, 9000);
}

fn nothing_to_score(backend: &dyn Backend) {
    let mut batch = Batch::new();
    assert!(
        answers::scores(backend, &batch, &Rules::SWAP)
            .unwrap()
            .is_empty()
    );
    for _ in 0..100 {
        batch.push("4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap(), []);
    }
    assert!(
        answers::scores(backend, &batch, &Rules::SWAP)
            .unwrap()
            .is_empty()
    );
}

fn verdicts_on_tricky_cases(backend: &dyn Backend) {
    static JUDGED: OnceLock<Judgement> = OnceLock::new();
    let judged = || {
        let positions = cases::tricky().into_iter().map(|case| case.chess);
        Judgement::new(positions, &check::candidates(PieceValues::CLASSICAL))
    };
    JUDGED.get_or_init(judged).check_with_threat(backend);
}

/// Twelve combinations, the profiles among them, in which each two values of two options meet: a GPU
/// compiles a large kernel for each. Scores have them all.
#[cfg_attr(not(feature = "gpu"), allow(dead_code))]
fn verdicts_under_some_rules(backend: &dyn Backend) {
    let positions = cases::tricky().into_iter().map(|case| case.chess);
    let mut rules = check::candidates(PieceValues::CLASSICAL);
    rules.retain(|rules| {
        let pins = rules.pins;
        let promotion = rules.first_promotion;
        let zero = (pins == Pins::Sf8) != (promotion != FirstPromotion::Full);
        let queen = matches!(pins, Pins::Sf8 | Pins::Legal) != (promotion == FirstPromotion::Pawn);
        zero == (rules.en_passant == EnPassant::Zero)
            && queen == (rules.recapture_promotion == RecapturePromotion::Queen)
    });
    assert_eq!(rules.len(), 12);
    Judgement::new(positions, &rules).check_with_threat(backend);
}

fn verdicts_on_playouts(backend: &dyn Backend) {
    static JUDGED: OnceLock<Judgement> = OnceLock::new();
    let rules = rules::profiles(PieceValues::CPW);
    let judged = || Judgement::new(boards::playouts(15).take(8000), &rules);
    JUDGED.get_or_init(judged).check(backend);
}

fn verdicts_on_dense_boards(backend: &dyn Backend) {
    static JUDGED: OnceLock<Judgement> = OnceLock::new();
    let mut rules = rules::profiles(PieceValues::STOCKFISH).to_vec();
    // Many equal values, of which the smallest move is the best; and only losses.
    rules.push(Rules::new(Profile::Swap, PieceValues::new([1; 5]).unwrap()));
    rules.push(Rules::new(
        Profile::Swap,
        PieceValues::new([-1, -3, -3, -5, -9]).unwrap(),
    ));
    let judged = || Judgement::new(boards::dense(16).take(5000), &rules);
    JUDGED.get_or_init(judged).check(backend);
}

fn nothing_to_judge(backend: &dyn Backend) {
    assert!(
        answers::verdicts(backend, &[], &Rules::SWAP, Sides::Both)
            .unwrap()
            .is_empty()
    );
    let bare: Position = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().unwrap();
    for verdict in answers::verdicts(backend, &[bare; 100], &Rules::SWAP, Sides::Both).unwrap() {
        assert_eq!(verdict, swaplist::Verdict::default());
    }
}

fn on(path: CpuPath) -> Cpu {
    Cpu::new().with_path(path).unwrap()
}

/// Runs the whole suite, or some of its tests, on a backend.
macro_rules! backend_suite {
    ($name:ident, $backend:expr) => {
        backend_suite!($name, $backend; tricky_cases, see_suite, playouts, dense_boards,
            every_combination_of_rules, odd_values, nothing_to_score,
            verdicts_on_tricky_cases, verdicts_on_playouts, verdicts_on_dense_boards,
            nothing_to_judge);
    };
    ($name:ident, $backend:expr; $($test:ident),+) => {
        mod $name {
            use super::*;
            backend_suite!(@tests $backend; $($test),+);
        }
    };
    (@tests $backend:expr; $($test:ident),+) => {
        $(
            #[test]
            fn $test() {
                super::$test($backend);
            }
        )+
    };
}

backend_suite!(cpu, &Cpu::new());
backend_suite!(cpu_scalar, &on(CpuPath::Scalar));
#[cfg(feature = "rayon")]
backend_suite!(cpu_with_3_threads, &Cpu::with_threads(3).unwrap());
backend_suite!(cpu_on_calling_thread, &Cpu::new().on_calling_thread());
#[cfg(feature = "gpu")]
backend_suite!(
    on_gpu,
    &*common::gpu::usual();
    tricky_cases, see_suite, playouts, dense_boards, every_combination_of_rules, odd_values,
    nothing_to_score, verdicts_under_some_rules, verdicts_on_playouts,
    verdicts_on_dense_boards, nothing_to_judge
);
