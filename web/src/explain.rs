//! A position explained under the four rule sets.

use core::array;
use core::cmp::{Ordering, Reverse};

use serde::{Deserialize, Serialize};
use serde_json::Value;
use shakmaty::san::San;
use shakmaty::uci::UciMove;
use shakmaty::{
    Bitboard, Board, CastlingMode, Chess, Color, EnPassantMode, Move, Piece, Position as _, Rank,
    Role, Setup, Square,
};
use swaplist::explain::piece_name;
use swaplist::position::chess_from_setup;
use swaplist::{BarredBy, Choice, PackedMove, Position, Profile, Rules, noisy_moves};
use swaplist_files::explain::explain_line;

use crate::line::{self, Line, fen_of};
use crate::rules::RulesOf;
use crate::{Answer, Failure, object};

#[derive(Deserialize)]
struct Asked {
    /// A FEN.
    line: String,
    /// A move in UCI or SAN; empty for the best one.
    name: String,
    rules: RulesOf,
    /// Whether a `name` that is not legal is dropped without a note.
    #[serde(default)]
    quietly: bool,
    #[serde(default)]
    threshold: i32,
}

/// A position and one of its moves.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Explained {
    /// As it was given, without what else stood on the line.
    fen: String,
    /// With all six fields.
    full_fen: String,
    placement: String,
    #[cfg_attr(test, ts(type = "Color"))]
    turn: &'static str,
    in_check: bool,
    /// Whether there are the castling rights `KQkq`; nothing where king and rook are not in place.
    castles: [Option<bool>; 4],
    /// The en-passant square of the position, and those that it could have.
    passing: Passing,
    values: [i32; 5],
    /// All legal moves.
    moves: Vec<LegalMove>,
    /// The move whose exchanges follow, in UCI.
    chosen: Option<String>,
    /// Whether the chosen move was named, and not only the best one.
    is_named: bool,
    /// Under each rule set; none if no move is legal.
    exchanges: Vec<Exchange>,
    /// `see_ge` of the chosen move under each rule set.
    reaches: Vec<bool>,
    /// What was understood in another way than it was written.
    notes: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Passing {
    at: Option<String>,
    can: Vec<String>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct LegalMove {
    uci: String,
    san: String,
    #[cfg_attr(test, ts(type = "Square"))]
    from: String,
    /// Where the piece goes; for castling, the king's square after it.
    #[cfg_attr(test, ts(type = "Square"))]
    to: String,
    /// A capture or a promotion.
    is_noisy: bool,
    /// Under each rule set.
    see: [i32; 4],
}

/// The captures after a move, as long as anyone can capture.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Exchange {
    uci: String,
    san: String,
    #[cfg_attr(test, ts(type = "Square"))]
    to: String,
    see: i32,
    swap_list: Vec<i32>,
    steps: Vec<Step>,
    /// How many of the steps are played if each side captures only if that is better.
    played: usize,
    /// Why the side to capture then does not: it `cannot`, it is `worse`, or the `same`.
    #[cfg_attr(test, ts(type = "'cannot' | 'worse' | 'same'"))]
    stop: &'static str,
    /// Why there is no recapture, if there is none.
    settled: Option<&'static str>,
    barred: Vec<Barred>,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Step {
    #[cfg_attr(test, ts(type = "Color"))]
    color: &'static str,
    #[cfg_attr(test, ts(type = "Role"))]
    role: &'static str,
    #[cfg_attr(test, ts(type = "Square"))]
    from: String,
    /// What a promoting pawn becomes.
    #[cfg_attr(test, ts(type = "Role | null"))]
    becomes: Option<&'static str>,
    /// The captured piece.
    #[cfg_attr(test, ts(type = "Role | null"))]
    takes: Option<&'static str>,
    words: String,
    /// What the first mover has won after it.
    balance: i32,
    /// The board after it.
    placement: String,
    /// The position after it; none if that is not legal, as after a recapture by a pinned piece.
    fen: Option<String>,
}

/// A piece that may not capture at a step.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Barred {
    /// The step that it might have made.
    step: usize,
    #[cfg_attr(test, ts(type = "Role"))]
    role: &'static str,
    #[cfg_attr(test, ts(type = "Square"))]
    square: String,
    /// Whether it would have captured before the piece that does.
    is_passed_over: bool,
    /// Whether it is a legal move all the same.
    is_legal: bool,
    words: String,
    /// `pinned`, `pin stays`, `check`, `guarded`, or another reason.
    reason: &'static str,
    /// The piece that bars it.
    by: On,
    /// The square of the king, or the target.
    #[cfg_attr(test, ts(type = "Square"))]
    on: String,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct On {
    #[cfg_attr(test, ts(type = "Role"))]
    role: &'static str,
    #[cfg_attr(test, ts(type = "Square"))]
    square: String,
}

impl Asked {
    fn line(&self) -> Answer<Line> {
        Line::read(&self.line)
    }

    /// The move that was asked for, if it is one.
    fn named(&self, line: &mut Line, rules: &Rules) -> Option<String> {
        let name = self.name.trim();
        if name.is_empty() {
            return None;
        }
        let found = explain_line(&line.fen, Some(name), rules);
        match found {
            Ok(found) => found.exchanges.first().map(|one| one.first.uci.clone()),
            Err(_) if self.quietly => None,
            Err(_) => {
                let shown: String = name
                    .chars()
                    .take(20)
                    .map(|letter| if letter.is_control() { '�' } else { letter })
                    .collect();
                line.notes.push(format!(
                    "‘{shown}’ is not a legal move here: choose one on the board or in the table"
                ));
                None
            }
        }
    }
}

/// Explains a position, and one of its moves.
#[unsafe(no_mangle)]
pub extern "C" fn explain() -> i32 {
    object(|asked: Asked| {
        let rules = asked.rules.rules()?;
        let mut line = asked.line()?;
        let position = Position::try_from(&line.setup)?;
        let chess = chess_from_setup(line.setup.clone())?;
        let all =
            array::from_fn(|i| Profile::ALL[i]).map(|profile| Rules::new(profile, rules.values));
        let mode = CastlingMode::detect(&line.setup);
        let moves = legal_moves(&chess, mode, &position, &all);
        let best = || {
            let noisy = moves.iter().filter(|(.., legal)| legal.is_noisy);
            let (.., best) = noisy.min_by_key(|&&(_, capture, _)| {
                let see = rules.see(&position, capture);
                // Of promotions that are worth the same, the queen's comes first.
                let promotion = Reverse(capture.promotion());
                (-see, capture.from(), capture.to(), promotion)
            })?;
            Some(best.uci.clone())
        };
        let named = asked.named(&mut line, &rules);
        let is_named = named.is_some();
        let chosen = named.or_else(best);
        let mut exchanges = Vec::new();
        let mut reaches = Vec::new();
        let shown = moves
            .iter()
            .find(|(_, _, legal)| chosen.as_ref() == Some(&legal.uci));
        if let Some((m, capture, legal)) = shown {
            for rules in &all {
                exchanges.push(Exchange::new(&line, *m, legal, &chess, rules)?);
                reaches.push(rules.see_ge(&position, *capture, asked.threshold));
            }
        }
        Ok(Explained {
            full_fen: fen_of(line.setup.clone()),
            placement: line.setup.board.to_string(),
            turn: color(line.setup.turn),
            in_check: position.in_check(),
            castles: castles(&line.setup),
            passing: Passing {
                at: line.setup.ep_square.map(|square| square.to_string()),
                can: line::passing(&line.setup)
                    .into_iter()
                    .map(|square| square.to_string())
                    .collect(),
            },
            values: rules.values.to_array(),
            moves: moves.into_iter().map(|(.., legal)| legal).collect(),
            chosen,
            is_named,
            exchanges,
            reaches,
            notes: line.notes,
            fen: line.fen,
        })
    })
}

/// Explains in the words that `swaplist explain` prints.
#[unsafe(no_mangle)]
pub extern "C" fn explain_text() -> i32 {
    crate::bytes(|| {
        let asked: Asked = crate::asked()?;
        let fen = asked.line()?.fen;
        let name = Some(asked.name.trim()).filter(|name| !name.is_empty());
        let explanation = explain_line(&fen, name, &asked.rules.rules()?)
            .map_err(|error| Failure::new("move", error))?;
        Ok(explanation.to_string().into_bytes())
    })
}

/// The castling rights of a position, as far as king and rook are in place.
fn castles(setup: &Setup) -> [Option<bool>; 4] {
    line::CASTLING.map(|[king, rook]| {
        let color = Color::from_white(king.rank() == Rank::First);
        let is = |square: Square, role| setup.board.piece_at(square) == Some(Piece { color, role });
        let has = setup.castling_rights.contains(rook);
        (is(king, Role::King) && is(rook, Role::Rook)).then_some(has)
    })
}

/// The FEN of `line` after a change: another `placement` or `turn`; the castling right with the
/// number `castle` in [`line::CASTLING`], which is there afterwards if `has` is true; or another
/// en-passant square `passing`, empty for none.
#[unsafe(no_mangle)]
pub extern "C" fn edit() -> i32 {
    object(|edit: Value| {
        let text = |name: &str| edit[name].as_str();
        let board = text("placement").map(str::parse::<Board>);
        let turn = text("turn").map(|name| Color::from_white(name == "white"));
        let line = text("line").unwrap_or("");
        let castle = edit["castle"].as_u64().and_then(|at| {
            let [_, rook] = line::CASTLING.get(usize::try_from(at).ok()?)?;
            Some((*rook, edit["has"] == true))
        });
        let passing = text("passing").map(|square| square.parse::<Square>().ok());
        let change = line::Change {
            board: board.transpose()?,
            turn,
            castle,
            passing,
        };
        Ok(Value::from(line::edited(line, change)))
    })
}

fn legal_moves(
    chess: &Chess,
    mode: CastlingMode,
    position: &Position,
    all: &[Rules; 4],
) -> Vec<(Move, PackedMove, LegalMove)> {
    let legal = chess.legal_moves();
    let noisy = noisy_moves(position);
    let shown = |&m: &Move| {
        let capture = PackedMove::from_move(m)?;
        let uci = UciMove::from_move(m, mode).to_string();
        let shown = LegalMove {
            san: San::disambiguate(m, &legal).to_string(),
            from: uci.get(..2)?.to_owned(),
            to: uci.get(2..4)?.to_owned(),
            is_noisy: noisy.contains(&capture),
            see: all.map(|rules| rules.see(position, capture)),
            uci,
        };
        Some((m, capture, shown))
    };
    legal.iter().filter_map(shown).collect()
}

impl Exchange {
    fn new(
        line: &Line,
        m: Move,
        legal: &LegalMove,
        chess: &Chess,
        rules: &Rules,
    ) -> Answer<Exchange> {
        let explained = explain_line(&line.fen, Some(&legal.uci), rules)?;
        let found = explained
            .exchanges
            .into_iter()
            .next()
            .ok_or_else(|| Failure::new("move", "no exchange"))?;
        let mut played = 1;
        let mut stop = "cannot";
        for [before, step] in found.steps.array_windows() {
            // A side that stops has lost what the capture before has gained.
            stop = match step.best.map(|best| best.cmp(&-before.gain)) {
                Some(Ordering::Greater) => {
                    played += 1;
                    continue;
                }
                Some(Ordering::Equal) => "same",
                Some(Ordering::Less) => "worse",
                None => "cannot",
            };
            break;
        }
        let to = m.to();
        let mut after = chess.clone();
        after.play_unchecked(m);
        let mut setup = after.to_setup(EnPassantMode::Legal);
        let mut steps: Vec<Step> = Vec::new();
        let mut setups = Vec::new();
        let mut standing = m.capture();
        for step in &found.steps {
            let Some(piece) = step.piece else {
                break;
            };
            let role = step.becomes.unwrap_or(piece.role);
            if !steps.is_empty() {
                let capturer = Piece {
                    color: step.color,
                    role,
                };
                recapture(&mut setup, piece.square, to, capturer);
            }
            let sign = if steps.len().is_multiple_of(2) { 1 } else { -1 };
            steps.push(Step {
                color: color(step.color),
                role: piece_name(piece.role),
                from: piece.square.to_string(),
                becomes: step.becomes.map(piece_name),
                takes: standing.map(piece_name),
                words: step.words.clone(),
                balance: sign * step.gain,
                placement: setup.board.to_string(),
                fen: Position::try_from(&setup)
                    .is_ok()
                    .then(|| fen_of(setup.clone())),
            });
            setups.push(setup.clone());
            standing = Some(role);
        }
        let passed_over =
            |ply: usize, piece| found.trace.passed_over(ply).any(|one| one.piece == piece);
        let barred = found.trace.barred.iter();
        Ok(Exchange {
            uci: legal.uci.clone(),
            san: legal.san.clone(),
            to: legal.to.clone(),
            see: found.first.see,
            swap_list: found.trace.swap_list(),
            steps,
            played,
            stop,
            settled: found.settled,
            barred: barred
                .map(|one| {
                    // The recapture with the number 0 comes after the first move.
                    let before = setups.get(one.ply).cloned();
                    let is_legal =
                        before.is_some_and(|setup| is_legal(setup, one.piece.square, to));
                    Barred::new(one, passed_over(one.ply, one.piece), is_legal)
                })
                .collect(),
        })
    }
}

/// Whether a piece may go to a square by the laws of chess.
fn is_legal(setup: Setup, from: Square, to: Square) -> bool {
    chess_from_setup(setup).is_ok_and(|chess| {
        let moves = chess.legal_moves();
        moves.iter().any(|m| m.from() == Some(from) && m.to() == to)
    })
}

/// Plays a recapture, legal or not.
fn recapture(setup: &mut Setup, from: Square, to: Square, capturer: Piece) {
    setup.board.discard_piece_at(from);
    setup.board.set_piece_at(to, capturer);
    let mut lost = Bitboard::from(from) | Bitboard::from(to);
    if capturer.role == Role::King {
        lost |= Bitboard::from_rank(capturer.color.fold_wb(Rank::First, Rank::Eighth));
    }
    setup.castling_rights &= !lost;
    setup.ep_square = None;
    setup.halfmoves = 0;
    if setup.turn.is_black() {
        setup.fullmoves = setup.fullmoves.saturating_add(1);
    }
    setup.turn = !setup.turn;
}

impl Barred {
    fn new(barred: &swaplist::BarredPiece, is_passed_over: bool, is_legal: bool) -> Barred {
        let reason = match barred.reason {
            BarredBy::Pinned => "pinned",
            BarredBy::PinStays { .. } => "pin stays",
            BarredBy::InCheck => "check",
            BarredBy::Guarded => "guarded",
            _ => "",
        };
        Barred {
            step: barred.ply + 1,
            role: piece_name(barred.piece.role),
            square: barred.piece.square.to_string(),
            is_passed_over,
            is_legal,
            words: barred.to_string(),
            reason,
            by: On {
                role: piece_name(barred.by.role),
                square: barred.by.square.to_string(),
            },
            on: barred.on.to_string(),
        }
    }
}

fn color(color: Color) -> &'static str {
    color.fold_wb("white", "black")
}
