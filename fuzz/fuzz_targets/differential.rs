//! Bytes as pieces on squares. If that is a position, every legal noisy move's score, on every
//! CPU path, matches the naive oracle under any rules; every path's verdicts and bounds match
//! the scalar ones.
#![no_main]

#[path = "../../tests/common/oracle.rs"]
mod oracle;

use libfuzzer_sys::fuzz_target;
use shakmaty::{Board, Color, Piece, Role, Setup, Square};
use swaplist::{
    Batch, Bounds, Choice, CpuPath, Evaluator, PackedMove, PieceValues, Position, Rules, Sides,
    Verdict, noisy_moves, position::chess_from_setup,
};
use swaplist_files::check;

/// A piece per byte: bits 0 to 2 its type, bit 3 its colour; none if bit 4 is set, so that
/// about a third of all squares are occupied.
fn setup(pieces: &[u8]) -> Setup {
    let mut board = Board::empty();
    for (square, piece) in (0..64).zip(pieces) {
        let role = Role::try_from(u32::from(piece & 7));
        if let (Ok(role), 0) = (role, piece & 16) {
            let color = Color::from_white(piece & 8 == 0);
            board.set_piece_at(Square::new(square), Piece { color, role });
        }
    }
    Setup {
        board,
        ..Setup::empty()
    }
}

/// Every path of this machine.
fn paths_agree(position: Position, captures: &[PackedMove], rules: &Rules, expected: &[i32]) {
    let mut batch = Batch::new();
    batch.push(position, captures.iter().copied());
    let judged = rules.verdict(&position, Sides::Both);
    for path in CpuPath::ALL
        .iter()
        .copied()
        .filter(|path| path.is_available())
    {
        let evaluator = Evaluator::cpu().cpu_path(path).unwrap();
        let scores = evaluator.scores(&batch, rules);
        assert_eq!(scores, expected, "{path} {position} {rules}");
        let verdicts = evaluator.verdicts(&[position], rules, Sides::Both);
        assert_eq!(verdicts, [judged], "{path} {position} {rules}");
        for bounds in near(&judged) {
            let exceeds = evaluator.exceeds(&[position], rules, bounds);
            let expected = bounds.exceeds(&judged);
            assert_eq!(exceeds, [expected], "{path} {position} {rules} {bounds:?}");
        }
    }
}

/// Bounds at each best value and next to it.
fn near(verdict: &Verdict) -> impl Iterator<Item = Bounds> {
    let [see, threat] =
        [verdict.best(), verdict.threat()].map(|best| best.map_or(0, |best| best.see));
    (-1..=1).map(move |by| Bounds {
        see: Some(see + by),
        threat: Some(threat + by),
        double_threat: true,
    })
}

fuzz_target!(|input: ([u8; 64], [u8; 4], [i16; 5])| {
    let (pieces, [white_king, black_king, ep, option], table) = input;
    let mut setup = setup(&pieces);
    let mut kings = [(white_king, Color::White), (black_king, Color::Black)].into_iter();
    for king in setup.board.kings() {
        setup.board.discard_piece_at(king);
    }
    for (square, color) in &mut kings {
        let square = Square::new(u32::from(square) & 63);
        setup.board.set_piece_at(square, color.king());
    }
    for pawn in setup.board.pawns() & shakmaty::Bitboard::BACKRANKS {
        setup.board.discard_piece_at(pawn);
    }
    setup.turn = Color::from_white(ep & 1 == 0);
    setup.ep_square = Some(Square::from_coords(
        shakmaty::File::new(u32::from(ep) >> 1 & 7),
        setup.turn.relative_rank(shakmaty::Rank::Sixth),
    ));
    let Ok(chess) = chess_from_setup(setup) else {
        return;
    };
    let Ok(position) = Position::try_from(&chess) else {
        return;
    };

    let table = table.map(|value| i32::from(value).clamp(-30_000, 30_000));
    let all = check::candidates(PieceValues::new(table).unwrap());
    let rules = all[usize::from(option) % all.len()];
    let moves = oracle::noisy(&chess);
    let packed: Vec<_> = moves
        .iter()
        .filter_map(|&m| PackedMove::from_move(m))
        .collect();
    assert_eq!(noisy_moves(&position), packed);
    let mut scores = Vec::new();
    for (m, &capture) in moves.into_iter().zip(&packed) {
        let expected = oracle::see(&chess, m, &rules);
        scores.push(expected);
        assert_eq!(
            rules.see(&position, capture),
            expected,
            "{position} {m} {rules}"
        );
        for threshold in [expected - 1, expected, expected + 1] {
            assert_eq!(
                rules.see_ge(&position, capture, threshold),
                expected >= threshold
            );
        }
    }
    paths_agree(position, &packed, &rules, &scores);
});
