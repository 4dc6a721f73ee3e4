//! A data loader's filter asks for quiet positions: boards of sfbinpack, viriformat and montyformat,
//! which bullet's loaders hand to their filters, become positions.
//!
//! `Rules::is_quiet` is the shortest way. `Filter::is_quiet` has the rules of `swaplist filter`, and
//! `Filter::judge` also those on the score, the ply and the played move. None of them allocates or
//! starts a thread.
//!
//! `cargo run --release --example loaders -- data/sample.binpack`

use std::error::Error;
use std::fs::File;

use montyformat::chess::Castling;
use sfbinpack::chess::{color::Color, piecetype::PieceType};
use sfbinpack::{CompressedTrainingDataEntryReader, TrainingDataEntry};
use shakmaty::{Role, Square};
use swaplist::{PackedMove, Position, PositionError, Rules};
use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::formats::{Place, RecordFields};
use viriformat::chess::{board::Board, piece::Colour, squareset::SquareSet};

const ROLES: [PieceType; 6] = [
    PieceType::Pawn,
    PieceType::Knight,
    PieceType::Bishop,
    PieceType::Rook,
    PieceType::Queen,
    PieceType::King,
];

/// For `SfBinpackLoader::new(.., |entry| is_quiet(&filter, of_sfbinpack(entry)))`.
fn of_sfbinpack(entry: &TrainingDataEntry) -> Result<Position, PositionError> {
    let board = &entry.pos;
    Position::from_bitboards(
        ROLES.map(|role| board.pieces_bb_type(role).bits()),
        [Color::White, Color::Black].map(|color| board.pieces_bb(color).bits()),
        turn(board.side_to_move() == Color::White),
        Some(board.ep_square().index() as u8), // 64 if there is none
    )
}

/// For `ViriBinpackLoader::new(.., Filter::Custom(|board, ..| is_quiet(&filter, of_viriformat(board))))`.
fn of_viriformat(board: &Board) -> Result<Position, PositionError> {
    Position::from_bitboards(
        board.pieces.pieces.map(SquareSet::inner),
        board.pieces.colours.map(SquareSet::inner),
        turn(board.turn() == Colour::White),
        board.ep_sq().map(|square| square as u8),
    )
}

/// For `MontyBinpackLoader::new(.., |position, ..| is_quiet(&filter, of_montyformat(position)))`.
fn of_montyformat(position: &montyformat::chess::Position) -> Result<Position, PositionError> {
    let [white, black, roles @ ..] = position.bbs();
    let ep = Some(position.enp_sq()).filter(|&square| square > 0);
    Position::from_bitboards(roles, [white, black], turn(position.stm() == 0), ep)
}

/// The side to move, as swaplist names it.
fn turn(is_white: bool) -> swaplist::shakmaty::Color {
    swaplist::shakmaty::Color::from_white(is_white)
}

/// Of a filter whose rules are on the position alone. Positions that are none are dropped.
fn is_quiet(filter: &Filter, position: Result<Position, PositionError>) -> bool {
    position.is_ok_and(|position| filter.is_quiet(&position))
}

/// The played move, by which the filter finds scores that are none: most public binpacks have 0 in
/// their place where a capture was played or the side to move is in check.
fn played(entry: &TrainingDataEntry) -> PackedMove {
    let promotion = match entry.mv.promoted_piece().piece_type() {
        PieceType::Knight => Some(Role::Knight),
        PieceType::Bishop => Some(Role::Bishop),
        PieceType::Rook => Some(Role::Rook),
        PieceType::Queen => Some(Role::Queen),
        _ => None,
    };
    let from = Square::new(entry.mv.from().index());
    let to = Square::new(entry.mv.to().index());
    PackedMove::new(from, to, promotion)
}

/// Of a filter with rules on the score, the ply and the played move too.
fn is_kept(filter: &Filter, entry: &TrainingDataEntry) -> Result<bool, Box<dyn Error>> {
    let record = RecordFields::new(Place::Offset(0), 0..0)
        .with_played(Some(played(entry)))
        .with_score(Some(entry.score.into()))
        .with_ply(Some(entry.ply.into()));
    let reason = filter.judge(&of_sfbinpack(entry)?, &record)?;
    Ok(reason.is_none())
}

fn main() -> Result<(), Box<dyn Error>> {
    let path = std::env::args().nth(1);
    let path = path.unwrap_or_else(|| "data/sample.binpack".to_owned());
    let filter = Preset::Quiet.filter();
    let late = Settings {
        preset: Some(Preset::Quiet),
        min_ply: Some(16),
        max_score: Some(Some(10_000)),
        ..Settings::default()
    };
    let late = late.filter()?;
    let mut entries = CompressedTrainingDataEntryReader::new(File::open(path)?)?;
    let mut quiet = 0;
    let mut quiet_and_late = 0;
    let mut all = 0;
    while entries.has_next() {
        let entry = entries.next();
        let position = of_sfbinpack(&entry)?;
        let is_quiet_position = Rules::SWAP.is_quiet(&position);
        assert_eq!(is_quiet(&filter, Ok(position)), is_quiet_position);
        let mut board = Board::new();
        let fen = entry.pos.fen().map_err(|_| "no FEN")?;
        board.set_from_fen(&fen, false)?;
        assert_eq!(is_quiet(&filter, of_viriformat(&board)), is_quiet_position);
        let position = montyformat::chess::Position::parse_fen(&fen, &mut Castling::default());
        assert_eq!(
            is_quiet(&filter, of_montyformat(&position)),
            is_quiet_position
        );
        quiet += u32::from(is_quiet_position);
        quiet_and_late += u32::from(is_kept(&late, &entry)?);
        all += 1;
    }
    println!("{quiet} of {all} are quiet, {quiet_and_late} of them late and undecided");
    Ok(())
}
