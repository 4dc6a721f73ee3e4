//! Compares an engine's SEE with rules, in the engine's own tests.

use core::fmt::{self, Write as _};

use super::answers::Answer;
use super::claim::Claim;
use super::diagnosis::Diagnosis;
use swaplist::{Choice, PackedMove, Position, Profile, Rules, noisy_moves};

/// How many of the wrong answers [`Disagreements`] prints with their exchanges.
const SHOWN: usize = 3;

/// Compares a SEE with the rules, on all noisy moves (captures, en passant, promotions) of the
/// positions. Returns the number of answers if all are right.
///
/// ```
/// use swaplist::{Position, Rules};
/// use swaplist_files::check;
///
/// # let my_see = |position: &Position, capture| Rules::SWAP.see(position, capture);
/// let lines = swaplist::SAMPLE.lines().take(100);
/// let positions: Vec<Position> = lines.map(str::parse).collect::<Result<_, _>>()?;
/// check::against(&positions, &Rules::SWAP, |position, capture| my_see(position, capture))?;
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// [`Disagreements`] if an answer is wrong. Its text, which `unwrap` prints too, names the classes
/// of moves with wrong answers, and the fault if a known one explains them. It also has up to three
/// of the exchanges.
pub fn against(
    positions: &[Position],
    rules: &Rules,
    mut see: impl FnMut(&Position, PackedMove) -> i32,
) -> Result<usize, Disagreements> {
    compare(positions, rules, |position, capture, claims| {
        claims.push(Claim::Value(see(position, capture)));
    })
}

/// Compares a SEE that only says whether a move reaches a threshold. Each move is asked about with
/// its exact value, which it reaches, with one more, which it does not, and with 0. Returns the
/// number of answers, two or three for each move, if all are right.
///
/// # Errors
///
/// [`Disagreements`] if an answer is wrong, as for [`against`].
pub fn against_ge(
    positions: &[Position],
    rules: &Rules,
    mut see_ge: impl FnMut(&Position, PackedMove, i32) -> bool,
) -> Result<usize, Disagreements> {
    compare(positions, rules, |position, capture, claims| {
        let value = rules.see(position, capture);
        // Nothing is asked twice.
        let zero = Some(0).filter(|zero| ![value, value + 1].contains(zero));
        for threshold in [value, value + 1].into_iter().chain(zero) {
            let holds = see_ge(position, capture, threshold);
            claims.push(Claim::AtLeast { threshold, holds });
        }
    })
}

/// Compares what an engine claims about each move with the rules. `ask` adds the engine's claims
/// about a move to a list. The line of an answer is the number of its position, from 1.
fn compare(
    positions: &[Position],
    rules: &Rules,
    mut ask: impl FnMut(&Position, PackedMove, &mut Vec<Claim>),
) -> Result<usize, Disagreements> {
    let mut answers = Vec::new();
    let mut claims = Vec::new();
    for (line, position) in (1..).zip(positions) {
        let fen = position.to_string();
        for capture in noisy_moves(position) {
            ask(position, capture, &mut claims);
            answers.extend(claims.drain(..).map(|said| Answer {
                fen: fen.clone(),
                position: *position,
                capture,
                said,
                line,
            }));
        }
    }
    let compared = answers.len();
    if answers.iter().all(|answer| answer.agrees(rules)) {
        return Ok(compared);
    }
    let diagnosis = Diagnosis::new(&answers, rules);
    answers.retain(|answer| !answer.agrees(rules));
    Err(Disagreements {
        rules: *rules,
        compared,
        diagnosis,
        wrong: answers,
    })
}

/// Chooses [`SHOWN`] of the wrong answers, or all if they are fewer. They are of different classes
/// and positions where possible, so that they do not all show the same, and stay in their order.
/// `classes` has the class of each wrong answer.
fn examples<'a>(wrong: &'a [Answer], classes: &[&str]) -> Vec<&'a Answer> {
    let mut places: Vec<usize> = Vec::new();
    // First those that differ by both, then those that differ by position, then any.
    for (by_class, by_position) in [(true, true), (false, true), (false, false)] {
        for place in 0..wrong.len() {
            let is_new = places.iter().all(|&one| {
                let same_class = by_class && classes[one] == classes[place];
                let same_position = by_position && wrong[one].line == wrong[place].line;
                one != place && !same_class && !same_position
            });
            if is_new && places.len() < SHOWN {
                places.push(place);
            }
        }
    }
    places.sort_unstable();
    places.into_iter().map(|place| &wrong[place]).collect()
}

/// The answers of a SEE that disagree with rules, from [`against`] or [`against_ge`].
///
/// As text, it has the classes of these answers, what the SEE seems to do there, and up to three of
/// the exchanges with their swap lists, of different classes and positions where possible.
#[derive(Clone)]
pub struct Disagreements {
    rules: Rules,
    /// The number of all answers.
    compared: usize,
    /// In which classes answers are wrong, and what the SEE seems to do. It numbers all answers,
    /// right and wrong, from 0 in the order of the positions and of their [`noisy_moves`].
    pub diagnosis: Diagnosis,
    /// The wrong answers, in the order of the positions; [`Answer::line`] is the position's number,
    /// from 1.
    pub wrong: Vec<Answer>,
}

impl fmt::Display for Disagreements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Disagreements {
            rules,
            compared,
            diagnosis,
            wrong,
        } = self;
        let count = wrong.len();
        writeln!(f, "{count} of {compared} answers disagree with {rules}")?;
        for line in diagnosis.to_string().lines() {
            writeln!(f, "  {line}")?;
        }
        for answer in examples(wrong, &diagnosis.classes_of_wrong()) {
            let words = disagreement_in_words(answer, rules);
            write!(f, "\n  position {}: {words}", answer.line)?;
        }
        if count > SHOWN {
            writeln!(f, "\n  and {} more", count - SHOWN)?;
        }
        Ok(())
    }
}

/// Writes what [`Display`](fmt::Display) does, so that a test that unwraps prints it.
impl fmt::Debug for Disagreements {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        fmt::Display::fmt(self, f)
    }
}

impl core::error::Error for Disagreements {}

/// Describes an answer that disagrees with rules, in several lines: the move with what the engine
/// said of it, the exchange by the rules with its swap list, and the exchange by the first profile
/// that agrees with the answer, if one does.
pub fn disagreement_in_words(answer: &Answer, rules: &Rules) -> String {
    let Answer { capture, said, .. } = answer;
    let see = rules.see(&answer.position, *capture);
    let fen = &answer.fen;
    let mut text = format!("{capture} in '{fen}': said {said}, the SEE is {see}\n");
    add_exchange(rules, answer, "", &mut text);
    let agreeing: Vec<Profile> = answer.agreeing_profiles(rules);
    if let Some(&first) = agreeing.first() {
        let names: Vec<_> = agreeing.iter().map(|profile| profile.name()).collect();
        let _ = writeln!(text, "    as said under profile {}", names.join(", "));
        let rules_of_first = Rules::new(first, rules.values);
        add_exchange(
            &rules_of_first,
            answer,
            &format!("under {first}: "),
            &mut text,
        );
    }
    text
}

/// Adds the moves of an exchange as `e4c5, Be7, Nd3; swap list 100, 225, -125`, and a line for each
/// recapture that the rules bar. Each line begins with `prefix`.
fn add_exchange(rules: &Rules, answer: &Answer, prefix: &str, text: &mut String) {
    let trace = rules.trace(&answer.position, answer.capture);
    let mut moves = answer.capture.to_string();
    for recapture in &trace.recaptures {
        let _ = write!(moves, ", {}", recapture.piece);
    }
    // A swap list ends with a speculative entry, unless the first move settles the value.
    let value = if trace.speculative.is_none() {
        ": settled by the first move under these rules".to_owned()
    } else {
        let list: Vec<_> = trace.swap_list().iter().map(i32::to_string).collect();
        format!("; swap list {}", list.join(", "))
    };
    let mut lines = vec![moves + &value];
    // The last ply is that of the capture that did not happen.
    for barred in (0..=trace.recaptures.len()).flat_map(|ply| trace.passed_over(ply)) {
        let barred = barred.to_string();
        if !lines.contains(&barred) {
            lines.push(barred);
        }
    }
    for line in lines {
        let _ = writeln!(text, "    {prefix}{line}");
    }
}
