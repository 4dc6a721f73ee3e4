//! In what an engine deviates from rules: which faults explain its answers.
//!
//! One answer alone seldom tells the fault: many faults give the same value. So all answers decide
//! together. A fault that would have made right answers wrong is *contradicted* by them, and is not
//! given as an explanation. Of the others, the one that explains most wrong answers is named first,
//! then the one that explains most of the rest, and so on. Of several that explain equally many it is
//! the one that fewest right answers speak against, and those that have the same answers are told
//! with it.
//!
//! An engine with each of the 140 suspects would have to give each answer. So suspects are looked
//! for among [`SAMPLE`] wrong answers, evenly spaced; those that explain none of them cost no more.
//! The others have to agree with the right answers, [`CHUNK`] at a time, until enough contradict.
//! Only what is named has seen all answers. What remains unexplained is sampled again.

use core::cmp::Reverse;

use shakmaty::{Bitboard, Role};

use super::answers::Answer;
use super::on_all_threads;
use super::suspects::{Suspect, suspects};
use crate::suite::Scene;
use swaplist::{Rules, Trace};

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
    /// What is named, each with the others that have the same answers.
    alike: Vec<(&'static str, Vec<&'static str>)>,
}

/// An answer's class, and the fault that explains it.
#[derive(Clone, Copy, Debug)]
struct Explained {
    class: &'static str,
    seems: Option<&'static str>,
    agrees: bool,
}

/// An answer compared with the rules.
struct Judged {
    scene: Scene,
    /// The SEE by the rules.
    right: i32,
    agrees: bool,
    /// The class if nothing explains it.
    topic: &'static str,
}

/// How many wrong answers are shown to all suspects at once.
const SAMPLE: usize = 256;
/// How many right answers a suspect sees before it is asked how many contradict it.
const CHUNK: usize = 512;
/// A fault is given as an explanation if at least so many answers speak for it for each one that
/// speaks against it: a second fault of the same engine may undo it now and then.
const FOR_EACH_AGAINST: usize = 10;

impl Diagnosis {
    /// Looks for the faults that explain which answers disagree with the rules.
    pub fn new(answers: &[Answer], rules: &Rules) -> Diagnosis {
        let judged = on_all_threads(answers, |answer| Judged::new(answer, rules));
        let named = if judged.iter().all(|answer| answer.agrees) {
            Vec::new()
        } else {
            Hearing::new(answers, &judged, rules).named()
        };
        let explained = judged.iter().enumerate().map(|(nth, answer)| {
            let found = named.iter().find(|named| named.is_about[nth]);
            Explained {
                class: found.map_or(answer.topic, |named| named.class),
                seems: found.map(|named| named.seems).filter(|_| !answer.agrees),
                agrees: answer.agrees,
            }
        });
        Diagnosis {
            explained: explained.collect(),
            alike: named
                .iter()
                .map(|named| (named.seems, named.alike.clone()))
                .collect(),
        }
    }

    /// What the engine seems to do in a class, with the number of the disagreeing answers that this
    /// explains, the largest first.
    pub fn explanations(&self, class: &str) -> Vec<(&'static str, usize)> {
        let mut found: Vec<(&'static str, usize)> = Vec::new();
        let of_class = self.explained.iter().filter(|answer| answer.class == class);
        for seems in of_class.filter_map(|answer| answer.seems) {
            match found.iter_mut().find(|(known, _)| *known == seems) {
                Some((_, count)) => *count += 1,
                None => found.push((seems, 1)),
            }
        }
        found.sort_by_key(|(_, count)| Reverse(*count));
        found
    }

    /// What the engine may do instead of what it [`seems`](Diagnosis::seems) to do: with each of these
    /// the same of the answers would disagree.
    pub fn instead_of(&self, seems: &str) -> &[&'static str] {
        let found = self.alike.iter().find(|(known, _)| *known == seems);
        found.map_or(&[], |(_, others)| others)
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

/// A suspect that no right answers contradict, and that explains wrong ones.
struct Named {
    class: &'static str,
    seems: &'static str,
    /// Whether it makes a difference to each answer.
    is_about: Vec<bool>,
    /// How many right answers speak against it.
    against: usize,
    /// Other suspects that make a difference to the same answers.
    alike: Vec<&'static str>,
}

/// All suspects, with the answers for and against them.
struct Hearing<'a> {
    answers: &'a [Answer],
    judged: &'a [Judged],
    rules: &'a Rules,
    suspects: Vec<Suspect>,
    /// The places of the right answers, those evenly spaced first.
    right: Vec<usize>,
    /// The places of the wrong answers.
    wrong: Vec<usize>,
}

impl<'a> Hearing<'a> {
    fn new(answers: &'a [Answer], judged: &'a [Judged], rules: &'a Rules) -> Hearing<'a> {
        let (right, wrong): (Vec<_>, Vec<_>) =
            (0..judged.len()).partition(|nth| judged[*nth].agrees);
        let stride = right.len().div_ceil(CHUNK).max(1);
        // Neighbours are often alike: the first chunk is of answers from all over.
        let spread = (0..stride).flat_map(|at| right.iter().skip(at).step_by(stride));
        Hearing {
            answers,
            judged,
            rules,
            suspects: suspects(rules),
            right: spread.copied().collect(),
            wrong,
        }
    }

    /// Names suspects until nothing more is explained.
    fn named(&self) -> Vec<Named> {
        let mut named = Vec::new();
        let mut is_heard = vec![false; self.suspects.len()];
        let mut left = self.wrong.clone();
        loop {
            let before = named.len();
            let stride = left.len().div_ceil(SAMPLE).max(1);
            let mut sample: Vec<(usize, Vec<bool>)> = {
                let places: Vec<usize> = left.iter().copied().step_by(stride).collect();
                let explains = on_all_threads(&places, |nth| {
                    let all = self.suspects.iter();
                    all.map(|suspect| self.is_about(suspect, *nth)).collect()
                });
                places.into_iter().zip(explains).collect()
            };
            loop {
                let next = self.next(&sample, &is_heard);
                if next.is_empty() {
                    break;
                }
                if let Some(found) = self.best_of(&next, &mut is_heard) {
                    sample.retain(|(nth, _)| !found.is_about[*nth]);
                    left.retain(|nth| !found.is_about[*nth]);
                    named.push(found);
                }
            }
            if named.len() == before || left.is_empty() {
                return named;
            }
        }
    }

    /// The suspects that explain most of the answers.
    fn next(&self, sample: &[(usize, Vec<bool>)], is_heard: &[bool]) -> Vec<usize> {
        let explained = |suspect: &usize| {
            let about = sample.iter().filter(|(_, explains)| explains[*suspect]);
            about.count()
        };
        let left = (0..self.suspects.len()).filter(|suspect| !is_heard[*suspect]);
        let counts: Vec<(usize, usize)> =
            left.map(|suspect| (suspect, explained(&suspect))).collect();
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let best = counts
            .into_iter()
            .filter(|(_, count)| *count == most && most > 0);
        best.map(|(suspect, _)| suspect).collect()
    }

    /// Of suspects that explain equally many wrong answers the one that fewest right ones speak
    /// against, with those that have the same answers. Those that are contradicted are done with.
    fn best_of(&self, suspects: &[usize], is_heard: &mut [bool]) -> Option<Named> {
        let mut heard: Vec<(usize, Named)> = Vec::new();
        for &suspect in suspects {
            match self.hear(&self.suspects[suspect]) {
                Some(found) => heard.push((suspect, found)),
                None => is_heard[suspect] = true,
            }
        }
        let best = (0..heard.len()).min_by_key(|nth| heard[*nth].1.against)?;
        let (suspect, mut found) = heard.remove(best);
        is_heard[suspect] = true;
        heard.retain(|(_, other)| other.is_about == found.is_about && other.seems != found.seems);
        found.alike = heard.into_iter().map(|(_, other)| other.seems).collect();
        found.alike.dedup();
        Some(found)
    }

    /// Shows all answers to a suspect; `None` if right ones contradict it.
    fn hear(&self, suspect: &Suspect) -> Option<Named> {
        let mut is_about = vec![false; self.judged.len()];
        let mut look = |places: &[usize]| {
            let found = on_all_threads(places, |nth| self.is_about(suspect, *nth));
            for (nth, is) in places.iter().zip(&found) {
                is_about[*nth] = *is;
            }
            found.into_iter().filter(|is| *is).count()
        };
        let explained = look(&self.wrong);
        let mut against = 0;
        for chunk in self.right.chunks(CHUNK) {
            against += look(chunk);
            if against * FOR_EACH_AGAINST > explained {
                return None;
            }
        }
        Some(Named {
            class: suspect.class,
            seems: suspect.seems,
            is_about,
            against,
            alike: Vec::new(),
        })
    }

    /// Whether a suspect makes a difference to an answer: whether it explains a wrong one, or would
    /// have made a right one wrong.
    fn is_about(&self, suspect: &Suspect, nth: usize) -> bool {
        let Judged {
            scene,
            right,
            agrees,
            ..
        } = &self.judged[nth];
        suspect.says(scene, &self.answers[nth], self.rules, *right) != *agrees
    }
}

impl Judged {
    fn new(answer: &Answer, rules: &Rules) -> Judged {
        let trace = rules.trace(&answer.position, answer.capture);
        Judged {
            scene: Scene::new(&answer.position, answer.capture),
            right: trace.value,
            agrees: answer.said.is(trace.value),
            topic: topic(answer, &trace),
        }
    }
}

/// What an answer is about, if no fault explains it.
fn topic(answer: &Answer, trace: &Trace) -> &'static str {
    let Answer {
        position, capture, ..
    } = answer;
    let target = capture.to();
    let is_pawn = position.pawns() >> (capture.from() as u32) & 1 != 0;
    let is_straight = capture.from().file() == target.file();
    let takes_nothing = position.code_at(target as u32) == 0;
    let mut recapturers = trace.recaptures.iter().map(|by| by.piece.role);
    if is_pawn && takes_nothing && !is_straight {
        "en passant"
    } else if capture.promotion().is_some() {
        "promotions"
    } else if Bitboard::BACKRANKS.contains(target) && recapturers.any(|role| role == Role::Pawn) {
        "promotions in recaptures"
    } else if takes_nothing {
        "moves without a capture"
    } else {
        "other captures"
    }
}
