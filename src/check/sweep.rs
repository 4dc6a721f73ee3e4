//! Counts how many answers agree at each table on a straight line of tables.
//!
//! Along a line, table + t * step, the SEE of a move is one of the partial sums of its
//! captures, each linear in t. So an answer can change between right and wrong only where one
//! of those sums passes the claimed value, and one sweep counts exactly for all t.

use core::ops::RangeInclusive;

use super::answers::Said;
use super::line::{Line, Table, Wins, wins};
use crate::exchange::INFINITE;
use crate::values::MAX_VALUE;

/// Equal answers with their number.
pub(super) struct Group {
    pub(super) line: Line,
    pub(super) said: Said,
    pub(super) count: i64,
}

/// The tables on a line, with values from 1 to [`MAX_VALUE`].
struct Path {
    wins: Wins,
    slopes: Wins,
    steps: RangeInclusive<i32>,
}

impl Path {
    fn new(table: &Table, step: &Table) -> Path {
        let (mut first, mut last) = (-MAX_VALUE, MAX_VALUE);
        let changing = table.iter().zip(step).filter(|(_, change)| **change != 0);
        for (value, change) in changing {
            let down = (value - 1) / change.abs();
            let up = (MAX_VALUE - value) / change.abs();
            first = first.max(if *change > 0 { -down } else { -up });
            last = last.min(if *change > 0 { up } else { down });
        }
        Path {
            wins: wins(*table),
            slopes: wins(*step),
            steps: first..=last,
        }
    }
}

/// The table `t` steps away.
pub(super) fn moved(table: &Table, step: &Table, t: i32) -> Table {
    core::array::from_fn(|i| table[i] + step[i] * t)
}

impl Group {
    #[inline(always)]
    fn is_right(&self, path: &Path, t: i32) -> bool {
        let win = |capture: usize| path.wins[capture] + t * path.slopes[capture];
        self.said.is(self.line.see(win))
    }

    /// The first step, and those at which the answer may change between right and wrong.
    fn turns(&self, path: &Path, steps: &RangeInclusive<i32>, turns: &mut Vec<i32>) {
        turns.clear();
        let said = match self.said {
            Said::Value(value) => value,
            Said::AtLeast { threshold, .. } => threshold,
        };
        let (mut sum, mut slope, mut sign) = (-said.clamp(-INFINITE, INFINITE), 0, 1);
        for capture in self.line.captures() {
            sum += sign * path.wins[capture];
            slope += sign * path.slopes[capture];
            sign = -sign;
            let at = |t: &i32| (sum + slope * t).signum();
            if at(steps.start()) != at(steps.end()) {
                let zero = (-sum * slope.signum()).div_euclid(slope.abs());
                turns.extend([zero, zero + 1]);
            }
        }
        turns.retain(|t| steps.contains(t));
        turns.push(*steps.start());
        turns.sort_unstable();
    }
}

/// The number of agreeing answers at each step.
pub(super) struct Sweep {
    pub(super) steps: RangeInclusive<i32>,
    pub(super) agreed: Vec<i64>,
}

impl Sweep {
    pub(super) fn new<'a>(
        groups: impl IntoIterator<Item = &'a Group>,
        table: &Table,
        step: &Table,
    ) -> Sweep {
        let path = Path::new(table, step);
        let first = *path.steps.start();
        let mut agreed = vec![0; path.steps.clone().count()];
        let mut turns = Vec::new();
        for group in groups {
            group.turns(&path, &path.steps, &mut turns);
            let mut was = false;
            for &t in &turns {
                let is = group.is_right(&path, t);
                agreed[t.abs_diff(first) as usize] +=
                    group.count * (i64::from(is) - i64::from(was));
                was = is;
            }
        }
        let mut level = 0;
        for change in &mut agreed {
            level += *change;
            *change = level;
        }
        let steps = path.steps;
        Sweep { steps, agreed }
    }

    /// The most agreeing answers, and how many steps away: 0 if nothing is better, else the
    /// middle of the longest stretch.
    pub(super) fn best(&self) -> (i64, i32) {
        let here = self.agreed[self.steps.start().unsigned_abs() as usize];
        let most = self.agreed.iter().copied().max().unwrap_or(here);
        if most == here {
            return (here, 0);
        }
        let (mut longest, mut start) = (0..0, 0);
        for stretch in self.agreed.chunk_by(|a, b| a == b) {
            let end = start + stretch.len();
            if stretch[0] == most && stretch.len() > longest.len() {
                longest = start..end;
            }
            start = end;
        }
        // Of a stretch open at one end, its other end.
        let amid = if longest.end == self.agreed.len() {
            longest.start
        } else if longest.start == 0 {
            longest.end - 1
        } else {
            usize::midpoint(longest.start, longest.end - 1)
        };
        (most, self.steps.clone().nth(amid).unwrap_or(0))
    }
}

/// How many steps back and forth all answers agree, if they do at the table itself.
pub(super) fn stretch(groups: &[Group], table: &Table, step: &Table) -> [i32; 2] {
    let path = Path::new(table, step);
    let (mut first, mut last) = (*path.steps.start(), *path.steps.end());
    let mut turns = Vec::new();
    for group in groups {
        group.turns(&path, &(first..=last), &mut turns);
        if turns.len() == 1 {
            continue; // never changes
        }
        let ends = turns[1..].iter().map(|next| next - 1).chain([last]);
        for (&start, end) in turns.iter().zip(ends) {
            if group.is_right(&path, start) {
                continue;
            }
            if start > 0 {
                last = start - 1;
                break;
            }
            first = end + 1;
        }
    }
    [first, last]
}
