//! Tables whose first line names their columns, in CSV, with tabs or semicolons, or in Markdown.
//!
//! A row is read by these names. If they stand in the usual order, FEN, move and claim, rows that are
//! written in another way are read like lines without a header.

use memchr::memchr;

use super::columns::names_in_code;
use super::comments::is_other_word;
use super::line::{Parts, Said, is_meant_as_truth, read_claim, truth, without_comments};
use super::literal::unquoted;
use super::names::{ClaimPlaces, Places, Role, Unclear};
use super::words::{SEPARATORS, find_board};
use super::wrong::{Stage, Wrong};
use crate::formats::split_fen;

/// The header of a table.
#[derive(Clone, Debug)]
pub(super) struct Header {
    /// The number of its line.
    line: u64,
    separator: char,
    /// The number of its columns.
    columns: usize,
    /// Where the parts of an answer are, or why that is not clear.
    places: Result<Places, String>,
    /// Whether a line of a program has the names: the rows may be in brackets.
    is_of_code: bool,
    /// Whether rows below are read as without a header.
    is_plain: bool,
}

impl Header {
    /// Reads a header: names in the cells of a line, of which one stands for the FEN.
    pub fn read(line: u64, text: &str) -> Option<Header> {
        /// Longer lines are no headers.
        const LONGEST: usize = 1000;
        if text.len() > LONGEST || find_board(text).is_some() {
            return None;
        }
        SEPARATORS
            .into_iter()
            .chain([' '])
            .find_map(|separator| Header::with_separator(line, text, separator))
    }

    /// Reads names of columns in a comment or in a line of a program. They are plain if they are
    /// those that rows have without a header, or name no claim.
    pub fn in_code(line: u64, text: &str) -> Option<Header> {
        let names = names_in_code(text)?;
        let header = Header::read(line, &names)?;
        let is_plain = match &header.places {
            Ok(places) => places.is_usual() && header.columns == places.last() + 1,
            Err(_) => !names
                .split(SEPARATORS)
                .any(|cell| is_of_claim(cell) || is_other_word(cell.trim())),
        };
        Some(Header {
            is_of_code: true,
            is_plain,
            ..header
        })
    }

    /// Whether rows below are read as without a header.
    pub const fn is_plain(&self) -> bool {
        self.is_plain
    }

    fn with_separator(line: u64, text: &str, separator: char) -> Option<Header> {
        if !text.contains(separator) {
            return None;
        }
        let mut cells = cells(text, separator);
        while cells.last().is_some_and(|cell| cell.is_empty()) {
            cells.pop();
        }
        let condition = cells.iter().find(|cell| is_condition(cell));
        let is_column = |cell: &&str| is_name(cell) || is_condition(cell);
        let are_names = cells.len() > 1 && cells.iter().all(is_column);
        let has = |role: Role, most: u8| {
            let mut roles = cells.iter().filter_map(|cell| Role::from_name(cell));
            roles.any(|(found, rank)| found == role && rank <= most)
        };
        // `position` may be anything without a move beside it; words between blanks may be a sentence.
        let is_header = match separator {
            ' ' => cells.iter().all(|cell| Role::from_name(cell).is_some()) && has(Role::Fen, 0),
            _ => has(Role::Fen, 0) || has(Role::Fen, 1) && has(Role::Move, 2),
        };
        if !are_names || !is_header {
            return None;
        }
        let places = match condition {
            Some(cell) => Err(format!(
                "has a condition, '{cell}'; name such a column see, or two threshold and ge"
            )),
            None => Places::from_names(&cells.iter().copied())
                .map_err(|unclear| in_words(&unclear, &cells)),
        };
        Some(Header {
            line,
            separator,
            columns: cells.len(),
            places,
            is_of_code: false,
            is_plain: false,
        })
    }

    /// The answer of a row; `None` if it is to be read like a line without a header.
    pub fn row(&self, text: &str) -> Option<Result<Parts, Wrong>> {
        let plain = without_comments(text);
        let mut cells = match inside_brackets(&plain).filter(|_| self.is_of_code) {
            Some(fields) => cells(fields, ','),
            None => cells(&plain, self.separator),
        };
        // Arguments with names that a case of a parametrised test may have.
        while self.is_of_code
            && cells.len() > self.columns
            && cells.last().is_some_and(|cell| cell.contains('='))
        {
            cells.pop();
        }
        let is_fen = |cell: &&str| find_board(cell) == Some(0);
        // What is no row of a table has nothing to do with its header.
        let at = cells.iter().position(is_fen)?;
        let places = match &self.places {
            Ok(places) => places,
            Err(why) => return Some(Err(self.wrong(why))),
        };
        match self.parts(places, &cells, at) {
            None if places.is_usual() => None,
            None => Some(Err(self.misfit(cells.len()))),
            found => found,
        }
    }

    /// The answer in the cells of a row, if these fit the header.
    fn parts(&self, places: &Places, cells: &[&str], at: usize) -> Option<Result<Parts, Wrong>> {
        let fen = cells.get(places.fen).filter(|_| at == places.fen)?;
        let is_whole = split_fen(fen).is_some_and(|(_, after)| after.trim().is_empty());
        let given = cells.iter().rposition(|cell| !cell.is_empty())? + 1;
        // Cells that are missing, or too many, may be any of those between the ones that are needed.
        let is_sure = given == self.columns || places.are_adjacent() && given > places.last();
        if !is_whole || !is_sure || self.separator == ' ' {
            return None;
        }
        let is_truth_next = || {
            let next = cells.get(places.last() + 1);
            next.is_some_and(|cell| is_meant_as_truth(cell))
        };
        if given > self.columns && is_truth_next() {
            return Some(Err(self.misfit(given)));
        }
        // A truth in a column of another name may be of the claim.
        let is_value = matches!(places.claim, ClaimPlaces::Value(_));
        let needed = places.sorted();
        let truth = cells.iter().enumerate().find(|(at, cell)| {
            !needed.contains(at) && !matches!(**cell, "0" | "1") && truth(cell).is_some()
        });
        if let Some((_, cell)) = truth.filter(|_| is_value) {
            let why =
                format!("does not say what '{cell}' is, expected a column ge and a threshold");
            return Some(Err(self.wrong(&why)));
        }
        let said = match places.claim {
            ClaimPlaces::Value(value) => read_claim(&[cells[value]]),
            ClaimPlaces::Threshold { threshold, holds } => {
                Said::at_least(cells[threshold], cells[holds])
            }
        };
        Some(said.map(|said| Parts {
            fen: fen.split_ascii_whitespace().collect::<Vec<_>>().join(" "),
            name: cells[places.name].to_owned(),
            said,
        }))
    }

    /// Whether the table may go on with this line: one of Markdown ends where its signs end.
    pub fn goes_on(&self, line: &[u8]) -> bool {
        self.separator != '|' || memchr(b'|', line).is_some()
    }

    fn misfit(&self, fields: usize) -> Wrong {
        self.wrong(&format!(
            "does not fit this line, which has {fields} fields"
        ))
    }

    fn wrong(&self, why: &str) -> Wrong {
        Stage::Header.wrong(format!("the header on line {} {why}", self.line))
    }
}

impl Places {
    /// Whether the FEN is before the move and this before the claim, with nothing between them.
    pub fn is_usual(&self) -> bool {
        let [claim, last] = match self.claim {
            ClaimPlaces::Value(value) => [value, value],
            ClaimPlaces::Threshold { threshold, holds } => [threshold, holds],
        };
        let is_in_order = self.fen < self.name && self.name < claim && claim <= last;
        is_in_order && self.are_adjacent()
    }

    /// The columns that are needed, in their order.
    fn sorted(&self) -> Vec<usize> {
        let mut all = vec![self.fen, self.name];
        match self.claim {
            ClaimPlaces::Value(value) => all.push(value),
            ClaimPlaces::Threshold { threshold, holds } => all.extend([threshold, holds]),
        }
        all.sort_unstable();
        all
    }

    fn last(&self) -> usize {
        self.sorted().pop().unwrap_or(0)
    }

    fn are_adjacent(&self) -> bool {
        let sorted = self.sorted();
        sorted.array_windows().all(|[one, next]| one + 1 == *next)
    }
}

/// The fields of an initialiser.
fn inside_brackets(text: &str) -> Option<&str> {
    let open = text[..find_board(text)?].rfind(['(', '[', '{'])?;
    Some(text[open + 1..].trim_end_matches([' ', ',', ';', ')', ']', '}']))
}

/// The cells of a line, without the blanks and quotes around them.
fn cells(text: &str, separator: char) -> Vec<&str> {
    let mut row = text.trim_matches(' ');
    if separator == ' ' {
        return row.split_ascii_whitespace().map(unquoted).collect();
    }
    if separator == '|' {
        // Signs that frame the row.
        row = row.strip_prefix('|').unwrap_or(row);
        row = row.strip_suffix('|').unwrap_or(row);
    }
    let mut is_quoted = false;
    row.split(|char| {
        is_quoted ^= char == '"';
        char == separator && !is_quoted
    })
    .map(|cell| unquoted(cell.trim()))
    .collect()
}

/// Whether a cell may be the name of a column, rather than a part of a program.
fn is_name(cell: &str) -> bool {
    cell.chars()
        .all(|char| char.is_alphanumeric() || " _-#.%()[]:?*+".contains(char))
}

/// Whether a cell is a name for a claim.
fn is_of_claim(cell: &str) -> bool {
    !matches!(
        Role::from_name(cell.trim()),
        None | Some((Role::Fen | Role::Move, _))
    )
}

/// Whether a cell names a claim with a sign that makes it another one, `see >= 100`. An assignment of a
/// program is none.
fn is_condition(cell: &str) -> bool {
    let is_assigned = |(_, right): (&str, &str)| right.starts_with(char::is_alphabetic);
    cell.contains(['<', '>', '=', '!', '\u{2264}', '\u{2265}', '\u{2260}'])
        && cell
            .split(|char: char| !char.is_alphanumeric())
            .any(is_of_claim)
        && !cell.split_once("= ").is_some_and(is_assigned)
}

/// Why the names of the columns do not say where the parts of an answer are.
fn in_words(unclear: &Unclear, cells: &[&str]) -> String {
    let found = cells.join(", ");
    let what = match unclear {
        Unclear::Missing(role) => {
            let what = match role {
                Role::Fen => "FEN",
                Role::Move => "move",
                Role::Value => "SEE",
                Role::Threshold => "threshold",
                Role::Holds => "truth of the threshold",
                Role::Relation => "relation",
            };
            format!(
                "names no column for the {what}, expected {}",
                role.proposed()
            )
        }
        Unclear::Twice(_, [first, second]) => format!(
            "names two columns for the same, {} and {}",
            cells[*first], cells[*second]
        ),
        Unclear::Relation(at) => {
            format!("has a column that may say something else, {}", cells[*at])
        }
        Unclear::Both => "names both a value and a threshold or its truth".to_owned(),
    };
    format!("{what}, found {found}")
}
