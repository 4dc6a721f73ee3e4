//! Positions made from a seed: random games and dense random boards.

use shakmaty::uci::UciMove;
use shakmaty::{Board, Chess, Color, Move, Piece, Position as _, Role, Setup, Square};
use swaplist::position::chess_from_setup;
use swaplist::{Batch, Position, noisy_moves};

/// How many bits a packed move takes; the higher ones are zero.
pub const MOVE_BITS: u32 = 15;

/// `SplitMix64` (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let mut z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    pub fn below(&mut self, bound: usize) -> usize {
        (self.next() % bound as u64) as usize
    }
}

/// Every position of random games from the initial one.
pub fn playouts(seed: u64) -> impl Iterator<Item = Chess> {
    let mut random = Random(seed);
    let mut chess = Chess::default();
    let mut ply = 0;
    core::iter::from_fn(move || {
        let moves = chess.legal_moves();
        if moves.is_empty() || chess.is_insufficient_material() || ply == 200 {
            chess = Chess::default();
            ply = 0;
        } else {
            let m = moves[random.below(moves.len())];
            chess.play_unchecked(m);
            ply += 1;
        }
        Some(chess.clone())
    })
}

/// Random pieces on random squares, up to 32: more pins, checks, promotions and batteries than
/// in games.
pub fn dense(seed: u64) -> impl Iterator<Item = Chess> {
    let mut random = Random(seed);
    core::iter::from_fn(move || {
        loop {
            if let Ok(chess) = chess_from_setup(crowd(&mut random)) {
                return Some(chess);
            }
        }
    })
}

fn crowd(random: &mut Random) -> Setup {
    const PIECES: [Role; 8] = [
        Role::Pawn,
        Role::Pawn,
        Role::Pawn,
        Role::Knight,
        Role::Bishop,
        Role::Rook,
        Role::Queen,
        Role::Queen,
    ];
    let mut board = Board::empty();
    let pieces = 2 + random.below(31);
    for piece in 0..pieces {
        let square = Square::new(random.below(64) as u32);
        let role = if piece < 2 {
            Role::King
        } else {
            PIECES[random.below(PIECES.len())]
        };
        let color = Color::from_white(if piece < 2 {
            piece == 0
        } else {
            random.below(2) == 0
        });
        let on_back_rank = shakmaty::Bitboard::BACKRANKS.contains(square);
        if board.role_at(square).is_none() && !(role == Role::Pawn && on_back_rank) {
            board.set_piece_at(square, Piece { color, role });
        }
    }
    let turn = Color::from_white(random.below(2) == 0);
    let ep_file = shakmaty::File::new(random.below(8) as u32);
    let ep_square = Some(Square::from_coords(
        ep_file,
        turn.relative_rank(shakmaty::Rank::Sixth),
    ));
    Setup {
        board,
        turn,
        ep_square,
        ..Setup::empty()
    }
}

/// Random packed positions.
pub fn packed(positions: impl Iterator<Item = Chess>) -> Vec<Position> {
    let pack = |chess| Position::try_from(&chess).unwrap();
    positions.map(pack).collect()
}

/// Positions with their noisy moves.
pub fn batch(positions: &[Position]) -> Batch {
    let mut batch = Batch::new();
    for position in positions {
        batch.push(*position, noisy_moves(position));
    }
    batch
}

/// Any 32 bytes: planes from empty to full, to reach every path.
pub fn garbage(random: &mut Random) -> Position {
    let density = random.below(6);
    let planes: [u64; 4] = core::array::from_fn(|_| match density {
        0 => random.next() & random.next() & random.next(),
        1 => random.next() & random.next(),
        2 => random.next(),
        3 => random.next() | random.next(),
        4 => !0,
        _ => [0, !0, random.next()][random.below(3)],
    });
    bytemuck::cast(planes)
}

/// Planes with two kings more and no others: pins, checks and en passant from everywhere, pawns on
/// the last ranks.
pub fn with_two_kings([bit0, bit1, bit2, black]: [u64; 4]) -> Position {
    let mover_square = (bit0 % 64) as u32;
    let other_square = (mover_square + 1 + (bit1 % 63) as u32) % 64;
    let mover = 1 << mover_square;
    let other = 1 << other_square;
    // No other king: none with both higher bits of its code.
    let bit2 = bit2 & !bit1;
    let kings = mover | other;
    let black_moves = black & 1 == 1;
    let black = (black & !kings) | if black_moves { mover } else { other };
    bytemuck::cast([(bit0 | mover) & !other, bit1 | kings, bit2 | kings, black])
}

/// Number of captures, position, first move: up to the longest exchange found with legal
/// material, by hill climbing from [`piled`] boards.
#[rustfmt::skip]
pub const LONG: [(usize, &str, &str); 13] = [
    (17, "Q2rk1qq/2qp4/2Q5/b1RQ1P1b/qRBr4/Nbq1nPRB/1NrN2N1/2Q1nb1K b - - 0 1", "c3c4"),
    (18, "2r2kq1/1rr2bb1/8/1bR1N2q/1QQrrNPR/NbRPn1rn/2R1B1n1/B1QN3K b - - 0 1", "d4c4"),
    (19, "2r2kq1/1rr2b2/6n1/1bR1N2q/1QBrrBPR/NbRPn1rn/2R1B3/B1QN1b1K b - - 0 1", "d4c4"),
    (20, "1B3kq1/2r2b2/1r4nN/1bR1N2n/1RRrr2R/NbRBnN1r/1KRnB3/B1Qr1b2 b - - 0 1", "d4c4"),
    (21, "1rk3q1/2r2b2/1r4n1/1bR1N1B1/rRRrr2R/NbRBnN2/1KRnB2R/2QB1b1n b - - 0 1", "d4c4"),
    (22, "n5qB/2r2b2/Rr1k4/NbR1N1B1/rRRrr2R/NbRBn1n1/1KRnB1n1/2Q2b2 b - - 0 1", "d4c4"),
    (23, "5BB1/8/1nQP1r2/NqrqNk2/RRNrRq1R/nbR1r1n1/bNR1bQ1K/2r2q2 b - - 0 1", "d5c4"),
    (24, "1Nq5/Brr5/Knq1Q3/2R1n3/RRQRqqQR/N1RBN1qb/bnr1bk2/2Q2b2 b - - 0 1", "a2c4"),
    (25, "3BNRNB/4Brbn/KPQ2PrR/3nq1q1/1pNbn1Nq/2q2R2/kb3Qp1/b4Q2 b - - 0 1", "g5f6"),
    (26, "4qQ1b/K1BnRnq1/5Q2/BqRRrqQR/k2brqN1/2QNRNb1/p3q2B/q7 w - - 0 1", "f6e5"),
    (27, "1Q2q2b/2QnQNb1/K1nBQq2/1RRRrqqr/k3rqQ1/2qN1Nb1/1B6/B3Q1n1 w - - 0 1", "e6e5"),
    (28, "4R2b/2Q1QNq1/2nBQq2/1RRQrqrq/2nbqq2/2qNqNb1/KB4k1/BQ2Q3 w - - 0 1", "e6e5"),
    (29, "2K1R2b/2B1QNq1/2nqQ3/QRR1rqQq/2nqrqN1/2qNq1b1/1B2r1kB/Q3Q3 w - - 0 1", "c5e5"),
];

/// A position of a test's own.
pub fn board(fen: &str) -> Chess {
    let fen: shakmaty::fen::Fen = fen.parse().unwrap();
    chess_from_setup(fen.into_setup()).unwrap()
}

/// A legal move in UCI.
pub fn mv(chess: &Chess, uci: &str) -> Move {
    uci.parse::<UciMove>().unwrap().to_move(chess).unwrap()
}

/// Most pieces aimed at one square, which a pawn or a piece captures on: gives the longest
/// exchanges.
pub fn piled(seed: u64) -> impl Iterator<Item = Chess> {
    let mut random = Random(seed);
    core::iter::from_fn(move || {
        loop {
            if let Ok(chess) = chess_from_setup(pile(&mut random)) {
                return Some(chess);
            }
        }
    })
}

fn pile(random: &mut Random) -> Setup {
    let target = Square::new(random.below(64) as u32);
    let mut board = Board::empty();
    let mut pieces = 1;
    let any_color = |random: &mut Random| Color::from_white(random.below(2) == 0);
    let victim = if shakmaty::Bitboard::BACKRANKS.contains(target) {
        Role::Rook
    } else {
        Role::Pawn
    };
    board.set_piece_at(target, victim.of(any_color(random)));
    for king in [Color::White.king(), Color::Black.king()] {
        let square = Square::new(random.below(64) as u32);
        if board.piece_at(square).is_none() {
            board.set_piece_at(square, king);
            pieces += 1;
        }
    }
    for _ in 0..90 {
        let square = Square::new(random.below(64) as u32);
        if pieces == 32 || board.piece_at(square).is_some() {
            continue;
        }
        let color = any_color(random);
        if let Some(role) = aimed(random, square, target, color) {
            board.set_piece_at(square, Piece { color, role });
            pieces += 1;
        }
    }
    Setup {
        board,
        turn: any_color(random),
        ..Setup::empty()
    }
}

/// A piece that attacks the target from a square, on an empty board.
fn aimed(random: &mut Random, square: Square, target: Square, color: Color) -> Option<Role> {
    let files = i32::from(square.file()) - i32::from(target.file());
    let ranks = i32::from(square.rank()) - i32::from(target.rank());
    let ahead = if color == Color::White { -1 } else { 1 };
    let on_back_rank = shakmaty::Bitboard::BACKRANKS.contains(square);
    match (files.abs(), ranks.abs()) {
        (1, 2) | (2, 1) => Some(Role::Knight),
        (1, 1) if ranks == ahead && !on_back_rank => Some(Role::Pawn),
        (0, _) | (_, 0) => Some([Role::Rook, Role::Rook, Role::Queen][random.below(3)]),
        (f, r) if f == r => Some([Role::Bishop, Role::Bishop, Role::Queen][random.below(3)]),
        _ => None,
    }
}
