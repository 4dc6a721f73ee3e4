//! The formats of training data through their readers and codecs, on games that the tests play themselves
//! and encode independently, square by square. They look inside, so they are tests of the library
//! itself.

#![allow(missing_docs, clippy::print_stdout, clippy::print_stderr)]

mod bits;
mod chess960;
mod chunks;
#[path = "../common/mod.rs"]
pub mod common;
mod compressed;
mod cut;
mod detect;
mod edges;
mod epd;
mod jsonl;
#[cfg(feature = "gpu")]
mod on_gpu {
    mod compared;
    mod decoding;
    mod mutants;
}
mod parts;
mod pgn;
mod pgn_scores;
mod pgn_written;
mod plain;
mod portable;
mod real;
mod real_text;
mod records;
mod rights;
mod sound;
mod tables;
mod text;
mod unchanged;
mod units;
mod writer;

use std::io::{self, Read};

use shakmaty::{CastlingSide, EnPassantMode, Move, Position as _, fen::Fen};
use swaplist::{Choice, CpuPath, PackedMove, Position};
use swaplist_files::formats::{
    Action, Actions, Block, Codec, DecodedPart, Field, Format, OpenChunk, Outcome, Record,
    VALUE_NONE,
};

use common::boards::Random;
use common::games::{self, Sample, WithoutEp as _, encoded, games};

fn binary() -> impl Iterator<Item = Format> {
    let all = Format::ALL.iter().copied();
    all.filter(|format| !format.spec().is_text)
}

/// Returns one byte at a time, with occasional interruptions.
struct Trickle(io::Cursor<Vec<u8>>, usize);

impl Trickle {
    fn of(bytes: Vec<u8>) -> Trickle {
        Trickle(io::Cursor::new(bytes), 0)
    }
}

impl Read for Trickle {
    fn read(&mut self, buffer: &mut [u8]) -> io::Result<usize> {
        self.1 += 1;
        if self.1.is_multiple_of(7) {
            return Err(io::ErrorKind::Interrupted.into());
        }
        let wanted = buffer.len().min(1);
        self.0.read(&mut buffer[..wanted])
    }
}

/// A record's position, move, score, outcome and ply.
type Held = (
    Position,
    Option<PackedMove>,
    Option<i32>,
    Option<Outcome>,
    Option<u32>,
);

/// The content of a file.
#[derive(Default)]
struct Outcomes {
    records: Vec<Held>,
    fens: Vec<String>,
    errors: Vec<String>,
    written: Vec<u8>,
}

fn run(
    format: Format,
    input: impl Read + Send,
    block_bytes: usize,
    action: &dyn Fn(usize) -> Action,
) -> Outcomes {
    let (mut reader, codec) = format.open(input, block_bytes);
    let mut outcomes = Outcomes::default();
    let mut decoded = DecodedPart::default();
    loop {
        let block = match reader.next_block() {
            Ok(Some(block)) => block,
            Ok(None) => return outcomes,
            Err(error) => {
                outcomes.errors.push(error.to_string());
                return outcomes;
            }
        };
        assert!(!block.bytes.is_empty());
        codec.decode(&block, &mut decoded);
        assert_eq!(decoded.records.len(), decoded.positions.len());
        for path in CpuPath::ALL
            .iter()
            .copied()
            .filter(|path| path.is_available())
        {
            let mut other = DecodedPart::default();
            format.codec_on(path).decode(&block, &mut other);
            assert!(other.positions == decoded.positions, "{format:?} {path}");
            assert!(other.records == decoded.records, "{format:?} {path}");
            assert_eq!(other.invalid, decoded.invalid, "{format:?} {path}");
        }
        let first = outcomes.records.len();
        let actions: Vec<_> = (first..first + decoded.records.len()).map(action).collect();
        for (record, position) in decoded.records.iter().zip(&decoded.positions) {
            outcomes.records.push((
                *position,
                record.played(),
                record.score(),
                record.outcome(),
                record.ply(),
            ));
        }
        if decoded.records.len() < 300 {
            let states = codec.states(&block, &mut decoded).iter();
            outcomes.fens.extend(states.map(Record::to_string));
        }
        outcomes
            .errors
            .extend(decoded.invalid.iter().map(ToString::to_string));
        if format.spec().is_writable {
            encode(&codec, &block, &decoded, &actions, &mut outcomes.written);
        }
    }
}

fn keep(_: usize) -> Action {
    Action::Keep
}

/// Encodes a whole block.
fn encode(
    codec: &Codec,
    block: &Block,
    decoded: &DecodedPart,
    actions: &[Action],
    out: &mut Vec<u8>,
) {
    let actions = Actions {
        records: actions,
        writes_invalid: false,
    };
    codec.encode_part(block, decoded, &actions, out, &mut OpenChunk::default());
}

/// Encodes a block, with what is not a record.
fn encode_all(codec: &Codec, block: &Block, decoded: &DecodedPart, out: &mut Vec<u8>) {
    let actions = Actions {
        records: &vec![Action::Keep; decoded.records.len()],
        writes_invalid: true,
    };
    codec.encode_part(block, decoded, &actions, out, &mut OpenChunk::default());
}

/// A file without a fault in another format.
fn convert(from: Format, to: Format, file: &[u8]) -> Vec<u8> {
    let (mut reader, copying) = from.open(file, 5000);
    let codec = copying.converting_to(to).unwrap();
    let mut decoded = DecodedPart::default();
    let mut out = Vec::new();
    while let Some(block) = reader.next_block().unwrap() {
        codec.decode(&block, &mut decoded);
        assert_eq!(decoded.invalid, []);
        encode_all(&codec, &block, &decoded, &mut out);
    }
    out
}

fn assert_holds(
    format: Format,
    outcomes: &Outcomes,
    samples: &[&Sample],
    none: &dyn Fn(usize) -> bool,
) {
    assert_eq!(outcomes.errors, Vec::<String>::new(), "{format:?}");
    assert_eq!(outcomes.records.len(), samples.len(), "{format:?}");
    for (i, (record, sample)) in outcomes.records.iter().zip(samples).enumerate() {
        let (position, played, score, outcome, ply) = record;
        let turned = format == Format::Bulletformat && sample.chess.turn().is_black();
        if format == Format::Bulletformat {
            assert_eq!(*position, sample.turned_position(), "{i}");
            assert_eq!((*played, *ply), (None, None));
        } else {
            assert_eq!(*ply, Some(sample.ply.into()), "{format:?} {i}");
        }
        let expected_move =
            PackedMove::from_move(sample.played).filter(|_| format.holds(Field::Played));
        assert_eq!(*played, expected_move, "{i}");
        if format.spec().units.is_none() && format.holds(Field::Turn) {
            assert_eq!(*position, sample.position(), "{format:?} {i}");
        }
        if format.spec().units.is_some() {
            // An en-passant target that only illegal moves could use may be lost.
            let bare = |p: Position| p.to_setup_without_ep();
            assert_eq!(bare(*position), bare(sample.position()), "{i}");
            let legal = sample.chess.ep_square(EnPassantMode::Legal);
            assert!(legal.is_none() || position.ep_square() == legal, "{i}");
        }
        // For either side to move.
        let marked = i32::from(VALUE_NONE);
        let expected_score = match format {
            _ if none(i) => marked,
            Format::Montyformat => sample.score_of_chance(),
            _ => sample.score.into(),
        };
        assert_eq!(*score, Some(expected_score), "{format:?} {i}");
        let expected = match sample.outcome {
            Outcome::White if turned => Outcome::Black,
            Outcome::Black if turned => Outcome::White,
            other => other,
        };
        assert_eq!(*outcome, Some(expected), "{format:?} {i}");
    }
}

#[test]
fn every_format_holds_what_was_played() {
    let games = games(1, 30);
    let samples: Vec<_> = games.iter().flatten().collect();
    let special = |pick: fn(&Move) -> bool| samples.iter().filter(|s| pick(&s.played)).count();
    for side in [CastlingSide::KingSide, CastlingSide::QueenSide] {
        let castles = |s: &&&Sample| s.played.castling_side() == Some(side);
        let castlings = samples.iter().filter(castles).count();
        assert!(castlings > 2, "too few castlings to test");
    }
    assert!(special(|m| m.is_en_passant()) > 3, "too few");
    assert!(special(|m| m.is_promotion()) > 3, "too few promotions");
    for format in binary().chain([Format::Plain]) {
        let file = encoded(format, &games);
        for block_bytes in [1, 100, 4096, 1 << 20] {
            let outcomes = run(format, file.as_slice(), block_bytes, &keep);
            assert_holds(format, &outcomes, &samples, &|_| false);
            let is_copied = outcomes.written == file || !format.spec().is_writable;
            assert!(is_copied, "{format:?} is not rewritten as it was");
        }
        if let Some(bytes) = format.spec().record_bytes {
            // Vectors take eight at a time.
            for fewer in 1..8 {
                run(format, &file[fewer * bytes..], 1 << 20, &keep);
            }
        }
        let trickled = run(format, Trickle::of(file), 4096, &keep);
        assert_holds(format, &trickled, &samples, &|_| false);
    }
}

#[test]
fn fens_have_castling_rights_and_clocks() {
    let mut random = Random(2);
    let starts: Vec<_> = (0..20).map(|_| games::shuffled(&mut random)).collect();
    let from = |start| games::game_from(start, 60, Outcome::Draw, &mut random);
    let shuffled: Vec<_> = starts.into_iter().map(from).collect();
    let usual = games(2, 3);
    for format in binary().filter(|f| *f != Format::Bulletformat) {
        let games = match format {
            Format::Viriformat | Format::Montyformat | Format::Montyvalue => &shuffled,
            _ => &usual,
        };
        let outcomes = run(format, encoded(format, games).as_slice(), 1, &keep);
        for (fen, sample) in outcomes.fens.iter().zip(games.iter().flatten()) {
            let fen: Fen = fen.parse().unwrap();
            let expected = sample.chess.to_setup(EnPassantMode::Legal);
            assert_eq!(*fen.as_setup(), expected, "{format:?}");
        }
        assert!(!outcomes.fens.is_empty());
    }
}

#[test]
fn kept_positions_are_what_is_written_and_marked_ones_lose_their_score() {
    let games = games(3, 20);
    let samples: Vec<_> = games.iter().flatten().collect();
    let writable = binary().filter(|format| format.spec().is_writable);
    for format in writable.chain([Format::Plain]) {
        let file = encoded(format, &games);
        for percent in [0, 5, 50, 95] {
            let chosen = |i: usize| Random(i as u64).next() % 100 < percent;
            let left: Vec<_> = (0..)
                .zip(&samples)
                .filter(|(i, _)| chosen(*i))
                .map(|(_, s)| *s)
                .collect();
            let drops = |i| {
                if chosen(i) {
                    Action::Keep
                } else {
                    Action::Drop
                }
            };
            let dropped = run(format, file.as_slice(), 4096, &drops).written;
            let of_dropped = run(format, dropped.as_slice(), 4096, &keep);
            assert_holds(format, &of_dropped, &left, &|_| false);

            let marks = |i| {
                if chosen(i) {
                    Action::Keep
                } else {
                    Action::Mark
                }
            };
            let marked = run(format, file.as_slice(), 4096, &marks).written;
            let of_marked = run(format, marked.as_slice(), 4096, &keep);
            assert_holds(format, &of_marked, &samples, &|i| !chosen(i));

            // Odd numbers are marked; those not chosen are dropped.
            let drops_and_marks = |i| match i % 2 {
                _ if !chosen(i) => Action::Drop,
                0 => Action::Keep,
                _ => Action::Mark,
            };
            let mixed = run(format, file.as_slice(), 4096, &drops_and_marks).written;
            let numbers: Vec<_> = (0..samples.len()).filter(|&i| chosen(i)).collect();
            let of_mixed = run(format, mixed.as_slice(), 4096, &keep);
            assert_holds(format, &of_mixed, &left, &|i| numbers[i] % 2 == 1);
        }
    }
}

/// Every truncation is either the end of a record or an error.
#[test]
fn truncated_at_every_byte_is_told_from_the_end() {
    let games = games(4, 3);
    let samples = games.iter().flatten().count();
    for format in binary() {
        let file = encoded(format, &games);
        let before = |game| encoded(format, &games[..game]).len();
        let whole: Vec<usize> = match format.spec().record_bytes {
            Some(bytes) => (0..samples).map(|i| i * bytes).collect(),
            None if format == Format::Binpack => vec![0],
            None => (0..games.len()).map(before).collect(),
        };
        for length in 0..file.len() {
            let outcomes = run(format, &file[..length], 256, &keep);
            let complete = whole.contains(&length);
            assert_eq!(
                outcomes.errors.is_empty(),
                complete,
                "{format:?} cut to {length}: {:?}",
                outcomes.errors
            );
            assert!(outcomes.records.len() <= samples);
            let mut errors = outcomes.errors.iter();
            assert!(errors.all(|error| error.starts_with("byte ")));
            if !format.spec().is_writable {
                continue;
            }
            // The output from a damaged file is valid.
            let again = run(format, outcomes.written.as_slice(), 256, &keep);
            assert_eq!(
                again.errors,
                Vec::<String>::new(),
                "{format:?} cut to {length}"
            );
            assert_eq!(again.records.len(), outcomes.records.len());
        }
    }
}

#[test]
fn files_of_the_other_formats_are_errors() {
    let games = games(5, 20);
    let text = Fen::from_position(&games[0][3].chess, EnPassantMode::Legal).to_string() + "\n";
    for format in binary() {
        for other in binary().filter(|&other| other != format) {
            let file = encoded(other, &games);
            let outcomes = run(format, file.as_slice(), 4096, &keep);
            assert!(!outcomes.errors.is_empty(), "{other:?} read as {format:?}");
        }
        for file in [text.repeat(100).as_bytes(), &[0; 5000], &[0xff; 5000]] {
            let outcomes = run(format, file, 4096, &keep);
            assert!(!outcomes.errors.is_empty(), "{format:?}");
        }
    }
}

/// Any bytes: no panic, no hang, and the output can be read.
#[test]
fn damaged_files_do_no_harm() {
    let games = games(6, 4);
    for format in binary().chain([Format::Plain]) {
        let file = encoded(format, &games);
        let mut random = Random(format as u64);
        for _ in 0..3000 {
            let mut damaged = file.clone();
            for _ in 0..=random.below(4) {
                let at = random.below(damaged.len());
                match random.below(3) {
                    0 => damaged[at] ^= 1 << random.below(8),
                    1 => damaged[at] = random.next() as u8,
                    _ => {
                        damaged.remove(at);
                    }
                }
            }
            let chosen = random.next();
            let action =
                |i| [Action::Keep, Action::Drop, Action::Mark][Random(chosen ^ i as u64).below(3)];
            let outcomes = run(format, damaged.as_slice(), 1000, &action);
            let again = run(format, outcomes.written.as_slice(), 1000, &keep);
            assert_eq!(again.errors, Vec::<String>::new(), "{format:?}");
        }
        for length in 0..300 {
            let noise: Vec<u8> = (0..length).map(|_| random.next() as u8).collect();
            run(format, noise.as_slice(), 100, &keep);
            run(
                format,
                [b"BINP\xff\xff\xff\x05", noise.as_slice()]
                    .concat()
                    .as_slice(),
                100,
                &keep,
            );
        }
    }
}
