//! What may be asked of a mix: the order, what leaves out records, and how they are split.

use std::path::PathBuf;

use crate::filter::Filter;
use crate::formats::Scale;
pub use crate::formats::fingerprint::Identity;
use crate::jobs;
use swaplist::choices;

/// In which order records are written.
#[derive(Clone, Debug, Default, PartialEq)]
pub enum Order {
    /// Those of each input in its order, all inputs side by side: each is spread evenly over the
    /// output, by its length in bytes.
    #[default]
    Interleaved,
    /// The same, but of each input so many records, in proportion, until it ends: a weight above
    /// 0 for each.
    Weighted(Vec<f64>),
    /// At random, by the seed: every order is equally likely.
    Shuffle,
}

choices! {
    "split",
    /// What stays together when the records are split.
    #[derive(Default)]
    pub enum SplitBy {
        /// A position is in one output only, however often it is in the inputs. Castling rights and
        /// en passant do not count, and neither do the colours: a position and its mirror image
        /// stay together, in all formats.
        #[default]
        Position = "position",
        /// A game is in one output only.
        Game = "game",
    }
}

choices! {
    "record to keep",
    /// Which of several duplicates is left. One with a score is always preferred to one without.
    #[derive(Default)]
    pub enum Keep {
        /// The first one, in the order of the inputs.
        #[default]
        First = "first",
        /// One that is drawn by the seed.
        Random = "random",
    }
}

/// How a mix runs. By default, all records are interleaved into one output.
#[derive(Clone, Debug, Default)]
pub struct MixOptions {
    /// What every job may be asked: formats, threads, a limit, whether existing files are replaced.
    /// A mix refuses those that are for other jobs alone: `mode`, `score`, `scale`, `counts` and
    /// `data`.
    pub job: jobs::Options,
    /// The order in which the records are written; by default all inputs side by side.
    pub order: Order,
    /// What the scores of each input are multiplied by, before the filter looks at them; empty if
    /// no input's are.
    pub scales: Vec<Option<Scale>>,
    /// The seed of everything that is drawn; by default 0.
    pub seed: Option<u64>,
    /// Leaves out duplicates: of each position or placement one record is left. The inputs are read
    /// twice.
    pub dedupe: Option<Identity>,
    /// Which of several duplicates is left; by default the first one.
    pub dedupe_keep: Keep,
    /// Leaves out the positions that these files hold, such as an old held-out set. Positions are
    /// the same as for [`Identity::Position`], as far as both the file and the output hold them.
    pub exclude: Vec<PathBuf>,
    /// The shares of the outputs, in any unit; empty for one output.
    pub split: Vec<f64>,
    /// What stays together in one output of a split; by default equal positions.
    pub split_by: SplitBy,
    /// Leaves out what this filter does not keep. If the output has scores but no played moves, and
    /// an input has both, placeholders are left out, too (scores of 0 where the played move captures
    /// or the side to move is in check), unless the filter is inverted or its
    /// [`keep_placeholders`](crate::filter::Settings::keep_placeholders) is set.
    pub filter: Option<Filter>,
    /// Takes this share of the records, above 0 and up to 1, or of the games and chains if they
    /// stay whole.
    pub sample: Option<f64>,
    /// Writes each record by itself, also in formats of games or chains, which become much larger.
    /// By default these stay whole.
    pub records: bool,
    /// About how many bytes of memory sorting may take; by default 2 GiB.
    pub memory: Option<u64>,
    /// The folder of temporary files; by default that of the output.
    pub temp: Option<PathBuf>,
}

impl MixOptions {
    /// The seed that draws which of several duplicates is left, if it is drawn.
    pub(super) fn seed_of_survivors(&self) -> Option<u64> {
        let is_drawn = self.dedupe.is_some() && self.dedupe_keep == Keep::Random;
        is_drawn.then(|| self.seed.unwrap_or(0))
    }

    /// Whether single records are left out where they are read first.
    pub(super) const fn filters(&self) -> bool {
        self.filter.is_some() || self.job.drop_unscored || !self.exclude.is_empty()
    }

    /// Whether records go of which only reading tells how many.
    pub(super) const fn drops_some(&self) -> bool {
        self.filters() || self.dedupe.is_some()
    }
}

/// Bytes of memory, unless told otherwise.
pub(crate) const DEFAULT_MEMORY: u64 = 2 << 30;
/// Less would need too many temporary files.
pub(super) const LEAST_MEMORY: u64 = 16_000_000;
