//! What a program around rows does with them says what their numbers are.

use swaplist_files::check::{Claim, answers};

use super::outer_calls::said;
use super::reading::{FEN, errors, read};

const VALUE: Option<Claim> = Some(Claim::Value(-100));

fn row() -> String {
    format!("    {{\"{FEN}\", \"f1f4\", -100}},\n")
}

/// Loops, helpers and macros of tests that compare for equality.
#[test]
fn rows_that_are_compared_for_equality_are_read() {
    for code in [
        "EXPECT_EQ(see(t.fen, t.move), t.value);",
        "for (fen, mv, value) in SUITE {\n    assert_eq!(board(fen).see(mv), *value, \"fen {fen}\");\n}",
        "if got := See(tt.fen, tt.move); got != tt.want {\n\tt.Errorf(\"%d, want %d\", got, tt.want)\n}",
        "for fen, mv, v in T:\n    assert see(Board(fen), mv) == v, f\"{fen} < {mv}\"",
        "])(\"%s\", (fen, move, value) => {\n  expect(see(fen, move)).toBe(value);\n});",
        "public void See_is(string fen, string move, int value)\n{\n  Assert.That(See(fen, move), Is.EqualTo(value));\n}",
        "const int got = pos.see(pos.parse(t.move));\nif (got == t.value) ++passed;\nelse std::cout << got << \" != \" << t.value << \"\\n\";",
        "#define SEE_TEST(fen, mv, v) EXPECT_EQ(see(Position(fen), Move(mv)), v)",
        "def check(fen, mv, v):\n    self.assertEqual(see(Board(fen), mv), v)",
        "assert!(board.see_ge(mv, value));\nassert!(!board.see_ge(mv, value + 1));",
        "bool pass = SEE(&pos, move, answer) && !SEE(&pos, move, answer + 1);",
        "EXPECT_TRUE(see_ge(t.fen, t.move, t.value));\nEXPECT_FALSE(see_ge(t.fen, t.move, t.value + 1));",
        "EXPECT_EQ(see(std::get<0>(t), std::get<1>(t)), std::get<2>(t));",
        "assert see(case[0], case[1]) == case[2]",
        "for t in T:\n    check(t.fen, t.move, t.value)",
        "see(fen, mv) shouldBe v",
        "int got = see(b, mv);\nassert(got == value && \"see\");",
        "const bool ok = see(pos, move) == value;\nif (!ok) { return; }",
        "if (see(fen, move) !== value) fail();",
        "assertTrue(see(t.fen, t.move) == t.value);",
        "ASSERT_TRUE(see(t.fen, t.move) == t.value);",
        "import random\nrandom.seed(42)\nf.seek(0)",
        "let got: i32 = see(b, mv);\nassert!(n as i32 > 3);\nassert_eq!(got, value);",
        "if (got != v) printf(\"%s %s %d\", t.fen, t.move, t.value);",
        // What the SEE is made of is no use of it.
        "pub fn see_ge(&self, mv: Move, threshold: i32) -> bool {\n    self.see(mv) >= threshold\n}",
        "int see(const Position& pos, Move m) {\n    if (value < best) return -value;\n}",
        "std::vector<int> See::values(const Position& pos, Move m);",
        "bool in_check = pos.in_check() && best > 0;",
    ] {
        for text in [format!("{code}\n{}", row()), format!("{}{code}\n", row())] {
            assert_eq!(said(&text), VALUE, "{text}");
        }
    }
    let rows = format!("    (\"{FEN}\", \"f1f4\", -100, True),\n");
    let truth = "for fen, mv, threshold, expected in T:\n    assert see_ge(Board(fen), mv, threshold) == expected\n";
    assert!(matches!(
        said(&(rows + truth)),
        Some(Claim::AtLeast {
            threshold: -100,
            holds: true
        })
    ));
}

/// Those that ask for something else, on one line or several.
#[test]
fn rows_that_are_compared_otherwise_are_refused() {
    for code in [
        "EXPECT_GE(see(t.fen, t.move), t.value);",
        "EXPECT_GE(\n    see(t.fen, t.move),\n    t.value);",
        "assert!(board.see(mv) >= *bound);",
        "assert not board(fen).see_ge(mv, value)",
        "for (auto& x : t) assert(!pos(x.fen).see(x.move, x.value));",
        "for t in CASES { assert!(see_ge(t.0, t.1, t.2) != t.expected); }",
        "assert!(see_ge(fen, mv, t));",
        "assert(pos.see(move, value));",
        "assert!(board.see_ge(mv, value));\nassert!(!board.see_ge(mv, other + 1));",
        "assert!(!board.see_ge(mv, value + 1));",
        "if (see_ge(fen, mv, t)) passed++;",
        "int got = see(t.fen, t.move);\nEXPECT_LE(got, t.value);",
        "if got := See(tt.fen, tt.move); got < tt.want {\n\tt.Errorf(\"x\")\n}",
        "])(\"%s\", (fen, move, bound) => {\n  expect(see(fen, move)).toBeGreaterThanOrEqual(bound);\n});",
        "expect(see(f, m)).not.toBe(v);",
        "Assert.That(See(fen, move), Is.GreaterThanOrEqualTo(bound));",
        "assert(exchange(t.fen, t.move) <= t.value);",
        "assert(see(t.fen, t.move) == -t.value);",
        "for (fen, mv, v) in T { assert_eq!(-see(fen, mv), v); }",
        "cmp_ok(see($fen, $mv), '>=', $v);",
        "bool ok = see(t.fen, t.move) >= t.value;",
        "assert_eq!(see(fen, mv, 0), v);",
        "assert_eq!(see(fen, mv) - 1, v);",
        "see(fen, mv) shouldBeGreaterThan v",
        "assert!(see(t.fen, t.mv).cmp(&t.v) == Ordering::Less);",
        "assert not any(see(f, m) == v for f, m, v in T)",
        "assert!(!t.iter().any(|(f, m, v)| see(f, m) == *v));",
        "assert(wins(t.fen, t.move, t.threshold));",
        "EXPECT_TRUE(pos.exchange(t.move, t.value));",
        "if (!pos.exchange(t.move, t.value)) fail();",
        "bool good = pos.see(m, t.value);\nassert(good);",
        "ok(see_ge($fen, $move, $value));",
        "EXPECT_NEAR(see(b, m), t.value, 10);",
        "assertEquals(value, see(b, m), 10);",
        "self.assertAlmostEqual(see(b, m), value)",
        "refute see(b, m) == value",
        "assert_eq!(board.see(mv) / 100, value);",
        "assert see(b, m) in (value, 0)",
        "assert_eq!(see(fen, mv), -v);",
        "#define SEE_TEST(fen, mv, v) EXPECT_GE(see(Position(fen), Move(mv)), v)",
        "# define SEE_TEST(fen, mv, v) \\\n    do { \\\n        EXPECT_LT(see(Position(fen), Move(mv)), v); \\\n    } while (0)",
        "fn check(fen: &str, mv: &str, v: i32) {\n    assert!(see(&fen.parse().unwrap(), mv) < v);\n}",
        "def check(fen, mv, v):\n    self.assertFalse(see_ge(Board(fen), mv, v))",
        "bool passes(const T& t) {\n    return see_ge(t.fen, t.move, t.value);\n}\nEXPECT_TRUE(passes(t));",
        "let got: i32 = see(b, mv);\nassert!(got >= t.1);",
        "got: int = see(fen, mv)\nassert got >= t[2]",
        "#[test] fn see_reaches() { for &(f, m, v) in T { assert!(see_ge(f, m, v)) } }",
        "fn see_works() { for (fen, mv, want) in T { assert!(see(fen, mv) >= *want); } }",
        "fun see(fen: String, move: String, value: Int) = assertTrue(Engine.see(fen, move) >= value)",
        "def see(fen, move, value): assert engine.see(fen, move) >= value",
        "for &(fen, mv, t) in CASES {\n    assert!(static_exchange_eval(&Board::new(fen), mv, t));\n}",
        "macro_rules! check {\n    ($fen:expr, $mv:expr, $v:expr) => {\n        assert!(see($fen, $mv) <= $v);\n    };\n}",
    ] {
        for text in [format!("{code}\n{}", row()), format!("{}{code}\n", row())] {
            assert_eq!(said(&text), None, "{text}");
        }
    }
    let text = format!("{}\nEXPECT_GE(see(t.fen, t.move), t.value);\n", row());
    let found = errors(&text);
    assert_eq!(
        found,
        [
            "line 1: line 3 compares otherwise than for equality, 'EXPECT_GE(see(t.fen, t.move), \
          t.value);'; if the rows have the SEE, leave that line out"
        ]
    );
    // What follows a row counts, too.
    let text = format!(
        "for fen, mv, v in [(\"{FEN}\", \"f1f4\", 1),\n  (\"{FEN}\", \"f1f4\", 2)]: assert see(fen, mv) > v\n"
    );
    assert!(answers(text.as_bytes()).all(|answer| answer.is_err()));
    // Calls that compare by themselves are no rows.
    let call = format!("assert_eq!(see(\"{FEN}\", \"f1f4\"), -100);\n");
    let loops = "for t in T { assert!(see(t.fen, t.mv) >= t.value); }\n";
    assert_eq!(said(&(call + loops)), VALUE);
}

/// Names for the fields of rows, in a loop or as parameters, in another order than rows have.
#[test]
fn rows_whose_fields_have_other_names_are_refused() {
    let rows = format!("    (\"{FEN}\", \"f1f4\", 1, 0),\n");
    let value = format!("    (\"{FEN}\", \"f1f4\", 137),\n");
    for (rows, code) in [
        (&rows, "for fen, mv, ply, see in TESTS:"),
        (&rows, "for (const auto& [fen, move, ply, see] : t) {"),
        (
            &rows,
            "void check(const std::string& fen, const char* move, int ply, int see) {",
        ),
        (&rows, "])(\"x\", (fen, move, ply, see) => {"),
        (&rows, "for fen, mv, value, strict in TESTS:"),
        (&value, "for fen, mv, threshold in TESTS:"),
        (&value, "for (fen, mv, threshold) in T {"),
        (&value, "fn check(fen: &str, mv: &str, threshold: i32) {"),
        (&value, "for fen, mv, depth in TESTS:"),
        (&value, "`(\"x\", ({fen, move, threshold}) => {"),
        (&value, "for fen, mv, threshold, expected in TESTS:"),
    ] {
        for text in [format!("{code}\n{rows}"), format!("{rows}{code}\n")] {
            let found = errors(&text);
            assert!(
                found.len() == 1 && found[0].contains(" calls the fields fen, m"),
                "{text}: {found:?}"
            );
        }
    }
    for (rows, code) in [
        (&rows, "for fen, mv, threshold, expected in TESTS:"),
        (
            &rows,
            "for fen, mv, threshold, ge in T: pass\nfor fen, mv, value in U: pass",
        ),
        (&value, "for fen, mv, value in TESTS:"),
        (&value, "for fen, mv, x in TESTS:"),
        (&value, "for (const auto& [fen, move, value] : t) {"),
        (
            &value,
            "fn see_ge(fen: &str, mv: &str, threshold: i32) -> bool {",
        ),
        (
            &value,
            "printf(\"%s %s %d %d\", t.fen, t.move, ply, t.value);",
        ),
    ] {
        let text = format!("{rows}{code}\n");
        assert_eq!((errors(&text).len(), read(&text).len()), (0, 1), "{text}");
    }
    // Under a header, its names count.
    let text = format!("# fen,mv,ply,see\n{rows}for fen, mv, ply, see in TESTS:\n");
    let all: Vec<_> = answers(text.as_bytes())
        .map(|answer| answer.unwrap().said)
        .collect();
    assert_eq!(all, [Claim::Value(0)]);
}
