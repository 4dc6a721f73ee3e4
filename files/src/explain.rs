//! Explanations of positions that are named in a line of text, and explanations as JSON.

use serde_json::{Map, Value, json};
use swaplist::explain::{Exchange, Explanation, ScoredMove};
use swaplist::{BarredPiece, Choice, PackedMove, ParseError, Position, Profile, Rules};

use crate::formats::{Block, DecodedPart, Place, decode_text, move_on};

/// Explains the position on a line of text (FEN, `FEN;m1 m2`, EPD), and the exchange after the move
/// `asked`, in UCI or SAN; without it, those after the moves that the line names.
///
/// ```
/// use swaplist::Rules;
/// use swaplist_files::explain::explain_line;
///
/// let line = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1;Nxc5";
/// let explanation = explain_line(line, None, &Rules::SWAP)?;
/// assert_eq!(explanation.exchanges[0].first.see, -225);
/// # Ok::<(), swaplist::ParseError>(())
/// ```
///
/// # Errors
///
/// A [`ParseError`] if the line is not one position, or a move is not legal.
pub fn explain_line(
    line: &str,
    asked: Option<&str>,
    rules: &Rules,
) -> Result<Explanation, ParseError> {
    let (fen, position, named_moves) = position_on(line)?;
    let moves = match asked {
        Some(name) => {
            let capture = move_on(&fen, position, name)
                .map_err(|error| ParseError::new(error.to_string()))?;
            vec![capture]
        }
        None => named_moves,
    };
    Explanation::new(&fen, &moves, rules)
        .map_err(|error| ParseError::new(format!("'{fen}': {error}")))
}

/// The FEN on a line of text, its position and the moves that the line names.
fn position_on(line: &str) -> Result<(String, Position, Vec<PackedMove>), ParseError> {
    let block = Block::new(line.trim().as_bytes().to_vec(), Place::Line(1));
    let mut decoded = DecodedPart::default();
    decode_text(&block, &mut decoded);
    if let Some(invalid) = decoded.invalid.pop() {
        let start: String = line.trim().chars().take(100).collect();
        return Err(ParseError::new(format!("'{start}': {}", invalid.message)));
    }
    match decoded.positions[..] {
        [position] => {
            let fen = decoded.fen(&block, 0).unwrap_or_default().into_owned();
            let named = decoded.named_moves(0).unwrap_or_default().to_vec();
            Ok((fen, position, named))
        }
        [] => Err(ParseError::new("no position; expected a FEN")),
        _ => Err(ParseError::new("several lines; expected one position")),
    }
}

/// An explanation as JSON, the output of `swaplist explain --json`.
pub fn explanation_to_json(explanation: &Explanation) -> Value {
    let mut json = json!({
        "fen": explanation.fen,
        "in_check": explanation.position.in_check(),
        "moves": explanation.noisy.iter().map(move_to_json).collect::<Value>(),
        "rules": rules_to_json(&explanation.rules),
    });
    match &explanation.exchanges[..] {
        [] => {}
        [exchange] => add_exchange(exchange, &mut json),
        several => {
            json["exchanges"] = several
                .iter()
                .map(|exchange| {
                    let mut of_one = json!({});
                    add_exchange(exchange, &mut of_one);
                    of_one
                })
                .collect();
        }
    }
    json
}

/// Rules as JSON: `profile` (null if it is none), each option by its name, and `values` in the order
/// pawn, knight, bishop, rook, queen.
pub fn rules_to_json(rules: &Rules) -> Value {
    json!({
        "profile": rules.profile().map(Profile::name),
        "pins": rules.pins.name(),
        "en_passant": rules.en_passant.name(),
        "first_promotion": rules.first_promotion.name(),
        "recapture_promotion": rules.recapture_promotion.name(),
        "values": rules.values.to_array(),
    })
}

/// A move as JSON: its names in UCI and SAN, and its SEE.
pub(crate) fn move_to_json(scored: &ScoredMove) -> Value {
    json!({ "uci": scored.uci, "san": scored.san, "see": scored.see })
}

/// Adds the members of an exchange to an object.
fn add_exchange(exchange: &Exchange, json: &mut Value) {
    let profiles: Map<_, _> = (exchange.profiles.iter())
        .map(|&(profile, see)| (profile.name().to_owned(), see.into()))
        .collect();
    json["move"] = move_to_json(&exchange.first);
    json["swap_list"] = exchange.trace.swap_list().into();
    json["speculative"] = exchange.trace.speculative.into();
    json["barred"] = exchange.trace.barred.iter().map(barred_to_json).collect();
    json["profiles"] = profiles.into();
}

/// A barred piece as JSON, with the ply (0 is the first recapture) and the reason.
pub fn barred_to_json(barred: &BarredPiece) -> Value {
    json!({
        "ply": barred.ply,
        "piece": barred.piece.to_string(),
        "reason": barred.why(),
    })
}
