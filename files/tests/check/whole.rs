//! Statements and initialisers of several lines are read as a whole or refused as a whole.

use swaplist_files::check::{Answer, Claim, answers};

use super::outer_calls::{FAILS, HOLDS, said};
use super::reading::{FEN, errors, read};

const VALUE: Option<Claim> = Some(Claim::Value(-100));

/// How a formatter breaks calls, and what a test may end with.
#[test]
fn statements_of_several_lines_are_read() {
    for (text, expected) in [
        (
            "assert_eq!(\n    see_ge(\"FEN\", \"f1f4\", -100),\n    false\n);",
            FAILS,
        ),
        (
            "assert_eq!(\n    see_ge(\"FEN\", \"f1f4\", -100),\n    true\n);",
            HOLDS,
        ),
        (
            "EXPECT_EQ(false,\n   see_ge(\"FEN\", \"f1f4\", -100));",
            FAILS,
        ),
        (
            "assertEquals(\n   false,\n   see_ge(\"FEN\", \"f1f4\", -100));",
            FAILS,
        ),
        (
            "expect(see_ge(\"FEN\", \"f1f4\", -100))\n  .toBeFalsy();",
            FAILS,
        ),
        (
            "expect(\n  seeGe(\"FEN\", \"f1f4\", -100)\n)\n  .toBe(false);",
            FAILS,
        ),
        (
            "assert (\n   see_ge(\"FEN\", \"f1f4\", -100)\n   is False\n)",
            FAILS,
        ),
        ("assert!(\n!\nsee_ge(\"FEN\", \"f1f4\", -100)\n);", FAILS),
        (
            "EXPECT_FALSE(see_ge(\"FEN\",\n                    \"f1f4\", -100));",
            FAILS,
        ),
        (
            "EXPECT_FALSE( // why\n   see_ge(\"FEN\", \"f1f4\", -100));",
            FAILS,
        ),
        (
            "Expect(SeeGe(\"FEN\", \"f1f4\", -100)).\n\tTo(BeFalse())",
            FAILS,
        ),
        (
            "expect(seeGe(\"FEN\", \"f1f4\", -100)).\n   toBe(false);",
            FAILS,
        ),
        (
            "assert see_ge(\n\"FEN\", \"f1f4\", -100\n) ==\nfalse",
            FAILS,
        ),
        ("{\"FEN\", \"f1f4\", -100,\n false},", FAILS),
        ("(\"FEN\", \"f1f4\", -100,\n    False),", FAILS),
        (
            "EXPECT_EQ(see(\"FEN\",\n               \"f1f4\"),\n          -100);",
            VALUE,
        ),
        ("CHECK(see(\"FEN\", \"f1f4\") ==\n      -100);", VALUE),
        ("assertEquals(-100,\n    see(\"FEN\", \"f1f4\"));", VALUE),
        (
            "EXPECT_EQ(see(\"FEN\", \"f1f4\"), -100)\n    << \"of \" << 5;",
            VALUE,
        ),
        ("{\"FEN\",\n \"f1f4\",\n -100},", VALUE),
        ("{\"FEN\", \"f1f4\",\n -100},", VALUE),
        ("{\n\"FEN\", // y\n \"f1f4\",\n -100 // -5\n},", VALUE),
        ("{\n  // its name\n\"FEN\",\n \"f1f4\",\n -100\n},", VALUE),
        (
            "SeeTest {\n  fen: \"FEN\",\n  mv: \"f1f4\",\n  see: -100,\n},",
            VALUE,
        ),
        ("const T: [T] = [\n  \"FEN; f1f4; -100\",\n];", VALUE),
        (
            "void test() {\n  CHECK(see(\"FEN\", \"f1f4\") == -100);\n  done();\n}",
            VALUE,
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
        // The command that explains one answer reads the same.
        let text = text.replace("FEN", FEN);
        let alone = Answer::parse(&text, 1).map(|answer| answer.said).ok();
        assert_eq!(alone, expected, "{text}");
    }
}

/// No part of a statement counts if the rest is refused, and all of it is one error.
#[test]
fn statements_are_refused_as_a_whole() {
    for text in [
        "(\"FEN\", \"f1f4\", -100\n   - 30),",
        "assert_eq!(see(\"FEN\", \"f1f4\"), -100\n   - 5);",
        "assert(see(\"FEN\", \"f1f4\") == -100\n   - 5);",
        "expect(see(\"FEN\", \"f1f4\"))\n  .not.toBe(-100);",
        "assert_ne!(\n  see(\"FEN\", \"f1f4\"),\n  -100\n);",
        "let v = -\n  see(\"FEN\", \"f1f4\") == -100;",
        "bool bad = !\n    see_ge(\"FEN\", \"f1f4\", -100);",
        "let r = see_ge(\"FEN\", \"f1f4\", -100);\nassert!(!r);",
        "bool r = see(\"FEN\", \"f1f4\") == -100;\nassert(!r);",
        "got := SeeGe(\"FEN\", \"f1f4\", -100)",
        "got := See(\"FEN\", \"f1f4\", -100)",
        "(r := see_ge(\"FEN\", \"f1f4\", -100))",
        "test(\"FEN\", \"f1f4\", -100,\n  LOSING);",
        "const falses = [\n  see_ge(\"FEN\", \"f1f4\", -100),\n];",
    ] {
        let text = text.replace("FEN", FEN);
        let all: Vec<_> = answers(text.as_bytes()).collect();
        assert!(matches!(all[..], [Err(_)]), "{text}: {all:?}");
        assert!(Answer::parse(&text, 1).is_err(), "{text}");
    }
    // The number of the line is that of the FEN.
    let found = errors(&format!(
        "\nassert_ne!(\n  see(\"{FEN}\", \"f1f4\"),\n  5\n);\n"
    ));
    assert!(found[0].starts_with("line 3: "), "{found:?}");
}

/// A board may begin with a character of several bytes.
#[test]
fn wrong_boards_in_statements_are_one_entry() {
    for sign in ["\u{feff}", "\u{c9}", "\u{1d7d9}"] {
        for text in [
            "see_ge(\"FEN\", \"f1f4\", -100);",
            "(\"FEN\",\n\"f1f4\", -100),",
        ] {
            let text = text.replace("FEN", &(sign.to_owned() + FEN));
            assert_eq!(answers(text.as_bytes()).count(), 1, "{text}");
        }
    }
}

/// The rows of a list stand for themselves, whatever brackets are around them.
#[test]
fn rows_of_lists_stay_apart() {
    let row = |number: i32| format!("(\"{FEN}\", \"f1f4\", {number})");
    let [one, two] = [1, 2].map(row);
    for text in [
        format!("run([{one},\n  {two}]);\n"),
        format!("vec!(\n  {one},\n  {two}\n);\n"),
        format!("T[] = {{{one},\n{two}}};\n"),
        format!("[\n  # a\n  {one},\n\n  # b\n  {two}\n]\nfor t in T:\n    check(t)\n"),
        format!("[\n\"{FEN}; f1f4; 1\",\n\"{FEN}; f1f4; 2\"\n]\n"),
        format!("{FEN};f1f4;1\n- {one}\n{FEN};f1f4;2\n").replace(&format!("- {one}\n"), ""),
        format!("let all = vec![{one}, {two}];"),
        format!("[[\"{FEN}\", \"f1f4\", 1], [\"{FEN}\", \"f1f4\", 2]]"),
    ] {
        let said: Vec<Claim> = read(&text).into_iter().map(|(.., said)| said).collect();
        assert_eq!(said, [1, 2].map(Claim::Value), "{text}");
    }
    for text in [
        format!(
            "none_of(\n  see_ge(\"{FEN}\", \"f1f4\", 1),\n  see_ge(\"{FEN}\", \"f1f4\", 2)\n);\n"
        ),
        format!("let all = vec![{one}, -{two}];"),
        format!("let all = [not({one}), {two}];"),
    ] {
        assert!(
            answers(text.as_bytes()).all(|answer| answer.is_err()),
            "{text}"
        );
    }
}

/// What is not compiled, and tests that are meant to fail.
#[test]
fn what_does_not_hold_is_not_read() {
    let row = format!("{{\"{FEN}\", \"f1f4\", -100}},\n");
    let left_out =
        format!("#if 0\n#if X\n#endif\n{row}#endif\n{row}#if 0\n{row}#else\n{row}#endif\n");
    assert_eq!(read(&left_out).len(), 2);
    for never in ["#if (0)", "# if 0 // old", "#if false /* old */"] {
        let text = format!("{never}\n{row}#endif\n{row}");
        assert_eq!(read(&text).len(), 1, "{never}");
    }
    for sometimes in ["#if 1", "#if 0x1", "#ifdef X", "#if X == 0"] {
        let text = format!("{sometimes}\n{row}#endif\n{row}");
        assert_eq!(read(&text).len(), 2, "{sometimes}");
    }
    // Without an end it is a comment.
    assert_eq!(read(&format!("#if 0\n{row}")).len(), 1);
    let assert = format!("assert_eq!(see(\"{FEN}\", \"f1f4\"), -100);\n");
    for (text, all) in [
        (format!("#[should_panic]\nfn a() {{\n    {assert}}}\n"), 1),
        (
            format!("#[should_panic]\nfn a() {{\n    {assert}}}\nfn b() {{\n    {assert}}}\n"),
            2,
        ),
        (format!("#[should_panic] fn a() {{ {assert} }}\n"), 1),
        (
            format!(
                "#[should_panic] fn a() {{ {} }}\nfn b() {{\n    {assert}}}\n",
                assert.trim()
            ),
            2,
        ),
        (
            format!("@pytest.mark.xfail\n@slow\ndef test():\n    {assert}\n{row}"),
            2,
        ),
        (
            format!("with pytest.raises(AssertionError):\n    {assert}"),
            1,
        ),
        (
            format!("pytest.param(\"{FEN}\", \"f1f4\", 1, marks=pytest.mark.xfail),\n"),
            1,
        ),
    ] {
        let found = errors(&text);
        assert_eq!(
            (found.len(), answers(text.as_bytes()).count()),
            (1, all),
            "{text}: {found:?}"
        );
    }
    // What begins with # may be an assertion or a macro.
    for text in [
        "#expect(see(\"FEN\", \"f1f4\") == -100)",
        "#define ONE {\"FEN\", \"f1f4\", -100}",
    ] {
        assert_eq!(said(text), VALUE, "{text}");
    }
    assert_eq!(
        said("#define ONE CHECK(see(\"FEN\", \"f1f4\") == -100)"),
        None
    );
    assert_eq!(said("#expect(!seeGe(\"FEN\", \"f1f4\", -100))"), FAILS);
}

/// Lines of programs without a board are passed over, unless they may be an answer.
#[test]
fn programs_around_a_table_are_passed_over() {
    let row = format!("(\"{FEN}\", \"f1f4\", -100),\n");
    for line in [
        "package engine",
        "from engine import see",
        "Position pos;",
        "if (see(fen, mv) == v) passed++;",
        "println!(\"{}, {}\", x, 3);",
        "assert see(fen, move) == expected",
        "expect(see(fen, move)).toBe(expected);",
        "for fen, mv, expected in TESTS:",
        "total = 0",
        "@pytest.fixture",
    ] {
        assert_eq!(read(&format!("{line}\n{row}")).len(), 1, "{line}");
    }
    for line in [
        "assert_eq!(board.see(\"f1f4\"), -100);",
        "CHECK(see(pos, m) == -100);",
        "e4d5;100",
        "one; two; three",
        "run(4k3/8/8, 5);",
        "for (fen, mv, v) in T { assert_eq!(-see(fen, mv), v); }",
        "assert not see_ge(fen, mv, t)",
        "expect(see(f, m)).not.toBe(v);",
    ] {
        assert_eq!(errors(&format!("{line}\n{row}")).len(), 1, "{line}");
    }
}

#[test]
fn fields_with_names_are_read() {
    for (text, expected) in [
        (
            "SeeTest { fen: \"FEN\", mv: \"f1f4\", expected: -100 },",
            VALUE,
        ),
        ("{Fen: \"FEN\", Move: \"f1f4\", Want: -100},", VALUE),
        (
            ".{ .fen = \"FEN\", .move = \"f1f4\", .value = -100 },",
            VALUE,
        ),
        ("{'see': -100, 'fen': 'FEN', 'move': 'f1f4'}", VALUE),
        (
            "Case(fen=\"FEN\", move=\"f1f4\", note=\"a, b\", threshold=-100, ge=False),",
            FAILS,
        ),
        ("{fen: \"FEN\", move: \"f1f4\", see: -100, ok: false}", None),
        (
            "{fen: \"FEN\", move: \"f1f4\", see: -100, threshold: 5}",
            None,
        ),
        (
            "{fen: \"FEN\", move: \"f1f4\", value: -100, op: \"<\"}",
            None,
        ),
        ("{fen: \"FEN\", move: \"f1f4\", -100}", None),
        (
            "assert not see(fen=\"FEN\", move=\"f1f4\", value=-100)",
            None,
        ),
        ("!check(fen: \"FEN\", move: \"f1f4\", see: -100)", None),
        (
            "SeeLtTest { fen: \"FEN\", mv: \"f1f4\", value: -100 },",
            None,
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}

/// What follows another board in an assertion is no answer of its own.
#[test]
fn parts_of_assertions_are_no_rows() {
    for text in [
        "EXPECT_EQ(see(\"FEN\", \"f1f4\") + 1,\n          see(\"FEN\", \"f1f4\", 100));",
        "EXPECT_EQ(\n    see(\"FEN\", \"f1f4\") + 1,\n    see(\"FEN\", \"f1f4\", 100));",
        "assertEquals(see(\"FEN\", \"f1f4\"),\n    see(\"FEN\", \"f1f4\", 100)\n);",
        "assert!(\n    {\"FEN\", \"f1f4\", 1},\n    {\"FEN\", \"f1f4\", 2},\n);",
    ] {
        let text = format!(
            "{}\n{{\"{FEN}\", \"f1f4\", 7}},\n",
            text.replace("FEN", FEN)
        );
        let all: Vec<_> = answers(text.as_bytes())
            .map(|answer| answer.ok().map(|answer| answer.said))
            .collect();
        assert_eq!(all, [None, None, Some(Claim::Value(7))], "{text}");
    }
    // Arguments without brackets may begin on the line above; a header is none.
    let row = format!("  \"{FEN}\", \"f1f4\", 100\n");
    for above in ["loses \"x\",", "\"name\", false,"] {
        assert!(answers(format!("{above}\n{row}").as_bytes()).all(|answer| answer.is_err()));
    }
    assert_eq!(read(&format!("fen,move,see,\n{row}")).len(), 1);
    // A macro with a blank before its name is code, too.
    let text = format!("#  define ONE {{\"{FEN}\", \"f1f4\", -100}}");
    assert_eq!(said(&text), VALUE);
}
