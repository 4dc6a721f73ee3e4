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

use super::callee::{asks, asserts, is_see};
use super::compared::{Asked, Bound, Context, Operand};
use super::fields::lists;
use super::line::without_comments;
use super::lines::{Line, is_comment};
use super::names::Role;
use super::tokens::{Token, Tokens, segments};
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
    // In other languages `#` begins a comment. A function may follow an attribute of Rust.
    let directive = text.strip_prefix('#').map_or("", str::trim_start);
    let is_code = directive.starts_with("define") || text.starts_with("#[") || !is_comment(text);
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
    /// Each is with its line and statement.
    bounds: Vec<(Bound, u64, String)>,
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
        let is_ok = |name: &str| name == "ok" && text.contains("ok(");
        let is_assertion = tokens.names().any(|name| asserts(name) || is_ok(name));
        // One that asserts on the same line is a test, whatever its name.
        let is_own = |name: &str| is_see(name) && !is_of_test(name) && !is_assertion;
        if matches!(defined, Some((_, name)) if is_own(name)) {
            self.own = Some(*indent);
            return false;
        }
        if self.own.is_some() && !is_assertion {
            return false;
        }
        let context = Context::new(tokens, is_assertion);
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
            if let Some(bound) = context.bound(&operand) {
                self.bounds.push((bound, statement.line, text.clone()));
            } else if context.is_other(&operand, asked) {
                return true;
            }
            if let Some(name) = context.assigned_to(&operand) {
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
            all.any(|(other, ..)| other.name == one.name && other.is_upper != one.is_upper)
        };
        let mut all = self.bounds.iter();
        let (_, line, text) = all.find(|(bound, ..)| bound.is_used && !is_paired(bound))?;
        Some((*line, text.clone()))
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
                let is_asked = context.takes_row(at) && !is_of_test(name);
                return is_asked.then_some(Asked::Threshold);
            }
            Some(Token::Sign('.')) => return None,
            _ => {}
        }
        let known = self.assigned.iter().rfind(|known| known.name == name);
        let is_value = || matches!(Role::from_name(name), Some((Role::Value, _)));
        match known {
            // Alone in an assertion, it says whether a threshold is reached.
            Some(_) if context.is_assertion => Some(Asked::Threshold),
            Some(known) => Some(known.asked),
            None => (context.is_assertion && is_value()).then_some(Asked::Value),
        }
    }
}

/// Whether a function of this name tests the SEE, rather than being it.
fn is_of_test(name: &str) -> bool {
    const WORDS: [&str; 6] = ["case", "cases", "run", "suite", "test", "tests"];
    asserts(name) || segments(name).iter().any(|word| WORDS.contains(&&**word))
}
