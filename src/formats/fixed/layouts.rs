//! The formats of records that all have the same size.

use shakmaty::Color;

use super::super::isa::{self, Isa, Task};
use super::super::{
    Fault, Outcome, Record, State, VALUE_NONE, bulk, bulletformat, marlinformat, sfbin,
    turned_score,
};
use super::Layout;
use crate::{CpuPath, Position};

/// bulletformat's layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Bulletformat;

impl Layout for Bulletformat {
    fn for_each(bytes: &[u8], found: impl FnMut(Result<Position, Fault>)) {
        bulletformat::for_each(bytes, found);
    }

    fn unpack_all(
        path: CpuPath,
        records: &[bulletformat::Raw],
        positions: &mut Vec<Position>,
        refused: impl FnMut(usize, Fault),
    ) {
        bulk::unpack_all::<bulletformat::Layout>(path, records, positions, refused);
    }

    fn unpack_unchecked(
        path: CpuPath,
        records: &[bulletformat::Raw],
        positions: &mut Vec<Position>,
    ) -> bool {
        bulk::unpack_unchecked::<bulletformat::Layout>(path, records, positions)
    }

    #[inline]
    fn describe(raw: &bulletformat::Raw, _: &Position, record: Record) -> Record {
        record
            .with_score(Some(bulletformat::score(raw).into()))
            .with_outcome(outcome(bulletformat::result(raw)))
    }

    fn mark(raw: &mut bulletformat::Raw) {
        bulletformat::set_score(raw, VALUE_NONE);
    }

    fn fen(_: &bulletformat::Raw, position: &Position) -> String {
        position.to_string()
    }

    fn state(_: &bulletformat::Raw, position: &Position) -> State {
        State::bare(*position)
    }
}

/// marlinformat's layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Marlinformat;

impl Layout for Marlinformat {
    fn for_each(bytes: &[u8], found: impl FnMut(Result<Position, Fault>)) {
        marlinformat::for_each(bytes, found);
    }

    fn unpack_all(
        path: CpuPath,
        records: &[marlinformat::Raw],
        positions: &mut Vec<Position>,
        refused: impl FnMut(usize, Fault),
    ) {
        bulk::unpack_all::<marlinformat::Layout>(path, records, positions, refused);
    }

    fn unpack_unchecked(
        path: CpuPath,
        records: &[marlinformat::Raw],
        positions: &mut Vec<Position>,
    ) -> bool {
        bulk::unpack_unchecked::<marlinformat::Layout>(path, records, positions)
    }

    #[inline]
    fn describe(raw: &bulletformat::Raw, position: &Position, record: Record) -> Record {
        let score = i32::from(marlinformat::score(raw));
        let turn = position.turn();
        let ply = marlinformat::fullmoves(raw)
            .checked_sub(1)
            .map(|moves| u32::from(moves) * 2 + u32::from(turn == Color::Black));
        record
            .with_score(Some(turned_score(score, turn)))
            .with_outcome(outcome(marlinformat::result(raw)))
            .with_ply(ply)
    }

    fn mark(raw: &mut bulletformat::Raw) {
        marlinformat::set_score(raw, VALUE_NONE);
    }

    fn fen(raw: &bulletformat::Raw, position: &Position) -> String {
        struct Fen<'a>(&'a bulletformat::Raw);
        impl Task for Fen<'_> {
            type Output = Option<String>;

            #[inline(always)]
            fn run<I: Isa>(self, isa: I) -> Self::Output {
                Some(marlinformat::board(isa, self.0).ok()?.fen())
            }
        }
        isa::dispatch(Fen(raw)).unwrap_or_else(|| position.to_string())
    }

    fn state(raw: &bulletformat::Raw, position: &Position) -> State {
        match marlinformat::board(isa::Portable, raw) {
            Ok(board) => State::of_board(&board, *position),
            Err(_) => State::bare(*position),
        }
    }
}

/// White's result as both 32-byte formats code it.
pub(crate) const fn outcome(result: u8) -> Option<Outcome> {
    match result {
        0 => Some(Outcome::Black),
        1 => Some(Outcome::Draw),
        2 => Some(Outcome::White),
        _ => None,
    }
}

/// Stockfish's layout.
#[derive(Clone, Copy, Debug, Default)]
pub struct Sfbin;

impl Layout<{ sfbin::RECORD }> for Sfbin {
    fn for_each(bytes: &[u8], mut found: impl FnMut(Result<Position, Fault>)) {
        for raw in bytes.as_chunks().0 {
            found(sfbin::unpack(raw).map(|state| state.position));
        }
    }

    fn describe(raw: &sfbin::Raw, position: &Position, record: Record) -> Record {
        let result = sfbin::result(raw);
        let white = position.turn().fold_wb(result, -result);
        record
            .with_played(sfbin::played(raw))
            .with_score(Some(sfbin::score(raw).into()))
            .with_outcome(Some(Outcome::of_white(white.into())))
            .with_ply(Some(sfbin::ply(raw).into()))
    }

    fn mark(raw: &mut sfbin::Raw) {
        sfbin::set_score(raw, VALUE_NONE);
    }

    fn fen(raw: &sfbin::Raw, position: &Position) -> String {
        let mut fen = Vec::new();
        Sfbin::state(raw, position).write_fen(&mut fen);
        String::from_utf8_lossy(&fen).into_owned()
    }

    fn state(raw: &sfbin::Raw, position: &Position) -> State {
        sfbin::unpack(raw).unwrap_or_else(|_| State::bare(*position))
    }
}
