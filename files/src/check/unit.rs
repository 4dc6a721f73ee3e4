//! In what the numbers of a text are: centipawns, pawns or pieces.

use super::amount::Amount;
use super::draft::Draft;
use super::wrong::{Stage, Wrong};
use swaplist::PieceValues;

/// In what the numbers of a text are.
pub(super) struct Unit {
    /// The line of a number that says that all are pawns, and the number in hundredths.
    pawns: Option<(u64, i64)>,
}

impl Unit {
    /// More pawns than this are not meant.
    const MANY: i64 = 50;

    pub fn from_drafts(drafts: &[&Draft]) -> Unit {
        let hundredths = drafts.iter().filter_map(|draft| match draft.said.amount {
            Amount::Hundredths(number) => Some((draft.line, number)),
            _ => None,
        });
        let numbers: Vec<(u64, i64)> = hundredths.collect();
        let part = numbers.iter().find(|(_, number)| number % 100 != 0);
        // `100.0` is a whole number of centipawns, as some languages write it.
        let are_small = numbers
            .iter()
            .all(|(_, number)| number.abs() < 100 * Unit::MANY);
        let whole = numbers.first().filter(|_| are_small);
        Unit {
            pawns: part.or(whole).copied(),
        }
    }

    pub fn centipawns(&self, amount: Amount) -> Result<i32, Wrong> {
        let number = match (amount, self.pawns) {
            (Amount::Whole(number), Some((line, said))) if number.abs() >= Unit::MANY => {
                let said = shown(said);
                return Err(Stage::Value.wrong(format!(
                    "{number} is too much in pawns, in which line {line} is ({said})"
                )));
            }
            (Amount::Whole(number), Some(_)) => 100 * number,
            (Amount::Hundredths(number), None) => number / 100,
            (Amount::Whole(number) | Amount::Hundredths(number) | Amount::Pieces(number), _) => {
                number
            }
        };
        number
            .try_into()
            .map_err(|_| Stage::Value.wrong(format!("{number} centipawns are too many")))
    }

    pub fn notes(&self, drafts: &[&Draft]) -> Vec<String> {
        let mut notes = Vec::new();
        if let Some((line, said)) = self.pawns {
            notes.push(format!(
                "numbers are read as pawns: {} on line {line} as {said} centipawns",
                shown(said)
            ));
        }
        let first = drafts
            .iter()
            .find(|draft| matches!(draft.said.amount, Amount::Pieces(_)));
        if let Some(draft) = first {
            let values = PieceValues::CPW;
            let line = draft.line;
            notes.push(format!(
                "sums of pieces, as on line {line}, are read with the values {values}"
            ));
        }
        notes
    }
}

/// Hundredths as pawns.
fn shown(hundredths: i64) -> String {
    let sign = if hundredths < 0 { "-" } else { "" };
    let whole = hundredths.abs() / 100;
    let parts = hundredths.abs() % 100;
    format!("{sign}{whole}.{parts:02}")
}
