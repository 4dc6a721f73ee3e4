//! In what an engine deviates from rules: which faults explain its answers.
//!
//! One answer alone seldom tells the fault: many faults give the same value. So all answers decide
//! together. A fault that would have made a right answer wrong is *contradicted* by it, and is not
//! given as an explanation. There is one exception: an engine that also has another of the named
//! faults is right there, as one fault undoes the other. Of the faults that remain, the one that
//! explains most wrong answers is named first, then the one that explains most of the rest, and so
//! on. Of several that explain equally many it is the one that fewest right answers speak against,
//! and those that have the same answers are told with it.
//!
//! If rules and piece values are unknown, they are fitted, and those that most answers agree with are
//! not always the engine's own: other options may happen to explain some of its wrong answers. So a
//! profile under which one fault explains all answers comes first (`Diagnosis::from_findings`).
//!
//! An engine with each of the 140 suspects would have to give each answer. So suspects are looked
//! for among [`SAMPLE`] wrong answers, evenly spaced; those that explain none of them cost no more.
//! The others have to agree with the right answers, [`CHUNK`] at a time, until enough contradict.
//! Only what is named has seen all answers. What remains unexplained is sampled again.

use core::cmp::Reverse;
use core::fmt;

use shakmaty::{Bitboard, Role};

use super::answers::Answer;
use super::suspects::{Suspect, suspects};
use super::{Finding, evenly_spaced, on_all_threads};
use crate::packed::PAWN;
use crate::suite::Scene;
use swaplist::{Rules, Trace};

/// A class of answers in which some disagree.
#[derive(Clone, Copy, Debug, PartialEq, Eq, serde::Serialize)]
#[non_exhaustive]
pub struct Deviation {
    /// The name of the class, such as "en passant" or "x-rays are missing".
    pub class: &'static str,
    /// How many of its answers disagree.
    pub disagree: usize,
    /// How many answers it has: for "... are missing" and the like those that it makes a
    /// difference to.
    pub answers: usize,
}

/// Why answers disagree with rules: the class of each answer, and what the engine seems to do.
///
/// An explanation is given only if no other answer contradicts it: an engine without x-rays is wrong
/// wherever one matters, unless another of its faults puts that right.
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
/// How many explanations are printed that have the same answers as one.
const NAMED: usize = 3;
/// How many right answers a suspect sees before it is asked how many contradict it.
const CHUNK: usize = 512;
/// A fault is heard to the end as long as it explains at least so many answers for each one that
/// contradicts it: then a second fault may still turn out to undo it there.
const FOR_EACH_AGAINST: usize = 10;
/// How many answers are looked at for a simpler explanation under another profile, before all are.
const FIRST_ANSWERS: usize = 2_048;

impl Diagnosis {
    /// Looks for the faults that explain which answers disagree with the rules.
    pub(crate) fn new(answers: &[Answer], rules: &Rules) -> Diagnosis {
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

    /// A diagnosis under the best of the rule sets that were found for the answers, or under a simpler
    /// one: if one fault explains all answers under a profile, and none does under the best rules,
    /// the profile is moved to the front. `None` without findings.
    pub(crate) fn from_findings(answers: &[Answer], findings: &mut [Finding]) -> Option<Diagnosis> {
        let best = findings.first()?.rules;
        let usual = Diagnosis::new(answers, &best);
        let all_agree = usual.explained.iter().all(|answer| answer.agrees);
        if all_agree || best.profile().is_some() && usual.is_one_fault() {
            return Some(usual);
        }
        let first_answers = evenly_spaced(answers, FIRST_ANSWERS);
        for nth in 0..findings.len() {
            let rules = findings[nth].rules;
            let is_candidate = rules.profile().is_some() && rules != best;
            if is_candidate && Diagnosis::new(&first_answers, &rules).may_be_one_fault() {
                let found = Diagnosis::new(answers, &rules);
                if found.is_one_fault() {
                    findings[..=nth].rotate_right(1);
                    return Some(found);
                }
            }
        }
        Some(usual)
    }

    /// Whether at most one fault explains all answers that disagree.
    fn may_be_one_fault(&self) -> bool {
        self.is_one_fault() || self.explained.iter().all(|answer| answer.agrees)
    }

    /// Whether one fault explains all answers that disagree.
    fn is_one_fault(&self) -> bool {
        let mut wrong = self.explained.iter().filter(|answer| !answer.agrees);
        let first = wrong.next().and_then(|answer| answer.seems);
        first.is_some() && wrong.all(|answer| answer.seems == first)
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

    /// What the engine may do instead of what it seems to do: with each of these the same of the answers
    /// would disagree.
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

    /// The class in which an answer is counted, and what the engine seems to do if the answer disagrees:
    /// one other rule or one fault with which it is right, `None` if no plausible one is known.
    /// `answer` is its place among the answers.
    ///
    /// # Panics
    ///
    /// If there are not so many answers.
    pub fn of_answer(&self, answer: usize) -> (&'static str, Option<&'static str>) {
        let Explained { class, seems, .. } = self.explained[answer];
        (class, seems)
    }

    /// The classes of the answers that disagree, in their order.
    pub(super) fn classes_of_wrong(&self) -> Vec<&'static str> {
        let wrong = self.explained.iter().filter(|answer| !answer.agrees);
        wrong.map(|answer| answer.class).collect()
    }
}

/// The classes of answers that disagree, a line each, and below each what the engine seems to do. Of
/// what would give the same answers, the first few are named.
impl fmt::Display for Diagnosis {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.write(f, "")
    }
}

impl Diagnosis {
    /// Its text, with words after the number of the others that are not named, such as
    /// where they are.
    pub fn in_words(&self, after_others: &str) -> String {
        let mut text = String::new();
        let _ = self.write(&mut text, after_others);
        text
    }

    fn write(&self, f: &mut impl fmt::Write, after_others: &str) -> fmt::Result {
        for deviation in self.deviations() {
            let is_all = deviation.disagree == deviation.answers;
            let class = format!("{}{}", if is_all { "all " } else { "" }, deviation.class);
            let [disagree, answers] = [deviation.disagree, deviation.answers].map(grouped);
            writeln!(f, "{class:<30}  {disagree} of {answers}")?;
            for (seems, explained) in self.explanations(deviation.class) {
                let others = self.instead_of(seems);
                if seems == deviation.class && others.is_empty() {
                    continue; // the class says it
                }
                let number = grouped(explained);
                writeln!(f, "  {number}: {seems}")?;
                let indent = " ".repeat(number.len() + 4);
                // The last one is named where the line would only say that there is one more.
                let named = NAMED + usize::from(others.len() == NAMED + 1);
                for other in others.iter().take(named) {
                    writeln!(f, "{indent}or {other}")?;
                }
                if others.len() > named {
                    let left = others.len() - named;
                    writeln!(f, "{indent}or {left} others{after_others}")?;
                }
            }
        }
        Ok(())
    }
}

/// A number with its digits in groups of three.
fn grouped(number: usize) -> String {
    let digits = number.to_string();
    let mut text = String::new();
    for (nth, digit) in digits.chars().enumerate() {
        if nth > 0 && (digits.len() - nth).is_multiple_of(3) {
            text.push(',');
        }
        text.push(digit);
    }
    text
}

/// A suspect that explains wrong answers, and that at most few right ones contradict.
struct Named {
    /// The suspect's place in the list of suspects.
    suspect: usize,
    class: &'static str,
    seems: &'static str,
    /// Whether it makes a difference to each answer.
    is_about: Vec<bool>,
    /// The right answers that contradict it, unless another fault undoes it there.
    against: Vec<usize>,
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

    /// The suspects that explain wrong answers and that no right ones contradict.
    fn named(&self) -> Vec<Named> {
        let mut is_contradicted = vec![false; self.suspects.len()];
        loop {
            let named = self.named_but(&is_contradicted);
            let mut is_sound = true;
            for one in named.iter().filter(|one| self.contradict(one, &named)) {
                is_contradicted[one.suspect] = true;
                is_sound = false;
            }
            if is_sound {
                return named;
            }
        }
    }

    /// Whether a right answer contradicts a suspect though the engine may have the other named
    /// faults too: it is right with none of them.
    fn contradict(&self, one: &Named, named: &[Named]) -> bool {
        let both: Vec<Suspect> = named
            .iter()
            .filter(|other| other.suspect != one.suspect)
            .map(|other| self.suspects[one.suspect].and(&self.suspects[other.suspect], self.rules))
            .collect();
        !one.against
            .iter()
            .all(|&nth| both.iter().any(|both| !self.is_about(both, nth)))
    }

    /// Names suspects until nothing more is explained; not those that are contradicted.
    fn named_but(&self, is_contradicted: &[bool]) -> Vec<Named> {
        let mut named = Vec::new();
        let mut is_heard = is_contradicted.to_vec();
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
        let counts: Vec<(usize, usize)> = (0..self.suspects.len())
            .filter(|suspect| !is_heard[*suspect])
            .map(|suspect| {
                let about = sample.iter().filter(|(_, explains)| explains[suspect]);
                (suspect, about.count())
            })
            .collect();
        let most = counts.iter().map(|(_, count)| *count).max().unwrap_or(0);
        let best = counts
            .into_iter()
            .filter(|(_, count)| *count == most && most > 0);
        best.map(|(suspect, _)| suspect).collect()
    }

    /// Chooses, from suspects that explain equally many wrong answers, the one that fewest right
    /// answers contradict, with those that have the same answers. Suspects that many answers
    /// contradict are done with.
    fn best_of(&self, suspects: &[usize], is_heard: &mut [bool]) -> Option<Named> {
        let mut heard: Vec<(usize, Named)> = Vec::new();
        for &suspect in suspects {
            match self.hear(suspect) {
                Some(found) => heard.push((suspect, found)),
                None => is_heard[suspect] = true,
            }
        }
        let best = (0..heard.len()).min_by_key(|nth| heard[*nth].1.against.len())?;
        let (suspect, mut found) = heard.remove(best);
        is_heard[suspect] = true;
        heard.retain(|(_, other)| other.is_about == found.is_about && other.seems != found.seems);
        found.alike = heard.into_iter().map(|(_, other)| other.seems).collect();
        found.alike.dedup();
        Some(found)
    }

    /// Shows all answers to a suspect; `None` if many right ones contradict it.
    fn hear(&self, place: usize) -> Option<Named> {
        let suspect = &self.suspects[place];
        let mut is_about = vec![false; self.judged.len()];
        let mut look = |places: &[usize]| {
            let found = on_all_threads(places, |nth| self.is_about(suspect, *nth));
            for (nth, is) in places.iter().zip(&found) {
                is_about[*nth] = *is;
            }
            let about = places.iter().zip(found).filter(|(_, is)| *is);
            about.map(|(nth, _)| *nth).collect::<Vec<_>>()
        };
        let explained = look(&self.wrong).len();
        let mut against = Vec::new();
        for chunk in self.right.chunks(CHUNK) {
            against.extend(look(chunk));
            if against.len() * FOR_EACH_AGAINST > explained {
                return None;
            }
        }
        Some(Named {
            suspect: place,
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
    let is_pawn = position.code_at(capture.from() as u32) == PAWN;
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
