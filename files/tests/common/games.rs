//! Games played by the tests, encoded independently of the product, square by square.

use shakmaty::{
    CastlingMode, Chess, Color, EnPassantMode, File, Move, Position as _, Rank, Role, Square,
    fen::Fen,
};
use swaplist::Position;
use swaplist_files::formats::{Format, Outcome};

use super::boards::Random;

/// A position of a game, with the data of all formats.
#[derive(Clone)]
pub struct Sample {
    pub chess: Chess,
    pub played: Move,
    /// Of the side to move.
    pub score: i16,
    pub ply: u16,
    pub outcome: Outcome,
}

pub fn games(seed: u64, games: usize) -> Vec<Vec<Sample>> {
    let mut random = Random(seed);
    (0..games).map(|_| game(&mut random)).collect()
}

fn game(random: &mut Random) -> Vec<Sample> {
    let outcome = any_outcome(random);
    let length = 20 + random.below(120);
    game_from(Chess::default(), length, outcome, random)
}

pub fn any_outcome(random: &mut Random) -> Outcome {
    [Outcome::White, Outcome::Draw, Outcome::Black][random.below(3)]
}

/// A start position of Chess960.
pub fn shuffled(random: &mut Random) -> Chess {
    let mut rank = [' '; 8];
    let free = |rank: &[char; 8]| -> Vec<usize> { (0..8).filter(|&i| rank[i] == ' ').collect() };
    for colour in 0..2 {
        rank[2 * random.below(4) + colour] = 'b';
    }
    for piece in ['q', 'n', 'n'] {
        let squares = free(&rank);
        rank[squares[random.below(squares.len())]] = piece;
    }
    for (square, piece) in free(&rank).into_iter().zip(['r', 'k', 'r']) {
        rank[square] = piece;
    }
    let black: String = rank.iter().collect();
    let white = black.to_uppercase();
    let text = format!("{black}/pppppppp/8/8/8/8/PPPPPPPP/{white} w KQkq - 0 1");
    let fen: Fen = text.parse().unwrap();
    fen.into_position(CastlingMode::Chess960).unwrap()
}

/// A game of at most so many moves from a position on.
pub fn game_from(
    mut chess: Chess,
    length: usize,
    outcome: Outcome,
    random: &mut Random,
) -> Vec<Sample> {
    let first = (chess.fullmoves().get() as u16 - 1) * 2 + u16::from(chess.turn().is_black());
    let mut samples = Vec::new();
    for ply in first..first + length as u16 {
        let moves = chess.legal_moves();
        if moves.is_empty() {
            break;
        }
        // Special moves are rare in random games: half of the time one is preferred.
        let special = moves
            .iter()
            .find(|m| m.is_castle() || m.is_en_passant() || m.is_promotion());
        let played = match special {
            Some(m) if random.below(2) == 0 => *m,
            _ => moves[random.below(moves.len())],
        };
        samples.push(Sample {
            chess: chess.clone(),
            played,
            score: [0, -31_000, 32_000, 7][random.below(4)]
                + (random.next() % 700).cast_signed() as i16,
            ply,
            outcome,
        });
        chess.play_unchecked(played);
    }
    samples
}

fn white_result(outcome: Outcome) -> u8 {
    match outcome {
        Outcome::Black => 0,
        Outcome::Draw => 1,
        Outcome::White => 2,
    }
}

impl Sample {
    pub fn position(&self) -> Position {
        Position::try_from(&self.chess).unwrap()
    }

    pub fn relative_result(&self) -> i16 {
        let white = i16::from(white_result(self.outcome)) - 1;
        if self.chess.turn().is_white() {
            white
        } else {
            -white
        }
    }

    /// Of the side to move.
    fn chance(&self) -> f32 {
        1.0 / (1.0 + (f32::from(self.score) / -400.0).exp())
    }

    /// What becomes of the score as a chance of 16 bits.
    pub fn score_of_chance(&self) -> i32 {
        let chance = f64::from((self.chance() * 65535.0).floor());
        let score = -400.0 * (65535.0 / chance - 1.0).ln();
        score.clamp(-32767.0, 32767.0) as i32
    }

    fn white_score(&self) -> i16 {
        if self.chess.turn().is_white() {
            self.score
        } else {
            -self.score
        }
    }

    /// As in bulletformat: turned around if Black is to move.
    pub fn turned_position(&self) -> Position {
        if self.chess.turn().is_white() {
            return self.position().to_setup_without_ep();
        }
        let mut setup = self.chess.to_setup(EnPassantMode::Always);
        let mut board = shakmaty::Board::empty();
        for square in Square::ALL {
            if let Some(mut piece) = setup.board.piece_at(square) {
                piece.color = !piece.color;
                board.set_piece_at(square.flip_vertical(), piece);
            }
        }
        setup.board = board;
        setup.turn = Color::White;
        setup.ep_square = None;
        Position::try_from(&setup).unwrap()
    }
}

pub trait WithoutEp {
    fn to_setup_without_ep(&self) -> Position;
}

impl WithoutEp for Position {
    fn to_setup_without_ep(&self) -> Position {
        let mut setup = self.to_setup();
        setup.ep_square = None;
        Position::try_from(&setup).unwrap()
    }
}

fn kind(role: Role) -> u8 {
    role as u8 - 1
}

/// The occupied squares and the pieces' codes, square by square.
fn list(board: &shakmaty::Board, code: impl Fn(Square, Role, Color) -> u8) -> (u64, [u8; 16]) {
    let mut occupied = 0_u64;
    let mut nibbles = [0; 16];
    let mut i = 0;
    for square in Square::ALL {
        if let Some(piece) = board.piece_at(square) {
            occupied |= 1 << square as u32;
            nibbles[i / 2] |= code(square, piece.role, piece.color) << (i % 2 * 4);
            i += 1;
        }
    }
    (occupied, nibbles)
}

fn marlin_record(sample: &Sample, score: i16, result: u8) -> [u8; 32] {
    let setup = sample.chess.to_setup(EnPassantMode::Always);
    let (occupied, nibbles) = list(&setup.board, |square, role, color| {
        let unmoved = setup.castling_rights.contains(square);
        u8::from(color.is_black()) << 3 | if unmoved { 6 } else { kind(role) }
    });
    let mut record = [0; 32];
    record[..8].copy_from_slice(&occupied.to_le_bytes());
    record[8..24].copy_from_slice(&nibbles);
    let ep = setup.ep_square.map_or(64, |square| square as u8);
    record[24] = u8::from(setup.turn.is_black()) << 7 | ep;
    record[25] = setup.halfmoves as u8;
    record[26..28].copy_from_slice(&(u32::from(setup.fullmoves) as u16).to_le_bytes());
    record[28..30].copy_from_slice(&score.to_le_bytes());
    record[30] = result;
    record[31] = 0xa5;
    record
}

fn bullet_record(sample: &Sample) -> [u8; 32] {
    let setup = sample.turned_position().to_setup();
    let (occupied, nibbles) = list(&setup.board, |_, role, color| {
        u8::from(color.is_black()) << 3 | kind(role)
    });
    let mut record = [0; 32];
    record[..8].copy_from_slice(&occupied.to_le_bytes());
    record[8..24].copy_from_slice(&nibbles);
    record[24..26].copy_from_slice(&sample.score.to_le_bytes());
    record[26] = (sample.relative_result() + 1).cast_unsigned() as u8;
    record[27] = setup.board.king_of(Color::White).unwrap() as u8;
    record[28] = setup.board.king_of(Color::Black).unwrap() as u8 ^ 56;
    record[29..].copy_from_slice(&[1, 2, 3]);
    record
}

fn viri_move(m: Move) -> u16 {
    let squares = m.from().unwrap() as u16 | (m.to() as u16) << 6;
    squares
        | match (m, m.promotion()) {
            (Move::EnPassant { .. }, _) => 1 << 14,
            (Move::Castle { .. }, _) => 2 << 14,
            (_, Some(role)) => 3 << 14 | (role as u16 - 2) << 12,
            _ => 0,
        }
}

fn viriformat(games: &[Vec<Sample>]) -> Vec<u8> {
    let mut bytes = Vec::new();
    for game in games {
        bytes.extend(marlin_record(&game[0], 0, white_result(game[0].outcome)));
        for sample in game {
            bytes.extend(viri_move(sample.played).to_le_bytes());
            bytes.extend(sample.white_score().to_le_bytes());
        }
        bytes.extend([0; 4]);
    }
    bytes
}

/// A move as the reference crate has it.
pub fn binpack_move(m: Move, turn: Color) -> sfbinpack::chess::r#move::Move {
    use sfbinpack::chess::{color, coords, r#move::Move as M, piece::Piece, piecetype::PieceType};
    let square = |square: Square| coords::Square::new(square as u32);
    let from = square(m.from().unwrap());
    let to = square(m.to());
    match (m, m.promotion()) {
        (Move::EnPassant { .. }, _) => M::en_passant(from, to),
        (Move::Castle { .. }, _) => M::castle(from, to),
        (_, Some(role)) => {
            let color = if turn.is_white() {
                color::Color::White
            } else {
                color::Color::Black
            };
            M::promotion(
                from,
                to,
                Piece::new(PieceType::from_ordinal(kind(role)), color),
            )
        }
        _ => M::normal(from, to),
    }
}

/// Written by the reference crate.
fn binpack(games: &[Vec<Sample>]) -> Vec<u8> {
    let mut writer = sfbinpack::CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
    for sample in games.iter().flatten() {
        let fen = Fen::from_position(&sample.chess, EnPassantMode::Legal).to_string();
        let entry = sfbinpack::TrainingDataEntry {
            pos: sfbinpack::chess::position::Position::from_fen(&fen).unwrap(),
            mv: binpack_move(sample.played, sample.chess.turn()),
            score: sample.score,
            ply: sample.ply,
            result: sample.relative_result(),
        };
        writer.write_entry(&entry).unwrap();
    }
    writer.into_bytes().unwrap()
}

/// A string of 0 and 1, as in the format's documentation.
fn sfbin_record(sample: &Sample) -> [u8; 40] {
    let chess = &sample.chess;
    let number = |value: u32, bits: usize| -> String {
        let digits: Vec<_> = format!("{value:0bits$b}").chars().rev().collect();
        digits[..bits].iter().collect()
    };
    let mut bits = number(u32::from(chess.turn().is_black()), 1);
    for color in Color::ALL.into_iter().rev() {
        let king = chess.board().king_of(!color).unwrap();
        bits += &number(king as u32, 6);
    }
    for rank in Rank::ALL.into_iter().rev() {
        for file in File::ALL {
            bits += match chess.board().piece_at(Square::from_coords(file, rank)) {
                None => "0",
                Some(piece) if piece.role == Role::King => "",
                Some(piece) => match piece.char() {
                    'P' => "10000",
                    'p' => "10001",
                    'N' => "11000",
                    'n' => "11001",
                    'B' => "10100",
                    'b' => "10101",
                    'R' => "11100",
                    'r' => "11101",
                    'Q' => "10010",
                    _ => "10011",
                },
            };
        }
    }
    let rights = chess.castles().castling_rights();
    for rook in [Square::H1, Square::A1, Square::H8, Square::A8] {
        bits.push(if rights.contains(rook) { '1' } else { '0' });
    }
    match sample.position().ep_square() {
        None => bits.push('0'),
        Some(square) => {
            bits.push('1');
            bits += &number(square as u32, 6);
        }
    }
    let clock = chess.halfmoves();
    let moves = chess.fullmoves().get();
    bits += &number(clock & 63, 6);
    bits += &number(moves, 16);
    bits += &number(clock >> 6, 1);
    let mut record = [0; 40];
    for (i, _) in bits.chars().enumerate().filter(|(_, bit)| *bit == '1') {
        record[i / 8] |= 1 << (i % 8);
    }
    let m = sample.played;
    let mut played = m.to() as u16 | (m.from().unwrap() as u16) << 6;
    played |= match m {
        Move::EnPassant { .. } => 2 << 14,
        Move::Castle { .. } => 3 << 14,
        _ => m
            .promotion()
            .map_or(0, |role| 1 << 14 | (role as u16 - 2) << 12),
    };
    record[32..34].copy_from_slice(&sample.score.to_le_bytes());
    record[34..36].copy_from_slice(&played.to_le_bytes());
    record[36..38].copy_from_slice(&sample.ply.to_le_bytes());
    record[38] = sample.relative_result().cast_unsigned() as u8;
    record[39] = 0xa5;
    record
}

fn plain_record(sample: &Sample) -> String {
    let fen = Fen::from_position(&sample.chess, EnPassantMode::PseudoLegal);
    let played = sample.played.to_uci(CastlingMode::Standard);
    let score = sample.score;
    let ply = sample.ply;
    let result = sample.relative_result();
    format!("fen {fen}\nmove {played}\nscore {score}\nply {ply}\nresult {result}\ne\n")
}

/// Written by the reference crate, with the visits or without.
fn monty(game: &[Sample], with_visits: bool) -> Vec<u8> {
    use montyformat::chess::{Castling, Move, Position};
    use montyformat::{MontyFormat, MontyValueFormat, SearchData, SearchResult};
    let chess = &game[0].chess;
    // The crate knows where rooks stand only if their files are named.
    let rook = |square: Square| match square.rank() {
        Rank::First => square.file().upper_char(),
        _ => square.file().char(),
    };
    let rights = chess.castles().castling_rights();
    let rooks: String = rights.into_iter().map(rook).collect();
    let fen = Fen::from_position(chess, EnPassantMode::Legal).to_string();
    let mut fields: Vec<&str> = fen.split(' ').collect();
    fields[2] = &rooks;
    let mut castling = Castling::default();
    let mut position = Position::parse_fen(&fields.join(" "), &mut castling);
    let mut policy = MontyFormat::new(position, castling);
    policy.result = f32::from(white_result(game[0].outcome)) / 2.0;
    let mut moves = Vec::new();
    for sample in game {
        let played = sample.played.to_uci(CastlingMode::Chess960).to_string();
        let mut all_visits: Vec<(Move, u32)> = Vec::new();
        position.map_legal_moves(&castling, |m| all_visits.push((m, 1)));
        let found = all_visits
            .iter()
            .find(|(m, _)| m.to_uci(&castling) == played);
        let best_move = found.unwrap().0;
        let score = sample.white_score();
        moves.push(SearchResult { best_move, score });
        let visits = (sample.score % 5 > 0).then_some(all_visits);
        policy.push(SearchData::new(best_move, sample.chance(), visits));
        position.make(best_move, &castling);
    }
    let mut bytes = Vec::new();
    if with_visits {
        policy.serialise_into_buffer(&mut bytes).unwrap();
    } else {
        let value = MontyValueFormat {
            startpos: policy.startpos,
            castling,
            result: policy.result,
            moves,
        };
        value.serialise_into(&mut bytes).unwrap();
    }
    bytes
}

pub fn encoded(format: Format, games: &[Vec<Sample>]) -> Vec<u8> {
    let samples = games.iter().flatten();
    match format {
        Format::Binpack => binpack(games),
        Format::Bulletformat => samples.flat_map(bullet_record).collect(),
        Format::Marlinformat => samples
            .flat_map(|s| marlin_record(s, s.white_score(), white_result(s.outcome)))
            .collect(),
        Format::Viriformat => viriformat(games),
        Format::Montyformat => games.iter().flat_map(|game| monty(game, true)).collect(),
        Format::Montyvalue => games.iter().flat_map(|game| monty(game, false)).collect(),
        Format::Sfbin => samples.flat_map(sfbin_record).collect(),
        Format::Plain => samples.map(plain_record).collect::<String>().into_bytes(),
        other => panic!(
            "no encoder for {other:?}: add one to files/tests/common/games.rs, written from the \
             description of the format and not from the library"
        ),
    }
}
