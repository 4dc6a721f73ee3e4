//! A format of 32 bytes a position, and a filter of it, as somebody would write them who has nothing
//! but the documentation of `swaplist`.
//!
//! | bytes | holds |
//! |---|---|
//! | 0..8 | the occupied squares, a1 the lowest bit |
//! | 8..24 | a nibble for each piece in the order of the squares: colour << 3, then pawn to king |
//! | 24 | 1 with Black to move, else 0 |
//! | 25 | the result: 0, 1 or 2 |
//! | 26..28 | White's score in centipawns |
//! | 28..32 | zeros |

use swaplist::backend::{Answers, Question};
use swaplist::boards::{Codes, GROUP, Nibbles, Unpacker, codes};
use swaplist::shakmaty::{Color, Role, Square};
use swaplist::{Bounds, CpuPath, Evaluator, Position, Rules};

/// A record in a file.
pub type Record = [u8; 32];

/// How lanes read a record.
struct Layout;

impl Nibbles for Layout {
    const CODES: [Codes; 2] = [codes(Color::White), codes(Color::Black)];
    const TURN: u8 = 1;
    /// All bits but the side to move, the result and the score must be zeros.
    const ZERO: u64 = !(1 | 3 << 8 | 0xffff << 16);
    const RESULT: u64 = 1 << 8;
}

/// Packs a position with its score and result.
pub fn pack(position: &Position, score: i16, result: u8) -> Record {
    let mut record = [0; 32];
    record[..8].copy_from_slice(&position.occupied().0.to_le_bytes());
    for (number, square) in position.occupied().into_iter().enumerate() {
        if let Some(piece) = position.piece_at(square) {
            let kind = piece.role as u8 - Role::Pawn as u8;
            let nibble = u8::from(piece.color.is_black()) << 3 | kind;
            record[8 + number / 2] |= nibble << (4 * (number % 2));
        }
    }
    record[24] = u8::from(position.turn().is_black());
    record[25] = result;
    record[26..28].copy_from_slice(&score.to_le_bytes());
    record
}

/// Why a record is no position, or a position of it.
pub fn unpack(record: &Record) -> Result<Position, String> {
    let [squares, _, _, _]: [[u8; 8]; 4] = record.as_chunks().0.try_into().expect("32 bytes");
    let squares = u64::from_le_bytes(squares);
    if squares.count_ones() > 32 {
        return Err("more than 32 pieces".to_owned());
    }
    if record[24] > 1 || record[25] > 2 || record[28..] != [0; 4] {
        return Err("wrong bytes after the board".to_owned());
    }
    let turn = Color::from_white(record[24] == 0);
    let mut planes = [0; 4];
    for (number, square) in swaplist::shakmaty::Bitboard(squares)
        .into_iter()
        .enumerate()
    {
        let nibble = record[8 + number / 2] >> (4 * (number % 2)) & 15;
        let color = Color::from_white(nibble < 8);
        let code = match nibble & 7 {
            5 if color == turn => swaplist::position::KING_TO_MOVE,
            kind @ 0..=5 => u32::from(kind) + 1,
            _ => return Err(format!("no piece on {square}")),
        };
        put(&mut planes, square, code, color);
    }
    Position::from_planes(planes).map_err(|error| error.to_string())
}

/// Puts a piece on a square of the planes of a [`Position`].
fn put(planes: &mut [u64; 4], square: Square, code: u32, color: Color) {
    for (bit, plane) in planes.iter_mut().take(3).enumerate() {
        *plane |= u64::from(code >> bit & 1) << square as u32;
    }
    planes[3] |= u64::from(color.is_black()) << square as u32;
}

/// Unpacks records; an error has the number of the first one that is no position.
pub fn unpack_all(records: &[Record], path: CpuPath) -> Result<Vec<Position>, (usize, String)> {
    let any: Position = "4k3/8/8/8/8/8/8/4K3 w - - 0 1".parse().expect("a FEN");
    let mut positions = vec![any; records.len()];
    let mut valid = vec![0; records.len().div_ceil(GROUP)];
    if let Some(unpacker) = Unpacker::new(path) {
        unpacker.unpack::<Layout>(records, &mut positions, &mut valid);
    }
    // What lanes refuse, and the last few records, one by one: this names the fault.
    for (number, record) in records.iter().enumerate() {
        let is_in_group = number < records.len() / GROUP * GROUP;
        if !is_in_group || valid[number / GROUP] >> (number % GROUP) & 1 == 0 {
            positions[number] = unpack(record).map_err(|why| (number, why))?;
        }
    }
    Ok(positions)
}

/// Keeps the records of quiet positions, and asks about all of them at once.
pub fn quiet_records(
    records: &[Record],
    rules: &Rules,
    evaluator: &Evaluator,
) -> Result<Vec<Record>, (usize, String)> {
    let positions = unpack_all(records, CpuPath::best())?;
    let bounds = Bounds {
        see: Some(0),
        ..Bounds::default()
    };
    let question = Question::Bounds {
        positions: &positions,
        bounds,
    };
    let mut answers = Answers::default();
    evaluator.answer(&question, rules, &mut answers);
    let kept = records.iter().zip(&answers.exceeds);
    Ok(kept
        .filter(|(_, exceeds)| !exceeds.in_check() && !exceeds.see())
        .map(|(record, _)| *record)
        .collect())
}

#[cfg(test)]
mod tests {
    use super::*;
    use swaplist::Choice;

    /// The sample that comes with the crate, without en-passant targets, which the format has not.
    fn sample() -> Vec<Position> {
        swaplist::SAMPLE
            .lines()
            .map(|line| {
                let position: Position = line.parse().expect("a FEN");
                let [bit0, bit1, bit2, black] = position.planes();
                let black = black & (bit0 | bit1 | bit2);
                Position::from_planes([bit0, bit1, bit2, black]).expect("a position")
            })
            .collect()
    }

    fn packed(positions: &[Position]) -> Vec<Record> {
        let results = (0..3).cycle();
        let numbered = positions.iter().zip(results).zip(-2000..);
        numbered
            .map(|((position, result), score)| pack(position, score, result))
            .collect()
    }

    #[test]
    fn positions_come_back_on_every_path() {
        let positions = sample();
        assert_eq!(positions.len(), 5000);
        let records = packed(&positions);
        for path in CpuPath::ALL
            .iter()
            .copied()
            .filter(|path| path.is_available())
        {
            assert_eq!(
                unpack_all(&records, path).as_ref(),
                Ok(&positions),
                "{path}"
            );
        }
    }

    #[test]
    fn lanes_refuse_what_the_scalar_code_refuses() {
        let positions = sample();
        let records = packed(&positions[..GROUP]);
        let spoiled: [fn(&mut Record); 5] = [
            |record| record[25] = 3,
            |record| record[24] = 2,
            |record| record[31] = 1,
            |record| record[8] |= 0x77,
            |record| record[..8].fill(0xff),
        ];
        for spoil in spoiled {
            let mut records = records.clone();
            spoil(&mut records[5]);
            let refused = unpack(&records[5]).expect_err("a spoiled record");
            for path in CpuPath::ALL
                .iter()
                .copied()
                .filter(|path| path.is_available())
            {
                assert_eq!(
                    unpack_all(&records, path),
                    Err((5, refused.clone())),
                    "{path}"
                );
            }
        }
    }

    #[test]
    fn quiet_is_quiet_one_by_one_and_all_at_once() {
        let positions = sample();
        let records = packed(&positions);
        let rules = Rules::SWAP;
        let one_by_one: Vec<Record> = positions
            .iter()
            .zip(&records)
            .filter(|(position, _)| rules.is_quiet(position))
            .map(|(_, record)| *record)
            .collect();
        assert!(
            (1000..4500).contains(&one_by_one.len()),
            "{}",
            one_by_one.len()
        );
        let evaluator = Evaluator::cpu();
        assert_eq!(quiet_records(&records, &rules, &evaluator), Ok(one_by_one));
    }
}
