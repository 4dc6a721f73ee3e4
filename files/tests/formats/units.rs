//! Games, chains and records as a device gets them, and what it has to find in them: what the
//! CPU's decoder finds in each alone.

use shakmaty::Role;
use swaplist::{CpuPath, PackedMove, Position};
use swaplist_files::formats::{Block, Codec, DecodedPart, Format, Place, RecordFields};

use super::common::coded::framed;

/// Where a unit begins: its first byte, and the number of its first record.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Unit {
    pub start: u32,
    pub first: u32,
}

/// A record is decoded, or its unit is broken there; what comes behind has no answer.
pub const DECODED: u32 = 1 << 30;
/// The move played in the record captures.
pub const CAPTURES: u32 = 1 << 4;
pub const BROKEN: u32 = 1 << 29;

/// A record's word, and its position if it is decoded.
pub type Found = (u32, Option<Position>);

pub fn block(bytes: Vec<u8>) -> Block {
    Block::new(bytes, Place::Offset(0))
}

/// Units of any number of files, one behind the other.
#[derive(Clone)]
pub struct Coded {
    pub format: Format,
    pub bytes: Vec<u8>,
    pub units: Vec<Unit>,
    /// What a device has to find in each record.
    pub found: Vec<Found>,
    /// Files that cannot be cut.
    pub uncut: usize,
}

impl Coded {
    pub fn new(format: Format) -> Coded {
        Coded {
            format,
            bytes: Vec::new(),
            units: vec![Unit { start: 0, first: 0 }],
            found: Vec::new(),
            uncut: 0,
        }
    }

    pub fn of(format: Format, files: impl IntoIterator<Item = Vec<u8>>) -> Coded {
        let mut coded = Coded::new(format);
        coded.add_all(files);
        coded
    }

    pub fn add_all(&mut self, files: impl IntoIterator<Item = Vec<u8>>) {
        for file in files {
            self.add(file);
        }
    }

    /// Adds the units of a file, as they are cut.
    pub fn add(&mut self, file: Vec<u8>) {
        let codec = self.format.codec();
        let block = block(file);
        let cut = codec.cut(&block);
        let portable = self.format.codec_on(CpuPath::Scalar).cut(&block);
        assert!(cut == portable, "all instructions find the same units");
        let Some(cut) = cut else {
            self.uncut += 1;
            return;
        };
        for unit in &cut.units {
            let bytes = unit.bytes.start as usize..unit.bytes.end as usize;
            self.push(&codec, &block.bytes[bytes], unit.records as usize);
        }
    }

    fn push(&mut self, codec: &Codec, unit: &[u8], records: usize) {
        self.bytes.extend_from_slice(unit);
        self.found.extend(found(codec, unit, records));
        self.units.push(Unit {
            start: self.bytes.len() as u32,
            first: self.found.len() as u32,
        });
    }

    pub fn unit(&self, number: usize) -> &[u8] {
        let [start, end] = [number, number + 1].map(|number| self.units[number].start as usize);
        &self.bytes[start..end]
    }

    /// How many units are whole, and how many broken.
    pub fn whole_and_broken(&self) -> [usize; 2] {
        let broken = self.found.iter().filter(|found| found.0 == BROKEN).count();
        [self.units.len() - 1 - broken, broken]
    }
}

/// What the CPU finds in a unit that has so many records by the host's count.
fn found(codec: &Codec, unit: &[u8], records: usize) -> Vec<Found> {
    let mut decoded = DecodedPart::default();
    let block = block(framed(codec.format(), unit));
    codec.decode(&block, &mut decoded);
    let spans = || decoded.records.iter().map(RecordFields::span);
    // Other chains may follow.
    let is_own = |span: &core::ops::Range<u32>| {
        spans()
            .next()
            .is_some_and(|first| first.start == span.start)
    };
    let own = spans().take_while(is_own).count();
    let ends = own == 0 || spans().next().unwrap().end as usize == block.bytes.len();
    let is_whole = decoded.invalid.is_empty() && ends;
    assert!(
        !is_whole || own == records,
        "{own} records, {records} by the host"
    );
    let good = if is_whole {
        records
    } else {
        own.min(records - 1)
    };
    let words = words(codec.format(), &decoded);
    let mut found = vec![(0, None); records];
    for (record, found) in found.iter_mut().enumerate().take(good) {
        *found = (words[record], Some(decoded.positions[record]));
    }
    if let Some(broken) = found.get_mut(good) {
        broken.0 = BROKEN;
    }
    found
}

/// The words of decoded records.
pub fn words(format: Format, decoded: &DecodedPart) -> Vec<u32> {
    let records = decoded.records.iter().zip(&decoded.positions);
    let mut words: Vec<u32> = records
        .map(|(record, position)| match record.played() {
            Some(played) if captures(position, played) => DECODED | CAPTURES,
            _ => DECODED,
        })
        .collect();
    if format != Format::Binpack {
        return words;
    }
    for (last, word) in words.iter_mut().skip(1).enumerate() {
        let [before, record] = [last, last + 1].map(|i| &decoded.records[i]);
        if before.span().start == record.span().start {
            let [score_before, score] =
                [before, record].map(|record| record.score().unwrap() as i16);
            let [ended, bits] = [last, last + 1].map(|i| decoded.score_bits(i));
            let moves = (bits.start - ended.end) as u32;
            let blocks = bits.len() as u32 / 5 - 1;
            *word |= score_code(score.wrapping_add(score_before)) << 6 | moves << 22 | blocks << 26;
        }
    }
    words
}

/// Whether a move takes a piece of the other side, or is a pawn's to an empty square of another
/// file.
fn captures(position: &Position, played: PackedMove) -> bool {
    if let Some(piece) = position.piece_at(played.to()) {
        return piece.color != position.turn();
    }
    let mover = position.piece_at(played.from());
    let is_pawn = mover.is_some_and(|piece| piece.role == Role::Pawn);
    is_pawn && played.from().file() != played.to().file()
}

/// Positive or zero: twice the number; negative: twice the number below, turned.
fn score_code(difference: i16) -> u32 {
    let twice = i32::from(difference) * 2;
    let code = if twice < 0 { -1 - twice } else { twice };
    code.cast_unsigned()
}
