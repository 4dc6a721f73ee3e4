//! Chess960 in binpacks: the reference crate reads what is written here, and is read here.
//!
//! The crate reads castling in movetext as that of a king on e1 or e8, and writes any castling so.

use std::io::Cursor;

use sfbinpack::chess::r#move::Move;
use sfbinpack::{CompressedTrainingDataEntryReader, CompressedTrainingDataEntryWriter};
use shakmaty::fen::Fen;
use shakmaty::{Bitboard, CastlingMode, Chess, EnPassantMode, Position as _, Square};
use swaplist::Evaluator;
use swaplist_files::filter::Preset;
use swaplist_files::formats::{Format, Outcome, Record};
use swaplist_files::jobs::{Input, Job, Options, Summary};

use crate::tests::common::boards::Random;
use crate::tests::common::games::{self, Sample, binpack_move, encoded};

/// What both readers must find of a record.
#[derive(Debug, PartialEq, Eq)]
struct Seen {
    fen: String,
    /// In UCI, castling as the king's move to its rook.
    played: String,
    score: i16,
    ply: u16,
    /// The side to move's.
    result: i16,
}

/// Random games of Chess960, each from a start position of its own.
fn chess960_games(seed: u64, count: usize) -> Vec<Vec<Sample>> {
    let mut random = Random(seed);
    let game = |_| {
        let start = games::shuffled(&mut random);
        let length = 10 + random.below(60);
        let outcome = games::any_outcome(&mut random);
        games::game_from(start, length, outcome, &mut random)
    };
    (0..count).map(game).collect()
}

/// The rook of a castling move.
fn castling_rook(sample: &Sample) -> Option<Square> {
    sample.played.is_castle().then(|| sample.played.to())
}

/// A sample as readers must find it: without castling rights off the corners.
fn expected(sample: &Sample) -> Seen {
    let mut setup = sample.chess.to_setup(EnPassantMode::Legal);
    setup.castling_rights &= Bitboard::CORNERS;
    Seen {
        fen: Fen::try_from(setup).unwrap().to_string(),
        played: sample.played.to_uci(CastlingMode::Chess960).to_string(),
        score: sample.score,
        ply: sample.ply,
        result: sample.relative_result(),
    }
}

/// Whether a binpack can hold a sample: castling needs a rook in the corner.
fn is_held(sample: &Sample) -> bool {
    castling_rook(sample).is_none_or(|rook| Bitboard::CORNERS.contains(rook))
}

fn found_here(record: &Record) -> Seen {
    let white = match record.fields.outcome().unwrap() {
        Outcome::White => 1,
        Outcome::Draw => 0,
        Outcome::Black => -1,
    };
    Seen {
        fen: record.to_string(),
        played: record.fields.played().unwrap().to_string(),
        score: record.fields.score().unwrap() as i16,
        ply: record.fields.ply().unwrap() as u16,
        result: record.position.turn().fold_wb(white, -white),
    }
}

/// What the crate reads.
fn found_there(file: &[u8]) -> Vec<Seen> {
    let mut reader = CompressedTrainingDataEntryReader::new(Cursor::new(file)).unwrap();
    let mut found = Vec::new();
    while reader.has_next() {
        let entry = reader.next();
        let promotion = match entry.mv.as_uci_promotion() {
            Some(letter) => letter.to_string(),
            None => String::new(),
        };
        found.push(Seen {
            fen: entry.pos.fen().unwrap(),
            played: format!("{}{}{promotion}", entry.mv.from(), entry.mv.to()),
            score: entry.score,
            ply: entry.ply,
            result: entry.result,
        });
    }
    found
}

/// The letter of a promotion: the crate's own UCI cannot be used, which writes castling otherwise.
trait Promotion {
    fn as_uci_promotion(&self) -> Option<char>;
}

impl Promotion for Move {
    fn as_uci_promotion(&self) -> Option<char> {
        use sfbinpack::chess::piecetype::PieceType;
        match self.promoted_piece().piece_type() {
            PieceType::Knight => Some('n'),
            PieceType::Bishop => Some('b'),
            PieceType::Rook => Some('r'),
            PieceType::Queen => Some('q'),
            _ => None,
        }
    }
}

/// Converts games to a binpack.
fn converted(name: &str, file: Vec<u8>, options: &Options) -> (Vec<u8>, Summary) {
    let folder = tempfile::tempdir().unwrap();
    let output = folder.path().join("out.binpack");
    let input = Input::named(name, Cursor::new(file)).unwrap();
    let job = Job::new(input, options.clone()).unwrap();
    let summary = job.write_to(Some(&output)).unwrap().convert().unwrap();
    (std::fs::read(output).unwrap(), summary)
}

fn dropping() -> Options {
    Options {
        drop_castling: true,
        ..Options::default()
    }
}

/// Written here, read there and here.
fn reads_the_same(seed: u64, count: usize) {
    let games = chess960_games(seed, count);
    let file = encoded(Format::Viriformat, &games);
    let (binpack, summary) = converted("x.viriformat", file, &dropping());
    let all: Vec<&Sample> = games.iter().flatten().collect();
    let held: Vec<&Sample> = all
        .iter()
        .copied()
        .filter(|sample| is_held(sample))
        .collect();
    let wanted: Vec<Seen> = held.iter().copied().map(expected).collect();
    assert!(found_there(&binpack) == wanted);
    let here: Vec<Seen> = Format::Binpack
        .records(&binpack[..])
        .map(|record| found_here(&record.unwrap()))
        .collect();
    assert!(here == wanted);

    let of_others = |sample: &&&Sample| {
        let rights = sample.chess.castles().castling_rights();
        (rights & !Bitboard::CORNERS).any()
    };
    let tally = &summary.tally;
    assert_eq!(
        tally.unheld_rights,
        held.iter().filter(of_others).count() as u64
    );
    assert_eq!(tally.left_out_castlings as usize, all.len() - held.len());
    let from_elsewhere = |sample: &&&Sample| {
        let king = sample.chess.our(shakmaty::Role::King).first().unwrap();
        sample.played.is_castle() && king.file() != shakmaty::File::E
    };
    let castlings = held.iter().filter(from_elsewhere).count();
    assert!(
        castlings > count / 50,
        "{castlings} castlings of {count} games"
    );
    assert!(tally.left_out_castlings as usize > count / 20, "{tally:?}");
}

/// Written there, read here. Castling begins a file of its own, since the crate would write it into
/// the movetext. So does a position after a move from or to e1 or e8: there the reference code takes
/// rights away whatever moved, as is done here, and the crate only if it was a king or a rook.
fn is_read_the_same(seed: u64, count: usize) {
    let games = chess960_games(seed, count);
    let held: Vec<&Sample> = games
        .iter()
        .flatten()
        .filter(|sample| is_held(sample))
        .collect();
    let mut file = Vec::new();
    let mut wanted = Vec::new();
    let is_touched = |square: Option<Square>| matches!(square, Some(Square::E1 | Square::E8));
    let goes_on = |before: &&Sample, next: &&Sample| {
        let touches = is_touched(before.played.from()) || is_touched(Some(before.played.to()));
        !touches && !next.played.is_castle()
    };
    for chain in held.chunk_by(goes_on) {
        let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
        for sample in chain {
            let wanted_here = expected(sample);
            let entry = sfbinpack::TrainingDataEntry {
                pos: sfbinpack::chess::position::Position::from_fen(&wanted_here.fen).unwrap(),
                mv: binpack_move(sample.played, sample.chess.turn()),
                score: sample.score,
                ply: sample.ply,
                result: sample.relative_result(),
            };
            writer.write_entry(&entry).unwrap();
            wanted.push(wanted_here);
        }
        file.extend(writer.into_bytes().unwrap());
    }
    let here: Vec<Seen> = Format::Binpack
        .records(&file[..])
        .map(|record| found_here(&record.unwrap()))
        .collect();
    assert!(here == wanted);
}

#[test]
fn chess960_is_read_the_same_by_the_reference_crate() {
    reads_the_same(960, 1000);
}

#[test]
fn chess960_of_the_reference_crate_is_read_the_same() {
    is_read_the_same(961, 1000);
}

#[test]
#[ignore = "takes minutes: a hundred thousand games"]
fn real_data_chess960_both_ways() {
    for seed in 0..10 {
        reads_the_same(seed, 10_000);
        is_read_the_same(100 + seed, 10_000);
    }
}

const KING_ON_F1: &str = "[FEN \"1n2k3/p6p/8/8/8/8/P6P/4BK1R w H - 0 1\"]\n[Result \"1-0\"]\n\n\
     1. a3 {+0.50/8} a6 {-0.51/8} 2. O-O {+0.52/8} h6 {-0.53/8} 3. Rf3 {+0.54/8} 1-0\n";

#[test]
fn castling_of_a_king_on_f1_is_in_a_stem() {
    let (binpack, summary) = converted("x.pgn", KING_ON_F1.into(), &Options::default());
    assert_eq!(summary.tally.records_written, 5);
    let found = found_there(&binpack);
    let moves: Vec<&str> = found.iter().map(|seen| &seen.played[..]).collect();
    assert_eq!(moves, ["a2a3", "a7a6", "f1h1", "h7h6", "f1f3"]);
    assert_eq!(found[3].fen, "1n2k3/7p/p7/8/8/P7/7P/4BRK1 b - - 1 2");
    // Two chains: the second one begins with the castling, and goes on after it.
    assert_eq!(binpack.len(), 8 + 34 + 2 + 34 + 2);
}

/// The crate writes castling of any king into the movetext, where no reader finds it.
#[test]
fn castling_of_a_king_on_f1_in_movetext_is_a_fault() {
    let fen: Fen = "1n2k3/p6p/8/8/8/8/P6P/4BK1R w H - 0 1".parse().unwrap();
    let mut chess: Chess = fen.into_position(CastlingMode::Chess960).unwrap();
    let mut writer = CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
    for (ply, uci) in ["a2a3", "a7a6", "f1h1", "h7h6"].into_iter().enumerate() {
        let uci: shakmaty::uci::UciMove = uci.parse().unwrap();
        let played = uci.to_move(&chess).unwrap();
        let fen = Fen::from_position(&chess, EnPassantMode::Legal).to_string();
        let entry = sfbinpack::TrainingDataEntry {
            pos: sfbinpack::chess::position::Position::from_fen(&fen).unwrap(),
            mv: binpack_move(played, chess.turn()),
            score: 10,
            ply: ply as u16,
            result: 0,
        };
        writer.write_entry(&entry).unwrap();
        chess.play_unchecked(played);
    }
    let file = writer.into_bytes().unwrap();
    let results: Vec<_> = Format::Binpack.records(&file[..]).collect();
    assert_eq!(results.iter().filter(|record| record.is_ok()).count(), 2);
    let error = results[2].as_ref().unwrap_err().to_string();
    assert!(
        error.contains("castling f1h1 in movetext, which can castle only with a king on e1 or e8"),
        "{error}"
    );
    let input = Input::named("x.binpack", Cursor::new(file)).unwrap();
    let summary = Job::new(input, Options::default()).unwrap().validate();
    let text = summary.unwrap().table().to_string();
    assert!(
        text.contains("castling with the king off e1 and e8, the rest is lost"),
        "{text}"
    );
}

/// Three games of Chess960: a rook next to its king castles in both of the first two.
const GAMES: &str = "\
[FEN \"bqnnrkrb/pppppppp/8/8/8/8/PPPPPPPP/BQNNRKRB w KQkq - 0 1\"]
[Result \"1-0\"]

1. O-O {+0.20/10} O-O {-0.10/10} 2. e4 {+0.30/10} e5 {-0.20/10} 1-0

[FEN \"nrbbqnkr/pppppppp/8/8/8/8/PPPPPPPP/NRBBQNKR w KQkq - 0 1\"]
[Result \"0-1\"]

1. Ne3 {+0.20/10} Ne6 {-0.10/10} 2. O-O {+0.30/10} O-O {-0.20/10} 3. d4 {+0.1/3} d5 {0.00/3} 0-1

[FEN \"rknnbbqr/pppppppp/8/8/8/8/PPPPPPPP/RKNNBBQR w KQkq - 0 1\"]
[Result \"1/2-1/2\"]

1. Nb3 {+0.20/10} Nb6 {-0.10/10} 2. Nc3 {+0.2/10} Nc6 {0.00/3} 3. O-O-O {+0.30/10} O-O-O {-0.20/10} \
4. a3 {+0.1/3} a6 {0.00/3} 1/2-1/2
";

#[test]
fn what_a_limit_leaves_unread_counts_as_no_loss() {
    let games: Vec<&str> = GAMES.split_inclusive("\n\n").collect();
    // The game without such a castling comes first, with its tags and its moves.
    let file = [&games[4..], &["\n"], &games[..4]].concat().concat();
    let counted = |options: &Options| {
        let input = Input::named("x.pgn", Cursor::new(file.clone())).unwrap();
        let folder = tempfile::tempdir().unwrap();
        let output = folder.path().join("out.binpack");
        let job = Job::new(input, options.clone()).unwrap();
        let job = job.write_to(Some(&output)).unwrap();
        let filter = Preset::None.filter();
        let tally = job.filter(&filter, &Evaluator::cpu()).unwrap().tally;
        let losses = [tally.unheld_rights, tally.left_out_castlings];
        (losses, [tally.invalid, tally.invalid_records])
    };
    let skipping = Options {
        skip_invalid: true,
        ..Options::default()
    };
    assert_eq!(counted(&dropping()), ([4, 2], [0, 0]));
    assert_eq!(counted(&skipping), ([0, 0], [2, 6]));
    for (limit, of_second) in [(1, false), (8, false), (9, true)] {
        let limited = |options: Options| {
            let limit = Some(limit);
            counted(&Options { limit, ..options })
        };
        // A game is read as a whole or not at all.
        let left_out = if of_second { 2 } else { 0 };
        assert_eq!(limited(dropping()).0[1], left_out, "{limit}");
        let [invalid, records] = limited(skipping.clone()).1;
        let wanted = if of_second { [1, 2] } else { [0, 0] };
        assert_eq!([invalid, records], wanted, "{limit}");
    }
}

#[test]
fn rights_off_the_corners_are_dropped_if_asked_or_cut_the_chain() {
    let (binpack, summary) = converted("x.pgn", GAMES.into(), &dropping());
    let tally = &summary.tally;
    assert_eq!((tally.records_written, tally.invalid), (16, 0));
    assert_eq!((tally.unheld_rights, tally.left_out_castlings), (4, 2));
    assert_eq!(found_there(&binpack).len(), 16);
    let text = summary.table().to_string();
    assert!(text.contains("4 records with a castling right that the format cannot hold"));
    assert!(text.contains("2 records left out: the played move castles by such a right"));

    let skipping = Options {
        skip_invalid: true,
        ..Options::default()
    };
    let (binpack, summary) = converted("x.pgn", GAMES.into(), &skipping);
    let tally = &summary.tally;
    assert_eq!((tally.records_written, tally.invalid), (12, 2));
    assert_eq!((tally.invalid_records, tally.invalid_bytes), (6, 0));
    assert_eq!(found_there(&binpack).len(), 12);

    // Without either it is an error, and nothing is written.
    let input = Input::named("x.pgn", Cursor::new(GAMES)).unwrap();
    let options = Options {
        to: Some(Format::Binpack),
        ..Options::default()
    };
    let job = Job::new(input, options).unwrap();
    let error = job
        .write_into("out", std::io::sink())
        .convert()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("binpack cannot hold the castling right of a rook")
    );
}

#[test]
fn a_format_that_holds_all_rights_keeps_them() {
    let options = Options {
        to: Some(Format::Viriformat),
        ..dropping()
    };
    let input = Input::named("x.pgn", Cursor::new(GAMES)).unwrap();
    let job = Job::new(input, options).unwrap();
    let summary = job.write_into("out", std::io::sink()).convert().unwrap();
    assert_eq!(summary.tally.records_written, 18);
    assert_eq!(summary.tally.unheld_rights, 0);
    // Copies hold them too, so there is nothing to drop.
    let options = Options {
        to: Some(Format::Viriformat),
        ..dropping()
    };
    let games = encoded(Format::Viriformat, &chess960_games(3, 1));
    let input = Input::named("x.viriformat", Cursor::new(games)).unwrap();
    let job = Job::new(input, options).unwrap();
    let error = job
        .write_into("out", std::io::sink())
        .convert()
        .unwrap_err();
    assert!(
        error
            .to_string()
            .contains("copied from viriformat to viriformat")
    );
}
