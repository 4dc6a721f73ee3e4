//! EPD operations: `bm Qxe5; c9 "1-0"; hmvc 5;`.
//!
//! Only the played move, the score, the result and the clocks are read. Other operations are passed
//! over, whatever their form: test suites hold times, perft counts and comments. If one of the first
//! cannot be read, that is noted, and only a job that needs its field refuses the line.

use core::str::FromStr as _;

use super::moves::Namer;
use super::values::{no_score_alone, parse_outcome, parse_score, unexpected};
use super::{field, quoted};
use crate::formats::{Fault, Field, Invalid, RecordFields, turned_score};
use swaplist::Position;
use swaplist::fen::{Extras, ply};

/// What the operations of a line say.
pub(in crate::formats) struct Operations {
    pub record: RecordFields,
    /// The FEN with clocks that it does not have of its own, if the operations give any.
    pub fen: Option<Vec<u8>>,
    /// The operations that cannot be read, by the field that they would give.
    pub unread: Vec<(Field, Invalid)>,
    /// The half-move clock and the move number that the operations give.
    clocks: [Option<u32>; 2],
}

/// The clocks, with their names.
const CLOCKS: [(&[u8], &str); 2] = [
    (b"hmvc", "the half-move clock"),
    (b"fmvn", "the move number"),
];

/// Opcodes of the standard, and some of test suites. Those of a letter and a digit from 1 to 8 are
/// left out: after `;` they are moves.
const OPCODES: &[&[u8]] = &[
    b"acd", b"acms", b"acn", b"acs", b"am", b"bm", b"c0", b"c9", b"cdb", b"ce", b"dm", b"eco",
    b"ep", b"fmvn", b"hmvc", b"id", b"nic", b"noop", b"perft", b"pm", b"pv", b"rc", b"resign",
    b"sm", b"tcgs", b"tcri", b"tcsi", b"v0", b"v9",
];

/// Whether text that follows a FEN without an opcode is an operation of a test suite all the same:
/// a time, `00:00;`, or a comment in quotes. Anything else may be a score in a form of its own.
fn is_odd_operation(text: &[u8]) -> bool {
    let (operands, after) = split_operands(text);
    let is_time = operands.contains(&b':')
        && operands
            .iter()
            .all(|&byte| byte.is_ascii_digit() || byte == b':');
    let is_quoted = matches!(operands, [b'"', .., b'"']);
    after.starts_with(b";") && (is_time || is_quoted)
}

/// Whether the text after a FEN and `;` begins with an operation, such as `bm Qxe5` or the `D1 20`
/// of perft suites, rather than a move.
pub(crate) fn begins_with_operation(text: &[u8]) -> bool {
    match field(text.trim_ascii_start()) {
        [b'D', depth @ ..] => !depth.is_empty() && depth.iter().all(u8::is_ascii_digit),
        opcode => OPCODES.contains(&opcode),
    }
}

impl Operations {
    /// Reads the operations after a FEN, or a result in brackets, with a score after it.
    pub fn read(
        text: &[u8],
        fen: &[u8],
        position: Position,
        record: RecordFields,
    ) -> Result<Operations, Invalid> {
        let mut read = Operations {
            record,
            fen: None,
            unread: Vec::new(),
            clocks: [None; 2],
        };
        let mut rest = text;
        let mut is_first = true;
        let mut follows_result = false;
        loop {
            rest = rest.trim_ascii_start();
            rest = match rest.split_first() {
                None => break,
                Some((b';', after)) => after,
                Some((b'[', after)) => {
                    let bracket = after.iter().position(|&byte| byte == b']');
                    let end = bracket.ok_or_else(|| unexpected(rest))?;
                    match parse_outcome(&after[..end]) {
                        Ok(outcome) => read.record = read.record.with_outcome(Some(outcome)),
                        Err(fault) => read.unread.push((Field::Result, fault)),
                    }
                    follows_result = true;
                    read.score_after_result(&after[end + 1..], position)
                }
                Some((b'a'..=b'z' | b'A'..=b'Z', _)) => {
                    let (opcode, after_opcode) = rest.split_at(field(rest).len());
                    let (operands, after) = split_operands(after_opcode);
                    read.operation(opcode, operands, fen, position);
                    after
                }
                // A score or a result would be after it.
                Some((b'|', _)) => return Err(unexpected(rest)),
                Some(_) if is_first && !is_odd_operation(rest) => return Err(unexpected(rest)),
                Some(_) => {
                    let (operands, after) = split_operands(rest);
                    // A score in a form of its own, such as `-23 d12` or `#3`.
                    if follows_result && !is_odd_operation(rest) {
                        read.unread.push((Field::Score, no_score_alone(operands)));
                    }
                    after
                }
            };
            is_first = false;
        }
        if read.clocks != [None; 2] {
            read.set_clocks(fen, position);
        }
        Ok(read)
    }

    /// Takes White's score after a result in brackets, `FEN [0.5] -23`, if there is one. Returns the
    /// text after it.
    fn score_after_result<'a>(&mut self, text: &'a [u8], position: Position) -> &'a [u8] {
        let (operands, after) = split_operands(text);
        let is_number = operands
            .iter()
            .all(|byte| matches!(byte, b'+' | b'-' | b'.' | b'0'..=b'9'));
        if operands.is_empty() || !is_number {
            return text;
        }
        match parse_score(operands) {
            Ok(score) => {
                let of_mover = turned_score(score, position.turn());
                self.record = self.record.with_score(Some(of_mover));
            }
            Err(fault) => self.unread.push((Field::Score, fault)),
        }
        after
    }

    /// Takes an operation, if it is one that is read.
    fn operation(&mut self, opcode: &[u8], operands: &[u8], fen: &[u8], position: Position) {
        match opcode {
            // "Supplied move": the played one.
            b"sm" => match Namer::on(fen, position).find(operands) {
                Ok(played) => self.record = self.record.with_played(Some(played)),
                Err(fault) => self.unread.push((Field::Played, fault)),
            },
            // The side to move's score.
            b"ce" => match parse_score(operands) {
                Ok(score) => self.record = self.record.with_score(Some(score)),
                Err(fault) => self.unread.push((Field::Score, fault)),
            },
            // A comment that some data sets use for the result; may hold anything else.
            b"c9" => {
                let unquoted = operands
                    .strip_prefix(b"\"")
                    .and_then(|text| text.strip_suffix(b"\""));
                if let Ok(outcome) = parse_outcome(unquoted.unwrap_or(operands)) {
                    self.record = self.record.with_outcome(Some(outcome));
                }
            }
            _ => {
                let clock = CLOCKS.iter().position(|(name, _)| *name == opcode);
                if let Some(clock) = clock {
                    self.clock(clock, operands);
                }
            }
        }
    }

    /// Takes the operand of a clock, by its number in [`CLOCKS`].
    fn clock(&mut self, clock: usize, operands: &[u8]) {
        let text = core::str::from_utf8(operands).ok();
        let number = text.and_then(|text| u32::from_str(text).ok());
        if let Some(number) = number.filter(|number| *number < 100_000_000) {
            self.clocks[clock] = Some(number);
        } else {
            let what = CLOCKS[clock].1;
            let shown = quoted(operands);
            let message = format!("'{shown}' is not a number, as {what} should be");
            self.unread.push((Field::Clocks, Invalid::other(message)));
        }
    }

    /// Adds the clocks to the FEN. Those that it has of its own stay.
    fn set_clocks(&mut self, fen: &[u8], position: Position) {
        let fields: Vec<&[u8]> = fen
            .split(|byte| matches!(byte, b' ' | b'\t'))
            .filter(|field| !field.is_empty())
            .collect();
        let Some(extras) = Extras::from_fen(fen, &position) else {
            return;
        };
        let own = [
            (fields.len() > 4).then_some(extras.halfmoves),
            (fields.len() > 5).then_some(extras.fullmoves),
        ];
        for ((own, operand), (name, what)) in own.into_iter().zip(self.clocks).zip(CLOCKS) {
            if let Some(own) = own
                && let Some(operand) = operand
                && own != operand
            {
                let name = quoted(name);
                let message = format!("{name} {operand} contradicts {what} of the FEN, {own}");
                let fault = Invalid::new(Fault::Unexpected, message);
                self.unread.push((Field::Clocks, fault));
            }
        }
        let halfmoves = own[0].or(self.clocks[0]).unwrap_or(0);
        let mut whole = fields[..4].join(&b' ');
        whole.extend_from_slice(format!(" {halfmoves}").as_bytes());
        if let Some(fullmoves) = own[1].or(self.clocks[1]) {
            whole.extend_from_slice(format!(" {fullmoves}").as_bytes());
            let ply = ply(fullmoves, position.turn());
            self.record = self.record.with_ply(Some(ply));
        }
        if fields.len() < 6 {
            self.fen = Some(whole);
        }
    }
}

/// Up to the semicolon that ends the operation, outside of quotes.
pub(crate) fn split_operands(text: &[u8]) -> (&[u8], &[u8]) {
    let mut in_quotes = false;
    let end = text.iter().position(|&byte| {
        in_quotes ^= byte == b'"';
        byte == b';' && !in_quotes
    });
    let (operands, after) = text.split_at(end.unwrap_or(text.len()));
    (operands.trim_ascii(), after)
}
