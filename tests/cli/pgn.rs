//! TCEC and Chess960 games through the command, read back by reference crates.

use std::io::Cursor;

use sfbinpack::{CompressedTrainingDataEntryReader, TrainingDataEntry};
use shakmaty::san::San;
use shakmaty::{Chess, Position as _, fen::Fen};
use swaplist::position::chess_from_setup;
use swaplist::{Capture, Position};
use viriformat::dataformat::{Filter, Game};

use super::run::Folder;

/// The FEN, the result of White, and the moves with TCEC's score and that of the mover.
type Sample = (
    &'static str,
    i16,
    &'static [(&'static str, &'static str, i16)],
);

/// Kings on e1, d1, f1 and b1; the latter castle to both sides, with rooks in the corners.
const CORNERS: [Sample; 4] = [
    (
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        1,
        &[
            ("e4", "0.30", 30),
            ("e5", "0.28", -28),
            ("Bc4", "-0.05", -5),
            ("Nc6", "1.20", -120),
            ("Qh5", "0.00", 0),
            ("Nf6", "M2", -31_999),
            ("Qxf7#", "M1", 31_999),
        ],
    ),
    (
        "r2k3r/pppppppp/8/8/8/8/PPPPPPPP/R2K3R w HAha - 0 1",
        0,
        &[
            ("O-O", "0.11", 11),
            ("O-O-O", "-0.22", 22),
            ("Rae1", "-0.33", -33),
            ("Rhe8", "0.44", -44),
        ],
    ),
    (
        "r4k1r/pppppppp/8/8/8/8/PPPPPPPP/R4K1R w KQkq - 0 1",
        -1,
        &[
            ("O-O-O", "-M8", -31_996),
            ("O-O", "-M7", 31_996),
            ("h3", "-12.50", -1250),
        ],
    ),
    (
        "rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R b KQkq - 0 1",
        -1,
        &[
            ("O-O", "-0.70", 70),
            ("O-O-O", "-0.80", -80),
            ("a6", "-0.90", 90),
        ],
    ),
];

/// Rooks on the b- and g-file, which a binpack cannot express.
const INNER: Sample = (
    "1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1",
    0,
    &[
        ("O-O", "0.54", 54),
        ("O-O-O", "0.10", -10),
        ("Rfe1", "0.72", 72),
        ("Rge8", "-0.08", 8),
    ],
);

fn pgn(samples: &[Sample]) -> String {
    let game = |(fen, result, moves): &Sample| {
        let result = match result {
            ..0 => "0-1",
            0 => "1/2-1/2",
            1.. => "1-0",
        };
        let moves = moves.iter().map(|(san, wv, _)| {
            format!(
                "{san} {{d=30, sd=41, pd=Nf3, mt=9, tl=9, s=9, n=9, pv={san}, tb=0, h=8.0, ph=0.0, \
                 wv={wv}, R50=50, Rd=-11, Rr=-11, mb=+0+0+0+0+0,}}\n"
            )
        });
        let moves: String = moves.collect();
        format!(
            "[Event \"TCEC Season 16 - FRC\"]\n[Result \"{result}\"]\n[FEN \"{fen}\"]\n\
             [Variant \"fischerandom\"]\n\n{moves}{result}\n\n"
        )
    };
    // As some programs begin files.
    "\u{feff}".to_owned() + &samples.iter().map(game).collect::<String>()
}

/// The expected record.
struct Held {
    position: Position,
    played: Capture,
    score: i16,
    /// White's.
    result: i16,
    turn: shakmaty::Color,
}

fn held(samples: &[Sample]) -> Vec<Held> {
    let mut held = Vec::new();
    for sample in samples {
        let fen: Fen = sample.0.parse().unwrap();
        let mut chess: Chess = chess_from_setup(fen.into_setup()).unwrap();
        for &(san, _, score) in sample.2 {
            let san: San = san.trim_end_matches('#').parse().unwrap();
            let m = san.to_move(&chess).unwrap();
            held.push(Held {
                position: Position::try_from(&chess).unwrap(),
                played: Capture::from_move(m).unwrap(),
                score,
                result: sample.1,
                turn: chess.turn(),
            });
            chess = chess.play(m).unwrap();
        }
    }
    held
}

/// Without the en-passant target, for which formats have their own rules.
fn bare(position: &Position) -> [u64; 4] {
    let [a, b, c, d] = position.planes();
    [a, b, c, d & (a | b | c)]
}

fn of_fen(fen: &str) -> Position {
    fen.parse().unwrap()
}

fn converted(folder: &Folder, to: &str) -> Vec<u8> {
    let ran = folder.run(&["convert", "in.pgn", "-o", "out", "--to", to, "--force"]);
    assert_eq!(ran.status, Some(0), "{to}: {}", ran.stderr);
    folder.read("out")
}

fn assert_binpack(file: Vec<u8>, held: &[Held]) {
    let mut reader = CompressedTrainingDataEntryReader::new(Cursor::new(file)).unwrap();
    for expected in held {
        assert!(reader.has_next());
        let entry: TrainingDataEntry = reader.next();
        let fen = entry.pos.fen().unwrap();
        assert_eq!(bare(&of_fen(&fen)), bare(&expected.position), "{fen}");
        let played = (expected.played.from() as u32, expected.played.to() as u32);
        let theirs = (entry.mv.from().index(), entry.mv.to().index());
        assert_eq!(theirs, played, "{fen}");
        let result = expected.turn.fold_wb(expected.result, -expected.result);
        assert_eq!(
            (entry.score, entry.result),
            (expected.score, result),
            "{fen}"
        );
    }
    assert!(!reader.has_next());
}

/// The crate's games, and its bulletformat boards made from them.
fn assert_viriformat(file: &[u8], bullet: &[u8], held: &[Held]) {
    let (mut rest, mut expected) = (file, held.iter());
    let mut boards = bullet.chunks_exact(32);
    while !rest.is_empty() {
        let game = Game::deserialise_from(&mut rest, Vec::new()).unwrap();
        let moves: Vec<_> = game.moves().collect();
        let mut i = 0;
        game.visit_positions(|board, score| {
            let expected = expected.next().unwrap();
            let fen = board.to_string();
            assert_eq!(bare(&of_fen(&fen)), bare(&expected.position), "{fen}");
            assert_eq!(
                moves[i].display(true).to_string(),
                expected.played.to_string()
            );
            let white = expected.turn.fold_wb(expected.score, -expected.score);
            assert_eq!(score, i32::from(white), "{fen}");
            i += 1;
        });
        let splat = game.splat_to_bulletformat(
            |board| {
                let ours = boards.next().unwrap();
                assert_eq!(ours[..8], board.occ.to_le_bytes());
                assert_eq!(ours[8..24], board.pcs);
                assert_eq!(ours[24..26], board.score.to_le_bytes());
                let rest = [board.result, board.ksq, board.opp_ksq, 0, 0, 0];
                assert_eq!(ours[26..], rest);
                Ok(())
            },
            &Filter::UNRESTRICTED,
        );
        splat.unwrap();
    }
    assert!(expected.next().is_none() && boards.next().is_none());
}

#[test]
fn games_of_tcec_and_chess960_are_what_the_field_s_crates_read_back() {
    let folder = Folder::new();
    for samples in [&CORNERS[..], &[INNER]] {
        folder.write("in.pgn", pgn(samples));
        let held = held(samples);
        let bullet = converted(&folder, "bulletformat");
        assert_viriformat(&converted(&folder, "viriformat"), &bullet, &held);
        if samples.len() > 1 {
            assert_binpack(converted(&folder, "binpack"), &held);
        }
    }
    let ran = folder.run(&["convert", "in.pgn", "-o", "inner.binpack"]);
    assert_eq!(ran.status, Some(2));
    let expected = "binpack cannot hold the castling right of a rook that is not in the corner";
    assert!(ran.stderr.contains(expected), "{}", ran.stderr);
}

#[test]
fn results_that_contradict_each_other_are_reported() {
    let folder = Folder::new();
    let game = "[Event \"a\"]\n[Result \"0-1\"]\n\n1. e4 {+0.10/9 1s} 1-0\n\n";
    let sound = game.replace("0-1", "1-0");
    folder.write("in.pgn", game.repeat(3) + &sound);
    folder.write("sound.pgn", sound);
    let line = "results     3 games whose tag contradicts the movetext, taken from the movetext";
    let convert = ["convert", "in.pgn", "-o", "out.fen", "--force"];
    for args in [
        &convert[..],
        &["count", "in.pgn"],
        &["validate", "in.pgn"],
        &[
            "filter", "in.pgn", "-o", "out.fen", "--force", "--preset", "none",
        ],
    ] {
        let ran = folder.run(args);
        let said = ran.stderr.clone() + &String::from_utf8_lossy(&ran.stdout);
        assert!(said.contains(line), "{args:?}: {said}");
        let json = folder.run(&[args, &["--json", "-q"]].concat());
        let text = match &*json.stdout {
            b"" => json.stderr.as_bytes(),
            stdout => stdout,
        };
        let json: serde_json::Value = serde_json::from_slice(text).unwrap();
        assert_eq!(json["contradicted_results"], 3, "{args:?}");
    }
    folder.run(&convert).text();
    let text = String::from_utf8(folder.read("out.fen")).unwrap();
    assert_eq!(text.matches("| 10 | 1.0\n").count(), 4, "{text}");
    let one = folder.run(&["convert", "sound.pgn", "-o", "sound.fen"]);
    assert!(!one.stderr.contains("contradicts"), "{}", one.stderr);
}

/// The records before a fault stay; a comment may be of any length.
#[test]
fn faulty_games_are_named_and_passed_over() {
    let folder = Folder::new();
    let game = |moves: &str| format!("[White \"Ann\"]\n[Black \"Bo\"]\n\n{moves}\n\n");
    let long = format!("1. d4 {{{}}} d5 *", "x".repeat(2 << 20));
    let games = ["1. e4 *", "1. e4 e5 2. Ke3 Nf6 1-0", &long, "1. c4 1-0"].map(game);
    folder.write("in.pgn", games.concat());
    let ran = folder.run(&["count", "in.pgn"]);
    let fault =
        "in.pgn, game 2: [White \"Ann\"] [Black \"Bo\"] illegal move 'Ke3' in the position ";
    assert!(ran.error().starts_with(fault), "{}", ran.stderr);
    let hint = "; --skip-invalid skips the rest of such games";
    assert!(ran.error().ends_with(hint), "{}", ran.stderr);
    let ran = folder.run(&["count", "in.pgn", "--skip-invalid"]);
    for line in [
        "positions   4\n",
        "games       3\n",
        "game 2: [White \"Ann\"] [Black \"Bo\"] illegal",
        "game 3: longer than 1048576 bytes\n",
    ] {
        let text = String::from_utf8_lossy(&ran.stdout);
        assert!(text.contains(line), "{line} in {text}");
    }
}

/// As tablebase wins are written.
#[test]
fn scores_beyond_all_pawns_are_clamped_and_counted() {
    let folder = Folder::new();
    folder.write(
        "in.pgn",
        "[Event \"a\"]\n\n1. e4 {+319.99/9 1s} e5 {d=9, wv=987.04, R50=9} 2. d4 {+0.10/9 1s} 1-0\n",
    );
    let ran = folder.run(&["convert", "in.pgn", "-o", "out.fen"]);
    let line = "clamped     2 large scores, clamped to 309.99 pawns, below mates\n";
    assert!(ran.stderr.contains(line), "{}", ran.stderr);
    let text = String::from_utf8(folder.read("out.fen")).unwrap();
    let scores = text.lines().map(|line| line.split(" | ").nth(1).unwrap());
    assert!(scores.eq(["30999", "30999", "10"]), "{text}");
    let json = folder.run(&["count", "in.pgn", "--json"]);
    let json: serde_json::Value = serde_json::from_slice(&json.stdout).unwrap();
    assert_eq!(
        (&json["clamped_scores"], &json["scored"]),
        (&2.into(), &3.into())
    );
}

#[test]
fn text_names_moves_in_any_writing() {
    let scores = |moves: &str| {
        let line = format!("r3k2r/8/8/8/8/8/8/R3K2R w KQkq - 0 1;{moves}\n");
        Folder::new()
            .run_with(&["score"], line.as_bytes())
            .text()
            .to_owned()
    };
    let san = scores("O-O O-O-O Ke2 Rb1 Rxa8+");
    assert_eq!(scores("0-0 0-0-0 e1-e2 Ra1-b1 a1a8"), san);
}

/// Lichess' evaluations have the best line's first move.
#[test]
fn jsonl_becomes_plain_with_moves_and_is_filtered_by_them() {
    let folder = Folder::new();
    let line = |fen: &str, first: &str| {
        format!(
            "{{\"fen\":\"{fen}\",\"evals\":[{{\"pvs\":[{{\"cp\":5,\"line\":\"{first} a1a2\"}}]}}]}}\n"
        )
    };
    let (kings, castling) = ("8/8/4k3/8/8/4K3/8/8 w - -", "4k3/8/8/8/8/8/8/3K3R w K -");
    folder.write(
        "in.jsonl",
        "\u{feff}".to_owned() + &line(kings, "e3e4") + &line(castling, "d1h1"),
    );
    folder
        .run(&["convert", "in.jsonl", "-o", "out.plain"])
        .text();
    let plain = String::from_utf8(folder.read("out.plain")).unwrap();
    let moves: Vec<_> = plain
        .lines()
        .filter(|line| line.starts_with("move"))
        .collect();
    assert_eq!(moves, ["move e3e4", "move d1g1"]);
    folder.write("none.jsonl", line(kings, "e3e8"));
    folder
        .run(&["convert", "none.jsonl", "-o", "none.plain"])
        .text();
    assert!(
        !folder
            .read("none.plain")
            .windows(4)
            .any(|line| line == b"move")
    );
}
