//! Options that mean the same for every command.

use anyhow::Result;
use clap::Args;
use std::io::{self, IsTerminal as _, Write as _};
use std::num::NonZeroUsize;
use std::path::PathBuf;
use std::str::FromStr;
use swaplist::formats::Format;
use swaplist::jobs;
use swaplist::{
    Choice, CpuPath, EnPassant, Evaluator, FirstPromotion, InsidePromotion, PieceValues, Pins,
    Profile, Rules,
};

use super::threads;

/// What "SEE" is taken to mean.
#[derive(Args, Clone)]
#[command(next_help_heading = "Rules")]
pub struct RulesArgs {
    /// Named rules: swap (CPW's algorithm), sf8 (Stockfish 8 to 10), sf (Stockfish
    /// since 2019) or legal (legal captures only) [default: swap]
    #[arg(long, value_name = "NAME")]
    pub profile: Option<Profile>,

    /// Piece values: cpw, stockfish, 1-3-3-5-9, or five numbers P,N,B,R,Q between
    /// -30000 and 30000 [default: cpw]
    #[arg(long, value_name = "VALUES", allow_hyphen_values = true)]
    pub values: Option<PieceValues>,

    /// Overrides the profile: who is barred by a pin (none, sf8, sf, legal)
    #[arg(long, value_name = "RULE")]
    pub pins: Option<Pins>,

    /// Overrides the profile: en passant as the first move (exact, zero)
    #[arg(long, value_name = "RULE")]
    pub en_passant: Option<EnPassant>,

    /// Overrides the profile: promotion as the first move (full, pawn, zero)
    #[arg(long, value_name = "RULE")]
    pub first_promotion: Option<FirstPromotion>,

    /// Overrides the profile: what recaptures on the last rank (pawn, queen)
    #[arg(long, value_name = "RULE")]
    pub inside_promotion: Option<InsidePromotion>,
}

impl RulesArgs {
    /// The profile's rules, with single options overridden.
    pub fn rules(&self) -> Rules {
        self.rules_or(Rules::default())
    }

    /// The same with other defaults.
    pub fn rules_or(&self, default: Rules) -> Rules {
        let profile = self.profile.or(default.profile()).unwrap_or_default();
        self.of(profile, self.values.unwrap_or(default.values))
    }

    /// The same overrides over another profile.
    pub fn of_profile(&self, profile: Profile) -> Rules {
        self.of(profile, self.values.unwrap_or_default())
    }

    fn of(&self, profile: Profile, values: PieceValues) -> Rules {
        let rules = Rules::new(profile, values);
        Rules {
            pins: self.pins.unwrap_or(rules.pins),
            en_passant: self.en_passant.unwrap_or(rules.en_passant),
            first_promotion: self.first_promotion.unwrap_or(rules.first_promotion),
            inside_promotion: self.inside_promotion.unwrap_or(rules.inside_promotion),
            ..rules
        }
    }
}

/// What computes.
#[derive(Args, Clone)]
#[command(next_help_heading = "Backend")]
pub struct BackendArgs {
    /// What computes: auto (the CPU, or a real GPU where that is measured to be faster),
    /// cpu, gpu or gpu:NAME
    #[arg(long, value_name = "WHAT", default_value_t = Choice::Auto)]
    pub backend: Choice,

    /// Worker threads, up to 1024 [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    pub threads: Option<NonZeroUsize>,

    /// The CPU's code path: scalar, avx2 or avx512 [default: the fastest it has]
    #[arg(long, value_name = "PATH")]
    pub cpu: Option<CpuPath>,

    /// How many of a GPU's scores of each batch are computed again on the CPU
    #[arg(long, value_name = "N", default_value_t = swaplist::evaluator::DEFAULT_AUDIT,
          value_parser = number::<usize>("a whole number of scores, 0 or more"))]
    pub audit: usize,
}

impl BackendArgs {
    /// The number of worker threads; the CPU backend is told too.
    pub fn threads(&self) -> Result<usize> {
        let threads = threads::count(self.threads);
        jobs::threads::start_shared(threads)?;
        Ok(threads)
    }

    /// For so many worker threads, which are the CPU's.
    pub fn evaluator(&self, threads: usize, quiet: bool) -> Result<Evaluator> {
        let evaluator = Evaluator::new(&self.backend)
            .audit(self.audit)
            .callers(threads)
            .quiet(quiet)
            .announce(announce);
        Ok(evaluator.cpu_path(self.cpu_path())?)
    }

    pub fn cpu_path(&self) -> CpuPath {
        self.cpu.unwrap_or_else(CpuPath::best)
    }
}

/// Says something while a command runs, in place of its progress.
fn announce(message: &str) {
    let mut stderr = io::stderr();
    let clear = if stderr.is_terminal() {
        "\r\x1b[2K"
    } else {
        ""
    };
    // If standard error is closed, nobody wanted to know.
    let _ = writeln!(stderr, "{clear}swaplist: {message}");
}

/// Parses the value of an option that is a number; what was expected is said in the
/// option's own words.
pub fn number<T: FromStr>(expected: &'static str) -> impl Fn(&str) -> Result<T, String> + Clone {
    move |text| {
        let digits = text.strip_prefix(['+', '-']).unwrap_or(text);
        let whole = !digits.is_empty() && digits.bytes().all(|byte| byte.is_ascii_digit());
        let problem = if whole { "out of range, " } else { "" };
        text.parse()
            .map_err(|_| format!("{problem}expected {expected}"))
    }
}

/// The value of an option that counts things.
pub fn at_least_one(text: &str) -> Result<u64, String> {
    let count = text.parse().ok().filter(|&count| count > 0);
    count.ok_or_else(|| "expected a whole number, 1 or more".to_owned())
}

/// Where records come from, and what is said about them.
#[derive(Args, Clone)]
#[command(next_help_heading = "Input and messages")]
pub struct InputArgs {
    /// File of positions, a line of text being 1 MiB long at most; - or none for
    /// standard input
    pub input: Option<PathBuf>,

    /// Format of the input, where content and name do not tell it: text (.fen, .epd,
    /// .txt), binpack, bulletformat (.bf), marlinformat, viriformat (.viri, .vf), sfbin
    /// (Stockfish's .bin), plain, pgn or jsonl
    #[arg(long, value_name = "FORMAT")]
    pub from: Option<Format>,

    /// Pass over invalid records, count them and exit with 1
    #[arg(long)]
    pub skip_invalid: bool,

    /// The summary as JSON, on standard output unless data goes there
    #[arg(long)]
    pub json: bool,

    /// No progress and no summary, unless that is asked for as JSON
    #[arg(long, short)]
    pub quiet: bool,
}

/// Where data goes.
#[derive(Args, Clone, Default)]
#[command(next_help_heading = "Output")]
pub struct OutputArgs {
    /// File to write; - or none for standard output
    #[arg(short, long, value_name = "OUT")]
    pub output: Option<PathBuf>,

    /// Replace files that exist
    #[arg(long)]
    pub force: bool,

    /// How hard a file named .zst (1 to 22) or .gz (1 to 9) is compressed [default: 3 in
    /// .zst, 6 in .gz]
    #[arg(long, value_name = "N", value_parser = number::<u32>("a whole number, 1 or more"))]
    pub level: Option<u32>,
}
