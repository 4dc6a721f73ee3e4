//! Tables with a header, in CSV, Markdown and the like.

use swaplist_files::check::{Claim, answers};

use super::reading::{FEN, errors, read};

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

/// Columns in any order, with any of the signs between them.
#[test]
fn columns_are_read_by_their_names() {
    let value = Claim::Value(-100);
    let claim = |holds| Claim::AtLeast {
        threshold: -100,
        holds,
    };
    for (header, row, said) in [
        ("move,fen,see", "f1f4,FEN,-100", value),
        ("see,move,fen", "-100,f1f4,FEN", value),
        ("id,fen,move,see", "1,FEN,f1f4,-100", value),
        ("id,see,fen,move", "1,-100,FEN,f1f4", value),
        ("fen,eval,move,see", "FEN,31,f1f4,-100", value),
        ("fen,move,depth,see", "FEN,f1f4,1,-100", value),
        ("fen,move,depth,see,note", "FEN,f1f4,1,-100,\"a, b\"", value),
        // A column that is no truth is none.
        ("fen,move,see,depth", "FEN,f1f4,-100,1", value),
        ("FEN,Move,SEE (cp),pins", "FEN,f1f4,-100,0", value),
        ("fen,uci,san,see", "FEN,f1f4,Rfxf4,-100", value),
        ("fen,san,score,see", "FEN,Rfxf4,31,-100", value),
        ("fen,move,score", "FEN,f1f4,-100", value),
        ("position,move,expected", "FEN,f1f4,-100", value),
        (
            "\"fen\",\"move\",\"see\"",
            "\"FEN\",\"f1f4\",\"-100\"",
            value,
        ),
        ("move,fen,threshold,ge", "f1f4,FEN,-100,1", claim(true)),
        (
            "threshold,fen,move,expected",
            "-100,FEN,f1f4,false",
            claim(false),
        ),
        ("ge,threshold,fen,move", "0,-100,FEN,f1f4", claim(false)),
        ("fen,move,ge,threshold", "FEN,f1f4,true,-100", claim(true)),
        // More fields than names, and fewer: comments.
        ("fen,move,see", "FEN,f1f4,-100,a rook", value),
        ("fen,move,see,note", "FEN,f1f4,-100", value),
        ("fen,move,see,", "FEN,f1f4,-100,", value),
    ] {
        for separator in [",", ";", "\t", "|", " | "] {
            let line = |text: &str| {
                let quoted = text.replace("\"a, b\"", "\0");
                quoted
                    .replace(',', separator)
                    .replace('\0', "\"a, b\"")
                    .replace("FEN", FEN)
            };
            let text = format!("{}\n{}\r\n", header.replace(',', separator), line(row));
            assert_eq!(
                read(&text),
                [(FEN.to_owned(), "f1f4".to_owned(), said)],
                "{text}"
            );
            if separator == "|" {
                let rule = header.replace(|sign| sign != ',', "-").replace(',', "|");
                let text = format!(
                    "|{}|\n|{rule}|\n|{}|\n",
                    header.replace(',', "|"),
                    line(row)
                );
                assert_eq!(read(&text)[0].2, said, "{text}");
            }
        }
    }
}

/// A header that does not say where the claim is, and rows that do not fit.
#[test]
fn headers_that_are_not_clear_are_refused() {
    for (header, row, reason) in [
        (
            "fen,eval,move",
            "FEN,-100,f1f4",
            "names no column for the SEE, expected see, value or expected, found fen, eval, move",
        ),
        ("fen,move", "FEN,f1f4,-100", "names no column for the SEE"),
        (
            "fen,move,result",
            "FEN,f1f4,-100",
            "names no column for the SEE",
        ),
        (
            "fen,zug,see",
            "FEN,f1f4,-100",
            "names no column for the move, expected move, uci or san",
        ),
        ("fen,see", "FEN,-100", "names no column for the move"),
        (
            "fen,move,see,value",
            "FEN,f1f4,-100,5",
            "names two columns for the same, see and value",
        ),
        (
            "fen,fen,move,see",
            "FEN,FEN,f1f4,5",
            "names two columns for the same, fen and fen",
        ),
        (
            "fen,move,value,ge",
            "FEN,f1f4,-100,1",
            "names both a value and a threshold or its truth",
        ),
        (
            "fen,move,threshold",
            "FEN,f1f4,-100",
            "names no column for the truth of the threshold, expected ge",
        ),
        (
            "fen,move,ge",
            "FEN,f1f4,1",
            "names no column for the threshold",
        ),
        (
            "move,fen,see",
            "FEN,f1f4,-100",
            "does not fit this line, which has 3 fields",
        ),
        (
            "id,fen,move,note,see",
            "1,FEN,f1f4,-100",
            "does not fit this line",
        ),
        (
            "fen,move,note,see",
            "FEN,f1f4,gains 1,000,-100",
            "does not fit this line",
        ),
        (
            "fen,move,see",
            "FEN,f1f4,-100,1",
            "does not fit this line, which has 4 fields",
        ),
    ] {
        let text = format!("{header}\n{}\n", row.replace("FEN", FEN));
        let found = errors(&text);
        let begins = format!("line 2: the header on line 1 {reason}");
        assert!(
            found.len() == 1 && found[0].starts_with(&begins),
            "{text}: {found:?}"
        );
    }
}

#[test]
fn headers_with_a_condition_are_refused() {
    for column in [
        "see >= 100",
        "see>0",
        "SEE \u{2265} 0",
        "see>=",
        "expected >=",
        "!see",
        "see (1=good)",
        "see = 0",
    ] {
        let text = format!("fen;move;{column}\n{FEN};f1f4;1\n");
        let begins = format!("line 2: the header on line 1 has a condition, '{column}'");
        let found = errors(&text);
        assert!(
            found.len() == 1 && found[0].starts_with(&begins),
            "{text}: {found:?}"
        );
    }
    for header in ["fen,move,threshold,op,ge", "fen,move,ge,threshold,unit"] {
        let text = format!("{header}\n{FEN},f1f4,5,<,1\n");
        let found = errors(&text);
        assert!(found[0].contains("may say something else, "), "{found:?}");
    }
    // An assignment of a program is no header.
    let program = format!("fen, see = line.split()\n\"{FEN}\", \"f1f4\", 2\n");
    assert_eq!(read(&program)[0].2, Claim::Value(2));
}

/// Names of columns that are not in the usual order, in a comment or in code.
#[test]
fn columns_that_code_names_are_read() {
    let at_least = |threshold, holds| Claim::AtLeast { threshold, holds };
    for (header, row, said) in [
        ("# fen,move,index,see", "FEN,f1f4,1,0", Claim::Value(0)),
        ("# fen,move,see,index", "FEN,f1f4,1,0", Claim::Value(1)),
        (
            "// fen; move; expected; threshold",
            "FEN;f1f4;1;0",
            at_least(0, true),
        ),
        (
            "# columns: fen | move | ge | threshold",
            "FEN|f1f4|0|5",
            at_least(5, false),
        ),
        (
            "// { fen, move, ply, see }",
            "{\"FEN\", \"f1f4\", 1, 0},",
            Claim::Value(0),
        ),
        (
            "// fen, move, ply, see",
            "{\"FEN\", \"f1f4\", 1, 0},",
            Claim::Value(0),
        ),
        (
            "@pytest.mark.parametrize(\"fen,move,expected,threshold\", [",
            "    (\"FEN\", \"f1f4\", 1, 0),",
            at_least(0, true),
        ),
        (
            "@pytest.mark.parametrize((\"fen\", \"move\", \"index\", \"expected\"), [",
            "pytest.param(\"FEN\", \"f1f4\", 1, 0, id=\"x\"),",
            Claim::Value(0),
        ),
        (
            "struct { const char *fen, *move; int ply, see; } t[] = {",
            "{\"FEN\", \"f1f4\", 1, 0},",
            Claim::Value(0),
        ),
        (
            "struct { char fen[90], move[6]; int ply, see; } t[] = {",
            "{\"FEN\", \"f1f4\", 1, 0},",
            Claim::Value(0),
        ),
        (
            "struct Row { fen: &'static str, mv: Move, ply: u8, see: i32 }",
            "(\"FEN\", \"f1f4\", 1, 0),",
            Claim::Value(0),
        ),
        (
            "# format: fen;move;result;threshold",
            "FEN;f1f4;1;0",
            at_least(0, true),
        ),
        // These say what rows mean without a header, too.
        ("# fen;move;value", "FEN;f1f4;5;1", at_least(5, true)),
        (
            "# fen, move and what it is",
            "FEN,f1f4,5,1",
            at_least(5, true),
        ),
        ("# fen;move;note", "FEN;f1f4;5;1", at_least(5, true)),
    ] {
        let text = format!("{header}\n{}\n", row.replace("FEN", FEN));
        let found: Vec<_> = read(&text).into_iter().map(|(.., said)| said).collect();
        assert_eq!(found, [said], "{text}");
    }
    for (header, row) in [
        ("# fen,move,index,see", "FEN;f1f4;1;0"),
        ("# fen,move,index,see", "FEN,f1f4,1"),
        // What tells whether the value is reached.
        ("fen,move,value,result", "FEN,f1f4,5,0"),
        ("fen,move,score,expected", "FEN,f1f4,5,0"),
        ("# fen, move, see, works", "FEN,f1f4,5,false"),
        (
            "struct T { const char *fen, *mv; int value; bool result; };",
            "{\"FEN\", \"f1f4\", 5, 0},",
        ),
        (
            "struct T { const char *fen, *move; int not_value; };",
            "{\"FEN\", \"f1f4\", 5},",
        ),
        ("# fen, move, min", "FEN,f1f4,5"),
    ] {
        let found = errors(&format!("{header}\n{}\n", row.replace("FEN", FEN)));
        assert!(
            found.len() == 1 && found[0].contains("the header on line 1 "),
            "{header}: {found:?}"
        );
    }
}

/// Rows that a formatter broke are under the header, too.
#[test]
fn a_header_is_about_rows_of_several_lines() {
    let begin = "// fen, move, ply, see\nT t[] = {\n";
    for row in [
        "  {\"FEN\", \"f1f4\", 1, 0},",
        "  {\"FEN\",\n   \"f1f4\", 1, 0},",
        "  {\"FEN\", \"f1f4\",\n   1, 0},",
        "  {\n    \"FEN\",\n    \"f1f4\",\n    1,\n    0,\n  },",
    ] {
        let text = format!("{begin}{}\n}};\n", row.replace("FEN", FEN));
        let found: Vec<_> = read(&text).into_iter().map(|(.., said)| said).collect();
        assert_eq!(found, [Claim::Value(0)], "{text}");
    }
}

/// Also if its rows are read as without one.
#[test]
fn another_header_ends_a_table() {
    let row = format!("{{\"{FEN}\", \"f1f4\", 1, 0}},\n");
    let text = format!("// fen, move, ply, see\n{row}// fen, move, threshold, ge\n{row}");
    let found: Vec<_> = read(&text).into_iter().map(|(.., said)| said).collect();
    let not_reached = Claim::AtLeast {
        threshold: 1,
        holds: false,
    };
    assert_eq!(found, [Claim::Value(0), not_reached]);
}

/// Names of which each is one of several.
#[test]
fn alternative_names_are_headers() {
    for header in [
        "epd,san,score",
        "epd,san,see",
        "position,san,value",
        "epd,uci,score",
    ] {
        assert_eq!(
            read(&format!("{header}\n{FEN},f1f4,5\n")).len(),
            1,
            "{header}"
        );
    }
}

/// A header is about the rows after it, up to another one, and not about other lines.
#[test]
fn a_header_is_about_the_rows_below() {
    let text = format!(
        "{FEN};f1f4;1\n\n| move | fen | see |\n|---|---|---|\n| f1f4 | {FEN} | 2 |\n\n{FEN};f1f4;2\n\
         assert_eq!(see(\"{FEN}\", \"f1f4\"), 3);\n{{\"{FEN}\", \"f1f4\", 4}},\n\n\
         id;see;move;fen\n7;5;f1f4;{FEN}\n"
    );
    let said: Vec<Claim> = read(&text).into_iter().map(|(.., said)| said).collect();
    assert_eq!(said, [1, 2, 2, 3, 4, 5].map(Claim::Value));
    // Names in a program are no header.
    let program = format!(
        "for fen, move, expected in [\n    (\"{FEN}\", \"f1f4\", 1),\n]:\n\
         fen, name = line.split()\n\"{FEN}\", \"f1f4\", 2\n"
    );
    let said: Vec<Claim> = answers(program.as_bytes())
        .filter_map(|answer| Some(answer.ok()?.said))
        .collect();
    assert_eq!(said, [1, 2].map(Claim::Value));
}

/// Fields of a type that is declared on several lines, in several languages.
#[test]
fn columns_of_declarations_are_read() {
    let fields = ["const char* fen", "std::string move", "int ply", "int see"];
    let c = |end: &str| fields.map(|field| format!("    {field}{end}\n")).concat();
    let rows = format!("    Case(\"{FEN}\", \"f1f4\", 1, 0),\n");
    for declaration in [
        format!("struct Case {{\n{}}};\n", c(";")),
        format!("struct Case\n{{\n{}}};\n", c(";")),
        format!("record Case(\n{})\n", c(",")),
        "struct Case {\n    fen: &'static str,\n    // the move\n    mv: &'static str,\n    ply: u32,\n    see: i32,\n}\n".to_owned(),
        "type Case struct {\n\tfen, move string\n\tply  int\n\twant int\n}\n".to_owned(),
        "data class Case(\n    val fen: String,\n    val move: String,\n    val ply: Int = 0,\n    val see: Int,\n)\n".to_owned(),
        "@dataclass\nclass Case:\n    fen: str\n    move: str\n    ply: int\n    see: int\nx = 1\n".to_owned(),
        "interface Case {\n  fen: string;\n  move: string;\n  ply: number;\n  see: number;\n}\n".to_owned(),
        "record Case(String fen, String move, int ply, int see) {}\n".to_owned(),
        "Case = namedtuple(\"Case\", \"fen move ply see\")\n".to_owned(),
        "Case = namedtuple(\"Case\", [\"fen\", \"move\", \"ply\", \"see\"])\n".to_owned(),
    ] {
        let text = format!("{declaration}{rows}");
        let found: Vec<_> = read(&text).into_iter().map(|(.., said)| said).collect();
        assert_eq!(found, [Claim::Value(0)], "{text}");
    }
    let usual = "struct Case {\n    const char* fen;\n    const char* move;\n    int value;\n};\n";
    let threshold = usual.replace("value", "threshold");
    let value = format!("    {{\"{FEN}\", \"f1f4\", 5}},\n");
    assert_eq!(read(&format!("{usual}{value}"))[0].2, Claim::Value(5));
    let found = errors(&format!("{threshold}{value}"));
    assert!(
        found[0].contains("the header on line 1 names no column for the truth"),
        "{found:?}"
    );
    // A class around a table is no declaration of its fields.
    let class = format!(
        "class Foo:\n    ROWS = [\n        (\n            \"{FEN}\",\n            \"f1f4\",\n            5,\n        ),\n    ]\n"
    );
    assert_eq!(read(&class)[0].2, Claim::Value(5));
}

/// Names of several words.
#[test]
fn phrases_for_columns_are_read() {
    for (header, is_value) in [
        ("fen;move;expected SEE value in centipawns", true),
        ("# fen; move; expected SEE value (in cp)", true),
        ("// fen, move, the SEE", true),
        ("// each row is: fen, move, SEE in centipawns", true),
        ("fen;move;minimum SEE", false),
        ("fen;move;SEE must exceed", false),
        ("// fen, move, lower bound of the SEE", false),
        ("// each row has: fen, move, least value", false),
        ("fen;move;value of the piece", false),
    ] {
        let text = format!("{header}\n{FEN};f1f4;5\n");
        let found = errors(&text);
        assert_eq!(found.is_empty(), is_value, "{text}: {found:?}");
        if is_value {
            assert_eq!(read(&text)[0].2, Claim::Value(5), "{text}");
        }
    }
}
