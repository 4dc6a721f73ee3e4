//! What a statement does with the SEE that it asks for. What it computes from the SEE, such as the
//! sign, is not the SEE.

use super::tokens::{Bracket, Token, Tokens, segments};

/// Words in the names of functions that are called with the SEE and leave it as it is.
const AROUND: [&str; 18] = [
    "assert", "check", "ensure", "eval", "exchange", "expect", "int", "is", "ok", "require",
    "score", "see", "should", "some", "swap", "test", "that", "verify",
];

/// Functions and words after a call, as in `see(..).unwrap()`, that leave the SEE as it is.
const AFTER: [&str; 13] = [
    "await", "be", "clone", "expect", "get", "into", "resolves", "setname", "should", "to",
    "unwrap", "raw", "must",
];

/// Words in the names of functions and numbers that are not the SEE.
pub(super) const OTHERS: [&str; 14] = [
    "compare", "count", "depth", "flip", "len", "length", "loss", "lva", "mvv", "opposite",
    "pawns", "sgn", "sign", "signum",
];

/// Whether a statement only compares the SEE that it asks for. `named` is where the move is in the
/// text, and `number` is which token the value is. `matchers` are names of functions that compare.
pub(super) fn is_as_asked(
    tokens: &Tokens<'_>,
    named: usize,
    number: usize,
    matchers: &[&str],
) -> bool {
    let brackets = tokens.brackets();
    let mut around = brackets.iter().filter(|bracket| {
        let [start, end] = [bracket.start, bracket.end].map(|at| tokens.place(at));
        bracket.is_call() && start < named && named < end
    });
    // Brackets are in the order of their beginnings, so the last one is the innermost.
    let question = around.next_back();
    // The calls around the question, except one that has the value as another argument.
    let mut outer = brackets.iter().filter(|bracket| {
        let is_inner = question.is_none_or(|question| question.start <= bracket.start);
        let compares = bracket.start < number && number < bracket.end;
        let holds_move = tokens.place(bracket.start) < named && named < tokens.place(bracket.end);
        bracket.is_call() && holds_move && !is_inner && !compares
    });
    let is_known = |name: &str| segments(name).iter().any(|word| AROUND.contains(&&**word));
    outer.all(|bracket| bracket.name.is_some_and(is_known))
        && tokens.applied_after(named).all(|name| {
            let lower = &*name.to_ascii_lowercase();
            AFTER.contains(&lower) || matchers.contains(&lower)
        })
}

/// Whether the SEE is assigned to a name instead of being compared: before the FEN, `=` follows a
/// name.
pub(super) fn is_assigned(tokens: &Tokens<'_>) -> bool {
    // Before one of these signs, `=` is a part of another operator. Go assigns by `:=`.
    let is_of_operator = |at: usize| {
        let next = tokens.get(at + 1);
        matches!(next, Some(Token::Sign(sign)) if "=>~".contains(sign))
    };
    // For each bracket that is open, whether it is that of a call: there `=` names an argument.
    let mut open = Vec::new();
    let brackets = tokens.brackets();
    let mut brackets = brackets.iter();
    let before_fen = tokens.all().take_while(|token| *token != Token::Fen);
    before_fen.enumerate().any(|(at, token)| {
        let is_of_go = at > 0 && tokens.get(at - 1) == Some(Token::Sign(':'));
        let before = at.checked_sub(1 + usize::from(is_of_go));
        match token {
            Token::Open(_) => open.push(brackets.next().is_some_and(Bracket::is_call)),
            Token::Close => {
                open.pop();
            }
            _ => {}
        }
        token == Token::Sign('=')
            && !is_of_operator(at)
            && matches!(before.and_then(|at| tokens.get(at)), Some(Token::Name(_)))
            && open.last() != Some(&true)
    })
}
