//! Decoding on a device: what a format cuts, and what a device tells of it. The evaluator audits it;
//! the shader's side is in `gpu::program`.

#[cfg(feature = "files")]
use core::ops::Range;

use bytemuck::{Pod, Zeroable};

use crate::position::CaptureKind;
use crate::{Bounds, BoundsExceeded, Capture, Position, Rules};

/// How records are coded in a file.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Coding {
    /// Records of 32 bytes, bulletformat.
    Bulletformat,
    /// Records of 32 bytes, marlinformat.
    Marlinformat,
    /// Games of viriformat.
    Viriformat,
    /// Chains of a binpack.
    Binpack,
}

impl Coding {
    /// Bytes of a record, where all have the same.
    pub const fn record_bytes(self) -> Option<usize> {
        match self {
            Coding::Bulletformat | Coding::Marlinformat => Some(32),
            Coding::Viriformat | Coding::Binpack => None,
        }
    }
}

/// Where a game or chain begins.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct Unit {
    /// The offset of its first byte.
    pub start: u32,
    /// The number of its first record.
    pub first: u32,
}

impl Unit {
    pub(crate) const fn new(start: usize, first: usize) -> Unit {
        Unit {
            start: start as u32,
            first: first as u32,
        }
    }
}

/// Whole records of a file.
#[derive(Clone, Copy, Debug)]
pub struct Raw<'a> {
    /// How they are coded.
    pub coding: Coding,
    /// Their bytes.
    pub bytes: &'a [u8],
    /// The games or chains in `bytes`, without gaps, and one entry more for their end; none
    /// where records have the same size.
    pub units: &'a [Unit],
}

impl Raw<'_> {
    /// The number of units: games, chains or records of the same size.
    pub fn units(&self) -> usize {
        match self.coding.record_bytes() {
            Some(size) => self.bytes.len() / size,
            None => self.units.len().saturating_sub(1),
        }
    }

    /// Where a unit begins; after the last, the end.
    pub fn unit(&self, number: usize) -> Unit {
        match self.coding.record_bytes() {
            Some(size) => Unit::new(number * size, number),
            None => self.units[number],
        }
    }

    /// The number of records.
    pub fn records(&self) -> usize {
        match self.units.last() {
            Some(end) => end.first as usize,
            None => self.units(),
        }
    }
}

/// A part of a block, cut into games or chains without decoding them.
#[cfg(feature = "files")]
#[derive(Clone, Debug)]
pub struct Cut {
    coding: Coding,
    pub(crate) bytes: Range<usize>,
    pub(crate) units: Vec<Unit>,
    /// Where the next part begins.
    pub next: Option<usize>,
}

#[cfg(feature = "files")]
impl Cut {
    /// These bytes of a block; the units begin at offsets in them.
    pub(crate) const fn new(
        coding: Coding,
        bytes: Range<usize>,
        units: Vec<Unit>,
        next: Option<usize>,
    ) -> Cut {
        Cut {
            coding,
            bytes,
            units,
            next,
        }
    }

    /// What a device is given of a block's bytes.
    pub fn raw<'a>(&'a self, block: &'a [u8]) -> Raw<'a> {
        Raw {
            coding: self.coding,
            bytes: &block[self.bytes.clone()],
            units: &self.units,
        }
    }

    /// Each game's or chain's bytes in the block, and its records.
    pub(crate) fn each_unit(&self) -> impl Iterator<Item = (Range<usize>, Range<usize>)> {
        let begin = self.bytes.start;
        self.units.windows(2).map(move |units| {
            let bytes = units[0].start as usize..units[1].start as usize;
            let records = units[0].first as usize..units[1].first as usize;
            (begin + bytes.start..begin + bytes.end, records)
        })
    }
}

/// What a device says of a record that it decoded: a word.
///
/// | bits | holds |
/// |---|---|
/// | 0..6 | the bounds that its position exceeds, in the order of [`BoundsExceeded`] |
/// | 0..6 | instead, beside a verdict: the number of its pieces |
/// | 6..22 | in a binpack, the code of its score |
/// | 22..26 | in a binpack, the number of bits of its move |
/// | 26..28 | in a binpack, the number of blocks of its score, minus 1 |
/// | 29 | 1: its unit cannot be decoded from here on |
/// | 30 | 1: it was decoded |
/// | 31 | 1: it was answered |
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct RawAnswer(pub u32);

impl RawAnswer {
    pub(crate) const BROKEN: u32 = 1 << 29;
    pub(crate) const DECODED: u32 = 1 << 30;
    pub(crate) const ANSWERED: u32 = 1 << 31;

    /// The bounds that the position exceeds, of those asked about.
    #[inline]
    pub const fn exceeds(self, bounds: Bounds) -> BoundsExceeded {
        let exceeds = BoundsExceeded::from_bits(self.0 as u8);
        exceeds.with_double_threat(exceeds.double_threat() && bounds.double_threat)
    }

    /// The number of its pieces, beside a verdict.
    #[inline]
    pub const fn pieces(self) -> usize {
        (self.0 & 63) as usize
    }

    /// The code of its score in a binpack's movetext: the difference to the one before. The
    /// stem has none.
    #[inline]
    pub const fn score_code(self) -> u16 {
        (self.0 >> 6) as u16
    }

    /// The number of bits of its move there.
    #[inline]
    pub const fn move_bits(self) -> usize {
        (self.0 >> 22 & 15) as usize
    }

    /// The number of bits of its score.
    #[inline]
    pub const fn score_bits(self) -> usize {
        5 * ((self.0 >> 26 & 3) as usize + 1)
    }

    /// Whether its unit cannot be decoded from here on.
    pub const fn is_broken(self) -> bool {
        self.0 & RawAnswer::BROKEN != 0
    }
}

/// What rules ask about a record that a device decoded, besides what its position exceeds.
///
/// | bits of the first word | holds |
/// |---|---|
/// | 0..15 | the played move, a [`Capture`] |
/// | 15 | 1: there is one |
/// | 16..18 | what it takes: 0 nothing, 1 a piece on its target square, 2 en passant, 3 castling |
/// | 18..24 | the number of pieces |
///
/// The second word is its SEE.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(C)]
pub struct RawFacts {
    pub(crate) word: u32,
    /// The played move's SEE.
    pub(crate) see: i32,
    /// The rest.
    pub raw: RawAnswer,
}

impl RawFacts {
    pub(crate) const HAS_MOVE: u32 = 1 << Capture::BITS;
    pub(crate) const TAKES_AT: u32 = 16;
    pub(crate) const PIECES_AT: u32 = 18;

    /// The facts on a position and the move played in it.
    pub fn new(position: &Position, played: Option<Capture>, rules: &Rules) -> RawFacts {
        let pieces = (position.occupied().count() as u32) << RawFacts::PIECES_AT;
        let of_move = |played: Capture| {
            let takes = (position.takes(played) as u32) << RawFacts::TAKES_AT;
            u32::from(played.to_bits()) | RawFacts::HAS_MOVE | takes
        };
        RawFacts {
            word: pieces | played.map_or(0, of_move),
            see: played.map_or(0, |played| rules.see(position, played)),
            raw: RawAnswer::default(),
        }
    }

    /// The played move.
    pub const fn played(&self) -> Option<Capture> {
        match self.word & RawFacts::HAS_MOVE {
            0 => None,
            _ => Some(Capture::from_bits(self.word as u16)),
        }
    }

    pub(crate) const fn takes(&self) -> CaptureKind {
        match self.word >> RawFacts::TAKES_AT & 3 {
            0 => CaptureKind::Nothing,
            1 => CaptureKind::Piece,
            2 => CaptureKind::EnPassant,
            _ => CaptureKind::Rook,
        }
    }

    /// The number of pieces.
    pub(crate) const fn pieces(&self) -> u32 {
        self.word >> RawFacts::PIECES_AT
    }
}

/// What a device that decodes records is asked about them.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum Ask {
    /// Which bounds they exceed.
    Bounds(Bounds),
    /// The same, and facts on them.
    Facts(Bounds),
    /// Verdicts without threats, and the numbers of pieces.
    Verdicts,
}
