//! Calls of tests, in several languages.

use swaplist_files::check::{Answer, Claim, answers};

use super::reading::{FEN, errors, read};

/// Calls of tests, in several languages: one FEN, one move, one number.
#[test]
fn calls_are_read() {
    let value = Claim::Value(-100);
    let at_least = |holds| Claim::AtLeast {
        threshold: -100,
        holds,
    };
    for (line, said) in [
        (
            "assert_eq!(see(&\"FEN\".parse().unwrap(), \"f1f4\"), -100);",
            value,
        ),
        (
            "assert_eq!(-100, see(Board::from_fen(\"FEN\").unwrap(), \"Rfxf4\"));",
            value,
        ),
        ("SEE(FEN, f1f4) = -100", value),
        ("see(\"FEN\", \"f1f4\") == -100", value),
        (
            "EXPECT_EQ(see(Position(\"FEN\"), Move(\"f1f4\")), -100);",
            value,
        ),
        (
            "REQUIRE(see(Position{\"FEN\"}, Move(SQ_F1, SQ_F4)) == -100);",
            value,
        ),
        ("assertEquals(-100, board(\"FEN\").see(\"f1f4\"));", value),
        (
            "assert see(chess.Board('FEN'), chess.Move.from_uci('f1f4')) == -100  # 7",
            value,
        ),
        ("expect(see('FEN', 'f1f4')).toBe(-100);", value),
        (
            "assert_eq!(see(&board(\"FEN\"), \"f1f4\"), -100_i32); // line 12",
            value,
        ),
        ("assert!(see_ge(\"FEN\", \"f1f4\", -100));", at_least(true)),
        (
            "assert!(!pos(\"FEN\").see_ge(\"f1f4\", -100));",
            at_least(false),
        ),
        (
            "EXPECT_TRUE(Position(\"FEN\").see_ge(Move(\"f1f4\"), -100));",
            at_least(true),
        ),
        (
            "EXPECT_FALSE(Position(\"FEN\").see_ge(Move(\"f1f4\"), -100));",
            at_least(false),
        ),
        (
            "assert not see_ge(chess.Board('FEN'), 'f1f4', -100)",
            at_least(false),
        ),
        (
            "assertEquals(false, seeGE(\"FEN\", \"f1f4\", -100));",
            at_least(false),
        ),
    ] {
        let text = line.replace("FEN", FEN);
        assert_eq!(
            read(&text),
            [(FEN.to_owned(), "f1f4".to_owned(), said)],
            "{text}"
        );
        let whole = Answer::parse(&text, 1).unwrap();
        assert_eq!(whole.said, said, "{text}");
    }
    // What is not clear is not guessed.
    for line in [
        "assert_eq!(see(\"FEN\", \"f1f4\"), -100 + 5);",
        "assert!(see(\"FEN\", \"f1f4\") > -100);",
        "assert_eq!(see(\"FEN\", \"f1f4\", \"b2b3\"), -100);",
        "assert_eq!(see(\"FEN\", \"f1f4\", 3), -100);",
        "assert_eq!(see(\"FEN\", \"f1f8\"), -100);",
        "assert_eq!(see(\"FEN\", \"FEN\", \"f1f4\"), -100);",
        "see(\"FEN\", \"f1f4\")",
    ] {
        let text = line.replace("FEN", FEN);
        assert_eq!(errors(&text).len(), 1, "{text}");
    }
}

/// What turns a test around is read, in the ways that are usual.
#[test]
fn thresholds_of_calls_are_turned_around() {
    for (line, holds) in [
        ("REQUIRE( !see_ge(\"FEN\", \"f1f4\", -100) );", false),
        ("assert!( !see_ge( \"FEN\", \"f1f4\", -100 ) );", false),
        ("assert !see_ge(\"FEN\",\"f1f4\",-100) : \"x\";", false),
        ("return !see_ge(\"FEN\", \"f1f4\", -100);", false),
        ("!see_ge(\"FEN\", \"f1f4\", -100)", false),
        (
            "expect(see_ge(\"FEN\", \"f1f4\", -100)).to be_falsey",
            false,
        ),
        ("Assert.IsFalse(SeeGe(\"FEN\", \"f1f4\", -100));", false),
        ("expect(seeGe('FEN', 'f1f4', -100)).toBeFalsy();", false),
        ("refute see_ge(\"FEN\", \"f1f4\", -100)", false),
        (
            "assertThat(seeGe(\"FEN\", \"f1f4\", -100)).isFalse();",
            false,
        ),
        (
            "assertFalse(position(\"FEN\").see_ge_fast(\"f1f4\", -100))",
            false,
        ),
        ("see_ge(\"FEN\",\"f1f4\",-100); /* false */", true),
        (
            "assert see_ge(\"FEN\",\"f1f4\",-100), \"false positive\"",
            true,
        ),
        (
            "assertTrue(board(\"FEN\").see_at_least(\"f1f4\", -100))",
            true,
        ),
        (
            "assert!(see_ge(&\"FEN\".parse::<Position>().unwrap(), \"f1f4\", -100));",
            true,
        ),
        (
            "EXPECT_TRUE(board(\"FEN\")->see_ge(Move(\"f1f4\"), -100));",
            true,
        ),
    ] {
        let text = line.replace("FEN", FEN);
        let claim = Claim::AtLeast {
            threshold: -100,
            holds,
        };
        assert_eq!(
            Answer::parse(&text, 1).map(|found| found.said),
            Ok(claim),
            "{text}"
        );
    }
    let broken = format!("assert(\n    !see_ge(\"{FEN}\", \"f1f4\", -100)\n);\n");
    let denied = Claim::AtLeast {
        threshold: -100,
        holds: false,
    };
    assert_eq!(read(&broken)[0].2, denied);
}

/// A number that may be something else is no answer.
#[test]
fn what_is_not_clear_in_a_call_is_refused() {
    for line in [
        // A truth beside a value, or two of them.
        "assert_ne!(see_ge(\"FEN\", \"f1f4\", 50), true);",
        "assert_eq!(0, see_ge(\"FEN\",\"f1f4\",123));",
        "REQUIRE(1 == see_ge(\"FEN\",\"f1f4\",123))",
        "ASSERT_FALSE(see_ge(\"FEN\",\"f1f4\",PAWN));",
        "ASSERT_TRUE(see_ge(\"FEN\",\"f1f4\",500 - 400));",
        "test_see_ge(\"FEN\",\"f1f4\",123, FAIL)",
        "assert(see_ge(\"FEN\",\"f1f4\",1) && \"must not be false\");",
        "cannot see_ge(\"FEN\", \"f1f4\", 5)",
        "ok &= !see_ge(\"FEN\", \"f1f4\", 5);",
        "see_ge(\"FEN\",\"f1f4\", - 500)",
        "see_ge(\"FEN\",\"f1f4\",PAWN + 1)",
        "assert(!see(\"FEN\",\"f1f4\",123));",
        "assert(see(\"FEN\",\"f1f4\",123));",
        "assert_eq!(see(\"FEN\",\"f1f4\",123), false);",
        "assert not see(\"FEN\",\"f1f4\",threshold=123)",
        "[TestCase(\"FEN\", \"f1f4\", 50, ExpectedResult = false)]",
        "pytest.param(\"FEN\", \"f1f4\", 50, expected=False),",
        "isnt(see(\"FEN\", \"f1f4\"), 123, 'see');",
        "notequal(see(\"FEN\", \"f1f4\"), 123)",
        "cmp_ok(see(\"FEN\", \"f1f4\"), '!=', 123);",
        "cmp_ok(see(\"FEN\", \"f1f4\"), 'lt', 123);",
        // What a name says that it is not.
        "Case(fen=\"FEN\", move=\"f1f4\", threshold=123)",
        "Case(fen=\"FEN\", move=\"f1f4\", margin=123)",
        "Case(fen=\"FEN\", move=\"f1f4\", depth=123)",
        "Case(fen=\"FEN\", move=\"f1f4\", eval=123)",
        "see_ge(\"FEN\", \"f1f4\", expected=123)",
        // A sign, a function or an operator.
        "assert_eq!(see(\"FEN\",\"f1f4\"), - 123);",
        "assert see(\"FEN\",\"f1f4\") == -(123)",
        "-see(\"FEN\",\"f1f4\") == 123",
        "abs(see(\"FEN\",\"f1f4\")) == 123",
        "assert_eq!(see(\"FEN\",\"f1f4\"), PawnValueMg + 123);",
        "assert_eq!(see(\"FEN\",\"f1f4\"), PawnValue * 2);",
        "assert_eq!(see(\"FEN\",\"f1f4\"), VALUES[0]);",
        "assert_eq!(see(\"FEN\",\"f1f4\"), pawns(1));",
        "assert_eq!(see(\"FEN\",\"f1f4\"), 99999999999, 5);",
        "assert_eq!(see(&\"FEN\".parse().unwrap(), \"f1f4\"), -2 * PAWN);",
        "assert_eq!(see(&\"FEN\".parse().unwrap(), \"f1f4\"), 123 - PAWN);",
        "print(see(\"FEN\",\"f1f4\",depth=1))",
        "SEE(FEN, f1f4) took 5 ms",
        "SEE(FEN, f1f4) = P - N (5)",
        // The move is a comment's.
        "assert_eq!(see(\"FEN\", mv), 123); // f1f4",
        // Another comparison.
        "assert_ne!(see(\"FEN\",\"f1f4\"), 123);",
        "assertNotEqual(see(\"FEN\",\"f1f4\"), 123)",
        "EXPECT_GT(see(\"FEN\",\"f1f4\"), 123);",
        "assertLessEqual(see(\"FEN\",\"f1f4\"), 123)",
        "expect(see(\"FEN\",\"f1f4\")).not.toBe(123)",
        "expect(see(\"FEN\",\"f1f4\")).toBeGreaterThan(123)",
        "assert see(\"FEN\",\"f1f4\") is not 123",
        "see(\"FEN\",\"f1f4\")>=123",
        "see(\"FEN\",\"f1f4\")!=123",
        "see(\"FEN\",\"f1f4\") => 123",
        // Fields that contradict each other.
        "FEN;f1f4;true >= 123;false",
        "FEN;f1f4;true >= 123;0",
        "FEN;f1f4;123;true >= 50",
        "FEN;f1f4;50;\u{2212}1",
        "FEN;f1f4;50;-0x1",
        // Lines that would be passed over.
        "* FEN;f1f4;123",
        "fen;FEN;f1f4;123",
    ] {
        let text = line.replace("FEN", FEN);
        assert_eq!(errors(&text).len(), 1, "{text}");
    }
    let pawns = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let square = format!("assert_eq!(see(\"{pawns}\", \"d5\"), 5);");
    assert_eq!(errors(&square).len(), 1);
    assert_eq!(errors(&square.replace("d5", "e5")).len(), 0);
    let commented = format!("/*\n{FEN};f1f4;1\n * {FEN};f1f4;2\n*/\n{FEN};f1f4;3\n");
    let said: Vec<Claim> = read(&commented)
        .into_iter()
        .map(|(.., said)| said)
        .collect();
    assert_eq!(said, [Claim::Value(3)]);
    let row = format!("| fen | {FEN} | f1f4 | 123 |");
    assert_eq!(read(&row)[0].2, Claim::Value(123));
    // Brackets and types that do not end take no more than their length.
    for hostile in [
        "see(", "::<", "(", "!&", "fail.", "skip(", "a().", ">{", "], ", "/* a */", "see()-",
        "if (",
    ] {
        let text = format!("{}{FEN};f1f4;1", hostile.repeat(200_000));
        assert_eq!(answers(text.as_bytes()).count(), 1);
        let lines = format!("{hostile}\n").repeat(20_000);
        let _ = answers(format!("{lines}{FEN};f1f4;1").as_bytes()).count();
        let call = format!(
            "assert_eq!(see(\"{FEN}\", \"f1f4\"), 5, {})",
            hostile.repeat(100_000)
        );
        let _ = answers(call.as_bytes()).count();
    }
    // The start of a line is shown, however long it is.
    let long = format!("{} {FEN};f1f4;1", "z".repeat(100_000));
    assert!(errors(&long)[0].len() < 300);
}

/// Answers that a formatter has broken into several lines.
#[test]
fn broken_lines_are_joined() {
    let text = format!(
        "fn test() {{\n    assert_eq!(\n        see(&\"{FEN}\".parse().unwrap(), \"f1f4\"),\n        -100\n    );\n\
         \x20   assert_eq!(\n        see(\n            \"{FEN}\",\n            \"f1f4\"\n        ),\n        7\n    );\n}}\n\
         static TESTS = {{\n  {{\n    \"{FEN}\",\n    \"Rfxf4\", 8,\n  }},\n}};\n"
    );
    let found: Vec<(u64, Claim)> = answers(text.as_bytes())
        .filter_map(|answer| answer.map(|answer| (answer.line, answer.said)).ok())
        .collect();
    let expected = [(3, -100), (8, 7), (16, 8)];
    assert_eq!(
        found,
        expected.map(|(line, value)| (line, Claim::Value(value)))
    );
    // One that lacks its value stays an error.
    let lacks = text.replace("-100", "").replace("    7\n", "\n");
    assert_eq!(
        errors(&lacks).len(),
        2 + errors(&text).len(),
        "{:?}",
        errors(&lacks)
    );
}
