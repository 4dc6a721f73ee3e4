//! What the program around rows does with them. A row states a number, but not its meaning: it is the
//! SEE only if the program compares the SEE for equality.
//!
//! ```text
//! {"FEN", "e4d5", 100},                     a row
//! EXPECT_EQ(see(t.fen, t.move), t.value);   the number is the SEE
//! EXPECT_GE(see(t.fen, t.move), t.value);   the number is a bound: rows are refused
//! ```
//!
//! The statements are those without a board: loops over rows, functions and macros that are called
//! with them. Names of tables, fields and functions may be anything, so we do not find out which rows
//! a statement uses: one that compares otherwise refuses all rows of the text.

use super::callee::{asks, asserts, is_see};
use super::compared::{Asked, Bound, Context, Operand};
use super::fields::{ClaimName, field_lists};
use super::line::without_comments;
use super::lines::{Line, is_comment};
use super::names::Role;
use super::tokens::{Token, Tokens, segments};
use super::whole::{goes_on, is_unfinished};

/// What a program does with rows.
#[derive(Default)]
pub(super) struct Uses {
    /// The first statement that compares the SEE otherwise than for equality: its line and text.
    not_equality: Option<(u64, String)>,
    /// The lists of names for the fields of a row: the line, what it calls the claim, and the names.
    lists: Vec<(u64, ClaimName, String)>,
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
            let lists = field_lists(&Tokens::new(text)).into_iter();
            uses.lists
                .extend(lists.map(|(called, names)| (line, called, names)));
            if uses.not_equality.is_none() && found.record(&statement) {
                uses.not_equality = Some((line, statement.text));
            }
        }
        uses.not_equality = uses.not_equality.or_else(|| found.unpaired());
        uses
    }

    /// Why the claim of a row is not clear. `is_threshold` is whether it is that of a threshold, and
    /// `is_named` whether names beside the row say what its fields are.
    pub fn doubt(&self, is_threshold: bool, is_named: bool) -> Option<String> {
        if let Some((line, text)) = &self.not_equality {
            let shown = start_of(text);
            return Some(format!(
                "line {line} compares otherwise than for equality, '{shown}'; if the rows have the \
                 SEE, leave that line out"
            ));
        }
        if is_named {
            return None;
        }
        let find = |wanted| self.lists.iter().find(|(_, called, _)| *called == wanted);
        let (own, other) = if is_threshold {
            (ClaimName::Threshold, ClaimName::Value)
        } else {
            (ClaimName::Value, ClaimName::Threshold)
        };
        // A list that fits the row proves that it is read as it is meant.
        let other = find(other).filter(|_| find(own).is_none());
        let (line, _, names) = find(ClaimName::Unclear).or(other)?;
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
    /// More bytes than a statement has.
    const MAX_BYTES: usize = 2000;
    /// More lines than it has after the first.
    const MAX_MORE_LINES: usize = 12;

    /// The statement that begins at a line.
    fn at(lines: &[Line<'_>], place: usize) -> Option<Statement> {
        let first = &lines[place];
        let mut statement = Statement {
            line: first.number,
            indent: first.bytes.len() - first.bytes.trim_ascii_start().len(),
            text: code(first)?,
            end: place + 1,
        };
        for line in lines[place + 1..].iter().take(Statement::MAX_MORE_LINES) {
            let Some(next) = code(line) else { break };
            let text = &statement.text;
            if !(has_open_call(text) || is_unfinished(text) || goes_on(&next)) {
                break;
            }
            let text = text.trim_end_matches('\\');
            statement.text = format!("{text} {next}");
            statement.end += 1;
        }
        (statement.text.len() <= Statement::MAX_BYTES).then_some(statement)
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
    let is_statement = is_code && has_name && text.len() <= Statement::MAX_BYTES;
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
    /// How far the definition of the SEE is indented that the statements are in. What it compares is
    /// the SEE's own business, not a test.
    see_indent: Option<usize>,
    /// What is asked of bounds: `see(m, value)` and `!see(m, value + 1)` together are equality.
    /// Each is with its line and statement.
    bounds: Vec<(Bound, u64, String)>,
}

/// A name that the SEE was assigned to.
struct Assigned {
    name: String,
    asked: Asked,
    /// How far the assignment is indented. A statement that is indented less has left its scope.
    indent: usize,
}

impl Found {
    /// Records what a statement says of the SEE. Returns whether it compares the SEE otherwise than for
    /// equality.
    fn record(&mut self, statement: &Statement) -> bool {
        let Statement { text, indent, .. } = statement;
        self.leave_scopes(text, *indent);
        let tokens = Tokens::new(text);
        let defined = tokens.defined();
        let is_ok = |name: &str| name == "ok" && text.contains("ok(");
        let is_assertion = tokens.names().any(|name| asserts(name) || is_ok(name));
        // A function that asserts on the same line is a test, whatever its name.
        let is_see_itself = |name: &str| is_see(name) && !is_of_test(name) && !is_assertion;
        if matches!(defined, Some((_, name)) if is_see_itself(name)) {
            self.see_indent = Some(*indent);
            return false;
        }
        if self.see_indent.is_some() && !is_assertion {
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
            // The arguments of a call are not compared.
            let operand = Operand::new(&context.tokens, at);
            at = operand.last + 1;
            if let Some(bound) = context.bound(&operand) {
                self.bounds.push((bound, statement.line, text.clone()));
            } else if context.is_not_equality(&operand, asked) {
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

    /// Forgets what is of functions and blocks that end before a statement.
    fn leave_scopes(&mut self, text: &str, indent: usize) {
        self.assigned.retain(|known| known.indent <= indent);
        let is_brace = text.starts_with(['{', '}']);
        self.see_indent = self
            .see_indent
            .filter(|&of_see| of_see < indent || (is_brace && of_see == indent));
    }

    /// The first statement that checks one bound of a name, the lower or the upper one, if none checks
    /// the other. Names are the same in a whole text.
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
