//! The words, numbers, brackets and signs of a line of a program in any language, without comments
//! and what strings say.

/// A word or sign.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum Token<'a> {
    Name(&'a str),
    Number(&'a str),
    /// The FEN, in a string or as such.
    Fen,
    Open(char),
    Close,
    Sign(char),
}

/// A bracket with what is before it.
pub(super) struct Bracket<'a> {
    /// The numbers of the tokens that open and close it.
    pub start: usize,
    pub end: usize,
    /// The name of what is called, if it is a call.
    pub name: Option<&'a str>,
    /// Whether the FEN is in it.
    pub has_fen: bool,
}

impl Bracket<'_> {
    pub fn is_call(&self) -> bool {
        self.name.is_some()
    }
}

/// The tokens of a text, each with its place.
pub(super) struct Tokens<'a>(Vec<(usize, usize, Token<'a>)>);

impl<'a> Tokens<'a> {
    /// What stands for the FEN in the text.
    pub const FEN: char = '\u{1}';

    /// A text with a sign before the board that begins at this place.
    pub fn mark(text: &str, board: usize) -> String {
        let mut marked = text.to_owned();
        marked.insert(board, Tokens::FEN);
        marked
    }

    pub fn new(text: &'a str) -> Tokens<'a> {
        let mut found = Vec::new();
        let mut at = 0;
        while let Some(char) = text[at..].chars().next() {
            let rest = &text[at..];
            let length = if let Some(comment) = comment(text, at) {
                comment
            } else if let Some(content) = string(rest) {
                let end = at + content.len() + 2;
                if content.contains(Tokens::FEN) {
                    found.push((at, end, Token::Fen));
                } else if compares(content) {
                    found.push((at, end, Token::Sign('<')));
                }
                content.len() + 2
            } else if let Some(generic) = generic(rest) {
                generic
            } else if rest
                .strip_prefix("->")
                .is_some_and(|name| name.starts_with(is_of_name))
            {
                found.push((at, at + 2, Token::Sign('.')));
                2
            } else {
                let (length, token) = token(rest, char);
                found.extend(token.map(|token| (at, at + length, token)));
                length
            };
            at += length;
        }
        Tokens(found)
    }

    pub fn all(&self) -> impl Iterator<Item = Token<'a>> + '_ {
        self.0.iter().map(|(.., token)| *token)
    }

    pub fn get(&self, at: usize) -> Option<Token<'a>> {
        self.0.get(at).map(|(.., token)| *token)
    }

    pub fn names(&self) -> impl Iterator<Item = &'a str> + '_ {
        self.all().filter_map(|token| match token {
            Token::Name(name) => Some(name),
            _ => None,
        })
    }

    /// The numbers, each with the number of its token.
    pub fn numbers(&self) -> impl Iterator<Item = (usize, &'a str)> + '_ {
        self.all()
            .enumerate()
            .filter_map(|(at, token)| match token {
                Token::Number(text) => Some((at, text)),
                _ => None,
            })
    }

    /// Where a token begins in the text; the end for none.
    pub fn place(&self, at: usize) -> usize {
        self.0.get(at).map_or(usize::MAX, |(start, ..)| *start)
    }

    /// The names of what is applied to calls, as in `see(..).abs()`, after a place in the text.
    pub fn applied_after(&self, place: usize) -> impl Iterator<Item = &'a str> + '_ {
        self.0.windows(3).filter_map(move |three| match three {
            [
                (start, _, Token::Close),
                (.., Token::Sign('.')),
                (.., Token::Name(name)),
            ] if *start > place => Some(*name),
            _ => None,
        })
    }

    /// Without what follows the first `<<` after a call: a message.
    pub fn without_message(mut self) -> Tokens<'a> {
        let message = (1..self.0.len()).find(|&at| {
            let are_signs = [at, at + 1].map(|at| self.get(at)) == [Some(Token::Sign('<')); 2];
            are_signs && self.touch(at, at + 1) && self.get(at - 1) == Some(Token::Close)
        });
        if let Some(at) = message.filter(|&at| self.innermost(at).is_none()) {
            self.0.truncate(at);
        }
        self
    }

    /// Whether nothing is between two tokens.
    pub fn touch(&self, first: usize, second: usize) -> bool {
        matches!((self.0.get(first), self.0.get(second)), (Some(a), Some(b)) if a.1 == b.0)
    }

    /// Whether a name is that of a function or of a macro that is called, or follows a point.
    pub fn is_applied(&self, name: usize) -> bool {
        let next = name + 1 + usize::from(self.is_macro(name + 1));
        let follows_point = name > 0 && self.get(name - 1) == Some(Token::Sign('.'));
        follows_point || matches!(self.get(next), Some(Token::Open(_)))
    }

    /// Whether `!` ends the name of a macro.
    pub fn is_macro(&self, at: usize) -> bool {
        let is_named = at > 0 && matches!(self.get(at - 1), Some(Token::Name(_)));
        is_named
            && self.touch(at - 1, at)
            && matches!(self.get(at + 1), Some(Token::Open(_)))
            && self.touch(at, at + 1)
    }

    /// Whether `!` negates what follows.
    pub fn is_negation(&self, at: usize) -> bool {
        let follows_operand = at > 0
            && matches!(
                self.get(at - 1),
                Some(Token::Name(_) | Token::Close | Token::Fen | Token::Number(_))
            )
            && self.touch(at - 1, at);
        let next = self.get(at + 1);
        matches!(next, Some(Token::Name(_) | Token::Open(_))) && !follows_operand
    }

    pub fn has_negation(&self) -> bool {
        (0..self.0.len()).any(|at| self.get(at) == Some(Token::Sign('!')) && !self.is_macro(at))
    }

    /// Whether `&` takes a reference or an address.
    pub fn is_reference(&self, at: usize) -> bool {
        let is_operator = |other: Option<usize>| {
            matches!(
                other.and_then(|other| self.get(other)),
                Some(Token::Sign('&' | '='))
            )
        };
        let is_doubled =
            is_operator(at.checked_sub(1)).then(|| self.touch(at - 1, at)) == Some(true);
        !is_doubled && !is_operator(Some(at + 1))
    }

    /// Whether the FEN is an argument of a call.
    pub fn is_in_call(&self) -> bool {
        self.brackets()
            .iter()
            .any(|bracket| bracket.is_call() && bracket.has_fen)
    }

    /// All brackets in the order of their beginnings. In one pass, however many there are.
    pub fn brackets(&self) -> Vec<Bracket<'a>> {
        let mut found: Vec<Bracket<'a>> = Vec::new();
        let mut open = Vec::new();
        let mut has_fen = false;
        for (at, token) in self.all().enumerate() {
            match token {
                Token::Open(sign) => {
                    open.push(found.len());
                    found.push(Bracket {
                        start: at,
                        end: self.0.len(),
                        name: self.callee(at, sign),
                        has_fen: false,
                    });
                }
                Token::Close => {
                    if let Some(last) = open.pop() {
                        found[last].end = at;
                    }
                }
                Token::Fen if !has_fen => {
                    has_fen = true;
                    for &around in &open {
                        found[around].has_fen = true;
                    }
                }
                _ => {}
            }
        }
        found
    }

    /// The name of what is called with the arguments in a bracket.
    fn callee(&self, bracket: usize, sign: char) -> Option<&'a str> {
        let mut before = bracket.checked_sub(1)?;
        if self.get(before) == Some(Token::Sign('!')) && self.is_macro(before) {
            before -= 1;
        }
        match self.get(before) {
            Some(Token::Name(name)) if sign == '(' && self.touch(before, before + 1) => Some(name),
            _ => None,
        }
    }

    /// Whether a word stands before the name of what is called, as in `assert see(..)`.
    pub fn is_led_by_word(&self, bracket: &Bracket<'_>) -> bool {
        self.lead(bracket).is_some_and(|lead| lead != "new")
    }

    /// The word before what is called: `assert` in `assert board(..).see(..)`.
    pub fn lead(&self, bracket: &Bracket<'_>) -> Option<&'a str> {
        let before = bracket.start.checked_sub(1).filter(|_| bracket.is_call())?;
        let name = before - usize::from(before > 0 && self.is_macro(before));
        match self.get(self.head(name).checked_sub(1)?) {
            Some(Token::Name(lead)) => Some(lead),
            _ => None,
        }
    }

    /// Where what a name is called on or in begins: that of `board` for `see` in `board(..).see` and
    /// `board::see`.
    pub fn head(&self, name: usize) -> usize {
        let is_joint = |at: usize| matches!(self.get(at), Some(Token::Sign('.' | ':' | '?')));
        let mut head = name;
        while head > 1 && is_joint(head - 1) {
            let joint = head - 1;
            head = match self.get(joint - 1) {
                Some(Token::Close) => {
                    let open = self.opening(joint - 1);
                    let is_called = open > 0 && matches!(self.get(open - 1), Some(Token::Name(_)));
                    open - usize::from(is_called)
                }
                Some(Token::Name(_)) => joint - 1,
                Some(Token::Sign('.' | ':' | '?')) => joint,
                _ => break,
            };
        }
        head
    }

    /// The names that a name is a part of, as `pytest` and `mark` are for `pytest.mark.xfail`.
    pub fn path(&self, name: usize) -> impl Iterator<Item = &'a str> + '_ {
        let parts = (self.head(name)..name).filter_map(|at| self.get(at));
        parts.filter_map(|token| match token {
            Token::Name(name) => Some(name),
            _ => None,
        })
    }

    /// The name of the function that a statement defines, with its place: a word such as `fn` or a
    /// type is before it, or the function is a method and nothing is.
    pub fn defined(&self) -> Option<(usize, &'a str)> {
        /// Words before what is called.
        const KEYWORDS: &str = "and assert await case check do echo elif else expect if in is new not \
                                or print puts refute require return then try unless when while";
        let is_keyword = |word: &str| KEYWORDS.split(' ').any(|keyword| keyword == word);
        let is_method = self
            .get(0)
            .is_some_and(|first| first == Token::Name("func"))
            || matches!(self.0.last(), Some((.., Token::Open('{'))));
        (0..self.len()).find_map(|at| {
            let Some(Token::Name(name)) = self.get(at) else {
                return None;
            };
            let is_of_condition =
                matches!(name, "and" | "elif" | "if" | "in" | "not" | "or" | "while");
            if self.get(at + 1) != Some(Token::Open('(')) || is_of_condition {
                return None;
            }
            let is_led = match self
                .head(at)
                .checked_sub(1)
                .and_then(|before| self.get(before))
            {
                Some(Token::Name(lead)) => !is_keyword(lead),
                Some(Token::Close) => is_method,
                None => is_method && self.closing(at + 1) + 2 == self.len(),
                _ => false,
            };
            is_led.then_some((at, name))
        })
    }

    pub fn len(&self) -> usize {
        self.0.len()
    }

    /// The commas between the arguments in a bracket.
    pub fn commas_of(&self, bracket: &Bracket<'_>) -> Vec<usize> {
        let mut depth = 0;
        let inside = bracket.start + 1..bracket.end.min(self.len());
        let commas = inside.filter(|&at| {
            match self.get(at) {
                Some(Token::Open(_)) => depth += 1,
                Some(Token::Close) => depth -= 1,
                _ => {}
            }
            depth == 0 && self.get(at) == Some(Token::Sign(','))
        });
        commas.collect()
    }

    /// The last token of what is called on the result of a call that ends here, as in
    /// `see(..).unwrap()`.
    pub fn end_of_chain(&self, close: usize) -> usize {
        let mut end = close;
        while let (Some(Token::Sign('.')), Some(Token::Name(_)), Some(Token::Open('('))) =
            (self.get(end + 1), self.get(end + 2), self.get(end + 3))
            && self.closing(end + 3) == end + 4
        {
            end += 4;
        }
        end
    }

    /// Where the bracket ends that begins here; the last token for none.
    pub fn closing(&self, open: usize) -> usize {
        let mut depth = 0;
        let closes = (open..self.len()).find(|&at| {
            match self.get(at) {
                Some(Token::Open(_)) => depth += 1,
                Some(Token::Close) => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        closes.unwrap_or(self.len() - 1)
    }

    /// Where the bracket begins that ends here.
    fn opening(&self, close: usize) -> usize {
        let mut depth = 0;
        let opens = (0..=close).rev().find(|&at| {
            match self.get(at) {
                Some(Token::Close) => depth += 1,
                Some(Token::Open(_)) => depth -= 1,
                _ => {}
            }
            depth == 0
        });
        opens.unwrap_or(0)
    }

    /// The name right before a bracket that is not one of a call: that of a type in `Case { .. }`, or
    /// of a macro in `vec![..]`.
    pub fn name_before(&self, bracket: &Bracket<'_>) -> Option<&'a str> {
        const KEYWORDS: [&str; 8] = ["case", "const", "do", "else", "in", "of", "return", "yield"];
        let mut before = bracket.start.checked_sub(1)?;
        if self.get(before) == Some(Token::Sign('!')) {
            before = before.checked_sub(1)?;
        }
        // After another name it is that of a variable or of a macro.
        let is_own = match before.checked_sub(1).and_then(|at| self.get(at)) {
            Some(Token::Name(lead)) => lead == "new" || KEYWORDS.contains(&lead),
            _ => true,
        };
        match self.get(before) {
            Some(Token::Name(name)) if is_own && !KEYWORDS.contains(&name) => Some(name),
            _ => None,
        }
    }

    /// The name of a function whose last argument is the block that a bracket begins, as in
    /// `assertFalse { .. }`. The names of types begin with a capital.
    pub fn function_of_block(&self, bracket: &Bracket<'_>) -> Option<&'a str> {
        let mut before = bracket.start.checked_sub(1)?;
        if self.get(before) == Some(Token::Sign('>')) {
            before = (0..before)
                .rfind(|&at| self.get(at) == Some(Token::Sign('<')))?
                .checked_sub(1)?;
        } else if self.get(before) == Some(Token::Sign('!')) {
            before = before.checked_sub(1)?;
        }
        let is_led = before > 0 && matches!(self.get(before - 1), Some(Token::Name(_)));
        match (self.get(bracket.start), self.get(before)) {
            (Some(Token::Open('{')), Some(Token::Name(name)))
                if !is_led && name.starts_with(char::is_lowercase) =>
            {
                Some(name)
            }
            _ => None,
        }
    }

    /// The innermost bracket around a token.
    pub fn innermost(&self, at: usize) -> Option<Bracket<'a>> {
        let around = |bracket: &Bracket<'_>| bracket.start < at && at < bracket.end;
        self.brackets().into_iter().rfind(around)
    }
}

/// The length of a comment that begins here.
fn comment(text: &str, at: usize) -> Option<usize> {
    let rest = &text[at..];
    let after_blank = at > 0 && text[..at].ends_with([' ', '\t']);
    if rest.starts_with("/*") {
        return Some(rest.find("*/").map_or(rest.len(), |end| end + 2));
    }
    (rest.starts_with("//") || after_blank && rest.starts_with('#')).then_some(rest.len())
}

/// What a string that begins here says.
fn string(rest: &str) -> Option<&str> {
    let quote = rest.chars().next().filter(|char| "\"'`".contains(*char))?;
    rest[1..].find(quote).map(|end| &rest[1..=end])
}

/// Whether a string is an operator, other than that of equality: some tests are told by it how to
/// compare.
fn compares(content: &str) -> bool {
    matches!(
        content,
        "!=" | "!==" | "<>" | "~=" | "<" | "<=" | ">" | ">=" | "ne" | "lt" | "le" | "gt" | "ge"
    )
}

/// The length of the type of a generic function, `::<Position>`.
fn generic(rest: &str) -> Option<usize> {
    let inner = rest.strip_prefix("::<")?;
    let end = inner.find(|char| !(is_of_name(char) || char == ':'))?;
    inner[end..].starts_with('>').then_some(3 + end + 1)
}

fn is_of_name(char: char) -> bool {
    char.is_alphanumeric() || char == '_'
}

/// The token that begins here with its length; `None` for blanks and quotes.
fn token(rest: &str, first: char) -> (usize, Option<Token<'_>>) {
    let length_of =
        |belongs: fn(char) -> bool| rest.find(|char| !belongs(char)).unwrap_or(rest.len());
    let is_fraction = first == '.' && rest[1..].starts_with(|char: char| char.is_ascii_digit());
    if first.is_ascii_digit() || is_fraction {
        let mut length = length_of(|char| is_of_name(char) || char == '.');
        // C++ groups digits as in `1'250`.
        while let [b'\'', group @ ..] = &rest.as_bytes()[length..]
            && let Some((digits, _)) = group.split_first_chunk::<3>()
            && digits.iter().all(u8::is_ascii_digit)
        {
            length += 4;
        }
        return (length, Some(Token::Number(&rest[..length])));
    }
    if is_of_name(first) {
        let length = length_of(is_of_name);
        return (length, Some(Token::Name(&rest[..length])));
    }
    let token = match first {
        Tokens::FEN => Some(Token::Fen),
        '(' | '[' | '{' => Some(Token::Open(first)),
        ')' | ']' | '}' => Some(Token::Close),
        '"' | '\'' | '`' => None,
        _ if first.is_whitespace() => None,
        sign => Some(Token::Sign(sign)),
    };
    (first.len_utf8(), token)
}

/// The words of a name, in small letters: `seeGE`, `SEEGe`, `SEEge`, `SEE_GE` and `See_Ge` are `see`
/// and `ge`.
pub(super) fn segments(name: &str) -> Vec<String> {
    let mut words = vec![String::new()];
    let mut before = '_';
    let mut chars = name.chars().peekable();
    while let Some(char) = chars.next() {
        let word = words.last().map_or("", String::as_str);
        let after_capital = before.is_uppercase();
        let begins_word = if char.is_uppercase() {
            // The last of several capitals begins a word if a small letter follows; but SEE is one.
            let is_before_small = chars.peek().is_some_and(|next| next.is_lowercase());
            let ends_see = word == "se" && char == 'E';
            before.is_lowercase() || after_capital && is_before_small && !ends_see
        } else {
            char == '_' || after_capital && word == "see" && char.is_lowercase()
        };
        if begins_word {
            words.push(String::new());
        }
        if let Some(word) = words.last_mut().filter(|_| char != '_') {
            word.extend(char.to_lowercase());
        }
        before = char;
    }
    words.retain(|word| !word.is_empty());
    words
}
