//! Annotated games, converted and read back by the crates that trainers use.

use bulletformat::{ChessBoard, DataLoader};
use sfbinpack::CompressedTrainingDataEntryReader;
use shakmaty::fen::Fen;
use shakmaty::san::San;
use shakmaty::{Chess, EnPassantMode, Position as _};
use swaplist::position::chess_from_setup;
use swaplist::{PackedMove, Position};
use viriformat::dataformat;

use crate::run::Folder;

/// A PGN game with its content: each move with White's score of the position before it, and
/// White's result.
struct Game {
    tags: &'static str,
    moves: &'static str,
    played: &'static str,
    scores: &'static [i16],
    result: i16,
}

const GAMES: [Game; 9] = [
    Game {
        tags: "",
        moves: "{ [%eval 0.2] } 1. e4 { [%eval 0.31] } e5 { [%eval 0.25,22] } 2. Nf3 $1 \
                (2. f4 { [%eval -9] }) { [%eval -0.1] } Nc6 { [%eval #5] [%clk 0:01:00] } 3. Bb5 a6 1-0",
        played: "e4 e5 Nf3 Nc6 Bb5",
        scores: &[20, 31, 25, -10, 31_995],
        result: 1,
    },
    // En passant, castling and promotions.
    Game {
        tags: "[FEN \"r3k2r/1P4pp/8/3pP3/8/8/8/R3K2R w KQkq d6 0 20\"]\n",
        moves: "{[%eval 1.00]} 20. exd6 {[%eval 2.00]} O-O {[%eval -3.00]} 21. bxa8=Q {[%eval #-2]} \
                Rxa8 {[%eval 4.00]} 22. O-O-O 1/2-1/2",
        played: "exd6 O-O bxa8=Q Rxa8 O-O-O",
        scores: &[100, 200, -300, -31_998, 400],
        result: 0,
    },
    // cutechess: the mover's scores.
    Game {
        tags: "",
        moves: "1. d4 {+0.13/22 1.2s} d5 {-0.20/20 1s} 2. c4 {+0.40/22 1s} dxc4 {+M7/9 0.1s} 0-1",
        played: "d4 d5 c4 dxc4",
        scores: &[13, 20, 40, -31_996],
        result: -1,
    },
    Game {
        tags: "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
               [FEN \"rkbqnbnr/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBNR w KQkq - 0 1\"]\n",
        moves: "{[%eval 0.2]} 1. b3 {[%eval 0.3]} b6 {[%eval 0.4]} 2. Bb2 {[%eval 0.5]} Bb7 \
                {[%eval 0.6]} 3. Ngf3 {[%eval 0.7]} Ngf6 1-0",
        played: "b3 b6 Bb2 Bb7 Ngf3 Ngf6",
        scores: &[20, 30, 40, 50, 60, 70],
        result: 1,
    },
    // TCEC: kings on e1, d1, f1 and b1, with rooks in the corners.
    Game {
        tags: "",
        moves: "e4 {d=30, sd=41, pd=Nf3, mt=9, tl=9, s=9, n=9, pv=e4, tb=0, h=8.0, ph=0.0, wv=0.30, \
                R50=50, Rd=-11, Rr=-11, mb=+0+0+0+0+0,} e5 {wv=0.28,} Bc4 {wv=-0.05,} Nc6 {wv=1.20,} Qh5 {wv=0.00,} \
                Nf6 {wv=M2,} Qxf7# {wv=M1,} 1-0",
        played: "e4 e5 Bc4 Nc6 Qh5 Nf6 Qxf7",
        scores: &[30, 28, -5, 120, 0, 31_999, 31_999],
        result: 1,
    },
    Game {
        tags: "[Variant \"fischerandom\"]\n[FEN \"r2k3r/pppppppp/8/8/8/8/PPPPPPPP/R2K3R w HAha - 0 1\"]\n",
        moves: "O-O {wv=0.11,} O-O-O {wv=-0.22,} Rae1 {wv=-0.33,} Rhe8 {wv=0.44,} 1/2-1/2",
        played: "O-O O-O-O Rae1 Rhe8",
        scores: &[11, -22, -33, 44],
        result: 0,
    },
    Game {
        tags: "[Variant \"fischerandom\"]\n[FEN \"r4k1r/pppppppp/8/8/8/8/PPPPPPPP/R4K1R w KQkq - 0 1\"]\n",
        moves: "O-O-O {wv=-M8,} O-O {wv=-M7,} h3 {wv=-12.50,} 0-1",
        played: "O-O-O O-O h3",
        scores: &[-31_996, -31_996, -1250],
        result: -1,
    },
    Game {
        tags: "[Variant \"fischerandom\"]\n[FEN \"rk5r/pppppppp/8/8/8/8/PPPPPPPP/RK5R b KQkq - 0 1\"]\n",
        moves: "O-O {wv=-0.70,} O-O-O {wv=-0.80,} a6 {wv=-0.90,} 0-1",
        played: "O-O O-O-O a6",
        scores: &[-70, -80, -90],
        result: -1,
    },
    // Rooks on the b- and g-file, which a binpack cannot express.
    Game {
        tags: "[Variant \"fischerandom\"]\n[FEN \"1r1k2r1/pppppppp/8/8/8/8/PPPPPPPP/1R1K2R1 w GBgb - 0 1\"]\n",
        moves: "O-O {wv=0.54,} O-O-O {wv=0.10,} Rfe1 {wv=0.72,} Rge8 {wv=-0.08,} 1/2-1/2",
        played: "O-O O-O-O Rfe1 Rge8",
        scores: &[54, 10, 72, -8],
        result: 0,
    },
];

/// The expected record.
struct Record {
    chess: Chess,
    position: Position,
    played: PackedMove,
    /// White's.
    score: i16,
    result: i16,
}

fn records(game: &Game) -> Vec<Record> {
    let mut chess = match game.tags.split_once("[FEN \"") {
        None => Chess::default(),
        Some((_, fen)) => {
            let fen: Fen = fen.split('"').next().unwrap().parse().unwrap();
            chess_from_setup(fen.into_setup()).unwrap()
        }
    };
    let moves = game.played.split(' ').zip(game.scores);
    let record = |(san, &score): (&str, &i16)| {
        let m = san.parse::<San>().unwrap().to_move(&chess).unwrap();
        let record = Record {
            chess: chess.clone(),
            position: Position::try_from(&chess).unwrap(),
            played: PackedMove::from_move(m).unwrap(),
            score,
            result: game.result,
        };
        chess.play_unchecked(m);
        record
    };
    moves.map(record).collect()
}

/// Without the en-passant target, for which formats have their own rules.
fn bare(position: &Position) -> [u64; 4] {
    let [a, b, c, d] = position.planes();
    [a, b, c, d & (a | b | c)]
}

fn assert_position(fen: &str, record: &Record) {
    let position: Position = fen.parse().unwrap();
    assert_eq!(bare(&position), bare(&record.position), "{fen}");
}

/// After the last score there is none.
fn convert(folder: &Folder, name: &str) {
    let convert = ["convert", "games.pgn", "-o", name, "--drop-unscored"];
    folder.run(&convert).text();
}

fn assert_binpack(folder: &Folder, records: &[Record]) {
    convert(folder, "games.binpack");
    let bytes = std::io::Cursor::new(folder.read("games.binpack"));
    let mut reader = CompressedTrainingDataEntryReader::new(bytes).unwrap();
    for record in records {
        assert!(reader.has_next());
        let entry = reader.next();
        let fen = entry.pos.fen().unwrap();
        assert_position(&fen, record);
        let theirs = (entry.mv.from().index(), entry.mv.to().index());
        let played = (record.played.from() as u32, record.played.to() as u32);
        assert_eq!(theirs, played, "{fen}");
        let of_mover = |white: i16| record.chess.turn().fold_wb(white, -white);
        assert_eq!(entry.score, of_mover(record.score), "{fen}");
        assert_eq!(entry.result, of_mover(record.result), "{fen}");
    }
    assert!(!reader.has_next());
}

fn assert_bulletformat(folder: &Folder, records: &[Record]) {
    convert(folder, "games.bf");
    let mut boards = Vec::new();
    let loader = DataLoader::new(folder.path("games.bf"), 1).unwrap();
    loader.map_positions(|board: &ChessBoard| boards.push(*board));
    assert_eq!(boards.len(), records.len());
    for (board, record) in boards.iter().zip(records) {
        let fen = Fen::from_position(&record.chess, EnPassantMode::Legal);
        let result = f32::from(record.result + 1) / 2.0;
        let line = format!("{fen} | {} | {result:.1}", record.score);
        assert_eq!(*board, line.parse().unwrap(), "{line}");
    }
}

fn assert_viriformat(folder: &Folder, records: &[Record]) {
    convert(folder, "games.viriformat");
    let file = folder.read("games.viriformat");
    let mut rest = &file[..];
    let game = dataformat::Game::deserialise_from(&mut rest, Vec::new()).unwrap();
    assert!(rest.is_empty());
    let mut expected = records.iter().zip(game.moves());
    game.visit_positions(|board, score| {
        let (record, m) = expected.next().unwrap();
        assert_position(&board.to_string(), record);
        assert_eq!(m.display(true).to_string(), record.played.to_string());
        assert_eq!(score, i32::from(record.score), "{board}");
    });
    assert!(expected.next().is_none());
    let result = match game.outcome() {
        dataformat::WDL::Win => 1,
        dataformat::WDL::Draw => 0,
        dataformat::WDL::Loss => -1,
    };
    assert_eq!(result, records[0].result);
}

#[test]
fn annotated_games_are_what_the_field_s_own_crates_read() {
    for game in &GAMES {
        let folder = Folder::new();
        let pgn = format!("\u{feff}[Event \"?\"]\n{}\n{}\n\n", game.tags, game.moves);
        folder.write("games.pgn", pgn);
        let records = records(game);
        assert_viriformat(&folder, &records);
        assert_bulletformat(&folder, &records);
        if game.tags.contains("GBgb") {
            let ran = folder.run(&["convert", "games.pgn", "-o", "no.binpack"]);
            let error =
                "binpack cannot hold the castling right of a rook that is not in the corner";
            assert!(ran.stderr.contains(error), "{}", ran.stderr);
        } else {
            assert_binpack(&folder, &records);
        }
    }
}
