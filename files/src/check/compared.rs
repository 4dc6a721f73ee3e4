//! How a statement compares the SEE that it asks for: by equality, or in another way. What is not known
//! to be equality is another way.

use super::applied::OTHERS;
use super::callee::{asserts, denies, is_neutral, may_deny, words_around_question};
use super::names::Role;
use super::tokens::{Bracket, Token, Tokens, segments};

/// What a function is asked for.
#[derive(Clone, Copy, PartialEq, Eq)]
pub(super) enum Asked {
    Value,
    /// Whether the SEE is at least a threshold.
    Threshold,
}

/// A name that the SEE is at least, or that it is at most.
pub(super) struct Bound {
    pub name: String,
    pub is_upper: bool,
    /// Whether something depends on it.
    pub is_used: bool,
}

/// A statement in which something is compared.
pub(super) struct Context<'a> {
    pub tokens: Tokens<'a>,
    brackets: Vec<Bracket<'a>>,
    pub is_assertion: bool,
}

/// A part of a statement with what is called on it: its first and last token.
pub(super) struct Operand {
    first: usize,
    pub last: usize,
}

impl Operand {
    /// That of a name.
    pub fn new(tokens: &Tokens<'_>, name: usize) -> Operand {
        let mut last = name;
        loop {
            last = match (tokens.get(last + 1), tokens.get(last + 2)) {
                (Some(Token::Open('(')), _) => tokens.closing(last + 1),
                (Some(Token::Sign('.')), Some(Token::Name(_))) => last + 2,
                _ => break,
            };
        }
        Operand {
            first: tokens.head(name),
            last,
        }
    }
}

impl<'a> Context<'a> {
    pub fn new(tokens: Tokens<'a>, is_assertion: bool) -> Context<'a> {
        Context {
            brackets: tokens.brackets(),
            tokens,
            is_assertion,
        }
    }

    /// Whether something else than equality is asked of an operand.
    pub fn is_not_equality(&self, operand: &Operand, asked: Asked) -> bool {
        self.is_changed(operand)
            || self.is_in_changing_call(operand)
            || self.has_number(operand)
            || (asked == Asked::Threshold || self.tokens.get(operand.last) == Some(Token::Close))
                && self.is_used()
                && self.stands_alone(operand)
    }

    /// The name that an operand is assigned to, rather than what a comparison with it yields.
    pub fn assigned_to(&self, operand: &Operand) -> Option<&'a str> {
        let is_compared = self
            .sign(operand.last + 1)
            .is_some_and(|sign| "=!<>".contains(sign));
        let sign = operand.first.checked_sub(1).filter(|_| !is_compared)?;
        if self.sign(sign) != Some('=') {
            return None;
        }
        // Go assigns by `:=`.
        let name = match self.sign(sign.checked_sub(1)?) {
            Some(':') => sign.checked_sub(2)?,
            _ => sign - 1,
        };
        // The type of a name may be after it, as in `let got: i32 = see(..)`.
        let of_type = name.checked_sub(2);
        let typed = of_type.filter(|_| self.sign(name - 1) == Some(':'));
        match self.tokens.get(typed.unwrap_or(name)) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        }
    }

    fn is_called(&self, name: usize) -> bool {
        self.tokens.get(name + 1) == Some(Token::Open('('))
    }

    /// Whether a function other than an assertion is given the move and the number of a row, and its
    /// result is a condition.
    pub fn takes_row(&self, name: usize) -> bool {
        let before = self.tokens.head(name).checked_sub(1);
        let is_condition = self.is_assertion
            || match before.and_then(|before| self.tokens.get(before)) {
                Some(Token::Open('(') | Token::Sign('!')) => self.is_used(),
                Some(Token::Name(lead)) => matches!(lead, "if" | "not"),
                _ => false,
            };
        let is_keyword = matches!(
            self.tokens.get(name),
            Some(Token::Name("if" | "while" | "for"))
        );
        if !is_condition || is_keyword || self.tokens.path(name).any(asserts) {
            return false;
        }
        let has = |wanted: &[Role]| {
            let inside = name + 2..self.tokens.closing(name + 1);
            let mut roles = inside.filter_map(|at| match self.tokens.get(at) {
                Some(Token::Name(name)) if !self.is_called(at) => Role::from_name(name),
                _ => None,
            });
            roles.any(|(role, _)| wanted.contains(&role))
        };
        has(&[Role::Move]) && has(&[Role::Value, Role::Threshold])
    }

    /// The bound that a call states by its last argument: `see(m, value)` that the SEE is at least the
    /// value, `!see(m, value + 1)` that it is at most the value.
    pub fn bound(&self, operand: &Operand) -> Option<Bound> {
        let bound = |name: &str, is_upper: bool, is_used: bool| Bound {
            name: name.to_owned(),
            is_upper,
            is_used,
        };
        let name = |at: usize| match self.tokens.get(at) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        };
        if self.tokens.get(operand.last) != Some(Token::Close) {
            return None;
        }
        let one_more = matches!(self.tokens.get(operand.last - 1), Some(Token::Number("1")))
            && self.sign(operand.last - 2) == Some('+');
        let before = operand.first.checked_sub(1)?;
        if one_more {
            let around = self.tokens.innermost(operand.first);
            let is_denied = self.sign(before) == Some('!')
                || name(before).is_some_and(denies)
                || around.and_then(|around| around.name).is_some_and(denies);
            let name = name(operand.last - 3).filter(|_| is_denied)?;
            return Some(bound(name, true, true));
        }
        let is_plain = matches!(self.sign(before), None | Some('=' | '&'))
            && name(before).is_none_or(|lead| !denies(lead))
            && self
                .sign(operand.last + 1)
                .is_none_or(|sign| ",;&".contains(sign));
        let is_last = matches!(self.sign(operand.last - 2), Some(',' | '.' | '*' | '&'));
        let stands_alone =
            is_plain && is_last && self.stands_alone(operand) && !self.is_in_changing_call(operand);
        let name = name(operand.last - 1).filter(|_| stands_alone)?;
        Some(bound(name, false, self.is_used()))
    }

    /// Whether something depends on what the statement asks.
    pub fn is_used(&self) -> bool {
        let mut names = self.tokens.names();
        self.is_assertion || names.any(|name| matches!(name, "if" | "return"))
    }

    fn sign(&self, at: usize) -> Option<char> {
        match self.tokens.get(at) {
            Some(Token::Sign(sign)) => Some(sign),
            _ => None,
        }
    }

    /// Whether a sign or a word beside it denies it, computes with it or compares it otherwise.
    fn is_changed(&self, operand: &Operand) -> bool {
        let mut before = operand.first;
        // References and addresses.
        while before > 0 && matches!(self.sign(before - 1), Some('&' | '*' | '$')) {
            let is_operand = before > 1
                && matches!(
                    self.tokens.get(before - 2),
                    Some(Token::Name(_) | Token::Number(_) | Token::Close)
                );
            if is_operand {
                break;
            }
            before -= 1;
        }
        let is_before = before > 0 && self.changes(before - 1, before.checked_sub(2));
        let is_no = |at: usize| matches!(self.tokens.get(at), Some(Token::Name("not")));
        let after = operand.last + 1;
        let is_after = self.changes(after, Some(after + 1)) || is_no(after) || is_no(after + 1);
        let is_led = match before.checked_sub(1).and_then(|lead| self.tokens.get(lead)) {
            Some(Token::Name(lead)) => lead == "not" || denies(lead),
            _ => false,
        };
        is_before || is_led || is_after
    }

    /// Whether a sign beside an operand changes it or compares it otherwise. `other` is the token on
    /// the other side of the sign.
    fn changes(&self, at: usize, other: Option<usize>) -> bool {
        let next = other.and_then(|other| {
            self.sign(other)
                .filter(|_| self.tokens.touch(at.min(other), at.max(other)))
        });
        match self.sign(at) {
            // `if (see(..) != value) fail();` tests for equality. In an assertion `!=` does not.
            Some('=') => match next {
                Some('!') => self.is_assertion,
                Some('<' | '>') => other < Some(at),
                _ => false,
            },
            Some('!') => next != Some('=') || self.is_assertion,
            // An arrow, or what is written to a stream.
            Some('>') => {
                !matches!(next, Some('>' | '-' | '=')) || next == Some('=') && other > Some(at)
            }
            Some('<') => next != Some('<'),
            // What is added to a text is a part of a message.
            Some('+') => matches!(
                other.and_then(|other| self.tokens.get(other)),
                Some(Token::Name(_) | Token::Number(_))
            ),
            Some('-' | '*' | '/' | '%' | '~' | '^') => next != Some('>') || other < Some(at),
            _ => false,
        }
    }

    /// Whether a function that it is an argument of, or that is applied to it, asks something else.
    fn is_in_changing_call(&self, operand: &Operand) -> bool {
        let is_other = |name: &str| {
            let words = words_around_question(name);
            may_deny(&words) || words.iter().any(|word| OTHERS.contains(&&**word))
        };
        let mut around = self
            .brackets
            .iter()
            .filter(|bracket| bracket.start < operand.last && operand.last < bracket.end);
        // A word may stand between two operands, as in `a shouldBe b`.
        let beside = match self.tokens.get(operand.last + 1) {
            Some(Token::Name(name)) => Some(name),
            _ => None,
        };
        around.any(|bracket| {
            let is_unknown = |name: &str| asserts(name) && !is_neutral(name);
            bracket
                .name
                .is_some_and(|name| is_other(name) || is_unknown(name))
                || bracket.is_call() && self.has_tolerance(bracket)
        }) || beside.is_some_and(is_other)
            || self.has_operator()
            || self.is_assertion && self.is_denied(operand, is_other)
    }

    /// Whether a number follows two arguments of an assertion: how far they may be apart.
    fn has_tolerance(&self, call: &Bracket<'_>) -> bool {
        let commas = self.tokens.commas_of(call);
        let is_last = |at: usize| {
            matches!(self.tokens.get(at + 1), Some(Token::Number(_))) && at + 2 == call.end
        };
        self.is_assertion && commas.len() == 2 && is_last(commas[1]) && commas[0] + 1 < commas[1]
    }

    /// Whether one of its arguments is an operator in a string, as in `cmp_ok(see(..), '>=', v)`.
    fn has_operator(&self) -> bool {
        let signs = |at: usize| [at, at + 1].map(|at| self.sign(at));
        (0..self.tokens.len()).any(|at| signs(at) == [Some(','), Some('<')])
    }

    /// Whether something in an assertion outside of an operand denies or negates, or is a function that
    /// asks something else.
    fn is_denied(&self, operand: &Operand, is_other: impl Fn(&str) -> bool) -> bool {
        let sign_before = |at: usize| at.checked_sub(1).and_then(|before| self.sign(before));
        self.tokens.all().enumerate().any(|(at, token)| {
            if operand.first <= at && at <= operand.last {
                return false;
            }
            match token {
                Token::Name(name) => {
                    let is_applied = self.tokens.is_applied(at) || sign_before(at) == Some(':');
                    name == "not" || is_applied && is_other(name)
                }
                Token::Sign('!') => self.tokens.is_negation(at),
                Token::Sign('-') => matches!(
                    (
                        at.checked_sub(1).and_then(|at| self.tokens.get(at)),
                        self.tokens.get(at + 1)
                    ),
                    (
                        Some(Token::Open(_) | Token::Sign(',' | '=')),
                        Some(Token::Name(_) | Token::Sign('$'))
                    )
                ),
                _ => false,
            }
        })
    }

    /// Whether a number is one of its arguments, such as a threshold.
    fn has_number(&self, operand: &Operand) -> bool {
        let is_number = |at: usize| {
            matches!(self.tokens.get(at), Some(Token::Number(_)))
                && matches!(
                    self.tokens.get(at - 1),
                    Some(Token::Open('(') | Token::Sign(',' | '-'))
                )
                && matches!(
                    self.tokens.get(at + 1),
                    Some(Token::Close | Token::Sign(','))
                )
        };
        (operand.first + 1..operand.last).any(is_number)
    }

    /// Whether nothing of the row is compared with an operand: the assertion is about its truth alone,
    /// or names the truth (`== true`).
    fn stands_alone(&self, operand: &Operand) -> bool {
        const EQUALS: [&str; 7] = ["be", "eq", "equal", "equals", "is", "same", "to"];
        let is_outside = |at: usize| at < operand.first || operand.last < at;
        let says = |names: &[&str]| {
            self.tokens.all().enumerate().any(|(at, token)| {
                let words = match token {
                    Token::Name(name) if is_outside(at) => segments(name),
                    _ => return false,
                };
                words.iter().any(|word| names.contains(&&**word))
            })
        };
        let equals = |at: usize| self.sign(at) == Some('=') && self.sign(at + 1) == Some('=');
        let fails = |at: usize| self.sign(at) == Some('!') && self.sign(at + 1) == Some('=');
        let is_compared = says(&EQUALS)
            || (0..self.tokens.len()).any(|at| is_outside(at) && (equals(at) || fails(at)));
        // Another argument beside it may be what it is compared with; a text is a message.
        let is_argument = |at: Option<usize>| {
            at.and_then(|at| self.tokens.get(at)).is_some_and(|token| {
                !matches!(token, Token::Close | Token::Open(_) | Token::Sign(','))
            })
        };
        let after = operand.last + 1;
        let has_next = self.sign(after) == Some(',') && is_argument(Some(after + 1));
        let before = operand.first.checked_sub(1);
        let has_previous = before.and_then(|at| self.sign(at)) == Some(',')
            && is_argument(operand.first.checked_sub(2));
        // The names of assertions, as `assertTrue`, compare with no truth.
        let mut names = self.tokens.names();
        let names_truth = names.any(|name| matches!(name, "true" | "false" | "True" | "False"));
        names_truth || !(is_compared || has_next || has_previous)
    }
}
