//! `swaplist mix`: makes a training set of several files.

use std::io::{self, Write as _};
use std::path::PathBuf;

use anyhow::{Result, bail};
use clap::{ArgMatches, Command, FromArgMatches};
use swaplist::Evaluator;
use swaplist_files::filter::Preset;
use swaplist_files::formats::{Format, Scale};
use swaplist_files::jobs;
use swaplist_files::mix::{Identity, Keep, Mix, MixOptions, Order, SplitBy};
use swaplist_files::report;

use super::errors::CANCEL;
use super::filter::settings::SettingsArgs;
use super::options::{
    BackendArgs, LabelArgs, OutputArgs, RulesArgs, input_formats, number, one_of, output_format,
    writable,
};
use super::progress::Passes;
use super::session;

/// Makes one training set of any number of files, in any formats.
///
/// Merges, shuffles, filters, removes duplicates, takes a sample, and splits, in as few passes as
/// possible and in bounded memory. Without --shuffle, the records of each input keep their order
/// and all inputs are spread evenly over the output. With it, every order is equally likely, also
/// if the data are much larger than memory: then they go through temporary files of their size. The
/// same inputs, options and seed give the same bytes, for any number of threads and any memory.
///
/// In binpack and viriformat whole games and chains move, which keeps them small: with --records,
/// single positions do. The command fails before it begins if the disk surely has no room. What the
/// output's format cannot hold is listed before the run, as by `swaplist convert`.
///
/// The options under `Filter` drop records in the same pass, as `swaplist filter` would. Without
/// --preset, only the rules that are given drop any, except that an output with scores and no
/// played moves (text, bulletformat, marlinformat) gets no placeholders without --keep-placeholders.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 done, 1 invalid records were skipped, 2 could not run,
130 interrupted (after 2 and 130, nothing is written and nothing is left; but if only
--stats cannot be written, the mix is, and the message says so).

Examples:
  swaplist mix a.binpack b.binpack -o all.binpack
  swaplist mix *.viriformat -o train.data --shuffle --seed 1 --preset quiet
  swaplist mix *.plain -o all.plain --shuffle --split 95:5 --dedupe position
  swaplist mix big.data.zst -o part.data --shuffle --limit 1000000
  swaplist mix old.data new.data -o both.data --weight new.data=3")]
#[allow(clippy::struct_excessive_bools)] // switches
pub struct Args {
    /// Files of positions; - for standard input
    #[arg(
        required = true,
        value_name = "IN",
        help_heading = "Input and messages"
    )]
    inputs: Vec<PathBuf>,

    #[arg(long, value_name = "FORMAT", help = input_formats(), help_heading = "Input and messages")]
    from: Option<Format>,

    /// Name of the column with the FEN, in inputs that are tables [default: fen, or else epd]
    #[arg(long, value_name = "NAME", help_heading = "Input and messages")]
    fen_column: Option<String>,

    #[command(flatten)]
    labels: LabelArgs,

    /// Skip and count invalid records; the exit status is 1
    #[arg(long, help_heading = "Input and messages")]
    skip_invalid: bool,

    /// Print the summary as JSON, to standard output unless data goes there
    #[arg(long, help_heading = "Input and messages")]
    json: bool,

    /// Show no progress, no notes and no summary (except with --json)
    #[arg(long, short, help_heading = "Input and messages")]
    quiet: bool,

    /// Shuffle all records: every order is equally likely
    #[arg(long, help_heading = "Order")]
    shuffle: bool,

    /// Interleave in proportion to weights instead of sizes: N records of FILE for one of an input
    /// without a weight. When an input ends, the others take its turns. Repeat the option for each
    /// file that has a weight
    #[arg(long, value_name = "FILE=N", help_heading = "Order", allow_hyphen_values = true,
          value_parser = weight)]
    weight: Vec<ForInput<f64>>,

    /// Keep one record per position, or per placement of pieces whoever moves. The inputs are read
    /// twice
    #[arg(long, value_name = "WHAT", help_heading = "Records", value_parser = one_of::<Identity>())]
    dedupe: Option<Identity>,

    /// Which of several duplicates is left: the first, or a random one by the seed
    #[arg(long, value_name = "WHICH", help_heading = "Records", default_value_t = Keep::First,
          requires = "dedupe", value_parser = one_of::<Keep>())]
    dedupe_keep: Keep,

    /// Leave out the positions that this file holds, such as an old held-out set, in any format.
    /// Repeat the option for several files
    #[arg(long, value_name = "FILE", help_heading = "Records")]
    exclude: Vec<PathBuf>,

    /// Multiply the scores of FILE by F, from 0.001 to 1000, before any rule looks at them, to bring
    /// all inputs into one unit. Mates, from 31000 on, stay as they are, and other scores are
    /// clipped to 30999 and counted. Repeat the option for each file that has another unit
    #[arg(long, value_name = "FILE=F", help_heading = "Records", allow_hyphen_values = true,
          value_parser = scale)]
    scale: Vec<ForInput<Scale>>,

    /// Split the records at random into several outputs, in these proportions, such as 95:5
    #[arg(long, value_name = "A:B...", help_heading = "Output", value_parser = shares)]
    split: Option<Shares>,

    /// What stays together in a split: a position (no position is in two outputs) or a game (no
    /// game is)
    #[arg(long, value_name = "WHAT", help_heading = "Output", default_value_t = SplitBy::Position,
          requires = "split", value_parser = one_of::<SplitBy>())]
    by: SplitBy,

    /// The outputs of a split by name [default: OUT with -1, -2 ... before the extension]
    #[arg(long, value_name = "FILE", help_heading = "Output", num_args = 1.., requires = "split",
          conflicts_with = "output")]
    outputs: Vec<PathBuf>,

    #[command(flatten)]
    output: OutputArgs,

    #[arg(long, value_name = "FORMAT", help_heading = "Output", value_parser = output_format,
          help = format!("Format to write, if neither the inputs nor the name of OUT tell: {}", writable()))]
    to: Option<Format>,

    /// Drop castling rights that the format of OUT cannot hold, such as those of Chess960 in
    /// binpack, and leave out the records that castle by one; both are counted
    #[arg(long, help_heading = "Output")]
    drop_castling: bool,

    /// Also write the summary to a file, as JSON
    #[arg(long, value_name = "FILE", help_heading = "Output")]
    stats: Option<PathBuf>,

    /// In binpack and viriformat, write each record by itself instead of whole games and chains.
    /// The output becomes some ten times as large
    #[arg(long, help_heading = "Records")]
    records: bool,

    /// Take this share of the records, such as 0.1, or of the games and chains that stay whole
    #[arg(long, value_name = "SHARE", help_heading = "Records", allow_negative_numbers = true,
          value_parser = number(f64::MIN_POSITIVE..=1.0, "a share above 0 and up to 1"))]
    sample: Option<f64>,

    /// Stop after N records were written; with --shuffle, that is a random sample
    #[arg(long, value_name = "N", help_heading = "Records", allow_negative_numbers = true,
          value_parser = number(1..=u64::MAX, "a whole number, 1 or more"))]
    limit: Option<u64>,

    /// Memory for sorting, such as 500MB or 8GB; more needs fewer temporary files
    #[arg(long, value_name = "SIZE", help_heading = "Resources", default_value = "2GB", value_parser = bytes)]
    memory: u64,

    /// Folder for temporary files [default: that of OUT]
    #[arg(long, value_name = "DIR", help_heading = "Resources")]
    temp: Option<PathBuf>,

    #[command(flatten)]
    settings: MixSettings,
    #[command(flatten)]
    rules: RulesArgs,
    #[command(flatten)]
    backend: BackendArgs,
}

const SEED: &str = "Seed of all that is random: the shuffle, the split, the sample, the rules and --dedupe-keep \
                    random [default: 0]";
const PRESET: &str = "Drop by the rules of a preset: quiet, calm, still, played-calm, bullet, \
                      viriformat, nnue-pytorch, see-ge0 or none [default: none]; `swaplist filter \
                      --explain` prints them";

/// The filter's settings, of which two mean more here.
struct MixSettings(SettingsArgs);

impl clap::Args for MixSettings {
    fn augment_args(command: Command) -> Command {
        SettingsArgs::augment_args(command)
            .mut_arg("seed", |arg| arg.help(SEED))
            .mut_arg("preset", |arg| arg.help(PRESET))
    }

    fn augment_args_for_update(command: Command) -> Command {
        MixSettings::augment_args(command)
    }
}

impl FromArgMatches for MixSettings {
    fn from_arg_matches(matches: &ArgMatches) -> Result<MixSettings, clap::Error> {
        SettingsArgs::from_arg_matches(matches).map(MixSettings)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        self.0.update_from_arg_matches(matches)
    }
}

/// The value of `--split`: at least two numbers above 0.
#[derive(Clone)]
struct Shares(Vec<f64>);

/// Parses `--split`.
fn shares(text: &str) -> Result<Shares, String> {
    let parts = text.split(':').map(|part| {
        let share = part.trim().parse().ok();
        share.filter(|&share: &f64| share > 0.0 && share.is_finite())
    });
    let shares: Option<Vec<f64>> = parts.collect();
    shares
        .filter(|all| all.len() > 1)
        .map(Shares)
        .ok_or_else(|| format!("'{text}' is not a split, expected shares above 0 such as 95:5"))
}

/// A value for one of the inputs.
#[derive(Clone)]
struct ForInput<T> {
    file: PathBuf,
    value: T,
}

/// Parses `FILE=VALUE`.
fn for_input<T>(text: &str, parse: impl FnOnce(&str) -> Option<T>) -> Option<ForInput<T>> {
    let (file, value) = text.rsplit_once('=')?;
    let value = parse(value)?;
    (!file.is_empty()).then(|| ForInput {
        file: file.into(),
        value,
    })
}

/// Parses `--weight`.
fn weight(text: &str) -> Result<ForInput<f64>, String> {
    let parsed = for_input(text, |weight| {
        let weight = weight.parse().ok();
        weight.filter(|&weight: &f64| weight > 0.0 && weight.is_finite())
    });
    parsed.ok_or_else(|| format!("'{text}' is not a weight, expected FILE=N with N above 0"))
}

/// Parses `--scale`.
fn scale(text: &str) -> Result<ForInput<Scale>, String> {
    for_input(text, |factor| factor.parse().ok()).ok_or_else(|| {
        format!("'{text}' is not a scale, expected FILE=F with F from 0.001 to 1000")
    })
}

/// Parses `--memory`: a number of bytes with a unit, 16 MB or more.
#[allow(clippy::cast_sign_loss)]
fn bytes(text: &str) -> Result<u64, String> {
    let wrong = || {
        let least = "16MB";
        format!("'{text}' is not a size of memory, expected {least} or more, such as 2GB")
    };
    let unit_at = text.find(|c: char| !c.is_ascii_digit() && c != '.');
    let (digits, unit) = text.split_at(unit_at.unwrap_or(text.len()));
    let factor = match unit.trim().to_ascii_uppercase().as_str() {
        "KB" | "K" => 1e3,
        "MB" | "M" => 1e6,
        "GB" | "G" => 1e9,
        "TB" | "T" => 1e12,
        "KIB" => 1024.0,
        "MIB" => 1024.0 * 1024.0,
        "GIB" => 1024.0 * 1024.0 * 1024.0,
        "" | "B" => 1.0,
        _ => return Err(wrong()),
    };
    let number: f64 = digits.parse().map_err(|_| wrong())?;
    let bytes = number * factor;
    // The upper bound is far above any memory, and fits in the result.
    if (16e6..1e18).contains(&bytes) {
        Ok(bytes as u64)
    } else {
        Err(wrong())
    }
}

/// Mixes; returns whether no record was invalid.
pub fn run(args: &Args) -> Result<bool> {
    let progress = Passes::new(args.quiet);
    let options = args.options()?;
    let has_filter = options.filter.is_some();
    let mut mix = Mix::new(&args.inputs, options)?.watch(|event| progress.tell(event));
    mix = if args.outputs.is_empty() {
        mix.write_to(args.output.output.as_deref())?
    } else {
        mix.write_each(&args.outputs)?
    };
    if let Some(path) = &args.stats {
        mix = mix.beside(path, |summary| session::json_text(&summary.table().json))?;
    }
    let on_stdout = mix.writes_stdout();
    if on_stdout {
        session::stdout_must_be_open()?;
    }
    let evaluator = if has_filter {
        args.backend.evaluator(args.quiet)?
    } else {
        Evaluator::cpu()
    };
    let summary = mix.run(&evaluator)?;
    // Clears the progress bar before the summary is printed.
    drop(progress);
    let table = summary.table();
    let json = session::json_text(&table.json);
    match args.json {
        true if !on_stdout => session::print(&json)?,
        true => tell(&json),
        false if args.quiet => {}
        false => tell(&table.to_string()),
    }
    Ok(summary.is_sound())
}

/// Prints text to standard error.
fn tell(text: &str) {
    // If standard error is closed, there is nobody to tell.
    let _ = io::stderr().write_all(text.as_bytes());
}

impl Args {
    /// The options of the mix.
    fn options(&self) -> Result<MixOptions> {
        let filter = self.settings.0.rules(Preset::None, &self.rules)?;
        let split = self.split.clone().map(|shares| shares.0);
        Ok(MixOptions {
            job: jobs::Options {
                from: self.from,
                fen_column: self.fen_column.clone(),
                labels: self.labels.columns(),
                to: self.to,
                limit: self.limit,
                drop_castling: self.drop_castling,
                skip_invalid: self.skip_invalid,
                reads: self.settings.0.config.iter().cloned().collect(),
                cancel: CANCEL.clone(),
                ..self.output.options(self.backend.options())
            },
            order: self.order()?,
            scales: self.scales()?,
            seed: self.settings.0.seed(),
            dedupe: self.dedupe,
            dedupe_keep: self.dedupe_keep,
            exclude: self.exclude.clone(),
            split: split.unwrap_or_default(),
            split_by: self.by,
            filter,
            sample: self.sample,
            records: self.records,
            memory: Some(self.memory),
            temp: self.temp.clone(),
        })
    }

    /// The order of the output, by `--shuffle` and `--weight`. Fails if there are both, if a
    /// weight's file is not an input, or if it has two weights.
    fn order(&self) -> Result<Order> {
        if self.shuffle && !self.weight.is_empty() {
            bail!(
                "--weight does not go with --shuffle: a shuffle takes each record once and all \
                 orders are equally likely, so everywhere in the output the inputs have the \
                 proportion of their records; shuffle each input by itself and mix the results \
                 with --weight, or take less of one first, with --sample"
            );
        }
        if self.shuffle {
            return Ok(Order::Shuffle);
        }
        if self.weight.is_empty() {
            return Ok(Order::Interleaved);
        }
        let weights = self.of_inputs("--weight", &self.weight)?;
        // An input without a weight has 1.
        let weights = weights.into_iter().map(|weight| weight.unwrap_or(1.0));
        Ok(Order::Weighted(weights.collect()))
    }

    /// What the scores of each input are multiplied by, by `--scale`.
    fn scales(&self) -> Result<Vec<Option<Scale>>> {
        self.of_inputs("--scale", &self.scale)
    }

    /// The value that an option gives each input, if it gives one. Fails if a file is not an input,
    /// or has two values.
    fn of_inputs<T: Copy>(&self, option: &str, given: &[ForInput<T>]) -> Result<Vec<Option<T>>> {
        let mut values = vec![None; self.inputs.len()];
        for (number, ForInput { file, value }) in given.iter().enumerate() {
            if given[..number].iter().any(|other| other.file == *file) {
                bail!("{option} {}: it is given twice", report::path(file));
            }
            let mut is_input = false;
            for (input, input_value) in self.inputs.iter().zip(&mut values) {
                if input == file {
                    *input_value = Some(*value);
                    is_input = true;
                }
            }
            if !is_input {
                bail!(
                    "{option} {}: it is not one of the inputs",
                    report::path(file)
                );
            }
        }
        Ok(values)
    }
}
