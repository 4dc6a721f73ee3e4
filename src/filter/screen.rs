//! The rules themselves: for which reason, if any, a record is dropped.

use super::draw::{self, Purpose};
use super::{Filter, Kind, NO_SCORE, PlayedRules, Reason, Victim, material};
use crate::formats::{Outcome, Record};
use crate::{Exceeds, Position, Rules};

impl Filter {
    /// Every rule but those about the SEE of the position.
    pub(super) fn screen(
        &self,
        rules: &Rules,
        position: &Position,
        record: &Record,
    ) -> Option<Reason> {
        self.by_numbers(position, record)
            .or_else(|| self.in_check(position))
            .or_else(|| self.by_game(rules, position, record))
    }

    /// The same for a position whose verdict will be asked for if it passes: that
    /// tells whether it is in check, too.
    pub(super) fn screen_but_check(
        &self,
        rules: &Rules,
        position: &Position,
        record: &Record,
    ) -> Option<Reason> {
        self.by_numbers(position, record).or_else(|| {
            let reason = self.by_game(rules, position, record)?;
            Some(self.in_check(position).unwrap_or(reason))
        })
    }

    fn in_check(&self, position: &Position) -> Option<Reason> {
        (!self.keep_checks && position.in_check()).then_some(Reason::InCheck)
    }

    fn by_game(&self, rules: &Rules, position: &Position, record: &Record) -> Option<Reason> {
        self.by_played(rules, position, record)
            .or_else(|| self.by_result(position, record))
            .or_else(|| self.by_draw(position, record))
    }

    fn by_numbers(&self, position: &Position, record: &Record) -> Option<Reason> {
        let men = men(position);
        let score = record.score().map(i32::unsigned_abs);
        if record.ply().is_some_and(|ply| ply < self.min_ply) {
            Some(Reason::Ply)
        } else if men < self.min_pieces || self.max_pieces.is_some_and(|max| men > max) {
            Some(Reason::Pieces)
        } else if self.drop_unscored && score.is_none_or(|score| score == NO_SCORE) {
            Some(Reason::Unscored)
        } else if score
            .is_some_and(|score| self.max_score.is_some_and(|max| i64::from(score) > max))
        {
            Some(Reason::Score)
        } else {
            None
        }
    }

    fn by_played(&self, rules: &Rules, position: &Position, record: &Record) -> Option<Reason> {
        let played = record.played()?;
        if self.played == PlayedRules::ANY && !self.needs_played_see() {
            return None;
        }
        let kind = Kind::of(position, played);
        let takes = kind.victim == Victim::OnTarget;
        let asked = |rules| self.played.has(rules);
        let at_least = |see| rules.see_ge(position, played, see);
        if asked(PlayedRules::NO_CAPTURES) && kind.victim != Victim::None
            || asked(PlayedRules::EMPTY_TARGET) && takes
        {
            Some(Reason::PlayedCapture)
        } else if asked(PlayedRules::NO_PROMOTIONS) && kind.promotion {
            Some(Reason::PlayedPromotion)
        } else if asked(PlayedRules::NO_CASTLING) && kind.castling {
            Some(Reason::PlayedCastling)
        } else if asked(PlayedRules::SEE_GE0) && takes && (record.score() == Some(0) || at_least(0))
        {
            Some(Reason::PlayedSeeGe0)
        } else if self.min_played_see.is_some_and(|min| !at_least(min))
            || self
                .max_played_see
                .is_some_and(|max| max < i32::MAX && at_least(max + 1))
        {
            Some(Reason::PlayedSee)
        } else {
            None
        }
    }

    fn by_result(&self, position: &Position, record: &Record) -> Option<Reason> {
        let max = self.max_eval_incorrectness?;
        let score = white_score(position, record)?;
        let wrong = match record.outcome()? {
            Outcome::Draw => score.unsigned_abs(),
            Outcome::White => score.min(0).unsigned_abs(),
            Outcome::Black => score.max(0).unsigned_abs(),
        };
        (wrong > max).then_some(Reason::EvalIncorrectness)
    }

    fn by_draw(&self, position: &Position, record: &Record) -> Option<Reason> {
        let happens =
            |probability, purpose| draw::happens(probability, self.seed, purpose, position, record);
        let wdl = self.wdl_model.as_ref().and_then(|model| {
            let score = white_score(position, record)?;
            Some(model.probability(material(position), score, record.outcome()?))
        });
        let by_men = self
            .material_count
            .and_then(|table| table.get(men(position) as usize).copied());
        if wdl.is_some_and(|wdl| !happens(wdl, Purpose::Wdl)) {
            Some(Reason::Wdl)
        } else if by_men.is_some_and(|skip| happens(skip, Purpose::MaterialCount)) {
            Some(Reason::MaterialCount)
        } else if self
            .random_skip
            .is_some_and(|skip| happens(skip, Purpose::RandomSkip))
        {
            Some(Reason::RandomSkip)
        } else if self
            .keep_fraction
            .is_some_and(|keep| !happens(keep, Purpose::KeepFraction))
        {
            Some(Reason::Thinned)
        } else {
            None
        }
    }

    pub(super) const fn by_beyond(&self, exceeds: Exceeds) -> Option<Reason> {
        if exceeds.in_check && !self.keep_checks {
            Some(Reason::InCheck)
        } else if exceeds.see {
            Some(Reason::See)
        } else if exceeds.threat {
            Some(Reason::Threat)
        } else {
            None
        }
    }
}

fn men(position: &Position) -> u32 {
    position.occupied().count() as u32
}

/// The score from White's side.
fn white_score(position: &Position, record: &Record) -> Option<i32> {
    let score = record.score()?;
    Some(position.turn().fold_wb(score, score.saturating_neg()))
}
