//! In what an engine deviates from rules: which faults explain its answers.
//!
//! One answer alone seldom tells the fault: many faults give the same value. So all answers decide
//! together. A fault that would have made right answers wrong is *contradicted* by them, and is not
//! given as an explanation. Of the others, one that explains nearly all wrong answers is named
//! first, and then the first one in the table of faults.

use core::cmp::Reverse;

use super::answers::Answer;
use super::explanations::{Examined, FAULTS};
use super::on_all_threads;
use swaplist::Rules;

/// A class of answers in which some disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Deviation {
    /// Its name, such as "en passant" or "x-rays are missing".
    pub class: &'static str,
    /// How many of its answers disagree.
    pub disagree: usize,
    /// How many answers it has: for "... are missing" and the like those that it makes a
    /// difference to.
    pub answers: usize,
}

/// Why answers disagree with rules: the class of each answer, and what the engine seems to do.
///
/// An explanation is given only if the other answers do not contradict it: an engine without x-rays
/// is wrong wherever one matters.
#[derive(Clone, Debug)]
#[must_use]
pub struct Diagnosis {
    /// In the order of the answers.
    explained: Vec<Explained>,
}

/// An answer's class, and the fault that explains it.
#[derive(Clone, Copy, Debug)]
struct Explained {
    class: &'static str,
    seems: Option<&'static str>,
    agrees: bool,
}

/// What an answer says about each of the faults.
struct Evidence {
    agrees: bool,
    /// The class if no fault explains it.
    topic: &'static str,
    /// The faults that it speaks for if it is wrong, and against if it is right: bit `i` for fault
    /// `i`.
    faults: u64,
}

const _: () = assert!(FAULTS.len() <= u64::BITS as usize);

/// A fault is given as an explanation if at least so many answers speak for it for each one that
/// speaks against it: a second fault of the same engine may undo it now and then.
const FOR_EACH_AGAINST: usize = 10;

impl Diagnosis {
    /// Looks for the faults that explain which answers disagree with the rules.
    pub fn new(answers: &[Answer], rules: &Rules) -> Diagnosis {
        let evidence = on_all_threads(answers, |answer| Evidence::from_answer(answer, rules));
        let faults = plausible(&evidence);
        let explained = evidence.iter().map(|answer| {
            let fault = faults.iter().find(|&&fault| answer.is_about(fault));
            let fault = fault.map(|&fault| &FAULTS[fault]);
            Explained {
                class: fault.map_or(answer.topic, |fault| fault.class),
                seems: fault.map(|fault| fault.seems).filter(|_| !answer.agrees),
                agrees: answer.agrees,
            }
        });
        Diagnosis {
            explained: explained.collect(),
        }
    }

    /// The classes of answers that disagree with the rules, the largest first. Each answer is in
    /// one class.
    pub fn deviations(&self) -> Vec<Deviation> {
        let mut found: Vec<Deviation> = Vec::new();
        for answer in &self.explained {
            let known = found.iter().position(|known| known.class == answer.class);
            let nth = known.unwrap_or_else(|| {
                found.push(Deviation {
                    class: answer.class,
                    disagree: 0,
                    answers: 0,
                });
                found.len() - 1
            });
            found[nth].answers += 1;
            found[nth].disagree += usize::from(!answer.agrees);
        }
        found.retain(|class| class.disagree > 0);
        found.sort_by_key(|class| (Reverse(class.disagree), class.class));
        found
    }

    /// The class in which an answer is counted; `answer` is its place among the answers.
    ///
    /// # Panics
    ///
    /// If there are not so many answers.
    pub fn class_of(&self, answer: usize) -> &'static str {
        self.explained[answer].class
    }

    /// What the engine seems to do where this answer disagrees: one other rule or one fault with
    /// which it is right. `None` if no plausible one is known, and if the answer agrees.
    ///
    /// # Panics
    ///
    /// If there are not so many answers.
    pub fn seems(&self, answer: usize) -> Option<&'static str> {
        self.explained[answer].seems
    }
}

impl Evidence {
    fn from_answer(answer: &Answer, rules: &Rules) -> Evidence {
        let examined = Examined::new(answer, rules);
        let agrees = answer.said.is(examined.value());
        let mut faults = 0;
        for (i, fault) in FAULTS.iter().enumerate() {
            let is_as_said = answer.said.is((fault.see)(&examined));
            faults |= u64::from(is_as_said != agrees) << i;
        }
        Evidence {
            agrees,
            topic: examined.topic(),
            faults,
        }
    }

    /// Whether a fault makes a difference to the answer: whether it explains a wrong one, or would
    /// have made a right one wrong.
    const fn is_about(&self, fault: usize) -> bool {
        self.faults >> fault & 1 != 0
    }
}

/// The faults that explain wrong answers and that right ones do not contradict, by their number in
/// the table, in the order in which they are named.
fn plausible(evidence: &[Evidence]) -> Vec<usize> {
    let wrong = evidence.iter().filter(|answer| !answer.agrees).count();
    let mut faults: Vec<(usize, usize)> = Vec::new();
    for fault in 0..FAULTS.len() {
        let about = evidence.iter().filter(|answer| answer.is_about(fault));
        let (against, explained): (Vec<_>, Vec<_>) = about.partition(|answer| answer.agrees);
        if !explained.is_empty() && explained.len() >= FOR_EACH_AGAINST * against.len() {
            faults.push((fault, explained.len()));
        }
    }
    faults.sort_by_key(|&(_, explained)| {
        let is_nearly_all = explained * 10 >= wrong * 9;
        Reverse(if is_nearly_all { explained } else { 0 })
    });
    faults.into_iter().map(|(fault, _)| fault).collect()
}
