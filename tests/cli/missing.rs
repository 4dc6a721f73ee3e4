//! Rules that need fields that records lack.

use crate::run::{Folder, lines};

#[test]
fn a_record_without_what_a_rule_asks_for_is_an_error() {
    let folder = Folder::new();
    for (args, field) in [
        (&["--preset", "bullet"][..], "played move"),
        (&["--played", "quiet"], "played move"),
        (&["--max-score", "10"], "score"),
        (
            &["--preset", "nnue-pytorch", "--skip-invalid"],
            "played move",
        ),
    ] {
        let args = [&["filter", "-o", "out"], args].concat();
        let input = lines(&["# a comment", "4k3/8/8/8/8/8/8/4K3 w - - 0 1"]);
        let ran = folder.run_with(&args, input.as_bytes());
        let start = format!("standard input: line 2: the filter asks for the {field}, ");
        assert!(ran.error().starts_with(&start), "{}", ran.error());
        assert!(
            ran.error()
                .ends_with("; or leave out the rules that need it (--explain shows them)"),
            "{}",
            ran.error()
        );
        assert_eq!(folder.files(), [""; 0]);
    }
    let input = lines(&["4k3/8/8/8/8/8/8/4K3 w - -"]);
    let ran = folder.run_with(&["filter", "--min-ply", "1"], input.as_bytes());
    assert!(ran.error().contains("asks for the move number"));
    assert!(ran.error().contains("FENs of six fields"));
}

/// Refused before reading, with the formats that do hold the field.
#[test]
fn a_format_that_never_holds_what_a_rule_asks_for_is_refused() {
    let folder = Folder::new();
    let all = |names: &str| {
        let error = format!("filter data in a format that does ({names}); or leave out the rules");
        move |ran: &str| assert!(ran.contains(&error), "{ran}")
    };
    let played = all("text, binpack, viriformat, sfbin, plain, pgn");
    let results = all("text, binpack, bulletformat, marlinformat, viriformat, sfbin, plain, pgn");
    folder.write("results.toml", "wdl_filtered = true\npreset = 'none'\n");
    for (format, args, lacking, formats) in [
        (
            "marlinformat",
            &["--preset", "bullet"][..],
            "the played move, which marlinformat never holds",
            &played as &dyn Fn(&str),
        ),
        (
            "bulletformat",
            &["--preset", "viriformat"],
            "the played move and the move number, which bulletformat never holds",
            &played,
        ),
        (
            "jsonl",
            &["--config", "results.toml"],
            "the result, which jsonl never holds",
            &results,
        ),
    ] {
        // Not even a record.
        folder.write("in", [0xff; 7]);
        let args = [&["filter", "in", "--from", format, "-o", "out"], args].concat();
        let ran = folder.run(&args);
        let start = format!("in: the filter asks for {lacking}; ");
        assert!(ran.error().starts_with(&start), "{}", ran.error());
        formats(ran.error());
        assert_eq!(folder.files(), ["in", "results.toml"]);
        let many = [&args[..2], &args[2..4], &["--out-dir", "many"], &args[6..]].concat();
        let ran = folder.run(&many);
        assert_eq!(ran.status, Some(1));
        assert!(ran.stderr.contains(&start), "{}", ran.stderr);
        std::fs::remove_dir_all(folder.path("many")).unwrap();
    }
}

/// The advice in the message works.
#[test]
fn a_partly_annotated_pgn_is_filtered_by_way_of_a_binpack() {
    let folder = Folder::new();
    let annotated = "[Event \"a\"]\n\n1. e4 {[%eval 0.2]} e5 {[%eval 0.3]} 1-0\n\n";
    folder.write(
        "in.pgn",
        format!("{annotated}[Event \"b\"]\n\n1. d4 d5 0-1\n"),
    );
    let ran = folder.run(&[
        "filter",
        "in.pgn",
        "-o",
        "out.binpack",
        "--max-score",
        "99",
        "-q",
    ]);
    let error = "in.pgn: game 2: the filter asks for the score, which this record does not have (in \
         pgn: comments); convert the games to binpack first, where those without any get the \
         score 32002, which means no score; or leave out the rules that need it (--explain \
         shows them)";
    assert_eq!(ran.error(), error);
    folder
        .run(&["convert", "in.pgn", "-o", "in.binpack", "-q"])
        .text();
    let args = [
        "filter",
        "in.binpack",
        "-o",
        "out.binpack",
        "--max-score",
        "99",
        "--mode",
    ];
    let ran = folder.run(&[&args[..], &["drop"]].concat());
    assert!(
        ran.stderr.contains("kept        1 (25.0 %)\n"),
        "{}",
        ran.stderr
    );
}
