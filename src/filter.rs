//! Which records are kept, and why the others are not.
//!
//! A [`Filter`] is a set of rules, each with a [`Reason`] of its own; a record is
//! kept if none of them drops it. It begins as a [`Preset`] and is changed by
//! [`Settings`], which the command line and TOML files fill in. A rule that asks
//! for a [`Field`] that a record lacks is an error, never a silent pass.

use crate::formats::Record;
use crate::{Exceeds, Bounds, Position, Rules};

mod draw;
mod fields;
mod played;
mod preset;
mod reason;
mod screen;
mod settings;
mod wdl;
mod words;

pub use fields::{Field, Missing};
pub use played::{Kind, PlayedRules, UnknownPlayedRule, Victim};
pub use preset::{Preset, UnknownPreset};
pub use reason::Reason;
pub use settings::{Limit, Settings, SettingsError};
pub use wdl::{WdlModel, material};

/// The score by which trainers know that there is none: Stockfish's `VALUE_NONE`.
/// Where the file tells White's score, Black's side of it is -32002.
pub const NO_SCORE: u32 = 32002;

/// What a filter says about a record.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Judgement {
    /// It is kept.
    Keep,
    /// It is not, for the first reason found.
    Drop(Reason),
}

impl Judgement {
    /// The reason, if it is not kept.
    #[must_use]
    pub const fn dropped(self) -> Option<Reason> {
        match self {
            Judgement::Keep => None,
            Judgement::Drop(reason) => Some(reason),
        }
    }
}

/// What [`Filter::judge_all`] says about many records, with the memory that it needs.
#[derive(Clone, Debug, Default)]
pub struct Judged {
    /// One for each record.
    pub judgements: Vec<Judgement>,
    /// The numbers of those that are asked about, their positions, and the answers.
    asked: Vec<u32>,
    positions: Vec<Position>,
    exceeds: Vec<Exceeds>,
}

/// Rules for keeping records, built once and applied to many.
///
/// ```
/// use swaplist::filter::{Filter, Judgement, Reason};
/// use swaplist::formats::{Place, Record};
/// use swaplist::{Position, Rules};
///
/// let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse()?;
/// let record = Record::new(Place::Line(1), 0..29);
/// let judgement = Filter::default().judge(&Rules::SWAP, &position, &record)?;
/// assert_eq!(judgement, Judgement::Drop(Reason::See)); // exd5 wins a pawn
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
#[derive(Clone, Debug, PartialEq)]
pub struct Filter {
    /// The highest SEE that a noisy move may have.
    pub max_see: Option<i32>,
    /// The highest SEE that the opponent may threaten.
    pub max_threat: Option<i32>,
    /// Whether a side to move that is in check is let pass.
    pub keep_checks: bool,
    /// Which sorts of played moves are dropped.
    pub played: PlayedRules,
    /// The lowest SEE that the played move may have.
    pub min_played_see: Option<i32>,
    /// The highest SEE that the played move may have.
    pub max_played_see: Option<i32>,
    /// Whether records with [`NO_SCORE`], or without any score, are dropped.
    pub drop_unscored: bool,
    /// How far from 0 the score may be, in centipawns. Below 0, nothing is kept.
    pub max_score: Option<i64>,
    /// The fewest half-moves since the start of the game.
    pub min_ply: u32,
    /// The fewest men on the board.
    pub min_pieces: u32,
    /// The most men on the board.
    pub max_pieces: Option<u32>,
    /// viriformat's `max_eval_incorrectness`: how far from 0 the score of a drawn
    /// game may be, and how far the winner's score may be below 0.
    pub max_eval_incorrectness: Option<u32>,
    /// viriformat's `wdl_filtered`: keep a record with the probability that its
    /// result has in this model.
    pub wdl_model: Option<WdlModel>,
    /// viriformat's `material_count_filtered`: the probability of dropping a record
    /// with so many men.
    pub material_count: Option<[f64; 33]>,
    /// viriformat's `random_fen_skipping`: the probability of dropping a record.
    pub random_skip: Option<f64>,
    /// The probability of keeping a record.
    pub keep_fraction: Option<f64>,
    /// What the draws of the four rules above depend on, besides the record.
    pub seed: u64,
    /// Whether exactly the other records are kept.
    pub invert: bool,
}

impl Default for Filter {
    /// [`Preset::Quiet`].
    fn default() -> Filter {
        Preset::Quiet.filter()
    }
}

impl Filter {
    /// Drops nothing.
    pub const NONE: Filter = Filter {
        max_see: None,
        max_threat: None,
        keep_checks: true,
        played: PlayedRules::ANY,
        min_played_see: None,
        max_played_see: None,
        drop_unscored: false,
        max_score: None,
        min_ply: 0,
        min_pieces: 0,
        max_pieces: None,
        max_eval_incorrectness: None,
        wdl_model: None,
        material_count: None,
        random_skip: None,
        keep_fraction: None,
        seed: 0,
        invert: false,
    };

    /// What every record has to hold for these rules.
    pub fn needs(&self) -> impl Iterator<Item = Field> {
        Field::ALL
            .into_iter()
            .filter(|&field| self.needs_field(field))
    }

    fn needs_field(&self, field: Field) -> bool {
        let against_result = self.max_eval_incorrectness.is_some() || self.wdl_model.is_some();
        match field {
            Field::Played => self.played != PlayedRules::ANY || self.needs_played_see(),
            // Dropped without one before any rule asks for it.
            Field::Score if self.drop_unscored => false,
            Field::Score => {
                against_result
                    || self.max_score.is_some()
                    || self.played.has(PlayedRules::SEE_GE0)
            }
            Field::Outcome => against_result,
            Field::Ply => self.min_ply > 0,
        }
    }

    const fn needs_played_see(&self) -> bool {
        self.min_played_see.is_some() || self.max_played_see.is_some()
    }

    /// Whether any rule asks for a SEE.
    #[must_use]
    pub const fn needs_see(&self) -> bool {
        self.needs_verdict() || self.needs_played_see() || self.played.has(PlayedRules::SEE_GE0)
    }

    /// Whether a verdict on the position is needed at all.
    #[must_use]
    pub const fn needs_verdict(&self) -> bool {
        self.max_see.is_some() || self.max_threat.is_some()
    }

    /// Whether verdicts must tell the opponent's threat.
    #[must_use]
    pub const fn needs_threat(&self) -> bool {
        self.max_threat.is_some()
    }

    /// What is asked about the SEE of positions.
    #[must_use]
    pub const fn bounds(&self) -> Bounds {
        Bounds {
            see: self.max_see,
            threat: self.max_threat,
        }
    }

    /// Keeps or drops one record.
    ///
    /// # Errors
    ///
    /// [`Missing`] if the record lacks what a rule asks for.
    pub fn judge(
        &self,
        rules: &Rules,
        position: &Position,
        record: &Record,
    ) -> Result<Judgement, Missing> {
        self.miss(core::slice::from_ref(record))?;
        let mut reason = self.screen(rules, position, record);
        if reason.is_none() && self.needs_verdict() {
            reason = self.by_beyond(rules.exceeds(position, self.bounds()));
        }
        Ok(self.judgement(reason))
    }

    /// Keeps or drops many records: the same as [`Filter::judge`] on each, with
    /// what is beyond [`Filter::bounds`] asked at once for all that are left when
    /// everything cheap is done. `exceeds` has to fill it in for each position that it
    /// is given. What was in
    /// `judged` before has no meaning, but its memory is used again.
    ///
    /// # Errors
    ///
    /// [`Missing`] for the first record that lacks what a rule asks for.
    pub fn judge_all(
        &self,
        rules: &Rules,
        positions: &[Position],
        records: &[Record],
        judged: &mut Judged,
        exceeds: impl FnOnce(&[Position], &mut [Exceeds]),
    ) -> Result<(), Missing> {
        if self.is_about_verdicts() {
            self.by_bounds(positions, judged, exceeds);
            return Ok(());
        }
        let Judged {
            judgements, asked, ..
        } = judged;
        self.miss(records)?;
        judgements.clear();
        asked.clear();
        for (i, (position, record)) in positions.iter().zip(records).enumerate() {
            let reason = if self.needs_verdict() {
                self.screen_but_check(rules, position, record)
            } else {
                self.screen(rules, position, record)
            };
            if reason.is_none() {
                asked.push(i as u32);
            }
            judgements.push(self.judgement(reason));
        }
        if self.needs_verdict() {
            self.ask(positions, judged, exceeds);
        }
        Ok(())
    }

    /// Whether nothing but a verdict tells what becomes of a record.
    fn is_about_verdicts(&self) -> bool {
        let of_verdicts = Filter {
            max_see: self.max_see,
            max_threat: self.max_threat,
            keep_checks: self.keep_checks,
            seed: self.seed,
            invert: self.invert,
            ..Filter::NONE
        };
        self.needs_verdict() && *self == of_verdicts
    }

    fn by_bounds(
        &self,
        positions: &[Position],
        judged: &mut Judged,
        exceeds: impl FnOnce(&[Position], &mut [Exceeds]),
    ) {
        let all = &mut judged.exceeds;
        all.resize(positions.len(), Exceeds::default());
        exceeds(positions, all);
        let judgement = |&exceeds| self.judgement(self.by_beyond(exceeds));
        judged.judgements.clear();
        judged.judgements.extend(all.iter().map(judgement));
    }

    /// The verdicts of those alone that nothing else drops.
    fn ask(
        &self,
        positions: &[Position],
        judged: &mut Judged,
        exceeds: impl FnOnce(&[Position], &mut [Exceeds]),
    ) {
        let asked = judged.asked.iter().map(|&i| i as usize);
        judged.positions.clear();
        judged.positions.extend(asked.clone().map(|i| positions[i]));
        judged
            .exceeds
            .resize(judged.positions.len(), Exceeds::default());
        exceeds(&judged.positions, &mut judged.exceeds);
        for (i, &exceeds) in asked.zip(&judged.exceeds) {
            judged.judgements[i] = self.judgement(self.by_beyond(exceeds));
        }
    }

    const fn judgement(&self, reason: Option<Reason>) -> Judgement {
        match (reason, self.invert) {
            (None, true) => Judgement::Drop(Reason::Quiet),
            (Some(reason), false) => Judgement::Drop(reason),
            _ => Judgement::Keep,
        }
    }

    /// An error if a record lacks what a rule asks for.
    fn miss(&self, records: &[Record]) -> Result<(), Missing> {
        let needed: Vec<Field> = self.needs().collect();
        let lacking = records.iter().find_map(|record| {
            let field = needed.iter().find(|field| !field.is_in(record))?;
            Some((*field, record.place()))
        });
        match lacking {
            Some((field, place)) => Err(Missing { field, place }),
            None => Ok(()),
        }
    }
}
