//! Explanations as text.

use core::fmt;

use super::{Exchange, Explanation, ScoredMove, Step};
use crate::notation::{draw, name};

impl fmt::Display for Explanation {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let turn = name(self.position.turn());
        let not = if self.position.in_check() { "" } else { "not " };
        writeln!(f, "{}\n", draw(&self.position))?;
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
    /// The captures with their best-case gains.
    fn list_steps(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("   d  who captures                      gain\n")?;
        for (d, step) in self.steps.iter().enumerate() {
            for barred in &step.passed_over {
                writeln!(f, "      {barred}")?;
            }
            write!(f, "{d:>4}  {:<32}{:>6}", step.words, step.gain)?;
            if d > 0 {
                write!(f, "  {}", difference(step))?;
            }
            let end = if step.piece.is_none() {
                ", speculative"
            } else {
                ""
            };
            writeln!(f, "{end}")?;
        }
        if self.trace.speculative.is_some() {
            let list: Vec<String> = self
                .steps
                .iter()
                .map(|step| step.gain.to_string())
                .collect();
            writeln!(f, "\nswap list: {}", list.join(", "))?;
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
            let (at, who) = (d + 1, name(step.color));
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

/// What a row wins minus the gain before it: `325 - 100`, or `325 + 75`.
fn difference(step: &Step) -> String {
    let before = step.wins - step.gain;
    let sign = if before < 0 { '+' } else { '-' };
    format!("{} {sign} {}", step.wins, before.unsigned_abs())
}
