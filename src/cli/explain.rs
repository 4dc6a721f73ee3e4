//! `swaplist explain`: a position's noisy moves, and one exchange step by step.

use std::fmt::Write as _;

use anyhow::{Error, Result, anyhow, bail};
use serde_json::{Value, json};
use shakmaty::Role;
use swaplist::formats::{Block, Codec as _, Decoded, Place, TextCodec, named_move};
use swaplist::{Capture, Position, Profile, Rules, Trace, noisy_moves};

use super::Answer;
use super::opened::print;
use super::options::{RulesArgs, barred_json};
use swaplist::jobs::{rules_json, shown};
use swaplist::notation::{self, Game};

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
  swaplist explain \"4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5 Kd2\""
)]
pub struct Args {
    /// The position: a FEN of four to six fields, or between quotation marks any line of
    /// text that `score` reads; then perhaps a move in UCI or SAN, in place of those that
    /// the line names
    #[arg(value_name = "FEN [MOVE]", required = true)]
    words: Vec<String>,

    /// As JSON
    #[arg(long)]
    json: bool,

    #[command(flatten)]
    rules: RulesArgs,
}

pub fn run(args: &Args) -> Result<Answer> {
    let (text, asked) = line_and_move(&args.words)?;
    let (fen, position, named) = line(&text)?;
    let explained = Explained {
        fen: &fen,
        position,
        game: Game::from_fen(&fen).map_err(Error::msg)?,
        rules: args.rules.rules(),
    };
    let captures = match &asked {
        Some(text) => {
            let named = named_move(text, &explained.game.chess, &fen);
            vec![named.map_err(|reason| anyhow!("{reason}"))?]
        }
        None => named,
    };
    let text = if args.json {
        format!("{:#}\n", explained.to_json(&captures))
    } else {
        explained.to_text(&captures)
    };
    print(&text)?;
    Ok(Answer::Yes)
}

/// The position and the move, which may be one argument each, or one for each field.
fn line_and_move(words: &[String]) -> Result<(String, Option<String>)> {
    if let [line, rest @ ..] = words
        && rest.len() < 2
        && line.contains(char::is_whitespace)
    {
        return Ok((line.clone(), rest.first().cloned()));
    }
    let fields: Vec<&str> = words
        .iter()
        .flat_map(|word| word.split_whitespace())
        .collect();
    let is_clock = |field: &str| field.bytes().all(|byte| byte.is_ascii_digit());
    let clocks = fields
        .iter()
        .skip(4)
        .take(2)
        .take_while(|field| is_clock(field));
    let (fen, rest) = fields.split_at(fields.len().min(4 + clocks.count()));
    let asked = match rest {
        [] => None,
        [asked] => Some((*asked).to_owned()),
        _ => bail!(
            "'{}' behind the FEN: expected one move; several stand between quotation marks, \
             \"FEN;MOVE MOVE\"",
            rest.join(" ")
        ),
    };
    Ok((fen.join(" "), asked))
}

/// The FEN of a line of text, its position and the moves that it names.
fn line(text: &str) -> Result<(String, Position, Vec<Capture>)> {
    let block = Block {
        bytes: text.trim().as_bytes().to_vec(),
        start: Place::Line(1),
        truncated: false,
    };
    let mut decoded = Decoded::default();
    TextCodec.decode(&block, &mut decoded);
    if let Some(invalid) = decoded.invalid.first() {
        let start: String = text.trim().chars().take(100).collect();
        bail!("'{}': {}", shown::text(&start), invalid.reason);
    }
    match decoded.positions[..] {
        [position] => {
            let fen = TextCodec.fen(&block, &decoded, 0).into_owned();
            let named = decoded.named_moves(0).unwrap_or_default().to_vec();
            Ok((fen, position, named))
        }
        [] => bail!("no position; expected a FEN"),
        _ => bail!("several lines; expected one position"),
    }
}

struct Explained<'a> {
    fen: &'a str,
    position: Position,
    game: Game,
    rules: Rules,
}

impl Explained<'_> {
    /// The noisy moves, the best first.
    fn noisy(&self) -> Vec<(Capture, i32)> {
        let scored = |capture| (capture, self.rules.see(&self.position, capture));
        let mut moves: Vec<_> = noisy_moves(&self.position)
            .into_iter()
            .map(scored)
            .collect();
        moves.sort_by_key(|&(capture, see)| (-see, capture));
        moves
    }

    /// A move's value under each profile, with these piece values.
    fn profiles(&self, capture: Capture) -> [(Profile, i32); 4] {
        Profile::ALL.map(|profile| {
            let rules = Rules::new(profile, self.rules.values);
            (profile, rules.see(&self.position, capture))
        })
    }

    fn to_json(&self, captures: &[Capture]) -> Value {
        let moves: Vec<Value> = self
            .noisy()
            .into_iter()
            .map(|(capture, see)| self.move_json(capture, see))
            .collect();
        let mut json = json!({
            "fen": self.fen,
            "in_check": self.position.in_check(),
            "moves": moves,
            "rules": rules_json(&self.rules),
        });
        match captures {
            [] => {}
            [capture] => self.add_exchange(*capture, &mut json),
            several => {
                let exchange = |&capture: &Capture| {
                    let mut json = json!({});
                    self.add_exchange(capture, &mut json);
                    json
                };
                json["exchanges"] = several.iter().map(exchange).collect();
            }
        }
        json
    }

    fn add_exchange(&self, capture: Capture, json: &mut Value) {
        let trace = self.rules.trace(&self.position, capture);
        json["move"] = self.move_json(capture, trace.value);
        json["swap_list"] = trace.swap_list().into();
        json["speculative"] = trace.speculative.into();
        json["barred"] = barred_json(&trace);
        let profiles = self.profiles(capture);
        json["profiles"] = profiles
            .iter()
            .map(|&(profile, see)| (profile.name().to_owned(), Value::from(see)))
            .collect::<serde_json::Map<_, _>>()
            .into();
    }

    fn move_json(&self, capture: Capture, see: i32) -> Value {
        json!({ "uci": self.game.uci(capture), "san": self.game.san(capture), "see": see })
    }

    fn to_text(&self, captures: &[Capture]) -> String {
        let mut text = String::new();
        let turn = notation::name(self.position.turn());
        let check = if self.position.in_check() {
            "in check"
        } else {
            "not in check"
        };
        let _ = writeln!(text, "{}\n", notation::draw(&self.position));
        let _ = writeln!(
            text,
            "{}\n{turn} to move, {check}\nrules: {}\n",
            self.fen, self.rules
        );
        self.list_noisy(&mut text);
        for &capture in captures {
            text.push('\n');
            self.show_exchange(capture, &mut text);
        }
        text
    }

    fn list_noisy(&self, text: &mut String) {
        let moves = self.noisy();
        if moves.is_empty() {
            text.push_str("no noisy moves (captures, en passant, promotions)\n");
            return;
        }
        text.push_str("    SEE  noisy move\n");
        for (capture, see) in moves {
            let _ = writeln!(text, "{see:>7}  {}", self.name(capture));
        }
    }

    /// As `Nxe5 (d3e5)`.
    fn name(&self, capture: Capture) -> String {
        format!("{} ({})", self.game.san(capture), self.game.uci(capture))
    }

    fn show_exchange(&self, capture: Capture, text: &mut String) {
        let trace = self.rules.trace(&self.position, capture);
        let name = self.name(capture);
        let _ = writeln!(
            text,
            "The exchange after {name}, as long as anyone can capture:\n"
        );
        self.list_gains(capture, &trace, text);
        if trace.recaptures.is_empty() {
            let why = match trace.speculative {
                Some(_) => "Nobody may recapture",
                None => self.why_settled(capture),
            };
            let _ = writeln!(text, "\n{why}.");
        } else {
            text.push_str(
                "\nFrom the end back, each side captures only if that is better than to stop:\n\n",
            );
            self.minimax(&trace, text);
        }
        let _ = writeln!(text, "\nSEE of {name} = {}", trace.value);
        self.compare_profiles(capture, text);
    }

    /// Why the exchange ends with the first move.
    fn why_settled(&self, capture: Capture) -> &'static str {
        let mover = self.position.piece_at(capture.from());
        if notation::is_castling(&self.position, capture) {
            "Castling captures nothing and starts no exchange: it is 0"
        } else if mover.is_some_and(|piece| piece.role == Role::King) {
            "A king that moves legally is never recaptured"
        } else {
            "These rules settle the value with the first move"
        }
    }

    /// The swap list: who captures what, and the best-case gain.
    fn list_gains(&self, capture: Capture, trace: &Trace, text: &mut String) {
        let mut color = self.position.turn();
        text.push_str("   d  who captures                      gain\n");
        let row = |d: usize, who: &str, how: &str, gain: i32, text: &mut String| {
            let line = format!("{d:>4}  {who:<32}{gain:>6}  {how}");
            let _ = writeln!(text, "{}", line.trim_end());
        };
        row(0, &self.first_move(capture), "", trace.gain, text);
        let mut before = trace.gain;
        for (i, recapture) in trace.recaptures.iter().enumerate() {
            color = !color;
            passed_over(trace, i, text);
            let (capturer, victim) = (role(recapture.capturer), role(recapture.victim));
            let who = format!(
                "{} {capturer} {} x {victim}",
                notation::name(color),
                recapture.from
            );
            let how = difference(recapture.gain + before, before);
            row(i + 1, &who, &how, recapture.gain, text);
            before = recapture.gain;
        }
        passed_over(trace, trace.recaptures.len(), text);
        if let Some(gain) = trace.speculative {
            let who = format!("{} cannot capture", notation::name(!color));
            let how = difference(gain + before, before) + ", speculative";
            row(trace.recaptures.len() + 1, &who, &how, gain, text);
        }
        if trace.speculative.is_none() {
            return;
        }
        let list: Vec<String> = trace.swap_list().iter().map(i32::to_string).collect();
        let _ = writeln!(text, "\nswap list: {}", list.join(", "));
    }

    fn first_move(&self, capture: Capture) -> String {
        let color = notation::name(self.position.turn());
        let piece = |square| self.position.piece_at(square);
        let mover = piece(capture.from()).map_or("", |piece| role(piece.role));
        let from = capture.from();
        let what = if notation::is_castling(&self.position, capture) {
            " castles".to_owned()
        } else if let Some(victim) = piece(capture.to()) {
            format!(" x {}", role(victim.role))
        } else if mover == "pawn" && from.file() != capture.to().file() {
            " x pawn, en passant".to_owned()
        } else {
            format!(" to {}", capture.to())
        };
        let promotion = capture
            .promotion()
            .map_or(String::new(), |to| format!(" = {}", role(to)));
        format!("{color} {mover} {from}{what}{promotion}")
    }

    /// How the value comes out of the list: CPW's `gain[d-1] = -max(-gain[d-1], gain[d])`.
    fn minimax(&self, trace: &Trace, text: &mut String) {
        let recaptures = trace.recaptures.iter().map(|recapture| recapture.gain);
        let mut gains: Vec<i32> = core::iter::once(trace.gain).chain(recaptures).collect();
        for d in (1..gains.len()).rev() {
            let (stop, go_on) = (-gains[d - 1], gains[d]);
            gains[d - 1] = -stop.max(go_on);
            let turn = self.position.turn();
            let side = notation::name(if d % 2 == 0 { turn } else { !turn });
            let choice = if go_on > stop { "captures" } else { "stops" };
            let line = format!("gain[{}] = -max({stop}, {go_on}) = {}", d - 1, gains[d - 1]);
            let _ = writeln!(text, "  {line:<36}  at {d} {side} {choice}");
        }
    }

    fn compare_profiles(&self, capture: Capture, text: &mut String) {
        let profiles = self.profiles(capture);
        if profiles.iter().all(|(_, see)| *see == profiles[0].1) {
            return;
        }
        text.push_str("\nThe profiles differ on this move:");
        for (profile, see) in profiles {
            let _ = write!(text, "  {profile} {see}");
        }
        text.push('\n');
    }
}

/// Who would have come first, and why it does not.
fn passed_over(trace: &Trace, ply: usize, text: &mut String) {
    for barred in trace.passed_over(ply) {
        let _ = writeln!(text, "      {barred}");
    }
}

/// `325 - 100`, or `325 + 75`.
fn difference(win: i32, before: i32) -> String {
    let sign = if before < 0 { '+' } else { '-' };
    format!("{win} {sign} {}", before.unsigned_abs())
}

fn role(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}
