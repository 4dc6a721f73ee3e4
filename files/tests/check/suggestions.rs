//! The line that a refused one should be.

use swaplist_files::check::answers;

use super::reading::{FEN, errors};

#[test]
fn lines_that_fail_alike_are_one_error() {
    for (line, reason, should) in [
        ("FEN f1f4", "found 2 fields", "FEN;f1f4;VALUE"),
        ("FEN => f1f4 gives -100", "found 'f1f4'", "FEN;f1f4;-100"),
        ("1 FEN Rfxf4 -100", "", "FEN;Rfxf4;-100"),
        ("1. FEN;f1f4;-100", "", "FEN;f1f4;-100"),
        ("f1f4 100 FEN", "", "FEN;f1f4;100"),
        ("FEN;f1f4;1,0", "", "FEN;f1f4;VALUE"),
        ("FEN;f1f4;true > -101", "", "FEN;f1f4;THRESHOLD;0|1"),
        ("FEN;f1f4;true <= 5", "", "FEN;f1f4;THRESHOLD;0|1"),
        ("FEN;f1f4;> 5", "", "FEN;f1f4;THRESHOLD;0|1"),
        ("FEN;f1f4 b2b3;5", "", "FEN;MOVE;5"),
        ("FEN;f1f4 Rfxf4;5", "", "FEN;f1f4;5"),
        ("FEN;f1f4;>= -100", "", "FEN;f1f4;true >= -100"),
        ("FEN; f1f4; minus", "found 'minus'", "FEN;f1f4;VALUE"),
        ("FEN; f1f8; 3", "illegal move 'f1f8'", "FEN;MOVE;3"),
    ] {
        let [line, should] = [line, should].map(|text| text.replace("FEN", FEN));
        let text = format!("# a comment\n{}", format!("{line}\n").repeat(73));
        let unread = answers(text.as_bytes());
        assert!(unread.fail_alike);
        let found: Vec<_> = unread.collect();
        let error = found[0].as_ref().unwrap_err().to_string();
        let begins = "all 73 lines fail alike; line 2: ";
        assert!(found.len() == 1 && error.starts_with(begins), "{error}");
        assert!(error.contains(reason), "{error}");
        assert!(
            error.ends_with(&format!("; write it as '{should}'")),
            "{error}"
        );
    }
    // Without a position, what is shown is only an example.
    for line in ["nothing; at; all", "fen=4k3/8&move=e4d5&see=137"] {
        let found = errors(&format!("{line}\n{line}\n"));
        let example = "; an answer looks like '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100'";
        assert!(found[0].ends_with(example), "{found:?}");
    }
    // One that can be read, or another fault, tells more.
    let bad = format!("{FEN};f1f4;x\n");
    assert_eq!(
        errors(&bad),
        ["line 1: expected a whole number of centipawns, found 'x'"]
    );
    for other in [format!("{FEN};f1f4;1\n"), format!("{FEN};f1f8;1\n")] {
        let text = bad.repeat(3) + &other;
        assert!(!answers(text.as_bytes()).fail_alike);
        assert!(errors(&text).len() >= 3);
    }
}

#[test]
fn the_line_that_is_rewritten_holds_a_position() {
    let text = format!("what; is; this\n{FEN} => f1f4 gives -100\n");
    let found: Vec<_> = answers(text.as_bytes()).collect();
    let error = found[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("; line 2: "), "{error}");
    assert!(error.ends_with(&format!("'{FEN};f1f4;-100'")), "{error}");
}

/// A number or a truth is proposed only if the line says it.
#[test]
fn no_other_number_or_truth_is_proposed() {
    const THRESHOLD: &str = "FEN;f1f4;THRESHOLD;0|1";
    const VALUE: &str = "FEN;f1f4;VALUE";
    for (line, should) in [
        ("REQUIRE(!see_ge(FEN, f1f4, 123 + 5));", THRESHOLD),
        ("assert_false(see_ge(FEN, f1f4, PAWN + 123))", THRESHOLD),
        ("assertFalse(see_ge(FEN, f1f4, 2 * 123))", THRESHOLD),
        ("REQUIRE(see_ge(FEN, f1f4, 123) != true)", THRESHOLD),
        (
            "assert (see_ge(FEN, f1f4, 123) is False) is True",
            THRESHOLD,
        ),
        ("assert_eq!(see(FEN, f1f4), - 123);", VALUE),
        ("assert_ne!(see(FEN, f1f4), 123);", VALUE),
        ("assert!(see(FEN, f1f4) != 123);", VALUE),
        ("assert_eq!(-see(FEN, f1f4), 123);", VALUE),
        ("FEN f1f4 - 123", VALUE),
        ("FEN => f1f4 loses 123", VALUE),
        ("FEN => f1f4 is not 123", VALUE),
        ("FEN => f1f4 != 123", VALUE),
        ("FEN => f1f4 ~ 123", VALUE),
        ("FEN => f1f4 = 123 * 2", VALUE),
        ("FEN: f1f4 = 123", "FEN;f1f4;123"),
        // Two numbers of which one may be anything.
        ("(0, \"f1f4\", \"FEN\", 123),", VALUE),
        ("(123, \"FEN\", \"f1f4\", 0),", VALUE),
        ("123;FEN;f1f4;1", VALUE),
        ("7: FEN f1f4 123", "FEN;f1f4;123"),
        ("7) FEN f1f4 123", "FEN;f1f4;123"),
        ("EXPECT_GE(see(FEN, f1f4), 123)", THRESHOLD),
        ("assert(see(FEN, f1f4) < 123)", THRESHOLD),
        (
            "[TestCase(FEN, f1f4, 123, ExpectedResult = false)]",
            THRESHOLD,
        ),
        ("FEN: f1f4: see=-123", "FEN;f1f4;-123"),
        ("FEN => f1f4 minus 123", VALUE),
        ("FEN => f1f4 in depth 5", VALUE),
        ("not FEN f1f4 123", VALUE),
        ("1. FEN f1f4 >= 123 is False", THRESHOLD),
        ("1. FEN f1f4 !true >= 123", THRESHOLD),
        ("1. FEN f1f4 not >= 123", THRESHOLD),
        ("1. FEN f1f4 false >= 123", "FEN;f1f4;false >= 123"),
        ("1. FEN f1f4 0 >= 123", "FEN;f1f4;false >= 123"),
        ("1. FEN f1f4 true>=-123", "FEN;f1f4;true >= -123"),
        ("1. FEN;f1f4;true >= x; 123", THRESHOLD),
        ("1. FEN f1f4 threshold 123 true", THRESHOLD),
        (
            "{\"fen\":\"FEN\",\"move\":\"f1f4\",\"threshold\":123}",
            THRESHOLD,
        ),
        ("{\"fen\":\"FEN\",\"move\":\"f1f4\",\"eval\":123}", VALUE),
        (
            "{\"fen\":\"FEN\",\"move\":\"f1f4\",\"value\":\"123\"}",
            "FEN;f1f4;123",
        ),
    ] {
        let [line, should] = [line, should].map(|text| text.replace("FEN", FEN));
        let found = errors(&format!("{line}\n{line}\n"));
        let [error] = &found[..] else {
            panic!("{line}: {found:?}")
        };
        assert!(
            error.ends_with(&format!("; write it as '{should}'")),
            "{line}: {error}"
        );
    }
    // The line that is shown is the one that was read.
    let other = "4k3/8/8/3p4/4P3/8/8/4K3 w - -";
    let text = format!("/* of\n version 3 */\n{other} e4d5\n{FEN} f1f4\n");
    let found = errors(&text);
    assert!(found[0].contains("; line 3: "), "{found:?}");
    assert!(
        found[0].ends_with(&format!("write it as '{other};e4d5;VALUE'")),
        "{found:?}"
    );
}
