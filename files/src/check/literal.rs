//! Strings as programs write them: `"e4d5"`, `"e4d5"sv`, `r"e4d5"`, `String::from("e4d5")`,
//! `"e4d5".to_string()`.

pub(super) const QUOTES: [char; 3] = ['"', '\'', '`'];

/// What may be before a quote.
const PREFIXES: [&str; 14] = [
    "u8", "br", "rb", "b", "B", "c", "f", "F", "L", "r", "R", "u", "U", "@",
];

/// What may be after a quote, longer ones first where one begins like another.
const SUFFIXES: [&str; 11] = [
    "_sv",
    "_s",
    "sv",
    "s",
    ".to_string()",
    ".to_owned()",
    ".as_str()",
    ".into()",
    ".c_str()",
    ".clone()",
    ".encode()",
];

/// Functions and types that make a string of one.
const CONSTRUCTORS: [&str; 8] = [
    "String::from",
    "std::string_view",
    "std::string",
    "string_view",
    "string",
    "QString",
    "String",
    "str",
];

/// A field without the quotes around it, and without what a program has around these.
pub(super) fn unquoted(field: &str) -> &str {
    let inside = QUOTES
        .iter()
        .find_map(|&quote| field.strip_prefix(quote)?.strip_suffix(quote));
    match inside {
        Some(inside) => inside.trim(),
        None if field.contains(QUOTES) => literal(field).unwrap_or(field),
        None => field,
    }
}

/// What a string says that is a whole field.
fn literal(field: &str) -> Option<&str> {
    let constructed = CONSTRUCTORS.iter().find_map(|name| {
        let arguments = field.strip_prefix(name)?.trim_start();
        let inside = arguments
            .strip_prefix('(')
            .and_then(|inside| inside.strip_suffix(')'));
        let inside = inside.or_else(|| arguments.strip_prefix('{')?.strip_suffix('}'))?;
        Some(inside.trim())
    });
    let text = constructed.unwrap_or(field);
    let start = text.find(QUOTES)?;
    let (prefix, rest) = text.split_at(start);
    let quote = rest.chars().next()?;
    let (said, suffix) = rest[1..].split_once(quote)?;
    let is_prefix = prefix.is_empty() || PREFIXES.contains(&prefix);
    let is_suffix = suffix.is_empty() || SUFFIXES.contains(&suffix);
    (is_prefix && is_suffix).then(|| said.trim())
}

/// The text before a quote without what belongs to the string, and whether a bracket that does is
/// to be closed after it.
pub(super) fn before_literal(before: &str) -> (&str, bool) {
    let of_string = |text: &str, names: &[&str]| {
        names.iter().find_map(|name| {
            let outside = text.strip_suffix(name)?;
            // A longer name may end like this.
            let is_name = |char: char| char.is_alphanumeric() || matches!(char, '_' | ':' | '.');
            (!outside.ends_with(is_name)).then_some(outside.len())
        })
    };
    let outside = of_string(before, &PREFIXES).map_or(before, |end| &before[..end]);
    let outside = outside.trim();
    let called = outside.strip_suffix(['(', '{']).map(str::trim_end);
    match called.and_then(|called| Some(&called[..of_string(called, &CONSTRUCTORS)?])) {
        Some(outside) => (outside.trim_end(), true),
        None => (outside, false),
    }
}

/// The text after a quote without what belongs to the string.
pub(super) fn after_literal(after: &str, closes: bool) -> &str {
    let without_suffix = SUFFIXES.iter().find_map(|suffix| {
        let rest = after.strip_prefix(suffix)?;
        let goes_on = rest.starts_with(|char: char| char.is_alphanumeric() || char == '_');
        (!goes_on).then_some(rest)
    });
    let rest = without_suffix.unwrap_or(after);
    if closes {
        rest.trim_start().strip_prefix([')', '}']).unwrap_or(rest)
    } else {
        rest
    }
}
