//! Initialisers whose fields have names, as in `SeeTest { fen: "FEN", mv: "e4d5", see: 100 }`.

use super::amount::amount;
use super::callee::begins_entry;
use super::line::{Parts, Said, truth, without_comments};
use super::literal::unquoted;
use super::names::{ClaimPlaces, Places, Role};

/// The answer of an initialiser of which all fields have names.
pub(super) fn read_named(text: &str) -> Option<Parts> {
    let plain = without_comments(text);
    let open = plain.find(['{', '('])?;
    if !begins_entry(&plain[..=open]) {
        return None;
    }
    let inside = plain[open + 1..].trim_end_matches([',', ';', ' ']);
    let inside = inside.strip_suffix(['}', ')'])?;
    let fields: Vec<(&str, &str)> = fields(inside).map(named).collect::<Option<_>>()?;
    let places = Places::from_names(&fields.iter().map(|(name, _)| *name)).ok()?;
    let value = |at: usize| unquoted(fields[at].1);
    let said = match places.claim {
        ClaimPlaces::Value(at) => Said {
            amount: amount(value(at)).ok()?,
            holds: None,
        },
        ClaimPlaces::Threshold { threshold, holds } => {
            Said::at_least(value(threshold), value(holds)).ok()?
        }
    };
    // Another truth may be about the claim.
    let is_clear = fields.iter().all(|(name, value)| {
        matches!(*value, "0" | "1") || truth(value).is_none() || Role::from_name(name).is_some()
    });
    is_clear.then(|| Parts {
        fen: value(places.fen)
            .split_ascii_whitespace()
            .collect::<Vec<_>>()
            .join(" "),
        name: value(places.name).to_owned(),
        said,
    })
}

/// The fields between commas that are in no string.
fn fields(inside: &str) -> impl Iterator<Item = &str> {
    let mut is_quoted = false;
    let parts = inside.split(move |char| {
        is_quoted ^= char == '"';
        char == ',' && !is_quoted
    });
    parts.map(str::trim).filter(|field| !field.is_empty())
}

/// The name and the value of a field: `name: value`, `.name = value` or `"name" => value`.
fn named(field: &str) -> Option<(&str, &str)> {
    let (name, value) = field.split_once([':', '='])?;
    let name = unquoted(name.trim().trim_start_matches('.'));
    let is_name = name
        .chars()
        .all(|char| char.is_alphanumeric() || char == '_');
    let value = value.strip_prefix('>').unwrap_or(value).trim();
    (is_name && !name.is_empty() && !value.starts_with('=')).then_some((name, value))
}
