//! What stands around a question may turn its answer around: calls on the lines before, conditions,
//! and arguments of other calls.

use swaplist_files::check::Claim;

use super::reading::{FEN, errors, read};

fn with_fen(text: &str) -> String {
    text.replace("FEN", FEN)
}

/// What a text says of its only answer; `None` if it is refused.
pub fn said(text: &str) -> Option<Claim> {
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
pub const HOLDS: Option<Claim> = Some(Claim::AtLeast {
    threshold: -100,
    holds: true,
});
pub const FAILS: Option<Claim> = Some(Claim::AtLeast {
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
        FAILS
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
        // What is compared with is not an argument elsewhere.
        ("expect(seeGe(\"FEN\", \"f1f4\", -100)).toBe(false);", FAILS),
        ("expect(false).toBe(seeGe(\"FEN\", \"f1f4\", -100));", FAILS),
        (
            "Assert.That(SeeGe(\"FEN\", \"f1f4\", -100), Is.EqualTo(false));",
            FAILS,
        ),
        (
            "assert!(see_ge(\"FEN\", \"f1f4\", -100).eq(&false));",
            FAILS,
        ),
        (
            "assert_that(see_ge(\"FEN\", \"f1f4\", -100), is(false));",
            FAILS,
        ),
        (
            "expect(seeGe(board(\"FEN\", false), \"f1f4\", -100)).toBe(true);",
            HOLDS,
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

/// The name of a function may turn around what it asks, or ask something else.
#[test]
fn names_of_functions_count() {
    for (text, expected) in [
        ("assert_see_ge(\"FEN\", \"f1f4\", -100);", HOLDS),
        (
            "assertTrue(seeGreaterOrEqual(\"FEN\", \"f1f4\", -100));",
            HOLDS,
        ),
        ("assert_not_see_ge(\"FEN\", \"f1f4\", -100);", FAILS),
        ("assertNotSeeGe(\"FEN\", \"f1f4\", -100);", FAILS),
        ("refuteSeeGe(\"FEN\", \"f1f4\", -100);", FAILS),
        ("not_see_ge(\"FEN\", \"f1f4\", -100);", FAILS),
        ("assertTrue(not_see_ge(\"FEN\", \"f1f4\", -100));", None),
        ("see_ge_false(\"FEN\", \"f1f4\", -100);", FAILS),
        ("no_see_ge(\"FEN\", \"f1f4\", -100);", None),
        ("see_ge_fails(\"FEN\", \"f1f4\", -100);", None),
        ("assertTrue(seeGreater(\"FEN\", \"f1f4\", -100));", None),
        (
            "assertTrue(see_greater_than(\"FEN\", \"f1f4\", -100));",
            None,
        ),
        ("assert_see_lt(\"FEN\", \"f1f4\", -100);", None),
        ("see_less_than(\"FEN\", \"f1f4\", -100);", None),
        ("assert see_below(\"FEN\", \"f1f4\", -100)", None),
        (
            "assert.Falsef(t, SeeGe(\"FEN\", \"f1f4\", -100), \"x\")",
            FAILS,
        ),
        ("assert.Lessf(t, See(\"FEN\", \"f1f4\"), -100, \"x\")", None),
        ("assert(see_gte(\"FEN\", \"f1f4\", -100));", HOLDS),
        ("assert!(invert(see_ge(\"FEN\", \"f1f4\", -100)));", None),
        ("assert!(static_exchange(\"FEN\", \"f1f4\", -100));", None),
        ("assert board.see(\"FEN\", \"f1f4\", -100)", None),
        ("SEELessThan(\"FEN\", \"f1f4\", -100);", None),
        ("assert(SEEBelow(\"FEN\", \"f1f4\", -100));", None),
        ("assert(SEEGreaterOrEqual(\"FEN\", \"f1f4\", -100));", HOLDS),
        ("assert(!SEEAtLeast(\"FEN\", \"f1f4\", -100));", FAILS),
        ("assert(SEEge(\"FEN\", \"f1f4\", -100));", HOLDS),
        ("assert(SEEGE(\"FEN\", \"f1f4\", -100));", HOLDS),
        ("fails_see(\"FEN\", \"f1f4\", -100);", None),
        ("not_ge(\"FEN\", \"f1f4\", -100);", None),
        ("bool b = see(\"FEN\", \"f1f4\", -100);", None),
        ("assertZero(see_ge(\"FEN\", \"f1f4\", -100));", None),
        ("assert_null(see_ge(\"FEN\", \"f1f4\", -100));", None),
        ("assertNotNull(see_ge(\"FEN\", \"f1f4\", -100));", None),
        ("assert see_ge(\"FEN\", \"f1f4\", -100) is not None", None),
        ("assert see_ge(\"FEN\", \"f1f4\", -100), not_msg", None),
        ("assert!(see_ge(\"FEN\", \"f1f4\", -100).is_err());", None),
        ("EXPECT_DEATH(see_ge(\"FEN\", \"f1f4\", -100), \"\");", None),
        ("assert see_ge(Board(\"FEN\", None), \"f1f4\", -100)", HOLDS),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}

/// What is done with the SEE before it is compared.
#[test]
fn functions_of_the_see_are_something_else() {
    let value = Some(Claim::Value(1));
    for (text, expected) in [
        ("assert_eq!(see(\"FEN\", \"f1f4\").unwrap(), 1);", value),
        (
            "assert_eq!(board(\"FEN\").see(\"f1f4\").value(), 1);",
            value,
        ),
        ("assert_eq!(Some(1), see(\"FEN\", \"f1f4\"));", value),
        (
            "assertEquals(1, int(see(Board(\"FEN\"), mv(\"f1f4\"))));",
            value,
        ),
        ("expect(see(\"FEN\", \"f1f4\")).to.equal(1);", value),
        ("cmp_ok(see(\"FEN\", \"f1f4\"), \"==\", 1);", value),
        ("$this->assertSame(1, see(\"FEN\", \"f1f4\"));", value),
        (
            "yield return new TestCaseData(\"FEN\", \"f1f4\", 1).SetName(\"x\");",
            value,
        ),
        ("tests.add(new Test(\"FEN\", \"f1f4\", 1));", value),
        ("assert_eq!(see(\"FEN\", \"f1f4\").signum(), 1);", None),
        ("assert_eq!(see(\"FEN\", \"f1f4\").to_pawns(), 1);", None),
        ("assert_eq!(board(\"FEN\").see(\"f1f4\").depth, 1);", None),
        ("assert_eq!(board(\"FEN\").flip().see(\"f1f4\"), 1);", None),
        ("assert_eq!(Math.sign(see(\"FEN\", \"f1f4\")), 1);", None),
        ("assert_eq!(sgn(board(\"FEN\").see(\"f1f4\")), 1);", None),
        ("assert_eq!(half(see(\"FEN\", \"f1f4\")), 1);", None),
        ("assert_eq!(see_sign(\"FEN\", \"f1f4\"), 1);", None),
        ("assert_eq!(len(see(\"FEN\", \"f1f4\")), 1);", None),
        ("assert_eq!(mvv_lva(\"FEN\", \"f1f4\"), 1);", None),
        ("see_pawns(\"FEN\", \"f1f4\", 1)", None),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}

/// A call that is given to a function, or that one is applied to, of which not all words are known.
#[test]
fn functions_of_unknown_names_are_refused() {
    for text in [
        "assertLosing(see_ge(\"FEN\", \"f1f4\", -100));",
        "losing(see_ge(\"FEN\", \"f1f4\", -100));",
        "assertOff(see(\"FEN\", \"f1f4\"), -100);",
        "assertClose(see(\"FEN\", \"f1f4\"), -100);",
        "expect(seeGe(\"FEN\", \"f1f4\", -100)).toBeWrong();",
        "assertThat(seeGe(\"FEN\", \"f1f4\", -100)).isWrong();",
        "wrong { see_ge(\"FEN\", \"f1f4\", -100) }",
        // What is printed or measured is not claimed.
        "println!(\"{}\", see_ge(\"FEN\", \"f1f4\", -100));",
        "println!(\n    \"{}\",\n    see_ge(\"FEN\", \"f1f4\", -100)\n);",
        "println!(\"{} {}\", see(\"FEN\", \"f1f4\"), -100);",
        "print(see(\"FEN\", \"f1f4\") == -100)",
        "print(\"FEN\", \"f1f4\", -100)",
        "printf(\"%s %s %d\", \"FEN\", \"f1f4\", -100);",
        "console.log(seeGe(\"FEN\", \"f1f4\", -100));",
        "fmt.Println(SeeGe(\"FEN\", \"f1f4\", -100))",
        "puts board(\"FEN\").see_ge(\"f1f4\", -100)",
        "dbg!(see_ge(\"FEN\", \"f1f4\", -100));",
        "black_box(see_ge(\"FEN\", \"f1f4\", -100));",
        // It may be a threshold that a function of this name is given.
        "see(\"FEN\", \"f1f4\", -100);",
        "vec![see(\"FEN\", \"f1f4\", -100)]",
        "board.see(\"FEN\", \"f1f4\", -100);",
        "let v = SEE(\"FEN\", \"f1f4\", -100);",
        "static_exchange_eval(\"FEN\", \"f1f4\", -100);",
        // Names of rows.
        "losing(\"FEN\", \"f1f4\", -100);",
        "assertLosing(\"FEN\", \"f1f4\", -100);",
        "check_see_not_winning(\"FEN\", \"f1f4\", -100);",
        "losing(Position(\"FEN\"), \"f1f4\", -100);",
        "winning_captures(\"FEN\", \"f1f4\", -100);",
        "bad(\"FEN\", \"f1f4\", -100);",
        "qsearch(\"FEN\", \"f1f4\", -100);",
        "Losing { fen: \"FEN\", mv: \"f1f4\", see: -100 },",
        "Losing{\"FEN\", \"f1f4\", -100},",
    ] {
        assert_eq!(said(text), None, "{text}");
    }
    let found = errors(&with_fen(
        "println!(\"{}\", see_ge(\"FEN\", \"f1f4\", -100));",
    ));
    assert!(
        found[0].ends_with("before the FEN; 'println' may say anything of it"),
        "{found:?}"
    );
    let value = Some(Claim::Value(-100));
    for (text, expected) in [
        ("XCTAssertFalse(seeGe(\"FEN\", \"f1f4\", -100))", FAILS),
        ("BOOST_CHECK_EQUAL(see(\"FEN\", \"f1f4\"), -100);", value),
        (
            "TEST_ASSERT_EQUAL_INT(-100, see(\"FEN\", \"f1f4\"));",
            value,
        ),
        ("assert.strictEqual(see(\"FEN\", \"f1f4\"), -100);", value),
        ("t.is(seeGe(\"FEN\", \"f1f4\", -100), false);", FAILS),
        ("check not see_ge(\"FEN\", \"f1f4\", -100)", FAILS),
        ("@test see(\"FEN\", \"f1f4\") == -100", value),
        ("expect(seeGe(\"FEN\", \"f1f4\", -100)).to.be.ok;", HOLDS),
        ("CHECK_UNARY_FALSE(see_ge(\"FEN\", \"f1f4\", -100));", FAILS),
        ("munit_assert_int(see(\"FEN\", \"f1f4\"), ==, -100);", value),
        ("Arguments.of(\"FEN\", \"f1f4\", -100),", value),
        ("std::make_tuple(\"FEN\", \"f1f4\", -100),", value),
        ("cases.emplace_back(\"FEN\", \"f1f4\", -100);", value),
        ("T(\"FEN\", \"f1f4\", -100)", value),
        ("EXPECT_SEE(Position(\"FEN\"), \"f1f4\", -100);", value),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}

/// What an assertion shows if it fails, and what it compares with that is not said.
#[test]
fn arguments_of_messages_are_not_compared() {
    for text in [
        "t.Errorf(\"want %d got %d\", -100, See(\"FEN\", \"f1f4\"))",
        "assert.Equal(t, want, See(\"FEN\", \"f1f4\"), \"at %d\", -100)",
        "assert_eq!(see(\"FEN\", \"f1f4\"), EXPECTED, \"case {}\", -100);",
        "assert_eq!(see(\"FEN\", \"f1f4\"), EXPECTED, -100);",
        "assertEquals(expected, see(\"FEN\", \"f1f4\"), -100);",
        "assert(see(\"FEN\", \"f1f4\"), -100);",
        "assert see(\"FEN\", \"f1f4\") == expected, -100",
        "assert expected == see(\"FEN\", \"f1f4\"), -100",
        "assert_eq!(see_ge(\"FEN\", \"f1f4\", -100), expected, \"{}\", true);",
        "assert.Equal(t, want, SeeGe(\"FEN\", \"f1f4\", -100), \"got %v\", false)",
        "assert!(see_ge(\"FEN\", \"f1f4\", -100), \"{}\", false);",
        "assert_eq!(see_ge(\"FEN\", \"f1f4\", -100), expected);",
        "assertEquals(expected, see_ge(\"FEN\", \"f1f4\", -100));",
        "assert see_ge(\"FEN\", \"f1f4\", -100) == won",
        "expect(seeGe(\"FEN\", \"f1f4\", -100)).toBe(won);",
        "check_see_ge(\"FEN\", false, \"f1f4\", -100)",
    ] {
        assert_eq!(said(text), None, "{text}");
    }
    let value = Some(Claim::Value(-100));
    for (text, expected) in [
        (
            "assert.Equal(t, -100, See(\"FEN\", \"f1f4\"), \"at %d\", n)",
            value,
        ),
        (
            "assert_eq!(see(\"FEN\", \"f1f4\"), -100, \"case {}\", name);",
            value,
        ),
        (
            "assertEquals(\"it is\", -100, see(\"FEN\", \"f1f4\"));",
            value,
        ),
        (
            "assertEquals(-100, see(\"FEN\", \"f1f4\"), message);",
            value,
        ),
        (
            "assert_eq!(Some(-100), Some(see(\"FEN\", \"f1f4\")));",
            value,
        ),
        ("assert see(\"FEN\", \"f1f4\") == -100, name", value),
        (
            "assertEquals(false, SeeGe(\"FEN\", \"f1f4\", -100), \"x\");",
            FAILS,
        ),
        (
            "assert see_ge(\"FEN\", \"f1f4\", -100) is False, name",
            FAILS,
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}

/// A comment is passed over, unless it calls the number something else.
#[test]
fn comments_that_call_a_number_something_else_are_not_passed_over() {
    for text in [
        "{\"FEN\", \"f1f4\", /* threshold */ -100},",
        "{\"FEN\", \"f1f4\", /* margin= */ -100},",
        "see(\"FEN\", \"f1f4\", /*threshold=*/-100)",
        "see(\"FEN\", \"f1f4\", /*alpha=*/-100)",
        "check(\"FEN\", \"f1f4\", /* at least */ -100);",
        "{\"FEN\", \"f1f4\", -100 /* threshold */},",
        "{\"FEN\", \"f1f4\", -100}, // threshold",
        "{\"FEN\", \"f1f4\", -100}, // false",
        "{\"FEN\", \"f1f4\", -100}, // not reached",
        "{\"FEN\", \"f1f4\", -100}, // >= this",
        "{\"FEN\", \"f1f4\", -100}, // see >= value",
        "{\n\"FEN\", // fen\n\"f1f4\", // move\n-100, // threshold\n},",
        "check(\"FEN\", \"f1f4\", -100, (s, v) -> s < v);",
        "(\"FEN\", \"f1f4\", -100),  # threshold",
        "{\"FEN\", \"f1f4\", -100, threshold},",
        "FEN;f1f4;-100;threshold",
        "assert_eq!(see(\"FEN\", \"f1f4\"), /* not */ -100);",
        "{\"FEN\", \"f1f4\",\n /* threshold */ -100},",
        "{\"FEN\", \"f1f4\",\n // threshold\n -100},",
        "{\"FEN\", \"f1f4\", -100, /* fails */ true},",
        "see_ge(\"FEN\", \"f1f4\", -100); // false",
        "see_ge(\"FEN\", \"f1f4\", -100)  # => false",
        "see(\"FEN\", \"f1f4\") == -100; // false",
    ] {
        assert_eq!(said(text), None, "{text}");
    }
    let value = Some(Claim::Value(-100));
    for (text, expected) in [
        (
            "{ /*fen=*/\"FEN\", /*move=*/\"f1f4\", /*value=*/-100 },",
            value,
        ),
        ("{\"FEN\", \"f1f4\", /* a rook for a pawn */ -100},", value),
        (
            "{\"FEN\", \"f1f4\", -100}, // not a pawn, no threshold",
            value,
        ),
        (
            "{\n // its name\n\"FEN\",\n\"f1f4\", // one\n-100 // -5\n},",
            value,
        ),
        ("{\"FEN\", \"f1f4\", -100}, // loss", value),
        ("{\"FEN\", \"f1f4\", -100}, // no pawn", value),
        (
            "{\n\"FEN\", // fen\n\"f1f4\", // move\n-100, // value\n},",
            value,
        ),
        (
            "{\n\"FEN\",\n\"f1f4\",\n-100, // threshold\nfalse, // expected\n},",
            FAILS,
        ),
        (
            "assert_eq!(see(\"FEN\", \"f1f4\"), /* expected */ -100);",
            value,
        ),
        (
            "{\"FEN\", \"f1f4\", /*threshold=*/ -100, /*expected=*/false},",
            FAILS,
        ),
        (
            "see_ge(\"FEN\", \"f1f4\", /* threshold= */ -100); // true",
            HOLDS,
        ),
    ] {
        assert_eq!(said(text), expected, "{text}");
    }
}

/// A number and what it is added to, and a second answer in the fields of the first.
#[test]
fn sums_and_second_answers_after_a_value_are_refused() {
    for text in [
        "FEN f1f4 325 - 100",
        "FEN f1f4 325 + 100",
        "FEN f1f4 325 * 2",
        "FEN;f1f4;1;FEN;f1f4;2",
        "FEN;f1f4;325 - 100",
        "[see(\"FEN\",\"f1f4\",1), see(\"FEN\",\"f1f4\",2)]",
    ] {
        assert_eq!(said(text), None, "{text}");
    }
    let value = Some(Claim::Value(-100));
    for text in [
        "FEN f1f4 -100 - a rook",
        "FEN f1f4 -100 P - R + B",
        "FEN;f1f4;-100;after FEN",
    ] {
        assert_eq!(said(text), value, "{text}");
    }
}
