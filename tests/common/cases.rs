//! The hand-made cases of `tests/data/tricky.jsonl`.

use serde_json::Value;
use shakmaty::{Chess, Move};
use swaplist::{PieceValues, Profile};

use super::boards;

pub struct Case {
    pub name: String,
    pub chess: Chess,
    pub mv: Move,
    pub values: PieceValues,
    expected: Value,
}

impl Case {
    pub fn expected(&self, profile: Profile) -> i32 {
        let value = match profile {
            Profile::Swap => &self.expected["A"],
            Profile::Sf8 => &self.expected["B_seed"],
            Profile::Sf => &self.expected["all"]["B_cur"],
            Profile::Legal => &self.expected["all"]["C_lva"],
        };
        i32::try_from(value.as_i64().expect("every case has every value")).unwrap()
    }
}

pub fn tricky() -> Vec<Case> {
    let text = include_str!("../data/tricky.jsonl");
    let cases: Vec<_> = text.lines().map(parse).collect();
    assert_eq!(
        cases.len(),
        117,
        "59 cases and their flips, less one that is its own"
    );
    cases
}

fn parse(line: &str) -> Case {
    let expected: Value = serde_json::from_str(line).unwrap();
    let chess = boards::board(expected["fen"].as_str().unwrap());
    let mv = boards::mv(&chess, expected["move"].as_str().unwrap());
    let value = |piece: &str| i32::try_from(expected["values"][piece].as_i64().unwrap()).unwrap();
    let values = PieceValues::new(["P", "N", "B", "R", "Q"].map(value)).unwrap();
    let name = format!("case {} ({})", expected["id"], expected["topic"]);
    Case {
        name,
        chess,
        mv,
        values,
        expected,
    }
}
