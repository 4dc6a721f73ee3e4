//! All figures of a run, and what they come to.

use std::time::Duration;

use swaplist::Rules;

use super::contenders::Contender;
use super::data::Data;
use super::files::FileFigures;
use super::floors::{Floors, Uploaded};
use super::measure::Measured;

pub struct Results<'a> {
    pub data: &'a Data,
    pub rules: &'a Rules,
    pub sizes: &'a [usize],
    pub contenders: &'a [Contender],
    pub runs: u32,
    pub peak: Option<Peak>,
    pub parts: Vec<Part>,
    pub files: Vec<FileFigures>,
}

/// What a GPU could do, as the user has it.
pub struct Peak {
    /// Integer operations a second.
    pub per_second: f64,
    /// How many a score and a verdict take.
    pub ops: [f64; 2],
}

/// What is computed.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub enum What {
    Scores,
    Verdicts,
}

impl What {
    pub const fn name(self) -> &'static str {
        match self {
            What::Scores => "scores",
            What::Verdicts => "verdicts",
        }
    }

    pub const fn title(self) -> &'static str {
        match self {
            What::Scores => "scores (one a move)",
            What::Verdicts => "verdicts (one a position, all its noisy moves)",
        }
    }
}

/// The figures of one kind.
pub struct Part {
    pub what: What,
    /// By contender, then by size; none where patience ran out.
    pub rows: Vec<Vec<Option<Measured>>>,
    /// By size.
    pub floors: Vec<Floors>,
}

impl Part {
    pub fn time(&self, contender: usize, size: usize) -> Option<Duration> {
        Some(self.rows[contender][size].as_ref()?.total)
    }

    pub fn kernel(&self, contender: usize, size: usize) -> Option<Duration> {
        self.rows[contender][size].as_ref()?.kernel
    }

    /// Of a contender that is a device.
    pub fn uploaded(&self, contender: usize, size: usize) -> Option<Uploaded> {
        *self.floors[size].uploads.get(contender)?
    }

    /// The copy to the device, or from memory to memory.
    pub fn floor(&self, contender: usize, size: usize) -> Duration {
        let memcpy = self.floors[size].memcpy;
        self.uploaded(contender, size)
            .map_or(memcpy, |uploaded| uploaded.copy)
    }

    /// How many times the floor's time it takes.
    pub fn ratio(&self, contender: usize, size: usize) -> Option<f64> {
        Some(quotient(
            self.time(contender, size)?,
            self.floor(contender, size),
        ))
    }

    /// What was wrong with results of a contender.
    pub fn wrong(&self, contender: usize) -> impl Iterator<Item = &str> {
        let measured = self.rows[contender].iter().flatten();
        measured.filter_map(|measured| measured.wrong.as_deref())
    }
}

fn quotient(time: Duration, by: Duration) -> f64 {
    time.as_secs_f64() / by.as_secs_f64().max(1e-9)
}

/// Sizes between which one contender is the fastest.
#[derive(Debug, PartialEq, Eq)]
pub struct Span {
    pub first: usize,
    pub last: usize,
    pub contender: usize,
}

/// What is found out about a device.
pub struct Device {
    pub contender: usize,
    /// From which size on it is faster than the CPU; `None` if it never is.
    pub wins_from: Option<f64>,
    /// Whether there was anything to compare it with.
    pub compared: bool,
    /// What its kernels use of the integer peak, where that is given.
    pub of_peak: Option<f64>,
    /// Where it does the most a second, and as a part of what the copy to it allows.
    pub best: Option<Best>,
}

pub struct Best {
    pub size: usize,
    /// Of the bus alone.
    pub of_copy: f64,
    /// Of the bus and what fills its memory.
    pub of_upload: f64,
    /// The part of the call's time that its kernels take, one after the other.
    pub busy: Option<f64>,
}

impl Results<'_> {
    pub fn any_wrong(&self) -> bool {
        let contenders = 0..self.contenders.len();
        let wrong = |part: &Part| contenders.clone().any(|c| part.wrong(c).next().is_some());
        self.parts.iter().any(wrong)
    }

    pub fn spans(&self, part: &Part) -> Vec<Span> {
        let mut spans: Vec<Span> = Vec::new();
        for (i, &size) in self.sizes.iter().enumerate() {
            let times = (0..self.contenders.len()).filter_map(|c| Some((part.time(c, i)?, c)));
            let Some((_, contender)) = times.min() else {
                continue;
            };
            match spans.last_mut() {
                Some(span) if span.contender == contender => span.last = size,
                _ => spans.push(Span {
                    first: size,
                    last: size,
                    contender,
                }),
            }
        }
        spans
    }

    pub fn devices(&self, part: &Part) -> Vec<Device> {
        let is_device = |&c: &usize| self.contenders[c].gpu.is_some();
        let contenders = 0..self.contenders.len();
        contenders
            .filter(is_device)
            .map(|contender| self.device(part, contender))
            .collect()
    }

    fn device(&self, part: &Part, contender: usize) -> Device {
        let cpus: Vec<usize> = (0..self.contenders.len())
            .filter(|&c| self.contenders[c].gpu.is_none())
            .collect();
        let pair = |(i, &size)| {
            let cpu = cpus.iter().filter_map(|&c| part.time(c, i)).min()?;
            let gpu = part.time(contender, i)?;
            Some((size, quotient(gpu, cpu)))
        };
        let pairs: Vec<(usize, f64)> = self.sizes.iter().enumerate().filter_map(pair).collect();
        Device {
            contender,
            wins_from: crossover(&pairs),
            compared: !pairs.is_empty(),
            of_peak: self.of_peak(part, contender),
            best: self.best(part, contender),
        }
    }

    #[allow(clippy::cast_precision_loss)] // sizes are far below 2^52
    fn of_peak(&self, part: &Part, contender: usize) -> Option<f64> {
        let peak = self.peak.as_ref()?;
        let ops = peak.ops[part.what as usize];
        let rate = |(i, &size): (usize, &usize)| {
            let kernel = part.kernel(contender, i)?.as_secs_f64();
            Some(size as f64 / kernel.max(1e-9))
        };
        let rates = self.sizes.iter().enumerate().filter_map(rate);
        let best = rates.max_by(f64::total_cmp)?;
        Some(best * ops / peak.per_second)
    }

    fn best(&self, part: &Part, contender: usize) -> Option<Best> {
        let each = |i: usize| Some((part.time(contender, i)? / self.sizes[i] as u32, i));
        let (_, i) = (0..self.sizes.len()).filter_map(each).min()?;
        let time = part.time(contender, i)?;
        let uploaded = part.uploaded(contender, i)?;
        Some(Best {
            size: self.sizes[i],
            of_copy: 1.0 / part.ratio(contender, i)?,
            of_upload: quotient(uploaded.filled, time),
            busy: part
                .kernel(contender, i)
                .map(|kernel| quotient(kernel, time)),
        })
    }
}

/// From which size on all quotients are below 1, as a line between the two sizes
/// around it tells, both on a logarithmic scale.
#[allow(clippy::cast_precision_loss)] // sizes are far below 2^52
fn crossover(pairs: &[(usize, f64)]) -> Option<f64> {
    let won = pairs.iter().rev().take_while(|pair| pair.1 < 1.0).count();
    let first = pairs.len() - won;
    let (size, quotient) = *pairs.get(first)?;
    let Some(&(before, lost)) = first.checked_sub(1).and_then(|i| pairs.get(i)) else {
        return Some(size as f64);
    };
    let part = lost.ln() / (lost.ln() - quotient.ln());
    let (before, size) = ((before as f64).ln(), (size as f64).ln());
    Some((before + (size - before) * part).exp())
}

#[cfg(test)]
mod tests {
    use super::crossover;

    #[test]
    fn a_gpu_wins_from_where_it_stays_ahead() {
        assert_eq!(crossover(&[]), None);
        assert_eq!(crossover(&[(1, 9.0), (100, 1.0)]), None);
        assert_eq!(crossover(&[(1, 0.5), (100, 2.0)]), None, "only at first");
        assert_eq!(crossover(&[(8, 0.5), (100, 0.2)]), Some(8.0));
        let between = crossover(&[(1, 9.0), (100, 4.0), (1600, 0.25)]).unwrap();
        assert!((between - 400.0).abs() < 1e-6, "{between}");
        let again = crossover(&[(1, 0.5), (10, 2.0), (1000, 0.5)]).unwrap();
        assert!((again - 100.0).abs() < 1e-6, "{again}");
    }
}
