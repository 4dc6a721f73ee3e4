//! Files of games and chains, whole and damaged, of the formats that a device filters.

use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};
use swaplist_files::formats::Format;

use super::boards::Random;
use super::games::{self, Sample, any_outcome, encoded, game_from};

/// The formats that a device filters.
pub const FORMATS: [Format; 2] = [Format::Viriformat, Format::Binpack];

/// The first record of a game, the stem of a chain with the number of its moves.
pub const FIRST: usize = 32;
pub const STEM: usize = 34;

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
