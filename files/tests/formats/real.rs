//! The codecs of training formats on real files, compared with reference crates.

use std::io::Cursor;

use crate::tests::common::boards::Random;
use crate::tests::common::data;
use crate::tests::convert;

/// A training file of the real data.
pub fn real_data(name: &str) -> Vec<u8> {
    data::bytes(&format!("formats/{name}"))
}
use sfbinpack::{CompressedTrainingDataEntryReader, TrainingDataEntry};
use swaplist::{CpuPath, PackedMove, Position, Rules, Sides, for_each_noisy};
use swaplist_files::formats::{
    self, Action, Codec, DecodedPart, Format, HEAD, Outcome, Place, Record, RecordFields, Records,
    VALUE_NONE,
};

/// The chunks of a binpack, without their headers.
fn chunks(file: &[u8]) -> Vec<&[u8]> {
    let mut rest = file;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        assert_eq!(rest[..4], *b"BINP");
        let size = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
        chunks.push(&rest[8..8 + size]);
        rest = &rest[8 + size..];
    }
    chunks
}

/// Every record; without vector units decoded carefully, with the same result.
fn entries(format: Format, file: &[u8]) -> Vec<Record> {
    let read = |path| -> Vec<Record> {
        let (reader, _) = format.open(file, 1 << 20);
        Records::new(reader, format.codec_on(path))
            .map(Result::unwrap)
            .collect()
    };
    let entries = read(CpuPath::best());
    assert!(entries == read(CpuPath::Scalar));
    entries
}

/// A record without its place.
fn held(record: &Record) -> Record {
    let known = &record.fields;
    let fields = RecordFields::new(Place::Offset(0), 0..0)
        .with_played(known.played())
        .with_score(known.score())
        .with_outcome(known.outcome())
        .with_ply(known.ply());
    Record { fields, ..*record }
}

/// The result of the side to move: -1 loss, 0 draw, 1 win.
fn result(entry: &Record) -> i16 {
    let white = match entry.fields.outcome().unwrap() {
        Outcome::White => 1,
        Outcome::Draw => 0,
        Outcome::Black => -1,
    };
    entry.position.turn().fold_wb(white, -white)
}

fn reference(file: &[u8]) -> Vec<TrainingDataEntry> {
    let mut reader = CompressedTrainingDataEntryReader::new(Cursor::new(file)).unwrap();
    let mut entries = Vec::new();
    while reader.has_next() {
        entries.push(reader.next());
    }
    entries
}

fn played(m: sfbinpack::chess::r#move::Move) -> PackedMove {
    use sfbinpack::chess::piecetype::PieceType;
    let square = |s: sfbinpack::chess::coords::Square| shakmaty::Square::new(s.index());
    let promotion = match m.promoted_piece().piece_type() {
        PieceType::Knight => Some(shakmaty::Role::Knight),
        PieceType::Bishop => Some(shakmaty::Role::Bishop),
        PieceType::Rook => Some(shakmaty::Role::Rook),
        PieceType::Queen => Some(shakmaty::Role::Queen),
        _ => None,
    };
    PackedMove::new(square(m.from()), square(m.to()), promotion)
}

/// The reference keeps an en-passant target only if capturing is legal; the packed position
/// also if a pawn attacks it but may not capture.
fn same_position(ours: &Position, fen: &str) -> bool {
    let theirs: Position = fen.parse().unwrap();
    let bare = |p: &Position| {
        let [a, b, c, d] = p.planes();
        [a, b, c, d & (a | b | c)]
    };
    let mut legal_ep = false;
    for_each_noisy(ours, |m| legal_ep |= Some(m.to()) == ours.ep_square());
    *ours == theirs || bare(ours) == bare(&theirs) && theirs.ep_square().is_none() && !legal_ep
}

fn assert_same(ours: &[Record], theirs: &[TrainingDataEntry]) {
    assert_eq!(ours.len(), theirs.len());
    for (i, (our, their)) in ours.iter().zip(theirs).enumerate() {
        let record = &our.fields;
        let fen = their.pos.fen().unwrap();
        let position = &our.position;
        assert!(same_position(position, &fen), "{i}: {position} {fen}");
        assert_eq!(record.played(), Some(played(their.mv)), "{i}: {fen}");
        assert_eq!(record.score(), Some(their.score.into()), "{i}: {fen}");
        assert_eq!(record.ply(), Some(their.ply.into()), "{i}: {fen}");
        assert_eq!(result(our), their.result, "{i}: {fen}");
        let state = Record::from_fen(&fen, *position);
        assert_eq!(our.castling, state.castling, "{i}: {fen}");
        let clocks = (our.halfmoves, our.fullmoves);
        assert_eq!(clocks, (state.halfmoves, state.fullmoves), "{i}: {fen}");
    }
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_binpack_is_read_as_the_reference_crate_reads_it() {
    for (name, count) in [("sf_ep1.binpack", 3), ("sf_small.binpack", 434_921)] {
        let file = real_data(name);
        let ours = entries(Format::Binpack, &file);
        assert_eq!(ours.len(), count);
        assert_same(&ours, &reference(&file));
    }
}

/// Writes a file with the other records becoming `other`.
fn rewrite(format: Format, file: &[u8], other: Action, kept: &dyn Fn(usize) -> bool) -> Vec<u8> {
    let action = |i| if kept(i) { Action::Keep } else { other };
    written(format, &format.codec(), file, &action)
}

fn written(from: Format, codec: &Codec, file: &[u8], action: &dyn Fn(usize) -> Action) -> Vec<u8> {
    let mut reader = from.open(file, 1 << 20).0;
    let mut decoded = DecodedPart::default();
    let mut out = Vec::new();
    let mut first = 0;
    while let Some(block) = reader.next_block().unwrap() {
        codec.decode(&block, &mut decoded);
        assert_eq!(decoded.invalid, []);
        let actions: Vec<Action> = (first..first + decoded.records.len()).map(action).collect();
        super::encode(codec, &block, &decoded, &actions, &mut out);
        first += decoded.records.len();
    }
    out
}

/// Pseudo-randomly selects about `percent` of all positions.
fn chosen(percent: u64) -> impl Fn(usize) -> bool {
    move |i| Random(i as u64).next() % 100 < percent
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_binpack_dropped_and_marked_positions_are_read_back() {
    let file = real_data("sf_small.binpack");
    let theirs = reference(&file);
    for percent in [1, 30, 57, 95] {
        let kept = chosen(percent);
        let dropped = rewrite(Format::Binpack, &file, Action::Drop, &kept);
        let left: Vec<_> = (0..)
            .zip(&theirs)
            .filter(|&(i, _)| kept(i))
            .map(|(_, &e)| e)
            .collect();
        assert!(reference(&dropped) == left);
        assert_same(&entries(Format::Binpack, &dropped), &left);

        let marked = rewrite(Format::Binpack, &file, Action::Mark, &kept);
        let mut expected = theirs.clone();
        for (i, entry) in expected.iter_mut().enumerate() {
            if !kept(i) {
                entry.score = VALUE_NONE;
            }
        }
        assert!(reference(&marked) == expected);
        assert_same(&entries(Format::Binpack, &marked), &expected);
        // Dropping breaks chains, so it costs more bytes per position than marking.
        assert!(dropped.len() / left.len() > marked.len() / theirs.len());
        assert!(marked.len() < file.len() * 4 / 3);
    }
}

/// What the reference crate writes for the kept entries, byte for byte.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_binpack_dropping_writes_the_chains_of_the_reference_crate() {
    let file = real_data("sf_small.binpack");
    let kept = chosen(57);
    let mut writer = sfbinpack::CompressedTrainingDataEntryWriter::new_in_memory().unwrap();
    for (i, entry) in reference(&file).iter().enumerate() {
        if kept(i) {
            writer.write_entry(entry).unwrap();
        }
    }
    let theirs = writer.into_bytes().unwrap();
    let ours = rewrite(Format::Binpack, &file, Action::Drop, &kept);
    assert!(chunks(&ours).concat() == chunks(&theirs).concat());
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_same_positions_and_verdicts_in_three_formats() {
    let binpack = entries(Format::Binpack, &real_data("sf_small.binpack"));
    let viri = entries(Format::Viriformat, &real_data("sf_small.viriformat"));
    let marlin_file = real_data("sf_small.marlinformat.zst");
    let marlin = entries(Format::Marlinformat, &marlin_file);
    assert_eq!(
        (binpack.len(), viri.len(), marlin.len()),
        (434_921, 434_921, 434_921)
    );

    let rules = Rules::SWAP;
    let mut checks = 0;
    let mut captures = 0;
    let mut winning = 0;
    let mut other_results = 0;
    for (i, ((b, v), m)) in binpack.iter().zip(&viri).zip(&marlin).enumerate() {
        assert_eq!(b.position, v.position, "{i}");
        let fields = m.fields;
        assert_eq!(Record { fields, ..*v }, *m, "{i}");
        assert_eq!(b.fields.played(), v.fields.played(), "{i}");
        // The files were made with scores bounded to 32000.
        let bounded = b.fields.score().map(|score| score.clamp(-32000, 32000));
        assert_eq!(bounded, v.fields.score(), "{i}");
        assert_eq!(v.fields.score(), m.fields.score(), "{i}");
        // Games of the source whose result changes midway have one here.
        other_results += usize::from(b.fields.outcome() != m.fields.outcome());
        let verdict = rules.verdict(&b.position, Sides::ToMove);
        checks += usize::from(verdict.in_check());
        captures += usize::from(verdict.noisy() > 0);
        winning += usize::from(verdict.best().is_some_and(|best| best.see > 0));
    }
    assert_eq!((checks, captures, winning), (28_578, 297_728, 101_413));
    assert_eq!(other_results, 544);
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_viriformat_is_read_as_its_crate_reads_it() {
    let file = real_data("sf_small.viriformat");
    let mut reader = file.as_slice();
    let mut ours = entries(Format::Viriformat, &file).into_iter();
    while !reader.is_empty() {
        let game =
            ::viriformat::dataformat::Game::deserialise_from(&mut reader, Vec::new()).unwrap();
        let moves: Vec<_> = game.moves().collect();
        let mut i = 0;
        game.visit_positions(|board, score| {
            let our = ours.next().unwrap();
            let their: Position = board.to_string().parse().unwrap();
            let position = our.position;
            let record = our.fields;
            assert_eq!(position, their);
            let white = formats::turned_score(record.score().unwrap(), position.turn());
            assert_eq!(white, score);
            let played = record.played().unwrap();
            assert_eq!(played.to_string(), moves[i].display(true).to_string());
            assert_eq!(record.ply().map(|ply| ply as usize), Some(board.ply()));
            i += 1;
        });
    }
    assert_eq!(ours.next(), None);
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_viriformat_readme_example_reads_as_documented() {
    let example = real_data("viriformat_readme_example.bin");
    let entries = entries(Format::Viriformat, &example);
    let played = entries.iter().filter_map(|record| record.fields.played());
    let moves: Vec<_> = played.map(|played| played.to_string()).collect();
    assert_eq!(moves, ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]);
    // White's.
    let white = |entry: &Record| {
        let turn = entry.position.turn();
        formats::turned_score(entry.fields.score().unwrap(), turn)
    };
    let scores: Vec<_> = entries.iter().map(white).collect();
    assert_eq!(scores, [10, 20, -30, 32767, 32767]);
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_viriformat_games_stay_valid_when_cut_or_marked() {
    let file = real_data("sf_small.viriformat");
    let all = entries(Format::Viriformat, &file);
    for percent in [0, 30, 57, 100] {
        let kept = chosen(percent);
        let dropped = rewrite(Format::Viriformat, &file, Action::Drop, &kept);
        let marked = rewrite(Format::Viriformat, &file, Action::Mark, &kept);
        if percent == 100 {
            assert!(dropped == file && marked == file);
        }
        let left = (0..).zip(&all).filter(|&(i, _)| kept(i));
        let of_dropped = entries(Format::Viriformat, &dropped);
        // A new first position has no en-passant square without a legal capture, as no FEN has.
        let shown = |record: &Record| (record.to_string(), held(record).fields);
        assert!(
            of_dropped
                .iter()
                .map(shown)
                .eq(left.map(|(_, entry)| shown(entry)))
        );
        let again = entries(Format::Viriformat, &marked);
        assert_eq!(again.len(), all.len());
        for (i, (now, before)) in again.iter().zip(&all).enumerate() {
            let unscored = before.fields.with_score(Some(VALUE_NONE.into()));
            let fields = if kept(i) { before.fields } else { unscored };
            assert_eq!(*now, Record { fields, ..*before });
        }
        // The crate checks the legality of every move.
        let mut reader = dropped.as_slice();
        while !reader.is_empty() {
            ::viriformat::dataformat::Game::deserialise_from(&mut reader, Vec::new()).unwrap();
        }
    }
}

/// By way of text lines; positions with White to move are unchanged.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_bulletformat_boards_are_all_valid_and_survive() {
    let file = real_data("bulletformat_batch.bf");
    assert_eq!(entries(Format::Bulletformat, &file).len(), 16_273);
    let bulletformat = Format::Bulletformat;
    let text = Format::Text;
    let detected = Format::detect(&file[..HEAD], None);
    assert_eq!(detected, [bulletformat]);
    let again = convert(text, bulletformat, &convert(bulletformat, text, &file));
    for (again, record) in again.chunks(32).zip(file.chunks(32)) {
        assert_eq!(again[..29], record[..29]);
    }
}

/// The sample converted to 40-byte records and back is unchanged.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_binpack_survives_the_detour_through_stockfish_s_bin() {
    let binpack = real_data("sf_small.binpack");
    let sfbin = convert(Format::Binpack, Format::Sfbin, &binpack);
    assert_eq!(sfbin.len(), 434_921 * 40);
    assert_eq!(Format::detect(&sfbin, Some("bin")), [Format::Sfbin]);
    let plain = convert(Format::Binpack, Format::Plain, &binpack);
    assert!(convert(Format::Sfbin, Format::Plain, &sfbin) == plain);
    assert!(convert(Format::Plain, Format::Sfbin, &plain) == sfbin);
    let again = convert(Format::Sfbin, Format::Binpack, &sfbin);
    let (ours, theirs) = (
        entries(Format::Binpack, &again),
        entries(Format::Binpack, &binpack),
    );
    assert!(ours.iter().map(held).eq(theirs.iter().map(held)));
}
