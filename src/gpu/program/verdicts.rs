//! Verdicts as the shader writes them: four words each.

use bytemuck::{Pod, Zeroable};

use super::answers::{is_broken, words, wrong};
use super::scores::NO_SCORE;
use crate::backend::{BackendError, RawAnswer};
use crate::{Best, Capture, Verdict};

/// A verdict as stored on the device: see `Gpu::judge_buffer`.
#[derive(Clone, Copy, Debug, Default, PartialEq, Eq, Pod, Zeroable)]
#[repr(transparent)]
pub struct VerdictRecord {
    /// The four words.
    pub words: [u32; 4],
}

/// Set in every written record.
const WRITTEN: u32 = 1 << 31;
const IN_CHECK: u32 = 1 << 30;
const HAS_BEST: u32 = 1 << 29;
const HAS_THREAT: u32 = 1 << 28;
const RESERVED: u32 = 0x0f80_0000;

impl VerdictRecord {
    /// The verdict; `None` if the record was not written or is impossible.
    pub fn verdict(self) -> Option<Verdict> {
        let [flags, best_see, moves, threat_see] = self.words;
        let best = |flag, see: u32, bits: u32| {
            let capture = Capture::from_bits(bits as u16);
            let see = see.cast_signed();
            (flags & flag != 0).then_some(Best { see, capture })
        };
        let verdict = Verdict {
            in_check: flags & IN_CHECK != 0,
            noisy: flags & 0xffff,
            best: best(HAS_BEST, best_see, moves),
            threat: best(HAS_THREAT, threat_see, moves >> 16),
            threats: (flags >> 16 & 0x7f) as u8,
        };
        let wins = verdict.threat.is_some_and(|threat| threat.see > 0);
        let possible = |best: Option<Best>| best.is_none_or(|b| b.see.unsigned_abs() < NO_SCORE);
        let sound = flags & (WRITTEN | RESERVED) == WRITTEN
            && (verdict.noisy > 0) == verdict.best.is_some()
            && possible(verdict.best)
            && possible(verdict.threat)
            && (verdict.threats > 0) == wins;
        sound.then_some(verdict)
    }
}

/// Reads verdicts; fails if one was not written or is impossible.
pub fn read(bytes: &[u8], verdicts: &mut [Verdict]) -> Result<(), BackendError> {
    let all = verdicts.len();
    for (verdict, record) in verdicts.iter_mut().zip(words(bytes, all)?) {
        *verdict = possible(*record)?;
    }
    Ok(())
}

/// Reads verdicts on decoded records, whose last words are the decoder's. If one is broken, they
/// say nothing. Fails as [`read`], or if a record was not decoded.
pub(super) fn read_raw(
    bytes: &[u8],
    answers: &mut [RawAnswer],
    verdicts: &mut [Verdict],
) -> Result<(), BackendError> {
    let records = words::<VerdictRecord>(bytes, answers.len())?.iter();
    const { assert!(WRITTEN == RawAnswer::ANSWERED) };
    let raw = |record: &VerdictRecord| RawAnswer(record.words[3] | record.words[0] & WRITTEN);
    let broken = is_broken(records.clone().map(raw))?;
    for ((answer, verdict), record) in answers.iter_mut().zip(verdicts).zip(records) {
        *answer = raw(record);
        if !broken {
            let [flags, best_see, moves, _] = record.words;
            let words = [flags, best_see, moves, 0];
            *verdict = possible(VerdictRecord { words })?;
        }
    }
    Ok(())
}

fn possible(record: VerdictRecord) -> Result<Verdict, BackendError> {
    record.verdict().ok_or_else(|| match record.words[0] {
        0 => wrong("a verdict was not written"),
        _ => wrong("a verdict is impossible"),
    })
}
