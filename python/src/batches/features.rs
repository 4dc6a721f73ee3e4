//! Positions as arrays.

use pyo3::prelude::*;

use super::decode::Entry;
use crate::capsule::Buffer;
use crate::settings::expected;

/// What a net sees.
#[derive(Clone, Copy)]
pub enum Features {
    /// The indices of those that are on, of 768, from both sides' view.
    Indices,
    /// 12 boards, from the side to move's view.
    Planes,
    /// The packed position.
    Packed,
}

/// An array's name, `NumPy` type and columns (0 for a list), and its memory.
pub type Array = (&'static str, &'static str, usize, Buffer);

/// The features of a side's view of a board: sides, kinds of pieces, squares.
const ALL: usize = 2 * 6 * 64;

impl Features {
    pub fn named(name: &str) -> PyResult<Features> {
        match name {
            "768" => Ok(Features::Indices),
            "planes" => Ok(Features::Planes),
            "packed" => Ok(Features::Packed),
            _ => Err(expected(
                "features",
                "\"768\", \"planes\" or \"packed\"",
                name,
            )),
        }
    }

    /// All arrays of a batch.
    pub fn arrays(self, entries: &[Entry]) -> Vec<Array> {
        let mut arrays: Vec<Array> = match self {
            Features::Indices => indices(entries),
            Features::Planes => {
                let mut boards = vec![0_u8; entries.len() * ALL];
                for (board, entry) in boards.chunks_exact_mut(ALL).zip(entries) {
                    each_piece(entry, |ours, _| board[ours.cast_unsigned() as usize] = 1);
                }
                vec![("planes", "uint8", ALL, Buffer::new(boards))]
            }
            Features::Packed => {
                let planes = entries.iter().flat_map(|entry| entry.planes);
                let planes = planes.map(u64::to_le).collect();
                vec![("positions", "uint8", 32, Buffer::new(planes))]
            }
        };
        let pieces = |entry: &Entry| u8::try_from(entry.pieces()).unwrap_or(u8::MAX);
        let score = entries.iter().map(|entry| entry.score).collect();
        let result = entries.iter().map(|entry| entry.result).collect();
        let ply = entries.iter().map(|entry| i32::from(entry.ply)).collect();
        let pieces = entries.iter().map(pieces).collect();
        arrays.push(("score", "int32", 0, Buffer::new::<i32>(score)));
        arrays.push(("result", "int8", 0, Buffer::new::<i8>(result)));
        arrays.push(("ply", "int32", 0, Buffer::new::<i32>(ply)));
        arrays.push(("pieces", "uint8", 0, Buffer::new::<u8>(pieces)));
        arrays
    }
}

fn indices(entries: &[Entry]) -> Vec<Array> {
    let all = entries.iter().map(|entry| entry.pieces() as usize).sum();
    let (mut us, mut them) = (vec![0; all], vec![0; all]);
    let (mut ours, mut theirs) = (us.iter_mut(), them.iter_mut());
    let mut offsets = Vec::with_capacity(entries.len());
    let mut end = 0_i32;
    for entry in entries {
        offsets.push(end);
        end += entry.pieces().cast_signed();
        each_piece(entry, |our, their| {
            if let (Some(us), Some(them)) = (ours.next(), theirs.next()) {
                (*us, *them) = (our, their);
            }
        });
    }
    vec![
        ("us", "int32", 0, Buffer::new(us)),
        ("them", "int32", 0, Buffer::new(them)),
        ("offsets", "int32", 0, Buffer::new(offsets)),
    ]
}

/// Calls `found` with the feature of each piece as the side to move sees it, and the other side:
/// own pieces first, pawn to king, a1 to h8 with the own side below.
#[inline]
fn each_piece(entry: &Entry, mut found: impl FnMut(i32, i32)) {
    let [bit0, bit1, bit2, black] = entry.planes;
    let black_moves = bit0 & bit1 & bit2 & black != 0;
    let view = |plane: u64| {
        if black_moves {
            plane.swap_bytes()
        } else {
            plane
        }
    };
    let [bit0, bit1, bit2, black] = [bit0, bit1, bit2, black].map(view);
    let others = if black_moves { !black } else { black };
    let mut rest = bit0 | bit1 | bit2;
    while rest != 0 {
        let square = rest.trailing_zeros();
        rest &= rest - 1;
        let bit = |plane: u64| (plane >> square & 1) as usize;
        let code = bit(bit0) | bit(bit1) << 1 | bit(bit2) << 2 | bit(others) << 3;
        let square = square.cast_signed();
        found(BASE[code] + square, BASE[code ^ 8] + (square ^ 0b11_1000));
    }
}

/// The first feature of a piece code, of which both kings have one of their own; and 8 more for the
/// other side's.
const BASE: [i32; 16] = [
    0, 0, 64, 128, 192, 256, 320, 320, 0, 384, 448, 512, 576, 640, 704, 704,
];
