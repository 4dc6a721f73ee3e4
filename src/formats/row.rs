//! The table of formats: one row each, written in the format's own file.

use std::io::Read;

use super::convert::Kept;
use super::{Codec, EncodeError, Open, Part, Reader, State};
use crate::{CpuPath, Position};

/// Whatever a file is read from.
pub(crate) type Input<'a> = Box<dyn Read + Send + 'a>;

/// All that is to be known of a format without opening a file.
#[allow(clippy::struct_excessive_bools)] // a table's columns
pub(crate) struct Row {
    pub name: &'static str,
    /// Other names that it goes by.
    pub aliases: &'static [&'static str],
    /// Extensions of its files and no others.
    pub extensions: &'static [&'static str],
    /// Extensions that files of other formats have, too.
    pub shared_extensions: &'static [&'static str],
    pub detect: Detect,
    /// Whether people can read it.
    pub is_text: bool,
    /// Bytes of a record, if all have as many.
    pub record_bytes: Option<usize>,
    /// Bytes of a record in tenths, about; few rather than many.
    pub tenths_of_a_record: usize,
    /// The bytes of what comes whole, where a block cannot be smaller.
    pub least_block_bytes: Option<usize>,
    /// Name of the record group, if records hang together.
    pub units: Option<&'static str>,
    /// Whether blocks are decoded in parts.
    pub has_parts: bool,
    /// Whether records can be marked as skipped.
    pub can_mark: bool,
    /// Whether dropping breaks up groups, so that the file grows.
    pub prefers_mark: bool,
    /// Whether what trains on it passes over records without a score.
    pub skips_unscored: bool,
    /// What its records can tell besides the position.
    pub holds: &'static [Part],
    /// What of that is not written when records of other formats become some of this.
    pub unwritten: &'static [Part],
    /// What it has no way to leave out, in the order of [`Part::ALL`].
    pub needs: &'static [Part],
    /// How records tell what they may leave out.
    pub forms: &'static [(Part, &'static str)],
    /// Whether a move behind a group's first is read by its number among the possible
    /// ones, so that it is one of them.
    pub numbers_moves: bool,
    /// How many bytes of whole records some bytes begin with; asked where records stand
    /// alone and have no size.
    pub whole_records: fn(&[u8]) -> usize,
    /// Cuts a stream into blocks of about so many bytes.
    pub reader: for<'a> fn(Input<'a>, usize) -> Box<dyn Reader + 'a>,
    pub codec: fn(CpuPath) -> Box<dyn Codec>,
    /// Whether its own records can be written.
    pub is_writable: bool,
    /// How records of other formats become some of this one.
    pub target: Option<Target>,
}

/// How records of other formats are written.
#[derive(Clone, Copy)]
pub(crate) struct Target {
    /// What of a score of the side to move and a state there is no place for.
    pub no_place: fn(Option<i32>, &State) -> Option<String>,
    pub write: Write,
}

/// Appends records of other formats.
pub(crate) type Write = fn(Kept<'_>, &mut Vec<u8>, &mut Open) -> Result<(), EncodeError>;

/// How a format is told by the beginning of a file.
pub(crate) enum Detect {
    /// By its first bytes; those of a text have to be text.
    Begins(fn(&[u8]) -> bool),
    /// By being text, and no other.
    OtherText,
    /// By records that make sense, each of the first ones; given their bytes and
    /// positions, whether they do.
    Sense(fn(&[u8], &[Position]) -> bool),
}

impl Row {
    /// What most formats have in common.
    pub(crate) const fn new(
        name: &'static str,
        reader: for<'a> fn(Input<'a>, usize) -> Box<dyn Reader + 'a>,
        codec: fn(CpuPath) -> Box<dyn Codec>,
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
            has_parts: false,
            can_mark: true,
            prefers_mark: false,
            skips_unscored: false,
            holds: &Part::ALL,
            unwritten: &[],
            needs: &[Part::Score, Part::Result],
            forms: &[],
            numbers_moves: false,
            whole_records: <[u8]>::len,
            reader,
            codec,
            is_writable: true,
            target: None,
        }
    }
}

/// Makes the enum of all formats of the table.
macro_rules! formats {
    ($($(#[doc = $doc:literal])+ $(#[cfg($cfg:meta)])? $name:ident => $row:path,)+) => {
        /// The formats that files can have.
        #[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
        #[non_exhaustive]
        pub enum Format {
            $($(#[doc = $doc])+ $(#[cfg($cfg)])? $name,)+
        }

        impl Format {
            /// The names of the formats.
            pub const NAMES: &'static [&'static str] = &[$($(#[cfg($cfg)])? $row.name,)+];

            /// All formats, in the order of their names.
            pub const ALL: &'static [Format] = &[$($(#[cfg($cfg)])? Format::$name,)+];

            const fn row(self) -> &'static row::Row {
                match self {
                    $($(#[cfg($cfg)])? Format::$name => &$row,)+
                }
            }
        }
    };
}

pub(super) use formats;
