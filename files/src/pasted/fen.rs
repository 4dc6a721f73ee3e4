//! A position from the fields of a FEN: fewer than usual, or some that cannot be.

use core::ops::Range;

use shakmaty::fen::Fen;
use shakmaty::{Castles, CastlingMode, Chess, Color, FromSetup, PositionErrorKinds, Setup};
use swaplist::{Position, PositionError};

use super::moves::is_move;
use super::{NAMING, Refusal, shown};

/// How far from a board its fields are, and words that name the side to move, in bytes.
const NEAR: usize = 300;

/// A position, and what was said about it.
#[derive(Clone, Debug)]
pub(super) struct Found {
    /// With as many fields as were given, and at least four.
    pub fen: String,
    pub setup: Setup,
    /// The part of the text.
    pub part: Range<usize>,
    /// What was understood in another way than it was written.
    pub notes: Vec<String>,
}

/// The position of a board in a text, with the fields that follow it.
pub(super) fn read(text: &str, board: Range<usize>) -> Result<Found, Refusal> {
    if let Some(pocket) = pocket(&text[board.end..]) {
        let message = "Board: pieces in hand, as in crazyhouse; only standard chess is read";
        return Err(Refusal {
            at: Some(board.end..board.end + pocket),
            ..Refusal::new(message)
        });
    }
    let mut fields = Fields::new(text, &board);
    let turn = fields.turn(text)?;
    let rights = turn.and_then(|_| {
        fields.optional(
            "Castling",
            "letters of KQkq",
            |word| format!("8/8/8/8/8/8/8/8 w {word}").parse::<Fen>().is_ok(),
            is_passing,
        )
    });
    let ep = rights
        .as_ref()
        .and_then(|_| fields.optional("En passant", "a square", is_passing, is_clock));
    let lacking = match (turn, &rights, &ep) {
        (None, ..) => " to move, no castling and no en passant",
        (_, None, _) => "no castling and no en passant",
        (.., None) => "no en passant",
        _ => "",
    };
    let color = turn.unwrap_or_else(|| side_said(text, &board).unwrap_or(Color::White));
    if !lacking.is_empty() {
        let side = if turn.is_some() { "" } else { name(color) };
        let note = format!("The FEN does not say: {side}{lacking} assumed");
        fields.notes.push(note);
    }
    let place = text[board.clone()].replace('~', "");
    let mut words = vec![
        place,
        color.char().to_string(),
        rights.unwrap_or_else(|| "-".to_owned()),
        ep.unwrap_or_else(|| "-".to_owned()),
    ];
    for _ in 0..2 {
        words.extend(fields.next_if(is_clock).map(str::to_owned));
    }
    let (fen, setup) = checked(&mut words, &mut fields.notes).map_err(|refusal| Refusal {
        at: fields.turn_at.clone().filter(|_| refusal.is_of_turn),
        ..refusal
    })?;
    Ok(Found {
        fen,
        setup,
        part: board.start..fields.end,
        notes: fields.notes,
    })
}

/// The length of the pieces in hand after a board, `[Qn]` or a ninth rank `/Qn`.
fn pocket(after: &str) -> Option<usize> {
    let (inside, end) = match after.as_bytes() {
        [b'[', inside @ ..] => (inside, &b"]"[..]),
        [b'/', inside @ ..] => (inside, &b" "[..]),
        _ => return None,
    };
    let pieces = inside
        .iter()
        .take_while(|byte| b"pnbrqPNBRQ".contains(byte))
        .count();
    let is_pocket = inside[pieces..].starts_with(end) && (pieces > 0 || end == b"]");
    is_pocket.then_some(1 + pieces)
}

/// The position of these fields, without what cannot be.
fn checked(words: &mut [String], notes: &mut Vec<String>) -> Result<(String, Setup), Refusal> {
    let mut setup = Fen::from_ascii(words.join(" ").as_bytes())
        .map_err(|error| Refusal::new(error.to_string()))?
        .into_setup();
    let mode = CastlingMode::detect(&setup);
    if let Err(error) = Position::try_from(&setup) {
        return Err(Refusal {
            is_of_turn: matches!(error, PositionError::OppositeCheck),
            board: Some(Box::new(setup.clone())),
            ..Refusal::new(advice(&error, &setup))
        });
    }
    drop_impossible(&mut setup, mode, words, notes);
    Ok((words.join(" "), setup))
}

/// A position that is drawn, with the side to move.
pub(super) fn from_drawn(
    board: &shakmaty::Board,
    turn: Option<Color>,
    part: Range<usize>,
) -> Result<Found, Refusal> {
    let color = turn.unwrap_or(Color::White);
    let mut words = [&board.to_string(), &color.char().to_string(), "-", "-"].map(str::to_owned);
    let side = if turn.is_some() {
        String::new()
    } else {
        format!("{} to move, ", name(color))
    };
    let mut notes = vec![format!(
        "A board does not say: {side}no castling and no en passant assumed"
    )];
    let (fen, setup) = checked(&mut words, &mut notes)?;
    Ok(Found {
        fen,
        setup,
        part,
        notes,
    })
}

/// The fields after a board, which the same sign separates: a blank, or `_` or `+` in addresses.
struct Fields<'a> {
    text: &'a str,
    /// The end of the last field.
    end: usize,
    separator: char,
    turn_at: Option<Range<usize>>,
    notes: Vec<String>,
}

impl<'a> Fields<'a> {
    fn new(text: &'a str, board: &Range<usize>) -> Fields<'a> {
        let after = text[board.end..].chars().next();
        Fields {
            text,
            end: board.end,
            separator: after.filter(|after| "_+\t".contains(*after)).unwrap_or(' '),
            turn_at: None,
            notes: Vec::new(),
        }
    }

    /// The next word, and whether it is in the same line.
    fn peek(&self) -> Option<(&'a str, bool)> {
        let rest = &self.text[self.end..];
        let rest = &rest[..rest.floor_char_boundary(NEAR)];
        let is_blank = |char: char| char == self.separator || char == '\n' || char == '\r';
        let word = rest.trim_start_matches(is_blank);
        let blanks = &rest[..rest.len() - word.len()];
        let length = word.find(|char: char| {
            is_blank(char) || char.is_whitespace() || "\"'`,;|<>(){}[]&#?".contains(char)
        });
        let word = &word[..length.unwrap_or(word.len())];
        // A sentence may end here.
        let word = word.trim_end_matches(['.', ':', '!']);
        (!word.is_empty() && !blanks.is_empty()).then_some((word, !blanks.contains('\n')))
    }

    fn next_if(&mut self, is_one: impl Fn(&str) -> bool) -> Option<&'a str> {
        let (word, _) = self.peek().filter(|(word, _)| is_one(word))?;
        Some(self.take(word))
    }

    fn take(&mut self, word: &'a str) -> &'a str {
        self.end = word.as_ptr() as usize - self.text.as_ptr() as usize + word.len();
        word
    }

    fn turn(&mut self, text: &str) -> Result<Option<Color>, Refusal> {
        let Some((word, is_in_line)) = self.peek() else {
            return Ok(None);
        };
        let color = match word.to_ascii_lowercase().as_str() {
            "w" | "white" => Color::White,
            "b" | "black" => Color::Black,
            // Words of a sentence are longer.
            odd if is_in_line
                && odd.len() < 3
                && !is_move(word)
                && odd.contains(|char: char| char.is_ascii_alphanumeric()) =>
            {
                let start = word.as_ptr() as usize - text.as_ptr() as usize;
                let message = format!("Side to move: {} is not one; write w or b", shown(word));
                return Err(Refusal {
                    at: Some(start..start + word.len()),
                    ..Refusal::new(message)
                });
            }
            _ => return Ok(None),
        };
        let end = self.end;
        self.take(word);
        self.turn_at = Some(self.end - word.len()..self.end);
        // `white to move` is a sentence after a board.
        if word.len() > 1 && self.peek().is_some_and(|(next, _)| next == "to") {
            self.end = end;
            return Ok(None);
        }
        Ok(Some(color))
    }

    /// A field that may lack. One that is wrong is left out with a note, if the next one is as it
    /// should be.
    fn optional(
        &mut self,
        name: &str,
        how: &str,
        is_one: impl Fn(&str) -> bool,
        is_next: impl Fn(&str) -> bool,
    ) -> Option<String> {
        let (word, is_in_line) = self.peek()?;
        if is_one(word) {
            return Some(self.take(word).to_owned());
        }
        if !is_in_line || is_move(word) || NAMING.contains(&word) || word.len() > 5 {
            return None;
        }
        let end = self.end;
        self.take(word);
        if self.peek().is_none_or(|(next, _)| !is_next(next)) {
            self.end = end;
            return None;
        }
        let note = format!("{name} {} is left out: write {how}, or -", shown(word));
        self.notes.push(note);
        Some("-".to_owned())
    }
}

fn is_passing(word: &str) -> bool {
    word == "-" || matches!(word.as_bytes(), [b'a'..=b'h', b'1'..=b'8'])
}

fn is_clock(word: &str) -> bool {
    word.len() < 7 && word.bytes().all(|byte| byte.is_ascii_digit())
}

/// The side to move that words near a board name: `White to move`, `side to move: black`.
pub(super) fn side_said(text: &str, board: &Range<usize>) -> Option<Color> {
    let start = text.floor_char_boundary(board.start.saturating_sub(NEAR));
    let end = text.ceil_char_boundary((board.end + NEAR).min(text.len()));
    let near = text[start..end].to_ascii_lowercase();
    let words: Vec<&str> = near
        .split(|char: char| !char.is_ascii_alphanumeric())
        .filter(|word| !word.is_empty())
        .collect();
    let color = |word: &&str| match *word {
        "w" | "white" | "whites" => Some(Color::White),
        "b" | "black" | "blacks" => Some(Color::Black),
        _ => None,
    };
    let said = words.windows(3).find_map(|words| match words {
        [side, "to", "move" | "play" | "win" | "mate"]
        | ["to", "move", side]
        | ["turn" | "stm", side, _] => color(side),
        _ => None,
    });
    said.or_else(|| {
        let turn = words
            .windows(2)
            .find(|words| matches!(words[0], "turn" | "stm"))?;
        color(&turn[1])
    })
}

pub(super) fn name(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}

/// What is wrong with a position, and what to do.
fn advice(error: &PositionError, setup: &Setup) -> String {
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
        let fen = fen_of(setup.clone());
        fen.split(' ')
            .nth(2)
            .unwrap_or("-")
            .clone_into(&mut fields[2]);
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

/// The FEN of a setup, with all its fields.
pub fn fen_of(setup: Setup) -> String {
    match Fen::try_from_setup(setup) {
        Ok(fen) => fen.to_string(),
        Err(lossy) => lossy.ignore().to_string(),
    }
}
