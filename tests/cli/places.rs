//! What a new format or rule needs beside the library: each place that lists them has all of them.
//!
//! Such lists are in prose and in other languages, so their texts are read. If a test here fails,
//! its message names the place and what it lacks.

use std::fs;
use std::path::Path;

use swaplist::Choice;
use swaplist_files::filter::FLAGS;
use swaplist_files::formats::Format;

/// A text in a file, between two others, that names formats.
struct Place {
    file: &'static str,
    begins: &'static str,
    ends: &'static str,
    formats: Formats,
    /// How a name stands there, `{}` being the name.
    form: &'static str,
    /// Words that stand for formats: `FEN` for text.
    words: &'static [(Format, &'static str)],
    without: &'static [Format],
}

/// The formats that a place names.
#[derive(Clone, Copy, PartialEq)]
enum Formats {
    All,
    /// Those that other formats are converted to.
    Written,
    /// Those that are only read.
    Read,
}

const PLACES: &[Place] = &[
    Place {
        file: "README.md",
        begins: "swaplist reads and writes ",
        ends: "docs/formats.md",
        formats: Formats::All,
        form: "`{}`",
        words: &[
            (Format::Montyformat, "Monty's games"),
            (Format::Montyvalue, "Monty's games"),
            (Format::Pgn, "PGN"),
            (Format::Csv, "`.csv`"),
            (Format::Jsonl, "evaluations in JSON"),
        ],
        without: &[],
    },
    Place {
        file: "docs/formats.md",
        begins: "| name | content |",
        ends: "\n\n",
        formats: Formats::All,
        form: "`{}`",
        words: &[],
        without: &[],
    },
    Place {
        file: "docs/formats.md",
        begins: "| | whose | no score |",
        ends: "\n\n",
        formats: Formats::Written,
        form: "`{}`",
        words: &[],
        without: &[],
    },
    Place {
        // The doc comment is the command's help.
        file: "cli/src/convert.rs",
        begins: "Scores and results are White's",
        ends: "conversions flip",
        formats: Formats::Written,
        form: "{}",
        words: &[],
        without: &[],
    },
    Place {
        file: "python/swaplist/_types.py",
        begins: "\nFormat = Literal[",
        ends: "]",
        formats: Formats::Written,
        form: "\"{}\"",
        words: &[],
        without: &[],
    },
    Place {
        file: "python/swaplist/_types.py",
        begins: "\nInputFormat = Format | Literal[",
        ends: "]",
        formats: Formats::Read,
        form: "\"{}\"",
        words: &[],
        without: &[],
    },
    Place {
        file: "python/tests/test_files.py",
        begins: "\nFORMATS = [",
        ends: "]",
        formats: Formats::Written,
        form: "\"{}\"",
        words: &[],
        without: &[],
    },
    Place {
        file: "python/tests/test_gpu.py",
        begins: "\nFILTERED = [",
        ends: "\nKINDS",
        formats: Formats::Written,
        form: "\"{}\"",
        words: &[],
        without: &[],
    },
    Place {
        file: "web/page/index.html",
        begins: "<p class=\"quiet\">FEN, EPD",
        ends: "</p>",
        formats: Formats::All,
        form: "{}",
        words: &[
            (Format::Text, "FEN"),
            (Format::Sfbin, ".bin"),
            (Format::Montyformat, "Monty"),
            (Format::Montyvalue, "Monty"),
            (Format::Pgn, "PGN"),
            (Format::Csv, ".csv"),
            (Format::Jsonl, "JSON"),
        ],
        without: &[],
    },
    Place {
        file: "web/tests/inputs.mjs",
        begins: "for (const format of [",
        ends: "]",
        formats: Formats::Written,
        form: "'{}'",
        words: &[],
        // The samples that the others are made from.
        without: &[Format::Text, Format::Binpack],
    },
];

/// A file's text, in which the lines of a doc comment are one line.
fn read(file: &str) -> String {
    let path = Path::new(env!("CARGO_MANIFEST_DIR")).join("..").join(file);
    let text = fs::read_to_string(path).unwrap_or_else(|error| panic!("{file}: {error}"));
    text.replace("\n/// ", " ")
}

/// The text between two others, both included.
fn between<'t>(text: &'t str, begins: &str, ends: &str) -> Option<&'t str> {
    let start = text.find(begins)?;
    let inner = start + begins.len();
    let length = text[inner..].find(ends)?;
    Some(&text[start..inner + length + ends.len()])
}

/// The names of the formats that this place should name in this text, and does not.
fn missing(place: &Place, text: &str) -> Vec<&'static str> {
    let list = between(text, place.begins, place.ends).unwrap_or_else(|| {
        let Place { file, begins, .. } = place;
        panic!("{file} has no list that begins with {begins:?}: correct PLACES in this test")
    });
    let belongs = |format: Format| match place.formats {
        Formats::All => true,
        Formats::Written => format.spec().is_convertible_to,
        Formats::Read => !format.spec().is_convertible_to,
    };
    let all = Format::ALL.iter().copied();
    all.filter(|format| belongs(*format) && !place.without.contains(format))
        .filter(|format| {
            let mut words = place.words.iter();
            let named = place.form.replace("{}", format.name());
            let word = words.find(|(of, _)| of == format);
            !list.contains(word.map_or(&*named, |(_, word)| word))
        })
        .map(Format::name)
        .collect()
}

#[test]
fn every_list_of_formats_has_all_formats() {
    let mut lacking = Vec::new();
    for place in PLACES {
        for name in missing(place, &read(place.file)) {
            let Place { file, begins, .. } = place;
            lacking.push(format!(
                "{file}: {name} is not in the list after {begins:?}"
            ));
        }
    }
    assert!(lacking.is_empty(), "{}", lacking.join("\n"));
}

#[test]
fn a_format_that_is_missing_is_found() {
    for place in PLACES {
        let text = read(place.file);
        let list = between(&text, place.begins, place.ends).unwrap();
        let form = place.form.replace("{}", "viriformat");
        let shortened = text.replace(list, &list.replace(&form, "other"));
        let [before, after] = [&text, &shortened].map(|text| missing(place, text));
        let is_listed = place.formats != Formats::Read;
        let added = after.iter().filter(|name| !before.contains(name));
        let expected: &[&str] = if is_listed { &["viriformat"] } else { &[] };
        assert!(added.eq(expected), "{}: {after:?}", place.file);
    }
}

/// The page and tests name files by their format. Text has many extensions, and no name among them.
#[test]
fn the_name_of_a_format_is_an_extension_of_it() {
    let all = Format::ALL.iter().copied();
    for format in all.filter(|format| *format != Format::Text) {
        let name = format.name();
        let named = Format::ALL
            .iter()
            .filter(|format| format.spec().extensions.contains(&name));
        assert!(named.eq([&format]), "add {name:?} to its `extensions`");
    }
}

/// Rules with a number that have no slider on the page, but a field for text.
const WITHOUT_SLIDER: &[&str] = &[
    "seed",
    "min_played_see",
    "max_played_see",
    // The page has a slider of its own for it.
    "max_see",
];

#[test]
fn every_rule_with_a_number_has_a_slider_or_is_known_to_have_none() {
    let page = read("web/page/settings.js");
    let ranges = between(&page, "const RANGES = {", "};").expect("RANGES");
    for flag in FLAGS {
        let name = flag.name;
        let is_number = !flag.is_switch && !["preset", "played"].contains(&name);
        let has_slider = ranges.contains(&format!(" {name}: ["));
        let expected = is_number && !WITHOUT_SLIDER.contains(&name);
        assert_eq!(
            has_slider, expected,
            "{name}: add it to RANGES in web/page/settings.js, or to WITHOUT_SLIDER in this test"
        );
    }
}

#[test]
fn python_knows_every_rule() {
    let types = read("python/swaplist/_types.py");
    let classes = between(&types, "class PositionRules(", "class FileSettings(").unwrap();
    let files = read("python/swaplist/_files.py");
    let (_, filter) = files.split_once("\ndef filter(").expect("def filter");
    let help = between(filter, "\"\"\"", "\"\"\"").unwrap();
    let columns = read("python/swaplist/_columns.py");
    let is_quiet = between(&columns, "\ndef is_quiet(", "Returns:").unwrap();
    let of_positions = between(classes, "class PositionRules(", "class Rules(").unwrap();
    for flag in FLAGS.iter().filter(|flag| flag.name != "preset") {
        let name = flag.name;
        let key = format!("\n    {name}: ");
        assert!(
            classes.contains(&key),
            "python/swaplist/_types.py: add {name} to PositionRules if `is_quiet` can have it, \
             otherwise to Rules"
        );
        assert!(
            help.contains(name),
            "python/swaplist/_files.py: explain {name} in the docstring of `filter`"
        );
        assert!(
            !of_positions.contains(&key) || is_quiet.contains(name),
            "python/swaplist/_columns.py: explain {name} in the docstring of `is_quiet`"
        );
    }
}
