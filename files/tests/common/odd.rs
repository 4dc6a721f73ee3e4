//! Games and chains that nobody plays: pawns that jump over pieces or backwards, captures en
//! passant behind them, castling of any king with any rook, targets of any kind.

use shakmaty::{Chess, EnPassantMode, Position as _, Square};
use swaplist_files::formats::{Format, Outcome};

use super::boards::{Random, board, dense, playouts};
use super::coded::{FIRST, STEM, framed};
use super::games::{encoded, game_from};

/// Kings and rooks, some between them.
const CASTLERS: [&str; 6] = [
    "r3k2r/8/8/8/R3R3/8/8/R3K2R b - - 0 1",
    "r6r/8/4k3/r3r3/4R3/3R4/4K3/R6R w - - 0 1",
    "rn2kb1r/8/8/8/r6R/8/8/R2QK1NR b - - 0 1",
    "r3kr2/8/8/R3r3/8/4p3/4K3/R5R1 w - - 0 1",
    "1r1k2r1/8/3R4/8/8/8/8/1R1K2R1 b - - 0 1",
    "r3r2k/8/8/8/7R/R7/8/R2R3K b - - 0 1",
];

/// A pawn may jump; one of those that may capture it is pinned or not.
const PINNED: [&str; 8] = [
    "2r1k3/3p4/8/2P1P3/8/8/8/2K5 b - - 0 1",
    "4r1k1/3p4/8/2P1P3/8/8/8/4K3 b - - 0 1",
    "6k1/3p4/8/r1P1P2K/8/8/8/8 b - - 0 1",
    "2k5/8/8/8/2p1p3/8/3P4/2R1K3 w - - 0 1",
    "4k3/8/8/8/2p1p3/8/3P4/4R1K1 w - - 0 1",
    "3k4/8/8/8/2p1p3/8/3P4/3R2K1 w - - 0 1",
    // Both pawns leave the king's rank.
    "6k1/3p4/8/r1P4K/8/8/8/8 b - - 0 1",
    // The pawn that is taken gave check.
    "4k3/3p4/8/4P3/2K5/8/8/8 b - - 0 1",
];

/// What comes back to a square where a rook or king stood that might castle, may not castle.
const RETURNED: [(&str, &[(u16, u16)]); 2] = [
    // Bxh1, Rxh1, Ke7, O-O
    (
        "4k3/8/8/8/4b3/7R/8/4K2R b K - 0 1",
        &[(28, 7), (23, 7), (60, 52), (4, 7)],
    ),
    // Ke2, Ke7, Ke1, Ke8, O-O
    (
        "4k3/8/8/8/8/8/8/4K2R w K - 0 1",
        &[(4, 12), (60, 52), (12, 4), (52, 60), (4, 7)],
    ),
];

/// A move: from, to, and whether it castles or takes en passant.
type Step = (u32, u32, Kind);

#[derive(Clone, Copy)]
enum Kind {
    Normal,
    EnPassant,
    Castling,
}

/// Files of one game or chain each.
pub fn files(format: Format, seed: u64, count: usize) -> Vec<Vec<u8>> {
    let mut random = Random(seed);
    let pairs = dense(seed).zip(playouts(seed));
    let mut boards = pairs.flat_map(|(dense, played)| [dense, played]);
    let mut file = |i| {
        let chess = match i % 4 {
            0 => board(CASTLERS[random.below(6)]),
            1 => board(PINNED[random.below(8)]),
            _ => boards
                .by_ref()
                .find(|chess| !chess.legal_moves().is_empty())
                .unwrap(),
        };
        match format {
            Format::Binpack => chain(&chess, &mut random),
            _ => game(&chess, &mut random),
        }
    };
    (0..count).map(&mut file).collect()
}

fn encoded_start(format: Format, chess: &Chess, random: &mut Random) -> Vec<u8> {
    let sample = game_from(chess.clone(), 1, Outcome::Draw, random);
    encoded(format, &[sample])
}

fn game(chess: &Chess, random: &mut Random) -> Vec<u8> {
    let mut game = encoded_start(Format::Viriformat, chess, random);
    if random.below(8) > 0 {
        game.truncate(FIRST);
    } else {
        game.truncate(FIRST + 4);
    }
    castling_rooks(&mut game[8..24], chess, [6, 14], random);
    let steps = steps(chess, random);
    for (from, to, kind) in steps {
        let kind = match kind {
            Kind::Normal => 0,
            Kind::EnPassant => 1,
            Kind::Castling => 2,
        };
        game.extend(((from | to << 6 | kind << 14) as u16).to_le_bytes());
        game.extend([1, 0]);
    }
    for _ in 0..random.below(3) {
        game.extend((random.next() as u16 & 0x0fff).to_le_bytes());
        game.extend([1, 0]);
    }
    game.extend([0; 4]);
    game
}

fn chain(chess: &Chess, random: &mut Random) -> Vec<u8> {
    let mut chain = encoded_start(Format::Binpack, chess, random)[8..8 + STEM].to_vec();
    castling_rooks(&mut chain[8..24], chess, [13, 14], random);
    if let Some(&(from, to, kind)) = steps(chess, random).first() {
        let kind = match kind {
            Kind::Normal => 0,
            Kind::EnPassant => 3,
            Kind::Castling => 2,
        };
        chain[24..26].copy_from_slice(&((from << 8 | to << 2 | kind << 14) as u16).to_be_bytes());
    }
    chain[33] = 1 + random.below(3) as u8;
    for _ in 0..2 + 2 * random.below(4) {
        chain.push(random.next() as u8 & random.next() as u8);
    }
    if random.below(4) > 0 {
        // Up to where the CPU finds its end, if it finds one.
        chain.extend([0; 8]);
        let file = framed(Format::Binpack, &chain);
        let mut records = Format::Binpack.records(&file[..]).filter_map(Result::ok);
        let first = records.next();
        let end = first.map_or(0, |record| record.fields.span().end as usize);
        chain.truncate(end.saturating_sub(8).max(STEM));
    }
    framed(Format::Binpack, &chain)
}

/// Games that end with such a castling.
pub fn returned() -> Vec<Vec<u8>> {
    let mut random = Random(8);
    let game = |&(fen, steps): &(&str, &[(u16, u16)])| {
        let mut game = encoded_start(Format::Viriformat, &board(fen), &mut random);
        game.truncate(FIRST);
        for (i, (from, to)) in steps.iter().enumerate() {
            let kind = if i + 1 == steps.len() { 2 << 14 } else { 0 };
            game.extend((from | to << 6 | kind).to_le_bytes());
            game.extend([1, 0]);
        }
        game.extend([0; 4]);
        game
    };
    RETURNED.iter().map(game).collect()
}

/// Makes some rooks of a list such that may castle.
fn castling_rooks(list: &mut [u8], chess: &Chess, codes: [u8; 2], random: &mut Random) {
    for (i, square) in chess.board().occupied().into_iter().enumerate() {
        if chess.board().rooks().contains(square) && random.below(2) == 0 {
            let is_black = chess.board().black().contains(square);
            let shift = 4 * (i % 2);
            list[i / 2] = list[i / 2] & !(15 << shift) | codes[usize::from(is_black)] << shift;
        }
    }
}

/// Castling, or a pawn's jump and mostly a capture behind it.
fn steps(chess: &Chess, random: &mut Random) -> Vec<Step> {
    let board = chess.board();
    let turn = chess.turn();
    let rooks: Vec<Square> = board.rooks().into_iter().collect();
    if !rooks.is_empty() && random.below(4) == 0 {
        let king = board.king_of(turn).unwrap();
        let rook = rooks[random.below(rooks.len())];
        return vec![(king as u32, rook as u32, Kind::Castling)];
    }
    let mut all = Vec::new();
    for from in board.pawns() & board.by_color(turn) {
        let to = from as u32 ^ 16;
        let passed = Square::new((from as u32).midpoint(to));
        let beside = shakmaty::attacks::pawn_attacks(turn, passed);
        for capturer in beside & board.pawns() & board.by_color(!turn) {
            let kind = if random.below(4) == 0 {
                Kind::Normal
            } else {
                Kind::EnPassant
            };
            let jump = (from as u32, to, Kind::Normal);
            all.push(vec![jump, (capturer as u32, passed as u32, kind)]);
        }
        if random.below(6) == 0 {
            all.push(vec![(from as u32, to, Kind::Normal)]);
        }
    }
    if all.is_empty() {
        return Vec::new();
    }
    all.swap_remove(random.below(all.len()))
}

/// A target of en passant on each file, for each side and from each side.
pub fn targets(format: Format) -> Vec<Vec<u8>> {
    let mut random = Random(7);
    let mut files = Vec::new();
    for i in 0..32_usize {
        let is_white = i % 2 == 0;
        let file = i / 2 % 8;
        let is_right = i / 16 == 1;
        let other = if is_right {
            file + 1
        } else {
            file.wrapping_sub(1)
        };
        if other > 7 {
            continue;
        }
        let mut squares = ['1'; 8];
        (squares[file], squares[other]) = if is_white { ('p', 'P') } else { ('P', 'p') };
        let row: String = squares.iter().collect();
        let name = char::from(b'a' + file as u8);
        let fen = if is_white {
            format!("7k/8/8/{row}/8/8/8/K7 w - {name}6 0 1")
        } else {
            format!("7k/8/8/8/{row}/8/8/K7 b - {name}3 0 1")
        };
        let chess = board(&fen);
        assert!(chess.ep_square(EnPassantMode::Always).is_some());
        files.push(encoded_start(format, &chess, &mut random));
    }
    files
}
