//! An engine's SEE against rules, in the engine's own tests.

use core::fmt::{self, Write as _};

use super::answers::Answer;
use super::claim::Claim;
use super::diagnosis::Diagnosis;
use swaplist::{Choice, PackedMove, Position, Profile, Rules, noisy_moves};

/// How many swap lists [`Disagreements`] prints.
const SHOWN: usize = 3;

/// Compares a SEE with the rules, on all noisy moves (captures, en passant, promotions) of the
/// positions. Returns the number of answers, which are all right.
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
/// [`Disagreements`] if an answer is wrong. It prints in which classes of moves, the fault if a known
/// one explains them, and three of the exchanges, also as the message of `unwrap`.
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
/// its exact value, which it reaches, with one more, which it does not, and with 0.
///
/// # Errors
///
/// As for [`against`].
pub fn against_ge(
    positions: &[Position],
    rules: &Rules,
    mut see_ge: impl FnMut(&Position, PackedMove, i32) -> bool,
) -> Result<usize, Disagreements> {
    compare(positions, rules, |position, capture, claims| {
        let value = rules.see(position, capture);
        let zero = Some(0).filter(|zero| ![value, value + 1].contains(zero));
        for threshold in [value, value + 1].into_iter().chain(zero) {
            let holds = see_ge(position, capture, threshold);
            claims.push(Claim::AtLeast { threshold, holds });
        }
    })
}

/// Compares what an engine claims about each move. `ask` adds its claims to a list.
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

/// [`SHOWN`] of the wrong answers, in their order: of other classes and other positions as far as
/// there are some, so that they do not all show the same.
fn examples<'a>(wrong: &'a [Answer], classes: &[&str]) -> Vec<&'a Answer> {
    let mut places: Vec<usize> = Vec::new();
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

/// What a SEE answers otherwise than the rules, as [`against`] finds it. Its text has the classes
/// of the answers, what the SEE seems to do there, and the exchanges of three of them with their swap
/// lists, of different classes and positions if there are some.
#[derive(Clone)]
pub struct Disagreements {
    rules: Rules,
    compared: usize,
    diagnosis: Diagnosis,
    wrong: Vec<Answer>,
}

impl Disagreements {
    /// In which classes answers are wrong, and what the SEE seems to do. Its places are those of all
    /// answers in the order of the positions and of [`noisy_moves`].
    pub fn diagnosis(&self) -> &Diagnosis {
        &self.diagnosis
    }

    /// The wrong answers, in the order of the positions; [`Answer::line`] is the position's number,
    /// from 1.
    pub fn wrong(&self) -> &[Answer] {
        &self.wrong
    }
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

/// An answer that disagrees, in lines: what was said of which move, the exchange by the rules with
/// its swap list, and the exchange by the first profile that agrees with the answer.
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
/// recapture that the rules bar. Each line begins with `under`.
fn add_exchange(rules: &Rules, answer: &Answer, under: &str, text: &mut String) {
    let trace = rules.trace(&answer.position, answer.capture);
    let mut moves = answer.capture.to_string();
    for recapture in &trace.recaptures {
        let _ = write!(moves, ", {}", recapture.piece);
    }
    let value = if trace.speculative.is_none() {
        ": settled by the first move under these rules".to_owned()
    } else {
        let list: Vec<_> = trace.swap_list().iter().map(i32::to_string).collect();
        format!("; swap list {}", list.join(", "))
    };
    let mut lines = vec![moves + &value];
    for barred in (0..=trace.recaptures.len()).flat_map(|ply| trace.passed_over(ply)) {
        let barred = barred.to_string();
        if !lines.contains(&barred) {
            lines.push(barred);
        }
    }
    for line in lines {
        let _ = writeln!(text, "    {under}{line}");
    }
}
