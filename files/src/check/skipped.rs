//! Lines of programs that hold no answers: those that the preprocessor of C leaves out, and those
//! of tests that are meant to fail.

use memchr::memmem;

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

/// Tells which lines are of a test that is meant to fail, from its mark on. It has to see each line
/// of a file in order.
///
/// ```text
/// #[should_panic]              the mark
/// #[ignore]                    other marks may follow
/// fn a_wrong_answer() {        the first line of the test
///     assert_eq!(..);          lines that are indented more than the mark
/// }                            the test has ended
/// ```
#[derive(Debug, Default)]
pub(super) struct MeantToFail(Option<Test>);

/// The test that the last line was of.
#[derive(Debug)]
struct Test {
    /// How far its mark is indented, in bytes.
    indent: usize,
    /// Whether its first line was seen.
    is_named: bool,
    /// Whether a line was seen that is indented more.
    is_inside: bool,
}

impl MeantToFail {
    /// Whether a line is of such a test.
    pub fn holds(&mut self, line: &[u8]) -> bool {
        let text = line.trim_ascii();
        let Some(first) = text.first() else {
            return self.0.is_some();
        };
        let indent = line.len() - line.trim_ascii_start().len();
        let is_mark = matches!(first, b'@' | b'[') || text.starts_with(b"#[");
        if let Some(test) = &mut self.0 {
            let is_deeper = indent > test.indent;
            // The brace that opens the test may be alone on a line.
            if (test.is_inside || test.is_named && text != b"{") && !is_deeper {
                self.0 = None;
            } else {
                test.is_inside |= is_deeper;
                test.is_named |= !is_mark;
            }
        }
        // A mark that ends with a semicolon is of a field: it may be of use to any of the tests.
        let is_of_test = (is_mark || text.starts_with(b"with ")) && !text.ends_with(b";");
        if self.0.is_none() && is_of_test && is_meant_to_fail(text) {
            // All of the test is on this line.
            if text.ends_with(b"}") {
                return true;
            }
            self.0 = Some(Test {
                indent,
                is_named: !is_mark,
                is_inside: false,
            });
        }
        self.0.is_some()
    }
}

/// Whether a line has a word by which a test is meant to fail.
pub(super) fn is_meant_to_fail(line: &[u8]) -> bool {
    const MARKS: [&[u8]; 7] = [
        b"should_panic",
        b"xfail",
        b"xpectedFailure",
        b"xpectedException",
        b"@Test(expected",
        b".raises(",
        b"assertRaises",
    ];
    MARKS.iter().any(|mark| memmem::find(line, mark).is_some())
}
