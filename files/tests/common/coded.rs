//! Games, chains and records as a device gets them, and what it has to find in them: what the
//! CPU's decoder finds in each alone.

use shakmaty::{CastlingMode, Chess, Position as _, Role, fen::Fen};
use swaplist::{CpuPath, PackedMove, Position};
use swaplist_files::formats::{Block, Codec, DecodedPart, Format, Place, RecordFields};

use super::boards::Random;
use super::games::{self, Sample, any_outcome, encoded, game_from};

/// The formats that a device filters.
pub const FORMATS: [Format; 2] = [Format::Viriformat, Format::Binpack];

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

/// The first record of a game, the stem of a chain with the number of its moves.
pub const FIRST: usize = 32;
pub const STEM: usize = 34;

pub fn block(bytes: Vec<u8>) -> Block {
    Block::new(bytes, Place::Offset(0))
}

/// A file of these units: a binpack's chunk, or the units alone.
pub fn framed(format: Format, units: &[u8]) -> Vec<u8> {
    if format != Format::Binpack {
        return units.to_vec();
    }
    let size = (units.len() as u32).to_le_bytes();
    [b"BINP", &size[..], units].concat()
}

/// Late positions, with pawns about to promote, rights to castle, targets en passant that may
/// not be captured on.
const LATE: [&str; 6] = [
    "r3k2r/P5P1/8/2pP4/3pP3/8/p5p1/R3K2R w KQkq c6 0 20",
    "r3k2r/1P6/8/8/8/8/6p1/R3K2R b KQkq - 0 20",
    "8/PPPPPPPP/8/4k3/8/4K3/pppppppp/8 w - - 0 1",
    "8/8/8/K2pP2r/8/8/8/4k3 w - d6 0 40",
    "2r1k3/3p4/8/2P1P3/8/8/8/2K5 b - - 0 1",
    "4k3/8/8/8/2p1p3/8/3P4/4R1K1 w - - 0 1",
];

/// Games of any lengths, from any start that the format can hold.
pub fn games(format: Format, seed: u64, count: usize) -> Vec<Vec<Sample>> {
    let mut random = Random(seed);
    let is_fischer_free = matches!(format, Format::Binpack | Format::Bulletformat);
    let game = |i| {
        let length = [1, 200, 30, 2, 1 + random.below(150)][i % 5];
        let chess = match i % 3 {
            0 => {
                let late: Fen = LATE[random.below(LATE.len())].parse().unwrap();
                late.into_position(CastlingMode::Standard).unwrap()
            }
            1 if !is_fischer_free => games::shuffled(&mut random),
            _ => Chess::default(),
        };
        let outcome = any_outcome(&mut random);
        game_from(chess, length, outcome, &mut random)
    };
    (0..count).map(game).collect()
}

/// Such games with scores near 0, often just at the bound from which on they are far, or with none,
/// and with 0 in place of the score where the played move takes a piece or gives way to a check; also
/// elsewhere now and then.
pub fn minimised_games(format: Format, random: &mut Random, count: usize) -> Vec<Vec<Sample>> {
    let mut games = games(format, random.next(), count);
    for sample in games.iter_mut().flatten() {
        let takes_piece = sample.played.is_capture() && !sample.played.is_en_passant();
        let is_minimised = takes_piece || sample.chess.is_check() || random.below(5) == 0;
        sample.score = if is_minimised {
            0
        } else {
            [-200, -101, -100, -7, 12, 100, 101, 163, 32_002][random.below(9)]
        };
    }
    games
}

/// A file of such games.
pub fn minimised(format: Format, seed: u64, count: usize) -> Vec<u8> {
    encoded(format, &minimised_games(format, &mut Random(seed), count))
}

/// A file of games.
pub fn file(format: Format, seed: u64, count: usize) -> Vec<u8> {
    encoded(format, &games(format, seed, count))
}

/// A file of viriformat with a game without moves after each other one.
pub fn file_with_empty_games(seed: u64, count: usize) -> Vec<u8> {
    let games = games(Format::Viriformat, seed, count);
    let each = games
        .chunks(1)
        .map(|game| encoded(Format::Viriformat, game));
    each.flat_map(|game| [&game[..], &game[..FIRST], &[0; 4]].concat())
        .collect()
}

/// The sample in this repository.
pub fn sample() -> Vec<u8> {
    include_bytes!("../../../data/sample.binpack").to_vec()
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

/// A unit with some bits flipped, bytes changed, or its end cut off.
pub fn damaged(format: Format, unit: &[u8], random: &mut Random) -> Vec<u8> {
    let mut bytes = unit.to_vec();
    let is_game = format == Format::Viriformat;
    if random.below(12) == 0 {
        let least = if is_game { FIRST } else { STEM };
        let kept = random.below(bytes.len() - least + 1);
        bytes.truncate(least + if is_game { kept & !3 } else { kept });
        bytes.extend(vec![0; if is_game { 4 } else { 0 }]);
    }
    // A game's end stays, or nothing could be cut.
    let end = bytes.len() - if is_game { 4 } else { 0 };
    for _ in 0..=random.below(3) {
        let bound = if random.below(3) == 0 { FIRST } else { end };
        let at = random.below(bound);
        match random.below(3) {
            0 => bytes[at] = random.next() as u8,
            _ => bytes[at] ^= 1 << random.below(8),
        }
    }
    if format != Format::Binpack && random.below(4) == 0 {
        // Another target of en passant.
        let target = [16, 40, 24][random.below(3)] + random.below(8) as u8;
        bytes[24] = bytes[24] & 0x80 | target;
    }
    if format == Format::Binpack {
        // Not too many records for the test's memory.
        bytes[FIRST] &= 3;
    }
    bytes
}
