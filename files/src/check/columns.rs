//! The names of columns in a line of a program, for the rows of a table below it. They are in a
//! comment, in the strings of a parametrised test, or in the declaration of a `struct`.

use std::borrow::Cow;

use super::names::Role;
use super::words::SEPARATORS;

/// The names of columns in a line of a program, with a header's separators between them. `None` if
/// the line has no list of single words.
pub(super) fn names_in_code(text: &str) -> Option<Cow<'_, str>> {
    // These open the table, or end the comment.
    let text = text.trim_end_matches(['{', '(', '[', ',', ' ', '*', '/']);
    if let Some(comment) = comment(text) {
        // Words may be before the names, as in `// columns: fen, move, see`.
        let names = match comment.split_once(':') {
            Some((label, names)) if label.split(' ').count() <= MOST_WORDS => names,
            _ => comment,
        };
        let are_names = are_words(names) || are_phrases(names);
        return are_names.then_some(Cow::Borrowed(names.trim()));
    }
    let names = match (
        text.split_once("parametrize("),
        text.split_once("namedtuple("),
    ) {
        (Some((_, strings)), _) => without_quotes(strings),
        (_, Some((_, strings))) => {
            let (_, names) = strings.split_once(',')?;
            let words = without_quotes(names).replace(',', " ");
            words.split_whitespace().collect::<Vec<_>>().join(",")
        }
        _ if text.starts_with(['"', '\'']) => without_quotes(text),
        _ if declares(text) => fields_of(text)?,
        _ => return None,
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

/// Whether a text declares a type, whose fields are those of rows.
fn declares(text: &str) -> bool {
    const DECLARING: [&str; 5] = ["class", "interface", "record", "struct", "type"];
    let mut words = text.split(|char: char| !char.is_alphanumeric());
    words.any(|word| DECLARING.contains(&word))
}

/// The names of the fields that a text declares in its first bracket, with commas between them.
fn fields_of(text: &str) -> Option<String> {
    let open = text.find(['{', '('])?;
    let inside = &text[open + 1..];
    let inside = &inside[..inside.find(['}', ')']).unwrap_or(inside.len())];
    // In Go a field's type is its last word.
    let is_of_go = text.contains("[]struct") || text.starts_with("type ");
    if is_of_go && !inside.contains(':') {
        let fields = inside
            .split(';')
            .filter_map(|field| field.trim().rsplit_once(' '));
        return Some(
            fields
                .map(|(names, _)| names.trim())
                .collect::<Vec<_>>()
                .join(","),
        );
    }
    // In Rust a field's name is what is before the colon, in C it is the last word, before the size
    // of an array or a value.
    let name = |field: &str| -> Option<String> {
        let field = field.replace("::", "");
        let name = field.split([':', '[', '=']).next()?.trim_end();
        let last = name.rsplit([' ', '*', '&']).find(|word| !word.is_empty())?;
        Some(last.to_owned())
    };
    let names: Vec<String> = inside.split([';', ',']).filter_map(name).collect();
    Some(names.join(","))
}

/// Collects a declaration of several lines: `struct Test {`, its fields, and `}`.
#[derive(Debug, Default)]
pub(super) struct Declaration {
    text: String,
    /// The number of its first line, and how far that is indented.
    first: u64,
    indent: usize,
    lines: usize,
    has_field: bool,
}

impl Declaration {
    /// More lines than fields of rows need.
    const MOST: usize = 24;

    /// Takes the next line, and returns the declaration that ends with it or before it, with the
    /// number of its first line. `text` is without comments.
    pub fn add(&mut self, number: u64, text: &str, indent: usize) -> Option<(u64, String)> {
        if self.text.is_empty() {
            let is_open = text.ends_with(['{', '(', ':']) || text.ends_with(char::is_alphanumeric);
            let is_list = text.trim_end_matches(['{', '(', ' ']).ends_with('=');
            let has_end = is_list || text.contains(['}', ')', ';', '"', '\'']);
            if is_open && !has_end && declares(text) {
                let opened = text.trim_end_matches([':', '{', '(', ' ']);
                *self = Declaration {
                    text: format!("{opened} {{"),
                    first: number,
                    indent,
                    ..Declaration::default()
                };
            }
            return None;
        }
        self.lines += 1;
        self.has_field = false;
        let is_end = text.starts_with(['}', ')']) || indent <= self.indent && text != "{";
        if is_end || self.lines > Declaration::MOST {
            let Declaration { text, first, .. } = core::mem::take(self);
            return Some((first, text + "}"));
        }
        // What has a string is no declaration.
        if text.contains('"') || text.ends_with('[') {
            *self = Declaration::default();
        } else if is_field(text) {
            self.text.push_str(text.trim_end_matches([';', ',']));
            self.text.push(';');
            self.has_field = true;
        }
        None
    }

    /// Whether the last line is a field. It is none of an answer.
    pub fn has_field(&self) -> bool {
        self.has_field
    }
}

/// Whether a line of a declaration is a field: a name with its type, and no method.
fn is_field(text: &str) -> bool {
    let is_of_field = |char: char| char.is_alphanumeric() || " \t_:;,*&<>[]|?='.".contains(char);
    let has_type = text.contains([' ', '\t']) && !text.ends_with(':');
    has_type && text.starts_with(char::is_alphabetic) && text.chars().all(is_of_field)
}

/// More words than a phrase for a column has, or what is before names.
const MOST_WORDS: usize = 6;

/// Whether cells are names of columns of which some are of several words. One of them is `fen`, and
/// one is a move.
fn are_phrases(names: &str) -> bool {
    let is_phrase = |cell: &str| {
        let has_signs =
            cell.contains(|char: char| !(char.is_alphanumeric() || " _-()".contains(char)));
        !has_signs && cell.split_whitespace().count() <= MOST_WORDS
    };
    SEPARATORS.into_iter().any(|separator| {
        let has = |role: Role| {
            let mut roles = names
                .split(separator)
                .map(|cell| Role::from_name(cell.trim()));
            roles.any(|found| matches!(found, Some((found, _)) if found == role))
        };
        has(Role::Fen) && has(Role::Move) && names.split(separator).all(is_phrase)
    })
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
