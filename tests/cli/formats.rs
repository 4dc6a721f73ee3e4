use serde_json::Value;

use crate::games::{epd, scored, turned, write};
use crate::run::Folder;

const FORMATS: [&str; 4] = ["binpack", "viriformat", "marlinformat", "bulletformat"];

#[test]
fn every_format_gives_the_verdicts_of_the_text() {
    let folder = Folder::new();
    let epd = epd(1, 30);
    folder.write("text", scored(&epd));
    let expected = folder.run(&["verdict", "text"]).text().to_owned();
    assert!(expected.lines().count() > 1000);
    for format in ["binpack", "viriformat", "marlinformat"] {
        write(&folder, "data", format, &epd);
        for command in ["verdict", "score"] {
            let expected = folder.run(&[command, "text"]);
            let ran = folder.run(&[command, "data"]);
            assert!(ran.text() == expected.text(), "{command} {format}");
        }
        std::fs::remove_file(folder.path("data")).unwrap();
    }
    write(&folder, "data", "bulletformat", &epd);
    folder.write("turned", turned(&scored(&epd)));
    let fields = |ran: &str| -> Vec<String> {
        let line = |line: &str| line.split_once('\t').unwrap().1.to_owned();
        ran.lines().map(line).collect()
    };
    let expected = folder.run(&["verdict", "turned"]);
    let ran = folder.run(&["verdict", "data"]);
    assert_eq!(fields(ran.text()), fields(expected.text()));
}

#[test]
fn filter_keeps_the_format_and_the_same_positions() {
    let folder = Folder::new();
    let epd = epd(2, 30);
    folder.write("text", scored(&epd));
    let expected = folder.run(&["filter", "text"]).text().to_owned();
    for format in ["binpack", "viriformat", "marlinformat"] {
        write(&folder, "data", format, &epd);
        let args = ["filter", "data", "-o", "out", "--mode", "drop", "-q"];
        folder.run(&args).text();
        let ran = folder.run(&["convert", "out", "--to", "text"]);
        assert!(ran.text() == expected, "{format}");
        for name in ["data", "out"] {
            std::fs::remove_file(folder.path(name)).unwrap();
        }
    }
}

#[test]
fn all_kept_is_byte_for_byte_the_input() {
    let folder = Folder::new();
    for format in FORMATS {
        write(&folder, "data", format, &epd(3, 20));
        for mode in ["drop", "mark"] {
            let args = ["filter", "data", "--preset", "none", "--mode", mode];
            let ran = folder.run(&args);
            assert_eq!(ran.status, Some(0), "{}", ran.stderr);
            assert!(ran.stdout == folder.read("data"), "{format}");
        }
        std::fs::remove_file(folder.path("data")).unwrap();
    }
}

#[test]
fn a_binpack_is_marked_unless_asked_otherwise() {
    let folder = Folder::new();
    write(&folder, "data", "binpack", &epd(4, 20));
    let args = ["filter", "data", "-o", "marked", "--stats", "stats"];
    let ran = folder.run(&[&args[..], &["--report", "page.html"]].concat());
    assert!(ran.stderr.contains("\n  marked "), "{}", ran.stderr);
    let page = String::from_utf8(folder.read("page.html")).unwrap();
    assert!(page.contains("<td>marked: ") && !page.contains("<td>dropped: "));
    let stats: Value = serde_json::from_slice(&folder.read("stats")).unwrap();
    assert_eq!(stats["mode"], "mark");
    let count = |name: &str| -> Value {
        serde_json::from_str(folder.run(&["count", name, "--json"]).text()).unwrap()
    };
    let (before, after) = (count("data"), count("marked"));
    assert_eq!(before["positions"], after["positions"]);
    assert_eq!(after["scored"], stats["kept"]);
    let marked = before["scored"].as_u64().unwrap() - after["scored"].as_u64().unwrap();
    assert_eq!(after["no_score"], marked);
    assert!(marked > 0);
    let bytes = |name: &str| folder.path(name).metadata().unwrap().len();
    assert_eq!(stats["bytes"]["written"], bytes("marked"));
    folder
        .run(&["filter", "data", "-o", "dropped", "--mode", "drop"])
        .text();
    assert!(bytes("dropped") > bytes("marked"));
}

#[test]
fn an_ambiguous_file_asks_for_its_format() {
    let folder = Folder::new();
    write(&folder, "x.bin", "marlinformat", &epd(5, 1));
    // Without its first byte it soon fits none of the formats.
    let shifted = folder.read("x.bin")[1..].to_vec();
    folder.write("noise.bin", &shifted);
    let ran = folder.run(&["count", "noise.bin"]);
    let names = "'noise.bin' is in no known format; say --from FORMAT if it is one of: text, ";
    assert!(ran.error().starts_with(names), "{}", ran.stderr);
    let ran = folder.run(&["count", "noise.bin", "--from", "marlinformat"]);
    assert!(
        ran.error().starts_with("noise.bin, byte 0: "),
        "{}",
        ran.stderr
    );
    // A position after one move is possible in two of the formats.
    folder.write("two.bin", two_formats());
    let ran = folder.run(&["count", "two.bin"]);
    assert!(
        ran.error().starts_with("'two.bin' can be ")
            && ran.error().ends_with("say which with --from FORMAT"),
        "{}",
        ran.stderr
    );
    folder
        .run(&["count", "two.bin", "--from", "marlinformat"])
        .text();
}

/// A record whose tail is valid as bulletformat and as marlinformat: kings on a1 and a8, so
/// that the kings' squares are 0 and 0.
fn two_formats() -> Vec<u8> {
    let mut record = vec![0; 32];
    record[..8].copy_from_slice(&(1_u64 | 1 << 56).to_le_bytes());
    record[8] = 0xd5;
    record[24] = 64; // no en-passant target, or a score of 64
    record
}

#[test]
fn a_name_that_contradicts_the_format_is_refused() {
    let folder = Folder::new();
    write(&folder, "data", "viriformat", &epd(6, 1));
    let ran = folder.run(&["filter", "data", "-o", "out.marlinformat"]);
    assert_eq!(
        ran.error(),
        "'out.marlinformat' is named as marlinformat, but viriformat would be written; \
         choose another name, or --to marlinformat to convert into that"
    );
    // Two formats use `.binpack`, a third does not; tables are not written.
    let ran = folder.run(&["convert", "data", "-o", "out.binpack", "--to", "plain"]);
    assert!(
        ran.error()
            .contains("is named as binpack or viriformat, but plain"),
        "{}",
        ran.stderr
    );
    let ran = folder.run(&["filter", "data", "-o", "out.parquet"]);
    let refused =
        "'out.parquet' is named as parquet, which is not written, but viriformat would be";
    assert!(ran.error().starts_with(refused), "{}", ran.stderr);
    let ran = folder.run(&["filter", "data", "-o", "out.bin", "--rejects", "no.fen"]);
    let refused = "'no.fen' is named as text, but viriformat would be written";
    assert!(ran.error().starts_with(refused), "{}", ran.stderr);
    assert_eq!(folder.files(), ["data"]);
    let args = [
        "filter",
        "data",
        "-o",
        "out.marlinformat",
        "--to",
        "marlinformat",
    ];
    let ran = folder.run(&args);
    assert!(
        ran.stderr
            .starts_with("swaplist: note: not carried over to marlinformat: played move\n"),
        "{}",
        ran.stderr
    );
}

#[test]
fn compressed_in_and_out() {
    let folder = Folder::new();
    let text = scored(&epd(7, 10));
    folder.write("plain.txt", &text);
    let expected = folder.run(&["filter", "plain.txt"]);
    for extension in ["zst", "gz"] {
        let (packed, out) = (format!("in.txt.{extension}"), format!("out.{extension}"));
        let args = ["convert", "plain.txt", "-o", &packed, "-q"];
        folder.run(&args).text();
        assert!(folder.read(&packed).len() < text.len() / 2);
        folder.run(&["filter", &packed, "-o", &out]).text();
        let ran = folder.run(&["convert", &out, "--to", "text"]);
        assert!(ran.text() == expected.text());
        let ran = folder.run_with(&["filter"], &folder.read(&packed));
        assert!(ran.text() == expected.text(), "standard input");
        // Truncation is an error, not an end.
        let half = folder.read(&packed);
        folder.write("half", &half[..half.len() / 2]);
        let ran = folder.run(&["filter", "half", "-o", "no"]);
        let error = ran.error();
        assert_eq!(error.matches("it is cut off").count(), 1, "{error}");
        assert!(error.contains(" decompressed): "), "{error}");
        assert!(!folder.files().contains(&"no".to_owned()));
    }
}

/// The error says how far it was read, and what to do; no output is written.
#[test]
fn a_long_compressed_file_that_is_cut_off() {
    let folder = Folder::new();
    folder.write("in.fen", crate::run::lines(&crate::run::fens(6, 20_000)));
    for kind in ["zst", "gz"] {
        let name = format!("in.fen.{kind}");
        let args = ["convert", "in.fen", "--to", "text", "-o", &name, "-q"];
        folder.run(&args).text();
        let whole = folder.read(&name);
        folder.write(&name, &whole[..whole.len() / 2]);
        let ran = folder.run(&["filter", &name, "-o", "no"]);
        let error = ran.error();
        let after = format!(" data, after {} bytes (", whole.len() / 2);
        assert!(error.contains(&after), "{error}");
        let hint = " decompressed): it is cut off; nothing is left at 'no'; get the file again, or \
                    decompress as much as there is";
        assert!(error.ends_with(hint) && !error.contains("(0 "), "{error}");
        assert!(!folder.path("no").exists());
    }
}

#[test]
fn levels_of_compression() {
    let folder = Folder::new();
    write(&folder, "in.viriformat", "viriformat", &epd(7, 60));
    let run = |level: &str, out: &str| {
        let args = [
            "convert",
            "in.viriformat",
            "-o",
            out,
            "--to",
            "text",
            "-q",
            "--level",
            level,
        ];
        folder.run(&args)
    };
    let size = |level, out: &str| {
        let name = format!("{level}{out}");
        run(level, &name).text();
        folder.read(&name).len()
    };
    assert!(size("19", ".zst") < size("1", ".zst"));
    assert!(size("9", ".gz") < size("1", ".gz"));
    assert_eq!(
        run("10", "no.gz").error(),
        "cannot create 'no.gz': the level 10 is not one of gzip's, which are 1 to 9"
    );
    let error = "no.fen is not compressed and has no level; name a file .zst or .gz";
    assert_eq!(run("3", "no.fen").error(), error);
    let filter = [
        "filter",
        "in.viriformat",
        "-o",
        "kept.viriformat.zst",
        "--rejects",
    ];
    let args = [&filter[..], &["rejects.viriformat.gz", "--level", "1"]].concat();
    folder.run(&args).text();
    assert!(
        folder
            .read("rejects.viriformat.gz")
            .starts_with(b"\x1f\x8b")
    );
}

#[test]
fn truncated_files_are_errors_that_name_the_byte() {
    let folder = Folder::new();
    for format in FORMATS {
        write(&folder, "data", format, &epd(8, 2));
        let whole = folder.read("data");
        folder.write("cut", &whole[..whole.len() - 3]);
        let ran = folder.run(&["filter", "cut", "-o", "out", "--from", format]);
        assert!(
            ran.error().starts_with("cut, byte "),
            "{format}: {}",
            ran.stderr
        );
        assert_eq!(folder.files(), ["cut", "data"]);
        std::fs::remove_file(folder.path("data")).unwrap();
    }
}

/// The byte at which the last record, game or chain begins.
#[test]
fn what_is_cut_off_is_told_by_where_it_begins() {
    let folder = Folder::new();
    for (format, games) in [
        ("bulletformat", 2),
        ("marlinformat", 2),
        ("sfbin", 2),
        ("viriformat", 2),
        ("binpack", 1),
    ] {
        let size = |games| {
            write(&folder, "data", format, &epd(8, games));
            let bytes = folder.read("data");
            std::fs::remove_file(folder.path("data")).unwrap();
            bytes
        };
        let whole = size(games);
        let (begins, needed) = match format {
            "viriformat" => (size(1).len(), whole.len() - size(1).len()),
            // After the chunk's header.
            "binpack" => (8, whole.len() - 8),
            "sfbin" => (whole.len() - 40, 40),
            _ => (whole.len() - 32, 32),
        };
        for missing in [1, 3, 4] {
            folder.write("cut", &whole[..whole.len() - missing]);
            let ran = folder.run(&["filter", "cut", "-o", "out", "--from", format]);
            let start = format!("cut, byte {begins}: what begins here needs ");
            assert!(ran.error().starts_with(&start), "{format}: {}", ran.stderr);
            let left = format!(" at least, only {} are left; ", needed - missing);
            assert!(ran.error().contains(&left), "{format}: {}", ran.stderr);
        }
    }
}

#[test]
fn the_limit_is_exact_in_every_format() {
    let folder = Folder::new();
    for format in FORMATS {
        write(&folder, "data", format, &epd(9, 20));
        for limit in ["1", "77", "300"] {
            let args = [
                "filter", "data", "-o", "out", "--mode", "drop", "--limit", limit, "-q", "--force",
            ];
            folder.run(&args).text();
            let ran = folder.run(&["count", "out", "--from", format, "--json"]);
            let counts: Value = serde_json::from_str(ran.text()).unwrap();
            assert_eq!(counts["positions"].to_string(), limit, "{format}");
        }
        std::fs::remove_file(folder.path("data")).unwrap();
    }
}

#[test]
fn a_name_of_another_format_is_never_given_to_text() {
    let folder = Folder::new();
    folder.write("in.fen", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n");
    for name in ["out.binpack", "out.bin", "out.data", "out.viriformat"] {
        let ran = folder.run(&["filter", "in.fen", "-o", name]);
        assert_eq!(ran.status, Some(2), "{name}");
        let expected = "but text would be written; choose another name, or --to ";
        assert!(ran.stderr.contains(expected), "{name}: {}", ran.stderr);
    }
    assert_eq!(folder.files(), ["in.fen"]);
}

#[test]
fn fen_and_epd_are_other_names_of_text() {
    let folder = Folder::new();
    folder.write("in", "4k3/8/8/8/8/8/8/4K3 w - - 0 1\n");
    let filtered = |name| folder.run(&["filter", "in", "--from", name]).stdout;
    assert_eq!(filtered("text"), folder.read("in"));
    for name in ["fen", "epd"] {
        assert_eq!(filtered(name), filtered("text"), "{name}");
    }
}

#[test]
fn what_can_only_be_read_is_written_as_the_output_is_named() {
    let folder = Folder::new();
    folder.write("in.pgn", "[Event \"?\"]\n\n1. e4 d5 2. exd5 *\n");
    let ran = folder.run(&["filter", "in.pgn", "-o", "out.fen", "--preset", "none"]);
    assert_eq!(ran.status, Some(0), "{}", ran.stderr);
    let written = String::from_utf8(folder.read("out.fen")).unwrap();
    assert_eq!(written.lines().count(), 3);
    let ran = folder.run(&["filter", "in.pgn", "-o", "out"]);
    assert_eq!(ran.status, Some(2));
    assert!(ran.stderr.contains("add --to text"), "{}", ran.stderr);
}
