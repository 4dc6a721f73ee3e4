//! What a statement does with the SEE that it asks for. What it computes from the SEE, such as the
//! sign, is not the SEE.

use super::tokens::{Bracket, Token, Tokens};

/// Words in the names of functions and numbers that are not the SEE.
pub(super) const OTHERS: [&str; 14] = [
    "compare", "count", "depth", "flip", "len", "length", "loss", "lva", "mvv", "opposite",
    "pawns", "sgn", "sign", "signum",
];

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
