//! Lines of programs that hold no answers: those that the preprocessor of C leaves out, and those
//! of tests and blocks that are meant to fail or are not run.

use memchr::memmem;

use super::callee::{asserts, denies};
use super::tokens::{Token, Tokens, segments};

/// Tells which lines are left out: those from `#if 0` to its `#endif` or `#else`. It has to see
/// each line of a file in order.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// How many conditions are open, from the one that is never true on.
    depth: usize,
    /// Whether no `#endif` is left, so that nobody looks for one again.
    is_endless: bool,
}

impl LeftOut {
    /// Whether a line is left out. `rest` is the text after it: an `#if` without an `#endif` leaves
    /// out nothing except itself.
    pub fn holds(&mut self, line: &[u8], rest: &[u8]) -> bool {
        let Some(directive) = line.trim_ascii().strip_prefix(b"#") else {
            return self.depth > 0;
        };
        let directive = directive.trim_ascii_start();
        if self.depth == 0 {
            if !is_never_true(directive) {
                return false;
            }
            self.is_endless = self.is_endless || memmem::find(rest, b"endif").is_none();
            self.depth = usize::from(!self.is_endless);
            return true;
        }
        // An `#else` or `#elif` of the condition that is never true ends it too.
        if directive.starts_with(b"if") {
            self.depth += 1;
        } else if directive.starts_with(b"endif") || self.depth == 1 && directive.starts_with(b"el")
        {
            self.depth -= 1;
        }
        true
    }
}

/// Whether a directive is `if 0` or `if false`, also in brackets or with a comment behind it.
fn is_never_true(directive: &[u8]) -> bool {
    let condition = directive.strip_prefix(b"if").unwrap_or_default();
    let end = memchr::memchr(b'/', condition).unwrap_or(condition.len());
    let is_around = |byte: &u8| matches!(byte, b' ' | b'\t' | b'(' | b')');
    let inside: Vec<u8> = condition[..end]
        .iter()
        .copied()
        .filter(|byte| !is_around(byte))
        .collect();
    // Without a blank or bracket, it is a name that begins with `if`.
    condition.first().is_some_and(is_around) && matches!(&*inside, b"0" | b"false")
}

/// Tells which lines are of a test that is meant to fail or is not run, or in a block that an
/// assertion is about. It has to see each line of a file in order.
///
/// ```text
/// #[should_panic]              the mark
/// #[ignore]                    other marks may follow, or be above it
/// fn a_wrong_answer() {        the first line of the test
///     assert_eq!(..);          lines that are indented more, or within its brackets
/// }                            the test has ended
/// ```
#[derive(Debug, Default)]
pub(super) struct MeantToFail {
    block: Option<Block>,
    marks: Marks,
}

/// The test or block that the last line was of.
#[derive(Debug)]
struct Block {
    /// How far its first line is indented, in bytes; less than nothing for the rest of a block.
    indent: isize,
    /// How many brackets are open since its first line.
    depth: isize,
    /// Whether the line after its marks was seen.
    is_named: bool,
}

/// The marks above the first line of a test, with what is in their brackets.
#[derive(Debug, Default)]
struct Marks {
    lines: usize,
    depth: isize,
}

impl MeantToFail {
    /// Whether a line is of such a test: then how many lines before it are, too.
    pub fn add(&mut self, line: &[u8]) -> Option<usize> {
        let Ok(text) = core::str::from_utf8(line.trim_ascii()) else {
            return None;
        };
        if text.is_empty() {
            return self.block.is_some().then_some(0);
        }
        let is_mark = is_mark(text) || self.marks.depth > 0;
        let is_rest = is_left_early(text);
        let begins = is_rest
            || is_meant_to_fail(text)
            || is_asserted_block(text)
            || is_condition_of_nothing(text);
        if self.block.is_none() && !is_mark && !begins {
            self.marks = Marks::default();
            return None;
        }
        let indent = (line.len() - line.trim_ascii_start().len()).cast_signed();
        let opened = brackets_opened(text);
        if let Some(block) = &mut self.block {
            if block.goes_on(text, indent) {
                block.is_named |= !is_mark;
                block.depth += opened;
                self.marks.depth = if is_mark {
                    self.marks.depth + opened
                } else {
                    0
                };
                let ends = block.is_named && indent <= block.indent && text.ends_with(['}', ';']);
                if block.depth < 0 || ends && block.depth == 0 {
                    self.block = None;
                }
                return Some(0);
            }
            self.block = None;
        }
        let before = self.marks.lines;
        self.marks = if is_mark {
            Marks {
                lines: before + 1,
                depth: self.marks.depth + opened,
            }
        } else {
            Marks::default()
        };
        // What is within the brackets of a mark is about a row of it.
        if !begins || is_mark && self.marks.depth > opened {
            return None;
        }
        // All of the test may be on this line.
        if is_rest || !(opened == 0 && text.ends_with(['}', ';'])) {
            self.block = Some(Block {
                indent: indent - isize::from(is_rest),
                depth: if is_rest { 0 } else { opened },
                is_named: !is_mark,
            });
        }
        Some(before)
    }
}

impl Block {
    /// Whether the next line is of it too.
    fn goes_on(&self, text: &str, indent: isize) -> bool {
        let is_inside = indent > self.indent || self.depth > 0 || !self.is_named;
        // The brace that opens the test may be alone on a line, and what closes it is of it, too.
        is_inside || matches!(text, "{" | "end") || text.starts_with(['}', ')', ']'])
    }
}

/// Whether a line is a mark of the test below it: an attribute or a decorator.
fn is_mark(text: &str) -> bool {
    let is_attribute = |rest: &str| rest.starts_with(|first: char| first.is_ascii_alphabetic());
    // Ruby's variables begin like decorators.
    text.starts_with('@') && !text.contains(" = ")
        || text.starts_with("#[")
        || text.strip_prefix('[').is_some_and(is_attribute)
}

/// How many more brackets a line opens than it closes.
fn brackets_opened(text: &str) -> isize {
    let tokens = Tokens::new(text);
    let sum = tokens.all().map(|token| match token {
        Token::Open(_) => 1,
        Token::Close => -1,
        _ => 0,
    });
    sum.sum()
}

/// More bytes than the first line of a test has.
const LONGEST: usize = 2000;

/// Words by which a test is meant to fail or is not run.
const FAILS: [&str; 17] = [
    "broken",
    "disabled",
    "fail",
    "failing",
    "fails",
    "failure",
    "failures",
    "ignore",
    "mayfail",
    "panic",
    "pending",
    "raises",
    "shouldfail",
    "skip",
    "skipped",
    "todo",
    "xfail",
];

/// Whether a text has a mark by which a test is meant to fail or is not run, or begins such a test.
pub(super) fn is_meant_to_fail(text: &str) -> bool {
    /// Parts of all of these words: most lines have none.
    const STEMS: [&str; 14] = [
        "fail",
        "Fail",
        "kip",
        "anic",
        "isabled",
        "aises",
        "broken",
        "nding",
        "todo",
        "gnore",
        "xit",
        "xtest",
        "xcontext",
        "xdescribe",
    ];
    /// What is looked for as such, also within strings.
    const MARKS: [&str; 5] = [
        "[!shouldfail]",
        "[!mayfail]",
        "DISABLED_",
        "@Test(expected",
        "xpectedException",
    ];
    // Most lines are rows, and longer ones begin no test.
    if text.len() > LONGEST || !text.contains('(') && !text.starts_with(['@', '#', '[', 'x']) {
        return false;
    }
    if MARKS.iter().any(|mark| text.contains(mark)) {
        return true;
    }
    if !STEMS.iter().any(|stem| text.contains(stem)) {
        return false;
    }
    let tokens = Tokens::new(text);
    let mut all = tokens.all().enumerate();
    all.any(|(at, token)| matches!(token, Token::Name(name) if fails(&tokens, at, name, text)))
}

/// Whether a name in a text says that a test is meant to fail or is not run.
fn fails(tokens: &Tokens<'_>, at: usize, name: &str, text: &str) -> bool {
    const TESTS: [&str; 6] = ["case", "context", "describe", "it", "mark", "test"];
    let begins_block = matches!(name, "xit" | "xtest" | "xdescribe" | "xcontext");
    let words = segments(name);
    let has = |list: &[&str]| words.iter().any(|word| list.contains(&&**word));
    // An attribute of Rust that leaves out slow tests says nothing of their answers. A test may be
    // left out under a condition.
    if begins_block && at == 0 {
        return true;
    }
    if !has(&FAILS) || has(&["if"]) || text.starts_with("#[ignore") {
        return false;
    }
    if is_mark(text) {
        return true;
    }
    let next = tokens.get(at + 1);
    let is_called = matches!(next, Some(Token::Open('(') | Token::Sign('.' | ':')));
    if text.starts_with("with ") && is_called {
        return true;
    }
    // What it is a part of: the names before it, or the function it is an argument of.
    let is_of_test = |name: &str| segments(name).iter().any(|word| TESTS.contains(&&**word));
    let leads = tokens.path(at).any(is_of_test);
    let is_argument = is_called
        && tokens.brackets().iter().any(|bracket| {
            bracket.start < at && at < bracket.end && bracket.name.is_some_and(is_of_test)
        });
    leads || is_argument
}

/// Whether a text ends the test that it is in, before what follows.
fn is_left_early(text: &str) -> bool {
    const STARTS: [&str; 13] = [
        "$this->markTest",
        "GTEST_SKIP",
        "SKIP(",
        "XCTExpectFailure",
        "XCTSkip",
        "pytest.skip",
        "pytest.xfail",
        "return error.Skip",
        "self.skipTest",
        "t.Skip",
        "this.skip",
        "throw XCTSkip",
        "try XCTSkip(",
    ];
    STARTS.iter().any(|start| text.starts_with(start))
}

/// Whether a text opens a block whose condition is never true, as `if (false) {` and `if False:`.
fn is_condition_of_nothing(text: &str) -> bool {
    let inside = text
        .strip_prefix("if")
        .and_then(|text| text.strip_suffix(['{', ':']));
    let condition = inside.map(|inside| inside.trim_matches(['(', ')', ' ']));
    matches!(condition, Some("0" | "false" | "False"))
}

/// Whether a text opens a block that an assertion is about, as `assertThrows(X.class, () -> {`,
/// `expect(() => {` or `assertFalse {`: it may deny what is in it.
fn is_asserted_block(text: &str) -> bool {
    const ENDS: [&str; 5] = ["{", "=>", "->", "|", " do"];
    if text.len() > LONGEST || !ENDS.iter().any(|end| text.ends_with(end)) {
        return false;
    }
    let tokens = Tokens::new(text);
    let brackets = tokens.brackets();
    let last = tokens.all().count();
    brackets.iter().any(|bracket| {
        let is_open = tokens.get(bracket.end).is_none();
        // The block may follow the arguments: `assertFalse("a message") {`.
        let is_before = bracket.end + 2 == last && !tokens.touch(bracket.start, bracket.end);
        let is_led =
            bracket.start >= 2 && matches!(tokens.get(bracket.start - 2), Some(Token::Name(_)));
        let name = match bracket.name {
            Some(name) if is_open || is_before && !is_led => name,
            None if is_open => tokens.function_of_block(bracket).unwrap_or_default(),
            _ => return false,
        };
        asserts(name) || denies(name)
    })
}
