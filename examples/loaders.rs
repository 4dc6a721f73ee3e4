//! A data loader's filter asks for quiet positions: boards of sfbinpack, viriformat and montyformat,
//! which bullet's loaders hand to their filters, become positions.
//!
//! `cargo run --release --example loaders -- data/sample.binpack`

use std::error::Error;
use std::fs::File;

use montyformat::chess::Castling;
use sfbinpack::chess::{color::Color, piece::Piece, piecetype::PieceType};
use sfbinpack::{CompressedTrainingDataEntryReader, TrainingDataEntry};
use swaplist::filter::{Filter, Preset};
use swaplist::{Position, PositionError};
use viriformat::chess::{board::Board, piece::Colour, squareset::SquareSet};

const ROLES: [PieceType; 6] = [
    PieceType::Pawn,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
];

/// For `SfBinpackLoader::new(.., |entry| !is_placeholder(entry) && is_quiet(&filter,
/// of_sfbinpack(entry)))`.
fn of_sfbinpack(entry: &TrainingDataEntry) -> Result<Position, PositionError> {
    let board = &entry.pos;
    Position::from_bitboards(
        ROLES.map(|role| board.pieces_bb_type(role).bits()),
        [Color::White, Color::Black].map(|color| board.pieces_bb(color).bits()),
        board.side_to_move() == Color::White,
        Some(board.ep_square().index() as u8), // 64 if there is none
    )
}

/// Whether the score may be none: most public binpacks have 0 in its place where a capture was
/// played. (In check, too, but such a position is not quiet.)
fn is_placeholder(entry: &TrainingDataEntry) -> bool {
    let taken = entry.pos.piece_at(entry.mv.to());
    let captures = taken != Piece::none() && taken.color() != entry.pos.side_to_move();
    entry.score == 0 && captures
}

/// For `ViriBinpackLoader::new(.., Filter::Custom(|board, ..| is_quiet(&filter, of_viriformat(board))))`.
fn of_viriformat(board: &Board) -> Result<Position, PositionError> {
    Position::from_bitboards(
        board.pieces.pieces.map(SquareSet::inner),
        board.pieces.colours.map(SquareSet::inner),
        board.turn() == Colour::White,
        board.ep_sq().map(|square| square as u8),
    )
}

/// For `MontyBinpackLoader::new(.., |position, ..| is_quiet(&filter, of_montyformat(position)))`.
fn of_montyformat(position: &montyformat::chess::Position) -> Result<Position, PositionError> {
    let [white, black, roles @ ..] = position.bbs();
    let ep = Some(position.enp_sq()).filter(|&square| square > 0);
    Position::from_bitboards(roles, [white, black], position.stm() == 0, ep)
}

/// Of a filter whose rules are on the position alone.
fn is_quiet(filter: &Filter, position: Result<Position, PositionError>) -> bool {
    position.is_ok_and(|position| filter.is_quiet(&[position]).is_ok_and(|quiet| quiet[0]))
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "data/sample.binpack".to_owned());
    let filter = Preset::Quiet.filter();
    let mut entries = CompressedTrainingDataEntryReader::new(File::open(path)?)?;
    let mut quiet = 0;
    let mut placeholders = 0;
    let mut all = 0;
    while entries.has_next() {
        let entry = entries.next();
        let is_kept = is_quiet(&filter, of_sfbinpack(&entry));
        let mut board = Board::new();
        let fen = entry.pos.fen().map_err(|_| "no FEN")?;
        board.set_from_fen(&fen, false)?;
        assert_eq!(is_quiet(&filter, of_viriformat(&board)), is_kept);
        let position = montyformat::chess::Position::parse_fen(&fen, &mut Castling::default());
        assert_eq!(is_quiet(&filter, of_montyformat(&position)), is_kept);
        quiet += u32::from(is_kept);
        placeholders += u32::from(is_kept && is_placeholder(&entry));
        all += 1;
    }
    println!("{quiet} of {all} are quiet, {placeholders} of them perhaps without a score");
    Ok(())
}
