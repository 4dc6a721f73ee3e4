//! Lines of programs that are not run, and tests that are meant to fail: what they say of the SEE is
//! no answer.

use memchr::memmem;

/// Lines between `#if 0` and `#endif`.
#[derive(Debug, Default)]
pub(super) struct LeftOut {
    /// How many conditions are open, of which the first is never true.
    depth: usize,
}

impl LeftOut {
    /// Whether a line, with what is after it, is left out.
    pub fn holds(&mut self, line: &[u8], rest: &[u8]) -> bool {
        let Some(directive) = line.trim_ascii().strip_prefix(b"#") else {
            return self.depth > 0;
        };
        let directive = directive.trim_ascii_start();
        if self.depth == 0 {
            let is_never = matches!(directive, b"if 0" | b"if false");
            self.depth = usize::from(is_never && memmem::find(rest, b"endif").is_some());
            return is_never;
        }
        if directive.starts_with(b"if") {
            self.depth += 1;
        } else if directive.starts_with(b"endif") || self.depth == 1 && directive.starts_with(b"el")
        {
            self.depth -= 1;
        }
        true
    }
}

/// The lines of a test that is meant to fail: those after its mark that are indented more, and the
/// ones between.
#[derive(Debug, Default)]
pub(super) struct MeantToFail(Option<Test>);

#[derive(Debug)]
struct Test {
    indent: usize,
    /// Whether its first line was seen, after other marks.
    is_named: bool,
    is_inside: bool,
}

impl MeantToFail {
    pub fn holds(&mut self, line: &[u8]) -> bool {
        let text = line.trim_ascii();
        let Some(first) = text.first() else {
            return self.0.is_some();
        };
        let indent = line.len() - line.trim_ascii_start().len();
        let is_mark = matches!(first, b'@' | b'[') || text.starts_with(b"#[");
        if let Some(test) = &mut self.0 {
            let is_deeper = indent > test.indent;
            if (test.is_inside || test.is_named && text != b"{") && !is_deeper {
                self.0 = None;
            } else {
                test.is_inside |= is_deeper;
                test.is_named |= !is_mark;
            }
        }
        if self.0.is_none() && (is_mark || text.starts_with(b"with ")) && is_meant_to_fail(text) {
            self.0 = Some(Test {
                indent,
                is_named: !is_mark,
                is_inside: false,
            });
        }
        self.0.is_some()
    }
}

/// Whether a line says that what it is about fails.
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
