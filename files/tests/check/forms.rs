//! Answers in the forms that suites of engines have.

use swaplist_files::check::Claim;

use super::reading::{FEN, errors, read, values};

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
        "(\"FEN\", \"f1f4\", -100),  # a comment, 5",
        "('FEN', 'f1f4', -100)  # (5)",
        "#[test_case(\"FEN\", \"f1f4\", -100)]",
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

/// What follows a value may make it a threshold.
#[test]
fn a_value_before_a_truth_is_refused() {
    for line in [
        "(\"FEN\", \"f1f4\", 6, \"why\", False),",
        "test(\"FEN\", \"f1f4\", 6, \"why\", true);",
        "FEN;f1f4;6;why;0",
        "FEN,f1f4,6,why,1",
        "FEN;f1f4;6;;0",
        "{\"FEN\", \"f1f4\", 6, !true},",
        "FEN;f1f4;6;!1",
        "FEN;f1f4;6;not true",
        "FEN;f1f4;6;false?",
        "test(\"FEN\", \"f1f4\", 6, \"<\");",
        "test(\"FEN\", \"f1f4\", 6, LT);",
        "test(\"FEN\", \"f1f4\", 6, Ordering::Less);",
        "{\"FEN\", \"f1f4\", 6, LOSING},",
        "FEN f1f4 N takes 6",
    ] {
        assert_eq!(errors(&line.replace("FEN", FEN)).len(), 1, "{line}");
    }
    for line in [
        "FEN;f1f4;6;false positive",
        "FEN f1f4 6 not 1 pawn",
        "FEN;f1f4;6;why;not this",
        "{\"FEN\", \"f1f4\", 6, \"LOSING\"},",
        "{\"FEN\", \"f1f4\", 6, nullptr},",
        "pytest.param(\"FEN\", \"f1f4\", 6, id=\"x\"),",
    ] {
        let said = read(&line.replace("FEN", FEN))[0].2;
        assert_eq!(said, Claim::Value(6), "{line}");
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

/// A comment over several lines hides what is in it, if it ends.
#[test]
fn comments_over_lines_are_passed_over() {
    let line = |number: i32| format!("{{\"{FEN}\", \"f1f4\", {number}}},");
    let [one, two, three] = [1, 2, 3].map(line);
    for text in [
        format!("/*\n{one}\n*/ {two}\n{three}\n"),
        format!("{two} /* before:\n{one}\n*/\n{three}\n"),
        format!("{two} /* a */ /*\n{one} */\n{three}\n"),
        format!("<!--\n{one}\n-->\n{two}\n{three}\n"),
    ] {
        assert_eq!(values(&text).0, [2, 3], "{text}");
    }
    // What does not end, or is a part of something else, hides nothing.
    for text in [
        format!("{two} // of tests/*\n{three}\n*/\n"),
        format!("{FEN};f1f4;2;of tests/*.rs\n{three} // a*/b\n"),
        format!("{FEN};f1f4;2; /* of\n{three}\n"),
        format!("# of /*\n{two}\n{three} /* */\n"),
        format!("{{\"{FEN}\", \"f1f4\", 2, \"a /* b\"}},\n{three} // */\n"),
    ] {
        assert_eq!(values(&text).0, [2, 3], "{text}");
    }
    let hostile = "/*\n".repeat(100_000) + &one;
    assert_eq!(values(&hostile).0, [1]);
}

/// A line with a wrong board is not taken for a header or for code.
#[test]
fn lines_with_a_wrong_board_are_refused() {
    for line in ["fen;4k3/8/8/3p4/4P3/8/8;e4d5;100", "fen,4k3/8,e4d5,100"] {
        assert_eq!(errors(line).len(), 1, "{line}");
    }
    let utf16: Vec<u8> = format!("\u{feff}{FEN};f1f4;1\n")
        .encode_utf16()
        .flat_map(u16::to_le_bytes)
        .collect();
    let found: Vec<_> = swaplist_files::check::answers(&utf16).collect();
    let error = found[0].as_ref().unwrap_err().to_string();
    assert_eq!(
        (found.len(), &*error),
        (1, "this is UTF-16, save it as UTF-8")
    );
}
