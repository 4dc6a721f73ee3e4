//! Verdicts of broken move generators and reductions.

use crate::common::{answers, boards, cases, gpu};
use swaplist::backend::{BackendError, Cpu};
use swaplist::gpu::Gpu;
use swaplist::gpu::program::SHADER;
use swaplist::{PieceValues, Position, Profile, RecapturePromotion, Rules, Sides, Verdict};

use super::{mutants, replaced};

/// Dense boards, the hand-made cases, and special boards.
fn positions() -> Vec<Position> {
    let mut positions = boards::packed(boards::dense(15).take(10_000));
    positions.extend(boards::packed(
        cases::tricky().into_iter().map(|case| case.chess),
    ));
    for fen in [
        // En passant takes both pawns off the king's rank.
        "7k/8/8/KPp4r/8/8/8/8 w - c6 0 1",
        // Both neighbours may take en passant.
        "4k3/8/8/3PpP2/8/8/8/4K3 w - e6 0 1",
        "4k3/8/8/8/3pPp2/8/8/4K3 b - e3 0 1",
        // The queen takes g1: a queen would answer, from behind her, and a rook in turn.
        "1k4r1/p2p3p/3n2rP/6QP/3pP3/b1p2PqR/2P5/5KNB b - - 0 1",
        // The pawn that gave check is taken en passant.
        "8/8/8/2k5/3Pp3/8/8/4K3 b - d3 0 1",
    ] {
        positions.extend([fen.parse::<Position>().unwrap(); 128]);
    }
    // More moves in 64 boards than a list holds, by fours and one by one.
    let crowded = [
        "1rbqqbr1/PPPPPPPP/8/K7/7k/8/pppppppp/1RBQQBR1 w - - 0 1",
        "1rbqqbr1/PPPPPPPP/2p1p3/K2p4/2P1P2k/8/8/8 w - - 0 1",
        "1rbqqbr1/PPPPPPPP/2p1p3/K2p4/2P1P2k/2N5/8/8 w - - 0 1",
    ]
    .map(|fen| fen.parse::<Position>().unwrap());
    positions.extend(crowded.into_iter().cycle().take(1500));
    positions
}

/// Equal values show the choice among equals; pins and promoting recaptures show barred
/// defenders and gains.
fn rules() -> [Rules; 4] {
    let queens = Rules {
        recapture_promotion: RecapturePromotion::Queen,
        ..Rules::SWAP
    };
    let equal = Rules::new(Profile::Swap, PieceValues::new([1; 5]).unwrap());
    [
        Rules::SWAP,
        equal,
        Rules::new(Profile::Sf8, PieceValues::CPW),
        queens,
    ]
}

/// The CPU's verdicts under each of the rules.
fn expected(positions: &[Position]) -> Vec<(Rules, Vec<Verdict>)> {
    let judge = |rules| {
        (
            rules,
            answers::verdicts(&Cpu::new(), positions, &rules, Sides::Both).unwrap(),
        )
    };
    rules().map(judge).to_vec()
}

/// How many verdicts differ under the first rules that show any; all of them, if the host
/// rejects the results.
fn differences(gpu: &Gpu, positions: &[Position], expected: &[(Rules, Vec<Verdict>)]) -> usize {
    let differing = |(rules, expected): &(Rules, Vec<Verdict>)| match answers::verdicts(
        gpu,
        positions,
        rules,
        Sides::Both,
    ) {
        Ok(judged) => judged.iter().zip(expected).filter(|(a, b)| a != b).count(),
        Err(BackendError::Wrong(_)) => positions.len(),
        Err(error) => panic!("{error}"),
    };
    let shown = expected.iter().map(differing).find(|&count| count > 0);
    shown.unwrap_or(0)
}

#[test]
fn the_shader_itself_has_no_differences() {
    let gpu = gpu::open(&gpu::patient());
    let positions = positions();
    assert_eq!(differences(&gpu, &positions, &expected(&positions)), 0);
}

#[test]
#[ignore = "compiles each mutant: `bash tests/run.sh core` runs it"]
fn wrong_verdicts_differ() {
    let test = "on_gpu::verdicts::wrong_verdicts_differ";
    let Some(mutants) = mutants(test, include_str!("verdicts.diff")) else {
        return;
    };
    let positions = positions();
    let expected = expected(&positions);
    for mutant in mutants {
        let gpu = gpu::open(&gpu::with_shader(mutant.of(SHADER)));
        let differing = differences(&gpu, &positions, &expected);
        eprintln!("{mutant}: {differing} of {} differ", positions.len());
        assert!(differing > 0, "{mutant} is not found out");
    }
}

/// Correct verdicts of an earlier batch do not hide a mistake.
#[test]
fn verdicts_written_before_do_not_count() {
    let right = "verdicts[first + lane] = verdict;";
    let wrong = "if params.values[0].y != 7 { verdicts[first + lane] = verdict; }";
    let gpu = gpu::open(&gpu::with_shader(replaced(SHADER, right, wrong)));
    let positions = positions();
    gpu::verdicts_like_cpu(&gpu, &positions, &Rules::SWAP, Sides::Both);
    let idle = Rules::new(
        Profile::Swap,
        PieceValues::new([7, 300, 300, 500, 900]).unwrap(),
    );
    let judged = answers::verdicts(&gpu, &positions, &idle, Sides::Both);
    assert!(matches!(judged, Err(BackendError::Wrong(_))), "{judged:?}");
}
