//! `swaplist explain`: a position's noisy moves, and one exchange step by step.

use std::io::{self, Write as _};

use anyhow::{Result, bail};
use serde_json::{Value, json};
use swaplist::explain::Explanation;
use swaplist::shakmaty::fen::Fen;
use swaplist::shakmaty::uci::UciMove;
use swaplist::shakmaty::{EnPassantMode, Position as _};
use swaplist::{Position, Rules};
use swaplist_files::check::{Answer, Claim};
use swaplist_files::explain::{explain_line, explanation_to_json};
use swaplist_files::formats::split_fen;
use swaplist_files::pasted::{Kind, Pasted, read};

use super::options::RulesArgs;
use super::session::print_as;

/// Draws a position, lists its noisy moves by their SEE and, for one move, shows
/// the swap list as the Chess Programming Wiki prints it.
#[derive(clap::Args)]
#[command(
    override_usage = "swaplist explain [OPTIONS] FEN [MOVE]",
    after_help = "\
Exit status: 0 done, 2 no position, or an illegal move.

Examples:
  swaplist explain 1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1
  swaplist explain 1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - d3e5
  swaplist explain \"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5 Kd2\"
  swaplist explain \"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;100\""
)]
pub struct Args {
    /// The position: startpos, a FEN of four to six fields, or any text line that `score` or `check`
    /// reads, in quotes; optionally followed by a move in UCI or SAN, instead of those that the line names. Of
    /// any other text, also of several lines, the first FEN, board or game in it, with the move beside
    /// it
    #[arg(value_name = "FEN [MOVE]", required = true)]
    words: Vec<String>,

    /// Print JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: RulesArgs,
}

/// Explains a position; always returns true.
pub fn run(args: &Args) -> Result<bool> {
    let rules = args.rules.rules();
    let line = args.words.join(" ");
    if let Ok(answer) = Answer::parse(&line, 1) {
        return explain_answer(&answer, &rules, args.json);
    }
    let explanation = match explain_words(&args.words, &rules) {
        Ok(explanation) => explanation,
        Err(error) => explain_text(&line, &rules)?.ok_or(error)?,
    };
    let json = explanation_to_json(&explanation);
    let text = explanation.to_string();
    print_as(args.json, &json, &text)?;
    Ok(true)
}

/// Explains the exchange of an engine's answer, and says whether the answer is right.
fn explain_answer(answer: &Answer, rules: &Rules, is_json: bool) -> Result<bool> {
    let name = answer.capture.to_string();
    let explanation = explain_line(&answer.fen, Some(&name), rules)?;
    let is_right = answer.agrees(rules);
    let mut json = explanation_to_json(&explanation);
    json["said"] = said_to_json(answer.said, is_right);
    let said = answer.said;
    let verdict = if is_right {
        format!("The line says {said}, and so do these rules")
    } else {
        let see = rules.see(&answer.position, answer.capture);
        format!("The line says {said}, but the SEE is {see} under these rules")
    };
    print_as(is_json, &json, &format!("{explanation}{verdict}\n"))?;
    Ok(true)
}

/// What a line says of the SEE, and whether that is right.
fn said_to_json(said: Claim, is_right: bool) -> Value {
    match said {
        Claim::Value(value) => json!({ "value": value, "right": is_right }),
        Claim::AtLeast { threshold, holds } => {
            json!({ "threshold": threshold, "ge": holds, "right": is_right })
        }
    }
}

/// Explains a line of text, and perhaps a move after it.
fn explain_words(words: &[String], rules: &Rules) -> Result<Explanation> {
    let (line, move_text) = line_and_move(words)?;
    Ok(explain_line(&line, move_text.as_deref(), rules)?)
}

/// Explains what is found anywhere in a text; `None` if there is nothing, or if the text begins with a
/// FEN, whose errors are about what follows.
fn explain_text(text: &str, rules: &Rules) -> Result<Option<Explanation>> {
    let fields: Vec<&str> = text.split_whitespace().take(4).collect();
    let begins_with_fen = fields.join(" ").parse::<Position>().is_ok();
    let Some(found) = read(text, None).ok().filter(|_| !begins_with_fen) else {
        return Ok(None);
    };
    let (fen, named) = first_capture(&found).unwrap_or((found.fen, found.named));
    let explanation = explain_line(&fen, named.as_deref(), rules)?;
    for note in &found.notes {
        writeln!(io::stderr(), "swaplist: {note}")?;
    }
    Ok(Some(explanation))
}

/// The position of a game before its first capture or promotion, and this move in UCI; `None` without
/// such a move, or if this is not a game.
fn first_capture(found: &Pasted) -> Option<(String, Option<String>)> {
    let game = found.game.as_ref().filter(|_| found.kind == Kind::Game)?;
    let mode = game.start.castles().mode();
    let mut chess = game.start.clone();
    for one in game.moves.iter().filter(|one| one.variation == 0) {
        if one.played.is_capture() || one.played.is_promotion() {
            let fen = Fen::from_position(&chess, EnPassantMode::Legal).to_string();
            return Some((fen, Some(UciMove::from_move(one.played, mode).to_string())));
        }
        chess.play_unchecked(one.played);
    }
    None
}

const START: &str = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";

/// Splits the arguments into the line of the position, and the move if there is one. Each may be in
/// quotes or not: without quotes a FEN has four fields, and up to two numbers after them.
fn line_and_move(words: &[String]) -> Result<(String, Option<String>)> {
    let words: Vec<String> = words
        .iter()
        .map(|word| if word == "startpos" { START } else { word }.to_owned())
        .collect();
    if let [line, rest @ ..] = &words[..]
        && rest.len() < 2
        && line.contains(char::is_whitespace)
    {
        return Ok((line.clone(), rest.first().cloned()));
    }
    let line = words.join(" ");
    let (fen, after) = split_fen(&line).unwrap_or((&line, ""));
    let rest: Vec<&str> = after.split_whitespace().collect();
    let move_text = match rest[..] {
        [] => None,
        [text] => Some(text.to_owned()),
        _ => bail!(
            "'{}' after the FEN: expected one move; put several in quotation marks, \
             \"FEN;MOVE MOVE\"",
            rest.join(" ")
        ),
    };
    Ok((fen.to_owned(), move_text))
}
