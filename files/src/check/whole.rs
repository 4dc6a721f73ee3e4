//! Statements and initialisers that go over several lines: which lines belong to one, by the brackets
//! and the signs that leave it open.

use std::borrow::Cow;

use super::callee::asks;
use super::line::without_comments;
use super::lines::{Line, is_comment};
use super::tokens::{Token, Tokens};
use super::words::find_board;

/// Where what a line says begins and ends.
pub(super) enum Extent {
    /// On the line.
    Line,
    Lines(Whole),
    /// It is a part of something of several lines that is not found, or that holds more.
    Unclear,
}

/// Several lines that belong together, without their comments.
pub(super) struct Whole {
    pub text: String,
    /// The numbers of its first and last line.
    pub first: u64,
    pub last: u64,
}

/// More lines than formatters make of a call.
const MOST: usize = 12;

/// The extent of what the line with this place says, which holds a board.
pub(super) fn extent(lines: &[Line<'_>], place: usize) -> Extent {
    let is_plain = !has_bracket(lines[place].text().unwrap_or_default());
    if is_plain && !is_led(lines, place) {
        return Extent::Line;
    }
    let text = code(&lines[place]);
    let Some(own) = Own::new(&text) else {
        return Extent::Line;
    };
    let found = [usize::MAX, 1].into_iter().find_map(|most| {
        let span = Span::around(lines, place, &own, most);
        // A list of several is read line by line, or without the call around it.
        (!span.has_another || own.asks).then_some(span)
    });
    let Some(span) = found else {
        return Extent::Line;
    };
    if span.has_another || !span.is_closed {
        let is_alone = own.is_row && !own.asks;
        return if is_alone {
            Extent::Line
        } else {
            Extent::Unclear
        };
    }
    if span.first == span.last || own.is_bare && span.has_only_frame(lines, place) {
        return Extent::Line;
    }
    let parts = lines[span.first..=span.last].iter().map(code);
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    let parts = parts.iter().map(|part| part.trim_end_matches('\\'));
    Extent::Lines(Whole {
        text: parts.collect::<Vec<_>>().join(" "),
        first: lines[span.first].number,
        last: lines[span.last].number,
    })
}

/// What a line with a board leaves to other lines.
struct Own<'a> {
    text: &'a str,
    ends: Ends,
    asks: bool,
    /// Whether all that it says is in one bracket, which it closes.
    is_row: bool,
    /// Whether it is fields of an initialiser that other lines open or close.
    is_bare: bool,
}

impl<'a> Own<'a> {
    fn new(text: &'a str) -> Option<Own<'a>> {
        let marked = Tokens::mark(text, find_board(text)?);
        let tokens = Tokens::new(&marked);
        let brackets = tokens.brackets();
        let around = brackets
            .iter()
            .find(|bracket| bracket.has_fen && tokens.get(bracket.end).is_some());
        let is_row = around.is_some_and(|around| {
            let mut after = tokens.all().skip(around.end + 1);
            after.all(|token| matches!(token, Token::Close | Token::Sign(',' | ';')))
        });
        let asks = tokens.names().any(asks);
        let mut ends = Ends::new(&tokens);
        let is_data = around.is_some_and(|around| !around.is_call());
        let is_ended =
            around.is_some_and(|around| tokens.get(around.end + 1) == Some(Token::Sign(';')));
        if is_row && (is_data && !asks || is_ended) {
            // What follows closes the list or the block that it is in.
            ends.closes = 0;
        }
        Some(Own {
            text,
            ends,
            asks,
            is_row,
            is_bare: !is_row && !asks && (around.is_none() || text.ends_with(',')),
        })
    }
}

/// The brackets that a text opens for what follows, and the number of those that it closes of what
/// is before.
struct Ends {
    closes: usize,
    opens: Vec<char>,
}

impl Ends {
    fn new(tokens: &Tokens<'_>) -> Ends {
        let mut ends = Ends {
            closes: 0,
            opens: Vec::new(),
        };
        for token in tokens.all() {
            match token {
                Token::Open(sign) => ends.opens.push(sign),
                Token::Close if ends.opens.pop().is_none() => ends.closes += 1,
                _ => {}
            }
        }
        ends
    }

    fn of(text: &str) -> Ends {
        Ends::new(&Tokens::new(text))
    }
}

/// The lines from the first to the last.
struct Span {
    first: usize,
    last: usize,
    is_closed: bool,
    /// Whether another line of these holds a board.
    has_another: bool,
}

impl Span {
    /// At most so many brackets around the board that earlier lines open.
    fn around(lines: &[Line<'_>], place: usize, own: &Own<'_>, most: usize) -> Span {
        let mut span = Span {
            first: place,
            last: place,
            is_closed: true,
            has_another: false,
        };
        let mut open = own.bound(&own.ends.opens, 0, most);
        if open == own.ends.opens.len() {
            open += span.add_before(lines, own, open, most);
        }
        span.add_after(lines, own, open);
        span
    }

    /// Adds the lines that open what this one closes, or a call around it; returns how many brackets
    /// are open.
    fn add_before(
        &mut self,
        lines: &[Line<'_>],
        own: &Own<'_>,
        inner: usize,
        most: usize,
    ) -> usize {
        let place = self.first;
        // What the line closes, and what lines between it and an opening one close.
        let mut closes = own.ends.closes;
        let mut between = 0;
        let mut open = 0;
        let mut beyond = None;
        for at in (place.saturating_sub(MOST)..place).rev() {
            let text = code(&lines[at]);
            if text.is_empty() {
                continue;
            }
            let is_another = find_board(&text).is_some();
            if is_another && !own.asks {
                break;
            }
            let Ends {
                closes: also_closes,
                mut opens,
            } = Ends::of(&text);
            let skipped = between.min(opens.len());
            opens.truncate(opens.len() - skipped);
            between = between - skipped + also_closes;
            let needed = closes.min(opens.len());
            closes -= needed;
            opens.truncate(opens.len() - needed);
            let bound = own.bound(&opens, inner + open, most);
            let goes_on = own.is_of_program() && at + 1 == self.first && is_unfinished(&text);
            beyond = beyond.or(is_another.then_some(at));
            if bound + needed > 0 || goes_on {
                self.first = at;
                open += bound;
            }
            let is_inside = bound + needed + closes + between > 0 || text.ends_with(',');
            if bound < opens.len() || !(is_inside || goes_on) {
                break;
            }
        }
        self.has_another = beyond.is_some_and(|at| self.first <= at);
        self.is_closed = closes == 0;
        open
    }

    /// Whether the other lines only open and close a list.
    fn has_only_frame(&self, lines: &[Line<'_>], place: usize) -> bool {
        let is_list = code(&lines[self.first]).ends_with(['{', '[']);
        let mut others = (self.first + 1..=self.last).filter(|&at| at != place);
        is_list && others.all(|at| !code(&lines[at]).contains(|char: char| char.is_alphanumeric()))
    }

    /// Adds the lines that close what is open, and those that go on after that.
    fn add_after(&mut self, lines: &[Line<'_>], own: &Own<'_>, mut open: usize) {
        let place = self.last;
        let mut is_ended = !own.is_of_program() || own.text.ends_with([';', ',']);
        for at in (place + 1..lines.len()).take(MOST) {
            let text = code(&lines[at]);
            if open == 0 && (text.is_empty() && lines[at].is_blank() || is_ended) {
                return;
            }
            if text.is_empty() {
                continue;
            }
            if find_board(&text).is_some() {
                self.has_another |= open > 0;
                return;
            }
            let last = code(&lines[self.last]);
            let goes_on = last.ends_with([')', ']', '}']) && goes_on(&text) || is_unfinished(&last);
            if open == 0 && !goes_on {
                return;
            }
            let ends = Ends::of(&text);
            let is_inside = open > ends.closes;
            open = open.saturating_sub(ends.closes);
            open += ends
                .opens
                .iter()
                .filter(|&&sign| is_inside || sign == '(')
                .count();
            is_ended = text.ends_with([';', ',']);
            self.last = at;
        }
        self.is_closed &= open == 0;
    }
}

impl Own<'_> {
    /// Whether it may go on without a bracket.
    fn is_of_program(&self) -> bool {
        has_bracket(self.text)
    }

    /// How many of the brackets that a line opens are about what is within them, from the inner ones on:
    /// those of calls, and of an initialiser. Others are lists and blocks.
    fn bound(&self, opens: &[char], inner: usize, most: usize) -> usize {
        let bound = opens.iter().rev().enumerate().take_while(|&(nth, &sign)| {
            let is_of_call = sign == '(' || sign == '[' && self.asks;
            is_of_call || self.is_bare && inner + nth == 0
        });
        bound.count().min(most - most.min(inner))
    }
}

/// Whether the line before leaves open what this one says.
fn is_led(lines: &[Line<'_>], place: usize) -> bool {
    if place
        .checked_sub(1)
        .is_none_or(|before| lines[before].may_hold_board())
    {
        return false;
    }
    let before = (place.saturating_sub(MOST)..place)
        .rev()
        .map(|at| code(&lines[at]))
        .find(|text| !text.is_empty());
    before.is_some_and(|text| text.ends_with(['(', '[', '{', ',']) && find_board(&text).is_none())
}

/// Whether a text ends with an operator, or a word that is about what follows.
fn is_unfinished(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "and", "assert", "is", "not", "or", "refute", "return", "unless",
    ];
    let word = text.rsplit(|char: char| !char.is_alphanumeric()).next();
    let is_ruler = text.len() > 2 && !text.contains(|char: char| char.is_alphanumeric());
    text.ends_with(['=', '!', '&', '|', '+', '-', '*', '/', '<', '>', '?', '\\']) && !is_ruler
        || word.is_some_and(|word| WORDS.contains(&word))
}

/// Whether a text goes on with what the line before says.
fn goes_on(text: &str) -> bool {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    text.starts_with([
        '.', '=', '!', '<', '>', '&', '|', '?', '+', '-', '*', ',', ':',
    ]) || matches!(word, "and" | "is" | "or")
}

fn has_bracket(text: &str) -> bool {
    text.contains(['(', '[', '{', ')', ']', '}'])
}

/// A line without comments.
fn code<'a>(line: &Line<'a>) -> Cow<'a, str> {
    let text = line.text().unwrap_or_default();
    if is_comment(text) {
        return Cow::Borrowed("");
    }
    without_comments(text)
}
