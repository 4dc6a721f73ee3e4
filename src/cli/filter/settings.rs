//! The filter's settings: flags, preset and file.

use std::path::{Path, PathBuf};

use anyhow::{Context as _, Result, anyhow};
use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};
use swaplist::Rules;
use swaplist::filter::{Filter, Key, Preset, Setting, Settings, name_of};

use crate::cli::options::RulesArgs;
use swaplist::jobs::shown;

/// The rules: a preset, changed by a file, changed by flags.
#[derive(clap::Args)]
#[command(next_help_heading = "Filter")]
pub struct SettingsArgs {
    /// Rules to start from: quiet, calm, still, played-calm, bullet, viriformat, nnue-pytorch,
    /// see-ge0 or none [default: quiet]; --explain prints them
    #[arg(long, value_name = "NAME")]
    preset: Option<Preset>,

    /// TOML file of rules: these flags with _ for -, or the keys of viriformat's Filter, which
    /// start from its defaults. Flags override it
    #[arg(long, value_name = "F.toml")]
    config: Option<PathBuf>,

    #[command(flatten)]
    keys: Keys,
}

/// A flag for each filter key with a help text.
struct Keys(Vec<(&'static str, Setting)>);

fn flags() -> impl Iterator<Item = &'static Key> {
    Key::all().filter(|key| !key.help.is_empty())
}

impl Args for Keys {
    fn augment_args(command: Command) -> Command {
        flags().fold(command, |command, key| {
            let arg = Arg::new(key.name)
                .long(key.name.replace('_', "-"))
                .value_name(key.value_name())
                .help(key.help)
                .value_parser(|text: &str| key.parse(text));
            command.arg(if key.is_switch() {
                arg.num_args(0..=1)
                    .require_equals(true)
                    .default_missing_value("true")
            } else {
                arg.allow_negative_numbers(true)
            })
        })
    }

    fn augment_args_for_update(command: Command) -> Command {
        Keys::augment_args(command)
    }
}

impl FromArgMatches for Keys {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Keys, clap::Error> {
        let value = |key: &Key| Some((key.name, matches.get_one::<Setting>(key.name)?.clone()));
        Ok(Keys(flags().filter_map(value).collect()))
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        *self = Keys::from_arg_matches(matches)?;
        Ok(())
    }
}

/// A filter with the rules of its SEE.
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
        config.apply(&mut filter)?; // cannot fail: it was checked when it was read
        self.settings()?.apply(&mut filter)?;
        let rules = rules.rules_or(preset.rules().unwrap_or_default());
        Ok(Chosen {
            filter,
            rules,
            preset,
        })
    }

    fn settings(&self) -> Result<Settings> {
        let mut settings = Settings::default();
        for (name, value) in &self.keys.0 {
            settings.set(name, value.clone())?;
        }
        Ok(settings)
    }
}

fn read(path: &Path) -> Result<Settings> {
    let name = shown::path(path);
    let text = std::fs::read_to_string(path).with_context(|| format!("cannot read '{name}'"))?;
    Settings::from_toml(&text).map_err(|error| anyhow!("'{name}': {error}"))
}

impl Chosen {
    /// The rules as text.
    pub fn explain(&self) -> String {
        let (preset, filter) = (self.preset, &self.filter);
        let mut parts = vec![format!("preset {preset}: {}", preset.about())];
        if *filter != preset.filter() {
            parts.push("Changed by the options given.".to_owned());
        }
        parts.push(self.clauses());
        let needs: Vec<String> = filter
            .needs()
            .map(|field| format!("a {}", name_of(field)))
            .collect();
        if !needs.is_empty() {
            parts.push(format!("Each record must have {}.", needs.join(", ")));
        }
        if filter.needs_see() {
            parts.push(format!("SEE: {}", self.rules));
        }
        parts.join("\n\n") + "\n"
    }

    fn clauses(&self) -> String {
        let [these, others] = if self.filter.is_inverted() {
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
