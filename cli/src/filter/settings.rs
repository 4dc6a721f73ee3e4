//! The filter's settings: the rules of a preset, changed by a file, changed by flags.
//!
//! Flags, keys of the file and their help are one table of the library (`FLAGS`), so clap's
//! arguments are made of it here instead of a field for each.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::builder::PossibleValuesParser;
use clap::error::ErrorKind;
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use swaplist::Choice;
use swaplist_files::filter::{FLAGS, Flag};
use swaplist_files::filter::{Filter, Preset, Settings, name_of};
use swaplist_files::jobs::Mode;
use swaplist_files::report;

use crate::options::RulesArgs;

/// The rules: a preset, changed by a file, changed by flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Filter")]
pub struct SettingsArgs {
    /// TOML file of rules: these flags with _ for -, or the keys of viriformat's Filter, which
    /// start from its defaults. Flags override it
    #[arg(long, value_name = "F.toml")]
    pub config: Option<PathBuf>,

    #[command(flatten)]
    flags: Flags,
}

/// The settings that flags give.
struct Flags(Settings);

impl Args for Flags {
    fn augment_args(command: Command) -> Command {
        FLAGS.iter().fold(command, |command, flag| {
            let mut arg = Arg::new(flag.name)
                .long(flag.name.replace('_', "-"))
                .value_name(flag.value_name)
                .help(flag.help);
            arg = match flag.name {
                // Named for completions; the help has them in words.
                "preset" => arg
                    .value_parser(PossibleValuesParser::new(
                        Preset::ALL.iter().map(|preset| preset.name()),
                    ))
                    .hide_possible_values(true),
                _ => arg.value_parser(|text: &str| checked(flag, text)),
            };
            command.arg(if flag.is_switch {
                arg.num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true")
            } else {
                arg.allow_negative_numbers(true)
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Flags::augment_args(command)
    }
}

/// The text of a flag's value, unchanged. An error says what is wrong with it.
fn checked(flag: &Flag, text: &str) -> Result<String, String> {
    let result = Settings::default().set(flag.name, text);
    result
        .map(|()| text.to_owned())
        .map_err(|error| error.to_string())
}

impl FromArgMatches for Flags {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Flags, clap::Error> {
        let mut settings = Settings::default();
        for flag in FLAGS {
            if let Some(text) = matches.get_one::<String>(flag.name) {
                settings
                    .set(flag.name, text)
                    .map_err(|error| clap::Error::raw(ErrorKind::InvalidValue, error))?;
            }
        }
        Ok(Flags(settings))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Flags::from_arg_matches(matches)?;
        Ok(())
    }
}

impl SettingsArgs {
    /// The filter, and the preset that it was made of.
    pub fn choose(&self, rules: &RulesArgs) -> Result<(Filter, Preset)> {
        let config = self
            .config
            .as_deref()
            .map(read)
            .transpose()?
            .unwrap_or_default();
        let flags = &self.flags.0;
        let preset = flags.preset.unwrap_or_else(|| config.base());
        let filter = preset.filter().changed(&config)?.changed(flags)?;
        let rules = rules.over(*filter.see_rules());
        Ok((filter.with_see_rules(rules), preset))
    }

    /// The filter that the options ask for: the rules of the preset that they name, or else of
    /// `default`, with the rules that they change. `None` if they name no preset and no rule; a
    /// seed alone is not a rule.
    pub fn rules(&self, default: Preset, rules: &RulesArgs) -> Result<Option<Filter>> {
        let flags = &self.flags.0;
        let seed = Settings {
            seed: flags.seed,
            ..Settings::default()
        };
        if self.config.is_none() && *flags == seed {
            return Ok(None);
        }
        let config = self.config.as_deref().map(read).transpose()?;
        let of_config = config.as_ref().map(Settings::base);
        let preset = flags.preset.or(of_config).unwrap_or(default);
        let filter = preset
            .filter()
            .changed(&config.unwrap_or_default())?
            .changed(flags)?;
        let rules = rules.over(*filter.see_rules());
        Ok(Some(filter.with_see_rules(rules)))
    }

    /// Whether no rule, preset or file of rules is given.
    pub fn is_empty(&self) -> bool {
        self.config.is_none() && self.flags.0 == Settings::default()
    }

    /// The seed, if one is given.
    pub const fn seed(&self) -> Option<u64> {
        self.flags.0.seed
    }
}

/// Reads a file of settings.
fn read(path: &Path) -> Result<Settings> {
    let name = report::path(path);
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read '{name}'"))?;
    Settings::from_toml(&text).map_err(|error| anyhow!("'{name}': {error}"))
}

/// A filter's rules as text. `mode` is that of `--mode`; without one it depends on the format.
pub fn explain(filter: &Filter, preset: Preset, mode: Option<Mode>) -> String {
    let mut parts = vec![format!("preset {preset}: {}", preset.about())];
    if *filter != preset.filter().with_see_rules(*filter.see_rules()) {
        parts.push("Changed by the options given.".to_owned());
    }
    let mut actions = match mode {
        Some(Mode::Mark) => ["marked with the score 32002", "kept"],
        Some(Mode::Drop) => ["dropped", "kept"],
        None => ["dropped or marked", "kept"],
    };
    if filter.is_inverted() {
        actions.reverse();
    }
    let [of_these, of_others] = actions;
    let clause_lines = filter
        .clauses()
        .map(|(reason, words)| format!("  {:<18}  {words}\n", reason.name()));
    parts.push(match clause_lines.collect::<String>() {
        none if none.is_empty() => format!("Every record is {of_others}."),
        clauses => format!(
            "A record is {of_these}, for the first of these reasons, where\n{clauses}\
             Every other record is {of_others}."
        ),
    });
    let needs: Vec<String> = filter
        .needs()
        .map(|field| format!("a {}", name_of(field)))
        .collect();
    if !needs.is_empty() {
        parts.push(format!("Each record must have {}.", needs.join(", ")));
    }
    if filter.needs_see() {
        parts.push(format!("SEE: {}", filter.see_rules()));
    }
    parts.join("\n\n") + "\n"
}
