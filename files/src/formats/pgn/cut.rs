//! Finds where games of PGN begin, by their tokens alone: no move is played.
//!
//! The reader of blocks asks this to cut a stream between games ([`game_starts`]), and the decoder
//! to know which game a token belongs to ([`GameCutter`]). Both must agree, so there is one rule.
//!
//! # The rule
//!
//! The standard ends a game with its result. People forget it, or leave out the tags. So a game
//! begins
//!
//! - with a tag after moves or a result; where the game before has neither, with a tag of the same
//!   name as its first one, after an empty line;
//! - without tags, with the move number 1 after a result, or with a move after a result and an
//!   empty line.
//!
//! Any other move after a result is a fault of its game, and only a tag begins the next one. So is
//! a comment without an end.
//!
//! # Worked example
//!
//! ```text
//! [Event "A"]             Tag      Tags(Event)
//! [Result "1-0"]          Tag      Tags(Event)
//!
//! 1. e4 e5 2. Nf3 1-0     Number   Moves         and the result: Result
//!
//! [Event "B"]             Tag      another game begins here, at byte 49
//!
//! 1. d4 *                 Number   Moves         and the result: Result
//! ```
//!
//! [`game_starts`] of these 70 bytes gives 49: one whole game of 49 bytes. The second one may not
//! be whole, since a comment or another result may follow. The reader keeps its 21 bytes for the
//! next block, or makes them the last block at the end of the file.
//!
//! # The steps
//!
//! | in | a token | leads to |
//! |---|---|---|
//! | any | a comment without an end | Fault |
//! | Tags | a tag of the first one's name, after an empty line | **a game begins** |
//! | Tags | another tag | Tags |
//! | Moves, Result, Fault | a tag | **a game begins** |
//! | Tags, Moves | a result, outside of variations | Result |
//! | Tags | anything else but a comment | Moves |
//! | Result | the move number 1 | **a game begins** |
//! | Result | another move number | Fault |
//! | Result | another result, or a sign such as `±` | Result |
//! | Result | a word that begins with a letter or digit, after an empty line | **a game begins** |
//! | Result | another word | Fault |
//!
//! # What must hold
//!
//! - The starts that are found in the beginning of a text are the first ones of those in the whole
//!   text. So the tokens of a text that may go on end where more text could change a token.

use super::super::text::lines;
use super::token::{Token, Tokens};
use super::word::{GameResult, is_sign};

/// The offsets at which games begin, except the first one. Those that text after this one may
/// change are left out.
pub(super) fn game_starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let is_whole = false; // more text may follow
    let mut tokens = Tokens::new(text, is_whole);
    let mut games = GameCutter::default();
    core::iter::from_fn(move || {
        loop {
            games.skip_moves(&mut tokens);
            let end = tokens.end();
            let (at, token) = tokens.next()?;
            if games.begins(token, &text[end..at]) {
                return Some(at);
            }
        }
    })
}

/// Follows the tokens of a text and finds those that begin a game.
#[derive(Default)]
pub(super) struct GameCutter<'a> {
    /// The part of the game in which the last token is.
    part: GamePart<'a>,
    /// The number of variations that have begun and not ended.
    depth: usize,
}

#[derive(Clone, Copy)]
enum GamePart<'a> {
    /// Before the moves, with the name of the first tag.
    Tags(Option<&'a [u8]>),
    Moves,
    /// After the result.
    Result {
        /// Whether an empty line came after it.
        had_empty_line: bool,
    },
    /// After a fault: the rest of the game.
    Fault,
}

impl Default for GamePart<'_> {
    fn default() -> Self {
        GamePart::Tags(None)
    }
}

impl<'a> GameCutter<'a> {
    /// Passes over tokens that begin no game.
    pub fn skip_moves(&self, tokens: &mut Tokens<'_>) {
        if matches!(self.part, GamePart::Moves) {
            tokens.skip_moves();
        }
    }

    /// Whether a token, after a gap, begins another game.
    #[inline]
    pub fn begins(&mut self, token: Token<'a>, gap: &[u8]) -> bool {
        // Most tokens are comments and numbers of moves, which begin nothing.
        if matches!(
            (self.part, token),
            (GamePart::Moves, Token::Comment(_) | Token::Number(_))
        ) {
            return false;
        }
        let begins = self.ends_before(token, gap);
        if begins {
            *self = GameCutter::default();
            self.ends_before(token, gap);
        }
        begins
    }

    /// Whether a token belongs to the next game. If not it is taken into this one.
    fn ends_before(&mut self, token: Token<'a>, gap: &[u8]) -> bool {
        match (self.part, token) {
            (_, Token::Open) => self.depth += 1,
            (_, Token::Close) => self.depth = self.depth.saturating_sub(1),
            _ => {}
        }
        self.part = match (self.part, token) {
            (GamePart::Tags(None), Token::Tag { name, .. }) => GamePart::Tags(Some(name)),
            (GamePart::Tags(Some(first)), Token::Tag { name, .. }) => {
                if name == first && has_empty_line(gap) {
                    return true;
                }
                self.part
            }
            (_, Token::Tag { .. }) | (GamePart::Result { .. }, Token::Number(b"1" | b"1.")) => {
                return true;
            }
            (_, Token::Unclosed(_)) | (GamePart::Result { .. }, Token::Number(_)) => {
                GamePart::Fault
            }
            (GamePart::Result { had_empty_line }, Token::Comment(_)) => GamePart::Result {
                had_empty_line: had_empty_line || has_empty_line(gap),
            },
            (GamePart::Result { .. }, Token::Word(word))
                if GameResult::from_word(word).is_some() || is_sign(word) =>
            {
                self.part
            }
            (GamePart::Result { had_empty_line }, Token::Word(word)) => {
                // No game begins with another word: `[` or `%` within a line is a word, but at the
                // start of a block it would be a tag or a comment.
                if word[0].is_ascii_alphanumeric() && (had_empty_line || has_empty_line(gap)) {
                    return true;
                }
                GamePart::Fault
            }
            (GamePart::Tags(_) | GamePart::Moves, Token::Word(word))
                if self.depth == 0 && GameResult::from_word(word).is_some() =>
            {
                GamePart::Result {
                    had_empty_line: false,
                }
            }
            (part, Token::Comment(_)) => part,
            (GamePart::Tags(_), _) => GamePart::Moves,
            (part, _) => part,
        };
        false
    }
}

/// Whether a gap between two tokens has an empty line.
fn has_empty_line(gap: &[u8]) -> bool {
    // The first line of a gap is the rest of the line of the token before it.
    let mut whole_lines = lines(gap).skip(1);
    whole_lines.any(|line| line.ends_with(b"\n") && line.trim_ascii().is_empty())
}
