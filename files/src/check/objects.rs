//! The objects of a JSON text that say something about a move, found in one pass, however deep they
//! are nested.

use std::borrow::Cow;

use super::comments::is_other_word;
use super::names::Role;
use super::words::is_board;

/// An object with the members that it has itself.
#[derive(Debug, Default)]
pub(super) struct Object<'a> {
    /// The number of the line where it begins, from 1 in its text.
    pub line: u64,
    pub text: &'a str,
    /// The members that may be a part of an answer, each with its name and value as written.
    pub members: Vec<(Cow<'a, str>, &'a str)>,
    /// The name of a member that is true or false, or a word such as `threshold`, and is no part of an
    /// answer by its name.
    pub other_truth: Option<Cow<'a, str>>,
    /// The elements of its array `moves`.
    pub moves: Option<Vec<Scored<'a>>>,
    /// Whether it is no answer, but has a board under another name than that of a FEN.
    is_stray: bool,
}

/// The value of a member that is an object or an array.
pub(super) const NESTED: &str = "{}";

/// A move with its SEE, `{"uci","san","see"}`, as `swaplist score` writes it: the values as written.
#[derive(Clone, Copy, Debug, Default)]
pub(super) struct Scored<'a> {
    pub uci: Option<&'a str>,
    pub san: Option<&'a str>,
    pub see: Option<&'a str>,
}

/// The objects of a valid JSON text with a FEN of their own, in their order; also those that have a move
/// and a claim but no FEN, unless they are a part of what `swaplist score` writes. If there are such,
/// objects and arrays that have a board without its name are among them: they may be answers, too.
pub(super) fn objects(text: &str) -> Vec<Object<'_>> {
    let mut walk = Walk {
        text,
        ..Walk::default()
    };
    let bytes = text.as_bytes();
    let mut at = 0;
    while at < bytes.len() {
        let start = at;
        at += 1;
        match bytes[start] {
            b'\n' => walk.line += 1,
            b'{' | b'[' => walk.open(start, bytes[start] == b'{'),
            b'}' | b']' => walk.close(at),
            b'"' => {
                at += end_of_string(&bytes[at..]);
                walk.scalar(&text[start..at]);
            }
            b',' | b':' => {}
            byte if byte.is_ascii_whitespace() => {}
            _ => {
                let ends = |byte: &u8| b",:{}[]\"".contains(byte) || byte.is_ascii_whitespace();
                at += bytes[at..]
                    .iter()
                    .position(ends)
                    .unwrap_or(bytes.len() - at);
                walk.scalar(&text[start..at]);
            }
        }
    }
    if walk.found.iter().all(|object| object.is_stray) {
        return Vec::new();
    }
    walk.found.sort_by_key(|object| object.text.as_ptr());
    walk.found
}

/// The length of what is left of a string, with the quote that ends it.
fn end_of_string(text: &[u8]) -> usize {
    let mut is_escaped = false;
    let end = text.iter().position(|&byte| {
        let ends = byte == b'"' && !is_escaped;
        is_escaped = byte == b'\\' && !is_escaped;
        ends
    });
    end.map_or(text.len(), |end| end + 1)
}

/// Whether the value of a member may say something of a number beside it.
fn may_be_of_claim(value: &str) -> bool {
    let word = value.trim_matches('"');
    matches!(word, "true" | "false") || value.starts_with('"') && is_other_word(word)
}

#[derive(Default)]
struct Walk<'a> {
    text: &'a str,
    /// How many lines have ended.
    line: u64,
    /// The objects and arrays that have not ended.
    open: Vec<Open<'a>>,
    found: Vec<Object<'a>>,
}

/// An object or an array that has not ended.
struct Open<'a> {
    start: usize,
    is_object: bool,
    /// The name of the member that it is the value of; that of its array, if it is an element.
    name: Option<&'a str>,
    /// The name of the member whose value is next.
    next: Option<&'a str>,
    object: Object<'a>,
    /// Its elements as moves, if it is an array `moves`.
    elements: Vec<Scored<'a>>,
    /// A string with a board that is not named as a FEN, with the number of its line.
    board: Option<(u64, &'a str)>,
}

impl<'a> Walk<'a> {
    fn open(&mut self, start: usize, is_object: bool) {
        let name = self.open.last().and_then(|around| {
            if around.is_object {
                around.next
            } else {
                around.name
            }
        });
        self.open.push(Open {
            start,
            is_object,
            name,
            next: None,
            object: Object {
                line: self.line + 1,
                ..Object::default()
            },
            elements: Vec::new(),
            board: None,
        });
    }

    /// Takes a string, a number or a word.
    fn scalar(&mut self, text: &'a str) {
        let line = self.line + 1;
        let Some(around) = self.open.last_mut() else {
            return;
        };
        if is_board(&text) {
            around.board.get_or_insert((line, text));
        }
        if !around.is_object {
            around.add_element(Scored::default());
        } else if around.next.is_none() {
            around.next = Some(text);
        } else {
            around.add_member(text);
        }
    }

    fn close(&mut self, end: usize) {
        let Some(mut ended) = self.open.pop() else {
            return;
        };
        let scored = ended.scored();
        if let Some(around) = self.open.last_mut() {
            if !around.is_object {
                around.add_element(scored);
            } else if !ended.is_object && ended.is_named("moves") {
                around.object.moves = Some(core::mem::take(&mut ended.elements));
                around.next = None;
            } else {
                around.add_member(NESTED);
            }
        }
        let text = &self.text[ended.start..end];
        if ended.is_object && ended.is_meant() {
            ended.object.text = text;
            self.found.push(ended.object);
            return;
        }
        // A board in an array may be a remark of the object that the array is in.
        let Some((line, board)) = ended.board else {
            return;
        };
        match self.open.last_mut().filter(|_| !ended.is_object) {
            Some(around) => {
                around.board.get_or_insert((line, board));
            }
            None => self.found.push(Object {
                line,
                text: if ended.is_object { text } else { board },
                is_stray: true,
                ..Object::default()
            }),
        }
    }
}

impl<'a> Open<'a> {
    fn is_named(&self, name: &str) -> bool {
        let quoted = self.name.unwrap_or_default();
        quoted.trim_matches('"').eq_ignore_ascii_case(name)
    }

    fn add_element(&mut self, scored: Scored<'a>) {
        if self.is_named("moves") {
            self.elements.push(scored);
        }
    }

    /// Adds the member whose name was read last, with its value.
    fn add_member(&mut self, value: &'a str) {
        let Some(quoted) = self.next.take() else {
            return;
        };
        let name = if quoted.contains('\\') {
            serde_json::from_str(quoted).map_or(Cow::Borrowed(quoted), Cow::Owned)
        } else {
            Cow::Borrowed(quoted.trim_matches('"'))
        };
        match Role::from_name(&name) {
            Some(_) if value != "null" => self.object.members.push((name, value)),
            None if may_be_of_claim(value) => self.object.other_truth = Some(name),
            _ => {}
        }
    }

    fn scored(&self) -> Scored<'a> {
        let value = |key: &str| {
            let mut members = self.object.members.iter();
            Some(members.find(|(name, _)| name == key)?.1)
        };
        Scored {
            uci: value("uci"),
            san: value("san"),
            see: value("see"),
        }
    }

    /// Whether it is meant as an answer: it has a FEN, or a move and a claim.
    fn is_meant(&self) -> bool {
        let roles = self.object.members.iter().filter_map(|(name, value)| {
            let is_move = name.eq_ignore_ascii_case("move") && value.starts_with('"');
            let (role, _) = Role::from_name(name)?;
            (role != Role::Move || is_move).then_some(role)
        });
        let roles: Vec<Role> = roles.collect();
        let has_claim = roles.contains(&Role::Value) || roles.contains(&Role::Threshold);
        roles.contains(&Role::Fen)
            || roles.contains(&Role::Move) && has_claim && !self.is_named("moves")
    }
}
