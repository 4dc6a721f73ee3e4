//! Verdicts: the best legal captures of positions.

use core::ops::Range;

use super::exchange::LaneRules;
use super::kernel::Kernel;
use super::lanes::Stages;
use super::stages::{BLOCK, NONE, Work, best};
use crate::{Position, Rules, Verdict};

/// The verdict on each position.
#[derive(Clone, Copy)]
pub(crate) struct Judge<'a> {
    pub positions: &'a [Position],
    pub with_threat: bool,
}

impl Kernel for Judge<'_> {
    type Answer = Verdict;

    fn one_by_one(self, positions: Range<usize>, rules: &Rules, verdicts: &mut [Verdict]) {
        for (position, verdict) in self.positions[positions].iter().zip(verdicts) {
            *verdict = rules.verdict(position, self.with_threat);
        }
    }

    #[inline(always)]
    fn in_lanes<S: Stages>(
        self,
        simd: S,
        positions: Range<usize>,
        rules: &Rules,
        verdicts: &mut [Verdict],
    ) {
        let rules = LaneRules::new(simd, rules);
        let mut work = Work::new(simd, &rules);
        let positions = &self.positions[positions];
        let blocks = positions.chunks(BLOCK).zip(verdicts.chunks_mut(BLOCK));
        for (positions, verdicts) in blocks {
            for opponent in [false, true] {
                if opponent && !self.with_threat {
                    continue;
                }
                work.judge(positions, opponent, opponent, NONE);
                for (i, verdict) in verdicts.iter_mut().enumerate() {
                    let best = best(work.best[i]);
                    if opponent {
                        verdict.threat = best;
                        verdict.threats = work.won[i].count_ones() as u8;
                        continue;
                    }
                    *verdict = Verdict {
                        in_check: work.in_check[i] != 0,
                        noisy: work.noisy[i],
                        best,
                        threat: None,
                        threats: 0,
                    };
                }
            }
        }
    }
}
