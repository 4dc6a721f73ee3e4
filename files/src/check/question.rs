//! The call of a statement that asks for the SEE, and what is around and beside it.

use super::callee::is_neutral;
use super::tokens::{Bracket, Token, Tokens, segments};

/// The call that asks for the SEE, or that is given the parts of a row.
pub(super) struct Question<'a> {
    pub bracket: Bracket<'a>,
    /// The first token of what it is called on, and the last one of what is called on it.
    first: usize,
    last: usize,
}

impl<'a> Question<'a> {
    /// The innermost call around a move, whose place in the text is `named`, that has the FEN too, or
    /// is called on what has it.
    pub fn find(tokens: &Tokens<'a>, named: usize) -> Option<Question<'a>> {
        let fen = tokens.all().position(|token| token == Token::Fen)?;
        let mut calls = tokens.brackets().into_iter().rev().filter(|bracket| {
            let [start, end] = [bracket.start, bracket.end].map(|at| tokens.place(at));
            bracket.is_call() && start < named && named < end
        });
        let question = |bracket: Bracket<'a>| Question {
            first: tokens.head(bracket.start - 1),
            last: tokens.end_of_chain(bracket.end),
            bracket,
        };
        calls.find_map(|bracket| {
            let question = question(bracket);
            (question.first <= fen && fen <= question.bracket.end).then_some(question)
        })
    }

    pub fn name(&self) -> &'a str {
        self.bracket.name.unwrap_or_default()
    }

    /// Whether a token is among its arguments.
    pub fn has_argument(&self, at: usize) -> bool {
        self.bracket.start < at && at < self.bracket.end
    }

    /// Whether a token is a part of it.
    pub fn holds(&self, at: usize) -> bool {
        self.first <= at && at <= self.bracket.end
    }

    /// Whether all functions that it is an argument of, and those that are called on these, leave the
    /// SEE as it is.
    pub fn is_as_asked(&self, tokens: &Tokens<'_>) -> bool {
        let brackets = tokens.brackets();
        let mut around = brackets
            .iter()
            .filter(|bracket| bracket.start < self.first && self.bracket.end < bracket.end);
        let is_known = |bracket: &Bracket<'_>| {
            let name = bracket.name.or_else(|| tokens.name_before(bracket));
            name.is_none_or(is_neutral)
        };
        around.all(is_known)
            && tokens
                .applied_after(tokens.place(self.bracket.start))
                .all(is_neutral)
    }

    /// The word before it, such as `assert`.
    pub fn lead(&self, tokens: &Tokens<'a>) -> Option<&'a str> {
        tokens.lead(&self.bracket)
    }

    /// Whether an operand from one token to another is what it is compared with: by a sign, by a
    /// function that is called on it, or as the argument beside it of the same call. What comes
    /// after that is a message.
    pub fn is_beside(&self, tokens: &Tokens<'_>, first: usize, last: usize) -> bool {
        let between = if last < self.first {
            last + 1..self.first
        } else {
            self.last + 1..first
        };
        let is_comma = |at: &usize| tokens.get(*at) == Some(Token::Sign(','));
        let commas: Vec<usize> = between.clone().filter(is_comma).collect();
        let equals = |at: usize| tokens.get(at) == Some(Token::Sign('='));
        let comma = match commas[..] {
            [comma] if !between.clone().any(equals) => comma,
            // An operator may be between them, as a sign or in a string: `cmp_ok(see(..), "==", 100)`.
            [comma, next] if (comma + 1..next).all(equals) => {
                return next > comma + 1 || tokens.names().any(|name| name == "cmp_ok");
            }
            _ => return commas.is_empty(),
        };
        // A comma is in the brackets of a call, or what follows it is the message of an assertion.
        let Some(call) = tokens.innermost(comma).filter(Bracket::is_call) else {
            return false;
        };
        let is_condition = call.name.is_some_and(takes_message);
        !is_condition && self.has_no_other(tokens, &call, comma)
    }

    /// Whether nothing but a text, or the context of a test, is on the other side of it in a call than
    /// the comma.
    fn has_no_other(&self, tokens: &Tokens<'_>, call: &Bracket<'_>, comma: usize) -> bool {
        const CONTEXTS: [&str; 6] = ["c", "ctx", "self", "t", "tb", "this"];
        const MESSAGES: [&str; 9] = [
            "desc",
            "description",
            "fen",
            "fmt",
            "format",
            "label",
            "message",
            "msg",
            "name",
        ];
        let commas = tokens.commas_of(call);
        let (argument, known): (_, &[&str]) = if comma > self.last {
            let end = commas.iter().rfind(|at| **at < self.first);
            (
                call.start + 1..end.copied().unwrap_or(call.start + 1),
                &CONTEXTS,
            )
        } else {
            let mut after = commas.iter().filter(|at| **at > self.last);
            let start = after.next().map_or(call.end, |at| at + 1);
            (start..after.next().copied().unwrap_or(call.end), &MESSAGES)
        };
        // A text that is added to begins with the sign, since what it says is no token.
        let first = tokens.get(argument.start).filter(|_| !argument.is_empty());
        match first {
            None | Some(Token::Sign('+')) => true,
            Some(Token::Name(name)) => known.contains(&name),
            _ => false,
        }
    }
}

/// Whether the second argument of a function of this name is a message.
fn takes_message(name: &str) -> bool {
    let words = segments(name);
    let is_condition = |word: &String| {
        matches!(
            word.as_str(),
            "assert" | "debug" | "ensure" | "ok" | "require" | "static"
        )
    };
    words.iter().all(is_condition)
}
