//! What the table of formats says of each.

use core::str::FromStr;
use std::io::Read;

use super::row::Row;
use super::{Codec, Format, Part, Reader};
use crate::{CpuPath, UnknownName};

/// Lines are what most people have.
impl Default for Format {
    fn default() -> Format {
        Format::Text
    }
}

impl Format {
    /// This format's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        self.row().name
    }

    /// Whether files of this format are text that people can read.
    #[must_use]
    pub const fn is_text(self) -> bool {
        self.row().is_text
    }

    /// Whether records can be written in it.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        self.row().is_writable
    }

    /// Whether records of other formats can become some of this one.
    #[must_use]
    pub const fn is_convertible_to(self) -> bool {
        self.row().target.is_some()
    }

    /// The bytes of a record, if all have as many.
    #[must_use]
    pub const fn record_bytes(self) -> Option<usize> {
        self.row().record_bytes
    }

    /// The bytes of a record in tenths, about; few rather than many.
    #[doc(hidden)]
    #[must_use]
    pub const fn tenths_of_a_record(self) -> usize {
        self.row().tenths_of_a_record
    }

    /// The bytes of what comes whole, where blocks cannot be smaller.
    #[doc(hidden)]
    #[must_use]
    pub const fn least_block_bytes(self) -> Option<usize> {
        self.row().least_block_bytes
    }

    /// Whether blocks can be decoded in parts ([`Codec::decode_part`]).
    #[doc(hidden)]
    #[must_use]
    pub const fn has_parts(self) -> bool {
        self.row().has_parts
    }

    /// Name of the record group, if records hang together: games or chains. Records
    /// of one group have spans that begin at the same byte.
    #[must_use]
    pub const fn units(self) -> Option<&'static str> {
        self.row().units
    }

    /// Whether records can be marked as skipped instead of dropped.
    #[must_use]
    pub const fn can_mark(self) -> bool {
        self.row().can_mark
    }

    /// Whether dropping breaks up what holds the records together, so that the
    /// file grows, and marking is to be preferred.
    #[must_use]
    pub const fn prefers_mark(self) -> bool {
        self.row().prefers_mark
    }

    /// Whether what trains on records of this format passes over those with the score
    /// that stands for none, [`VALUE_NONE`](super::VALUE_NONE). Where it does not,
    /// a [`Conversion`](super::Conversion) refuses them.
    #[must_use]
    pub const fn skips_unscored(self) -> bool {
        self.row().skips_unscored
    }

    /// Whether records of this format have no way to leave it out.
    pub(super) fn needs(self, part: Part) -> bool {
        self.row().needs.contains(&part)
    }

    /// Whether records of this format have a place for it.
    #[must_use]
    pub fn holds(self, part: Part) -> bool {
        self.row().holds.contains(&part)
    }

    /// How records of this format tell it, where they may leave it out.
    #[must_use]
    pub fn form_of(self, part: Part) -> Option<&'static str> {
        let mut forms = self.row().forms.iter();
        forms.find(|form| form.0 == part).map(|form| form.1)
    }

    /// Whether it is written when records of other formats become some of this one.
    fn writes(self, part: Part) -> bool {
        self.holds(part) && !self.row().unwritten.contains(&part)
    }

    /// What records of this format may hold and `to` has no place for.
    pub fn lost_in(self, to: Format) -> impl Iterator<Item = Part> {
        Part::ALL
            .into_iter()
            .filter(move |&part| self != to && self.holds(part) && !to.writes(part))
    }

    /// What `to` has a place for and records of this format never hold.
    pub fn unknown_in(self, to: Format) -> impl Iterator<Item = Part> {
        Part::ALL
            .into_iter()
            .filter(move |&part| !self.holds(part) && to.writes(part))
    }

    /// Whether a record's move is played to write the next one.
    pub(super) fn plays(self) -> bool {
        self.needs(Part::Played)
    }

    /// How many bytes of whole records some bytes begin with, where they stand alone.
    pub(super) fn whole_records(self, bytes: &[u8]) -> usize {
        match self.record_bytes() {
            Some(record) => bytes.len() / record * record,
            None => (self.row().whole_records)(bytes),
        }
    }

    /// A reader of a stream, and the codec of its blocks of about `block_bytes`.
    #[doc(hidden)]
    pub fn open<'a>(
        self,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> (Box<dyn Reader + 'a>, Box<dyn Codec>) {
        self.open_on(CpuPath::best(), input, block_bytes)
    }

    /// The same with a codec that decodes by a path of the caller's choice, where
    /// the format knows several.
    #[doc(hidden)]
    pub fn open_on<'a>(
        self,
        path: CpuPath,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> (Box<dyn Reader + 'a>, Box<dyn Codec>) {
        let Row { reader, .. } = self.row();
        (reader(Box::new(input), block_bytes), self.codec_on(path))
    }

    /// What decodes and encodes its blocks.
    #[must_use]
    pub fn codec(self) -> Box<dyn Codec> {
        self.codec_on(CpuPath::best())
    }

    /// The same by a path of the caller's choice, where the format knows several.
    #[must_use]
    pub fn codec_on(self, path: CpuPath) -> Box<dyn Codec> {
        (self.row().codec)(path)
    }
}

impl FromStr for Format {
    type Err = UnknownName;

    fn from_str(name: &str) -> Result<Format, UnknownName> {
        let is_named = |format: &&Format| {
            let row = format.row();
            row.name == name || row.aliases.contains(&name)
        };
        Format::ALL
            .iter()
            .find(is_named)
            .copied()
            .ok_or_else(|| UnknownName::new("format", name, Format::NAMES))
    }
}
