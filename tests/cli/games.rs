//! Random games as text with everything that other formats can hold.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{CastlingMode, Chess, Color, EnPassantMode, Position as _};

use crate::boards::Random;
use crate::run::Folder;

/// EPD lines with the played move, score and result of each position. The seed determines the
/// length of each game.
pub fn epd(seed: u64, games: usize) -> String {
    let mut random = Random(seed);
    (0..games).map(|_| game(&mut random)).collect()
}

fn game(random: &mut Random) -> String {
    let result = ["1-0", "1/2-1/2", "0-1"][random.below(3)];
    let mut chess = Chess::default();
    let mut lines = String::new();
    for _ in 0..40 + random.below(160) {
        let moves = chess.legal_moves();
        if moves.is_empty() {
            break;
        }
        let m = moves[random.below(moves.len())];
        let fen = Fen::from_position(&chess, EnPassantMode::Legal);
        let uci = UciMove::from_move(m, CastlingMode::Standard);
        let score = (random.next() % 4001).cast_signed() - 2000;
        let line = format!("{fen} sm {uci}; ce {score}; c9 \"{result}\";\n");
        lines.push_str(&line);
        chess.play_unchecked(m);
    }
    lines
}

/// The same as `FEN | score | result`, the form in which text is written.
pub fn scored(epd: &str) -> String {
    epd.lines().map(scored_line).collect()
}

fn scored_line(line: &str) -> String {
    let (fen, rest) = line.split_once(" sm ").unwrap();
    let (_, score_and_more) = rest.split_once("ce ").unwrap();
    let (number, _) = score_and_more.split_once(';').unwrap();
    let score: i32 = number.parse().unwrap();
    let white = if fen.contains(" w ") { score } else { -score };
    let result = match rest.split('"').nth(1).unwrap() {
        "1-0" => "1.0",
        "0-1" => "0.0",
        _ => "0.5",
    };
    format!("{fen} | {white} | {result}\n")
}

/// The same after bulletformat: White moves, without castling rights and clocks.
pub fn turned(scored: &str) -> String {
    let turn = |line: &str| {
        let (fen, rest) = line.split_once(" | ").unwrap();
        let chess: Fen = fen.parse().unwrap();
        let mut setup = chess.into_setup();
        let (score_text, result_text) = rest.split_once(" | ").unwrap();
        let mut score: i32 = score_text.parse().unwrap();
        let mut result: f32 = result_text.parse().unwrap();
        if setup.turn == Color::Black {
            setup.mirror();
            (score, result) = (-score, 1.0 - result);
        }
        let placement = setup.board.to_string();
        format!("{placement} w - - 0 1 | {score} | {result:.1}\n")
    };
    scored.lines().map(turn).collect()
}

/// The data in a format, by swaplist's conversion.
pub fn write(folder: &Folder, name: &str, format: &str, epd: &str) {
    folder.write("epd", epd);
    let args = ["convert", "epd", "-o", name, "--to", format, "-q"];
    folder.run(&args).text();
    std::fs::remove_file(folder.path("epd")).unwrap();
}
