//! Positions made from a seed: play-outs and dense random boards.

use shakmaty::{Board, Chess, Color, Piece, Position as _, Role, Setup, Square};
use swaplist::Position;
use swaplist::position::chess_from_setup;

/// `SplitMix64` (Steele, Lea, Flood 2014).
pub struct Random(pub u64);

impl Random {
    pub fn next(&mut self) -> u64 {
        self.0 = self.0.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (self.0 ^ self.0 >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
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

/// Random men on random squares, up to 32 of them: crowded, with pins, checks,
/// promotions and batteries far beyond what games show.
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
    const MEN: [Role; 8] = [
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
    let men = 2 + random.below(31);
    for man in 0..men {
        let square = Square::new(random.below(64) as u32);
        let role = if man < 2 {
            Role::King
        } else {
            MEN[random.below(MEN.len())]
        };
        let color = Color::from_white(if man < 2 {
            man == 0
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

/// Packed, as they come.
pub fn packed(positions: impl Iterator<Item = Chess>) -> Vec<Position> {
    let pack = |chess| Position::try_from(&chess).unwrap();
    positions.map(pack).collect()
}

/// Any 32 bytes: planes from empty over ordinary to full, so that every path is
/// walked.
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
