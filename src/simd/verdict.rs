//! Verdicts: the best legal captures of positions.

use super::lanes::Simd;
use super::question::Question;
use super::rules::LaneRules;
use super::stages::{BLOCK, NONE, Work, best};
use crate::{Position, Rules, Verdict};

/// The verdict on each position.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub positions: &'a [Position],
    pub with_threat: bool,
}

impl Question for Judge<'_> {
    type Answer = Verdict;

    fn positions(&self) -> usize {
        self.positions.len()
    }

    fn split_at(&self, positions: usize) -> (Self, Self) {
        let (before, after) = self.positions.split_at(positions);
        let part = |positions| Judge { positions, ..*self };
        (part(before), part(after))
    }

    fn one_by_one(self, rules: &Rules, verdicts: &mut [Verdict]) {
        for (position, verdict) in self.positions.iter().zip(verdicts) {
            *verdict = rules.verdict(position, self.with_threat);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Simd, const PINS: u8>(self, simd: S, rules: &Rules, verdicts: &mut [Verdict]) {
        let rules = LaneRules::new(simd, rules);
        let mut work = Work::<S, PINS>::new(simd, &rules);
        let blocks = self.positions.chunks(BLOCK).zip(verdicts.chunks_mut(BLOCK));
        for (positions, verdicts) in blocks {
            work.judge::<false>(positions, false, NONE);
            for (i, verdict) in verdicts.iter_mut().enumerate() {
                *verdict = Verdict {
                    in_check: work.in_check[i] != 0,
                    noisy: work.noisy[i],
                    best: best(work.best[i]),
                    threat: None,
                    threats: 0,
                };
            }
            if self.with_threat {
                work.judge::<true>(positions, true, NONE);
                for (i, verdict) in verdicts.iter_mut().enumerate() {
                    verdict.threat = best(work.best[i]);
                    verdict.threats = work.won[i].count_ones() as u8;
                }
            }
        }
    }
}
