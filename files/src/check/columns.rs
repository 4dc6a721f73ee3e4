//! The names of columns in a line that is no header: in a comment, in the strings of a parametrised
//! test, or in a declaration of C or Rust.

use std::borrow::Cow;

use super::words::SEPARATORS;

/// The names of columns in a line of a program, as a header has them.
pub(super) fn names_in_code(text: &str) -> Option<Cow<'_, str>> {
    let text = text.trim_end_matches(['{', '(', '[', ',', ' ', '*', '/']);
    if let Some(comment) = comment(text) {
        let names =
            comment.split_once(':').map_or(
                comment,
                |(label, names)| {
                    if is_word(label) { names } else { comment }
                },
            );
        return are_words(names).then_some(Cow::Borrowed(names.trim()));
    }
    let names = match text.split_once("parametrize(") {
        Some((_, strings)) => without_quotes(strings),
        None if text.starts_with(['"', '\'']) => without_quotes(text),
        None if text.contains("struct ") => fields_of_struct(text)?,
        None => return None,
    };
    are_words(&names).then_some(Cow::Owned(names))
}

fn comment(text: &str) -> Option<&str> {
    let inside = ["//", "#", "/*", "--"]
        .iter()
        .find_map(|sign| text.strip_prefix(sign))?;
    Some(inside.trim_matches(['/', '!', '#', ' ', '{', '}', '(', ')', '[', ']']))
}

fn without_quotes(text: &str) -> String {
    text.replace(['"', '\'', '(', ')', '[', ']'], "")
}

/// The names of the fields of a `struct` on one line.
fn fields_of_struct(text: &str) -> Option<String> {
    let (inside, _) = text.split_once('{')?.1.split_once('}')?;
    let name = |field: &str| -> Option<String> {
        let name = field.split(':').next()?;
        let last = name.rsplit([' ', '*', '&']).find(|word| !word.is_empty())?;
        Some(last.to_owned())
    };
    let names: Vec<String> = inside.split([';', ',']).filter_map(name).collect();
    Some(names.join(","))
}

/// Whether each cell is one word, so that these are names rather than a sentence.
fn are_words(names: &str) -> bool {
    names.contains(SEPARATORS) && names.split(SEPARATORS).all(is_word)
}

fn is_word(cell: &str) -> bool {
    let is_of_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    cell.trim().chars().all(is_of_word)
}
