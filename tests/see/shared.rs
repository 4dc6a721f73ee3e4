//! Constants that Rust and the shaders share have the same values, in both crates.
//!
//! Many of them are private, so their texts are compared, as `twins.rs` compares names.

use std::collections::BTreeMap;
use std::fs;
use std::path::Path;

/// A Rust file, a shader, and the names that a constant has in the one and in the other.
type Shared = (&'static str, &'static str, &'static [[&'static str; 2]]);

const SHARED: &[Shared] = &[
    (
        "files/src/filter/kinds.rs",
        "files/shaders/encode.wgsl",
        &[
            ["REASONS", "REASONS"],
            ["KEPT", "KEPT"],
            ["RESULTS", "RESULTS"],
            ["KINDS_OF_RECORDS", "KINDS"],
        ],
    ),
    (
        "files/src/device/layout.rs",
        "files/shaders/encode.wgsl",
        &[["RESULT_WORDS", "RESULT_WORDS"]],
    ),
    (
        "files/src/device/layout.rs",
        "files/shaders/bytes.wgsl",
        &[["MOST_RECORDS", "MAX_POSITIONS"]],
    ),
    (
        "files/src/device/recipe.rs",
        "files/shaders/encode.wgsl",
        &[["MOST_RULES", "MAX_RULES"]],
    ),
    (
        "files/src/device/output.rs",
        "files/shaders/encode.wgsl",
        &[
            ["BROKEN", "UNIT_BROKEN"],
            ["UNCHANGED", "UNIT_UNCHANGED"],
            ["WITHOUT_ROOM", "UNIT_WITHOUT_ROOM"],
            ["STEM_MARKED", "STEM_MARKED"],
        ],
    ),
    (
        "files/src/formats.rs",
        "files/shaders/encode.wgsl",
        &[["VALUE_NONE", "VALUE_NONE"]],
    ),
    (
        "files/src/filter/decided.rs",
        "files/shaders/encode.wgsl",
        &[["FAR", "FAR"]],
    ),
    (
        "files/src/formats/binpack/chunks.rs",
        "files/shaders/movetext.wgsl",
        &[["STEM", "STEM_BYTES"], ["MIN_CHAIN", "MIN_CHAIN"]],
    ),
    (
        "files/src/formats/binpack/bits.rs",
        "files/shaders/movetext.wgsl",
        &[["SCORE_BITS", "SCORE_BITS"]],
    ),
    (
        "src/position.rs",
        "shaders/position.wgsl",
        &[
            ["PAWN", "PAWN"],
            ["KNIGHT", "KNIGHT"],
            ["ROOK", "ROOK"],
            ["QUEEN", "QUEEN"],
            ["KING", "KING"],
            ["KING_TO_MOVE", "KING_TO_MOVE"],
        ],
    ),
    (
        "src/exchange.rs",
        "shaders/exchange.wgsl",
        &[["INFINITE", "INFINITE"]],
    ),
    (
        "src/packed_move.rs",
        "shaders/score.wgsl",
        &[["BITS", "CAPTURE_BITS"]],
    ),
    (
        "src/gpu/program/answers.rs",
        "shaders/score.wgsl",
        &[["POISON", "POISON"]],
    ),
    (
        "src/verdict/bounds.rs",
        "shaders/bounds.wgsl",
        &[
            ["IN_CHECK_BIT", "ANSWER_IN_CHECK"],
            ["SEE_BIT", "ANSWER_SEE"],
            ["THREAT_BIT", "ANSWER_THREAT"],
            ["DOUBLE_THREAT_BIT", "ANSWER_DOUBLE_THREAT"],
        ],
    ),
    (
        "src/verdict/record.rs",
        "shaders/verdict.wgsl",
        &[
            ["WRITTEN", "VERDICT_WRITTEN"],
            ["IN_CHECK", "VERDICT_IN_CHECK"],
            ["HAS_BEST", "VERDICT_HAS_BEST"],
            ["HAS_THREAT", "VERDICT_HAS_THREAT"],
            ["THREATS_AT", "VERDICT_THREATS_SHIFT"],
        ],
    ),
];

/// An enum whose numbers a shader has as constants that begin with a prefix. Of the variants that
/// are left out the shader has no name.
struct SharedEnum {
    rust_file: &'static str,
    name: &'static str,
    shader: &'static str,
    prefix: &'static str,
    without: &'static [&'static str],
}

const ENUMS: &[SharedEnum] = &[
    SharedEnum {
        rust_file: "files/src/filter/rules.rs",
        name: "Quantity",
        shader: "files/shaders/encode.wgsl",
        prefix: "QUANTITY_",
        without: &[],
    },
    SharedEnum {
        rust_file: "files/src/formats/board.rs",
        name: "Kind",
        shader: "files/shaders/board.wgsl",
        prefix: "KIND_",
        without: &[],
    },
    SharedEnum {
        rust_file: "src/rules.rs",
        name: "Pins",
        shader: "shaders/exchange.wgsl",
        prefix: "PINS_",
        without: &[],
    },
    SharedEnum {
        rust_file: "src/rules.rs",
        name: "EnPassant",
        shader: "shaders/exchange.wgsl",
        prefix: "EN_PASSANT_",
        without: &["EXACT"],
    },
    SharedEnum {
        rust_file: "src/rules.rs",
        name: "FirstPromotion",
        shader: "shaders/exchange.wgsl",
        prefix: "FIRST_PROMOTION_",
        without: &["PAWN"],
    },
    SharedEnum {
        rust_file: "src/rules.rs",
        name: "RecapturePromotion",
        shader: "shaders/exchange.wgsl",
        prefix: "INSIDE_PROMOTION_",
        without: &["PAWN"],
    },
];

fn read(path: &str) -> String {
    let root = Path::new(env!("CARGO_MANIFEST_DIR"));
    fs::read_to_string(root.join(path)).unwrap_or_else(|error| panic!("{path}: {error}"))
}

/// Numbers by the names of their constants.
type Constants = BTreeMap<String, i64>;

/// The constants of a text of Rust or WGSL that are numbers made of numbers and other constants.
fn constants(text: &str) -> Constants {
    let mut found = Constants::new();
    for line in text.lines() {
        let Some((before, rest)) = line.trim().split_once("const ") else {
            continue;
        };
        let definition = rest.strip_suffix(';').and_then(|rest| {
            let (name, rest) = rest.split_once(": ")?;
            let (_, value) = rest.split_once(" = ")?;
            Some((name, value))
        });
        let Some((name, value)) = definition.filter(|_| !before.contains("//")) else {
            continue;
        };
        if let Some(value) = evaluated(value, &found) {
            found.insert(name.to_owned(), value);
        }
    }
    found
}

/// The value of numbers and constants with operators between them, all of the same rank.
fn evaluated(text: &str, known: &Constants) -> Option<i64> {
    let words: Vec<&str> = text.split(' ').collect();
    let mut value = number(words[0], known)?;
    for pair in words[1..].chunks(2) {
        let &[operator, word] = pair else {
            return None;
        };
        let operand = number(word, known)?;
        value = match operator {
            "+" => value + operand,
            "-" => value - operand,
            "*" => value * operand,
            "<<" => value << operand,
            _ => return None,
        };
    }
    Some(value)
}

fn number(word: &str, known: &Constants) -> Option<i64> {
    if word == "u32::MAX" {
        return Some(u32::MAX.into());
    }
    if let Some(&value) = known.get(word) {
        return Some(value);
    }
    let ungrouped = word.replace('_', "");
    let digits = ungrouped.strip_suffix('u').unwrap_or(&ungrouped);
    match digits.strip_prefix("0x") {
        Some(digits) => i64::from_str_radix(digits, 16).ok(),
        None => digits.parse().ok(),
    }
}

/// The variants of an enum in a text, in order: `EnPassant` as `EN_PASSANT`.
fn variants(text: &str, name: &str) -> Vec<String> {
    let start = format!("enum {name} {{");
    let (_, body) = text.split_once(&start).expect(name);
    body.lines()
        .map(str::trim)
        .take_while(|line| *line != "}")
        .filter(|line| line.starts_with(char::is_uppercase))
        .map(|line| {
            let is_part = |c: char| c.is_alphanumeric();
            let mut upper = String::new();
            for c in line.chars().take_while(|&c| is_part(c)) {
                if c.is_uppercase() && !upper.is_empty() {
                    upper.push('_');
                }
                upper.push(c.to_ascii_uppercase());
            }
            upper
        })
        .collect()
}

/// What differs between the constants of a Rust text and those of a shader.
fn differences(rust: &str, shader: &str, names: &[[&str; 2]]) -> Vec<String> {
    let in_rust = constants(rust);
    let in_shader = constants(shader);
    let mut different = Vec::new();
    for [rust_name, shader_name] in names {
        let [here, there] = [in_rust.get(*rust_name), in_shader.get(*shader_name)];
        if here.is_none() || here != there {
            different.push(format!("{rust_name} {here:?}, {shader_name} {there:?}"));
        }
    }
    different
}

/// What differs between the variants of an enum and a shader's constants: all with the prefix.
fn differences_of_enum(rust: &str, shader: &str, shared: &SharedEnum) -> Vec<String> {
    let numbered = variants(rust, shared.name).into_iter().zip(0..);
    let named = numbered.filter(|(variant, _)| !shared.without.contains(&variant.as_str()));
    let expected: Constants = named
        .map(|(variant, number)| (format!("{}{variant}", shared.prefix), number))
        .collect();
    let mut found = constants(shader);
    found.retain(|name, _| name.starts_with(shared.prefix));
    let file = shared.shader;
    let lacking = expected
        .iter()
        .filter(|(name, number)| found.get(*name) != Some(number))
        .map(|(name, number)| format!("{file} has no `const {name}: u32 = {number}u;`"));
    let unknown = found
        .keys()
        .filter(|name| !expected.contains_key(*name))
        .map(|name| format!("{file} has {name}, which {} does not have", shared.name));
    lacking.chain(unknown).collect()
}

#[test]
fn shared_constants_have_the_same_values() {
    for (rust_file, shader, names) in SHARED {
        let found = differences(&read(rust_file), &read(shader), names);
        assert!(found.is_empty(), "{rust_file}, {shader}: {found:#?}");
    }
}

#[test]
fn enums_have_the_numbers_of_the_shaders() {
    for shared in ENUMS {
        let shader = read(shared.shader);
        let found = differences_of_enum(&read(shared.rust_file), &shader, shared);
        assert!(found.is_empty(), "{}: {found:#?}", shared.name);
    }
}

/// What is wrong with the `switch` of the shader's function `quantity`: constants that begin with
/// `QUANTITY_` and have no case of their own, and a default that answers for one of them.
fn faults_of_quantities(shader: &str) -> Vec<String> {
    let (_, after) = shader.split_once("fn quantity(").expect("fn quantity");
    let (function, _) = after.split_once("\n}\n").expect("its end");
    let lines = function
        .lines()
        .map(|line| line.split("//").next().unwrap());
    let code = lines.collect::<Vec<_>>().join("\n");
    let (cases, default) = code.split_once("default: {").expect("a default");
    let mut faults: Vec<String> = constants(shader)
        .into_keys()
        .filter(|name| name.starts_with("QUANTITY_"))
        .filter(|name| !cases.contains(&format!("case {name}: {{")))
        .map(|name| format!("`quantity` in files/shaders/encode.wgsl needs `case {name}: {{`"))
        .collect();
    if default.contains("record") {
        faults.push("the default answers for a quantity: give that one a case".to_owned());
    }
    faults
}

#[test]
fn every_quantity_has_a_case_of_its_own() {
    let shader = read("files/shaders/encode.wgsl");
    assert_eq!(faults_of_quantities(&shader), Vec::<String>::new());
    let case = "case QUANTITY_DOUBLE_THREAT: {";
    assert!(shader.contains(case));
    let without = shader.replace(case, "case QUANTITY_OTHER: {");
    assert_eq!(faults_of_quantities(&without).len(), 1);
    let hidden = shader.replace("return 0;\n", "return i32(record.answer);\n");
    assert_eq!(faults_of_quantities(&hidden).len(), 1);
}

#[test]
fn a_device_can_take_a_rule_for_each_quantity() {
    let quantities = variants(&read("files/src/filter/rules.rs"), "Quantity").len();
    let most_rules = constants(&read("files/src/device/recipe.rs"))["MOST_RULES"];
    assert!(
        i64::try_from(quantities).unwrap() <= most_rules,
        "{quantities} quantities: raise MOST_RULES of files/src/device/recipe.rs, which is {most_rules}, \
         and MAX_RULES of files/shaders/encode.wgsl, or a filter with all rules is left to the CPU"
    );
}

#[test]
fn differences_are_found() {
    let rust = "const A: usize = 32;\n    pub(crate) const B: usize = 2 * A;\n// const C: u8 = 3;";
    let names = [["A", "A"], ["B", "KINDS"]];
    let shader = "const A: u32 = 0x20u;\nconst KINDS: u32 = 64u;\n";
    assert_eq!(differences(rust, shader, &names), Vec::<String>::new());
    let other_kinds = "const A: u32 = 0x20u;\nconst KINDS: u32 = 65u;\n";
    assert_eq!(differences(rust, other_kinds, &names).len(), 1);
    // Neither has it.
    assert_eq!(differences(rust, shader, &[["C", "C"]]).len(), 1);
    let kinds = SharedEnum {
        rust_file: "",
        name: "Kind",
        shader: "",
        prefix: "KIND_",
        without: &["NONE"],
    };
    let rust_enum =
        "pub enum Kind {\n    /// None\n    None,\n    EnPassant,\n}\nenum Other {\n    A,\n}";
    let right = "const KIND_EN_PASSANT: u32 = 1u;";
    assert!(differences_of_enum(rust_enum, right, &kinds).is_empty());
    for wrong in [
        "",
        "const KIND_EN_PASSANT: u32 = 2u;",
        "const KIND_EN_PASSANT: u32 = 1u;\nconst KIND_MORE: u32 = 2u;",
    ] {
        assert_eq!(
            differences_of_enum(rust_enum, wrong, &kinds).len(),
            1,
            "{wrong}"
        );
    }
}
