//! What a statement does with the SEE that it asks for: another function of it, such as its sign, is not
//! the SEE.

use super::tokens::{Bracket, Token, Tokens, segments};

/// Words in the names of functions around a question that leave its answer as it is.
const AROUND: [&str; 18] = [
    "assert", "check", "ensure", "eval", "exchange", "expect", "int", "is", "ok", "require",
    "score", "see", "should", "some", "swap", "test", "that", "verify",
];

/// Functions and words after an answer that leave it as it is.
const AFTER: [&str; 13] = [
    "await", "be", "clone", "expect", "get", "into", "resolves", "setname", "should", "to",
    "unwrap", "raw", "must",
];

/// Words in names of what is not the SEE.
pub(super) const OTHERS: [&str; 14] = [
    "compare", "count", "depth", "flip", "len", "length", "loss", "lva", "mvv", "opposite",
    "pawns", "sgn", "sign", "signum",
];

/// Whether nothing but the comparison is done with what is asked about the move at this place. The
/// functions that compare are known by their names.
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
    let is_asked_in = around.next_back();
    let mut outer = brackets.iter().filter(|bracket| {
        let is_inner = is_asked_in.is_none_or(|asked| asked.start <= bracket.start);
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

/// Whether the answer is given a name instead of being compared.
pub(super) fn is_assigned(tokens: &Tokens<'_>) -> bool {
    let is_one_of = |signs: &str, at: Option<usize>| matches!(at.and_then(|at| tokens.get(at)), Some(Token::Sign(sign)) if signs.contains(sign));
    // The brackets that are open, and whether they are those of calls.
    let mut open = Vec::new();
    let brackets = tokens.brackets();
    let mut brackets = brackets.iter();
    let before_fen = tokens.all().take_while(|token| *token != Token::Fen);
    before_fen.enumerate().any(|(at, token)| {
        let before = at.checked_sub(1);
        match token {
            Token::Open(_) => open.push(brackets.next().is_some_and(Bracket::is_call)),
            Token::Close => {
                open.pop();
            }
            _ => {}
        }
        token == Token::Sign('=')
            && !is_one_of("=>~", Some(at + 1))
            && matches!(before.and_then(|at| tokens.get(at)), Some(Token::Name(_)))
            && open.last() != Some(&true)
    })
}
