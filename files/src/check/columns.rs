//! The names of columns in a line of a program, for the rows of a table below it. They are in a
//! comment, in the strings of a parametrised test, or in the declaration of a `struct`.

use std::borrow::Cow;

use super::words::SEPARATORS;

/// The names of columns in a line of a program, with a header's separators between them. `None` if
/// the line has no list of single words.
pub(super) fn names_in_code(text: &str) -> Option<Cow<'_, str>> {
    // These open the table, or end the comment.
    let text = text.trim_end_matches(['{', '(', '[', ',', ' ', '*', '/']);
    if let Some(comment) = comment(text) {
        // One word may be before the names, as in `// columns: fen, move, see`.
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

/// What a line says that is a comment, without the signs and brackets around it.
fn comment(text: &str) -> Option<&str> {
    let inside = ["//", "#", "/*", "--"]
        .iter()
        .find_map(|sign| text.strip_prefix(sign))?;
    Some(inside.trim_matches(['/', '!', '#', ' ', '{', '}', '(', ')', '[', ']']))
}

/// A text without quotes and without round and square brackets.
fn without_quotes(text: &str) -> String {
    text.replace(['"', '\'', '(', ')', '[', ']'], "")
}

/// The names of the fields of a `struct` on one line, with commas between them.
fn fields_of_struct(text: &str) -> Option<String> {
    // In Rust a field's name is what is before the colon, in C it is the last word, before the size
    // of an array.
    let (inside, _) = text.split_once('{')?.1.split_once('}')?;
    let name = |field: &str| -> Option<String> {
        let name = field.split([':', '[']).next()?;
        let last = name.rsplit([' ', '*', '&']).find(|word| !word.is_empty())?;
        Some(last.to_owned())
    };
    let names: Vec<String> = inside.split([';', ',']).filter_map(name).collect();
    Some(names.join(","))
}

/// Whether there are several cells and each is at most one word: names rather than a sentence.
fn are_words(names: &str) -> bool {
    names.contains(SEPARATORS) && names.split(SEPARATORS).all(is_word)
}

/// Whether a cell is a single word. An empty cell is one too, such as that before the first `|`.
fn is_word(cell: &str) -> bool {
    let is_of_word = |char: char| char.is_alphanumeric() || matches!(char, '_' | '-');
    cell.trim().chars().all(is_of_word)
}
