//! Words that are not moves in usual SAN.

use super::super::Outcome;

/// What a word of the movetext is.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Word<'a> {
    Result(GameResult),
    /// One side passes, as in analyses.
    NullMove,
    /// An annotation, such as `±`.
    Sign,
    /// A move, without the annotations after it; or nothing that is known.
    Move(&'a [u8]),
}

impl<'a> Word<'a> {
    pub fn new(word: &'a [u8]) -> Word<'a> {
        if let Some(result) = GameResult::from_word(word) {
            return Word::Result(result);
        }
        let letters = word.iter().rev();
        let marks = letters.take_while(|byte| b"!?".contains(byte)).count();
        match &word[..word.len() - marks] {
            b"--" | b"Z0" | b"0000" | b"@@@@" => Word::NullMove,
            sign if is_sign(sign) => Word::Sign,
            _ => Word::Move(move_of(word)),
        }
    }
}

/// The result of a game.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum GameResult {
    Ended(Outcome),
    /// The game has no result: `*`.
    Unknown,
}

impl GameResult {
    /// The result that a word is, with dashes and halves of any kind.
    pub fn from_word(word: &[u8]) -> Option<GameResult> {
        let of_ascii = |text: &[u8]| match text {
            b"1-0" => Some(GameResult::Ended(Outcome::White)),
            b"0-1" => Some(GameResult::Ended(Outcome::Black)),
            b"1/2-1/2" | b"1/2" => Some(GameResult::Ended(Outcome::Draw)),
            b"*" => Some(GameResult::Unknown),
            _ => None,
        };
        // Few words begin as a result does.
        if !matches!(word, [b'*' | b'0' | b'1' | 0xbd | 0xc2, ..]) {
            return None;
        }
        if word.is_ascii() {
            return of_ascii(word);
        }
        let text = match core::str::from_utf8(word) {
            Ok(text) => text.to_owned(),
            // Then `½` is Latin-1's.
            Err(_) => word.iter().copied().map(char::from).collect(),
        };
        of_ascii(text.replace('½', "1/2").replace(['–', '—'], "-").as_bytes())
    }

    pub fn outcome(self) -> Option<Outcome> {
        match self {
            GameResult::Ended(outcome) => Some(outcome),
            GameResult::Unknown => None,
        }
    }
}

/// Whether a word is an annotation: `±`, `+/=`, `=`, or one of letters, as Informant and
/// `ChessBase` write them. Not a brace that closes no comment, nor a bracket.
pub(super) fn is_sign(word: &[u8]) -> bool {
    const LETTERS: &str = "N TN D RR ep e.p e.p. e. p. ch mate";
    let has_letters = word.iter().any(u8::is_ascii_alphanumeric);
    !has_letters && !matches!(word, b"}" | b"[")
        || LETTERS.split(' ').any(|sign| sign.as_bytes() == word)
}

/// Without the annotations after a move, which ends with a digit, a letter or `hxg8(Q)`'s bracket.
fn move_of(word: &[u8]) -> &[u8] {
    let last = word
        .iter()
        .rposition(|&byte| byte.is_ascii_alphanumeric() || byte == b')');
    last.map_or(word, |last| &word[..=last])
}
