//! Options that several commands share, and the parsers of their values. Doc comments of fields are
//! the texts of `--help`.

use anyhow::{Context as _, Result, bail};
use clap::builder::{PossibleValuesParser, TypedValueParser};
use clap::{ArgGroup, Args};
use std::ffi::OsStr;
use std::io::{self, IsTerminal as _, Write as _};
use std::ops::RangeInclusive;
use std::path::PathBuf;
use std::str::FromStr;
use swaplist::{
    Announcement, BackendChoice, Choice, CpuPath, EnPassant, Evaluator, FirstPromotion, ParseError,
    PieceValues, Pins, Profile, RecapturePromotion, Rules,
};
use swaplist_files::filter;
use swaplist_files::formats::compressed::Compression;
use swaplist_files::formats::{Format, LabelColumns, ResultValues, ScoreView};
use swaplist_files::jobs::{Options, Rows, thread_count};

/// The rules of the SEE.
#[derive(Args, Clone)]
#[command(next_help_heading = "Rules")]
pub struct RulesArgs {
    /// Named rules: swap (CPW's algorithm), sf8 (Stockfish 8 to 10), sf (Stockfish
    /// since 2019) or legal (legal captures only) [default: swap]
    #[arg(long, value_name = "NAME")]
    profile: Option<Profile>,

    /// Piece values: cpw, stockfish, 1-3-3-5-9, or five numbers P,N,B,R,Q between
    /// -30000 and 30000 [default: cpw]
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub values: Option<PieceValues>,

    /// Overrides the profile: which pinned pieces may not recapture (none, sf8, sf, legal)
    #[arg(long, value_name = "RULE")]
    pins: Option<Pins>,

    /// Overrides the profile: value of an en-passant first move (exact, zero)
    #[arg(long, value_name = "RULE")]
    en_passant: Option<EnPassant>,

    /// Overrides the profile: value of a promotion as the first move (full, pawn, zero)
    #[arg(long, value_name = "RULE")]
    first_promotion: Option<FirstPromotion>,

    /// Overrides the profile: what a pawn that recaptures on the last rank becomes (pawn,
    /// queen)
    #[arg(long, alias = "inside-promotion", value_name = "RULE")]
    recapture_promotion: Option<RecapturePromotion>,
}

impl RulesArgs {
    /// The profile, if one is named.
    pub const fn profile(&self) -> Option<Profile> {
        self.profile
    }

    /// Whether an option overrides a rule of the profile.
    pub const fn overrides_profile(&self) -> bool {
        self.pins.is_some()
            || self.en_passant.is_some()
            || self.first_promotion.is_some()
            || self.recapture_promotion.is_some()
    }

    /// The rules that the options give, from the default ones.
    pub fn rules(&self) -> Rules {
        self.over(Rules::default())
    }

    /// These rules, changed by the options. A profile replaces all rules but the piece values;
    /// single options override the profile.
    pub fn over(&self, rules: Rules) -> Rules {
        let values = self.values.unwrap_or(rules.values);
        let base = match self.profile {
            Some(profile) => Rules::new(profile, values),
            None => Rules { values, ..rules },
        };
        Rules {
            pins: self.pins.unwrap_or(base.pins),
            en_passant: self.en_passant.unwrap_or(base.en_passant),
            first_promotion: self.first_promotion.unwrap_or(base.first_promotion),
            recapture_promotion: self.recapture_promotion.unwrap_or(base.recapture_promotion),
            ..base
        }
    }
}

// What computes, and on how many threads. (Not a doc comment: clap would take it for the help of a
// command.)
#[derive(Args, Clone)]
#[command(next_help_heading = "Backend")]
pub struct BackendArgs {
    /// What computes: auto (the CPU, or a real GPU if measured to be faster), cpu, gpu (the best
    /// real GPU) or gpu:NAME (also a software adapter, such as gpu:llvmpipe)
    #[arg(long, value_name = "WHAT", default_value_t = BackendChoice::Auto)]
    pub backend: BackendChoice,

    /// Fail if there is no such GPU, or with auto no real one; without this, the CPU takes over
    #[arg(long)]
    pub require_gpu: bool,

    /// Worker threads, up to 1024 [default: one per core]
    #[arg(long, value_name = "N", value_parser = threads(), allow_negative_numbers = true)]
    pub threads: Option<usize>,

    /// The CPU's code path: scalar, avx2 or avx512 [default: the fastest available]
    #[arg(long, value_name = "PATH", hide_possible_values = true,
          value_parser = one_of_names::<CpuPath>(["scalar", "avx2", "avx512"]))]
    pub cpu: Option<CpuPath>,

    /// How many GPU answers of each batch to recompute on the CPU; where the GPU filters the file
    /// itself, of each block of it, and a game or chain counts as 32
    #[arg(long, value_name = "N", default_value_t = swaplist::evaluator::DEFAULT_AUDIT,
          allow_negative_numbers = true, value_parser = number(0..=usize::MAX, "a whole number of answers, 0 or more"))]
    pub audit: usize,
}

impl BackendArgs {
    /// Starts rayon's global threads, for commands that ask about whole batches; returns their
    /// number. Jobs start workers of their own.
    pub fn threads(&self) -> Result<usize> {
        start_threads(self.threads)
    }

    /// Opens the backend. `quiet` leaves out the announcement of an automatic choice. Fails if a
    /// GPU is required and missing.
    pub fn evaluator(&self, quiet: bool) -> Result<Evaluator> {
        let threads = thread_count(self.threads);
        self.evaluator_for(self.choice()?, threads, quiet)
    }

    /// Opens this backend instead of the one asked for. `threads` is the number of threads that
    /// will call the evaluator at the same time.
    pub fn evaluator_for(
        &self,
        choice: &BackendChoice,
        threads: usize,
        quiet: bool,
    ) -> Result<Evaluator> {
        let opened = Evaluator::new(choice);
        if self.require_gpu
            && let Some(problem) = opened.report().fallback
        {
            bail!(problem);
        }
        let evaluator = opened.audit(self.audit).callers(threads);
        let evaluator = announced(evaluator, quiet, print_announcement);
        Ok(evaluator.cpu_path(self.cpu_path())?)
    }

    /// The backend to use: that of `--backend`, or a GPU if one is required.
    pub fn choice(&self) -> Result<&BackendChoice> {
        match &self.backend {
            BackendChoice::Cpu if self.require_gpu => bail!(
                "--backend cpu asks for no GPU and --require-gpu for one; leave out one of them"
            ),
            BackendChoice::Auto if self.require_gpu => Ok(&BackendChoice::Gpu(None)),
            choice => Ok(choice),
        }
    }

    /// The options of a job.
    pub fn options(&self) -> Options {
        Options {
            threads: self.threads,
            cpu_path: self.cpu_path(),
            ..Options::default()
        }
    }

    /// The CPU's code path: that of `--cpu`, or the fastest.
    pub fn cpu_path(&self) -> CpuPath {
        self.cpu.unwrap_or_else(CpuPath::best)
    }
}

/// Starts rayon's global threads: this many, or one per core. Returns their number.
pub fn start_threads(threads: Option<usize>) -> Result<usize> {
    let threads = thread_count(threads);
    let pool = rayon::ThreadPoolBuilder::new().num_threads(threads);
    pool.build_global()
        .with_context(|| format!("cannot start {threads} worker threads"))?;
    Ok(threads)
}

/// The evaluator with its messages shown; those about an automatic choice not if `quiet`. That the
/// CPU takes over is always shown.
fn announced(
    evaluator: Evaluator,
    quiet: bool,
    show: impl Fn(&Announcement) + Send + Sync + 'static,
) -> Evaluator {
    evaluator.announce(move |message| match message {
        Announcement::Choice(_) if quiet => {}
        _ => show(message),
    })
}

/// Prints a message, clearing the progress bar.
fn print_announcement(message: &Announcement) {
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() {
        "\r\x1b[2K"
    } else {
        ""
    };
    let _ = writeln!(stderr, "{clear}swaplist: {message}");
}

/// A parser of a number in a range. `expected` describes it in error messages.
pub fn number<T: FromStr + PartialOrd + Clone + 'static>(
    range: RangeInclusive<T>,
    expected: &'static str,
) -> impl Fn(&str) -> Result<T, ParseError> + Clone {
    move |text| filter::parse_number(text, range.clone(), expected)
}

/// Parses `--to`: the formats that can only be read are not offered.
pub fn output_format(name: &str) -> Result<Format, String> {
    name.parse()
        .map_err(|_| format!("unknown format '{name}', expected one of: {}", writable()))
}

/// The names of the formats that can be written.
pub fn writable() -> String {
    names(|format| format.spec().is_convertible_to)
}

/// The names of the formats for which a test holds, with commas.
pub fn names(is_meant: impl Fn(Format) -> bool) -> String {
    let formats = Format::ALL.iter().filter(|format| is_meant(**format));
    let names: Vec<_> = formats.map(|format| format.name()).collect();
    names.join(", ")
}

/// The help of `--from`: each format, with the file extensions that are not its name.
pub fn input_formats() -> String {
    let formats: Vec<_> = Format::ALL
        .iter()
        .map(|format| {
            let name = format.name();
            let extensions = format.spec().extensions.iter();
            let others: Vec<_> = extensions
                .filter(|extension| **extension != name)
                .map(|extension| format!(".{extension}"))
                .collect();
            if others.is_empty() {
                name.to_owned()
            } else {
                format!("{name} ({})", others.join(", "))
            }
        })
        .collect();
    let list = formats.join(", ");
    format!("Format of the input, if it cannot be detected: {list}")
}

/// A parser of a choice's name.
pub fn one_of<T>() -> impl TypedValueParser<Value = T>
where
    T: Choice + FromStr<Err = swaplist::ParseError> + Send + Sync,
{
    one_of_names(T::ALL.iter().map(|choice| choice.name()))
}

/// A parser of some of the names of a type.
fn one_of_names<T>(
    names: impl IntoIterator<Item = &'static str>,
) -> impl TypedValueParser<Value = T>
where
    T: FromStr<Err = swaplist::ParseError> + Clone + Send + Sync + 'static,
{
    PossibleValuesParser::from(names).try_map(|name| name.parse())
}

/// The parser of `--threads`. More than 1024 would only cost memory.
pub fn threads() -> impl Fn(&str) -> Result<usize, ParseError> + Clone {
    number(1..=1024, "a number of threads from 1 to 1024")
}

// The input of a job, and what is printed about it.
#[derive(Args, Clone)]
#[command(next_help_heading = "Input and messages")]
pub struct InputArgs {
    /// File of positions (a line of text is 1 MiB long at most); - or nothing for standard
    /// input
    pub input: Option<PathBuf>,

    #[arg(long, value_name = "FORMAT", help = input_formats())]
    pub from: Option<Format>,

    /// Name of the column with the FEN, if the input is a table [default: fen, or else epd]
    #[arg(long, value_name = "NAME")]
    pub fen_column: Option<String>,

    /// Skip and count invalid records; the exit status is 1
    #[arg(long)]
    pub skip_invalid: bool,

    /// Print the summary as JSON, to standard output unless data goes there
    #[arg(long)]
    pub json: bool,

    /// Show no progress, no notes and no summary (except with --json)
    #[arg(long, short)]
    pub quiet: bool,
}

// The columns of a table that hold the score and the result.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Input and messages")]
#[group(skip)]
#[command(group = ArgGroup::new("label_column").args(["score_column", "result_column"]).multiple(true))]
pub struct LabelArgs {
    /// Name of the column with the score in centipawns, if the input is a table, or its number
    /// from 1 on if the table has no header [default: scores are not read]
    #[arg(long, value_name = "NAME")]
    score_column: Option<String>,

    /// Name or number of the column with the result [default: results are not read]
    #[arg(long, value_name = "NAME")]
    result_column: Option<String>,

    /// Whose view these scores and results are [default: white, with a note]. A result such as 1-0
    /// is always White's
    #[arg(long, value_name = "VIEW", requires = "label_column", value_parser = one_of::<ScoreView>())]
    score_view: Option<ScoreView>,

    /// How the result says won, drawn and lost. 1-0, 1/2-1/2 and 0-1 are always read
    #[arg(long, value_name = "VALUES", requires = "result_column", default_value_t,
          value_parser = one_of::<ResultValues>())]
    result_values: ResultValues,
}

impl LabelArgs {
    /// The columns, as options of a job.
    pub fn columns(&self) -> LabelColumns {
        LabelColumns {
            score: self.score_column.clone(),
            result: self.result_column.clone(),
            view: self.score_view,
            values: self.result_values,
        }
    }
}

// The output of a job.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// File to write; - or nothing for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace existing files
    #[arg(long)]
    pub force: bool,

    // 0 is refused when the output is created, by a message that names the levels.
    /// Compression level for .zst (1 to 22) or .gz (1 to 9) [default: 3 for .zst, 6 for .gz]
    #[arg(long, value_name = "N", value_parser = number(0..=u32::MAX, "a whole number, 1 or more"), allow_negative_numbers = true)]
    pub level: Option<u32>,
}

/// Files beside the output.
#[derive(Args, Clone)]
#[command(next_help_heading = "Output")]
pub struct SideArgs {
    /// Also write the summary to a file, as JSON
    #[arg(long, value_name = "FILE")]
    pub stats: Option<PathBuf>,

    /// Also write a page with bars of the records read and kept to a file
    #[arg(long, value_name = "FILE.html")]
    pub report: Option<PathBuf>,
}

impl OutputArgs {
    /// A job's options, with those of its output added.
    pub fn options(&self, options: Options) -> Options {
        Options {
            replace: self.force,
            level: self.level,
            ..options
        }
    }

    /// The format of rows: that of `--to`, or else by the output's name, without `.zst` or `.gz`,
    /// or else TSV. Fails if the name asks for CSV.
    pub fn rows(&self, to: Option<Rows>) -> Result<Rows> {
        let path = self.output.as_deref().map(Compression::split);
        let extension = path.and_then(|(stem, _)| stem.extension());
        Ok(match (to, extension.and_then(OsStr::to_str)) {
            (Some(rows), _) => rows,
            (None, Some("json" | "jsonl")) => Rows::Jsonl,
            (None, Some("csv")) => {
                bail!("csv is not written: name OUT .tsv or .jsonl, or give --to")
            }
            _ => Rows::Tsv,
        })
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::fake::Fake;
    use std::sync::{Arc, mpsc};
    use std::time::{Duration, Instant};
    use swaplist::backend::{Backend, BackendError, Cpu};
    use swaplist::{Batch, Position, noisy_moves};

    /// What is shown of a choice between the CPU and a device, and then of its failure.
    fn shown(quiet: bool) -> Vec<String> {
        let open = || {
            let device =
                Fake::new(|question, rules, answers| Cpu::new().answer(question, rules, answers));
            Ok(Some(Arc::new(device) as Arc<dyn Backend>))
        };
        let (sender, receiver) = mpsc::channel();
        let evaluator = Evaluator::auto_with(open, Duration::ZERO);
        let evaluator = announced(evaluator, quiet, move |message| {
            sender.send(message.to_string()).unwrap();
        });
        let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
        let mut batch = Batch::new();
        for _ in 0..10_000 {
            batch.push(position, noisy_moves(&position));
        }
        let deadline = Instant::now() + Duration::from_mins(2);
        while evaluator.report().choice.is_none() {
            evaluator.scores(&batch, &Rules::SWAP);
            assert!(Instant::now() < deadline, "it is never decided");
        }
        evaluator.fail(&BackendError::NoAdapter("it broke".to_owned()));
        receiver.try_iter().collect()
    }

    #[test]
    fn quiet_hides_what_was_chosen_but_not_a_failure() {
        let [choice, failure] = &shown(false)[..] else {
            panic!("a choice and a failure are shown")
        };
        assert!(choice.starts_with("backend: "), "{choice}");
        assert!(failure.contains("it broke"), "{failure}");
        assert_eq!(shown(true), std::slice::from_ref(failure));
    }
}
