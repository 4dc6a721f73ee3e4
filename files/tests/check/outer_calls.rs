//! What stands around a question may turn its answer around: calls on the lines before, conditions,
//! and arguments of other calls.

use swaplist_files::check::Claim;

use crate::reading::{FEN, errors, read};

fn with_fen(text: &str) -> String {
    text.replace("FEN", FEN)
}

/// What a text says of its only answer; `None` if it is refused.
fn said(text: &str) -> Option<Claim> {
    let text = with_fen(text);
    if !errors(&text).is_empty() {
        return None;
    }
    let all = read(&text);
    let [(_, _, said)] = &all[..] else {
        panic!("{text}: {all:?}")
    };
    Some(*said)
}

/// That the SEE is at least -100, or not.
const HOLDS: Option<Claim> = Some(Claim::AtLeast {
    threshold: -100,
    holds: true,
});
const FAILS: Option<Claim> = Some(Claim::AtLeast {
    threshold: -100,
    holds: false,
});

#[test]
fn a_call_that_an_earlier_line_begins_counts() {
    let ask = "see_ge(\"FEN\", \"f1f4\", -100)";
    for (opens, closes, expected) in [
        ("assertTrue(", ");", HOLDS),
        ("EXPECT_TRUE(", ");", HOLDS),
        ("assert!(", ");", HOLDS),
        ("assertFalse(", ");", FAILS),
        ("EXPECT_FALSE(", ");", FAILS),
        ("REQUIRE_FALSE(", ");", FAILS),
        ("Assert.IsFalse(", ");", FAILS),
        ("assert not (", ")", FAILS),
        ("assert!(!(", "));", FAILS),
        ("EXPECT_NE(", ", true);", None),
    ] {
        let text = format!("{opens}\n    {ask}\n{closes}");
        assert_eq!(said(&text), expected, "{text}");
    }
    let value = "see(\"FEN\", \"f1f4\"), -100";
    for (opens, expected) in [
        ("assert_eq!(", Some(Claim::Value(-100))),
        ("EXPECT_EQ(", Some(Claim::Value(-100))),
        ("assert_ne!(", None),
        ("EXPECT_NE(", None),
        ("EXPECT_GE(", None),
        ("assertNotEquals(", None),
    ] {
        let text = format!("{opens}\n    {value}\n);");
        assert_eq!(said(&text), expected, "{text}");
    }
    assert_eq!(
        said("CHECK_FALSE(\n  see(\"FEN\", \"f1f4\") == -100);"),
        None
    );
    assert_eq!(
        said("EXPECT_FALSE(position\n  .see_ge(\"FEN\", \"f1f4\", -100));"),
        None
    );
    // Several lines in one call: each is read for itself, unless it asks for a threshold.
    let two = with_fen("run(\n  {\"FEN\", \"f1f4\", -100},\n  {\"FEN\", \"f1f4\", -200},\n);");
    assert_eq!(read(&two).len(), 2);
    let none = with_fen(&format!("none_of(\n  {ask},\n  {ask}\n);"));
    assert!(!errors(&none).is_empty());
}

#[test]
fn conditions_and_bare_assertions_are_not_clear() {
    for text in [
        "if !SeeGe(\"FEN\", \"f1f4\", -100) { t.Error(\"no\") }",
        "if (!see_ge(\"FEN\", \"f1f4\", -100)) return;",
        "if not see_ge(\"FEN\", \"f1f4\", -100): raise AssertionError",
        "while (see_ge(\"FEN\", \"f1f4\", -100)) {}",
        "assert see(\"FEN\", \"f1f4\", -100)",
        "assert not see(\"FEN\", \"f1f4\", -100)",
    ] {
        assert_eq!(said(text), None, "{text}");
    }
}

#[test]
fn a_truth_among_the_arguments_of_another_call_says_nothing() {
    for (text, expected) in [
        (
            "assert!(Board::from_fen(\"FEN\", false).see_ge(\"f1f4\", -100));",
            HOLDS,
        ),
        (
            "assert!(!Board::from_fen(\"FEN\", false).see_ge(\"f1f4\", -100));",
            FAILS,
        ),
        (
            "assert see_ge(Board(\"FEN\", chess960=False), \"f1f4\", -100)",
            HOLDS,
        ),
        ("check_see_ge(\"FEN\", \"f1f4\", -100, false)", FAILS),
        (
            "assertEquals(false, see_ge(\"FEN\", \"f1f4\", -100))",
            FAILS,
        ),
        ("see_ge(\"FEN\", \"f1f4\", -100, is_960=false)", None),
        (
            "check_see_ge(\"FEN\", \"f1f4\", -100, expected=false)",
            FAILS,
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}
