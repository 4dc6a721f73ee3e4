//! What a program calls the fields of rows: in a loop over them, as the parameters of a function that
//! is called with them, or where a row is taken apart. In another order than rows have, its numbers
//! are something else.
//!
//! ```text
//! for fen, mv, ply, see in TESTS:
//! void check(const char* fen, const char* move, int threshold) {
//! for (const auto& [fen, move, value] : tests) {
//! ```

use super::applied::OTHERS;
use super::callee::{asks, denies};
use super::names::{ClaimPlaces, Places, Role};
use super::tokens::{Token, Tokens};

/// What a list of names calls the claim of a row.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum ClaimName {
    Value,
    Threshold,
    /// Nothing that is known, or several things.
    Unclear,
}

/// The lists of names for the fields of a row that a statement has, in a loop or as parameters, each
/// with what it calls the claim.
pub(super) fn field_lists(tokens: &Tokens<'_>) -> Vec<(ClaimName, String)> {
    let defined = tokens.defined();
    // The parameters of a function that asks for a threshold say nothing of rows.
    if tokens.names().all(|name| !name.eq_ignore_ascii_case("fen"))
        || defined.is_some_and(|(_, name)| asks(name))
    {
        return Vec::new();
    }
    let brackets = tokens.brackets();
    let mut found = Vec::new();
    for bracket in &brackets {
        let is_defined = defined.is_some_and(|(at, _)| at + 1 == bracket.start);
        let mut after = bracket.end + 1;
        // An object may be taken apart within the brackets of parameters.
        if tokens.get(after) == Some(Token::Close) {
            after += 1;
        }
        let is_taken_apart = !bracket.is_call()
            && matches!(
                tokens.get(after),
                Some(Token::Name("in" | "of") | Token::Sign('=' | '-' | ':'))
            );
        if is_defined || is_taken_apart {
            found.extend(field_list(&names_of(
                tokens,
                bracket.start + 1,
                bracket.end,
            )));
        }
    }
    if tokens.get(0) == Some(Token::Name("for")) {
        let ends = |token: Token<'_>| matches!(token, Token::Name("in" | "of") | Token::Open(_));
        let end = tokens.all().skip(1).position(ends).map_or(1, |at| at + 1);
        found.extend(field_list(&names_of(tokens, 1, end)));
    }
    found
}

/// The names in a list, of each item the last one before its type or value.
fn names_of<'a>(tokens: &Tokens<'a>, start: usize, end: usize) -> Vec<&'a str> {
    let mut names = Vec::new();
    let mut name = None;
    let mut is_over = false;
    for at in start..end {
        match tokens.get(at) {
            Some(Token::Sign(',' | ';')) => {
                names.extend(name.take());
                is_over = false;
            }
            Some(Token::Sign(':')) => {
                let is_path = [at.wrapping_sub(1), at + 1]
                    .iter()
                    .any(|other| tokens.get(*other) == Some(Token::Sign(':')));
                is_over |= !is_path;
            }
            Some(Token::Sign('=') | Token::Open(_)) => is_over = true,
            Some(Token::Name(found)) if !is_over => name = Some(found),
            _ => {}
        }
    }
    names.extend(name);
    names
}

/// What a list of names calls the claim of a row, and the names. `None` if these are not the fields of
/// a row, or no name says what the number is.
fn field_list(names: &[&str]) -> Option<(ClaimName, String)> {
    let roles: Vec<_> = names.iter().map(|name| Role::from_name(name)).collect();
    let has = |wanted: Role| {
        roles
            .iter()
            .any(|role| matches!(role, Some((role, _)) if *role == wanted))
    };
    if !roles.contains(&Some((Role::Fen, 0))) || !has(Role::Move) {
        return None;
    }
    let is_said = |name: &&str| {
        let role = Role::from_name(name).map(|(role, _)| role);
        let is_of_row = matches!(role, None | Some(Role::Fen | Role::Move));
        !is_of_row || denies(name) || OTHERS.contains(&&*name.to_ascii_lowercase())
    };
    if !names.iter().any(is_said) {
        return None;
    }
    let called = match Places::from_names(&names.iter().copied()) {
        Ok(places) if places.is_usual() => match places.claim {
            ClaimPlaces::Value(_) => ClaimName::Value,
            ClaimPlaces::Threshold { .. } => ClaimName::Threshold,
        },
        _ => ClaimName::Unclear,
    };
    Some((called, names.join(", ")))
}
