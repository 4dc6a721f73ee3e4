//! Annotated games, converted and read back by the crates that trainers use.

use bulletformat::{ChessBoard, DataLoader};
use sfbinpack::{CompressedTrainingDataEntryReader, TrainingDataEntry};
use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};

use crate::run::Folder;

/// A PGN game with its content: each move with White's score of the position before it, and
/// White's result as bullet writes it.
struct Game {
    tags: &'static str,
    moves: &'static str,
    played: &'static str,
    scores: &'static [i16],
    result: &'static str,
}

const GAMES: [Game; 4] = [
    Game {
        tags: "",
        moves: "{ [%eval 0.2] } 1. e4 { [%eval 0.31] } e5 { [%eval 0.25,22] } 2. Nf3 $1 \
                (2. f4 { [%eval -9] }) { [%eval -0.1] } Nc6 { [%eval #5] [%clk 0:01:00] } 3. Bb5 a6 1-0",
        played: "e2e4 e7e5 g1f3 b8c6 f1b5",
        scores: &[20, 31, 25, -10, 31_995],
        result: "1.0",
    },
    // En passant, castling and promotions.
    Game {
        tags: "[FEN \"r3k2r/1P4pp/8/3pP3/8/8/8/R3K2R w KQkq d6 0 20\"]\n",
        moves: "{[%eval 1.00]} 20. exd6 {[%eval 2.00]} O-O {[%eval -3.00]} 21. bxa8=Q {[%eval #-2]} \
                Rxa8 {[%eval 4.00]} 22. O-O-O 1/2-1/2",
        played: "e5d6 e8g8 b7a8q f8a8 e1c1",
        scores: &[100, 200, -300, -31_998, 400],
        result: "0.5",
    },
    // cutechess: the mover's scores.
    Game {
        tags: "",
        moves: "1. d4 {+0.13/22 1.2s} d5 {-0.20/20 1s} 2. c4 {+0.40/22 1s} dxc4 {+M7/9 0.1s} 0-1",
        played: "d2d4 d7d5 c2c4 d5c4",
        scores: &[13, 20, 40, -31_996],
        result: "0.0",
    },
    Game {
        tags: "[Variant \"Chess960\"]\n[SetUp \"1\"]\n\
               [FEN \"rkbqnbnr/pppppppp/8/8/8/8/PPPPPPPP/RKBQNBNR w KQkq - 0 1\"]\n",
        moves: "{[%eval 0.2]} 1. b3 {[%eval 0.3]} b6 {[%eval 0.4]} 2. Bb2 {[%eval 0.5]} Bb7 \
                {[%eval 0.6]} 3. Ngf3 {[%eval 0.7]} Ngf6 1-0",
        played: "b2b3 b7b6 c1b2 c8b7 g1f3 g8f6",
        scores: &[20, 30, 40, 50, 60, 70],
        result: "1.0",
    },
];

/// The positions of a game with the moves played in them.
fn positions(game: &Game) -> Vec<(Chess, &'static str)> {
    let fen = game.tags.split_once("[FEN \"");
    let fen = fen.map_or(
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        |(_, rest)| rest.split('"').next().unwrap(),
    );
    let setup = fen.parse::<Fen>().unwrap().into_setup();
    let mode = CastlingMode::detect(&setup);
    let mut chess: Chess = Fen::try_from(setup).unwrap().into_position(mode).unwrap();
    let mut positions = Vec::new();
    for uci in game.played.split(' ') {
        let m = uci.parse::<UciMove>().unwrap().to_move(&chess).unwrap();
        positions.push((chess.clone(), uci));
        chess.play_unchecked(m);
    }
    positions
}

fn pgn(game: &Game) -> String {
    format!("[Event \"?\"]\n{}\n{}\n\n", game.tags, game.moves)
}

fn binpack(folder: &Folder) -> Vec<TrainingDataEntry> {
    let bytes = std::io::Cursor::new(folder.read("games.binpack"));
    let mut reader = CompressedTrainingDataEntryReader::new(bytes).unwrap();
    let mut entries = Vec::new();
    while reader.has_next() {
        entries.push(reader.next());
    }
    entries
}

fn boards(folder: &Folder) -> Vec<ChessBoard> {
    let mut boards = Vec::new();
    let loader = DataLoader::new(folder.path("games.bf"), 1).unwrap();
    loader.map_positions(|board: &ChessBoard| boards.push(*board));
    boards
}

#[test]
fn annotated_games_are_what_the_field_s_own_crates_read() {
    for game in &GAMES {
        let folder = Folder::new();
        folder.write("games.pgn", pgn(game));
        for to in ["games.binpack", "games.bf"] {
            // After the last score there is none.
            let args = ["convert", "games.pgn", "-o", to, "--drop-unscored"];
            folder.run(&args).text();
        }
        let (entries, boards, positions) = (binpack(&folder), boards(&folder), positions(game));
        let scored = game.scores.len();
        assert_eq!([entries.len(), boards.len()], [scored; 2], "{}", game.moves);
        for (i, (chess, played)) in positions.iter().take(scored).enumerate() {
            let (turn, score) = (chess.turn(), game.scores[i]);
            let fen = Fen::from_position(chess, EnPassantMode::Legal).to_string();
            let board: ChessBoard = format!("{fen} | {score} | {}", game.result)
                .parse()
                .unwrap();
            assert_eq!(boards[i], board, "{fen}");
            let entry = &entries[i];
            assert_eq!(entry.pos.fen().unwrap(), fen);
            assert_eq!(entry.mv.as_uci(), *played);
            assert_eq!(entry.score, turn.fold_wb(score, -score), "{fen}");
            let white = match game.result {
                "1.0" => 1,
                "0.5" => 0,
                _ => -1,
            };
            assert_eq!(entry.result, turn.fold_wb(white, -white), "{fen}");
        }
    }
}
