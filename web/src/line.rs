//! Reads a position, and perhaps a move on it, from what people paste.

use shakmaty::fen::Fen;
use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;
use shakmaty::{
    Board, Castles, CastlingMode, Chess, Color, EnPassantMode, File, FromSetup, Move,
    Position as _, PositionErrorKinds, Rank, Setup, Square, attacks,
};
use swaplist::position::chess_from_setup;
use swaplist::{Position, PositionError};

use crate::{Answer, Failure};

pub const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

const QUOTES: &[char] = &['"', '\'', '`', '“', '”', '‘', '’'];
const SINGLE: &[char] = &['\'', '`', '‘', '’'];

/// Operations of EPD that name a move, the best first.
const NAMING: &[&str] = &["bm", "pm", "sm", "pv", "am"];

/// A position with what else was said about it.
pub struct Line {
    /// With as many fields as were given, and at least four.
    pub fen: String,
    pub setup: Setup,
    /// The move, as written.
    pub named: Option<String>,
    /// What was understood in another way than it was written.
    pub notes: Vec<String>,
}

impl Line {
    /// Reads a FEN, an EPD, a command `position`, each also in quotes; with moves after it.
    pub fn read(text: &str) -> Answer<Line> {
        let text = unwrapped(text);
        let head = operations(&text).next().unwrap_or("");
        let starts = usize::from(head.starts_with("startpos"));
        let spaced = unjoined(&head.replacen("startpos", START, starts));
        let mut words: Vec<&str> = spaced.split_whitespace().collect();
        let mut notes = Vec::new();
        let mut fields = fields(&mut words, &mut notes)?;
        let mut setup = setup(&fields)?;
        let mode = CastlingMode::detect(&setup);
        if let Err(error) = Position::try_from(&setup) {
            let failure = Failure::of_board(&setup, &advice(&error, &setup));
            return Err(match error {
                PositionError::OppositeCheck => failure.at(&format!("{} ", fields[0]), &fields[1]),
                _ => failure,
            });
        }
        drop_impossible(&mut setup, mode, &mut fields, &mut notes);
        let mut line = Line {
            fen: fields.join(" "),
            setup,
            named: None,
            notes,
        };
        if words.first() == Some(&"moves") {
            line.play(&words[1..])?;
        } else {
            let is_epd = text.contains(';');
            let rest = words.join(" ") + &text[head.len()..];
            let named = operations(&rest).filter_map(|one| line.operation(one.trim(), is_epd));
            line.named = named.min_by_key(|&(rank, _)| rank).map(|(_, named)| named);
        }
        Ok(line)
    }

    /// The move that a part of EPD after the FEN names, or a move alone; the least rank is best.
    fn operation(&mut self, text: &str, is_epd: bool) -> Option<(usize, String)> {
        let (name, rest) = text.split_once(char::is_whitespace).unwrap_or((text, ""));
        let operand = rest.split_whitespace().next();
        let is_comment = rest.starts_with('"');
        let naming = NAMING.iter().position(|&one| one == name);
        let (word, rank, left_out) = match (operand, naming) {
            (Some(operand), Some(naming)) => (operand, naming + 1, ""),
            (Some(_), None) if is_epd && is_opcode(name) && (is_comment || !is_move(name)) => {
                return None;
            }
            _ if is_move(name) => (name, 0, rest),
            _ => ("", 0, text),
        };
        if !left_out.is_empty() {
            self.notes.push(format!("Left out: {}", quoted(left_out)));
        }
        let named = word.trim_matches([',', '.', '"']).to_owned();
        (!named.is_empty()).then_some((rank, named))
    }

    fn play(&mut self, moves: &[&str]) -> Answer<()> {
        let mut chess = chess_from_setup(self.setup.clone())?;
        let mut played = 0;
        for text in moves {
            let Some(found) = find(&chess, text) else {
                self.notes.push(format!(
                    "{} is not legal after {}: the rest is left out",
                    quoted(text),
                    moves_played(played)
                ));
                break;
            };
            chess.play_unchecked(found);
            played += 1;
        }
        if played > 0 {
            let fen = Fen::from_position(&chess, EnPassantMode::PseudoLegal);
            self.fen = fen.to_string();
            self.setup = fen.into_setup();
            self.notes.push(format!(
                "This is the position after {}",
                moves_played(played)
            ));
        }
        Ok(())
    }
}

/// The parts between semicolons, but not those in strings, if all strings end.
fn operations(text: &str) -> impl Iterator<Item = &str> {
    let has_strings = text.matches('"').count().is_multiple_of(2);
    let mut is_string = false;
    text.split(move |letter| {
        is_string ^= letter == '"' && has_strings;
        letter == ';' && !is_string
    })
}

fn moves_played(moves: u32) -> String {
    format!("{moves} {}", if moves == 1 { "move" } else { "moves" })
}

/// A legal move in UCI or SAN.
pub fn find(chess: &Chess, text: &str) -> Option<Move> {
    let of_uci = UciMove::from_ascii(text.as_bytes())
        .ok()
        .and_then(|uci| uci.to_move(chess).ok());
    of_uci.or_else(|| {
        let san = SanPlus::from_ascii(text.as_bytes()).ok()?;
        san.san.to_move(chess).ok()
    })
}

fn is_move(word: &str) -> bool {
    let word = word.trim_matches([',', '.']);
    UciMove::from_ascii(word.as_bytes()).is_ok()
        || SanPlus::from_ascii(word.as_bytes()).is_ok()
        || word.starts_with("0-0")
}

/// Of an EPD; another number is not.
fn is_opcode(word: &str) -> bool {
    word.starts_with(|letter: char| letter.is_ascii_alphabetic())
        && word.bytes().all(|byte| byte.is_ascii_alphanumeric())
}

/// Without quotes and words such as `position fen` around it.
fn unwrapped(text: &str) -> String {
    let mut text = text.trim().trim_start_matches('[');
    while let Some(name) = text.split([' ', '\t', ':', '=']).next()
        && ["position", "fen", "epd"]
            .iter()
            .any(|one| name.eq_ignore_ascii_case(one))
    {
        text = text[name.len()..].trim_start_matches([' ', '\t', ':', '=']);
    }
    let Some(after_quote) = text.strip_prefix(QUOTES) else {
        return text.to_owned();
    };
    // As programs and tables write quotes in strings.
    let content = after_quote.replace("\\\"", "\"").replace("\"\"", "\"");
    let (inner, after) = match closing(&content, text.starts_with(SINGLE)) {
        Some(at) => content.split_at(at),
        None => (content.trim_end_matches(QUOTES), ""),
    };
    // After a closing quote, a move may follow, also in quotes.
    let spaced = after.replace(QUOTES, " ").replace([',', ']', ')'], " ");
    let rest = spaced.trim().trim_matches(';');
    if rest.is_empty() {
        inner.trim().to_owned()
    } else {
        format!("{} {rest}", inner.trim())
    }
}

/// Where the quotes around a text end. In EPD, one after a blank begins a string.
fn closing(text: &str, is_single: bool) -> Option<usize> {
    let is_epd = text.contains(';');
    let mut depth = 1;
    let mut before = ' ';
    let closes = |(_, letter): &(usize, char)| {
        if QUOTES.contains(letter) && SINGLE.contains(letter) == is_single {
            depth += if is_epd && before == ' ' { 1 } else { -1 };
        }
        before = *letter;
        depth == 0
    };
    let (at, _) = text.char_indices().find(closes)?;
    Some(at)
}

/// With blanks for the underscores of links.
fn unjoined(text: &str) -> String {
    let word = text.split_whitespace().next().unwrap_or("");
    if word.contains('_') {
        text.replacen(word, &word.replace('_', " "), 1)
    } else {
        text.to_owned()
    }
}

/// Takes the fields of a FEN from the words; those that lack are as usual.
fn fields(words: &mut Vec<&str>, notes: &mut Vec<String>) -> Answer<Vec<String>> {
    let mut rest = words.iter().copied().peekable();
    let board = rest.next().unwrap_or("").replace('~', "");
    check_board(&board)?;
    let mut fields = vec![board.clone()];
    let turn = rest.next_if(|word| !is_move(word));
    let side = match turn.map(str::to_ascii_lowercase).as_deref() {
        Some("w" | "white") => Some("w"),
        Some("b" | "black") => Some("b"),
        Some(_) => {
            let side = turn.unwrap_or("");
            let reason = format!("Side to move: {} is not one; write w or b", quoted(side));
            return Err(Failure::of("fen", reason).at(&format!("{} ", fields[0]), side));
        }
        None => None,
    };
    let castling = |word: &str| format!("{board} w {word}").parse::<Fen>().is_ok();
    let passing = |word: &str| word == "-" || matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8']);
    let mut optional = |name: &str, how: &str, is_one: &dyn Fn(&str) -> bool| {
        let is_other = |word: &str| {
            is_move(word) || NAMING.contains(&word) || word == "moves" || word.len() > 5
        };
        let word = rest.next_if(|word| is_one(word) || !is_other(word))?;
        if is_one(word) {
            return Some(word.to_owned());
        }
        notes.push(format!(
            "{name} {} is left out: write {how}, or -",
            quoted(word)
        ));
        Some("-".to_owned())
    };
    let rights = side.and_then(|_| optional("Castling", "letters of KQkq", &castling));
    let ep = rights
        .as_ref()
        .and_then(|_| optional("En passant", "a square", &passing));
    let lacking = match (side, &rights, &ep) {
        (None, ..) => "White to move, no castling and no en passant",
        (_, None, _) => "no castling and no en passant",
        (.., None) => "no en passant",
        _ => "",
    };
    if !lacking.is_empty() {
        notes.push(format!("The FEN does not say: {lacking} assumed"));
    }
    fields.push(side.unwrap_or("w").to_owned());
    fields.push(rights.unwrap_or_else(|| "-".to_owned()));
    fields.push(ep.unwrap_or_else(|| "-".to_owned()));
    let is_number = |word: &&str| word.len() < 7 && word.bytes().all(|byte| byte.is_ascii_digit());
    for _ in 0..2 {
        fields.extend(rest.next_if(is_number).map(str::to_owned));
    }
    *words = rest.collect();
    Ok(fields)
}

fn check_board(board: &str) -> Answer<()> {
    let wrong =
        |at: usize, part: &str, words| Err(Failure::of("fen", words).at(&board[..at], part));
    if board.is_empty() {
        let words = "No position: paste a FEN here, or press Start position in the editor";
        return wrong(0, "", words.to_owned());
    }
    if !board.contains('/') {
        let form = "it begins with eight ranks, such as 4k3/8/8/3p4/4P3/8/8/4K3";
        return wrong(0, board, format!("{} is not a FEN: {form}", quoted(board)));
    }
    let ranks: Vec<&str> = board.split('/').collect();
    if ranks.len() != 8 {
        let many = ranks.len();
        let words = format!("Board: {many} ranks, but there are 8, with a / between them");
        return wrong(0, board, words);
    }
    let mut start = 0;
    for (rank, text) in (1..=8).rev().zip(ranks) {
        let mut squares = 0;
        for (at, letter) in text.char_indices() {
            squares += match letter {
                '1'..='8' => letter as usize - '0' as usize,
                _ if "pnbrqkPNBRQK".contains(letter) => 1,
                _ => {
                    let letter = letter.to_string();
                    let words = format!(
                        "Board: {} on rank {rank} is not a piece; write KQRBNP, kqrbnp or 1 to 8",
                        quoted(&letter)
                    );
                    return wrong(start + at, &letter, words);
                }
            };
        }
        if squares != 8 {
            let words = format!(
                "Board: rank {rank}, {}, has {squares} squares, but there are 8",
                quoted(text)
            );
            return wrong(start, text, words);
        }
        start += text.len() + 1;
    }
    Ok(())
}

fn setup(fields: &[String]) -> Answer<Setup> {
    Fen::from_ascii(fields.join(" ").as_bytes())
        .map(Fen::into_setup)
        .map_err(|error| Failure::of("fen", error))
}

/// What is wrong with a position, and what to do.
fn advice(error: &PositionError, setup: &Setup) -> String {
    let name = |color: Color| color.fold_wb("White", "Black");
    match error {
        PositionError::KingCount { color, kings: 0 } => {
            format!("Board: {} has no king; put one on the board", name(*color))
        }
        PositionError::KingCount { color, kings } => {
            format!("Board: {} has {kings} kings; leave one", name(*color))
        }
        PositionError::PawnOnBackRank(square) => {
            format!("Board: a pawn on {square}, where none can stand; move or remove it")
        }
        PositionError::OppositeCheck => format!(
            "Side to move: {} is in check, but it is {}'s turn; change the side, or the check",
            name(!setup.turn),
            name(setup.turn)
        ),
        PositionError::TooManyPieces(pieces) => {
            format!("Board: {pieces} pieces, but 32 at most; remove some")
        }
        _ => format!("Board: {error}"),
    }
}

/// Drops castling rights and an en-passant square that cannot be, with a note.
fn drop_impossible(
    setup: &mut Setup,
    mode: CastlingMode,
    fields: &mut [String],
    notes: &mut Vec<String>,
) {
    let Err(error) = Chess::from_setup(setup.clone(), mode) else {
        return;
    };
    if error
        .kinds()
        .contains(PositionErrorKinds::INVALID_CASTLING_RIGHTS)
    {
        let (Ok(castles) | Err(castles)) = Castles::from_setup(setup, mode);
        let kept = castles.castling_rights();
        for rook in setup.castling_rights & !kept {
            notes.push(format!(
                "Castling with a rook on {rook} is left out: king and rook are not in place"
            ));
        }
        setup.castling_rights = kept;
        fields[2] = rights(setup);
    }
    if error
        .kinds()
        .contains(PositionErrorKinds::INVALID_EP_SQUARE)
        && let Some(square) = setup.ep_square.take()
    {
        notes.push(format!(
            "En passant on {square} is left out: no pawn has just passed there"
        ));
        "-".clone_into(&mut fields[3]);
    }
}

/// The castling field.
fn rights(setup: &Setup) -> String {
    let fen = fen_of(setup.clone());
    fen.split(' ').nth(2).unwrap_or("-").to_owned()
}

pub fn fen_of(setup: Setup) -> String {
    match Fen::try_from_setup(setup) {
        Ok(fen) => fen.to_string(),
        Err(lossy) => lossy.ignore().to_string(),
    }
}

/// King and rook of the usual castling: White's, then Black's, on the king's side first.
pub const CASTLING: [[Square; 2]; 4] = [
    [Square::E1, Square::H1],
    [Square::E1, Square::A1],
    [Square::E8, Square::H8],
    [Square::E8, Square::A8],
];

/// What an editor changes.
#[derive(Default)]
pub struct Change {
    pub board: Option<Board>,
    pub turn: Option<Color>,
    /// A rook, and whether it has the right to castle.
    pub castle: Option<(Square, bool)>,
    /// Another en-passant square, or none.
    #[allow(clippy::option_option)] // no change is not the same as no square
    pub passing: Option<Option<Square>>,
}

/// The setup with a change: the rest stays as far as it fits.
pub fn edited(text: &str, change: Change) -> String {
    let mut words: Vec<&str> = text.split_whitespace().collect();
    let before = fields(&mut words, &mut Vec::new())
        .and_then(|fields| setup(&fields))
        .unwrap_or_else(|_| Setup::empty());
    let mut after = before.clone();
    after.board = change.board.unwrap_or_else(|| before.board.clone());
    after.turn = change.turn.unwrap_or(before.turn);
    let stays = |square: Square| {
        after.board.piece_at(square).is_some()
            && after.board.piece_at(square) == before.board.piece_at(square)
    };
    let kept = |rook: Square| {
        let color = Color::from_white(rook.rank() == Rank::First);
        stays(rook) && before.board.king_of(color).is_some_and(stays)
    };
    let rooks = before.castling_rights.into_iter();
    after.castling_rights = rooks.filter(|&rook| kept(rook)).collect();
    if let Some((rook, has)) = change.castle {
        after.castling_rights.set(rook, has);
    }
    if let Some(square) = change.passing {
        after.ep_square = square;
    }
    let mode = CastlingMode::detect(&after);
    let cannot_pass = |error: shakmaty::PositionError<Chess>| {
        error
            .kinds()
            .contains(PositionErrorKinds::INVALID_EP_SQUARE)
    };
    if after.turn != before.turn || Chess::from_setup(after.clone(), mode).is_err_and(cannot_pass) {
        after.ep_square = None;
    }
    fen_of(after)
}

/// The squares that a pawn may just have passed, where a pawn of the side to move can capture it.
pub fn passing(setup: &Setup) -> Vec<Square> {
    let rank = setup.turn.fold_wb(Rank::Sixth, Rank::Third);
    let files = File::ALL.into_iter();
    let squares = files.map(|file| Square::from_coords(file, rank));
    let can = |&square: &Square| {
        let own = setup.turn.pawn();
        let capturers = attacks::pawn_attacks(!setup.turn, square) & setup.board.by_piece(own);
        let mut with = setup.clone();
        with.ep_square = Some(square);
        let mode = CastlingMode::detect(&with);
        let is_wrong = Chess::from_setup(with, mode).is_err_and(|error| {
            error
                .kinds()
                .contains(PositionErrorKinds::INVALID_EP_SQUARE)
        });
        capturers.any() && !is_wrong
    };
    squares.filter(can).collect()
}

/// A part of what was written, for a message.
fn quoted(text: &str) -> String {
    let start: String = text
        .chars()
        .filter(|letter| !letter.is_control())
        .take(40)
        .collect();
    let more = if text.chars().count() > 40 { "…" } else { "" };
    format!("‘{start}{more}’")
}
