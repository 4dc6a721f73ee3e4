//! A row of the table of formats, written in the format's own file.

use core::ops::Range;

use super::convert::OutputRecords;
use super::cut::Cut;
use super::isa::Features;
use super::reader::{MAX_RECORD, count_lines};
use super::{Action, Actions, Block, DecodedPart, Field, OpenEnd, Place, Record};
use crate::Position;

/// The properties of a format; [`Format`](super::Format)'s methods of the same names explain some.
#[allow(clippy::struct_excessive_bools, clippy::type_complexity)] // a table's columns
pub(crate) struct Row {
    pub name: &'static str,
    pub aliases: &'static [&'static str],
    pub extensions: &'static [&'static str],
    /// Extensions that it shares with other formats.
    pub shared_extensions: &'static [&'static str],
    pub detect: Detect,
    pub is_text: bool,
    pub record_bytes: Option<usize>,
    /// The typical size of a record in tenths of a byte, rather too small.
    pub tenths_of_a_record: usize,
    /// The size of indivisible units, below which blocks cannot be.
    pub least_block_bytes: Option<usize>,
    pub units: Option<&'static str>,
    /// Bytes of a game or chain of one position, if they can be written.
    pub single_bytes: Option<usize>,
    pub can_mark: bool,
    pub prefers_mark: bool,
    pub skips_unscored: bool,
    /// Fields that its records never have.
    pub lacks: &'static [Field],
    /// Fields that conversions to it do not write.
    pub unwritten: &'static [Field],
    /// Fields that every record must have, in the order of [`Field::ALL`].
    pub needs: &'static [Field],
    /// The highest ply that it can hold.
    pub max_ply: u32,
    /// How it counts the moves of a game.
    pub counts: Counting,
    /// The highest half-move clock that it can hold; higher ones become this one.
    pub max_halfmoves: u8,
    /// How it writes optional fields.
    pub forms: &'static [(Field, &'static str)],
    /// Whether moves after a group's first are stored by number, and so always pseudo-legal.
    pub numbers_moves: bool,
    /// The length of the whole records at the start, games as a whole; or that of the first one,
    /// if more bytes are needed than there are and their number is known.
    pub whole_records: fn(&[u8]) -> usize,
    /// The kind of its places.
    pub place: fn(u64) -> Place,
    /// How many of them are in whole records.
    pub count: Count,
    /// Reads the header of a file from these bytes, which begin at this line, if there is one: what
    /// its blocks need to know, 0 if the header comes later. A column may be named.
    pub header: Option<fn(&[u8], u64, Option<&str>) -> Result<u32, Reason>>,
    /// Why a record that begins like this will never be whole, if so, with the offset of the
    /// reason; given whether these bytes are all.
    pub never_whole: fn(&[u8], bool) -> Option<Reason>,
    /// Decodes a part of a block, as [`Codec::decode_part`](super::Codec::decode_part).
    pub decode: fn(Features, &Block, usize, usize, &mut DecodedPart) -> Option<usize>,
    /// Adds each record with castling rights and clocks, but without its other fields.
    pub states: fn(Features, &Block, &DecodedPart, &mut Vec<Record>),
    /// Cuts a block into games or chains, for a device that filters them, if one can filter the
    /// format; `None` if that needs decoding.
    pub cut: Option<fn(&Block) -> Option<Cut>>,
    /// Appends the records that are not dropped, as they were or marked.
    pub select: fn(Features, &Block, &DecodedPart, &Actions<'_>, &mut Vec<u8>, &mut OpenEnd),
    /// Appends the records of one game or chain that are not dropped, as they were, without what
    /// the format writes around several of them. The actions are those of its records.
    pub select_unit: fn(Features, &Block, &DecodedPart, Range<usize>, &[Action], &mut Vec<u8>),
    /// Whether its own records can be written.
    pub is_writable: bool,
    /// What of a score (the side to move's) and a state it cannot hold.
    pub no_place: fn(Option<i32>, &Record) -> Option<String>,
    /// Writes records of other formats, if it can.
    pub write: Option<fn(OutputRecords<'_>, &mut Vec<u8>, &mut OpenEnd)>,
}

/// How the places in whole records are counted.
pub(crate) enum Count {
    /// By another look at the bytes.
    Apart(fn(&[u8]) -> u64),
    /// Together with the length of the whole records, which this returns first, as `whole_records`
    /// does: for games, which are found only by reading them.
    WithLength(fn(&[u8]) -> (usize, u64)),
}

/// What a format holds of the number of a move.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Counting {
    Moves,
    Plies,
    Both,
}

/// A reason, with its offset: in bytes, or lines of text.
pub(crate) type Reason = (u32, String);

/// Why a record that begins like this is not read as a whole, if so.
pub(crate) fn too_long(rest: &[u8]) -> Option<Reason> {
    let message = || format!("longer than {MAX_RECORD} bytes");
    (rest.len() > MAX_RECORD).then(|| (0, message()))
}

/// How a format is detected by the beginning of a file.
pub(crate) enum Detect {
    /// By its first bytes; for text formats only in text. Other text is in the default format.
    Begins(fn(&[u8]) -> bool),
    /// By its first records all being valid, given their bytes and positions.
    Sense(fn(&[u8], &[Position]) -> bool),
}

impl Row {
    /// The common defaults.
    pub(crate) const fn new(
        name: &'static str,
        whole_records: fn(&[u8]) -> usize,
        decode: fn(Features, &Block, usize, usize, &mut DecodedPart) -> Option<usize>,
    ) -> Row {
        Row {
            name,
            aliases: &[],
            extensions: &[],
            shared_extensions: &[],
            detect: Detect::Sense(|_, _| true),
            is_text: false,
            record_bytes: None,
            tenths_of_a_record: 320,
            least_block_bytes: None,
            units: None,
            single_bytes: None,
            can_mark: true,
            prefers_mark: false,
            skips_unscored: false,
            lacks: &[],
            unwritten: &[],
            needs: &[Field::Score, Field::Result],
            max_ply: u32::MAX,
            counts: Counting::Moves,
            max_halfmoves: u8::MAX,
            forms: &[],
            numbers_moves: false,
            whole_records,
            place: Place::Offset,
            count: Count::Apart(|bytes| bytes.len() as u64),
            header: None,
            never_whole: |rest, _| too_long(rest),
            decode,
            states: |_, block, decoded, states| decoded.states_of_fens(block, states),
            cut: None,
            select: |_, block, decoded, actions, out, _| {
                decoded.select(block, actions, out, |_, _| {});
            },
            select_unit: |_, block, decoded, records, actions, out| {
                decoded.select_lines(block, records, actions, out);
            },
            is_writable: true,
            no_place: |_, _| None,
            write: None,
        }
    }

    /// The defaults of text, of which each line is a record.
    pub(crate) const fn of_lines(
        name: &'static str,
        whole_records: fn(&[u8]) -> usize,
        decode: fn(Features, &Block, usize, usize, &mut DecodedPart) -> Option<usize>,
    ) -> Row {
        Row {
            is_text: true,
            place: Place::Line,
            count: Count::Apart(count_lines),
            // Lines are rarely shorter.
            tenths_of_a_record: 600,
            can_mark: false,
            ..Row::new(name, whole_records, decode)
        }
    }
}
