//! Why a record is dropped.

use core::fmt;

/// Why a record is not kept.
#[derive(Clone, Copy, Debug, PartialEq, Eq, PartialOrd, Ord, Hash)]
#[non_exhaustive]
pub enum Reason {
    /// Too few half-moves since the start of the game.
    Ply,
    /// Too few or too many men on the board.
    Pieces,
    /// There is no score, or the one that stands for none.
    Unscored,
    /// The score is too far from 0.
    Score,
    /// The side to move is in check.
    InCheck,
    /// The played move captures.
    PlayedCapture,
    /// The played move promotes.
    PlayedPromotion,
    /// The played move castles.
    PlayedCastling,
    /// The played move captures and does not lose by it, or the score is 0.
    PlayedSeeGe0,
    /// The SEE of the played move is too low or too high.
    PlayedSee,
    /// The score and the game's result are too far apart.
    EvalIncorrectness,
    /// Drawn by how unlikely the game's result is with this score.
    Wdl,
    /// Drawn by the number of men.
    MaterialCount,
    /// Drawn by `random_fen_skipping`.
    RandomSkip,
    /// Drawn by `keep_fraction`.
    Thinned,
    /// A noisy move wins more than is allowed.
    See,
    /// The opponent threatens to win more than is allowed.
    Threat,
    /// The filter is inverted, and without that the record would be kept.
    Quiet,
}

impl Reason {
    /// All reasons, in the order in which a filter looks for them: what costs
    /// little comes first.
    pub const ALL: [Reason; 18] = [
        Reason::Ply,
        Reason::Pieces,
        Reason::Unscored,
        Reason::Score,
        Reason::InCheck,
        Reason::PlayedCapture,
        Reason::PlayedPromotion,
        Reason::PlayedCastling,
        Reason::PlayedSeeGe0,
        Reason::PlayedSee,
        Reason::EvalIncorrectness,
        Reason::Wdl,
        Reason::MaterialCount,
        Reason::RandomSkip,
        Reason::Thinned,
        Reason::See,
        Reason::Threat,
        Reason::Quiet,
    ];

    /// The name in JSON.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Reason::Ply => "ply",
            Reason::Pieces => "pieces",
            Reason::Unscored => "unscored",
            Reason::Score => "score",
            Reason::InCheck => "in_check",
            Reason::PlayedCapture => "played_capture",
            Reason::PlayedPromotion => "played_promotion",
            Reason::PlayedCastling => "played_castling",
            Reason::PlayedSeeGe0 => "played_see_ge0",
            Reason::PlayedSee => "played_see",
            Reason::EvalIncorrectness => "eval_incorrectness",
            Reason::Wdl => "wdl",
            Reason::MaterialCount => "material_count",
            Reason::RandomSkip => "random_skip",
            Reason::Thinned => "thinned",
            Reason::See => "see",
            Reason::Threat => "threat",
            Reason::Quiet => "quiet",
        }
    }
}

/// For people.
impl fmt::Display for Reason {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Reason::Ply => "too early in the game",
            Reason::Pieces => "number of men",
            Reason::Unscored => "no score, or 32002",
            Reason::Score => "score too far from 0",
            Reason::InCheck => "in check",
            Reason::PlayedCapture => "a capture was played",
            Reason::PlayedPromotion => "a promotion was played",
            Reason::PlayedCastling => "castling was played",
            Reason::PlayedSeeGe0 => "a capture with SEE >= 0 or score 0 was played",
            Reason::PlayedSee => "SEE of the played move",
            Reason::EvalIncorrectness => "score against the result",
            Reason::Wdl => "skipped by the WDL model",
            Reason::MaterialCount => "skipped by the number of men",
            Reason::RandomSkip => "skipped at random",
            Reason::Thinned => "thinned out",
            Reason::See => "best SEE too high",
            Reason::Threat => "threat too high",
            Reason::Quiet => "quiet (the filter is inverted)",
        })
    }
}
