//! Records written one by one.

use swaplist::{Choice, PackedMove, Position};
use swaplist_files::formats::{self, Field, Format, Place, Record, RecordFields, Writer};

use super::convert;
use crate::tests::common::records::encoded;

const SAMPLE: &[u8] = include_bytes!("../../../data/sample.binpack");

fn entries(format: Format, bytes: &[u8]) -> Vec<Record> {
    let entries = format.records(bytes).collect::<Result<_, _>>();
    entries.unwrap()
}

#[test]
fn a_writer_writes_what_a_conversion_writes() {
    let sample = entries(Format::Binpack, SAMPLE);
    for &to in Format::ALL.iter().filter(|to| to.spec().is_convertible_to) {
        if to != Format::Binpack {
            let converted = convert(Format::Binpack, to, SAMPLE);
            assert!(encoded(to, &sample) == converted, "{to:?}");
        }
    }
}

#[test]
fn no_record_is_lost_and_no_game_is_cut() {
    let games = convert(Format::Binpack, Format::Viriformat, SAMPLE).repeat(60);
    let all = entries(Format::Viriformat, &games);
    assert!(all.len() > 200_000);
    assert!(encoded(Format::Viriformat, &all) == games);
    let content = |entries: &[Record]| -> Vec<_> {
        let fields = RecordFields::new(Place::Offset(0), 0..0);
        let said = |r: &RecordFields| (r.played(), r.score(), r.outcome());
        let entries = entries.iter();
        entries
            .map(|e| (Record { fields, ..*e }, said(&e.fields)))
            .collect()
    };
    let chains = encoded(Format::Binpack, &all);
    let again = entries(Format::Binpack, &chains);
    assert!(content(&again) == content(&all));
    // As small as if games were never cut.
    assert!(chains.len() < SAMPLE.len() * 60 * 101 / 100);
}

/// Kings that step aside and back, from this half-move clock and move number on.
fn shuffled(clock: usize, number: usize, plies: usize) -> Vec<Record> {
    let boards = [
        ("4k3/8/8/8/8/8/8/4K3 w", "e1e2"),
        ("4k3/8/8/8/8/8/4K3/8 b", "e8e7"),
        ("8/4k3/8/8/8/8/4K3/8 w", "e2e1"),
        ("8/4k3/8/8/8/8/8/4K3 b", "e7e8"),
    ];
    let record = |ply| {
        let (board, played) = boards[ply % 4];
        let fen = format!("{board} - - {} {}", clock + ply, number + ply / 2);
        let position: Position = fen.parse().unwrap();
        let fields = RecordFields::new(Place::Line(1), 0..1)
            .with_played(formats::move_on(&fen, position, played).ok())
            .with_score(Some(1))
            .with_outcome(Some(formats::Outcome::Draw));
        Record {
            fields,
            ..Record::from_fen(&fen, position)
        }
    };
    (0..plies).map(record).collect()
}

#[test]
fn a_game_goes_on_after_the_highest_move_number() {
    let game = shuffled(0, 65535, 3);
    let bytes = encoded(Format::Viriformat, &game);
    assert_eq!(bytes.len(), 32 + 3 * 4 + 4);
    for (again, record) in entries(Format::Viriformat, &bytes).iter().zip(&game) {
        assert_eq!(again.to_string(), record.to_string());
        assert_eq!(again.fields.ply().unwrap() / 2, 65534);
    }
}

/// Their clocks have 8 bits: the crates of both formats overflow.
#[test]
fn other_readers_see_the_highest_clock_too() {
    let game = shuffled(0, 1, 300);
    for format in [Format::Binpack, Format::Viriformat] {
        let bytes = encoded(format, &game);
        for (ply, again) in entries(format, &bytes).iter().enumerate() {
            assert_eq!(usize::from(again.halfmoves), ply.min(255));
        }
        let again = entries(format, &bytes);
        assert_eq!(again.len(), 300);
        assert!(encoded(format, &again) == bytes);
    }
    let bytes = std::io::Cursor::new(encoded(Format::Binpack, &game));
    let mut reader = sfbinpack::CompressedTrainingDataEntryReader::new(bytes).unwrap();
    for ply in 0..300 {
        assert_eq!(reader.next().pos.rule50_counter(), ply.min(255));
    }
}

#[test]
fn an_en_passant_square_without_a_legal_capture_is_not_written() {
    // The capture opens the rank, on which the king stands or not.
    for (fen, king, is_usable) in [
        (
            "8/8/8/K1pP3r/7k/8/8/8 w - c6 0 2",
            shakmaty::Square::A5,
            false,
        ),
        (
            "8/8/8/2pP3r/K6k/8/8/8 w - c6 0 2",
            shakmaty::Square::A4,
            true,
        ),
    ] {
        let position: Position = fen.parse().unwrap();
        assert!(position.ep_square().is_some());
        let fields = RecordFields::new(Place::Line(1), 0..1)
            .with_played(Some(PackedMove::new(king, king.offset(-8).unwrap(), None)))
            .with_score(Some(1))
            .with_outcome(Some(formats::Outcome::Draw));
        let entry = Record {
            fields,
            ..Record::from_fen(fen, position)
        };
        for &format in Format::ALL {
            if format.spec().is_convertible_to && format.holds(Field::EnPassant) {
                let again = entries(format, &encoded(format, &[entry]));
                let ep = again[0].position.ep_square();
                assert_eq!(ep.is_some(), is_usable, "{fen} {format:?}");
            }
        }
    }
}

#[test]
fn what_a_format_cannot_hold_is_an_error_and_left_out() {
    let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
    let bare = RecordFields::new(Place::Line(7), 0..1);
    let whole = bare
        .with_score(Some(12))
        .with_outcome(Some(formats::Outcome::Draw));
    let of = |fields| Record {
        fields,
        ..Record::new(position)
    };
    let illegal = PackedMove::new(shakmaty::Square::E4, shakmaty::Square::E6, None);
    let legal = Some(PackedMove::new(
        shakmaty::Square::E4,
        shakmaty::Square::D5,
        None,
    ));
    for (record, reason) in [
        (whole, "needs a played move"),
        (bare.with_played(legal), "needs a result"),
        (
            whole.with_played(legal).with_score(Some(40_000)),
            "the score 40000",
        ),
        (whole.with_played(Some(illegal)), "illegal move 'e4e6'"),
    ] {
        let mut writer = Writer::new(Format::Viriformat).unwrap();
        let error = writer.push(&of(record), &mut Vec::new()).unwrap_err();
        let text = error.to_string();
        assert!(text.contains(reason), "{text}");
        assert_eq!(error.place, Place::Line(7));
        let mut bytes = Vec::new();
        writer.finish(&mut bytes);
        assert!(bytes.is_empty());
    }
    assert!(Writer::new(Format::Pgn).is_err());
}
