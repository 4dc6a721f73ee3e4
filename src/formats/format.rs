//! The formats by name, and what reads each.

use core::str::FromStr;
use std::io::Read;

use super::{
    Codec, FixedCodec, FixedReader, Reader, TextCodec, TextReader, binpack, bulletformat, fixed,
    marlinformat, pgn, plain, sfbin, viriformat,
};
use crate::CpuPath;

/// The formats that files can have.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Hash)]
#[non_exhaustive]
pub enum Format {
    /// Lines: a FEN, an EPD record, `FEN | score | result` or `FEN;moves`.
    #[default]
    Text,
    /// Stockfish's chains of positions.
    Binpack,
    /// bullet's boards of 32 bytes.
    Bulletformat,
    /// Boards of 32 bytes as they were played.
    Marlinformat,
    /// viridithas' games.
    Viriformat,
    /// Stockfish's `.bin`: positions of 40 bytes.
    Sfbin,
    /// Stockfish's `.plain`: positions in lines of text.
    Plain,
    /// Games in PGN; can only be read.
    Pgn,
    /// Lichess' evaluations; made of no other format.
    #[cfg(feature = "formats")]
    Jsonl,
}

impl Format {
    /// The names of the formats.
    pub const NAMES: &'static [&'static str] = &[
        "text",
        "binpack",
        "bulletformat",
        "marlinformat",
        "viriformat",
        "sfbin",
        "plain",
        "pgn",
        #[cfg(feature = "formats")]
        "jsonl",
    ];

    /// All formats, in the order of their names.
    pub const ALL: &'static [Format] = &[
        Format::Text,
        Format::Binpack,
        Format::Bulletformat,
        Format::Marlinformat,
        Format::Viriformat,
        Format::Sfbin,
        Format::Plain,
        Format::Pgn,
        #[cfg(feature = "formats")]
        Format::Jsonl,
    ];

    /// This format's name.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Format::Text => "text",
            Format::Binpack => "binpack",
            Format::Bulletformat => "bulletformat",
            Format::Marlinformat => "marlinformat",
            Format::Viriformat => "viriformat",
            Format::Sfbin => "sfbin",
            Format::Plain => "plain",
            Format::Pgn => "pgn",
            #[cfg(feature = "formats")]
            Format::Jsonl => "jsonl",
        }
    }

    /// Whether files of this format are text that people can read.
    #[must_use]
    pub const fn is_text(self) -> bool {
        #[cfg(feature = "formats")]
        if matches!(self, Format::Jsonl) {
            return true;
        }
        matches!(self, Format::Text | Format::Plain | Format::Pgn)
    }

    /// Whether records can be written in it.
    #[must_use]
    pub const fn is_writable(self) -> bool {
        !matches!(self, Format::Pgn)
    }

    /// Whether records of other formats can become some of this one.
    #[must_use]
    pub const fn is_convertible_to(self) -> bool {
        #[cfg(feature = "formats")]
        if matches!(self, Format::Jsonl) {
            return false;
        }
        self.is_writable()
    }

    /// A reader of a stream, and the codec of its blocks of about `block_bytes`.
    pub fn open<'a>(
        self,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> (Box<dyn Reader + 'a>, Box<dyn Codec>) {
        self.open_on(CpuPath::best(), input, block_bytes)
    }

    /// The same with a codec that decodes by a path of the caller's choice, where
    /// the format knows several.
    pub fn open_on<'a>(
        self,
        path: CpuPath,
        input: impl Read + Send + 'a,
        block_bytes: usize,
    ) -> (Box<dyn Reader + 'a>, Box<dyn Codec>) {
        match self {
            Format::Text => (
                Box::new(TextReader::new(input, block_bytes)),
                Box::new(TextCodec),
            ),
            Format::Binpack => (
                Box::new(binpack::ChunkReader::new(input, block_bytes)),
                Box::new(binpack::ChunkCodec),
            ),
            Format::Bulletformat => (
                Box::new(FixedReader::new(input, bulletformat::RECORD, block_bytes)),
                Box::new(FixedCodec::<fixed::Bulletformat>::new(path)),
            ),
            Format::Marlinformat => (
                Box::new(FixedReader::new(input, marlinformat::RECORD, block_bytes)),
                Box::new(FixedCodec::<fixed::Marlinformat>::new(path)),
            ),
            Format::Viriformat => (
                Box::new(viriformat::GameReader::new(input, block_bytes)),
                Box::new(viriformat::GameCodec),
            ),
            Format::Sfbin => (
                Box::new(FixedReader::new(input, sfbin::RECORD, block_bytes)),
                Box::new(FixedCodec::<fixed::Sfbin, { sfbin::RECORD }>::default()),
            ),
            Format::Plain => (
                Box::new(TextReader::with_records(
                    input,
                    block_bytes,
                    plain::whole_records,
                )),
                Box::new(plain::PlainCodec),
            ),
            Format::Pgn => (
                Box::new(
                    TextReader::with_records(input, block_bytes, pgn::whole_games).by_offset(),
                ),
                Box::new(pgn::PgnCodec),
            ),
            #[cfg(feature = "formats")]
            Format::Jsonl => (
                Box::new(TextReader::new(input, block_bytes)),
                Box::new(super::jsonl::JsonlCodec),
            ),
        }
    }
}

impl FromStr for Format {
    type Err = String;

    fn from_str(name: &str) -> Result<Format, String> {
        let name = match name {
            // Both are lines of text.
            "fen" | "epd" => "text",
            name => name,
        };
        let known = Format::ALL.iter().find(|format| format.name() == name);
        known.copied().ok_or_else(|| {
            let choices = Format::NAMES.join(", ");
            format!("unknown format '{name}', expected one of: {choices}")
        })
    }
}
