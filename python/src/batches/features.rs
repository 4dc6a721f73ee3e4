//! Positions as arrays.

// Squares, pieces and features are small numbers.
#![allow(
    clippy::cast_possible_truncation,
    clippy::cast_possible_wrap,
    clippy::cast_sign_loss
)]

use pyo3::prelude::*;
use swaplist::{PackedMove, Position};
use xxhash_rust::xxh3::xxh3_64;

use super::entry::Entry;
use crate::arguments::{Argument, Arguments, expected};
use crate::capsule::Buffer;
use crate::uci;

/// Which arrays a batch has: what a net sees, and columns beside it.
pub struct Features {
    kind: Kind,
    columns: Vec<Column>,
    /// Output buckets by the number of pieces.
    buckets: Option<[u8; 33]>,
}

enum Kind {
    /// The indices of the features that are on, from both sides' view.
    Indices(Indices),
    /// 12 boards, from the side to move's view.
    Planes,
    /// The packed position.
    Packed,
}

enum Indices {
    /// A feature for each side, kind of piece and square: 768.
    Plain,
    /// Those 768 features for each bucket of the own king's square, as in bullet's `ChessBuckets`
    /// and `ChessBucketsMirrored`.
    Buckets(Box<KingBuckets>),
    /// nnue-pytorch's `HalfKAv2_hm`.
    HalfKa,
}

/// What features depend on, by the own king's square as its side sees it.
struct KingBuckets {
    /// The first feature of the square's bucket.
    first: [i32; 64],
    /// What turns the board: 7 exchanges left and right, 0 leaves it as it is.
    flip: [i32; 64],
}

/// Columns that a batch may have beside the features.
#[derive(Clone, Copy)]
enum Column {
    Score,
    Result,
    Ply,
    Pieces,
    Turn,
    Move,
    Hash,
}

const COLUMNS: [(&str, Column); 7] = [
    ("score", Column::Score),
    ("result", Column::Result),
    ("ply", Column::Ply),
    ("pieces", Column::Pieces),
    ("turn", Column::Turn),
    ("move", Column::Move),
    ("hash", Column::Hash),
];

/// An array's name, `NumPy` type and columns (0 for a list), and its memory.
pub type Array = (&'static str, &'static str, usize, Buffer);

/// Turns a square upside down by an exclusive or: the first rank becomes the eighth, and so on.
const MIRRORED: i32 = 0b11_1000;

/// The most pieces that a position has.
const MOST_PIECES: usize = 32;

/// How many features a side's view of a board has: sides by kinds of pieces by squares.
const ALL: usize = 2 * 6 * 64;

/// The most king buckets: the numbers of their features fit in 31 bits.
const MOST_BUCKETS: u32 = 1 << 20;

impl Features {
    /// Takes the arguments `features`, `king_buckets` (numbers by the own king's square), `columns`
    /// and `buckets`.
    pub fn take(given: &Arguments<'_>) -> PyResult<Features> {
        let name: String = given.take("features")?;
        let name = name.as_str();
        let king_buckets: Option<Vec<u32>> = given.take("king_buckets")?;
        let indices = match (name, king_buckets) {
            ("768", None) => Some(Indices::Plain),
            ("768", Some(buckets)) => Some(Indices::Buckets(Box::new(KingBuckets::new(&buckets)?))),
            (_, Some(_)) => {
                let only = "nothing, as only features=\"768\" has them";
                return Err(expected("king_buckets", only, name));
            }
            ("HalfKAv2_hm", None) => Some(Indices::HalfKa),
            _ => None,
        };
        let kind = match (indices, name) {
            (Some(indices), _) => Kind::Indices(indices),
            (None, "planes") => Kind::Planes,
            (None, "packed") => Kind::Packed,
            _ => {
                let known = "\"768\", \"HalfKAv2_hm\", \"planes\" or \"packed\"";
                return Err(expected("features", known, name));
            }
        };
        let buckets = match given.take::<Option<Vec<u8>>>("buckets")? {
            Some(buckets) => {
                let count = buckets.len().to_string();
                let table = buckets.try_into();
                Some(table.map_err(|_| expected("buckets", "33 numbers", &count))?)
            }
            None => None,
        };
        Ok(Features {
            kind,
            columns: given.take("columns")?,
            buckets,
        })
    }

    /// Makes the arrays of a batch.
    pub fn arrays(&self, entries: &[Entry]) -> Vec<Array> {
        let mut arrays: Vec<Array> = match &self.kind {
            Kind::Indices(indices) => indices.arrays(entries),
            Kind::Planes => {
                let mut boards = vec![0_u8; entries.len() * ALL];
                for (board, entry) in boards.chunks_exact_mut(ALL).zip(entries) {
                    each_piece(entry, |code, square| {
                        board[(BASE[code] + square) as usize] = 1;
                    });
                }
                vec![("planes", "uint8", ALL, Buffer::new(boards))]
            }
            Kind::Packed => {
                let all = entries.iter().flat_map(|entry| entry.planes);
                let planes = all.map(u64::to_le).collect();
                vec![("positions", "uint8", 32, Buffer::new(planes))]
            }
        };
        arrays.extend(self.columns.iter().map(|column| column.array(entries)));
        if let Some(buckets) = &self.buckets {
            let bucket: Vec<u8> = entries
                .iter()
                .map(|entry| buckets[entry.pieces().min(32) as usize])
                .collect();
            arrays.push(("bucket", "uint8", 0, Buffer::new(bucket)));
        }
        arrays
    }
}

/// A column is given by its name.
impl<'py> Argument<'py> for Column {
    fn from_python(name: &str, value: &Bound<'py, PyAny>) -> PyResult<Column> {
        let text = String::from_python(name, value)?;
        let found = COLUMNS.iter().find(|(column, _)| *column == text);
        found.map(|(_, column)| *column).ok_or_else(|| {
            let names = COLUMNS.map(|(column, _)| column);
            expected(name, &format!("some of {names:?}"), &text)
        })
    }
}

impl Column {
    fn array(self, entries: &[Entry]) -> Array {
        fn list<T>(entries: &[Entry], value: impl Fn(&Entry) -> T) -> Vec<T> {
            entries.iter().map(value).collect()
        }
        match self {
            Column::Score => {
                let score = list(entries, |entry| entry.score);
                ("score", "int32", 0, Buffer::new(score))
            }
            Column::Result => {
                let result = list(entries, Entry::result);
                ("result", "int8", 0, Buffer::new(result))
            }
            Column::Ply => {
                let ply = list(entries, |entry| i32::from(entry.ply()));
                ("ply", "int32", 0, Buffer::new(ply))
            }
            Column::Pieces => {
                let pieces = list(entries, |entry| entry.pieces() as u8);
                ("pieces", "uint8", 0, Buffer::new(pieces))
            }
            Column::Turn => {
                let turn = list(entries, |entry| if entry.is_black() { -1_i8 } else { 1 });
                ("turn", "int8", 0, Buffer::new(turn))
            }
            Column::Move => {
                let moves = list(entries, move_of);
                ("move", "uint16", 0, Buffer::new(moves))
            }
            Column::Hash => {
                let hashes = list(entries, |entry| {
                    let bytes = entry.planes.map(u64::to_le_bytes);
                    xxh3_64(bytes.as_flattened())
                });
                ("hash", "uint64", 0, Buffer::new(hashes))
            }
        }
    }
}

/// The bits of the promotion in a [`PackedMove`].
const PROMOTION: u16 = 7;

/// The played move: its origin, 64 times its target, and 4096 times the promotion (2 knight to 5
/// queen); 0 if there is none.
fn move_of(entry: &Entry) -> u16 {
    if entry.played == Entry::NO_MOVE {
        return 0;
    }
    let played = PackedMove::from_bits(entry.played);
    let position = Position::from_planes(entry.planes);
    let to = position.map_or(played.to(), |position| uci::target(&position, played));
    let promotion = entry.played & PROMOTION;
    played.from() as u16 | (to as u16) << 6 | promotion << 12
}

impl KingBuckets {
    /// From the buckets of 64 squares, or of 32: files a to d of each rank, where the other files
    /// are mirrored.
    fn new(buckets: &[u32]) -> PyResult<KingBuckets> {
        let mut made = KingBuckets {
            first: [0; 64],
            flip: [0; 64],
        };
        for square in 0..64 {
            let found = match buckets.len() {
                64 => Some((buckets[square], 0)),
                32 => {
                    let flip = if square % 8 < 4 { 0 } else { 7 };
                    Some((buckets[square / 8 * 4 + ((square % 8) ^ flip)], flip as i32))
                }
                _ => None,
            };
            let found = found.filter(|(bucket, _)| *bucket < MOST_BUCKETS);
            let Some((bucket, flip)) = found else {
                let shape = "64 or 32 numbers, by the king's square";
                return Err(expected("king_buckets", shape, &format!("{buckets:?}")));
            };
            made.first[square] = bucket.cast_signed() * ALL as i32;
            made.flip[square] = flip;
        }
        Ok(made)
    }
}

impl Indices {
    fn arrays(&self, entries: &[Entry]) -> Vec<Array> {
        let all: usize = entries.iter().map(|entry| entry.pieces() as usize).sum();
        // After the last index there is room for a whole board, so that no write needs a check.
        let mut us = vec![0; all + MOST_PIECES];
        let mut them = vec![0; all + MOST_PIECES];
        let mut offsets = Vec::with_capacity(entries.len());
        let mut end = 0_usize;
        for entry in entries {
            offsets.push(end as i32);
            let Some(ours) = us[end..].first_chunk_mut::<MOST_PIECES>() else {
                break;
            };
            let Some(theirs) = them[end..].first_chunk_mut::<MOST_PIECES>() else {
                break;
            };
            let mut piece = 0;
            // `% MOST_PIECES` changes nothing: it spares the test of the index.
            let mut put = |our: i32, their: i32| {
                ours[piece % MOST_PIECES] = our;
                theirs[piece % MOST_PIECES] = their;
                piece += 1;
            };
            match self {
                Indices::Plain => each_piece(entry, |code, square| {
                    put(BASE[code] + square, BASE[code ^ 8] + (square ^ MIRRORED));
                }),
                Indices::Buckets(buckets) => {
                    let kings = kings(entry);
                    let [first, other_first] = kings.map(|king| buckets.first[king]);
                    let [flip, other_flip] = kings.map(|king| buckets.flip[king]);
                    each_piece(entry, |code, square| {
                        put(
                            first + BASE[code] + (square ^ flip),
                            other_first + BASE[code ^ 8] + (square ^ MIRRORED ^ other_flip),
                        );
                    });
                }
                Indices::HalfKa => {
                    let [(first, flip), (other_first, other_flip)] = kings(entry).map(half_ka);
                    each_piece(entry, |code, square| {
                        put(
                            first + HALF_KA[code] + (square ^ flip),
                            other_first + HALF_KA[code ^ 8] + (square ^ MIRRORED ^ other_flip),
                        );
                    });
                }
            }
            end += piece;
        }
        us.truncate(all);
        them.truncate(all);
        vec![
            ("us", "int32", 0, Buffer::new(us)),
            ("them", "int32", 0, Buffer::new(them)),
            ("offsets", "int32", 0, Buffer::new(offsets)),
        ]
    }
}

/// The squares of the own and of the other king, each as its own side sees it.
#[inline]
fn kings(entry: &Entry) -> [usize; 2] {
    let [bit0, bit1, bit2, _] = entry.planes;
    let all = bit1 & bit2;
    let mirrored = MIRRORED.cast_unsigned();
    let turned = if entry.is_black() { mirrored } else { 0 };
    let own = (all & bit0).trailing_zeros() & 63;
    let other = (all & !bit0).trailing_zeros() & 63;
    [own ^ turned, other ^ turned ^ mirrored].map(|square| square as usize)
}

/// The first feature of the bucket of a king's square, and what brings the king to files e to h:
/// the buckets are numbered from e1 = 31 down to h8 = 0, four a rank.
#[inline]
fn half_ka(king: usize) -> (i32, i32) {
    let flip = if king & 7 < 4 { 7 } else { 0 };
    let king = king as i32 ^ flip;
    let bucket = 31 - (king >> 3) * 4 - ((king & 7) - 4);
    (bucket * ALL as i32, flip)
}

/// Calls `found` with the code and the square of each piece, as the side to move sees the board:
/// its own first rank is the lowest, and codes of the other side's pieces are 8 more.
#[inline]
fn each_piece(entry: &Entry, mut found: impl FnMut(usize, i32)) {
    let black_moves = entry.is_black();
    let [bit0, bit1, bit2, black] = entry.planes.map(|plane| {
        if black_moves {
            plane.swap_bytes()
        } else {
            plane
        }
    });
    let others = if black_moves { !black } else { black };
    let mut rest = bit0 | bit1 | bit2;
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let bit = |plane: u64| (plane >> square & 1) as usize;
        let code = bit(bit0) | bit(bit1) << 1 | bit(bit2) << 2 | bit(others) << 3;
        found(code, square.cast_signed());
    }
}

/// The first feature of each piece code. Kings have the code 6, or 7 if they are the side to
/// move's; the codes of the other side's pieces are 8 more.
const BASE: [i32; 16] = [
    0, 0, 64, 128, 192, 256, 320, 320, 0, 384, 448, 512, 576, 640, 704, 704,
];

/// The bases in `HalfKAv2_hm`, where the sides alternate.
const HALF_KA: [i32; 16] = [
    0, 0, 128, 256, 384, 512, 640, 640, 0, 64, 192, 320, 448, 576, 704, 704,
];
