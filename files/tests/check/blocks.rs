//! Tests that are meant to fail or are not run, and blocks that an assertion is about.

use swaplist_files::check::answers;

use super::outer_calls::said;
use super::reading::FEN;

fn numbers(text: &str) -> Vec<Option<i32>> {
    let text = text.replace("FEN", FEN);
    let all = answers(text.as_bytes()).map(|answer| match answer.ok()?.said {
        swaplist_files::check::Claim::Value(value) => Some(value),
        swaplist_files::check::Claim::AtLeast { threshold, .. } => Some(threshold),
    });
    all.collect()
}

/// Each is refused, and the test after it is read.
#[test]
fn tests_that_are_meant_to_fail_are_refused() {
    for text in [
        "TEST_CASE(\"see\", \"[see][!shouldfail]\") {\n    CHECK(see(\"FEN\", \"f1f4\") == 1);\n}\n",
        "TEST_CASE(\"see\", \"[!mayfail]\")\n{\n    CHECK(see(\"FEN\", \"f1f4\") == 1);\n}\n",
        "TEST_CASE(\"see\" * doctest::should_fail()) {\n    CHECK(see(\"FEN\", \"f1f4\") == 1);\n}\n",
        "BOOST_AUTO_TEST_CASE(see, * boost::unit_test::disabled())\n{\n    BOOST_TEST(see(\"FEN\", \"f1f4\") == 1);\n}\n",
        "TEST(See, DISABLED_Pins) {\n  EXPECT_EQ(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "TEST(See, Pins) {\n  GTEST_SKIP() << \"x\";\n  EXPECT_EQ(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "test.failing(\"see\", () => {\n  expect(see(\"FEN\", \"f1f4\")).toBe(1);\n});\n",
        "it.skip(\"see\", () => {\n  expect(see(\"FEN\", \"f1f4\")).toBe(1);\n});\n",
        "xit(\"see\", () => {\n  expect(see(\"FEN\", \"f1f4\")).toBe(1);\n});\n",
        "xcontext(\"losing\", () => {\n  expect(see(\"FEN\", \"f1f4\")).toBe(1);\n});\n",
        "xdescribe(\"see\", () => {\n  it(\"x\", () => {\n    expect(see(\"FEN\", \"f1f4\")).toBe(1);\n  });\n});\n",
        "it.failing.each([\n  [\"FEN\", \"f1f4\", 1],\n])(\"see\", (fen, move, value) => {\n});\n",
        "test(\"see\", { todo: true }, () => {\n  assert.equal(see(\"FEN\", \"f1f4\"), 1);\n});\n",
        "@Test\n@Disabled(\"x\")\nvoid see() {\n    assertEquals(1, see(\"FEN\", \"f1f4\"));\n}\n",
        "@Ignore\n@Test\nfun see() = assertEquals(1, see(\"FEN\", \"f1f4\"))\n",
        "[Test]\n[Ignore(\"x\")]\npublic void See()\n{\n    Assert.AreEqual(1, See(\"FEN\", \"f1f4\"));\n}\n",
        "[InlineData(\"FEN\", \"f1f4\", 1)]\n[Theory(Skip = \"x\")]\npublic void See(string fen, string move, int value)\n{\n}\n",
        "@pytest.mark.parametrize(\"fen,move,see\", [\n    (\"FEN\", \"f1f4\", 1),\n])\n@pytest.mark.xfail\ndef test_see(fen, move, see):\n    pass\n",
        "@pytest.mark.xfail\n@pytest.mark.parametrize(\"x\", [4])\ndef test_see(x):\n    assert see(\"FEN\", \"f1f4\") == 1\n",
        "@unittest.expectedFailure\ndef test_see(self):\n    self.assertEqual(see(\"FEN\", \"f1f4\"), 1)\n",
        "#[should_panic]\nfn a() {\nassert_eq!(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "#[test_case(\"FEN\", \"f1f4\", 1)]\n#[should_panic]\nfn a(fen: &str, mv: &str, value: i32) {\n}\n",
        "func TestSee(t *testing.T) {\n\tt.Skip(\"x\")\n\tassert.Equal(t, 1, See(\"FEN\", \"f1f4\"))\n}\n",
        "func testSee() {\n    XCTExpectFailure(\"x\")\n    XCTAssertEqual(see(\"FEN\", \"f1f4\"), 1)\n}\n",
        "if (false) {\n    assertEquals(1, see(\"FEN\", \"f1f4\"));\n}\n",
        "if False:\n    assert see(\"FEN\", \"f1f4\") == 1\n",
        "with pytest.raises(AssertionError):\n    x = 1\n    assert see(\"FEN\", \"f1f4\") == 1\n",
    ] {
        let after = "assert_eq!(see(\"FEN\", \"f1f4\"), 2);\n";
        assert_eq!(
            numbers(&format!("{text}{after}")),
            [None, Some(2)],
            "{text}"
        );
        let indented = format!("    {}\n", text.trim_end().replace('\n', "\n    "));
        let text = format!("class X {{\n{indented}    {after}}}\n");
        assert_eq!(numbers(&text), [None, Some(2)], "{text}");
    }
    for text in [
        "xit \"is\" do\n  expect(see(\"FEN\", \"f1f4\")).to eq(1)\nend\n",
        "@tag :skip\ntest \"see\" do\n  assert see(\"FEN\", \"f1f4\") == 1\nend\n",
    ] {
        assert!(numbers(text).iter().all(Option::is_none), "{text}");
    }
    // Names of tests, conditions and slow tests say nothing.
    for text in [
        "fn a_pin_fails_to_recapture() {\n    assert_eq!(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "TEST(See, FailsToSkip) {\n  EXPECT_EQ(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "def test_skip(self):\n    if not fast: self.skipTest(\"x\")\n    self.assertEqual(see(\"FEN\", \"f1f4\"), 1)\n",
        "#[test]\n#[ignore = \"slow\"]\nfn a() {\n    assert_eq!(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "with self.subTest(\"x\"):\n    self.assertEqual(see(\"FEN\", \"f1f4\"), 1)\n",
        "it(\"fails\", () => {\n  expect(see(\"FEN\", \"f1f4\")).toBe(1);\n});\n",
        "{\"FEN\", \"f1f4\", 1, \"skip the queen, or fail\"},\n",
        "void verify_see() {\n    EXPECT_EQ(see(\"FEN\", \"f1f4\"), 1);\n}\n",
        "fn check_all() {\n    assert_eq!(see(\"FEN\", \"f1f4\"), 1);\n}\n",
    ] {
        assert_eq!(numbers(text), [Some(1)], "{text}");
    }
}

/// An assertion may deny what is in its block.
#[test]
fn blocks_of_assertions_are_refused() {
    for text in [
        "assertFalse {\n    seeGe(\"FEN\", \"f1f4\", -100)\n}",
        "assertFalse(\"x\") {\n    seeGe(\"FEN\", \"f1f4\", -100)\n}",
        "assertFalse(() ->\n    seeGe(\"FEN\", \"f1f4\", -100));",
        "XCTAssertFalse({\n    seeGe(\"FEN\", \"f1f4\", -100)\n}())",
        "expect(() =>\n  seeGe(\"FEN\", \"f1f4\", -100)\n).toBeFalsy();",
        "expect(() => {\n  return seeGe(\"FEN\", \"f1f4\", -100);\n}).toThrow();",
        "expect {\n  see_ge(\"FEN\", \"f1f4\", -100)\n}.to raise_error",
        "none_of! {\n    see_ge(\"FEN\", \"f1f4\", -100)\n}",
        "assertThrows(AssertionError.class, () -> {\n    Board board = board();\n    assertTrue(seeGe(\"FEN\", \"f1f4\", -100));\n});",
        "shouldFail {\n    assert seeGe(\"FEN\", \"f1f4\", -100)\n}",
        "assertFalse(() -> seeGe(\"FEN\", \"f1f4\", -100));",
        "expect(() => seeGe(\"FEN\", \"f1f4\", -100)).toBe(false);",
        "assert!((|| see_ge(\"FEN\", \"f1f4\", -100))() == false);",
    ] {
        assert_eq!(said(text), None, "{text}");
    }
}
