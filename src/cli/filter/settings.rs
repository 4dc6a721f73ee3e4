//! The rules that flags, a preset and a file ask for.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use swaplist::Rules;
use swaplist::filter::{Filter, Limit, PlayedRules, Preset, Settings};

use crate::cli::options::{RulesArgs, number};
use crate::cli::shown;

const SEE: &str =
    "a whole number (of centipawns, unless --values has another unit), or 'none' for no bound";
const SCORE: &str = "a whole number of centipawns, 0 or more, or 'none' for no bound";
const PLIES: &str = "a whole number of half-moves, 0 or more";
const MEN: &str = "a whole number of men, 0 or more";
const MOST_MEN: &str = "a whole number of men, 0 or more, or 'none' for no bound";
const PROBABILITY: &str = "a probability, a number from 0 to 1 such as 0.25";
const SEED: &str = "a whole number, 0 or more";

/// What is kept: a preset, changed by a file, changed by flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Filter")]
pub struct SettingsArgs {
    /// Rules to start from: quiet, bullet, viriformat, nnue-pytorch, see-ge0 or none
    /// [default: quiet]; --explain tells what each says
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,

    /// TOML file of rules: these flags with _ for -, and the keys of viriformat's
    /// Filter, whose defaults it starts from if it has any. Flags override it
    #[arg(long, value_name = "F.toml")]
    config: Option<PathBuf>,

    /// Drop if a noisy move's SEE is higher; 'none' lifts the preset's bound
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<Limit<i32>>(SEE))]
    max_see: Option<Limit<i32>>,

    /// Drop if the opponent, were it to move, had a noisy move with a higher SEE
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<Limit<i32>>(SEE))]
    max_threat: Option<Limit<i32>>,

    /// Do not drop for being in check
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    keep_checks: Option<bool>,

    /// Drop by the played move: quiet (it captures or promotes), normal (or castles),
    /// no-captures, empty-target (as no-captures, en passant passes), no-promotions,
    /// no-castling, see-ge0 (it captures, and the score is 0 or its SEE at least 0), or
    /// any (never). Several with commas
    #[arg(long, value_name = "RULES")]
    played: Option<PlayedRules>,

    /// Drop if the played move's SEE is lower
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<Limit<i32>>(SEE))]
    min_played_see: Option<Limit<i32>>,

    /// Drop if the played move's SEE is higher
    #[arg(long, value_name = "N", allow_negative_numbers = true, value_parser = number::<Limit<i32>>(SEE))]
    max_played_see: Option<Limit<i32>>,

    /// Drop if there is no score, or 32002, which stands for none
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    drop_unscored: Option<bool>,

    /// Drop if the score is further from 0, in centipawns
    #[arg(long, value_name = "N", value_parser = number::<Limit<u32>>(SCORE))]
    max_score: Option<Limit<u32>>,

    /// Drop if fewer half-moves were made since the start of the game
    #[arg(long, value_name = "N", value_parser = number::<u32>(PLIES))]
    min_ply: Option<u32>,

    /// Drop if there are fewer men on the board
    #[arg(long, value_name = "N", value_parser = number::<u32>(MEN))]
    min_pieces: Option<u32>,

    /// Drop if there are more men on the board
    #[arg(long, value_name = "N", value_parser = number::<Limit<u32>>(MOST_MEN))]
    max_pieces: Option<Limit<u32>>,

    /// Keep a record with this probability, drawn from the seed and the record (what it
    /// holds and where it begins in the file, so that equal positions are drawn apart):
    /// the same ones for any number of threads, others if the data are in another format
    #[arg(long, value_name = "P", value_parser = number::<f64>(PROBABILITY))]
    keep_fraction: Option<f64>,

    /// What draws depend on besides the record [default: 0]
    #[arg(long, value_name = "N", value_parser = number::<u64>(SEED))]
    seed: Option<u64>,

    /// Keep exactly what would be dropped
    #[arg(long, value_name = "BOOL", num_args = 0..=1, require_equals = true, default_missing_value = "true")]
    invert: Option<bool>,
}

/// A filter, and what SEE means to it.
pub struct Chosen {
    pub filter: Filter,
    pub rules: Rules,
    preset: Preset,
}

impl SettingsArgs {
    pub fn choose(&self, rules: &RulesArgs) -> Result<Chosen> {
        let config = self.config.as_deref().map(read).transpose()?;
        let config = config.unwrap_or_default();
        let preset = self.preset.unwrap_or_else(|| config.base());
        let mut filter = preset.filter();
        let name = shown::path(self.config.as_deref().unwrap_or(Path::new("")));
        config
            .apply(&mut filter)
            .map_err(|error| anyhow!("'{name}': {error}"))?;
        self.settings().apply(&mut filter)?;
        let rules = rules.rules_or(preset.rules().unwrap_or_default());
        Ok(Chosen {
            filter,
            rules,
            preset,
        })
    }

    fn settings(&self) -> Settings {
        Settings {
            max_see: self.max_see,
            max_threat: self.max_threat,
            keep_checks: self.keep_checks,
            played: self.played,
            min_played_see: self.min_played_see,
            max_played_see: self.max_played_see,
            drop_unscored: self.drop_unscored,
            max_score: self.max_score,
            min_ply: self.min_ply,
            min_pieces: self.min_pieces,
            max_pieces: self.max_pieces,
            keep_fraction: self.keep_fraction,
            seed: self.seed,
            invert: self.invert,
            ..Settings::default()
        }
    }
}

fn read(path: &Path) -> Result<Settings> {
    let name = shown::path(path);
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read '{name}'"))?;
    Settings::from_toml(&text).map_err(|error| anyhow!("'{name}': {error}"))
}

impl Chosen {
    /// The rules in words.
    pub fn explain(&self) -> String {
        let (preset, filter) = (self.preset, &self.filter);
        let mut parts = vec![format!("preset {preset}: {}", preset.about())];
        if *filter != preset.filter() {
            parts.push("Changed by the options given.".to_owned());
        }
        parts.push(self.clauses());
        let needs: Vec<String> = filter.needs().map(|field| format!("a {field}")).collect();
        if !needs.is_empty() {
            parts.push(format!("Each record must have {}.", needs.join(", ")));
        }
        if filter.needs_see() {
            parts.push(format!("SEE: {}", self.rules));
        }
        parts.join("\n\n") + "\n"
    }

    fn clauses(&self) -> String {
        let [these, others] = if self.filter.invert {
            ["kept", "dropped"]
        } else {
            ["dropped", "kept"]
        };
        let clauses = self.filter.clauses();
        if clauses.is_empty() {
            return format!("Every record is {others}.");
        }
        let mut lines = vec![format!(
            "A record is {these}, for the first of these reasons, where"
        )];
        lines.extend(
            clauses
                .into_iter()
                .map(|(reason, words)| format!("  {:<18}  {words}", reason.name())),
        );
        lines.push(format!("Every other record is {others}."));
        lines.join("\n")
    }
}
