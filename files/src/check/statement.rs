//! Answers in programs: a call with a FEN, a move and a value.
//!
//! ```text
//! assert_eq!(see(&"FEN".parse().unwrap(), "e2e4"), 100);
//! assert!(!see_ge(Board::from_fen("FEN"), "e2e4", 101));
//! SEE(FEN, e2e4) = 100
//! ```
//!
//! A call is an answer only if nothing has to be guessed. It has one FEN, one legal move and one
//! number, which is compared for equality, or is the threshold of a function that is named for it. A
//! sum, an index, another comparison, or a word that may turn the answer around makes it none.

use core::ops::Range;

use super::amount::{Amount, SIGNS, amount};
use super::applied::{OTHERS, is_assigned};
use super::callee::{NO, UNCLEAR, asks, asserts, is_neutral, is_see_itself, words_around_question};
use super::line::{Parts, Said, without_comments};
use super::question::Question;
use super::tokens::{Bracket, Token, Tokens, segments};
use super::words::is_square_of_capture;
use crate::pasted::statement;

/// The parts of a call with one FEN, one legal move and one number.
pub(super) fn read_call(text: &str) -> Option<Call> {
    let statement = statement(&without_comments(text))?;
    let [fen, others @ ..] = &statement.used[..] else {
        return None;
    };
    // The square of a move to be asked about is not a pawn's capture.
    let is_square =
        |part: &Range<usize>| is_square_of_capture(&statement.text[part.clone()], &statement.named);
    if matches!(others, [part] if is_square(part)) {
        return None;
    }
    let mut rest = statement.text.clone();
    // Texts of the same length keep the places of other parts.
    rest.replace_range(
        fen.clone(),
        &(Tokens::FEN.to_string() + &" ".repeat(fen.len() - 1)),
    );
    for part in others {
        rest.replace_range(part.clone(), &" ".repeat(part.len()));
    }
    let tokens = Tokens::new(&rest).without_message();
    let number = Number::find(&tokens)?;
    let threshold = tokens.names().any(asks);
    let named = others.first().map_or(fen.start, |part| part.start);
    let question = Question::find(&tokens, named)?;
    let is_row = !threshold && question.has_argument(number.at);
    // A row or a list of rows may have a name, but not what is asked.
    let is_asked = !is_row || segments(question.name()).iter().any(|word| word == "see");
    let is_led = |lead: &str| KEYWORDS.contains(&lead) || lead == "test" || asserts(lead);
    if is_assigned(&tokens) && is_asked
        || !question.lead(&tokens).is_none_or(is_led)
        || !number.stands_alone(&tokens, threshold)
        || !question.is_as_asked(&tokens)
        || is_row && (is_see_itself(question.name()) || !is_neutral(question.name()))
    {
        return None;
    }
    let denials = Denials::count(&tokens, &number, &question, threshold)?;
    let is_placed = if threshold {
        number.is_threshold(&tokens)
    } else {
        let is_beside = is_row || question.is_beside(&tokens, number.first, number.at);
        is_beside && number.is_value(&tokens)
    };
    is_placed.then(|| Call {
        parts: Parts {
            fen: statement.fen,
            name: statement.named,
            said: Said {
                amount: number.amount,
                holds: threshold.then_some(denials.holds),
            },
        },
        is_row,
    })
}

/// What a call says.
pub(super) struct Call {
    pub parts: Parts,
    /// Whether its function is given the number with the FEN and the move: what it does with it is
    /// said elsewhere.
    pub is_row: bool,
}

/// The only number of a call.
struct Number {
    amount: Amount,
    /// Where its sign, or else the number, is among the tokens, and where it is.
    first: usize,
    at: usize,
}

impl Number {
    fn find(tokens: &Tokens<'_>) -> Option<Number> {
        let mut all = tokens.numbers();
        let (at, text) = all.next().filter(|_| all.next().is_none())?;
        let signed = at.checked_sub(1).filter(|&sign| {
            let is_sign =
                matches!(tokens.get(sign), Some(Token::Sign(sign)) if SIGNS.contains(&sign));
            let before = sign.checked_sub(1).and_then(|before| tokens.get(before));
            // After a value it would be an operator.
            let is_operator = matches!(
                before,
                Some(Token::Name(_) | Token::Number(_) | Token::Close | Token::Fen)
            );
            is_sign && !is_operator && tokens.touch(sign, at)
        });
        let is_negative = signed.is_some_and(|sign| tokens.get(sign) != Some(Token::Sign('+')));
        // `100.` ends a sentence.
        let plain = text.trim_end_matches('.');
        let sign = if is_negative { "-" } else { "" };
        let read = amount(&format!("{sign}{plain}")).ok()?;
        Some(Number {
            amount: read,
            first: signed.unwrap_or(at),
            at,
        })
    }

    /// Whether it is an operand of its own: between brackets, commas and signs of equality.
    fn stands_alone(&self, tokens: &Tokens<'_>, threshold: bool) -> bool {
        let after = matches!(
            tokens.get(self.at + 1),
            None | Some(Token::Close | Token::Sign(',' | ';' | '='))
        );
        let Some(before) = self.first.checked_sub(1) else {
            return after;
        };
        let is_labelled = |sign: usize| {
            let label = sign.checked_sub(1).and_then(|at| tokens.get(at));
            match label {
                Some(Token::Name(name)) => {
                    let name = &*name.to_ascii_lowercase();
                    let of_kind = if threshold { THRESHOLDS } else { VALUES };
                    of_kind.contains(&name)
                }
                Some(Token::Close) => true,
                _ => false,
            }
        };
        let equals_twice = before
            .checked_sub(1)
            .is_some_and(|sign| tokens.get(sign) == Some(Token::Sign('=')));
        after
            && match tokens.get(before) {
                Some(Token::Open('(' | '{') | Token::Sign(',')) => true,
                Some(Token::Sign('=')) => is_labelled(before - usize::from(equals_twice)),
                Some(Token::Sign(':')) => is_labelled(before),
                _ => false,
            }
    }

    /// Whether it is an argument of the function that asks for a threshold.
    fn is_threshold(&self, tokens: &Tokens<'_>) -> bool {
        let bracket = tokens.innermost(self.at);
        bracket.is_some_and(|bracket| bracket.name.is_some_and(asks))
    }

    /// Whether it stands beside the call or in a comparison with it, and not in another bracket or
    /// among the arguments of a SEE that is asked within a call.
    fn is_value(&self, tokens: &Tokens<'_>) -> bool {
        let Some(bracket) = tokens.innermost(self.at) else {
            return true;
        };
        let name = bracket.name.unwrap_or_default();
        if !bracket.has_fen {
            return MATCHERS.contains(&&*name.to_ascii_lowercase());
        }
        // In `assert see(.., 137)` it is something else, such as a threshold; so it may be in a row
        // where a name follows, such as `LOSING`.
        let of_fen = tokens.all().position(|token| token == Token::Fen);
        let is_row = of_fen
            .and_then(|fen| tokens.innermost(fen))
            .map(|row| row.start)
            == Some(bracket.start);
        let next = |after: usize| tokens.get(self.at + after);
        let is_labelled = matches!(next(3), Some(Token::Sign('=' | ':') | Token::Open(_)));
        let is_named = matches!(next(2), Some(Token::Name(_))) && !is_labelled;
        if tokens.is_led_by_word(&bracket) || is_row && is_named {
            return false;
        }
        // The same goes for what an assertion asks, whatever its name.
        let brackets = tokens.brackets();
        let mut outer = brackets
            .iter()
            .filter(|other| other.is_call() && other.start < bracket.start && other.has_fen);
        let is_see = segments(name).iter().any(|word| word == "see");
        !outer.any(|other| is_see || other.name.is_some_and(asserts))
    }
}

/// What a value may be called.
const VALUES: &[&str] = &[
    "see",
    "value",
    "score",
    "expected",
    "exp",
    "expectedresult",
    "result",
    "want",
];

/// What a threshold may be called.
const THRESHOLDS: &[&str] = &["threshold", "margin", "bound", "value"];

/// Functions of a value that leave it as it is, or that compare with it.
const MATCHERS: [&str; 13] = [
    "tobe",
    "toequal",
    "tostrictequal",
    "isequalto",
    "equalto",
    "equals",
    "equal",
    "eq",
    "some",
    "ok",
    "value",
    "score",
    "from",
];

/// Words for a yes.
const YES: [&str; 2] = ["true", "truthy"];
/// Words in the names of functions that compare what they are given.
const EQUALS: [&str; 6] = ["be", "eq", "equal", "equals", "identical", "same"];
/// Words that may be before the name of a function.
const KEYWORDS: [&str; 10] = [
    "assert", "return", "not", "await", "let", "const", "auto", "bool", "new", "refute",
];
/// What the truth that is expected may be called.
const TRUTHS: [&str; 8] = [
    "holds",
    "ge",
    "expected",
    "expectedresult",
    "exp",
    "result",
    "want",
    "value",
];

/// Whether a test expects that what it asks holds.
struct Denials {
    holds: bool,
}

impl Denials {
    /// `None` if that is not clear. A value is compared, so nothing may deny it.
    fn count(
        tokens: &Tokens<'_>,
        number: &Number,
        question: &Question<'_>,
        threshold: bool,
    ) -> Option<Denials> {
        /// More truths than a call has.
        const MANY: usize = 16;
        let mut no = 0;
        let mut yes = 0;
        let mut truths = 0;
        let mut is_compared = false;
        for (at, token) in tokens.all().enumerate() {
            match token {
                Token::Name(name) => {
                    let lower = &*name.to_ascii_lowercase();
                    let is_question = asks(name);
                    let words = words_around_question(name);
                    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
                    if matches!(lower, "true" | "false" | "none" | "null" | "nil") {
                        truths += 1;
                        if truths > MANY {
                            return None;
                        }
                        if is_argument_elsewhere(tokens, at) {
                            continue;
                        }
                        if has_another_label(tokens, at)
                            || !is_of_question(tokens, at, number, question)
                        {
                            return None;
                        }
                    }
                    is_compared |= has(&EQUALS) && !question.holds(at);
                    let is_unclear = has(UNCLEAR) || lower == "for" || !threshold && has(&OTHERS);
                    // In the name of what is given to a function, it may be about anything.
                    let is_last = words.last().is_some_and(|word| NO.contains(&&**word));
                    let is_said = is_question || is_last || tokens.is_applied(at);
                    if is_unclear || has(&NO) && !is_said {
                        return None;
                    }
                    no += usize::from(has(&NO));
                    // Chai has `to.be.ok`.
                    let is_ok = lower == "ok" && !is_called(tokens, at) && tokens.is_applied(at);
                    yes += usize::from(has(&YES) || is_ok);
                }
                Token::Sign(_) if at == number.first => {}
                Token::Sign('!') if tokens.is_macro(at) => {}
                Token::Sign('!') if tokens.is_negation(at) => no += 1,
                Token::Sign('&') if tokens.is_reference(at) => {}
                Token::Sign('=') => is_compared |= tokens.get(at + 1) == Some(token),
                Token::Sign(',' | ';' | ':' | '.' | '#' | '@' | '$') => {}
                Token::Sign(_) => return None,
                _ => {}
            }
        }
        let is_clear = match (threshold, yes, no) {
            (false, yes, no) => yes + no == 0,
            // With a name, for instance, it may be compared with anything.
            (true, yes, 0) => yes > 0 || !is_compared,
            (true, yes, no) => yes == 0 && no == 1,
        };
        is_clear.then_some(Denials { holds: no == 0 })
    }
}

fn is_called(tokens: &Tokens<'_>, name: usize) -> bool {
    matches!(tokens.get(name + 1), Some(Token::Open(_)))
}

/// Whether a truth is what the SEE is compared with, or the argument after the threshold.
fn is_of_question(
    tokens: &Tokens<'_>,
    at: usize,
    number: &Number,
    question: &Question<'_>,
) -> bool {
    if !question.has_argument(at) {
        return question.is_beside(tokens, at, at);
    }
    let mut between = (number.at + 1..at).filter_map(|at| tokens.get(at));
    let is_label = |token| matches!(token, Token::Name(_) | Token::Sign('=' | ':' | '!'));
    number.at < at && between.next() == Some(Token::Sign(',')) && between.all(is_label)
}

/// Whether a truth is an argument of a call that is given to the one that asks, or of one before it
/// that makes the board. Then it says nothing here.
fn is_argument_elsewhere(tokens: &Tokens<'_>, at: usize) -> bool {
    let brackets = tokens.brackets();
    let asked = brackets
        .iter()
        .find(|bracket| bracket.name.is_some_and(asks));
    let around = tokens.innermost(at).filter(Bracket::is_call);
    let (Some(asked), Some(around)) = (asked, around) else {
        return false;
    };
    let is_given = asked.start < around.start && around.end < asked.end;
    is_given || around.has_fen && around.end < asked.start
}

/// Whether a truth is labelled as something else than what is expected.
fn has_another_label(tokens: &Tokens<'_>, at: usize) -> bool {
    let sign = at.checked_sub(1).and_then(|sign| tokens.get(sign));
    let label = at.checked_sub(2).and_then(|label| tokens.get(label));
    match (label, sign) {
        (Some(Token::Name(label)), Some(Token::Sign('=' | ':'))) => {
            !TRUTHS.contains(&&*label.to_ascii_lowercase())
        }
        _ => false,
    }
}
