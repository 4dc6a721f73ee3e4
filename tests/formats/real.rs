//! The codecs of training formats on real files, held against the field's own
//! crates. Needs the folder `../shared/data`; fails without it.

use std::io::Cursor;
use std::path::Path;

use crate::common::boards::Random;
use sfbinpack::{CompressedTrainingDataEntryReader, TrainingDataEntry};
use swaplist::formats::{
    self, Codec as _, Conversion, Decoded, Detected, Fate, Fates, Format, VALUE_NONE, binpack,
    bulletformat, marlinformat, viriformat,
};
use swaplist::{Capture, Position, Rules, for_each_noisy};

fn real_data(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/data/formats")
        .join(name);
    let bytes = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("real data {} is missing: {error}", path.display()));
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        zstd::decode_all(bytes.as_slice()).unwrap()
    } else {
        bytes
    }
}

/// The chunks of a binpack, without their headers.
fn chunks(file: &[u8]) -> Vec<&[u8]> {
    let mut rest = file;
    let mut chunks = Vec::new();
    while !rest.is_empty() {
        assert_eq!(rest[..4], binpack::MAGIC);
        let size = u32::from_le_bytes(rest[4..8].try_into().unwrap()) as usize;
        chunks.push(&rest[8..8 + size]);
        rest = &rest[8 + size..];
    }
    chunks
}

fn plies(file: &[u8]) -> Vec<binpack::Ply> {
    let mut plies = Vec::new();
    for chunk in chunks(file) {
        let mut at = 0;
        while at < chunk.len() {
            at += binpack::for_each(&chunk[at..], |ply| plies.push(ply)).unwrap();
        }
    }
    plies
}

fn reference(file: &[u8]) -> Vec<TrainingDataEntry> {
    let mut reader = CompressedTrainingDataEntryReader::new(Cursor::new(file)).unwrap();
    let mut entries = Vec::new();
    while reader.has_next() {
        entries.push(reader.next());
    }
    entries
}

fn played(m: sfbinpack::chess::r#move::Move) -> Capture {
    use sfbinpack::chess::piecetype::PieceType;
    let square = |s: sfbinpack::chess::coords::Square| shakmaty::Square::new(s.index());
    let promotion = match m.promoted_piece().piece_type() {
        PieceType::Knight => Some(shakmaty::Role::Knight),
        PieceType::Bishop => Some(shakmaty::Role::Bishop),
        PieceType::Rook => Some(shakmaty::Role::Rook),
        PieceType::Queen => Some(shakmaty::Role::Queen),
        _ => None,
    };
    Capture::new(square(m.from()), square(m.to()), promotion)
}

/// The reference keeps an en-passant target only where capturing is legal; the
/// packed position also where a pawn stands ready but may not.
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

fn assert_same(ours: &[binpack::Ply], theirs: &[TrainingDataEntry]) {
    assert_eq!(ours.len(), theirs.len());
    for (i, (our, their)) in ours.iter().zip(theirs).enumerate() {
        let fen = their.pos.fen().unwrap();
        assert!(
            same_position(&our.position, &fen),
            "{i}: {} {fen}",
            our.position
        );
        assert_eq!(our.played, played(their.mv), "{i}: {fen}");
        assert_eq!(our.score, their.score, "{i}: {fen}");
        assert_eq!(our.ply, their.ply, "{i}: {fen}");
        assert_eq!(i16::from(our.result), their.result, "{i}: {fen}");
    }
}

#[test]
#[ignore = "needs real data"]
fn real_data_binpack_is_read_as_the_reference_crate_reads_it() {
    for (name, count) in [("sf_ep1.binpack", 3), ("sf_small.binpack", 434_921)] {
        let file = real_data(name);
        let ours = plies(&file);
        assert_eq!(ours.len(), count);
        assert_same(&ours, &reference(&file));
    }
}

/// Rewrites a file chunk by chunk, chain by chain.
fn rewrite(file: &[u8], mark: bool, kept: &dyn Fn(usize) -> bool) -> Vec<u8> {
    let mut out = Vec::new();
    let mut first = 0;
    for chunk in chunks(file) {
        let mut chains = Vec::new();
        let mut at = 0;
        while at < chunk.len() {
            let mut count = 0;
            binpack::for_each(&chunk[at..], |_| count += 1).unwrap();
            let kept = |i: usize| kept(first + i);
            let before = chains.len();
            let length = if mark {
                binpack::mark_positions(&chunk[at..], kept, &mut chains).unwrap()
            } else {
                binpack::drop_positions(&chunk[at..], kept, &mut chains).unwrap()
            };
            if (0..count).all(kept) {
                assert_eq!(chains[before..], chunk[at..at + length]);
            }
            at += length;
            first += count;
        }
        out.extend_from_slice(&binpack::MAGIC);
        out.extend_from_slice(&(chains.len() as u32).to_le_bytes());
        out.extend_from_slice(&chains);
    }
    out
}

#[test]
#[ignore = "needs real data"]
fn real_data_binpack_rewritten_whole_is_byte_identical() {
    for name in ["sf_ep1.binpack", "sf_small.binpack"] {
        let file = real_data(name);
        assert_eq!(rewrite(&file, false, &|_| true), file);
        assert_eq!(rewrite(&file, true, &|_| true), file);
    }
}

/// A pseudo-random choice that keeps about `percent` of all positions.
fn chosen(percent: u64) -> impl Fn(usize) -> bool {
    move |i| Random(i as u64).next() % 100 < percent
}

#[test]
#[ignore = "needs real data"]
fn real_data_binpack_dropped_and_marked_positions_are_read_back() {
    let file = real_data("sf_small.binpack");
    let entries = reference(&file);
    for percent in [1, 30, 57, 95] {
        let kept = chosen(percent);
        let dropped = rewrite(&file, false, &kept);
        let expected: Vec<_> = (0..)
            .zip(&entries)
            .filter(|&(i, _)| kept(i))
            .map(|(_, &e)| e)
            .collect();
        assert!(reference(&dropped) == expected);
        assert_same(&plies(&dropped), &expected);

        let marked = rewrite(&file, true, &kept);
        let mut expected = entries.clone();
        for (i, entry) in expected.iter_mut().enumerate() {
            if !kept(i) {
                entry.score = VALUE_NONE;
            }
        }
        assert!(reference(&marked) == expected);
        assert_same(&plies(&marked), &expected);
        // Dropping breaks chains, so it costs more bytes a position than marking.
        let left = (0..entries.len()).filter(|&i| kept(i)).count();
        assert!(dropped.len() / left > marked.len() / entries.len());
        assert!(marked.len() < file.len() * 4 / 3);
    }
}

/// What the reference crate writes of the kept entries, byte for byte.
#[test]
#[ignore = "needs real data"]
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
    let ours = rewrite(&file, false, &kept);
    assert!(chunks(&ours).concat() == chunks(&theirs).concat());
}

fn marlin_positions(bytes: &[u8]) -> Vec<Position> {
    let mut positions = Vec::new();
    marlinformat::for_each(bytes, |position| positions.push(position.unwrap()));
    positions
}

fn games(file: &[u8]) -> Vec<&[u8]> {
    let mut rest = file;
    let mut games = Vec::new();
    while !rest.is_empty() {
        let length = viriformat::game_length(rest).unwrap().unwrap();
        games.push(&rest[..length]);
        rest = &rest[length..];
    }
    games
}

fn viri_plies(file: &[u8]) -> Vec<viriformat::Ply> {
    let mut plies = Vec::new();
    for game in games(file) {
        let before = plies.len();
        viriformat::for_each(game, |ply| plies.push(ply)).unwrap();
        assert_eq!(plies.len() - before, viriformat::positions(game.len()));
    }
    plies
}

#[test]
#[ignore = "needs real data"]
fn real_data_same_positions_and_verdicts_in_three_formats() {
    let binpack = plies(&real_data("sf_small.binpack"));
    let viri = viri_plies(&real_data("sf_small.viriformat"));
    let marlin_file = real_data("sf_small.marlinformat.zst");
    let marlin = marlin_positions(&marlin_file);
    assert_eq!(
        (binpack.len(), viri.len(), marlin.len()),
        (434_921, 434_921, 434_921)
    );

    let raw: &[marlinformat::Raw] = marlin_file.as_chunks().0;
    let rules = Rules::SWAP;
    let (mut checks, mut captures, mut winning, mut other_results) = (0, 0, 0, 0);
    for (i, ((b, v), (m, raw))) in binpack
        .iter()
        .zip(&viri)
        .zip(marlin.iter().zip(raw))
        .enumerate()
    {
        assert_eq!(b.position, v.position, "{i}");
        assert_eq!(b.position, *m, "{i}");
        assert_eq!(b.played, v.played, "{i}");
        let turn = b.position.turn();
        // The files were made with scores bounded to 32000.
        let bounded = b.score.clamp(-32000, 32000);
        assert_eq!(
            i32::from(bounded),
            formats::turned_score(v.score.into(), turn),
            "{i}"
        );
        assert_eq!(v.score, marlinformat::score(raw), "{i}");
        // Games of the source whose result changes on the way have one here.
        let white = if turn.is_white() { b.result } else { -b.result };
        other_results += usize::from(white + 1 != marlinformat::result(raw).cast_signed());
        let verdict = rules.verdict(&b.position, false);
        checks += usize::from(verdict.in_check);
        captures += usize::from(verdict.noisy > 0);
        winning += usize::from(verdict.best.is_some_and(|best| best.see > 0));
    }
    assert_eq!((checks, captures, winning), (28_578, 297_728, 101_413));
    assert_eq!(other_results, 544);
}

#[test]
#[ignore = "needs real data"]
fn real_data_viriformat_is_read_as_its_crate_reads_it() {
    let file = real_data("sf_small.viriformat");
    let mut reader = file.as_slice();
    let mut ours = viri_plies(&file).into_iter();
    while !reader.is_empty() {
        let game =
            ::viriformat::dataformat::Game::deserialise_from(&mut reader, Vec::new()).unwrap();
        let moves: Vec<_> = game.moves().collect();
        let mut i = 0;
        game.visit_positions(|board, score| {
            let our = ours.next().unwrap();
            let their: Position = board.to_string().parse().unwrap();
            assert_eq!(our.position, their);
            assert_eq!(i32::from(our.score), score);
            assert_eq!(our.played.to_string(), moves[i].display(true).to_string());
            assert_eq!(our.ply.map(|ply| ply as usize), Some(board.ply()));
            i += 1;
        });
    }
    assert_eq!(ours.next(), None);
}

#[test]
#[ignore = "needs real data"]
fn real_data_viriformat_readme_example_reads_as_documented() {
    let plies = viri_plies(&real_data("viriformat_readme_example.bin"));
    let moves: Vec<_> = plies.iter().map(|ply| ply.played.to_string()).collect();
    assert_eq!(moves, ["e2e4", "e7e5", "d1h5", "e8e7", "h5e5"]);
    let scores: Vec<_> = plies.iter().map(|ply| ply.score).collect();
    assert_eq!(scores, [10, 20, -30, 32767, 32767]);
}

#[test]
#[ignore = "needs real data"]
fn real_data_viriformat_games_stay_valid_when_cut_or_marked() {
    let file = real_data("sf_small.viriformat");
    let all = viri_plies(&file);
    let key = |ply: &viriformat::Ply| (ply.position, ply.played, ply.ply);
    for percent in [0, 30, 57, 100] {
        let kept = chosen(percent);
        let (mut dropped, mut marked) = (Vec::new(), Vec::new());
        let mut first = 0;
        for game in games(&file) {
            let here = |i: usize| kept(first + i);
            viriformat::drop_positions(game, here, &mut dropped).unwrap();
            viriformat::mark_positions(game, here, &mut marked);
            first += viriformat::positions(game.len());
        }
        if percent == 100 {
            assert!(dropped == file && marked == file);
        }
        let expected = (0..)
            .zip(&all)
            .filter(|&(i, _)| kept(i))
            .map(|(_, ply)| *ply);
        assert!(viri_plies(&dropped).iter().copied().eq(expected));
        let again = viri_plies(&marked);
        assert_eq!(again.len(), all.len());
        for (i, (now, before)) in again.iter().zip(&all).enumerate() {
            assert_eq!(key(now), key(before));
            assert_eq!(now.score, if kept(i) { before.score } else { VALUE_NONE });
        }
        // The crate checks that every move is legal where it is played.
        let mut reader = dropped.as_slice();
        while !reader.is_empty() {
            ::viriformat::dataformat::Game::deserialise_from(&mut reader, Vec::new()).unwrap();
        }
    }
}

#[test]
#[ignore = "needs real data"]
fn real_data_bulletformat_boards_are_all_valid_and_survive() {
    let file = real_data("bulletformat_batch.bf");
    let raw: &[bulletformat::Raw] = file.as_chunks().0;
    assert_eq!(raw.len(), 16_273);
    let mut records = raw.iter();
    bulletformat::for_each(&file, |position| {
        let record = records.next().unwrap();
        let position = position.unwrap();
        assert!(bulletformat::kings_agree(record, &position));
        let again = bulletformat::pack(
            &position,
            bulletformat::score(record),
            bulletformat::result(record),
        );
        assert_eq!(again[..29], record[..29]);
        assert_eq!(bulletformat::unpack(record).as_ref(), Ok(&position));
    });
    assert!(records.next().is_none());
}

#[test]
#[ignore = "needs real data"]
fn real_data_plain_files_are_rewritten_as_they_were() {
    for (name, records, errors) in [
        ("linrockSF_test.remove-captures.filtered", 6, &[][..]),
        ("linrockSF_test.remove-captures", 6, &[]),
        ("linrockSF_test.remove-captures.rescored", 6, &[]),
        ("test.remove-captures", 7, &["line 7: 'f0b5' is no move"]),
    ] {
        let file = real_data(&format!("sf_plain_{name}.plain"));
        assert_eq!(Format::detect(&file, None), Detected::Format(Format::Plain));
        let (mut reader, codec) = Format::Plain.open(file.as_slice(), 1 << 20);
        let block = reader.next_block().unwrap().unwrap();
        let mut decoded = Decoded::default();
        codec.decode(&block, &mut decoded);
        let found: Vec<_> = decoded.invalid.iter().map(ToString::to_string).collect();
        assert_eq!(
            (decoded.records.len(), found.len()),
            (records, errors.len()),
            "{name} {found:?}"
        );
        for (found, error) in found.iter().zip(errors) {
            assert!(found.starts_with(error), "{found}");
        }
        let fates = Fates {
            records: &vec![Fate::Keep; records],
            invalid: true,
        };
        let mut out = Vec::new();
        codec.encode(&block, &decoded, &fates, &mut out).unwrap();
        assert!(out == file, "{name}");
    }
}

/// The sample as 40-byte records and back is the sample.
#[test]
#[ignore = "needs real data"]
fn real_data_binpack_survives_the_detour_through_stockfish_s_bin() {
    let convert = |from: Format, to: Format, file: &[u8]| {
        let (mut reader, codec) = from.open(file, 1 << 20);
        let conversion = Conversion::new(from, codec, to).unwrap();
        let (mut decoded, mut out) = (Decoded::default(), Vec::new());
        while let Some(block) = reader.next_block().unwrap() {
            conversion.decode(&block, &mut decoded);
            assert_eq!(decoded.invalid, []);
            let fates = Fates {
                records: &vec![Fate::Keep; decoded.records.len()],
                invalid: false,
            };
            conversion
                .encode(&block, &decoded, &fates, &mut out)
                .unwrap();
        }
        out
    };
    let binpack = real_data("sf_small.binpack");
    let sfbin = convert(Format::Binpack, Format::Sfbin, &binpack);
    assert_eq!(sfbin.len(), 434_921 * 40);
    assert_eq!(
        Format::detect(&sfbin, Some("bin")),
        Detected::Format(Format::Sfbin)
    );
    let plain = convert(Format::Binpack, Format::Plain, &binpack);
    assert!(convert(Format::Sfbin, Format::Plain, &sfbin) == plain);
    assert!(convert(Format::Plain, Format::Sfbin, &plain) == sfbin);
    let again = convert(Format::Sfbin, Format::Binpack, &sfbin);
    let (ours, theirs) = (plies(&again), plies(&binpack));
    assert!(ours == theirs);
}

#[test]
#[ignore = "needs real data"]
fn real_data_pgn_games_are_read_whole_with_promotions_in_any_style() {
    for (name, games, count) in [
        ("lichess_db_1000k", 438, 28_538),
        ("chesslib_cup", 900, 78_541),
    ] {
        let file = real_data(&format!("../pgn/{name}.pgn"));
        let (mut reader, codec) = Format::Pgn.open(file.as_slice(), 1 << 16);
        let mut decoded = Decoded::default();
        let (mut found, mut starts, mut positions) = (Vec::new(), 0, 0);
        while let Some(block) = reader.next_block().unwrap() {
            codec.decode(&block, &mut decoded);
            positions += decoded.records.len();
            found.extend(decoded.invalid.iter().map(ToString::to_string));
            let text = String::from_utf8_lossy(&block.bytes).into_owned();
            starts += text.matches("[Event \"").count();
        }
        assert_eq!(found, Vec::<String>::new(), "{name}");
        assert_eq!((starts, positions), (games, count), "{name}");
    }
}
