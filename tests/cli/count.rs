use serde_json::Value;

use crate::games::{epd, write};
use crate::run::{Folder, lines};

const QUIET: &str = "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | 0 | 0.5";
const HANGING: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 | 150 | 1.0";
const CHECK: &str = "4k3/8/8/8/8/8/8/r3K3 w - - 0 1 | -32002 | 0.0";

#[test]
fn each_count_is_right() {
    let input = lines(&[QUIET, HANGING, HANGING, CHECK]);
    let ran = Folder::new().run_with(&["count", "--json"], input.as_bytes());
    let json: Value = serde_json::from_str(ran.text()).unwrap();
    for (name, count) in [
        ("positions", 4),
        ("in_check", 1),
        ("with_noisy_move", 2),
        ("noisy_moves", 2),
        ("winning", 2),
        ("scored", 3),
        ("no_score", 1),
    ] {
        assert_eq!(json[name], count, "{name}");
    }
    assert_eq!(json["results"]["white"], 2);
    assert_eq!(json["results"]["draw"], 1);
    assert_eq!(json["pieces"][2], 1);
    assert_eq!(json["pieces"][4], 2);
    let bin = |list: &str, from: i32| {
        let bins = json[list].as_array().unwrap();
        let bin = bins.iter().find(|bin| bin["from"] == from).unwrap();
        bin["count"].as_u64().unwrap()
    };
    assert_eq!(bin("best_see", 1), 2); // a pawn is 1 .. 100
    assert_eq!(bin("scores", 0), 1);
    assert_eq!(bin("scores", 1), 2);
    let sum = |list: &str| -> u64 {
        let bins = json[list].as_array().unwrap().iter();
        bins.map(|bin| bin["count"].as_u64().unwrap()).sum()
    };
    assert_eq!((sum("best_see"), sum("scores")), (2, 3));
}

/// `-q` does not hide the counts: they are the output.
#[test]
fn quiet_is_not_silent() {
    let input = lines(&[QUIET, HANGING]);
    let folder = Folder::new();
    let loud = folder.run_with(&["count"], input.as_bytes());
    let quiet = folder.run_with(&["count", "-q"], input.as_bytes());
    assert_eq!(quiet.text(), loud.text());
    assert!(quiet.text().contains("\n  positions   2\n"));
}

/// Positions without a score in a PGN are not marked.
#[test]
fn positions_of_annotated_games_without_a_score() {
    let folder = Folder::new();
    let games = "[Event \"a\"]\n\n1. e4 {[%eval 0.2]} e5 1-0\n\n[Event \"b\"]\n\n1. d4 0-1\n";
    folder.write("in.pgn", games);
    let ran = folder.run(&["count", "in.pgn"]);
    for line in [
        "  games       2\n",
        "  W/D/L       2 / 0 / 1 positions, seen by White\n",
        "  scored      1 (33.3 %)\n",
        "  no score    1 (33.3 %), in games where others have one\n",
    ] {
        assert!(ran.text().contains(line), "{}", ran.text());
    }
}

#[test]
fn histograms_are_drawn() {
    let input = lines(&[QUIET, HANGING, HANGING, CHECK]);
    let ran = Folder::new().run_with(&["count"], input.as_bytes());
    let full = "█".repeat(40);
    let bar = format!("\nSEE of the best noisy move\n  1 .. 100  100.0 %  {full}\n");
    assert!(ran.text().contains(&bar), "{}", ran.text());
    assert!(
        ran.text()
            .contains("\n  W/D/L       2 / 1 / 1 positions, seen by White\n"),
        "{}",
        ran.text()
    );
}

#[test]
fn reports_are_complete_pages() {
    let folder = Folder::new();
    write(&folder, "data.viriformat", "viriformat", &epd(1, 10));
    folder
        .run(&[
            "count",
            "data.viriformat",
            "--report",
            "count.html",
            "--stats",
            "count.json",
        ])
        .text();
    let args = [
        "filter",
        "data.viriformat",
        "-o",
        "out.viriformat",
        "--report",
        "filter.html",
    ];
    folder.run(&args).text();
    for (name, plots) in [("count.html", 4), ("filter.html", 5)] {
        let page = String::from_utf8(folder.read(name)).unwrap();
        assert_eq!(page.matches("<h2>").count(), plots, "{name}");
        assert_eq!(page.matches("class=\"bars\"").count(), plots, "{name}");
        for elsewhere in ["src=", "href=", "url(", "<script"] {
            assert!(!page.contains(elsewhere), "{name}: {elsewhere}");
        }
    }
    let json: Value = serde_json::from_slice(&folder.read("count.json")).unwrap();
    assert_eq!(json["units"]["games"], 10);
}

#[test]
fn bars_of_reports_carry_their_figures_however_small() {
    let folder = Folder::new();
    let mut data = lines(&vec!["4k3/8/8/8/8/8/8/4K3 w - - 0 1"; 4998]);
    data += &lines(&["4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1"; 2]);
    folder.write("in.fen", data);
    folder
        .run(&["count", "in.fen", "--report", "count.html"])
        .text();
    let filter = [
        "filter",
        "in.fen",
        "-o",
        "out.fen",
        "--report",
        "filter.html",
    ];
    folder.run(&filter).text();
    let page = |name: &str| String::from_utf8(folder.read(name)).unwrap();
    let (count, filter) = (page("count.html"), page("filter.html"));
    for figure in ["4,998 (100.0 %)", "2 (0.0 %)"] {
        assert!(count.contains(figure), "{figure}");
        assert!(filter.contains(figure), "{figure}");
    }
    assert!(filter.contains("2 (0.0 %), kept 0 (0.0 %)"));
    assert!(filter.contains("4,998 (100.0 %), kept 4,998 (100.0 %)"));
    let narrow = count.matches("max(0.040%,3px)").count();
    assert_eq!(narrow, 1, "the pieces of two positions");
}

#[test]
fn a_filters_stats_tell_what_was_kept() {
    let folder = Folder::new();
    folder.write("in", lines(&[QUIET, HANGING, HANGING, CHECK]));
    folder
        .run(&["filter", "in", "-o", "out", "--stats", "stats"])
        .text();
    let stats: Value = serde_json::from_slice(&folder.read("stats")).unwrap();
    assert_eq!(stats["counts"]["read"]["positions"], 4);
    assert_eq!(stats["counts"]["kept"]["positions"], 1);
    assert_eq!(stats["counts"]["kept"]["winning"], 0);
}

/// Bulletformat does not tell who plays White.
#[test]
fn results_that_are_not_whites_say_so() {
    let folder = Folder::new();
    let games = epd(6, 4);
    write(&folder, "data.bf", "bulletformat", &games);
    write(&folder, "data.viriformat", "viriformat", &games);
    let seen = ", seen by the side to move\n";
    for (name, of_mover) in [("data.bf", true), ("data.viriformat", false)] {
        let counted = folder.run(&["count", name, "--report", "page", "--force"]);
        let filtered = folder.run(&["filter", name, "-o", "out", "--force"]);
        let page = String::from_utf8(folder.read("page")).unwrap();
        assert_eq!(counted.text().matches(seen).count(), usize::from(of_mover));
        assert_eq!(
            filtered.stderr.matches(seen).count(),
            2 * usize::from(of_mover)
        );
        assert_eq!(page.contains("Side to move won"), of_mover);
        assert_eq!(page.contains("White won"), !of_mover);
        let counted = folder.run(&["count", name, "--json"]);
        let json: Value = serde_json::from_str(counted.text()).unwrap();
        let result_side = if of_mover {
            "the side to move"
        } else {
            "White"
        };
        assert_eq!(json["result_side"], result_side);
    }
}
