//! What is sound without shakmaty's board, held against what shakmaty finds.

use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, Position as _, Setup};
use swaplist::formats::{Decoded, Format, Record};
use swaplist::position::chess_from_setup;
use swaplist::{Capture, Position};

use crate::common::boards::{Random, dense, playouts};
use crate::real::real_data;

/// What shakmaty says of a position, and which moves it finds legal there.
fn by_shakmaty(setup: &Setup) -> (bool, Vec<Capture>) {
    let found = Chess::from_setup(setup.clone(), CastlingMode::detect(setup));
    let chess = chess_from_setup(setup.clone()).unwrap();
    let legal = chess.legal_moves();
    (
        found.is_ok(),
        legal.into_iter().filter_map(Capture::from_move).collect(),
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
        let played = Capture::from_bits(random.next() as u16);
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
        let (at, man) = (random.below(board.len()), random.below(16));
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

/// Records of a file that are not sound.
fn unsound(name: &str, format: Format) -> usize {
    let file = real_data(name);
    let (mut reader, codec) = format.open(file.as_slice(), 1 << 20);
    let (mut decoded, mut unsound) = (Decoded::default(), 0);
    while let Some(block) = reader.next_block().unwrap() {
        codec.decode(&block, &mut decoded);
        codec.states(&block, &decoded, &mut |record, state| {
            let played = decoded.records[record].played();
            let (is_usual, legal) = by_shakmaty(&state.to_setup());
            let expected = is_usual && played.is_none_or(|played| legal.contains(&played));
            let ep = state.position.ep_square();
            assert_eq!(state.is_sound(ep, played), expected, "{name} {record}");
            unsound += usize::from(!expected);
        });
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
