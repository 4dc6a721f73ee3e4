//! Conversions keep the position: what is written reads back with the same pieces, the same side
//! to move, and the other fields that the format holds, or the record is refused. For any board, any
//! castling rights, any clocks, scores and moves.

use core::cell::Cell;
use std::io::Cursor;

use proptest::prelude::*;
use proptest::sample::select;
use proptest::test_runner::TestRunner;
use shakmaty::fen::Fen;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Position as _, Rank, Role, Setup,
    Square,
};
use swaplist::position::chess_from_setup;
use swaplist::{PackedMove, Position};
use swaplist_files::formats::{Format, Outcome, Place, Record, RecordFields, VALUE_NONE, Writer};
use swaplist_files::jobs::{Input, Job, Options, Summary};

use crate::tests::common::any;
use crate::tests::common::boards::{Random, playouts};
use crate::tests::common::records::written_formats;
use crate::tests::common::written::Written;

/// A side's rooks on its back rank.
fn rooks_at_home(board: &Board) -> Bitboard {
    let of_side = |color: Color| {
        let rank = Bitboard::from(color.relative_rank(Rank::First));
        board.by_piece(Role::Rook.of(color)) & rank
    };
    of_side(Color::White) | of_side(Color::Black)
}

/// Those of them whose side's king is on its back rank too: others may not castle.
fn rooks_that_may_castle(board: &Board) -> Bitboard {
    let ranks = Color::ALL.map(|color| {
        let rank = Bitboard::from_rank(color.fold_wb(Rank::First, Rank::Eighth));
        let king = board.kings() & board.by_color(color) & rank;
        if king.is_empty() {
            Bitboard::EMPTY
        } else {
            rank
        }
    });
    rooks_at_home(board) & (ranks[0] | ranks[1])
}

/// Rights on any squares, corners, back ranks, and own rooks.
fn rights(board: &Board) -> impl Strategy<Value = Bitboard> + use<> {
    let rooks = rooks_at_home(board);
    let all_rooks = board.rooks();
    (any::<u64>(), any::<u64>(), 0..8).prop_map(move |(some, more, kind)| match kind {
        0 => Bitboard::EMPTY,
        1 => Bitboard(some),
        2 => Bitboard(some) & Bitboard::CORNERS,
        3 => Bitboard(some & more) & Bitboard::BACKRANKS,
        4 => Bitboard(some) & all_rooks,
        5 => rooks,
        6 => Bitboard(some) & rooks & Bitboard::CORNERS,
        _ => Bitboard(some) & rooks | Bitboard(some & more) & Bitboard::CORNERS,
    })
}

fn score() -> impl Strategy<Value = Option<i32>> {
    let edges = [
        0,
        1,
        -1,
        32000,
        32001,
        32002,
        32003,
        32767,
        32768,
        40000,
        i32::MAX,
    ];
    let both_signs: Vec<i32> = edges
        .into_iter()
        .flat_map(|score: i32| [score, -score, -score - 1])
        .filter(|&score| score != i32::MIN)
        .collect();
    prop_oneof![
        Just(None),
        any::<i16>().prop_map(|score| Some(score.into())),
        select(both_signs).prop_map(Some),
    ]
}

/// No move, a legal one, the king to a rook or by two files, or any bits.
fn played(setup: &Setup) -> impl Strategy<Value = Option<PackedMove>> + use<> {
    let chess = chess_from_setup(setup.clone()).unwrap();
    let king = setup.board.king_of(setup.turn).unwrap();
    let all = chess
        .legal_moves()
        .into_iter()
        .filter_map(PackedMove::from_move);
    let rooks = setup.board.rooks() & setup.board.by_color(setup.turn);
    let to_rook = rooks
        .into_iter()
        .map(|rook| PackedMove::new(king, rook, None));
    let two_files = [king.offset(2), king.offset(-2)].into_iter().flatten();
    let aside = two_files.map(|to| PackedMove::new(king, to, None));
    let mut odd: Vec<PackedMove> = to_rook.chain(aside).collect();
    let mut legal: Vec<PackedMove> = all.collect();
    if legal.is_empty() {
        legal.clone_from(&odd);
    }
    if odd.is_empty() {
        odd.clone_from(&legal);
    }
    prop_oneof![
        1 => Just(None),
        6 => select(legal).prop_map(Some),
        1 => select(odd).prop_map(Some),
        1 => any::<u16>().prop_map(|bits| Some(PackedMove::from_bits(bits))),
    ]
}

fn outcome() -> impl Strategy<Value = Option<Outcome>> {
    let all = [Outcome::White, Outcome::Draw, Outcome::Black];
    prop_oneof![1 => Just(None), 9 => select(all.to_vec()).prop_map(Some)]
}

fn ply() -> impl Strategy<Value = Option<u32>> {
    let edges = vec![
        0,
        1,
        16_382,
        16_383,
        16_384,
        65_534,
        65_535,
        65_536,
        u32::MAX - 1,
    ];
    prop_oneof![
        2 => Just(None),
        2 => (0_u32..600).prop_map(Some),
        1 => select(edges).prop_map(Some),
    ]
}

fn record() -> impl Strategy<Value = Record> {
    let square = (0_u32..64).prop_map(|square| Some(Square::new(square)));
    let ep = prop_oneof![2 => Just(None), 1 => square];
    let setup = (any::chess(), ep).prop_map(|(chess, ep)| {
        let mut setup = chess.to_setup(EnPassantMode::Always);
        setup.ep_square = ep.or(setup.ep_square);
        setup
    });
    let halfmoves = prop_oneof![0_u8..100, select(vec![126, 127, 128, 254, 255])];
    let fullmoves = prop_oneof![
        0_u16..300,
        select(vec![8191, 8192, 8193, 32768, 65534, 65535])
    ];
    let clocks = (halfmoves, fullmoves, ply());
    let with_state = setup.prop_flat_map(move |setup| {
        let state = (rights(&setup.board), played(&setup));
        (Just(setup), state)
    });
    (with_state, clocks, score(), outcome()).prop_map(
        |((setup, (castling, played)), (halfmoves, fullmoves, ply), score, outcome)| {
            let fields = RecordFields::new(Place::Line(1), 0..0)
                .with_played(played)
                .with_score(score)
                .with_outcome(outcome)
                .with_ply(ply);
            Record {
                castling,
                halfmoves,
                fullmoves,
                fields,
                ..Record::new(Position::try_from(&setup).unwrap())
            }
        },
    )
}

/// The ply of a move number, if it is known.
fn ply_of(fullmoves: u16, turn: Color) -> Option<u32> {
    let before = u32::from(fullmoves.checked_sub(1)?);
    Some(2 * before + u32::from(turn.is_black()))
}

/// What must be read after a record was written.
fn expected(to: Format, record: &Record) -> Record {
    let turn = record.position.turn();
    let mut setup = record.position.to_setup();
    let chess = chess_from_setup(setup.clone()).unwrap();
    setup.ep_square = chess.ep_square(EnPassantMode::Legal);
    let ply = record
        .fields
        .ply()
        .unwrap_or(ply_of(record.fullmoves.max(1), turn).unwrap());
    let mut read = Record {
        castling: record.castling & rooks_that_may_castle(&setup.board),
        position: Position::try_from(&setup).unwrap(),
        ..*record
    };
    let score = record.fields.score().map(|score| match score.abs() {
        32002 => VALUE_NONE.into(),
        _ => score,
    });
    let mut fields = record.fields.with_score(score).with_ply(Some(ply));
    match to {
        Format::Bulletformat => {
            let is_black = turn.is_black();
            if is_black {
                setup.board.flip_vertical();
                setup.board.swap_colors();
            }
            setup.turn = Color::White;
            setup.ep_square = None;
            let position = Position::try_from(&setup).unwrap();
            read = Record::new(position);
            let outcome = fields.outcome().map(|outcome| match outcome {
                Outcome::White if is_black => Outcome::Black,
                Outcome::Black if is_black => Outcome::White,
                outcome => outcome,
            });
            fields = fields
                .with_ply(None)
                .with_played(None)
                .with_outcome(outcome);
        }
        Format::Marlinformat => {
            fields = fields
                .with_played(None)
                .with_ply(ply_of(read.fullmoves, turn));
        }
        Format::Viriformat => fields = fields.with_ply(ply_of(read.fullmoves, turn)),
        Format::Text => {
            read.fullmoves = read.fullmoves.max(1);
            // No score is not written.
            let score_in_text = fields
                .score()
                .filter(|score| *score != i32::from(VALUE_NONE));
            fields = fields
                .with_played(None)
                .with_score(score_in_text)
                .with_ply(ply_of(read.fullmoves, turn));
        }
        Format::Plain => read.fullmoves = read.fullmoves.max(1),
        Format::Binpack => read.fullmoves = (ply / 2 + 1) as u16,
        Format::Sfbin => read.halfmoves = read.halfmoves.min(127),
        _ => panic!(
            "what does {to:?} change in a record? Add an arm to `expected`, and to `loses_ply` if \
             it lacks the ply or the number of the move"
        ),
    }
    if fields.score().is_none() && to.spec().skips_unscored {
        fields = fields.with_score(Some(VALUE_NONE.into()));
    }
    Record { fields, ..read }
}

/// Whether the ply or the move number is lost, because it contradicts the other one.
fn loses_ply(to: Format, record: &Record, read: &Record) -> bool {
    let Some(ply) = record.fields.ply() else {
        return false;
    };
    match to {
        Format::Text | Format::Marlinformat | Format::Viriformat => {
            Some(ply) != ply_of(record.fullmoves.max(1), record.position.turn())
        }
        Format::Binpack => record.fullmoves > 1 && read.fullmoves != record.fullmoves,
        _ => false,
    }
}

fn read(from: Format, bytes: &[u8]) -> Vec<Record> {
    let records = from.records(bytes).collect::<Result<_, _>>();
    records.unwrap_or_else(|error| panic!("{from:?}: {error}"))
}

/// Without the place, which conversions change.
fn content(
    record: &Record,
) -> (
    Record,
    [Option<i64>; 2],
    Option<PackedMove>,
    Option<Outcome>,
) {
    let fields = &record.fields;
    let bare = Record {
        fields: RecordFields::new(Place::Line(1), 0..0),
        ..*record
    };
    let numbers = [fields.score().map(i64::from), fields.ply().map(i64::from)];
    (bare, numbers, fields.played(), fields.outcome())
}

#[test]
fn what_is_written_reads_back_or_is_refused() {
    for to in written_formats() {
        let written = Cell::new(0);
        let refused = Cell::new(0);
        let lost = Cell::new(0);
        let mut runner = TestRunner::new(any::config(6000));
        let ran = runner.run(&record(), |record| {
            let mut writer = Writer::new(to).unwrap();
            let mut bytes = Vec::new();
            if let Err(error) = writer.push(&record, &mut bytes) {
                let reasons = [" needs a ", " cannot hold ", "illegal move '"];
                let is_told = reasons.iter().any(|reason| error.message.contains(reason));
                prop_assert!(is_told, "{}", error.message);
                refused.set(refused.get() + 1);
                return Ok(());
            }
            let wanted = expected(to, &record);
            let has_lost = to != Format::Bulletformat && wanted.castling != record.castling;
            let losses = writer.losses();
            prop_assert_eq!(losses.rights, u64::from(has_lost));
            let is_clamped = to == Format::Sfbin && record.halfmoves > 127;
            prop_assert_eq!(losses.clocks, u64::from(is_clamped));
            prop_assert_eq!(losses.plies, u64::from(loses_ply(to, &record, &wanted)));
            writer.finish(&mut bytes);
            let found = read(to, &bytes);
            prop_assert_eq!(found.len(), 1);
            prop_assert_eq!(
                content(&found[0]),
                content(&wanted),
                "{}",
                record.to_string()
            );
            written.set(written.get() + 1);
            lost.set(lost.get() + i32::from(has_lost));
            Ok(())
        });
        if let Err(error) = ran {
            panic!("{to:?}: {error}");
        }
        println!("{to:?}: {written:?} written, {lost:?} with rights lost, {refused:?} refused");
        assert!(written.get() > 400, "{to:?} {written:?}");
        assert!(
            lost.get() > 100 || to == Format::Bulletformat,
            "{to:?} {lost:?}"
        );
    }
}

/// Positions of games, each with any castling rights, and with those alone that have their rook. All
/// are of the corners: a right of another rook of that side would be that rook's.
fn with_any_rights(count: usize) -> Vec<(String, String)> {
    let mut random = Random(45);
    let games = playouts(45).filter(|chess| !chess.legal_moves().is_empty());
    let pair = |chess: Chess| {
        let fen = Fen::from_position(&chess, EnPassantMode::Legal).to_string();
        let fields: Vec<&str> = fen.split(' ').collect();
        let [board, turn, _, ep, halfmoves, fullmoves] = fields[..] else {
            panic!("{fen}")
        };
        let with = |rights: &str| {
            let rights = if rights.is_empty() { "-" } else { rights };
            format!("{board} {turn} {rights} {ep} {halfmoves} {fullmoves}")
        };
        let named: String = "KQkq".chars().filter(|_| random.below(2) == 0).collect();
        let rooks = rooks_that_may_castle(chess.board());
        let corners = [Square::H1, Square::A1, Square::H8, Square::A8];
        let of_corners = corners.into_iter().zip("KQkq".chars());
        let named_corners: Vec<(Square, char)> = of_corners
            .filter(|&(_, right)| named.contains(right))
            .collect();
        let kept: String = named_corners
            .iter()
            .filter(|(corner, _)| rooks.contains(*corner))
            .map(|&(_, right)| right)
            .collect();
        let read: Fen = with(&named).parse().unwrap();
        let wanted: Bitboard = named_corners.iter().map(|&(corner, _)| corner).collect();
        let is_of_corners = read.as_setup().castling_rights == wanted;
        is_of_corners.then(|| (with(&named), with(&kept)))
    };
    games.step_by(3).filter_map(pair).take(count).collect()
}

fn converted(from: Format, to: Format, bytes: &[u8]) -> (Vec<u8>, Summary) {
    let input = Input::reader("input", Cursor::new(bytes.to_vec())).unwrap();
    let options = Options {
        from: Some(from),
        to: Some(to),
        ..Options::default()
    };
    let written = Written::default();
    let job = Job::new(input, options).unwrap();
    let summary = job.write_into("output", written.clone()).convert();
    (written.bytes(), summary.unwrap())
}

/// As engines and tools leave them when a rook was captured, or a king moved.
#[test]
fn rights_without_a_rook_are_dropped_and_counted() {
    let fens = with_any_rights(3000);
    let lost = fens.iter().filter(|(named, kept)| named != kept).count() as u64;
    assert!(lost > 1000);
    let plain = |(fen, _): &(String, String)| {
        let chess: Chess = Fen::from_ascii(fen.as_bytes())
            .map(|fen| chess_from_setup(fen.into_setup()).unwrap())
            .unwrap();
        let quiet = chess
            .legal_moves()
            .into_iter()
            .find(|m| !m.is_castle())
            .unwrap();
        let played = quiet.to_uci(CastlingMode::Standard);
        format!("fen {fen}\nmove {played}\nscore 7\nresult 0\ne\n")
    };
    let file: String = fens.iter().map(plain).collect();
    let wanted: Vec<&str> = fens.iter().map(|(_, kept)| kept.as_str()).collect();
    for to in written_formats() {
        if matches!(to, Format::Plain | Format::Bulletformat) {
            continue;
        }
        let (bytes, summary) = converted(Format::Plain, to, file.as_bytes());
        assert_eq!(summary.tally.lost_rights, lost, "{to:?}");
        assert_eq!(summary.tally.records, 3000);
        let text = if to == Format::Text {
            bytes
        } else {
            let (text, of_text) = converted(to, Format::Text, &bytes);
            assert_eq!(of_text.tally.lost_rights, 0, "{to:?}");
            text
        };
        let lines = String::from_utf8(text).unwrap();
        let found: Vec<&str> = lines
            .lines()
            .map(|line| line.split(" | ").next().unwrap())
            .collect();
        assert!(found == wanted, "{to:?}");
    }
    // A filter that copies keeps what it read.
    let (copied, summary) = converted(Format::Plain, Format::Plain, file.as_bytes());
    assert!(copied == file.as_bytes());
    assert_eq!(summary.tally.lost_rights, 0);
}

/// A file of marlinformat can name any rook, and montyformat any file.
#[test]
fn readers_drop_and_count_rights_without_a_rook_of_a_side() {
    let fen = "r3k2r/8/8/8/R7/8/8/r3K2R w KQkq - 3 9";
    let position: Position = fen.parse().unwrap();
    let fields = RecordFields::new(Place::Line(1), 0..0).with_score(Some(1));
    let record = Record {
        fields: fields.with_outcome(Some(Outcome::Draw)),
        ..Record::from_fen(fen, position)
    };
    let mut writer = Writer::new(Format::Marlinformat).unwrap();
    let mut bytes = Vec::new();
    writer.push(&record, &mut bytes).unwrap();
    assert_eq!(writer.losses().rights, 1);
    writer.finish(&mut bytes);
    // White's rook on a4 and Black's on a1 as such that may castle.
    for (i, square) in position.occupied().into_iter().enumerate() {
        if [Square::A1, Square::A4].contains(&square) {
            let shift = 4 * (i % 2);
            let color = bytes[8 + i / 2] >> shift & 8;
            bytes[8 + i / 2] &= !(15 << shift);
            bytes[8 + i / 2] |= (color | 6) << shift;
        }
    }
    let mut records = Format::Marlinformat.records(bytes.as_slice());
    let read = records.next().unwrap().unwrap();
    assert_eq!(read.to_string(), fen.replace("KQkq", "Kkq"));
    let (lines, summary) = converted(Format::Marlinformat, Format::Text, &bytes);
    assert!(lines.starts_with(b"r3k2r/8/8/8/R7/8/8/r3K2R w Kkq - 3 9 | 1 | 0.5"));
    assert_eq!(summary.tally.lost_rights, 1);

    let mut game = [0; 43 + 4 + 4];
    let [black, pawnly, knightly, straight] = [
        position.occupied() & !position_of_white(&position),
        Bitboard::EMPTY,
        Bitboard::from(Square::E1) | Square::E8,
        position.occupied(),
    ];
    for (i, plane) in [black, straight, knightly, pawnly].into_iter().enumerate() {
        game[8 * i..8 * i + 8].copy_from_slice(&plane.0.to_le_bytes());
    }
    game[34] = 15;
    game[36] = 9;
    game[42] = 1;
    // Ke1-e2.
    game[43..45].copy_from_slice(&(4_u16 << 10 | 12 << 4).to_le_bytes());
    game[45] = 1;
    let (game_lines, game_summary) = converted(Format::Montyvalue, Format::Text, &game);
    assert!(game_lines.starts_with(b"r3k2r/8/8/8/R7/8/8/r3K2R w Kkq - 0 9 | 1 | 0.5"));
    assert_eq!(game_summary.tally.lost_rights, 1);
    let input = Input::reader("monty", Cursor::new(game.to_vec())).unwrap();
    let options = Options {
        from: Some(Format::Montyvalue),
        ..Options::default()
    };
    let found = Job::new(input, options).unwrap().validate().unwrap();
    assert!(
        found
            .table()
            .to_string()
            .contains("castling right without king and rook in place")
    );
}

fn position_of_white(position: &Position) -> Bitboard {
    position.to_setup().board.white()
}

/// Clocks that a format clamps, and a ply that contradicts the move number.
#[test]
fn clocks_that_change_are_counted() {
    let text = "4k3/8/8/8/8/8/8/4K3 w - - 300 9 | 1 | 0.5\n\
                4k3/8/8/8/8/8/8/4K3 w - - 255 9 | 1 | 0.5\n\
                4k3/8/8/8/8/8/8/4K3 w - - 128 9 | 1 | 0.5\n\
                4k3/8/8/8/8/8/8/4K3 w - - 127 9 | 1 | 0.5\n";
    for (to, clamped) in [
        (Format::Marlinformat, 1),
        (Format::Sfbin, 3),
        (Format::Bulletformat, 0),
    ] {
        let (_, summary) = converted(Format::Text, to, text.as_bytes());
        assert_eq!(summary.tally.clamped_clocks, clamped, "{to:?}");
    }
    let with_move = "4k3/8/8/8/8/8/8/4K3 w - - 300 9 sm Ke2; ce 1; c9 \"1/2-1/2\";\n";
    let (_, summary) = converted(Format::Text, Format::Plain, with_move.as_bytes());
    assert_eq!(summary.tally.clamped_clocks, 1);
    let late = "4k3/8/8/8/8/8/8/4K3 w - - 0 65536 | 1 | 0.5\n";
    let (_, of_late) = converted(Format::Text, Format::Marlinformat, late.as_bytes());
    assert_eq!(
        [of_late.tally.clamped_clocks, of_late.tally.lost_plies],
        [1, 1]
    );

    let of_ply = |ply| {
        let fen = "4k3/8/8/8/8/8/8/4K3 b - - 0 9";
        format!("fen {fen}\nmove e8e7\nscore 1\nply {ply}\nresult 0\ne\n")
    };
    let plain: String = [17, 16, 18, 40].map(of_ply).concat();
    for (to, lost) in [
        (Format::Text, 3),
        (Format::Viriformat, 3),
        (Format::Marlinformat, 3),
        // 16 is of the ninth move too.
        (Format::Binpack, 2),
        (Format::Sfbin, 0),
        (Format::Bulletformat, 0),
    ] {
        let (_, summary) = converted(Format::Plain, to, plain.as_bytes());
        assert_eq!(summary.tally.lost_plies, lost, "{to:?}");
    }
}
