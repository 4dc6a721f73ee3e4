//! Answers in JSON.

use swaplist_files::check::{Answer, Claim, answers};

use super::reading::{FEN, errors, read};

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

/// Objects in objects, each with an answer: one pass finds them. With a pass for each, a text twice as
/// deep takes four times as long, which would be minutes here.
#[test]
fn deep_json_is_read_in_one_pass() {
    const DEPTH: usize = 30_000;
    let own = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",\"value\":-100,\"inside\":");
    let listed = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",\"value\":7,\"moves\":[");
    let text = own.repeat(DEPTH) + "null" + &"}".repeat(DEPTH);
    assert_eq!(
        read(&text),
        vec![(FEN.to_owned(), "f1f4".to_owned(), Claim::Value(-100)); DEPTH]
    );
    let text = listed.repeat(DEPTH) + &"]}".repeat(DEPTH);
    assert_eq!(read(&text).len(), DEPTH);
    let arrays = "[".repeat(10 * DEPTH) + &"]".repeat(10 * DEPTH);
    assert_eq!(read(&arrays).len(), 0);
}

/// A truth of another name may be whether the SEE is at least the value.
#[test]
fn a_truth_beside_a_value_is_not_passed_over() {
    for (more, expected) in [
        ("\"pass\":false", "neither a value alone"),
        ("\"works\":false", "'works' may say something"),
        ("\"negate\":true", "'negate' may say something"),
    ] {
        let text = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",\"value\":5,{more}}}\n");
        let found = errors(&text);
        assert!(found.len() == 1 && found[0].contains(expected), "{found:?}");
    }
}

/// The names that objects and tables have for the same.
#[test]
fn members_have_several_names() {
    let value = Claim::Value(-100);
    let reached = Claim::AtLeast {
        threshold: -100,
        holds: true,
    };
    for (rest, said) in [
        ("\"uci\":\"f1f4\",\"see\":-100", value),
        ("\"san\":\"Rfxf4\",\"expected\":-100", value),
        ("\"uci\":\"f1f4\",\"san\":\"no move\",\"value\":-100", value),
        ("\"move\":\"f1f4\",\"see\":-100,\"score\":31", value),
        ("\"move\":\"f1f4\",\"value\":null,\"see\":-100", value),
        (
            "\"move\":\"f1f4\",\"threshold\":-100,\"expected\":true",
            reached,
        ),
        (
            "\"m\\u006fve\":\"f1f4\",\"threshold\":-100,\"ge\":1",
            reached,
        ),
        // What `swaplist explain --json` writes of one move.
        (
            "\"move\":{\"uci\":\"f1f4\",\"see\":-100},\"moves\":[{\"uci\":\"f1f4\",\"see\":-100}]",
            value,
        ),
    ] {
        for text in [
            format!("{{\"fen\":\"{FEN}\",{rest}}}"),
            format!("[{{\n{rest},\n\"fen\":\"{FEN}\"}}]"),
        ] {
            assert_eq!(
                read(&text),
                [(FEN.to_owned(), "f1f4".to_owned(), said)],
                "{text}"
            );
        }
    }
}

/// An object that says something twice, or of no position, is not passed over.
#[test]
fn objects_that_are_not_clear_are_refused() {
    for (rest, reason) in [
        (
            "\"value\":1,\"value\":2",
            "'value' and 'value' stand for the same",
        ),
        (
            "\"value\":1,\"Value\":2",
            "'value' and 'Value' stand for the same",
        ),
        (
            "\"value\":1,\"see\":2",
            "'value' and 'see' stand for the same",
        ),
        ("\"value\":1,\"ge\":true", "neither a value alone nor"),
        ("\"threshold\":1", "neither a value alone nor"),
        ("\"eval\":1", "neither a value alone nor"),
        ("\"value\":{}", "'value' is not a number"),
        ("\"value\":[1]", "'value' is not a number"),
        ("\"moves\":{\"f1f4\":1}", "neither a value alone nor"),
    ] {
        let text = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",{rest}}}");
        let found = errors(&text);
        assert!(
            found.len() == 1 && found[0].contains(reason),
            "{text}: {found:?}"
        );
    }
    let good = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",\"value\":1}}");
    for other in [
        "{\"move\":\"f1f4\",\"value\":1}",
        "{\"start\":\"4k3/8/8/3p4/4P3/8/8/4K3 w - -\",\"move\":\"e4d5\",\"threshold\":1,\"ge\":true}",
    ] {
        let found = errors(&format!("[{good},\n{other}]"));
        assert!(
            found.len() == 1 && found[0].starts_with("line 2: "),
            "{found:?}"
        );
        assert!(found[0].ends_with("missing field `fen`"), "{found:?}");
    }
}

/// The line of an object, and what it says, are its own where one has several lines or a line several.
#[test]
fn objects_that_fail_alike_are_shown_with_their_own_line() {
    let other = "4k3/8/8/3p4/4P3/8/8/4K3 w - -";
    let lacks = |fen: &str, name: &str| format!("{{\"fen\":\"{fen}\",\"move\":\"{name}\"}}");
    let [first, second] = [lacks(other, "e4d5"), lacks(FEN, "f1f4")];
    for (text, line) in [
        (format!("\n{first}\n{second}\n"), 2),
        (format!("[\n\n{first},{second}]"), 3),
        (
            format!("{{\"a\": [\n{},\n{second}]}}", first.replace(',', ",\n")),
            2,
        ),
    ] {
        let found = errors(&text);
        let begins = format!("all 2 lines fail alike; line {line}: ");
        assert!(
            found.len() == 1 && found[0].starts_with(&begins),
            "{text}: {found:?}"
        );
        assert!(
            found[0].ends_with(&format!("write it as '{other};e4d5;VALUE'")),
            "{found:?}"
        );
    }
}

/// Boards that have another name than a FEN's may be answers, too.
#[test]
fn objects_of_other_shapes_are_not_passed_over() {
    let good = format!("{{\"fen\":\"{FEN}\",\"move\":\"f1f4\",\"value\":1}}");
    for other in [
        format!("{{\"start\":\"{FEN}\",\"m\":\"f1f4\",\"v\":5}}"),
        format!("[\"{FEN}\",\"f1f4\",5]"),
        format!("{{\"rows\":[[\"{FEN}\",\"f1f4\",5]]}}"),
        format!("{{\"{FEN}\":{{\"f1f4\":5}}}}"),
    ] {
        for text in [format!("[{good},\n{other}]"), format!("{good}\n{other}\n")] {
            let found = errors(&text);
            assert!(
                found.len() == 1 && found[0].starts_with("line 2: "),
                "{text}: {found:?}"
            );
        }
    }
    // A remark of an answer is none, and arrays alone are rows.
    let remark = good.replace(
        '}',
        &format!(",\"after\":[\"{FEN}\"],\"before\":\"{FEN}\"}}"),
    );
    assert_eq!(read(&remark).len(), 1);
    assert_eq!(read(&format!("[[\"{FEN}\",\"f1f4\",5]]")).len(), 1);
    for more in [
        "\"expect\":\"false\"",
        "\"kind\":\"threshold\"",
        "\"compare\":\"less\"",
    ] {
        let text = good.replace('}', &format!(",{more}}}"));
        assert_eq!(errors(&text).len(), 1, "{text}");
    }
    assert_eq!(read(&good.replace('}', ",\"note\":\"not this\"}")).len(), 1);
}
