//! Answers in the forms that suites of engines have.

use swaplist_files::check::{Answer, Claim, answers};

const FEN: &str = "6k1/1pp4p/p1pb4/6q1/3P1pRr/2P4P/PP1Br1P1/5RKN w - -";

/// The FEN, move and claim of each line.
fn read(text: &str) -> Vec<(String, String, Claim)> {
    let all = answers(text.as_bytes()).map(|answer| {
        let Answer {
            fen, capture, said, ..
        } = answer.unwrap_or_else(|error| panic!("{text}: {error}"));
        (fen, capture.to_string(), said)
    });
    all.collect()
}

fn errors(text: &str) -> Vec<String> {
    answers(text.as_bytes())
        .filter_map(Result::err)
        .map(|error| error.to_string())
        .collect()
}

#[test]
fn the_forms_of_suites_are_read() {
    for line in [
        "FEN; Rfxf4; -100; P - R + B",
        "FEN;f1f4;-100;",
        "FEN; Rfxf4; -100;;",
        "FEN; f1f4; -100; P - R + B; more",
        "FEN | f1f4 | -100 | P - R + B",
        "FEN|Rfxf4|-100",
        "FEN,f1f4,-100",
        "FEN, f1f4, -100, a comment",
        "FEN\tf1f4\t-100\ta comment",
        "FEN f1f4 -100",
        "FEN Rfxf4 -100 P - R + B",
        "FEN   f1f4   -100   // a comment; with | signs, of all kinds",
        "FEN; f1f4; -100; // a comment",
        "FEN; f1f4; -100 // P - R + B",
        "FEN f1f4 -100;",
        "{\"FEN\", \"f1f4\", -100},",
        "{ \"FEN\", \"Rfxf4\", -100 }, // a comment",
        "  {\"FEN\", \"f1f4\", -100, \"P - R + B\"}",
        "(\"FEN\", \"f1f4\", -100),",
        "('FEN', 'f1f4', -100),",
        "[\"FEN\", \"f1f4\", -100],",
        "SeeTest{\"FEN\", \"f1f4\", -100},",
        "SeeTest::new(\"FEN\", \"f1f4\", -100),",
        "{\"FEN\", \"f1f4\", -100}};",
        "{FEN, f1f4, -100},",
        "SeeTest{FEN, f1f4, -100},",
        "\"FEN f1f4 -100\",",
        "(\"FEN,f1f4,-100\"), // a comment",
        "\"FEN | f1f4 | -100 | P - R + B\",",
        "\"FEN; Rfxf4; -100; P - R + B\",",
        "(\"FEN; Rfxf4; -100\"),",
        "\"FEN\",\"f1f4\",\"-100\"",
        "\"FEN\";\"f1f4\";-100",
        "\"FEN\" f1f4 -100",
        "FEN; f1f4; -0x64",
        "FEN; f1f4; -0X64; hexadecimal",
        "FEN f1f4 -0x64",
        "FEN; f1f4; \u{2212}100",
        "{\"fen\": \"FEN\", \"move\": \"f1f4\", \"value\": -100},",
        "{\"FEN\": \"FEN\", \"Move\": \"f1f4\", \"VALUE\": -100, \"comment\": \"// a: b\"}",
    ] {
        let mut text = line.replacen("FEN;", &format!("{FEN};"), 1);
        if text == line {
            let key_length = line.find("\"FEN\":").map_or(0, |at| at + 6);
            let (key, rest) = line.split_at(key_length);
            text = key.to_owned() + &rest.replacen("FEN", FEN, 1);
        }
        let expected = (FEN.to_owned(), "f1f4".to_owned(), Claim::Value(-100));
        assert_eq!(read(&text), core::slice::from_ref(&expected), "{text}");
        // With all six fields, too.
        let six = text.replace(" w - -", " w - - 3 9");
        assert_eq!(read(&six)[0].1, "f1f4", "{six}");
        assert_eq!(read(&six)[0].2, Claim::Value(-100), "{six}");
    }
}

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
    let commented = format!("/*\n{FEN};f1f4;1\n * {FEN};f1f4;2\n*/\n{FEN};f1f4;3\n");
    let said: Vec<Claim> = read(&commented)
        .into_iter()
        .map(|(.., said)| said)
        .collect();
    assert_eq!(said, [Claim::Value(3)]);
    let row = format!("| fen | {FEN} | f1f4 | 123 |");
    assert_eq!(read(&row)[0].2, Claim::Value(123));
    // Brackets and types that do not end take no more than their length.
    for hostile in ["see(", "::<", "(", "!&"] {
        let text = format!("{}{FEN};f1f4;1", hostile.repeat(200_000));
        assert_eq!(answers(text.as_bytes()).count(), 1);
    }
    // The start of a line is shown, however long it is.
    let long = format!("{} {FEN};f1f4;1", "z".repeat(100_000));
    assert!(errors(&long)[0].len() < 300);
}

/// A table of Markdown, with other columns before and after.
#[test]
fn rows_of_markdown_are_read() {
    let text = format!(
        "| # | FEN | move | SEE | why |\n|---|:--|---|---|---|\n| 1 | `{FEN}` | `f1f4` | -100 | x |\n\
         | 2 | {FEN} | Rfxf4 | 7 |  |\n|{FEN}|f1f4|8|1|\n"
    );
    let said: Vec<Claim> = read(&text).into_iter().map(|(.., said)| said).collect();
    let at_least = Claim::AtLeast {
        threshold: 8,
        holds: true,
    };
    assert_eq!(said, [Claim::Value(-100), Claim::Value(7), at_least]);
}

/// JSON over several lines, arrays in one line, what `score` and `explain` write.
#[test]
fn json_of_any_layout_is_read() {
    let one = |value: i32| {
        format!("{{\n  \"fen\": \"{FEN}\",\n  \"move\": \"f1f4\",\n  \"value\": {value}\n}}")
    };
    let [a, b] = [one(-100), one(7)];
    for text in [
        format!("[\n{a},\n{b}\n]\n"),
        format!("[{a},{b}]").replace('\n', "\r\n"),
        format!("{a}\n{b}\n"),
        format!("{{\"name\": \"a {{ [\", \"cases\": [{a}, {b}]}}").replace('\n', ""),
        format!("\u{feff}[{a},\n\n{b}]"),
    ] {
        let found: Vec<Answer> = answers(text.as_bytes()).map(Result::unwrap).collect();
        let said: Vec<Claim> = found.iter().map(|answer| answer.said).collect();
        assert_eq!(said, [Claim::Value(-100), Claim::Value(7)], "{text}");
    }
    // Errors name the line where the object begins.
    let text = format!("[\n{a},\n{}\n]", b.replace("f1f4", "f1f8"));
    assert!(errors(&text)[0].starts_with("line 7: illegal move 'f1f8'"));
    let scored = format!(
        "{{\"fen\":\"{FEN}\",\"in_check\":false,\"moves\":[{{\"uci\":\"f1f4\",\"san\":\"Rfxf4\",\"see\":-100}},\
         {{\"uci\":\"d2f4\",\"san\":\"Bxf4\",\"see\":25}}],\"rules\":\"profile swap\"}}\n"
    );
    let found = read(&scored.repeat(2));
    assert_eq!(found.len(), 4);
    assert_eq!((&*found[1].1, found[1].2), ("d2f4", Claim::Value(25)));
    assert!(Answer::parse(scored.trim(), 1).is_err());
    assert_eq!(read(&scored.replace("[{", "[],\"more\":[{")).len(), 0);
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

#[test]
fn thresholds_stay_what_they_are() {
    let said = |holds| Claim::AtLeast {
        threshold: -100,
        holds,
    };
    for (rest, holds) in [
        ("; f1f4; -100; 1", true),
        ("; f1f4; -100; 0;", false),
        ("; f1f4; -100; TRUE; a comment", true),
        (" | f1f4 | -100 | false", false),
        (",f1f4,-100,1", true),
        (" f1f4 -100 1", true),
        (" f1f4 -100 0", false),
        (" f1f4 -100 1;", true),
        (" f1f4 -100 0; a comment", false),
        (" f1f4 false >= -100;", false),
        (" f1f4 true >= -100", true),
        ("; f1f4; false >= -100; a comment", false),
        ("; f1f4; 0 >= -0x64 // no", false),
    ] {
        assert_eq!(read(&format!("{FEN}{rest}"))[0].2, said(holds), "{rest}");
    }
    for (rest, reason) in [
        (
            "; f1f4; -100; 2",
            "expected 0 or 1 (whether the SEE is at least -100), found '2'",
        ),
        (
            "; f1f4; -100; yes",
            "expected 0 or 1 (whether the SEE is at least -100), found 'yes'",
        ),
        (
            " f1f4 -100 0.5",
            "expected 0 or 1 (whether the SEE is at least -100), found '0.5'",
        ),
        (
            " f1f4 -100 no; a comment",
            "expected 0 or 1 (whether the SEE is at least -100), found 'no'",
        ),
        ("; f1f4; -100; 1; 1", "found 5 fields"),
        (" f1f4 -100 1 1", "found 5 fields"),
        (
            "; f1f4; ; P - R + B",
            "expected a whole number of centipawns, found ''",
        ),
        (
            "; f1f4; 2 * P",
            "found '2 * P'; a sum is of numbers and pieces, such as P - R + B",
        ),
        (
            "; f1f4; P - X",
            "found 'P - X'; a sum is of numbers and pieces",
        ),
        (
            "; f1f4; P -",
            "expected a whole number of centipawns, found 'P -'",
        ),
        (
            "; f1f4; 0x",
            "expected a whole number of centipawns, found '0x'",
        ),
        (
            "; f1f4; 0x+64",
            "expected a whole number of centipawns, found '0x+64'",
        ),
        (
            "; f1f4; --100",
            "expected a whole number of centipawns, found '--100'",
        ),
        (
            "; f1f4; 2.255",
            "expected a whole number of centipawns, found '2.255'",
        ),
        (
            "; f1f4; .",
            "expected a whole number of centipawns, found '.'",
        ),
        (
            "; f1f4; 1,5",
            "expected a whole number of centipawns, found '1,5'",
        ),
        (
            "; f1f4; nan",
            "expected a whole number of centipawns, found 'nan'",
        ),
    ] {
        let found = errors(&format!("{FEN}{rest}"));
        assert!(
            found.len() == 1 && found[0].contains(reason),
            "{rest}: {found:?}"
        );
    }
}

/// What stands before a FEN is named, rather than read as a field.
#[test]
fn a_line_begins_with_its_fen() {
    for (line, found) in [
        ("1. FEN;f1f4;-100", "found '1.' before the FEN"),
        ("-100; FEN; f1f4", "found '-100;' before the FEN"),
        (
            "position fen FEN moves f1f4",
            "found 'position fen' before the FEN",
        ),
        ("\"FEN; f1f4; -100", "found a \" that is not closed"),
    ] {
        let found_errors = errors(&line.replacen("FEN", FEN, 1));
        assert!(
            found_errors.len() == 1 && found_errors[0].ends_with(found),
            "{line}: {found_errors:?}"
        );
    }
    let sums = read(&format!("{FEN} f1f4 P - R + B;"));
    assert_eq!(sums[0].2, Claim::Value(-75));
}

#[test]
fn lines_around_the_answers_say_nothing() {
    let text = format!(
        "#include \"see.h\"\n// a suite\nstatic const SeeTest TESTS[] = {{\n{{\"{FEN}\", \"f1f4\", \
         -100}},\n\n// more\n{{\"{FEN}\", \"f1f4\", 0}},\n}};\nconst T: &[(&str, &str, i32)] = &[\n];\n"
    );
    assert_eq!(read(&text).len(), 2);
    for header in [
        "fen;move;value",
        "FEN,Move,SEE",
        "fen\tmove\tsee",
        "fen | move | value",
    ] {
        assert_eq!(read(&format!("{header}\n{FEN};f1f4;-100\n")).len(), 1);
    }
}

fn values(text: &str) -> (Vec<i32>, Vec<String>) {
    let answers = answers(text.as_bytes());
    let notes = answers.notes().to_vec();
    let values = answers.map(|answer| match answer.unwrap().said {
        Claim::Value(value) => value,
        Claim::AtLeast { threshold, .. } => threshold,
    });
    (values.collect(), notes)
}

#[test]
fn values_in_pawns_are_read_and_said_so() {
    let suite = |all: &[&str]| -> String {
        let lines = all.iter().map(|value| format!("{FEN};f1f4;{value}\n"));
        lines.collect::<Vec<String>>().concat()
    };
    let (found, notes) = values(&suite(&["0", "-2.25", "1", "+.5", "3.", "-1.50", "0.0;1"]));
    assert_eq!(found, [0, -225, 100, 50, 300, -150, 0]);
    assert_eq!(
        notes,
        ["numbers are read as pawns: -2.25 on line 2 as -225 centipawns"]
    );
    let (whole_pawns, one_note) = values(&suite(&["1.0", "-3.0", "0"]));
    assert_eq!((whole_pawns, one_note.len()), (vec![100, -300, 0], 1));
    // As some languages write whole numbers.
    let (centipawns, no_note) = values(&suite(&["100.0", "-225.0", "0.0", "50"]));
    assert_eq!((centipawns, no_note.len()), (vec![100, -225, 0, 50], 0));
    let json = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",\"value\":-2.25}}\n");
    assert_eq!(values(&json).0, [-225]);
    assert_eq!(
        Answer::parse(&suite(&["-2.25"]), 1).unwrap().said,
        Claim::Value(-225)
    );
    // Whole centipawns among them are not guessed.
    let mixed = errors(&suite(&["-2.25", "300", "1"]));
    assert_eq!(
        mixed,
        ["line 2: 300 is too much in pawns, in which line 1 is (-2.25)"]
    );
}

#[test]
fn sums_of_pieces_are_read_and_said_so() {
    let suite = |value: &str| format!("{FEN};f1f4;{value}\n");
    for (value, expected) in [
        ("P - R + B", -75),
        ("p-r+b", -75),
        ("-Q", -1000),
        ("Pawn + Knight - Queen", -575),
        ("P + 50", 150),
        ("+ N", 325),
    ] {
        let (found, notes) = values(&suite(value));
        assert_eq!(found, [expected], "{value}");
        let note = "sums of pieces, as on line 1, are read with the values 100,325,325,500,1000";
        assert_eq!(notes, [note]);
    }
    assert_eq!(values(&format!("{FEN} f1f4 P - R + B\n")).0, [-75]);
}

#[test]
fn lines_that_fail_alike_are_one_error() {
    for (line, reason, should) in [
        ("FEN f1f4", "found 2 fields", "FEN;f1f4;VALUE"),
        ("FEN => f1f4 gives -100", "found 'f1f4'", "FEN;f1f4;-100"),
        ("1 FEN Rfxf4 -100", "", "FEN;Rfxf4;-100"),
        ("1. FEN;f1f4;-100", "", "FEN;f1f4;-100"),
        ("f1f4 100 FEN", "", "FEN;f1f4;100"),
        ("FEN;f1f4;1,0", "", "FEN;f1f4;VALUE"),
        ("FEN;f1f4;true > -101", "", "FEN;f1f4;VALUE"),
        ("FEN;f1f4;true <= 5", "", "FEN;f1f4;VALUE"),
        ("FEN;f1f4;>= -100", "", "FEN;f1f4;true >= -100"),
        ("FEN; f1f4; minus", "found 'minus'", "FEN;f1f4;VALUE"),
        ("FEN; f1f8; 3", "illegal move 'f1f8'", "FEN;MOVE;3"),
        (
            "nothing; at; all",
            "found 'all'",
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;e4d5;100",
        ),
    ] {
        let [line, should] = [line, should].map(|text| text.replace("FEN", FEN));
        let text = format!("# a comment\n{}", format!("{line}\n").repeat(73));
        let unread = answers(text.as_bytes());
        assert!(unread.fail_alike());
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
    // One that can be read, or another fault, tells more.
    let bad = format!("{FEN};f1f4;x\n");
    assert_eq!(
        errors(&bad),
        ["line 1: expected a whole number of centipawns, found 'x'"]
    );
    for other in [format!("{FEN};f1f4;1\n"), format!("{FEN};f1f8;1\n")] {
        let text = bad.repeat(3) + &other;
        assert!(!answers(text.as_bytes()).fail_alike());
        assert!(errors(&text).len() >= 3);
    }
}

/// A source file of an engine around the answers.
#[test]
fn code_around_an_initialiser_is_passed_over() {
    let lines = format!(
        "#include <vector>\n\
         struct See {{ const char* fen; const char* move; int value; }};\n\
         /* Answers of\n\
         \x20* version 3 */\n\
         static const See SUITE[] = {{\n\
         \x20 {{\"{FEN}\", \"f1f4\", -100}}, /* a rook; for a pawn */\n\
         \x20 {{\"{FEN}\", /* taken back */ \"f1f4\", -75}}, // another\n\
         }};\n\
         int main() {{ return 0; }}\n"
    );
    let (found, notes) = values(&lines);
    assert_eq!(found, [-100, -75]);
    assert!(notes.is_empty());
    // A line that could be an answer is not passed over.
    let broken = format!("{FEN};f1f4;-100\n4k3/8;e4d5;100\nstatic;e4d5/;100\n");
    assert_eq!(errors(&broken).len(), 2);
}

#[test]
fn the_line_that_is_rewritten_holds_a_position() {
    let text = format!("what; is; this\n{FEN} => f1f4 gives -100\n");
    let found: Vec<_> = answers(text.as_bytes()).collect();
    let error = found[0].as_ref().unwrap_err().to_string();
    assert!(error.contains("; line 2: "), "{error}");
    assert!(error.ends_with(&format!("'{FEN};f1f4;-100'")), "{error}");
}
