//! Where games begin.
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

use super::super::text::lines;
use super::token::{Token, Tokens};
use super::word::{GameResult, is_sign};

/// The offsets of games but the first, without those that text after this one may change.
pub(super) fn game_starts(text: &[u8]) -> impl Iterator<Item = usize> + '_ {
    let mut tokens = Tokens::new(text, false);
    let mut games = Games::default();
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

/// The game that is read, as far as it was read.
#[derive(Default)]
pub(super) struct Games<'a> {
    part: Part<'a>,
    /// The number of open variations.
    depth: usize,
}

#[derive(Clone, Copy)]
enum Part<'a> {
    /// Before the moves, with the name of the first tag.
    Tags(Option<&'a [u8]>),
    Moves,
    /// After the result; whether there was an empty line.
    Result {
        is_parted: bool,
    },
    /// After a fault.
    Fault,
}

impl Default for Part<'_> {
    fn default() -> Self {
        Part::Tags(None)
    }
}

impl<'a> Games<'a> {
    /// Passes over tokens that begin no game.
    pub fn skip_moves(&self, tokens: &mut Tokens<'_>) {
        if matches!(self.part, Part::Moves) {
            tokens.skip_moves();
        }
    }

    /// Whether a token, after a gap, begins another game.
    #[inline]
    pub fn begins(&mut self, token: Token<'a>, gap: &[u8]) -> bool {
        // Most tokens are these.
        if matches!(
            (self.part, token),
            (Part::Moves, Token::Comment(_) | Token::Number(_))
        ) {
            return false;
        }
        let begins = self.ends_before(token, gap);
        if begins {
            *self = Games::default();
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
            (Part::Tags(None), Token::Tag { name, .. }) => Part::Tags(Some(name)),
            (Part::Tags(Some(first)), Token::Tag { name, .. }) => {
                if name == first && has_empty_line(gap) {
                    return true;
                }
                self.part
            }
            (_, Token::Tag { .. }) | (Part::Result { .. }, Token::Number(b"1" | b"1.")) => {
                return true;
            }
            (_, Token::Unclosed(_)) | (Part::Result { .. }, Token::Number(_)) => Part::Fault,
            (Part::Result { is_parted }, Token::Comment(_)) => Part::Result {
                is_parted: is_parted || has_empty_line(gap),
            },
            (Part::Result { .. }, Token::Word(word))
                if GameResult::of(word).is_some() || is_sign(word) =>
            {
                self.part
            }
            (Part::Result { is_parted }, Token::Word(word)) => {
                // What else `[` or `%` may be depends on the line before.
                if word[0].is_ascii_alphanumeric() && (is_parted || has_empty_line(gap)) {
                    return true;
                }
                Part::Fault
            }
            (Part::Tags(_) | Part::Moves, Token::Word(word))
                if self.depth == 0 && GameResult::of(word).is_some() =>
            {
                Part::Result { is_parted: false }
            }
            (part, Token::Comment(_)) => part,
            (Part::Tags(_), _) => Part::Moves,
            (part, _) => part,
        };
        false
    }
}

/// Whether a line in a gap is empty.
fn has_empty_line(gap: &[u8]) -> bool {
    // The first one began before it.
    let mut others = lines(gap).skip(1);
    others.any(|line| line.ends_with(b"\n") && line.trim_ascii().is_empty())
}
