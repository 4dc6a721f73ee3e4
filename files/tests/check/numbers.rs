//! The numbers of answers.

use swaplist_files::check::{Answer, Claim};

use super::reading::{FEN, errors, read, values};

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

/// Numbers as programs and texts write them.
#[test]
fn numbers_of_programs_are_read() {
    for (written, number) in [
        ("123L", 123),
        ("123LL", 123),
        ("-123l", -123),
        ("123i32", 123),
        ("-123_i64", -123),
        ("123u", 123),
        ("1_123", 1123),
        ("-1_123", -1123),
        ("1'123", 1123),
        ("1_000i32", 1000),
        ("0x7bL", 123),
        ("\u{2212}123", -123),
        ("\u{2013}123", -123),
        ("- 123", -123),
        ("+123", 123),
    ] {
        for line in [
            format!("{FEN};f1f4;{written}"),
            format!("{{\"{FEN}\", \"f1f4\", {written}}},"),
        ] {
            assert_eq!(values(&line), (vec![number], Vec::new()), "{line}");
        }
        let call = format!("assert_eq!(see(\"{FEN}\", \"f1f4\"), {written});");
        if written == "- 123" {
            assert_eq!(errors(&call).len(), 1);
        } else {
            assert_eq!(values(&call).0, [number], "{call}");
        }
    }
}

/// What may be another number, or none.
#[test]
fn numbers_that_are_not_clear_are_refused() {
    for written in [
        "0123",
        "-0100",
        "12_3",
        "1_1234",
        "1'23",
        "_123",
        "123_",
        "1__123",
        "123x",
        "123f",
        "123cp",
        "-123u",
        "1\u{2013}123",
        "1-123",
        "2026-11-29",
        "1 + 2",
        "n",
        "b",
        "1e2",
        "123L L",
        "i32",
        "0_123",
        "\u{2212}\u{2212}5",
        "1 123",
    ] {
        for line in [
            format!("{FEN};f1f4;{written}"),
            format!("{{\"{FEN}\", \"f1f4\", {written}}},"),
            format!("see(\"{FEN}\", \"f1f4\") == {written}"),
        ] {
            assert_eq!(errors(&line).len(), 1, "{line}");
        }
    }
    // Between blanks, a sign apart may be a dash.
    for written in ["- 123", "\u{2013} 123", "\u{2212} 123"] {
        assert_eq!(errors(&format!("{FEN} f1f4 {written}")).len(), 1);
    }
    let octal = errors(&format!("{FEN};f1f4;0123"));
    assert!(octal[0].contains("it may be octal"), "{octal:?}");
}

/// Strings with what programs have around them.
#[test]
fn strings_of_programs_are_read() {
    for string in [
        "\"STRING\"sv",
        "\"STRING\"s",
        "\"STRING\".to_string()",
        "\"STRING\".into()",
        "String::from(\"STRING\")",
        "std::string(\"STRING\")",
        "std::string{\"STRING\"}",
        "r\"STRING\"",
        "b\"STRING\"",
        "f\"STRING\"",
        "u8\"STRING\"",
        "@\"STRING\"",
        "r'STRING'",
    ] {
        let [fen, name] = [FEN, "f1f4"].map(|text| string.replace("STRING", text));
        for (line, said) in [
            (format!("{{{fen}, {name}, -100}},"), -100),
            (format!("({fen}, {name}, -100),"), -100),
            (
                format!("SeeTest {{ {fen}, {name}, -100, \"a comment\" }},"),
                -100,
            ),
            (format!("{fen}, {name}, -100,"), -100),
            (format!("assert_eq!(see({fen}, {name}), -100);"), -100),
        ] {
            assert_eq!(values(&line).0, [said], "{line}");
            assert_eq!(read(&line)[0].1, "f1f4", "{line}");
        }
    }
    for line in [
        format!("{{\"{FEN}\", x\"f1f4\", -100}},"),
        format!("{{\"{FEN}\", \"f1f4\"xy, -100}},"),
        format!("{{\"{FEN}\", name(\"f1f4\", -100}},"),
        format!("{{\"{FEN}\", \"f1f4\" + suffix, -100}},"),
    ] {
        assert_eq!(errors(&line).len(), 1, "{line}");
    }
}
