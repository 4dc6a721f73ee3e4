//! What the rest of the program must know of a format: its properties and its code.
//!
//! Each format's file has one constant `SPEC` ([`FormatSpec`]: names, sizes, what its records hold)
//! and one type that implements [`FormatCode`] (reading, selecting and writing records).
//! `format.rs` lists them. Reader (`reader.rs`), codec (`codec.rs`) and jobs (`jobs.rs`) ask these
//! two, and never "is it a binpack?".
//!
//! # Words
//!
//! - A *record* is a position with what the file says of it: played move, score, result, ply.
//! - A *span* is the range of bytes of a record in its block.
//! - A *unit* is a game or a chain. Only its first position is stored, and the moves that lead to
//!   the others, so its records can be read only together, and each has the span of the whole unit.
//!   In the other formats every record is independent.
//! - A *chunk* is a piece of a file that begins with its own length. Only binpacks have chunks, with
//!   several chains in each, and in them a block is one or more whole chunks.
//! - A *block* is what the reader hands on at once: whole records, and whole units where there are
//!   any. Mostly it has 8 KiB to 4 MiB; it is larger if one record, unit or chunk is.
//! - A *part* of a block is what is decoded at once. Formats with tiny records have several parts a
//!   block, so that the decoded records stay in the cache; the others have one.
//! - A *place* is what a message names: `line 7`, `byte 64`, `game 3`.
//!
//! # The life of a block
//!
//! ```text
//! reader:  repeat
//!              read more bytes
//!              whole = code.whole_records(bytes)            length of the whole records
//!              if nothing is whole and code.never_whole(the rest) gives a reason: fail
//!          until 0 < whole.length <= bytes.len(), or the file ends
//!          a block is these whole records; at the end of the file, all that is left, unless
//!              code.never_whole(the rest) gives a reason: then the next call fails
//!          columns = code.header(bytes, line, naming)       until the header is found
//! worker:  from = 0
//!          repeat
//!              next = code.decode(block, from, wanted, part)    about that many records
//!              code.states(block, part, states)             only if the job needs castling rights
//!                                                           or clocks
//!              one Action for each record                   by the job, for example a filter
//!              code.select(block, part, actions, out)       to the same format: bytes are copied
//!              or target.code.write(the records, out)       to another format
//!              from = next
//!          until there is no next
//! ```
//!
//! # Worked examples
//!
//! bulletformat has records of 32 bytes. Of 70 bytes, [`whole_records`](FormatCode::whole_records)
//! says 64; the reader keeps 6 for the next block. That block begins at `byte 64`. If the file ends
//! there, the 6 bytes are the last block, and [`decode`](FormatCode::decode) reports them as cut
//! off.
//!
//! A binpack has chunks. 4,096 bytes that begin with `BINP` and the size 1,000,000 hold no whole
//! chunk, so `whole_records` says 1,000,008, the length of the first one with its header: the
//! reader then reads the missing 995,912 bytes.
//!
//! A text has lines. Of `8/8/4k3/8/8/4K3/8/8 w - -\n8/8/4k` (32 bytes), `whole_records` says 26.
//! The next block begins at `line 2`.
//!
//! # Why a table and a trait
//!
//! Properties are plain data, because most code that asks for them wants one fact (`can_mark`) or
//! searches all formats (`extensions`), and some of it is read in `const fn`s. Code is called
//! through a pointer, nearly always once for a block or a part of one: what runs for every record
//! is compiled within a format's file.
//!
//! # What must hold
//!
//! - `decode`, `states`, `select` and `write` depend on nothing but their arguments, so blocks can
//!   be worked on in any order and on any thread.
//! - Nothing in a block is passed over in silence. Each byte is in the span of a record, or in that
//!   of an error about an invalid record, or it is a header, a blank line or a comment between
//!   records.
//! - The description of a flag may name methods. They are called if the flag is set, so a format
//!   that sets it must define each of them, unless the default does what is wanted.

use core::ops::Range;

use memchr::memchr_iter;

use super::breakage::{Breakage, too_long};
use super::convert::{Counting, OutputRecords, UnheldRights};
use super::cut::Cut;
use super::isa::Features;
use super::{Action, Actions, Block, DecodedPart, Field, LabelColumns, OpenChunk, Place, Record};
use swaplist::Position;

/// The properties of a format, as [`Format::spec`](super::Format::spec) tells them.
// Each format's `SPEC` begins with `FormatSpec::new` or `FormatSpec::for_text` and changes what is
// different.
#[allow(clippy::struct_excessive_bools)] // the columns of a table
pub struct FormatSpec {
    /// The methods that read and write it.
    pub(crate) code: &'static dyn FormatCode,

    /// The name in messages, options and JSON.
    pub(crate) name: &'static str,
    /// Other names that options accept.
    pub(crate) aliases: &'static [&'static str],
    /// Extensions that only this format uses; the first is that of new files. The name of the
    /// format is one of them, since the web page (`web/`) and the tests name files by it. Only the
    /// format `text` has none that is its name: its files end in `txt`, `fen` or `epd`.
    pub extensions: &'static [&'static str],
    /// Extensions that other formats use too, so that the content must decide.
    pub(crate) shared_extensions: &'static [&'static str],
    /// How the content of a file tells whether it is in this format.
    pub(crate) detection: Detection,

    /// Whether files are text: then the length of lines is limited.
    pub is_text: bool,
    /// The size of a record in bytes, if all have the same.
    pub record_bytes: Option<usize>,
    /// A low estimate of the typical size of a record, in tenths of a byte: 24 are 2.4 bytes. Each
    /// record of a block takes memory once decoded, so the plan of a run (`jobs/plan.rs`) divides
    /// the size of a block by this to find how many records it may have. With too high a number the
    /// plan would count too few records, and the run would take more memory than planned.
    ///
    /// Text may have much smaller records than usual: see `least_text_bytes`.
    pub record_tenths_of_a_byte: usize,
    /// In formats of text, the fewest bytes per line (in PGN per half-move) that a block has on
    /// average. A plan counts by this. Lines can be shorter, so the reader ends a block after
    /// as many lines as it may have by this number ([`FormatCode::first_records`]). `None` in
    /// binary formats.
    pub(crate) least_text_bytes: Option<usize>,
    /// The least size of a block in bytes, in formats whose files consist of chunks that cannot be
    /// split: roughly one chunk; `None` in all others. A run that reads such a format never has
    /// smaller blocks: if they do not fit in memory, it has fewer threads.
    ///
    /// For the format that is written, only whether this is `Some` matters. If it is, each block is
    /// written as a chunk, and a job that converts puts the chains of all blocks into chunks of
    /// one size (`jobs/chunks.rs`): its output must not depend on how large the blocks were.
    pub(crate) least_block_bytes: Option<usize>,
    /// The plural name of its units, `games` or `chains`; `None` if records are independent.
    pub units: Option<&'static str>,
    /// The bytes of a written unit that has only one record, which are the most that a record takes:
    /// by these `mix` tells how many records a file has at least. `None` if records are independent,
    /// or units cannot be written.
    pub(crate) single_bytes: Option<usize>,
    /// What its places are, by which messages name a record: bytes, lines or games.
    pub(crate) places: PlaceKind,
    /// Whether files begin with a header that names columns; see [`FormatCode::header`].
    pub(crate) has_header: bool,

    /// Whether a record that a filter does not want can stay in the file with the score 32002
    /// ([`VALUE_NONE`](super::VALUE_NONE)), which is called to *mark* it.
    pub can_mark: bool,
    /// Whether a filter marks by default, because dropping makes the file larger: a record dropped
    /// from the middle of a unit splits it, and the second part needs a whole first position.
    pub prefers_mark: bool,
    /// Whether the score 32002 is safe in this format: trainers skip a record with it, or the
    /// format itself defines it as no score. If not, a trainer would take it for a score. Then
    /// - a conversion to the format refuses records without a score, if the format needs one;
    /// - a filter that marks gives a note that loaders do not skip marked records (not for texts);
    /// - a filter that drops the records without a score refuses to convert its rejects to the
    ///   format, since the rejects would contain these records (not for texts).
    pub skips_unscored: bool,

    /// Fields that its records never have.
    pub(crate) lacks: &'static [Field],
    /// The fields among `lacks` that its records have if the user names their columns
    /// ([`LabelColumns`]).
    pub(crate) named: &'static [Field],
    /// Fields that records may have, but that conversions to it do not write.
    pub(crate) unwritten: &'static [Field],
    /// Fields that a record needs to be written in it, in the order of [`Field::ALL`]. A conversion
    /// refuses the records that lack one, and at once any input format that never has it. Where
    /// `skips_unscored`, a record without a score is not refused, but gets 32002.
    pub(crate) needs: &'static [Field],
    /// The highest ply that it can hold; a conversion refuses records with a higher one.
    pub(crate) max_ply: u32,
    /// Whether it holds the full-move number (`Counting::Moves` in `convert.rs`, the usual case),
    /// the ply (`Plies`), or both (`Both`). If it holds only one, the other follows from it, and a
    /// conversion notes the records in which the two contradict each other.
    pub(crate) counts: Counting,
    /// The highest half-move clock that it can hold; a conversion writes a higher one as this one,
    /// and notes for which records.
    pub(crate) max_halfmoves: u8,
    /// For fields that only some records of the format have: the words that say where a record has
    /// the field. The error about a record that lacks it ends with them. With `(Field::Played, "a
    /// legal first move in the best line")`, a filter that asks for the played move says "line 7:
    /// the filter asks for the played move, which this record does not have (in jsonl: a legal
    /// first move in the best line)".
    pub(crate) held_as: &'static [(Field, &'static str)],
    /// Whether the moves of a unit, all except the first one, are stored as numbers in a list of
    /// pseudo-legal moves, as in binpacks. A move stored as a number is one that its piece can
    /// make. If another record of the unit follows, decoding has also proved that the move does not
    /// leave the king to be taken. So the test for illegal played moves (`proved` in `codec.rs`)
    /// passes over it. Three kinds of moves are still tested: the first move of a unit, which is
    /// stored in full, so that only the king's safety is proved; the last one, after which no
    /// position was decoded; and castling in any case, since a square on the king's way may be
    /// attacked.
    pub(crate) numbers_moves: bool,

    /// Whether a device (a GPU) can filter files in it.
    // Then the format defines [`FormatCode::cut`].
    pub filters_on_gpu: bool,
    /// Whether its own records can be written back in it.
    // Then [`FormatCode::select`] and [`FormatCode::select_unit`] are called.
    pub is_writable: bool,
    /// Whether records of other formats can be written in it.
    // Then the format defines [`FormatCode::write`].
    pub is_convertible_to: bool,
}

/// The code of a format. Its methods are called once for a file, a block, a part of a block or a
/// unit. Two are called for single records: `cannot_hold` for each one that is written in another
/// format, and `mark` for each one that is marked.
///
/// A faulty record is not an error of the method: [`decode`](FormatCode::decode) notes the fault in
/// the part, and goes on with the next record. `features` (`isa.rs`) are the instructions that the
/// code may use, such as AVX2: the codec chooses them once, when it is opened, by what the CPU has
/// and the user allows, and the result is the same with all. `out` has the output of what came
/// before, such as earlier parts, so methods append to it.
pub(crate) trait FormatCode: Sync {
    /// Whether a file that begins with `head`, at most [`HEAD`](super::HEAD) bytes, is in this
    /// format. Asked where the spec says [`Detection::Beginning`]; of text formats only if `head`
    /// has no control characters.
    fn begins(&self, _head: &[u8]) -> bool {
        false
    }

    /// Whether records that are all valid look like this format, given the bytes they were decoded
    /// from and their positions. Asked where the spec says [`Detection::Records`].
    fn makes_sense(&self, _bytes: &[u8], _positions: &[Position]) -> bool {
        true
    }

    /// Reads the header of a file from `lines`, which begin at the line `first_line` (from 1).
    /// Returns what decoding needs to know of it, packed by the format, which becomes
    /// [`Block::columns`]: for CSV the separator, the columns to read, how they are read, and the
    /// number of lines before the first row. The answer 0 says that these lines are all comments, so
    /// that the header must come later; a packed header must never be 0. `naming` has the columns
    /// that the user named. Called only if the spec says `has_header`, so the default is never asked.
    ///
    /// # Errors
    ///
    /// If the first line that is not a comment is not a header: which line that is (`offset`, the
    /// number of lines before it), and why.
    fn header(
        &self,
        _lines: &[u8],
        _first_line: u64,
        _naming: &Naming<'_>,
    ) -> Result<u64, Breakage> {
        Ok(0)
    }

    /// How many of these bytes are whole records: whole units or chunks where there are such. If
    /// not even the first one is whole, but its beginning says how long it is, that length: it is
    /// more than `bytes` has, and the reader goes on reading until it has that many. Otherwise 0:
    /// the reader reads some more, and asks again.
    fn whole_records(&self, bytes: &[u8]) -> WholeRecords;

    /// The length of those whole records that begin in the first `lines` lines, 1 or more; of all in
    /// formats without lines, which is the default. With it the reader ends a block of short lines
    /// early: an invalid line of two bytes takes some hundreds once decoded.
    fn first_records(&self, whole: &[u8], _lines: usize) -> usize {
        whole.len()
    }

    /// Why `rest`, the bytes after the whole records, will never begin with a whole record,
    /// whatever follows; `None` if it may. In the answer `offset` counts bytes from the start of
    /// `rest`. The reader fails with it if no whole record comes before `rest`. If some do, it
    /// returns these as a block, and fails when it is called once more. That is so at the end of
    /// the file, too. The default (`too_long` in `breakage.rs`) refuses more than 16 MiB without
    /// the end of a record: a text like that is most likely a file without line ends. It cannot
    /// happen with records of one size.
    fn never_whole(&self, rest: &[u8]) -> Option<Breakage> {
        too_long(rest)
    }

    /// Empties `part`, then decodes about `records` records of the block from the byte `from` on,
    /// whole units where there are any, into it. Returns the byte where the next part begins,
    /// `None` after the last one. The default decodes the whole block as one part, by
    /// [`decode_block`](FormatCode::decode_block).
    fn decode(
        &self,
        features: Features,
        block: &Block,
        _from: usize,
        _records: usize,
        part: &mut DecodedPart,
    ) -> Option<usize> {
        self.decode_block(features, block, part);
        None
    }

    /// Empties `part`, then decodes a whole block into it. A format defines either this method or
    /// [`decode`](FormatCode::decode), of which only the default calls this one.
    fn decode_block(&self, _features: Features, _block: &Block, _part: &mut DecodedPart) {
        unreachable!("a format decodes a block as a whole or part by part");
    }

    /// Appends to `states` a [`Record`] for each record of a decoded part, of which only the
    /// position, castling rights and clocks are set. `codec.rs` calls it only where these are
    /// needed, for example to write a format that holds castling rights. The default is for formats
    /// whose records are FENs: it reads them once more.
    fn states(
        &self,
        _features: Features,
        block: &Block,
        part: &DecodedPart,
        states: &mut Vec<Record>,
    ) {
        part.states_of_fens(block, states);
    }

    /// Cuts a block into units without decoding them, for a device that filters them: where each
    /// one is and how many records it has. `None` if this block has to be decoded by the CPU.
    fn cut(&self, _features: Features, _block: &Block) -> Option<Cut> {
        None
    }

    /// Appends the records of a part that are not dropped, as they were read, or marked. The
    /// default copies what comes before the records, then independent records, and marks by
    /// [`mark`](FormatCode::mark).
    ///
    /// `open_chunk` is the chunk of the output that the part before this one began, and that may go
    /// on here. It says at which byte of the block the chunk that was read begins, and where the
    /// header of the chunk that is written is in `out`. That header holds the size, which is known
    /// only after the chunk's last part, so each part that continues the chunk writes it anew. In
    /// this way a chunk that is worked on in several parts is written as one chunk. Only binpacks
    /// use it.
    fn select(
        &self,
        _features: Features,
        block: &Block,
        part: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _open_chunk: &mut OpenChunk,
    ) {
        out.extend_from_slice(self.before_records(block));
        part.select(block, actions, out, |record, out| self.mark(record, out));
    }

    /// The bytes at the start of a block that belong to no record and stay in the file: the header
    /// of a table, with what comes before it. Blocks after the header have none. A block in which
    /// the header has not come yet (its `columns` are 0) is returned whole.
    fn before_records<'b>(&self, _block: &'b Block) -> &'b [u8] {
        &[]
    }

    /// Appends an independent record with the score that means none. Called by `select` of formats
    /// whose records are independent and can be marked.
    fn mark(&self, _record: &[u8], _out: &mut Vec<u8>) {
        unreachable!("no records are marked in a format that cannot be marked");
    }

    /// Appends those of one unit's records that are not dropped, as they were read or marked,
    /// without the header of a chunk: `mix` takes units one by one, and writes its own chunks
    /// around them. `records` are the unit's in the part, `actions` one for each. The default is
    /// for independent records, of text or of one size, each a unit of its own. It treats
    /// `Action::Mark` like `Keep`, and copies the record: `mix`, its only caller, keeps or drops
    /// records and never marks one.
    fn select_unit(
        &self,
        _features: Features,
        block: &Block,
        part: &DecodedPart,
        records: Range<usize>,
        actions: &[Action],
        out: &mut Vec<u8>,
    ) {
        part.select_independent(block, records, actions, out);
    }

    /// Removes the header that `write` and `select` put before the units of a chunk. It is called
    /// after one of these two has written a single unit, for `mix` and for comparisons with a
    /// device, which need the unit alone. (`select_unit` writes no header, so it is not called
    /// after that.) From `start` on `out` holds what was written for the unit: one chunk, or
    /// nothing at all. The default is for formats without such headers.
    fn remove_frame(&self, _start: usize, _out: &mut Vec<u8>) {}

    /// Names what this format cannot hold of a record that is to be converted to it, for example
    /// `the score 40000`; `None` if it can hold all. The score is the side to move's in centipawns,
    /// the one that would be written.
    fn cannot_hold(&self, _score: Option<i32>, _record: &Record) -> Option<String> {
        None
    }

    /// The castling rights of a record that this format cannot hold; `None` if it can hold all.
    /// Unless they are dropped, such a record is refused.
    fn unheld_rights(&self, _record: &Record) -> Option<UnheldRights> {
        None
    }

    /// Appends records of another format, which were all found to fit: `codec.rs` has compared them
    /// with the [`FormatSpec`] and asked `cannot_hold`. `open_chunk` is the state left by the parts
    /// of the block before this one, as for [`select`](FormatCode::select).
    fn write(&self, _records: OutputRecords<'_>, _out: &mut Vec<u8>, _open_chunk: &mut OpenChunk) {
        unreachable!("no records are converted to a format that cannot be converted to");
    }
}

/// The columns of a table that the user named.
pub(crate) struct Naming<'a> {
    /// The name of the FEN's column.
    pub fen: Option<&'a str>,
    /// The names of the score's and the result's columns.
    pub labels: &'a LabelColumns,
}

impl Naming<'_> {
    /// The user has named none.
    pub(crate) const NOTHING: Naming<'static> = Naming {
        fen: None,
        labels: &LabelColumns::NONE,
    };
}

/// The result of [`FormatCode::whole_records`].
#[derive(Clone)]
pub(crate) struct WholeRecords {
    /// Their length in bytes, or that of the first one if it exceeds the bytes there are.
    pub length: usize,
    /// The number of games in this length, by which the reader numbers the first game of the next
    /// block. Only PGN sets it, whose places are games; it is 0 in all other formats.
    pub games: u64,
    /// Where games end, which a block keeps so that decoding need not find it again ([`Block`]).
    /// Only viriformat and Monty's formats set it, since they find the length by finding these
    /// ends. No format sets both this and `games`.
    pub game_ends: Vec<u32>,
}

impl WholeRecords {
    /// Whole records of a format whose places are bytes or lines, which [`PlaceKind::count`]
    /// counts.
    pub(crate) const fn from_length(length: usize) -> WholeRecords {
        WholeRecords {
            length,
            games: 0,
            game_ends: Vec::new(),
        }
    }
}

/// What the places of a format are, and so the number by which a reader counts its way through a
/// file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum PlaceKind {
    /// The offsets of bytes, from 0.
    Bytes,
    /// The numbers of lines, from 1.
    Lines,
    /// The numbers of games, from 1.
    Games,
}

impl PlaceKind {
    /// The place with a number: `byte 64`, `line 7` or `game 3`.
    pub(crate) const fn place(self, number: u64) -> Place {
        match self {
            PlaceKind::Bytes => Place::Offset(number),
            PlaceKind::Lines => Place::Line(number),
            PlaceKind::Games => Place::Game(number),
        }
    }

    /// How many places are in the bytes of a block, in which `games` games were found: the reader
    /// adds it to the place of the block to get that of the next one.
    pub(crate) fn count(self, bytes: &[u8], games: u64) -> u64 {
        match self {
            PlaceKind::Bytes => bytes.len() as u64,
            PlaceKind::Lines => count_lines(bytes),
            PlaceKind::Games => games,
        }
    }
}

/// How a format is detected by the first bytes of a file.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(crate) enum Detection {
    /// By a magic number or the first words of a text; see [`FormatCode::begins`]. Text that no
    /// format claims is in the default format, `text` (`detect.rs`).
    Beginning,
    /// By decoding the first records: all must be valid, and [`FormatCode::makes_sense`] must
    /// agree. So the more a format refuses, such as unused bits that are not 0, the fewer files of
    /// other formats look like its own.
    Records,
}

impl FormatSpec {
    /// The usual properties of a binary format: its own records can be marked and copied. Its code
    /// needs [`FormatCode::mark`], or a `select` of its own that marks. A conversion to it is not
    /// possible unless the format sets `is_convertible_to`, and then needs a score and a result.
    pub(crate) const fn new(name: &'static str, code: &'static dyn FormatCode) -> FormatSpec {
        FormatSpec {
            code,
            name,
            aliases: &[],
            extensions: &[],
            shared_extensions: &[],
            detection: Detection::Records,
            is_text: false,
            record_bytes: None,
            // 32 bytes; formats with records of other sizes set it.
            record_tenths_of_a_byte: 320,
            least_text_bytes: None,
            least_block_bytes: None,
            units: None,
            single_bytes: None,
            places: PlaceKind::Bytes,
            has_header: false,
            can_mark: true,
            prefers_mark: false,
            skips_unscored: false,
            lacks: &[],
            named: &[],
            unwritten: &[],
            needs: &[Field::Score, Field::Result],
            max_ply: u32::MAX,
            counts: Counting::Moves,
            max_halfmoves: u8::MAX,
            held_as: &[],
            numbers_moves: false,
            filters_on_gpu: false,
            is_writable: true,
            is_convertible_to: false,
        }
    }

    /// The usual properties of a text format: it is detected by its beginning, its places are
    /// lines, and its records cannot be marked. A conversion to it needs a score and a result, as
    /// to a binary format, unless the format changes `needs`.
    pub(crate) const fn for_text(name: &'static str, code: &'static dyn FormatCode) -> FormatSpec {
        FormatSpec {
            detection: Detection::Beginning,
            is_text: true,
            // A line of text is rarely shorter than 60 bytes.
            record_tenths_of_a_byte: 600,
            least_text_bytes: Some(32),
            places: PlaceKind::Lines,
            can_mark: false,
            ..FormatSpec::new(name, code)
        }
    }
}

/// The number of line ends.
fn count_lines(bytes: &[u8]) -> u64 {
    memchr_iter(b'\n', bytes).count() as u64
}
