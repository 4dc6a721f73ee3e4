//! A game that is played on the board: its moves, and why a move is not possible.

use crate::line::{self, Line, fen_of};
use crate::{Answer, object};
use serde::{Deserialize, Serialize};
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, CastlingMode, CastlingSide, Chess, Color, EnPassantMode, File, Piece, Position as _,
    Rank, Role, Square, attacks,
};
use swaplist::explain::piece_name;
use swaplist::position::chess_from_setup;

#[derive(Deserialize)]
struct AskedMoves {
    fen: String,
    /// Each move, in UCI or SAN, after the one before it: 0 for the position itself, and 1 for the
    /// first of these moves.
    moves: Vec<(usize, String)>,
}

/// A move of a game.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct PlayedMove {
    uci: String,
    san: String,
    /// The position after it.
    fen: String,
}

/// Plays moves with their variations. There is nothing for a move that is not legal, or that follows
/// such a move.
#[unsafe(no_mangle)]
pub extern "C" fn play() -> i32 {
    object(|asked: AskedMoves| played(&asked))
}

fn played(asked: &AskedMoves) -> Answer<Vec<Option<PlayedMove>>> {
    let setup = Line::read(&asked.fen)?.setup;
    let mode = CastlingMode::detect(&setup);
    let mut positions = vec![Some(chess_from_setup(setup)?)];
    let mut answer = Vec::new();
    for (parent, name) in &asked.moves {
        let before = positions.get(*parent).and_then(Option::as_ref);
        let found = before.and_then(|before| Some((before, line::find(before, name)?)));
        let Some((before, m)) = found else {
            positions.push(None);
            answer.push(None);
            continue;
        };
        let mut after = before.clone();
        after.play_unchecked(m);
        answer.push(Some(PlayedMove {
            uci: UciMove::from_move(m, mode).to_string(),
            san: San::from_move(before, m).to_string(),
            fen: fen_of(after.to_setup(EnPassantMode::Legal)),
        }));
        positions.push(Some(after));
    }
    Ok(answer)
}

#[derive(Deserialize)]
struct AskedTry {
    fen: String,
    from: String,
    to: String,
}

/// Why a piece cannot go to a square.
#[derive(Serialize, Default)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Refusal {
    /// Empty if it can.
    words: String,
    /// The piece that prevents it.
    #[cfg_attr(test, ts(type = "Square | null"))]
    by: Option<String>,
    /// The square that this piece attacks.
    #[cfg_attr(test, ts(type = "Square | null"))]
    on: Option<String>,
}

impl Refusal {
    fn from_words(words: String) -> Refusal {
        Refusal {
            words,
            ..Refusal::default()
        }
    }

    fn from_line(words: String, by: Square, on: Square) -> Refusal {
        Refusal {
            words,
            by: Some(by.to_string()),
            on: Some(on.to_string()),
        }
    }
}

/// Why a move that was tried on the board is not legal.
#[unsafe(no_mangle)]
pub extern "C" fn why_not() -> i32 {
    object(|asked: AskedTry| {
        let chess = chess_from_setup(Line::read(&asked.fen)?.setup)?;
        Ok(refusal(&chess, asked.from.parse()?, asked.to.parse()?))
    })
}

fn refusal(chess: &Chess, from: Square, to: Square) -> Refusal {
    let Some(piece) = chess.board().piece_at(from) else {
        return Refusal::default();
    };
    if piece.color != chess.turn() {
        return Refusal::from_words(format!("it is {}’s move", side(chess.turn())));
    }
    if let Some(wrong) = wrong_way(chess, piece, from, to) {
        return wrong;
    }
    exposed_king(chess, piece, from, to).unwrap_or_default()
}

/// A piece that does not move so, or has no free way.
fn wrong_way(chess: &Chess, piece: Piece, from: Square, to: Square) -> Option<Refusal> {
    let board = chess.board();
    let name = named(piece.role, from);
    if let Some(other) = board.piece_at(to)
        && other.color == piece.color
    {
        let role = piece_name(other.role);
        let words = format!("a {role} of its own side stands on {to}");
        return Some(Refusal::from_words(words));
    }
    if piece.role == Role::King && from.rank() == to.rank() && from.distance(to) == 2 {
        return Some(no_castling(chess, from, to));
    }
    if piece.role == Role::Pawn {
        return wrong_pawn_move(chess, piece.color, from, to);
    }
    if attacks::attacks(from, piece, board.occupied()).contains(to) {
        return None;
    }
    if attacks::attacks(from, piece, Bitboard::EMPTY).contains(to) {
        let between = attacks::between(from, to) & board.occupied();
        let first = between.into_iter().min_by_key(|one| one.distance(from))?;
        let words = format!("{name} cannot go to {to}: {first} is in its way");
        return Some(Refusal::from_line(words, from, first));
    }
    let role = piece_name(piece.role);
    let words = format!("a {role} does not move from {from} to {to}");
    Some(Refusal::from_words(words))
}

fn wrong_pawn_move(chess: &Chess, color: Color, from: Square, to: Square) -> Option<Refusal> {
    let board = chess.board();
    let passing = chess.ep_square(EnPassantMode::PseudoLegal);
    if attacks::pawn_attacks(color, from).contains(to) {
        if board.occupied().contains(to) || passing == Some(to) {
            return None;
        }
        let words = format!("a pawn leaves its file only to capture, and {to} is empty");
        return Some(Refusal::from_words(words));
    }
    let forward = color.fold_wb(8, -8);
    let one = from.offset(forward);
    let two = one
        .filter(|_| from.rank() == color.fold_wb(Rank::Second, Rank::Seventh))
        .and_then(|one| one.offset(forward));
    if one != Some(to) && two != Some(to) {
        let words = format!("a pawn does not move from {from} to {to}");
        return Some(Refusal::from_words(words));
    }
    let way = one.into_iter().chain(two.filter(|&two| two == to));
    let stop = way
        .into_iter()
        .find(|&square| board.occupied().contains(square))?;
    let words = if stop == to && board.color_at(stop) != Some(color) {
        format!("a pawn captures diagonally, not straight on {stop}")
    } else {
        format!("the pawn on {from} is blocked on {stop}")
    };
    Some(Refusal::from_words(words))
}

fn no_castling(chess: &Chess, from: Square, to: Square) -> Refusal {
    let color = chess.turn();
    let side_of_board = CastlingSide::from_king_side(to.file() > File::E);
    if !chess.castles().has(color, side_of_board) {
        let words = format!("{} has no right to castle there", side(color));
        return Refusal::from_words(words);
    }
    let way = chess.castles().path(color, side_of_board);
    if let Some(stop) = (way & chess.board().occupied()).first() {
        return Refusal::from_words(format!("{stop} is between king and rook"));
    }
    if let Some(by) = chess.checkers().first() {
        let words = format!("a king in check by {} does not castle", on_board(chess, by));
        return Refusal::from_line(words, by, from);
    }
    for square in attacks::between(from, to).with(to) {
        if let Some(by) = attackers(chess, square, chess.board().occupied()).first() {
            let words = format!(
                "the king does not pass {square}, which {} attacks",
                on_board(chess, by)
            );
            return Refusal::from_line(words, by, square);
        }
    }
    Refusal::default()
}

/// The king that would be captured.
fn exposed_king(chess: &Chess, piece: Piece, from: Square, to: Square) -> Option<Refusal> {
    let mut board = chess.board().clone();
    board.discard_piece_at(from);
    if piece.role == Role::Pawn && from.file() != to.file() && board.piece_at(to).is_none() {
        board.discard_piece_at(Square::from_coords(to.file(), from.rank()));
    }
    board.set_piece_at(to, piece);
    let king = board.king_of(piece.color)?;
    let by = board
        .attacks_to(king, !piece.color, board.occupied())
        .first()?;
    let attacker = on_board(chess, by);
    let words = if piece.role == Role::King {
        format!("the king may not go to {to}, which {attacker} attacks")
    } else if chess.checkers().contains(by) {
        format!("{} is in check by {attacker}", side(piece.color))
    } else {
        format!("{attacker} pins {} to {king}", named(piece.role, from))
    };
    Some(Refusal::from_line(words, by, king))
}

fn attackers(chess: &Chess, square: Square, occupied: Bitboard) -> Bitboard {
    chess.board().attacks_to(square, !chess.turn(), occupied)
}

fn on_board(chess: &Chess, square: Square) -> String {
    let role = chess.board().role_at(square).unwrap_or(Role::Pawn);
    named(role, square)
}

/// A piece by its letter and square, a pawn by its square.
fn named(role: Role, square: Square) -> String {
    match role {
        Role::Pawn => square.to_string(),
        _ => format!("{}{square}", role.upper_char()),
    }
}

fn side(color: Color) -> &'static str {
    color.fold_wb("White", "Black")
}
