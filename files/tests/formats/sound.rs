//! What is sound without shakmaty's board, held against what shakmaty finds.

use std::collections::HashMap;

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, Position as _, Setup, Square};
use swaplist::position::chess_from_setup;
use swaplist::{PackedMove, Position};
use swaplist_files::formats::{
    Block, Codec, DecodedPart, Format, Outcome, Place, Record, RecordFields, Writer,
};

use crate::tests::common::boards::{Random, board, dense, playouts};
use crate::tests::common::records::encoded;
use crate::tests::real::real_data;

/// What shakmaty says of a position, and which moves it finds legal there.
fn by_shakmaty(setup: &Setup) -> (bool, Vec<PackedMove>) {
    let found = Chess::from_setup(setup.clone(), CastlingMode::detect(setup));
    let chess = chess_from_setup(setup.clone()).unwrap();
    let legal = chess.legal_moves();
    (
        found.is_ok(),
        legal
            .into_iter()
            .filter_map(PackedMove::from_move)
            .collect(),
    )
}

/// Whether a position was odd; with its legal moves and some that are any.
fn agrees(fen: &str, random: &mut Random) -> Option<bool> {
    let setup = fen.parse::<Fen>().ok()?.into_setup();
    let position = Position::try_from(&setup).ok()?;
    let (state, ep) = Record::and_ep_of_fen(fen, position);
    let (is_usual, legal) = by_shakmaty(&setup);
    assert_eq!(state.is_sound(ep, None), is_usual, "{fen}");
    for &played in &legal {
        assert_eq!(state.is_sound(ep, Some(played)), is_usual, "{fen} {played}");
    }
    for _ in 0..20 {
        let played = PackedMove::from_bits(random.next() as u16);
        let expected = is_usual && legal.contains(&played);
        assert_eq!(state.is_sound(ep, Some(played)), expected, "{fen} {played}");
    }
    Some(!is_usual)
}

/// Another man or none on a square, other rights, another target, the other side.
fn mutate(fen: &str, random: &mut Random) -> String {
    const RIGHTS: [&str; 10] = [
        "-", "K", "q", "KQkq", "Qk", "HAha", "Bb", "GCgc", "Dh", "KQ",
    ];
    let mut fields: Vec<String> = fen.split(' ').map(str::to_owned).collect();
    if fields.len() < 4 {
        return fen.to_owned();
    }
    for _ in 0..random.below(4) {
        let mut board: Vec<u8> = fields[0]
            .bytes()
            .flat_map(|byte| match byte {
                b'1'..=b'8' => vec![b'1'; usize::from(byte - b'0')],
                byte => vec![byte],
            })
            .collect();
        let at = random.below(board.len());
        let man = random.below(16);
        if board[at] != b'/' {
            board[at] = b"pnbrqPNBRQ111111"[man];
        }
        fields[0] = String::from_utf8(board).unwrap();
    }
    if random.below(4) == 0 {
        ["w", "b"][random.below(2)].clone_into(&mut fields[1]);
    }
    if random.below(2) == 0 {
        RIGHTS[random.below(RIGHTS.len())].clone_into(&mut fields[2]);
    }
    if random.below(3) == 0 {
        let file = char::from(b'a' + random.below(8) as u8);
        fields[3] = format!("{file}{}", ["3", "6", "6", "3", "5"][random.below(5)]);
    }
    fields.join(" ")
}

/// Counts of odd positions and others.
fn all_agree<'a>(fens: impl Iterator<Item = &'a str>, mutants: usize, seed: u64) -> [usize; 2] {
    let mut random = Random(seed);
    let mut counts = [0; 2];
    for fen in fens {
        let mutants = (0..mutants)
            .map(|_| mutate(fen, &mut random))
            .collect::<Vec<_>>();
        for fen in mutants.iter().map(String::as_str).chain([fen]) {
            if let Some(odd) = agrees(fen, &mut random) {
                counts[usize::from(odd)] += 1;
            }
        }
    }
    counts
}

#[test]
fn sound_is_what_shakmaty_finds_sound() {
    let written = |chess: Chess| {
        Fen::try_from(chess.to_setup(shakmaty::EnPassantMode::Always))
            .unwrap()
            .to_string()
    };
    let fens: Vec<_> = playouts(5)
        .take(15_000)
        .chain(dense(6).take(5_000))
        .map(written)
        .collect();
    let counts = all_agree(fens.iter().map(String::as_str), 5, 7);
    assert!(counts.into_iter().min() > Some(30_000), "{counts:?}");
}

/// Any move that can be played and is played further is found illegal exactly where shakmaty finds
/// it so: with pins, checks, castling, en passant and promotions.
#[test]
fn played_moves_of_games_are_legal_as_shakmaty_finds() {
    let mut found = [0; 2];
    for fen in [
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
        "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R b KQkq - 0 1",
        "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
        "8/8/3p4/KPp4r/1R3p1k/8/4P1P1/8 w - c6 0 2",
        "8/8/8/K1pP3r/7k/8/8/8 w - c6 0 2",
        "r3k2r/Pppp1ppp/1b3nbN/nP6/BBP1P3/q4N2/Pp1P2PP/R2Q1RK1 w kq - 0 1",
        "r2q1rk1/pP1p2pp/Q4n2/bbp1p3/Np6/1B3NBn/pPPP1PPP/R3K2R b KQ - 0 1",
        "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
        "4k3/8/8/8/8/8/4q3/R3K2R w KQ - 0 1",
        "4k3/8/8/8/8/5r2/8/R3K2R w KQ - 0 1",
        "k7/8/8/8/8/8/8/1RK3R1 w GB - 0 1",
        "1k6/8/8/8/8/8/8/R1R1K2r w AC - 0 1",
        "1k6/8/8/8/8/8/8/R1RK3R w CH - 0 1",
        "k7/8/8/8/8/8/8/qR1K3R w BH - 0 1",
        "k7/8/8/8/8/8/8/3K2Rq w G - 0 1",
        // A rook beside the king, who would pass through check.
        "k2r4/8/8/8/8/8/8/3RK3 w D - 0 1",
    ] {
        let chess = board(fen);
        let legal: Vec<_> = chess
            .legal_moves()
            .into_iter()
            .filter_map(PackedMove::from_move)
            .collect();
        let fields = RecordFields::new(Place::Offset(0), 0..0)
            .with_played(Some(legal[0]))
            .with_score(Some(0))
            .with_outcome(Some(Outcome::Draw));
        let record = Record {
            fields,
            ..Record::from_fen(fen, fen.parse().unwrap())
        };
        let mut writer = Writer::new(Format::Viriformat).unwrap();
        let mut start = Vec::new();
        writer.push(&record, &mut start).unwrap();
        writer.finish(&mut start);
        // Of the mover's pieces; pawns and kings have moves of more kinds.
        let rare = chess.board().pawns() | chess.board().kings();
        let can_move = |word: &u16| {
            let from = Square::new(u32::from(word & 63));
            chess.us().contains(from) && (word >> 12 == 0 || rare.contains(from))
        };
        // The other king goes on, to one of two squares.
        let king = chess.board().king_of(!chess.turn()).unwrap();
        for to in shakmaty::attacks::king_attacks(king).into_iter().take(2) {
            let reply = king as u16 | (to as u16) << 6;
            let game = |word: u16| {
                let steps = [word, 0, reply, 0, 0, 0].map(u16::to_le_bytes);
                [&start[..32], steps.as_flattened()].concat()
            };
            let games: Vec<u8> = (0..=u16::MAX).filter(can_move).flat_map(game).collect();
            // In small blocks: for each error a block is read again.
            let (mut reader, codec) = Format::Viriformat.open(&games[..], 4096);
            let checking = Format::Viriformat.open(&[][..], 1).1.checking_moves();
            let mut all = DecodedPart::default();
            let mut sound = DecodedPart::default();
            let number = |place| match place {
                Place::Offset(offset) => offset / 44,
                place => panic!("{place}"),
            };
            while let Some(block) = reader.next_block().unwrap() {
                codec.decode(&block, &mut all);
                checking.decode(&block, &mut sound);
                let mut told = HashMap::<u64, String>::new();
                for error in &sound.invalid {
                    *told.entry(number(error.place)).or_default() += &error.message;
                }
                for (fields, position) in all.records.iter().zip(&all.positions) {
                    let played = fields.played().unwrap();
                    if *position == record.position {
                        let words = format!("illegal move '{played}' in the position '");
                        let is_illegal = told
                            .get(&number(fields.place()))
                            .is_some_and(|told| told.contains(&words));
                        assert_eq!(is_illegal, !legal.contains(&played), "{fen} {played}");
                        found[usize::from(is_illegal)] += 1;
                    }
                }
            }
        }
    }
    assert!(found.into_iter().min() > Some(300), "{found:?}");
}

/// A codec that checks moves still does if it is then made to write another format.
#[test]
fn moves_are_checked_in_conversions() {
    let fen = "4r1k1/8/8/8/8/8/4N3/4K3 w - - 0 1";
    let fields = RecordFields::new(Place::Offset(0), 0..0)
        .with_played(Some("e1d1".parse().unwrap()))
        .with_score(Some(0))
        .with_outcome(Some(Outcome::Draw));
    let record = Record {
        fields,
        ..Record::from_fen(fen, fen.parse().unwrap())
    };
    let mut writer = Writer::new(Format::Viriformat).unwrap();
    let mut game = Vec::new();
    writer.push(&record, &mut game).unwrap();
    writer.finish(&mut game);
    // The knight is pinned: e2c3.
    game[32..34].copy_from_slice(&(12_u16 | 18 << 6).to_le_bytes());
    let faults = |codec: Codec| {
        let block = Block::new(game.clone(), Place::Offset(0));
        let mut decoded = DecodedPart::default();
        codec.decode(&block, &mut decoded);
        let messages = decoded.invalid.iter().map(ToString::to_string);
        (decoded.records.len(), messages.collect::<Vec<_>>())
    };
    let codec = || Format::Viriformat.codec();
    assert_eq!(faults(codec()), (1, vec![]));
    let text = faults(codec().converting_to(Format::Text).unwrap());
    assert_eq!(text, (1, vec![]), "text does not replay moves");
    let (left, messages) = faults(codec().checking_moves());
    assert_eq!((left, messages.len()), (0, 1), "{messages:?}");
    assert!(messages[0].contains("illegal move 'e2c3'"), "{messages:?}");
    let before = codec().checking_moves().converting_to(Format::Text);
    assert_eq!(faults(before.unwrap()), (left, messages.clone()));
    let after = codec().converting_to(Format::Text).unwrap();
    assert_eq!(faults(after.checking_moves()), (left, messages));
}

/// A pawn's step of two squares over a piece is a fault. The passed square would be the en-passant
/// target, which is marked as a black piece on an empty square: the white knight on e3 would turn
/// black.
#[test]
fn no_pawn_passes_over_a_piece() {
    let record = |fen: &str, played: &str, ply: u32| {
        let fields = RecordFields::new(Place::Offset(0), 0..0)
            .with_played(Some(played.parse().unwrap()))
            .with_score(Some(0))
            .with_ply(Some(ply))
            .with_outcome(Some(Outcome::Draw));
        Record {
            fields,
            ..Record::from_fen(fen, fen.parse().unwrap())
        }
    };
    let free = "4k3/8/8/8/3p4/8/4P3/4K3 w - - 0 1";
    let blocked = [
        record("4k3/8/8/8/3p4/4N3/4P3/4K3 w - - 0 1", "e3d5", 0),
        record("4k3/8/8/3N4/3p4/8/4P3/4K3 b - - 1 1", "e8d7", 1),
    ];
    // Where the move of the first record is: after a board, or in a stem that a chunk's header of 8
    // bytes comes before.
    let played = 32..34;
    for format in [Format::Viriformat, Format::Binpack] {
        let mut bytes = encoded(format, &blocked);
        let step = encoded(format, &[record(free, "e2e4", 0)]);
        bytes[played.clone()].copy_from_slice(&step[played.clone()]);
        let mut decoded = DecodedPart::default();
        format
            .codec()
            .decode(&Block::new(bytes, Place::Offset(0)), &mut decoded);
        let messages: Vec<String> = decoded.invalid.iter().map(ToString::to_string).collect();
        assert_eq!(messages.len(), 1, "{format:?}: {messages:?}");
        assert!(
            messages[0].contains("e2e4 passes over a piece"),
            "{messages:?}"
        );
    }
}

/// Records of a file that are not sound.
fn unsound(name: &str, format: Format) -> usize {
    let file = real_data(name);
    let (mut reader, codec) = format.open(file.as_slice(), 1 << 20);
    let mut decoded = DecodedPart::default();
    let mut unsound = 0;
    while let Some(block) = reader.next_block().unwrap() {
        codec.decode(&block, &mut decoded);
        for state in codec.states(&block, &mut decoded) {
            let played = state.fields.played();
            let (is_usual, legal) = by_shakmaty(&state.setup());
            let expected = is_usual && played.is_none_or(|played| legal.contains(&played));
            let ep = state.position.ep_square();
            let place = state.fields.place();
            assert_eq!(state.is_sound(ep, played), expected, "{name} {place}");
            unsound += usize::from(!expected);
        }
    }
    unsound
}

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_is_found_as_sound_as_by_shakmaty() {
    for (name, mutants, odd) in [
        ("../human_100k.fen", 3, 10_000),
        ("../edge/cozy_invalid.sfens", 3, 1000),
        ("../edge/cw_destruction-test.epd", 30, 100),
        ("../rare/double_check.fen", 30, 100),
        ("../rare/ep_legal.fen", 30, 100),
        ("../rare/ep_pseudolegal_but_illegal.fen", 30, 100),
    ] {
        let text = String::from_utf8_lossy(&real_data(name)).into_owned();
        let fens = text
            .lines()
            .map(|line| line.split(';').next().unwrap().trim());
        let counts = all_agree(fens, mutants, 8);
        assert!(counts[1] > odd, "{name} {counts:?}");
    }
    for (name, format) in [
        ("sf_small.binpack", Format::Binpack),
        ("sf_small.viriformat", Format::Viriformat),
        ("sf_small.marlinformat.zst", Format::Marlinformat),
        ("bulletformat_batch.bf", Format::Bulletformat),
        (
            "sf_plain_linrockSF_test.remove-captures.rescored.plain",
            Format::Plain,
        ),
        ("../pgn/lichess_db_1000k.pgn", Format::Pgn),
    ] {
        println!("{name}: {} not sound", unsound(name, format));
    }
}
