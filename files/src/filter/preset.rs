//! Named filters: swaplist's, and those of other tools.

use super::rules::PlayedRule;
use super::{Filter, Settings};
use swaplist::choices;
use swaplist::{PieceValues, Profile, Rules};

choices! {
    "preset",
    /// A named filter.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum Preset {
        /// Not in check, and no noisy move wins material.
        #[default]
        Quiet = "quiet",
        /// [`Preset::Quiet`], and the opponent threatens to win something on at most one square.
        Calm = "calm",
        /// [`Preset::Calm`], and noisy moves in turn win nothing (material quiescence of depth 1).
        Still = "still",
        /// [`Preset::Calm`], and the played move neither captures nor promotes.
        PlayedCalm = "played-calm",
        /// The rule of bullet's `examples/simple.rs`.
        Bullet = "bullet",
        /// The defaults of the `Filter` of the crate viriformat, which bullet uses too. viridithas's
        /// own were the same until 2025-10; since then its `max_eval` is 20,000.
        Viriformat = "viriformat",
        /// The records that nnue-pytorch's loader always skips, and its option `filtered`.
        NnuePytorch = "nnue-pytorch",
        /// The filter of the data that `SFNNv9` was trained on: keeps captures only if they lose.
        /// Pins are correct here: the branches that made those data store pinners under the wrong
        /// colour, and decide 5 of 27,983 records differently.
        SeeGe0 = "see-ge0",
        /// Drops nothing: a base for single rules.
        None = "none",
    }
}

impl Preset {
    /// Its origin and what it leaves out, in one or two sentences.
    pub const fn about(self) -> &'static str {
        match self {
            Preset::Quiet => {
                "Positions in which nothing hangs: what a static evaluation is for. Nets trained \
                 on them were 56 to 248 Elo stronger than without a filter (docs/quiet.md). Drops \
                 the zeros of minimised data too, which are no scores (docs/filter.md)."
            }
            Preset::Calm => {
                "Positions in which nothing hangs, and the opponent does not threaten to win \
                 on two squares at once, of which only one could be parried. Purer labels, but \
                 nets no stronger than by quiet, some weaker (docs/quiet.md)."
            }
            Preset::Still => {
                "As calm, and captures and promotions in turn win nothing either, where SEE \
                 alone sees one square at a time. Purer labels, but nets no stronger than by \
                 quiet, some weaker (docs/quiet.md)."
            }
            Preset::PlayedCalm => {
                "As calm, and the played move is quiet too: a move that captured or promoted \
                 says that the position was not calm. Purer labels, but nets no stronger than \
                 by quiet, some weaker (docs/quiet.md)."
            }
            Preset::Bullet => {
                "The filter of bullet's examples/simple.rs. It looks at the played move \
                 only: a winning capture that was not played is kept."
            }
            Preset::Viriformat => {
                "The defaults of the crate viriformat's Filter, which bullet's viriformat \
                 loader uses. viridithas's own, since 2025-10, have max_eval = 20000, which is \
                 --max-score 19999. A capture that was not played is kept."
            }
            Preset::NnuePytorch => {
                "What nnue-pytorch's loader skips for certain: its option 'filtered' (on by \
                 default), scores of 32002, and in decided games scores of 0 after one far from \
                 0. Its early_fen_skipping is off by default and left off here (--min-ply N stands \
                 for early_fen_skipping = N - 1). What it skips at random (wld_filtered, \
                 soft_early_fen_skipping, the piece-count curve, random_fen_skipping) is left to \
                 it: it draws anew in each epoch."
            }
            Preset::SeeGe0 => {
                "The filter of the data behind Stockfish's SFNNv9, with Stockfish's pins and \
                 pieces at 1, 3, 3, 5, 9, unless --profile or --values say otherwise. Not bit \
                 for bit: the branches behind that data store pinners under the wrong colour, \
                 and their own code decides 5 of 27,983 records otherwise."
            }
            Preset::None => "No rule but those that are asked for.",
        }
    }

    /// The preset's settings, starting from no rules.
    pub(super) const fn settings(self) -> Settings {
        const QUIET: Settings = Settings {
            max_see: Some(Some(0)),
            keep_placeholders: Some(false),
            ..NOT_IN_CHECK
        };
        const NOT_IN_CHECK: Settings = Settings {
            keep_checks: Some(false),
            ..Settings::NONE
        };
        const CALM: Settings = Settings {
            drop_double_threat: Some(true),
            ..QUIET
        };
        match self {
            Preset::None => Settings::NONE,
            Preset::Quiet => QUIET,
            Preset::Calm => CALM,
            Preset::Still => Settings {
                quiescence: Some(Some(1)),
                ..CALM
            },
            Preset::PlayedCalm => Settings {
                played: Some(PlayedRule::QUIET),
                ..CALM
            },
            Preset::Bullet => Settings {
                min_ply: Some(16),
                max_score: Some(Some(10_000)),
                played: Some(PlayedRule::NORMAL),
                ..NOT_IN_CHECK
            },
            Preset::Viriformat => Settings {
                min_ply: Some(16),
                min_pieces: Some(4),
                max_eval: Some(31_339),
                max_score: Some(Some(31_338)),
                played: Some(PlayedRule::QUIET),
                ..NOT_IN_CHECK
            },
            Preset::NnuePytorch => Settings {
                drop_unscored: Some(true),
                drop_decided_zeros: Some(true),
                played: Some(PlayedRule::EMPTY_TARGET),
                ..NOT_IN_CHECK
            },
            Preset::SeeGe0 => Settings {
                played: Some(PlayedRule::SEE_GE0),
                ..NOT_IN_CHECK
            },
        }
    }

    /// The rules of the original tool's SEE, if it has one; without the fault of
    /// [`Preset::SeeGe0`]'s.
    pub const fn see_rules(self) -> Option<Rules> {
        match self {
            Preset::SeeGe0 => Some(Rules::new(Profile::Sf, PieceValues::CLASSICAL)),
            _ => None,
        }
    }

    /// The preset's filter, with [its rules](Preset::see_rules) of the SEE, or else
    /// [`Rules::SWAP`].
    pub fn filter(self) -> Filter {
        Filter::new(self.settings(), self.see_rules().unwrap_or_default())
    }
}
