//! Which records belong to one game, also where a file cuts a game into several.

use super::key::{Draw, hash, side_hash};
use crate::formats::{DecodedPart, Field, Format, Record, goes_on};

/// Records at a game's start by which it is known again in another file.
const KNOWN_BY: usize = 16;

/// Whether records of this format tell where games begin.
pub fn tells_games(format: Format) -> bool {
    format.units().is_some() || format.holds(Field::Played) || format.holds(Field::Clocks)
}

/// Whether a record may be a later one of the game of the record before it in the file.
///
/// Filters and converters cut games where they leave out positions, and writers where a chunk is
/// full. So a record belongs to the same game if it comes later in a game of the same result and
/// nothing on the board contradicts that. This may join two games, but never tears one apart.
pub fn may_go_on(before: &Record, record: &Record) -> bool {
    let earlier = before.fields;
    let later = record.fields;
    let (Some(first), Some(second)) = (earlier.ply(), later.ply()) else {
        return goes_on(before, record);
    };
    second > first && earlier.outcome() == later.outcome() && {
        let count = |record: &Record, is_black: bool| {
            let [bit0, bit1, bit2, black] = record.position.planes();
            let side = if is_black { black } else { !black };
            ((bit0 | bit1 | bit2) & side).count_ones()
        };
        let gains = |is_black| count(record, is_black) > count(before, is_black);
        !gains(false) && !gains(true)
    }
}

/// The numbers of the first records of games in a part of a block, but for one that goes on with
/// the game of `before`. Records of a unit belong together.
pub fn starts(decoded: &DecodedPart, before: Option<&Record>, has_units: bool) -> Vec<usize> {
    let start = |i: usize| decoded.records[i].span().start;
    (0..decoded.records.len())
        .filter(|&i| {
            if has_units && i > 0 && start(i - 1) == start(i) {
                return false;
            }
            let record = decoded.record(i);
            match i {
                0 => before.is_none_or(|before| !may_go_on(before, &record)),
                _ => !may_go_on(&decoded.record(i - 1), &record),
            }
        })
        .collect()
}

/// The hash of the game that begins with these records.
pub fn game_hash(seed: u64, decoded: &DecodedPart, records: core::ops::Range<usize>) -> u64 {
    let game = &decoded.positions[records];
    let first = &game[..game.len().min(KNOWN_BY)];
    first.iter().fold(Draw::Side.seed(seed), |all, position| {
        side_hash(hash(all, [0]), position)
    })
}

/// The games at both ends of what was decoded of a block, if outputs are split by game.
#[derive(Clone)]
pub struct Edges {
    /// The first record, and the output of its game, unless the game began before the block.
    pub first: Option<(Record, u8)>,
    /// The last record, and the output of its game; undecided if that is the block's first game.
    pub last: (Record, u8),
}
