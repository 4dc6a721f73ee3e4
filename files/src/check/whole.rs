//! Statements and initialisers that go over several lines: which lines belong to one.
//!
//! ```text
//! assert_eq!(                     opens a call around the board
//!     see("FEN", "e4d5"),         the board's line
//!     100
//! );                              closes the call
//! ```
//!
//! From the board's line, `Span::add_before` looks up for the brackets that enclose the board, and
//! `Span::add_after` looks down to where they close. Only brackets of calls are followed, and the
//! one around the fields of an initialiser. Others are of lists and blocks, which hold several
//! answers. A line also goes on if it ends with an operator, or if the next one begins with one.

use std::borrow::Cow;

use super::callee::{asks, asserts, denies};
use super::line::{without_comments, without_line_comment};
use super::lines::{Line, is_comment, says_nothing};
use super::tokens::{Token, Tokens};
use super::words::find_board;

/// The lines of the statement or initialiser that a board's line is a part of.
pub(super) enum Extent {
    /// Only the board's line.
    Line,
    /// Several lines.
    Lines(Whole),
    /// Several lines whose ends are not found, or that hold another board.
    Unclear,
    /// Those of an assertion that has another board, up to the line of this number.
    Shared(u64),
}

/// Several lines that belong together, with their comments between `/*` and `*/`.
pub(super) struct Whole {
    pub text: String,
    /// The numbers of its first and last line.
    pub first: u64,
    pub last: u64,
    /// The header of its table.
    pub header: Option<usize>,
}

/// How many lines are looked at above the board's line, and how many below it: more than formatters
/// make of a call.
const MOST: usize = 12;

/// Finds which lines belong together with the one at this place, which holds a board.
pub(super) fn extent(lines: &[Line<'_>], place: usize) -> Extent {
    let is_plain = !has_bracket(lines[place].text().unwrap_or_default());
    if is_plain && !is_led(lines, place) {
        return Extent::Line;
    }
    let text = code(&lines[place]);
    let Some(own) = Own::new(&text) else {
        return Extent::Line;
    };
    // First all brackets around the board are followed. If they hold another board, they may be
    // around a list of answers, so only the innermost one is. A question in a list stays unclear.
    let mut span = Span::around(lines, place, &own, usize::MAX);
    if span.has_another && !own.asks {
        if let Some(last) = end_of_assertion(lines, span.first, place) {
            return Extent::Shared(last);
        }
        span = Span::around(lines, place, &own, 1);
        if span.has_another {
            return Extent::Line;
        }
    }
    if span.has_another || !span.is_closed {
        // A row has its answer between its own brackets, and a question may have it outside.
        let is_alone = own.is_row && !own.asks;
        return if is_alone {
            Extent::Line
        } else {
            Extent::Unclear
        };
    }
    if span.first == span.last || own.is_bare && span.has_only_frame(lines, place) {
        // A list of arguments without brackets may begin on the line above.
        let above = line_above(lines, place).filter(|above| above.ends_with(','));
        let is_continued = above.is_some_and(|above| !says_nothing(&above));
        return if is_plain && span.first == span.last && is_continued {
            Extent::Unclear
        } else {
            Extent::Line
        };
    }
    let parts = lines[span.first..=span.last].iter().map(commented_code);
    let parts: Vec<_> = parts.filter(|part| !part.is_empty()).collect();
    // In C, a backslash ends each line of a macro except the last.
    let parts = parts.iter().map(|part| part.trim_end_matches('\\'));
    Extent::Lines(Whole {
        text: parts.collect::<Vec<_>>().join(" "),
        first: lines[span.first].number,
        last: lines[span.last].number,
        header: lines[place].header,
    })
}

/// The number of the line on which the assertion ends that begins on the first line and is not closed
/// on the board's line.
fn end_of_assertion(lines: &[Line<'_>], first: usize, place: usize) -> Option<u64> {
    let text = code(&lines[first]);
    let tokens = Tokens::new(&text);
    let brackets = tokens.brackets();
    let mut open = brackets
        .iter()
        .filter(|bracket| tokens.get(bracket.end).is_none());
    open.find(|bracket| {
        bracket
            .name
            .is_some_and(|name| asserts(name) || denies(name))
    })?;
    let mut depth: usize = 0;
    let mut of_call = lines[first..].iter().take(MOST).skip_while(|line| {
        let ends = Ends::of(&code(line));
        depth = depth.saturating_sub(ends.closes) + ends.opens.len();
        depth > 0
    });
    let last = of_call
        .next()
        .map_or(lines[place].number, |line| line.number);
    Some(last)
}

/// The board's line, and what it leaves to other lines.
struct Own<'a> {
    text: &'a str,
    /// The brackets that other lines open or close.
    ends: Ends,
    /// Whether it calls a function that says whether the SEE is at least a threshold.
    asks: bool,
    /// Whether it closes a bracket around the board and says nothing after the outermost of these.
    is_row: bool,
    /// Whether it is fields of an initialiser whose bracket other lines open or close.
    is_bare: bool,
}

impl<'a> Own<'a> {
    /// `None` if the text, which is without comments, has no board.
    fn new(text: &'a str) -> Option<Own<'a>> {
        let marked = Tokens::mark(text, find_board(text)?);
        let tokens = Tokens::new(&marked);
        let brackets = tokens.brackets();
        // The outermost bracket around the board of those that the line closes.
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
            // The brackets that close after it are those of the list or the block that it is in.
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

/// The brackets of a text whose other end is not in it.
struct Ends {
    /// How many it closes that the text before it opens.
    closes: usize,
    /// Those that it opens and the text after it closes, the outermost first.
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

/// Lines that may belong together, from the first place to the last.
struct Span {
    first: usize,
    last: usize,
    /// Whether the brackets that are followed have both their ends in these lines.
    is_closed: bool,
    /// Whether another line holds a board too.
    has_another: bool,
}

impl Span {
    /// Finds the lines that belong together with the board's line. Follows at most `most` of the
    /// brackets that are open on it, the innermost ones.
    fn around(lines: &[Line<'_>], place: usize, own: &Own<'_>, most: usize) -> Span {
        let mut span = Span {
            first: place,
            last: place,
            is_closed: true,
            has_another: false,
        };
        let mut open = own.bound(&own.ends.opens, 0, most);
        // Where the line opens a bracket that is not followed, those around it are not either.
        if open == own.ends.opens.len() {
            open += span.add_before(lines, own, open, most);
        }
        span.add_after(lines, own, open);
        span
    }

    /// Adds the lines above that open what the board's line closes, or a call around it. `inner`
    /// brackets that the board's line opens are followed already. Returns how many more are, which
    /// the lines above open.
    fn add_before(
        &mut self,
        lines: &[Line<'_>],
        own: &Own<'_>,
        inner: usize,
        most: usize,
    ) -> usize {
        let place = self.first;
        // How many brackets the board's line and the lines between close that are not opened yet.
        let mut closes = own.ends.closes;
        let mut between = 0;
        let mut open = 0;
        // The nearest line with another board.
        let mut other_board = None;
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
            // The innermost brackets close first: in the lines between, then on the board's line.
            let skipped = between.min(opens.len());
            opens.truncate(opens.len() - skipped);
            between = between - skipped + also_closes;
            let needed = closes.min(opens.len());
            closes -= needed;
            opens.truncate(opens.len() - needed);
            let bound = own.bound(&opens, inner + open, most);
            let goes_on = own.is_of_program() && at + 1 == self.first && is_unfinished(&text);
            other_board = other_board.or(is_another.then_some(at));
            if bound + needed > 0 || goes_on {
                self.first = at;
                open += bound;
            }
            // A comma after an argument means that a line further up opens the call.
            let is_inside = bound + needed + closes + between > 0 || text.ends_with(',');
            if bound < opens.len() || !(is_inside || goes_on) {
                break;
            }
        }
        self.has_another = other_board.is_some_and(|at| self.first <= at);
        self.is_closed = closes == 0;
        open
    }

    /// Whether the lines around the board's line only open and close a list, which may have a name.
    fn has_only_frame(&self, lines: &[Line<'_>], place: usize) -> bool {
        let is_list = code(&lines[self.first]).ends_with(['{', '[']);
        let mut others = (self.first + 1..=self.last).filter(|&at| at != place);
        is_list && others.all(|at| !code(&lines[at]).contains(|char: char| char.is_alphanumeric()))
    }

    /// Adds the lines below that close the `open` brackets, and those that go on after that.
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
            let is_continued =
                last.ends_with([')', ']', '}']) && goes_on(&text) || is_unfinished(&last);
            if open == 0 && !is_continued {
                return;
            }
            let ends = Ends::of(&text);
            // After the last one is closed, a call may follow, as in `).toBe(`. A list or a block
            // that follows is something else.
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
    /// Whether it has brackets, as a statement of a program has. Only then it may go on by an
    /// operator alone.
    fn is_of_program(&self) -> bool {
        has_bracket(self.text)
    }

    /// How many of the brackets that a line opens are followed, from the innermost on: those of
    /// calls, and the innermost of all if it is around the fields of an initialiser. `inner`
    /// brackets within these are followed already, and at most `most` in all.
    fn bound(&self, opens: &[char], inner: usize, most: usize) -> usize {
        let bound = opens.iter().rev().enumerate().take_while(|&(nth, &sign)| {
            // The name of a list of questions may deny them, as in `falses = [`.
            let is_of_call = sign == '(' || sign == '[' && self.asks;
            is_of_call || self.is_bare && inner + nth == 0
        });
        bound.count().min(most - most.min(inner))
    }
}

/// Whether the nearest line of code above ends with an opening bracket or a comma, and has no
/// board: a line with a board is an answer of its own.
fn is_led(lines: &[Line<'_>], place: usize) -> bool {
    // In a file of answers, the line above is mostly another answer. That is quick to see.
    if place
        .checked_sub(1)
        .is_none_or(|before| lines[before].may_hold_board())
    {
        return false;
    }
    let before = line_above(lines, place);
    before.is_some_and(|text| text.ends_with(['(', '[', '{', ',']) && find_board(&text).is_none())
}

/// The nearest line of code above.
fn line_above<'a>(lines: &[Line<'a>], place: usize) -> Option<Cow<'a, str>> {
    let mut above = lines[place.saturating_sub(MOST)..place].iter().rev();
    above.find_map(|line| Some(code(line)).filter(|text| !text.is_empty()))
}

/// Whether a text ends with an operator, or with a word that needs something after it.
pub(super) fn is_unfinished(text: &str) -> bool {
    const WORDS: [&str; 8] = [
        "and", "assert", "is", "not", "or", "refute", "return", "unless",
    ];
    let word = text.rsplit(|char: char| !char.is_alphanumeric()).next();
    // Signs alone, such as `-----` or `+---+`, draw a line.
    let is_ruler = text.len() > 3 && text.chars().all(|char| " -=+|*_".contains(char));
    text.ends_with(['=', '!', '&', '|', '+', '-', '*', '/', '<', '>', '?', '\\']) && !is_ruler
        || word.is_some_and(|word| WORDS.contains(&word))
        // A method may be called on the next line.
        || text.ends_with(").")
}

/// Whether a text begins with an operator, or with a word for one, so that it goes on with the line
/// before it.
pub(super) fn goes_on(text: &str) -> bool {
    let word = text.split_ascii_whitespace().next().unwrap_or_default();
    text.starts_with([
        '.', '=', '!', '<', '>', '&', '|', '?', '+', '-', '*', ',', ':',
    ]) || matches!(word, "and" | "is" | "or")
}

fn has_bracket(text: &str) -> bool {
    text.contains(['(', '[', '{', ')', ']', '}'])
}

/// The text of a line with its comment between `/*` and `*/`, unless that has a board.
fn commented_code(line: &Line<'_>) -> String {
    let text = line.text().unwrap_or_default();
    let is_block = text.starts_with("/*") && find_board(text).is_none();
    let code = if is_comment(text) && !is_block {
        ""
    } else {
        without_line_comment(text)
    };
    let comment = text[code.len()..]
        .trim_start_matches([' ', '\t', '/', '#'])
        .trim_end();
    if comment.is_empty() || find_board(comment).is_some() || comment.contains("*/") {
        return code.to_owned();
    }
    format!("{code} /* {comment} */")
}

/// The text of a line without comments; empty if the line cannot be read.
fn code<'a>(line: &Line<'a>) -> Cow<'a, str> {
    let text = line.text().unwrap_or_default();
    if is_comment(text) {
        return Cow::Borrowed("");
    }
    without_comments(text)
}
