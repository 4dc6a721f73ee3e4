//! Sums of pieces: what an exchange wins, whatever the piece values are.

use core::fmt;
use core::ops::{Add, Neg, Sub};
use core::str::FromStr;

use shakmaty::Role;

use swaplist::{ParseError, PieceValues};

/// A sum of pieces such as `P - N`: the value of a move under any piece values.
///
/// ```
/// use swaplist::PieceValues;
/// use swaplist_files::suite::PieceSum;
///
/// let sum: PieceSum = "P - N + P".parse()?;
/// assert_eq!(sum.at(&PieceValues::CPW), -125);
/// assert_eq!(sum.to_string(), "P + P - N");
/// # Ok::<(), swaplist::ParseError>(())
/// ```
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
pub struct PieceSum {
    /// How often each piece counts: pawn to queen, and the king for engines that give it a value.
    counts: [i32; 6],
}

impl PieceSum {
    /// The sum of no pieces.
    pub(crate) const ZERO: PieceSum = PieceSum { counts: [0; 6] };

    /// A piece alone.
    pub(crate) const fn from_role(role: Role) -> PieceSum {
        let mut counts = [0; 6];
        counts[role as usize - 1] = 1;
        PieceSum { counts }
    }

    /// The sum under these piece values, in their unit.
    pub fn at(&self, values: &PieceValues) -> i32 {
        let [pawn, knight, bishop, rook, queen] = values.to_array();
        self.under([pawn, knight, bishop, rook, queen, 0])
    }

    /// The sum under an engine's table of values, from pawn to king.
    pub(crate) fn under(&self, table: [i32; 6]) -> i32 {
        let products = self.counts.iter().zip(table);
        products.map(|(count, value)| count * value).sum()
    }

    /// How often pawn, knight, bishop, rook and queen count.
    pub(crate) const fn counts(&self) -> [i32; 5] {
        let [pawn, knight, bishop, rook, queen, _] = self.counts;
        [pawn, knight, bishop, rook, queen]
    }
}

impl Add for PieceSum {
    type Output = PieceSum;

    fn add(self, other: PieceSum) -> PieceSum {
        let counts = core::array::from_fn(|i| self.counts[i] + other.counts[i]);
        PieceSum { counts }
    }
}

impl Neg for PieceSum {
    type Output = PieceSum;

    fn neg(self) -> PieceSum {
        let counts = self.counts.map(|count| -count);
        PieceSum { counts }
    }
}

impl Sub for PieceSum {
    type Output = PieceSum;

    fn sub(self, other: PieceSum) -> PieceSum {
        self + -other
    }
}

const LETTERS: [char; 6] = ['P', 'N', 'B', 'R', 'Q', 'K'];

/// Writes what is won before what is lost, such as `P + P - N`; `0` for no pieces. Each letter
/// stands for one piece, so that a reader needs no numbers.
impl fmt::Display for PieceSum {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let mut text = String::new();
        for sign in [1, -1] {
            for (letter, count) in LETTERS.into_iter().zip(self.counts) {
                for _ in 0..(sign * count).max(0) {
                    text += match (sign, text.is_empty()) {
                        (1, true) => "",
                        (1, false) => " + ",
                        (_, true) => "-",
                        (_, false) => " - ",
                    };
                    text.push(letter);
                }
            }
        }
        f.pad(if text.is_empty() { "0" } else { &text })
    }
}

impl FromStr for PieceSum {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<PieceSum, ParseError> {
        let wrong =
            || ParseError::new(format!("expected a sum such as P - N or 0, found '{text}'"));
        let trimmed = text.trim();
        if trimmed == "0" {
            return Ok(PieceSum::ZERO);
        }
        let mut sum = PieceSum::ZERO;
        // The sign before the next piece; `None` after a piece, where a sign must follow. Before the
        // first piece there may be a minus or nothing, which stands for a plus.
        let mut sign = Some(1);
        let symbols = trimmed.chars().filter(|symbol| *symbol != ' ');
        for (i, symbol) in symbols.enumerate() {
            // A king cannot be won, so it is in no sum that is written down.
            let role = LETTERS[..5].iter().position(|letter| *letter == symbol);
            match (symbol, role, sign) {
                ('+', _, None) => sign = Some(1),
                ('-', _, None) => sign = Some(-1),
                ('-', _, _) if i == 0 => sign = Some(-1),
                (_, Some(role), Some(count)) => {
                    sum.counts[role] += count;
                    sign = None;
                }
                _ => return Err(wrong()),
            }
        }
        if sign.is_some() {
            Err(wrong())
        } else {
            Ok(sum)
        }
    }
}
