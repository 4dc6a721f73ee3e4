//! What the program around rows does with them. A row says what its numbers are by their places, and
//! so it is an answer only if the program compares the SEE for equality.
//!
//! ```text
//! {"FEN", "e4d5", 100},                     a row
//! EXPECT_EQ(see(t.fen, t.move), t.value);   the number is the SEE
//! EXPECT_GE(see(t.fen, t.move), t.value);   the number is a bound: rows are refused
//! ```
//!
//! The statements are those without a board: loops over rows, functions and macros that are called
//! with them. Which rows one is about is not looked for, since names of tables, fields and functions
//! may be anything. So one such statement is about all rows of a text.

use super::applied::OTHERS;
use super::callee::{asks, asserts, denies, may_deny, words_around_question};
use super::fields::lists;
use super::line::without_comments;
use super::lines::{Line, is_comment};
use super::names::Role;
use super::tokens::{Bracket, Token, Tokens, segments};
use super::whole::{goes_on, is_unfinished};

/// What a program does with rows.
#[derive(Default)]
pub(super) struct Uses {
    /// The first statement that compares the SEE otherwise than for equality: its line and text.
    other: Option<(u64, String)>,
    /// The first list of names for the fields of a row by what it calls its claim: a value, a
    /// threshold with its truth, or that is not clear. Each is its line and the names.
    lists: [Option<(u64, String)>; 3],
}

impl Uses {
    pub fn find(lines: &[Line<'_>]) -> Uses {
        let mut uses = Uses::default();
        let mut found = Found::default();
        let mut place = 0;
        while place < lines.len() {
            let Some(statement) = Statement::at(lines, place) else {
                place += 1;
                continue;
            };
            place = statement.end;
            let Statement { line, ref text, .. } = statement;
            for (kind, names) in lists(&Tokens::new(text)) {
                uses.lists[kind].get_or_insert((line, names));
            }
            if uses.other.is_none() && found.is_other(&statement) {
                uses.other = Some((line, statement.text));
            }
        }
        uses.other = uses.other.or_else(|| found.unpaired());
        uses
    }

    /// Why the claim of a row is not clear. `holds` is whether it is that of a threshold, and
    /// `is_named` whether names say what its fields are.
    pub fn doubt(&self, holds: bool, is_named: bool) -> Option<String> {
        if let Some((line, text)) = &self.other {
            let shown = start_of(text);
            return Some(format!(
                "line {line} compares otherwise than for equality, '{shown}'; if the rows have the \
                 SEE, leave that line out"
            ));
        }
        let [value, threshold, unclear] = &self.lists;
        let (own, other) = if holds {
            (threshold, value)
        } else {
            (value, threshold)
        };
        let list = unclear
            .as_ref()
            .or(other.as_ref().filter(|_| own.is_none()));
        let (line, names) = list.filter(|_| !is_named)?;
        Some(format!(
            "line {line} calls the fields {names}; a line above the rows with the right names of the \
             columns would say what they are"
        ))
    }
}

fn start_of(text: &str) -> &str {
    const MOST: usize = 80;
    text.char_indices()
        .nth(MOST)
        .map_or(text, |(end, _)| &text[..end])
}

/// A statement without a board.
struct Statement {
    line: u64,
    indent: usize,
    text: String,
    /// The place after its last line.
    end: usize,
}

impl Statement {
    /// More bytes than a statement has, and more lines.
    const LONGEST: usize = 2000;
    const MOST: usize = 12;

    /// The statement that begins at a line.
    fn at(lines: &[Line<'_>], place: usize) -> Option<Statement> {
        let first = &lines[place];
        let mut statement = Statement {
            line: first.number,
            indent: first.bytes.len() - first.bytes.trim_ascii_start().len(),
            text: code(first)?,
            end: place + 1,
        };
        for line in lines[place + 1..].iter().take(Statement::MOST) {
            let Some(next) = code(line) else { break };
            let text = &statement.text;
            if !(has_open_call(text) || is_unfinished(text) || goes_on(&next)) {
                break;
            }
            let text = text.trim_end_matches('\\');
            statement.text = format!("{text} {next}");
            statement.end += 1;
        }
        (statement.text.len() <= Statement::LONGEST).then_some(statement)
    }
}

/// The code of a line that has a name and no board, or what follows a row; `None` without such.
fn code(line: &Line<'_>) -> Option<String> {
    let text = line.text().ok()?;
    let text = match line.may_hold_board().then(|| text.rsplit_once(['"', '\''])) {
        Some(row) => row
            .map(|(_, after)| after)
            .filter(|after| after.contains(char::is_alphabetic))?,
        None => text,
    };
    let directive = text.strip_prefix('#').map_or("", str::trim_start);
    let is_code = directive.starts_with("define") || !is_comment(text);
    let has_name = text.contains(|char: char| char.is_ascii_alphanumeric() || ")}]".contains(char));
    let is_statement = is_code && has_name && text.len() <= Statement::LONGEST;
    is_statement.then(|| without_comments(text).into_owned())
}

/// Whether a call in a text is not closed.
fn has_open_call(text: &str) -> bool {
    let tokens = Tokens::new(text);
    let mut open = Vec::new();
    for token in tokens.all() {
        match token {
            Token::Open(sign) => open.push(sign),
            Token::Close => {
                open.pop();
            }
            _ => {}
        }
    }
    matches!(open.last(), Some('(' | '['))
}

/// What the statements so far say.
#[derive(Default)]
struct Found {
    assigned: Vec<Assigned>,
    /// How far the function is indented whose body is the SEE itself.
    own: Option<usize>,
    /// What is asked of bounds: `see(m, value)` and `!see(m, value + 1)` together are equality.
    bounds: Vec<Bound>,
}

/// A name that the SEE is at least, or at most.
struct Bound {
    name: String,
    is_upper: bool,
    /// The line and the text of the statement, if it is none of equality without the other bound.
    statement: Option<(u64, String)>,
}

/// A name that the SEE was assigned to.
struct Assigned {
    name: String,
    asked: Asked,
    /// How far the statement is indented: in one that is less so, the name is another one.
    indent: usize,
}

impl Found {
    fn is_other(&mut self, statement: &Statement) -> bool {
        let Statement { text, indent, .. } = statement;
        self.assigned.retain(|known| known.indent <= *indent);
        let goes_on = text.starts_with(['{', '}']);
        self.own = self
            .own
            .filter(|own| own < indent || goes_on && own == indent);
        let tokens = Tokens::new(text);
        let defined = tokens.defined();
        let is_own = |name: &str| is_see(name) && !is_of_test(name);
        if matches!(defined, Some((_, name)) if is_own(name)) {
            self.own = Some(*indent);
            return false;
        }
        let is_assertion = tokens.names().any(asserts);
        if self.own.is_some() && !is_assertion {
            return false;
        }
        let context = Context {
            brackets: tokens.brackets(),
            tokens,
            is_assertion,
        };
        let defined = defined.map(|(at, _)| at);
        let mut at = 0;
        while at < context.tokens.len() {
            let asked = self.asked(&context, at).filter(|_| defined != Some(at));
            let Some(asked) = asked else {
                at += 1;
                continue;
            };
            // What it is given is no operand.
            let operand = Operand::new(&context.tokens, at);
            at = operand.last + 1;
            if let Some(bound) = context.bound(&operand, statement) {
                self.bounds.push(bound);
            } else if context.is_other(&operand, asked) {
                return true;
            }
            if let Some(name) = operand.assigned_to(&context.tokens) {
                self.assigned.push(Assigned {
                    name: name.to_owned(),
                    asked,
                    indent: *indent,
                });
            }
        }
        false
    }

    /// The first statement that asks for a bound whose other one nothing asks for.
    fn unpaired(self) -> Option<(u64, String)> {
        let is_paired = |one: &Bound| {
            let mut all = self.bounds.iter();
            all.any(|other| other.name == one.name && other.is_upper != one.is_upper)
        };
        let mut unpaired = self.bounds.iter().filter(|bound| !is_paired(bound));
        unpaired.find_map(|bound| bound.statement.clone())
    }

    /// What a token stands for, if that is the SEE or what it is compared with.
    fn asked(&self, context: &Context<'_>, at: usize) -> Option<Asked> {
        let Some(Token::Name(name)) = context.tokens.get(at) else {
            return None;
        };
        match context.tokens.get(at + 1) {
            Some(Token::Open('(')) if is_see(name) && !is_of_test(name) => {
                let threshold = asks(name).then_some(Asked::Threshold);
                return Some(threshold.unwrap_or(Asked::Value));
            }
            Some(Token::Open('(')) => {
                let is_asked = context.is_used() && context.takes_row(at) && !is_of_test(name);
                return is_asked.then_some(Asked::Threshold);
            }
            Some(Token::Sign('.')) => return None,
            _ => {}
        }
        let known = self.assigned.iter().rfind(|known| known.name == name);
        let is_value = || matches!(Role::from_name(name), Some((Role::Value, _)));
        match known {
            Some(known) => Some(known.asked),
            None => (context.is_assertion && is_value()).then_some(Asked::Value),
        }
    }
}

/// What a function is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
enum Asked {
    Value,
    /// Whether the SEE is at least a threshold.
    Threshold,
}

fn is_see(name: &str) -> bool {
    segments(name).iter().any(|word| word.starts_with("see"))
}

/// Whether a function of this name tests the SEE, rather than being it.
fn is_of_test(name: &str) -> bool {
    const WORDS: [&str; 6] = ["case", "cases", "run", "suite", "test", "tests"];
    asserts(name) || segments(name).iter().any(|word| WORDS.contains(&&**word))
}

/// A statement in which something is compared.
struct Context<'a> {
    tokens: Tokens<'a>,
    brackets: Vec<Bracket<'a>>,
    is_assertion: bool,
}

/// A part of a statement with what is called on it: its first and last token.
struct Operand {
    first: usize,
    last: usize,
}

impl Operand {
    /// That of a name.
    fn new(tokens: &Tokens<'_>, name: usize) -> Operand {
        let mut last = name;
        loop {
            last = match (tokens.get(last + 1), tokens.get(last + 2)) {
                (Some(Token::Open('(')), _) => tokens.closing(last + 1),
                (Some(Token::Sign('.')), Some(Token::Name(_))) => last + 2,
                _ => break,
            };
        }
        Operand {
            first: tokens.head(name),
            last,
        }
    }

    /// The name that it is assigned to.
    fn assigned_to<'a>(&self, tokens: &Tokens<'a>) -> Option<&'a str> {
        let sign = self.first.checked_sub(1)?;
        if tokens.get(sign) != Some(Token::Sign('=')) {
            return None;
        }
        // Go assigns by `:=`.
        let name = match tokens.get(sign.checked_sub(1)?) {
            Some(Token::Sign(':')) => sign.checked_sub(2)?,
            _ => sign - 1,
        };
        match tokens.get(name) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }
}

impl Context<'_> {
    /// Whether something else than equality is asked of an operand.
    fn is_other(&self, operand: &Operand, asked: Asked) -> bool {
        self.is_changed(operand)
            || self.is_in_other_call(operand)
            || self.has_number(operand)
            || (asked == Asked::Threshold || self.tokens.get(operand.last) == Some(Token::Close))
                && self.is_used()
                && self.is_bare(operand)
    }

    fn is_called(&self, name: usize) -> bool {
        self.tokens.get(name + 1) == Some(Token::Open('('))
    }

    /// Whether a function other than an assertion is given the move and the number of a row.
    fn takes_row(&self, name: usize) -> bool {
        if self.tokens.path(name).any(asserts) {
            return false;
        }
        let has = |wanted: &[Role]| {
            let inside = name + 2..self.tokens.closing(name + 1);
            let mut roles = inside.filter_map(|at| match self.tokens.get(at) {
                Some(Token::Name(name)) if !self.is_called(at) => Role::from_name(name),
                _ => None,
            });
            roles.any(|(role, _)| wanted.contains(&role))
        };
        has(&[Role::Move]) && has(&[Role::Value, Role::Threshold])
    }

    /// The bound that a call asks for: its last argument if nothing is compared with the call, or the
    /// one below that if the call is denied.
    fn bound(&self, operand: &Operand, statement: &Statement) -> Option<Bound> {
        let bound = |name: &str, is_upper: bool, is_used: bool| Bound {
            name: name.to_owned(),
            is_upper,
            statement: is_used.then(|| (statement.line, statement.text.clone())),
        };
        let name = |at: usize| match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        };
        if self.tokens.get(operand.last) != Some(Token::Close) {
            return None;
        }
        let one_more = matches!(self.tokens.get(operand.last - 1), Some(Token::Number("1")))
            && self.sign(operand.last - 2) == Some('+');
        let before = operand.first.checked_sub(1)?;
        if one_more {
            let around = self.tokens.innermost(operand.first);
            let is_denied = self.sign(before) == Some('!')
                || name(before).is_some_and(denies)
                || around.and_then(|around| around.name).is_some_and(denies);
            let name = name(operand.last - 3).filter(|_| is_denied)?;
            return Some(bound(name, true, true));
        }
        let is_plain = matches!(self.sign(before), None | Some('=' | '&'))
            && name(before).is_none_or(|lead| !denies(lead))
            && self
                .sign(operand.last + 1)
                .is_none_or(|sign| ",;&".contains(sign));
        let is_last = matches!(self.sign(operand.last - 2), Some(',' | '.' | '*' | '&'));
        let is_bare =
            is_plain && is_last && self.is_bare(operand) && !self.is_in_other_call(operand);
        let name = name(operand.last - 1).filter(|_| is_bare)?;
        Some(bound(name, false, self.is_used()))
    }

    /// Whether something depends on what the statement asks.
    fn is_used(&self) -> bool {
        self.is_assertion || self.tokens.names().any(|name| name == "if")
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    /// Whether a sign or a word beside it denies it, computes with it or compares it otherwise.
    fn is_changed(&self, operand: &Operand) -> bool {
        let mut before = operand.first;
        // References and addresses.
        while before > 0 && matches!(self.sign(before - 1), Some('&' | '*' | '$')) {
            let is_operand = before > 1
                && matches!(
                    self.tokens.get(before - 2),
                    Some(Token::Name(_) | Token::Number(_) | Token::Close)
                );
            if is_operand {
                break;
            }
            before -= 1;
        }
        let is_before = before > 0 && self.changes(before - 1, before.checked_sub(2));
        let is_no = |at: usize| matches!(self.tokens.get(at), Some(Token::Name("not")));
        let after = operand.last + 1;
        let is_after = self.changes(after, Some(after + 1)) || is_no(after) || is_no(after + 1);
        is_before || before > 0 && is_no(before - 1) || is_after
    }

    /// Whether a sign beside an operand changes it or compares it otherwise. `other` is the token on
    /// the other side of the sign.
    fn changes(&self, at: usize, other: Option<usize>) -> bool {
        let next = other.and_then(|other| {
            self.sign(other)
                .filter(|_| self.tokens.touch(at.min(other), at.max(other)))
        });
        match self.sign(at) {
            // `!=` beside it is that of a test's failure, except in an assertion.
            Some('=') => match next {
                Some('!') => self.is_assertion,
                Some('<' | '>') => other < Some(at),
                _ => false,
            },
            Some('!') => next != Some('=') || self.is_assertion,
            // An arrow, or what is written to a stream.
            Some('>') => {
                !matches!(next, Some('>' | '-' | '=')) || next == Some('=') && other > Some(at)
            }
            Some('<') => next != Some('<'),
            // What is added to a text is a part of a message.
            Some('+') => matches!(
                other.and_then(|other| self.tokens.get(other)),
                Some(Token::Name(_) | Token::Number(_))
            ),
            Some('-' | '*' | '/' | '%' | '~' | '^') => next != Some('>') || other < Some(at),
            _ => false,
        }
    }

    /// Whether a function that it is an argument of, or that is applied to it, asks something else.
    fn is_in_other_call(&self, operand: &Operand) -> bool {
        let is_other = |name: &str| {
            let words = words_around_question(name);
            may_deny(&words) || words.iter().any(|word| OTHERS.contains(&&**word))
        };
        let mut around = self
            .brackets
            .iter()
            .filter(|bracket| bracket.start < operand.last && operand.last < bracket.end);
        // A word may stand between two operands, as in `a shouldBe b`.
        let beside = match self.tokens.get(operand.last + 1) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        };
        around.any(|bracket| bracket.name.is_some_and(is_other))
            || beside.is_some_and(is_other)
            || self.has_operator()
            || self.is_assertion && self.is_denied(operand, is_other)
    }

    /// Whether one of its arguments is an operator in a string, as in `cmp_ok(see(..), '>=', v)`.
    fn has_operator(&self) -> bool {
        let signs = |at: usize| [at, at + 1].map(|at| self.sign(at));
        (0..self.tokens.len()).any(|at| signs(at) == [Some(','), Some('<')])
    }

    /// Whether something in an assertion outside of an operand denies or negates, or is a function that
    /// asks something else.
    fn is_denied(&self, operand: &Operand, is_other: impl Fn(&str) -> bool) -> bool {
        let sign_before = |at: usize| at.checked_sub(1).and_then(|before| self.sign(before));
        self.tokens.all().enumerate().any(|(at, token)| {
            if operand.first <= at && at <= operand.last {
                return false;
            }
            match token {
                Token::Name(name) => {
                    let is_applied = self.tokens.is_applied(at) || sign_before(at) == Some(':');
                    name == "not" || is_applied && is_other(name)
                }
                Token::Sign('!') => self.tokens.is_negation(at),
                Token::Sign('-') => matches!(
                    (
                        at.checked_sub(1).and_then(|at| self.tokens.get(at)),
                        self.tokens.get(at + 1)
                    ),
                    (
                        Some(Token::Open(_) | Token::Sign(',' | '=')),
                        Some(Token::Name(_) | Token::Sign('$'))
                    )
                ),
                _ => false,
            }
        })
    }

    /// Whether a number is one of its arguments, such as a threshold.
    fn has_number(&self, operand: &Operand) -> bool {
        let is_number = |at: usize| {
            matches!(self.tokens.get(at), Some(Token::Number(_)))
                && matches!(
                    self.tokens.get(at - 1),
                    Some(Token::Open('(') | Token::Sign(',' | '-'))
                )
                && matches!(
                    self.tokens.get(at + 1),
                    Some(Token::Close | Token::Sign(','))
                )
        };
        (operand.first + 1..operand.last).any(is_number)
    }

    /// Whether it is not compared with a truth that the row has.
    fn is_bare(&self, operand: &Operand) -> bool {
        const EQUALS: [&str; 7] = ["be", "eq", "equal", "equals", "is", "same", "to"];
        let is_outside = |at: usize| at < operand.first || operand.last < at;
        let says = |names: &[&str]| {
            self.tokens.all().enumerate().any(|(at, token)| {
                let words = match token {
                    Token::Name(name) if is_outside(at) => segments(name),
                    _ => return false,
                };
                words.iter().any(|word| names.contains(&&**word))
            })
        };
        let equals = |at: usize| self.sign(at) == Some('=') && self.sign(at + 1) == Some('=');
        let fails = |at: usize| self.sign(at) == Some('!') && self.sign(at + 1) == Some('=');
        let is_compared = says(&EQUALS)
            || (0..self.tokens.len()).any(|at| is_outside(at) && (equals(at) || fails(at)));
        // Another argument beside it may be what it is compared with; a text is a message.
        let is_argument = |at: Option<usize>| {
            at.and_then(|at| self.tokens.get(at)).is_some_and(|token| {
                !matches!(token, Token::Close | Token::Open(_) | Token::Sign(','))
            })
        };
        let after = operand.last + 1;
        let is_beside = self.sign(after) == Some(',') && is_argument(Some(after + 1));
        let before = operand.first.checked_sub(1);
        let is_after = before.and_then(|at| self.sign(at)) == Some(',')
            && is_argument(operand.first.checked_sub(2));
        !is_compared && !is_beside && !is_after || says(&["true", "false"])
    }
}
