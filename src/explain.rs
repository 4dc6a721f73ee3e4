//! Explanations of a position: its noisy moves by SEE, and exchanges step by step.
//!
//! An [`Explanation`] is data; as text it is the output of `swaplist explain`.
//!
//! ```
//! use shakmaty::Square;
//! use swaplist::explain::Explanation;
//! use swaplist::{PackedMove, PieceValues, Profile, Rules};
//!
//! let fen = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";
//! let takes = PackedMove::new(Square::E4, Square::C5, None);
//! let [swap, legal] = [Profile::Swap, Profile::Legal].map(|profile| {
//!     let rules = Rules::new(profile, PieceValues::CPW);
//!     Explanation::new(fen, &[takes], &rules).expect("a position")
//! });
//! assert_eq!(swap.exchanges[0].first.see, -225);
//! assert_eq!(legal.exchanges[0].first.see, 100);
//!
//! let steps = &legal.exchanges[0].steps;
//! assert_eq!(steps[0].words, "White knight e4 x pawn");
//! assert_eq!(steps[1].words, "Black cannot capture");
//! let why = steps[1].passed_over[0].to_string();
//! assert_eq!(why, "Be7 may not recapture: pinned to e8 by Re1");
//! assert!(legal.to_string().ends_with("swap -225  sf8 -225  sf -225  legal 100\n"));
//! ```

use core::array;
use core::fmt;

use shakmaty::{Color, Rank, Role};

use crate::notation::{MoveNames, draw, name};
use crate::position::CaptureKind;
use crate::{
    BarredPiece, Choice, PackedMove, PieceOn, Position, PositionError, Profile, RecapturePromotion,
    Rules, Trace, noisy_moves,
};

/// A position's noisy moves, and the exchanges after some moves, under one rule set.
///
/// [`Display`](core::fmt::Display) draws the board, lists the noisy moves and shows each
/// exchange as the Chess Programming Wiki prints its swap list.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Explanation {
    /// The FEN, as it was given.
    pub fen: String,
    /// The position of that FEN.
    pub position: Position,
    /// The rules of all values here.
    pub rules: Rules,
    /// The noisy moves, the best first.
    pub noisy: Vec<ScoredMove>,
    /// The exchanges after the moves that were asked for, in their order.
    pub exchanges: Vec<Exchange>,
}

impl Explanation {
    /// Explains the position of a FEN, and the exchanges after these moves, which are legal in it.
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the text is not a FEN or SEE has no meaning in the position.
    pub fn new(
        fen: &str,
        moves: &[PackedMove],
        rules: &Rules,
    ) -> Result<Explanation, PositionError> {
        let position = Position::from_ascii(fen.as_bytes())?;
        let game = MoveNames::from_fen(fen)?;
        let scored = |capture| {
            let [uci, san] = game.names(capture);
            ScoredMove {
                capture,
                uci,
                san,
                see: rules.see(&position, capture),
            }
        };
        let mut noisy: Vec<_> = noisy_moves(&position).into_iter().map(scored).collect();
        noisy.sort_by_key(|scored| (-scored.see, scored.capture));
        Ok(Explanation {
            exchanges: (moves.iter())
                .map(|&capture| Exchange::new(&position, scored(capture), rules))
                .collect(),
            noisy,
            fen: fen.to_owned(),
            position,
            rules: *rules,
        })
    }
}

/// A move with its names and its value.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ScoredMove {
    /// The move itself, as the library takes it.
    pub capture: PackedMove,
    /// In UCI; castling by the king's squares, except in Chess960.
    pub uci: String,
    /// In SAN, without the check sign.
    pub san: String,
    /// The SEE, from the mover's side, in the unit of the piece values.
    pub see: i32,
}

/// The exchange after a move, as long as anyone can capture.
#[derive(Clone, Debug)]
#[non_exhaustive]
pub struct Exchange {
    /// The first move of the exchange, with its names and its SEE.
    pub first: ScoredMove,
    /// The recaptures, their gains and the barred attackers, as [`Rules::trace`] finds them.
    pub trace: Trace,
    /// The swap list row by row: the move, the recaptures and, unless the first move settles
    /// the value, the side that cannot capture at the end.
    pub steps: Vec<ExchangeStep>,
    /// Why there is no recapture, if there is none.
    pub settled: Option<&'static str>,
    /// The move's value under each profile, with these piece values.
    pub profiles: [(Profile, i32); 4],
}

/// One row of a swap list.
#[derive(Clone, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub struct ExchangeStep {
    /// The side that moves in this row; in a speculative one, the side that cannot capture.
    pub color: Color,
    /// The moving piece on its origin square; `None` in the last, speculative row.
    pub piece: Option<PieceOn>,
    /// What a promoting pawn becomes.
    pub becomes: Option<Role>,
    /// The row as text: `Black knight d7 x knight`.
    pub words: String,
    /// The best-case gain: the value that it wins, minus the gain of the row before.
    pub gain: i32,
    /// The gain if both sides play best from here on; in the first row the SEE, `None` in the
    /// speculative one. A side captures only if this is more than minus the
    /// [`gain`](ExchangeStep::gain) of the row before, which it has if it stops.
    pub best: Option<i32>,
    /// Barred attackers that would have captured first, with reasons.
    pub passed_over: Vec<BarredPiece>,
}

impl Exchange {
    fn new(position: &Position, first: ScoredMove, rules: &Rules) -> Exchange {
        let trace = rules.trace(position, first.capture);
        Exchange {
            steps: steps(position, first.capture, &trace, rules),
            settled: settled(position, first.capture, &trace),
            profiles: array::from_fn(|i| Profile::ALL[i]).map(|profile| {
                let rules = Rules::new(profile, rules.values);
                (profile, rules.see(position, first.capture))
            }),
            first,
            trace,
        }
    }
}

/// The rows of a swap list.
fn steps(
    position: &Position,
    played: PackedMove,
    trace: &Trace,
    rules: &Rules,
) -> Vec<ExchangeStep> {
    let mut steps = vec![first_step(position, played, trace.gain)];
    let queens = rules.recapture_promotion == RecapturePromotion::Queen
        && matches!(played.to().rank(), Rank::First | Rank::Eighth);
    let recaptures = trace.recaptures.iter().map(|recapture| {
        let PieceOn { role, square } = recapture.piece;
        let becomes = (queens && role == Role::Pawn).then_some(Role::Queen);
        let [by, victim] = [role, recapture.victim].map(piece_name);
        let words = format!("{by} {square} x {victim}{}", promoted(becomes));
        (Some(recapture.piece), becomes, words, recapture.gain)
    });
    let end = trace
        .speculative
        .map(|gain| (None, None, "cannot capture".to_owned(), gain));
    for (ply, (piece, becomes, words, gain)) in recaptures.chain(end).enumerate() {
        let before = &steps[ply];
        let color = !before.color;
        steps.push(ExchangeStep {
            color,
            piece,
            becomes,
            words: format!("{} {words}", name(color)),
            gain,
            best: None,
            passed_over: trace.passed_over(ply).copied().collect(),
        });
    }
    // CPW's `gain[d-1] = -max(-gain[d-1], gain[d])`, from the last capture on.
    let mut best_after: Option<i32> = None;
    for step in steps[..=trace.recaptures.len()].iter_mut().rev() {
        let best = best_after.map_or(step.gain, |after| step.gain.min(-after));
        step.best = Some(best);
        best_after = Some(best);
    }
    steps
}

/// What a row says of a promotion; nothing if there is none.
fn promoted(becomes: Option<Role>) -> String {
    becomes.map_or(String::new(), |to| format!(" = {}", piece_name(to)))
}

/// The row of the first move.
fn first_step(position: &Position, played: PackedMove, gain: i32) -> ExchangeStep {
    let color = position.turn();
    let from = played.from();
    let to = played.to();
    let mover = position.piece_at(from).map(|piece| piece.role);
    let victim = position.piece_at(to).map(|piece| piece.role);
    let what = match position.takes(played) {
        CaptureKind::Rook => " castles".to_owned(),
        CaptureKind::Piece => format!(" x {}", victim.map_or("", piece_name)),
        CaptureKind::EnPassant => " x pawn, en passant".to_owned(),
        CaptureKind::Nothing => format!(" to {to}"),
    };
    let becomes = played.promotion();
    ExchangeStep {
        color,
        piece: mover.map(|role| PieceOn { role, square: from }),
        becomes,
        words: format!(
            "{} {} {from}{what}{}",
            name(color),
            mover.map_or("", piece_name),
            promoted(becomes)
        ),
        gain,
        best: None,
        passed_over: Vec::new(),
    }
}

/// Why nobody recaptures, as a sentence without a full stop; `None` if somebody does.
fn settled(position: &Position, played: PackedMove, trace: &Trace) -> Option<&'static str> {
    let mover = position.piece_at(played.from());
    if !trace.recaptures.is_empty() {
        None
    } else if trace.speculative.is_some() {
        Some("Nobody may recapture")
    } else if position.takes(played) == CaptureKind::Rook {
        Some("Castling captures nothing and starts no exchange: it is 0")
    } else if mover.is_some_and(|piece| piece.role == Role::King) {
        Some("A king that moves legally is never recaptured")
    } else {
        Some("These rules settle the value with the first move")
    }
}

/// The English name of a piece type, in lower case.
#[must_use]
pub fn piece_name(role: Role) -> &'static str {
    match role {
        Role::Pawn => "pawn",
        Role::Knight => "knight",
        Role::Bishop => "bishop",
        Role::Rook => "rook",
        Role::Queen => "queen",
        Role::King => "king",
    }
}

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = name(self.position.turn());
        let not = if self.position.in_check() { "" } else { "not " };
        writeln!(f, "{}", draw(&self.position))?;
        writeln!(f, "{}\n{turn} to move, {not}in check", self.fen)?;
        writeln!(f, "rules: {}\n", self.rules)?;
        if self.noisy.is_empty() {
            f.write_str("no noisy moves (captures, en passant, promotions)\n")?;
        } else {
            f.write_str("    SEE  noisy move\n")?;
        }
        for noisy in &self.noisy {
            writeln!(f, "{:>7}  {noisy}", noisy.see)?;
        }
        for exchange in &self.exchanges {
            write!(f, "\n{exchange}")?;
        }
        Ok(())
    }
}

/// Writes `Nxe5 (d3e5)`.
impl fmt::Display for ScoredMove {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{} ({})", self.san, self.uci)
    }
}

/// The swap list, and how the value follows from it.
impl fmt::Display for Exchange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let first = &self.first;
        let long = "as long as anyone can capture";
        writeln!(f, "The exchange after {first}, {long}:\n")?;
        self.list_steps(f)?;
        match self.settled {
            Some(why) => writeln!(f, "\n{why}.")?,
            None => self.list_decisions(f)?,
        }
        writeln!(f, "\nSEE of {first} = {}", first.see)?;
        self.compare_profiles(f)
    }
}

impl Exchange {
    fn list_steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("   d  who captures                      gain\n")?;
        for (d, step) in self.steps.iter().enumerate() {
            for barred in &step.passed_over {
                writeln!(f, "      {barred}")?;
            }
            write!(f, "{d:>4}  {:<32}{:>6}", step.words, step.gain)?;
            if d > 0 {
                let before = self.steps[d - 1].gain;
                let sign = if before < 0 { '+' } else { '-' };
                let wins = step.gain + before;
                write!(f, "  {wins} {sign} {}", before.unsigned_abs())?;
            }
            let end = step.piece.map_or(", speculative", |_| "");
            writeln!(f, "{end}")?;
        }
        if self.trace.speculative.is_some() {
            let swap_list = self.trace.swap_list();
            let gains: Vec<String> = swap_list.iter().map(i32::to_string).collect();
            writeln!(f, "\nswap list: {}", gains.join(", "))?;
        }
        Ok(())
    }

    fn list_decisions(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let how = "each side captures only if that is better than to stop";
        writeln!(f, "\nFrom the end back, {how}:\n")?;
        for (d, [before, step]) in self.steps.array_windows().enumerate().rev() {
            let (Some(value), Some(go_on)) = (before.best, step.best) else {
                continue;
            };
            let stop = -before.gain;
            let choice = if go_on > stop { "captures" } else { "stops" };
            let line = format!("gain[{d}] = -max({stop}, {go_on}) = {value}");
            let at = d + 1;
            let who = name(step.color);
            writeln!(f, "  {line:<36}  at {at} {who} {choice}")?;
        }
        Ok(())
    }

    fn compare_profiles(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let profiles = &self.profiles;
        if profiles.iter().all(|(_, see)| *see == profiles[0].1) {
            return Ok(());
        }
        f.write_str("\nThe profiles differ on this move:")?;
        for (profile, see) in profiles {
            write!(f, "  {profile} {see}")?;
        }
        writeln!(f)
    }
}
