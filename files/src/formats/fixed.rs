//! Formats of independent records of equal size: bulletformat, marlinformat and sfbin.
//!
//! A format describes one record ([`Layout`]): how to unpack its position, how to read its other
//! fields, and how to pack a record of another format. This file does the rest for whole blocks: it
//! finds the records, unpacks them in groups if the CPU can, and copies the kept ones.
//!
//! # A worked record
//!
//! The position `4k3/8/4p3/3p4/4P3/8/8/4K3 b - - 0 1` (Black to move, pawns on e6, d5 and e4) with
//! White's score 12 and a drawn game, in bulletformat. Black is to move, so the board is turned
//! upside down and colours are exchanged:
//!
//! ```text
//! 10 00 10 08 10 00 00 10    occupied: e1 4, e3 20, d4 27, e5 36, e8 60, one bit each
//! 05 80 0d 00 00 00 00 00    pieces in this order, low nibble first: 5 king, 0 pawn, 0 pawn,
//! 00 00 00 00 00 00 00 00        8 pawn of the other colour, d king of the other colour
//! f4 ff                      score -12, the side to move's
//! 01                         result 1, a draw
//! 04 04                      own king (Black's) on e1 (4) of this board; then the other king, with
//!                                its square seen from its own side: e8 of this board is e1 (4)
//! 00 00 00                   free
//! ```
//!
//! marlinformat stores the same position as it is played: the bits of e1, e4, d5, e6 and e8, the
//! pieces `5 0 8 8 d`, the byte 0xc0 (0x80: Black to move; 0x40 = 64: no en-passant target), and
//! the score 12.
//!
//! # The steps
//!
//! A block of ten records, the last one with an impossible result:
//!
//! ```text
//! decode   vectors unpack the whole groups of eight, and find which of their records are valid
//!             group 0: records 0 to 7, all valid
//!             group 1 is not whole: no record is known to be valid
//!          vectors unpack 1,024 records at once, a stretch. As long as all groups of a stretch are
//!             valid, their positions stay where they were unpacked. After an invalid record, the
//!             later positions of its stretch move up, to close the gap
//!          the format's own code unpacks, or refuses, each record that is not known to be valid
//!             record 8: valid. record 9: refused with its reason, at the byte 288 of the block
//!          add the other fields of the nine valid records
//! select   if no record of the block is invalid, and `--limit` does not end the run in it: copy
//!             each record into a small buffer, and go on to the next slot of the buffer only if
//!             the record is kept
//!          else copy or mark record by record
//! ```
//!
//! # Why this way
//!
//! Vectors unpack and test eight records at once, but say only yes or no; the format's own code
//! knows the reasons. Vectors may refuse a valid record, which only costs time. Which records a
//! filter keeps cannot be predicted: every record is written, and the next one overwrites it if it
//! is dropped.
//!
//! # What must hold
//!
//! - A record that vectors find valid is valid for [`Layout::unpack`], with the same position.
//! - The records of the decoded part are all records of the block, without the invalid ones, in
//!   order. (These formats decode a block as one part.)

use core::marker::PhantomData;
use core::ops::Range;

use bytemuck::Zeroable as _;
use shakmaty::Square;

use super::convert::{OutputRecord, OutputRecords, UnheldRights};
use super::isa::Features;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::{
    Action, Actions, Block, DecodedPart, Fault, Invalid, OpenChunk, Place, Record, RecordFields,
    VALUE_NONE,
};
use swaplist::Position;
use swaplist::boards::{GROUP, Unpacker};

/// The layout of a format's records of `N` bytes.
pub(crate) trait Layout<const N: usize>: Sized + Send + Sync + 'static {
    /// The byte of a record at which its score begins, in 16 bits with the low byte first. Marking
    /// overwrites these two bytes.
    const SCORE: usize;

    /// Unpacks groups of records with vectors; see [`Unpacker::unpack`]. If it is `None`, records
    /// are unpacked one by one: slower, but right, so a new format may begin with that. To add it
    /// to a format with records of 32 bytes and a nibble for each piece, give the five constants of
    /// [`Nibbles`](swaplist::boards::Nibbles): which piece a nibble is, which bit says who moves,
    /// and three for what the last eight bytes must look like.
    const IN_GROUPS: Option<InGroups<N>> = None;

    /// A record's position, or its fault. Called for the records that vectors do not find valid,
    /// and for all if there are no vectors. All that may be wrong with a record must be found here.
    fn unpack(raw: &[u8; N]) -> Result<Position, Invalid>;

    /// Adds the record's other fields: score and result, and the played move and the ply if the
    /// format has them. Only called for valid records. A score of 32002 is added like any other:
    /// [`RecordFields::is_unscored`] tells later that it means no score.
    fn describe(raw: &[u8; N], record: RecordFields) -> RecordFields;

    /// The whole record, with castling rights and clocks, given its position. Score, result, move
    /// and ply stay empty: `Codec::states` copies them from what [`Layout::describe`] gave.
    fn state(raw: &[u8; N], position: &Position) -> Record;

    /// Packs a record of another format, in which [`Layout::cannot_hold`] has found nothing.
    fn pack(record: &OutputRecord<'_>) -> [u8; N];

    /// As [`FormatCode::cannot_hold`]: names what this format cannot hold of a record, for example
    /// `the score 40000`; `None` if it can hold all.
    fn cannot_hold(score: Option<i32>, record: &Record) -> Option<String>;

    /// As [`FormatCode::unheld_rights`]: the castling rights of a record that this format cannot
    /// hold.
    fn unheld_rights(_record: &Record) -> Option<UnheldRights> {
        None
    }

    /// As [`FormatCode::makes_sense`]: whether records look like this format, to tell files apart.
    fn makes_sense(_bytes: &[u8], _positions: &[Position]) -> bool {
        true
    }
}

/// Unpacks the whole groups of eight among the records. Fills in their positions, and for each
/// whole group a byte with a bit for each valid record, the lowest for the first one. The records
/// after the last whole group are left alone, and so is the byte for them.
pub(crate) type InGroups<const N: usize> = fn(Unpacker, &[[u8; N]], &mut [Position], &mut [u8]);

/// The two bytes from `at` on as a number, the low byte first.
#[inline(always)]
pub(super) const fn word<const N: usize>(raw: &[u8; N], at: usize) -> u16 {
    u16::from_le_bytes([raw[at], raw[at + 1]])
}

/// Sets the two bytes from `at` on to a number, the low byte first.
#[inline(always)]
pub(super) const fn put_word<const N: usize>(raw: &mut [u8; N], at: usize, word: u16) {
    [raw[at], raw[at + 1]] = word.to_le_bytes();
}

/// The en-passant target with a number; a fault if it is not on the third or sixth rank.
pub(super) fn ep_square(square: u8) -> Result<Square, Invalid> {
    const THIRD: Range<u8> = 16..24;
    const SIXTH: Range<u8> = 40..48;
    match square {
        _ if THIRD.contains(&square) || SIXTH.contains(&square) => Ok(Square::new(square.into())),
        _ => Err(Invalid::code(Fault::EnPassant, square)),
    }
}

/// Sets a record's score to 32002 ([`VALUE_NONE`]), so that trainers skip it.
fn mark<L: Layout<N>, const N: usize>(raw: &mut [u8; N]) {
    put_word(raw, L::SCORE, VALUE_NONE.cast_unsigned());
}

/// The common properties of such formats. A format's own constant `SPEC` adds the others, such as
/// its extensions. What neither sets is as usual in binary formats (`FormatSpec::new` in
/// `spec.rs`): records can be copied and marked, and need a score and a result to be written.
pub(crate) const fn spec<L: Layout<N>, const N: usize>(name: &'static str) -> FormatSpec {
    FormatSpec {
        record_bytes: Some(N),
        // In tenths, since in other formats it is an average, such as 2.4 bytes. The plan of a run
        // divides by it to find how many records a block may have.
        record_tenths_of_a_byte: 10 * N,
        is_convertible_to: true, // records of other formats can be written in it
        ..FormatSpec::new(name, FixedRecords::<L, N>::CODE)
    }
}

/// Makes a [`FormatCode`] of a [`Layout`]: it has the methods that `spec.rs` asks for, written with
/// those of `L`.
struct FixedRecords<L, const N: usize>(PhantomData<L>);

impl<L: Layout<N>, const N: usize> FixedRecords<L, N> {
    /// What a format's spec points to. It has no content, so one value serves all.
    const CODE: &'static dyn FormatCode = &FixedRecords::<L, N>(PhantomData);
}

// `spec.rs` says what each method does and when it is called.
impl<L: Layout<N>, const N: usize> FormatCode for FixedRecords<L, N> {
    fn makes_sense(&self, bytes: &[u8], positions: &[Position]) -> bool {
        L::makes_sense(bytes, positions)
    }

    // The length rounded down to whole records.
    fn whole_records(&self, bytes: &[u8]) -> WholeRecords {
        WholeRecords::from_length(bytes.len() / N * N)
    }

    fn decode_block(&self, features: Features, block: &Block, part: &mut DecodedPart) {
        decode::<L, N>(features.lanes, block, part);
    }

    // For conversions: asks the format for each record with castling rights and clocks.
    fn states(&self, _: Features, block: &Block, part: &DecodedPart, states: &mut Vec<Record>) {
        for (record, position) in part.records.iter().zip(&part.positions) {
            let raw = block.slice(&record.span()).first_chunk();
            let state = raw.map(|raw| L::state(raw, position));
            // The span of a record has `N` bytes, so this default is never used.
            states.push(state.unwrap_or(Record::new(*position)));
        }
    }

    // Writes kept and marked records: fast if there is an action for every record of the block,
    // else one by one, where invalid records can be written, too.
    fn select(
        &self,
        _: Features,
        block: &Block,
        part: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut OpenChunk, // a binpack's chunk that goes on in the next part; not used here
    ) {
        let (raw, _) = block.bytes.as_chunks::<N>();
        // There are fewer actions than records if `--limit` ends the run in this block: the records
        // after that are not written.
        if part.invalid.is_empty() && actions.records.len() == raw.len() {
            return put_all::<L, N>(raw, actions.records, out);
        }
        // Goes through valid and invalid records in the order of the block. Valid ones are copied,
        // marked or left out, as their actions say. Invalid ones are copied if `writes_invalid` is
        // set, as for the file of a filter's rejects, else left out (`decoded.rs`).
        part.select(block, actions, out, |record, out| self.mark(record, out));
    }

    // Appends a copy of the record, and changes the score of the copy.
    fn mark(&self, record: &[u8], out: &mut Vec<u8>) {
        out.extend_from_slice(record);
        if let Some(raw) = out.last_chunk_mut() {
            mark::<L, N>(raw);
        }
    }

    fn cannot_hold(&self, score: Option<i32>, record: &Record) -> Option<String> {
        L::cannot_hold(score, record)
    }

    fn unheld_rights(&self, record: &Record) -> Option<UnheldRights> {
        L::unheld_rights(record)
    }

    fn write(&self, records: OutputRecords<'_>, out: &mut Vec<u8>, _: &mut OpenChunk) {
        records.each(|record| out.extend_from_slice(&L::pack(record)));
    }
}

/// Decodes a block as one part: the positions of the valid records, their other fields, and an
/// error for each record that is invalid or cut off.
fn decode<L: Layout<N>, const N: usize>(
    lanes: Option<Unpacker>,
    block: &Block,
    into: &mut DecodedPart,
) {
    // The list of positions is taken out before `clear`, which would empty it. So it still has the
    // positions of the block before. `unpack` overwrites these, and if there are too few adds
    // zeros: to fill the whole list with zeros for each block would take time.
    let mut positions = core::mem::take(&mut into.positions);
    into.clear();
    let (raw, rest) = block.bytes.as_chunks::<N>();
    unpack::<L, N>(lanes, raw, &mut positions, |number, fault| {
        let span = span::<N>(number);
        // Adds an error (`decoded.rs`). In formats of games and chains, `start` is where the game
        // begins, and the span begins at the fault. Here both are the start of the record.
        into.refuse(block, span.start, span, fault);
    });
    into.positions = positions;
    describe::<L, N>(block, raw, into);
    // Only the last block of a file can end within a record.
    if !rest.is_empty() {
        let end = block.bytes.len() as u32;
        let start = end - rest.len() as u32;
        into.refuse(block, start, start..end, Invalid::cut_off(N, rest.len()));
    }
}

/// How many records vectors unpack before the loop over groups takes them: enough to keep the
/// vector unit busy, few enough to stay in cache.
const STRETCH: usize = 1024;

/// Sets the positions to those of the valid records, in order, and calls a function with the
/// number and fault of each other one. `positions` may still have those of the block before: they
/// are overwritten, as it would take time to clear them first.
///
/// Records that a vector unit does not find valid are unpacked one by one.
fn unpack<L: Layout<N>, const N: usize>(
    lanes: Option<Unpacker>,
    records: &[[u8; N]],
    positions: &mut Vec<Position>,
    mut refused: impl FnMut(usize, Invalid),
) {
    positions.resize(records.len(), Position::zeroed());
    // Both are needed: a vector unit of the machine, and the format's code for it.
    let in_groups = lanes.zip(L::IN_GROUPS);
    // The number of valid records so far.
    let mut valid_count = 0;
    for (start, chunk) in (0..).step_by(STRETCH).zip(records.chunks(STRETCH)) {
        // A byte for each group of eight, a bit for each valid record. They stay 0 without vectors,
        // and for a last group that is not whole.
        let mut valid = [0; STRETCH / GROUP];
        // Where the first position of this stretch goes.
        let first = valid_count;
        if let Some((lanes, unpack)) = in_groups {
            unpack(lanes, chunk, &mut positions[first..], &mut valid);
        }
        for (group, records) in chunk.chunks(GROUP).enumerate() {
            let at = group * GROUP;
            // Vectors have put this group's positions at `first + at`. If no record of this stretch
            // was invalid before, that is where they belong, and nothing needs to move.
            if valid[group] == u8::MAX && valid_count == first + at {
                valid_count += GROUP;
                continue;
            }
            for (i, record) in (at..).zip(records) {
                let position = match valid[group] >> (i - at) & 1 {
                    1 => Ok(positions[first + i]),
                    _ => L::unpack(record),
                };
                match position {
                    Ok(position) => {
                        positions[valid_count] = position;
                        valid_count += 1;
                    }
                    Err(fault) => refused(start + i, fault),
                }
            }
        }
    }
    positions.truncate(valid_count);
}

/// Records put together before they are appended: few enough to stay in the nearest cache.
const BATCH: usize = 64;

/// Writes the records of a block that are not dropped; none is invalid. Each is written into the
/// next slot, and overwritten by the one after it if it is dropped. That takes no branch on the
/// action, which cannot be predicted.
fn put_all<L: Layout<N>, const N: usize>(raw: &[[u8; N]], actions: &[Action], out: &mut Vec<u8>) {
    if actions.iter().all(|&action| action == Action::Keep) {
        return out.extend_from_slice(raw.as_flattened());
    }
    let marks = actions.contains(&Action::Mark);
    let mut slots = [[0; N]; BATCH];
    for (raw, actions) in raw.chunks(BATCH).zip(actions.chunks(BATCH)) {
        // The number of slots that hold a record to be written.
        let mut put = 0;
        for (raw, &action) in raw.iter().zip(actions) {
            // `% BATCH` changes nothing: it spares the test of the index.
            slots[put % BATCH] = *raw;
            // `marks` does not change in this loop, so the compiler tests it outside.
            if marks && action == Action::Mark {
                mark::<L, N>(&mut slots[put % BATCH]);
            }
            put += usize::from(action != Action::Drop);
        }
        out.extend_from_slice(slots[..put].as_flattened());
    }
}

/// The bytes of a record in its block. They fit in 32 bits, as `reader.rs` makes no blocks of more
/// than 64 MiB.
#[inline(always)]
const fn span<const N: usize>(number: usize) -> Range<u32> {
    let start = (number * N) as u32;
    start..start + N as u32
}

/// Adds the other fields of the valid records. Which records are invalid is known from the errors
/// that [`unpack`] has caused.
fn describe<L: Layout<N>, const N: usize>(block: &Block, raw: &[[u8; N]], into: &mut DecodedPart) {
    let numbered = raw.iter().enumerate();
    let start = block.start.number();
    if into.invalid.is_empty() {
        let records = numbered.map(|(number, raw)| record::<L, N>(start, number, raw));
        return into.records.extend(records);
    }
    // By ascending start, as `unpack` calls `refused` in order.
    let starts = into.invalid.iter().map(|error| error.span.start);
    let mut invalid_starts = starts.peekable();
    let valid = numbered.filter(|(number, _)| {
        let record_start = (number * N) as u32;
        invalid_starts.next_if_eq(&record_start).is_none()
    });
    let records = valid.map(|(number, raw)| record::<L, N>(start, number, raw));
    into.records.extend(records);
}

/// The fields of a valid record; `start` is the offset of the block in the file, in bytes.
#[inline(always)]
fn record<L: Layout<N>, const N: usize>(start: u64, number: usize, raw: &[u8; N]) -> RecordFields {
    let span = span::<N>(number);
    // The place, by which messages name the record, is the number of its first byte in the file.
    // Other code gets places from `PlaceKind::place` (`spec.rs`). That is not called here, as it
    // would test for each record whether the format's messages name bytes, lines or games.
    let place = Place::Offset(start + u64::from(span.start));
    L::describe(raw, RecordFields::new(place, span))
}
