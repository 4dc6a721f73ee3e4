use serde_json::Value;

use crate::run::{Folder, fens, lines};

#[track_caller]
fn rows(args: &[&str], line: &str) -> Vec<String> {
    let ran = Folder::new().run_with(&[&["score"], args].concat(), line.as_bytes());
    let mut lines = ran.text().lines();
    assert_eq!(lines.next(), Some("fen\tmove\tsee"));
    lines
        .map(|row| row.split_once('\t').unwrap().1.replace('\t', " "))
        .collect()
}

const CASTLING: &str = "r3k2r/8/8/8/8/8/8/R3K2R w KQkq -";

#[test]
fn every_noisy_move_has_a_row() {
    let fen = "1n2k3/P7/8/3pP3/8/8/8/4K3 w - d6 0 1";
    assert_eq!(
        rows(&[], fen),
        [
            "e5d6 100",
            "a7a8n 225",
            "a7a8b 225",
            "a7a8r 400",
            "a7a8q 900",
            "a7b8n 550",
            "a7b8b 550",
            "a7b8r 725",
            "a7b8q 1225"
        ]
    );
    assert_eq!(rows(&["--moves", "captures"], fen).len(), 5);
    assert_eq!(rows(&["--moves", "all"], fen).len(), 9 + 6);
}

#[test]
fn the_fen_column_is_the_inputs_text() {
    let ran = Folder::new().run_with(&["score"], b" 4k3/8/8/3p4/4P3/8/8/4K3  w - - 7 bm exd5;\n");
    assert_eq!(
        ran.text(),
        "fen\tmove\tsee\n4k3/8/8/3p4/4P3/8/8/4K3  w - - 7\te4d5\t100\n"
    );
}

#[test]
fn named_moves_alone_are_scored_in_their_order() {
    let line = "4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1; e4e5 exd5 Rh8+ O-O";
    assert_eq!(rows(&[], line), ["e4e5 0", "e4d5 100", "h1h8 0", "e1g1 0"]);
}

#[test]
fn castling_is_read_in_both_ways_and_written_in_the_boards() {
    for name in ["e1g1", "e1h1", "O-O"] {
        let named = Folder::new().run_with(&["score"], format!("{CASTLING};{name}").as_bytes());
        assert!(named.text().ends_with("\te1g1\t0\n"), "{name}");
    }
    assert_eq!(rows(&[], &format!("{CASTLING};O-O-O")), ["e1c1 0"]);
    let chess960 = "4k3/8/8/8/8/8/8/1K3R2 w F - 0 1";
    assert_eq!(rows(&[], &format!("{chess960};b1f1")), ["b1f1 0"]);
}

#[test]
fn epd_is_scored_without_its_operations() {
    let line = "4k3/8/8/3p4/4P3/8/8/4K3 w - - bm exd5; id \"a;b | c\"; ce 100;";
    assert_eq!(rows(&[], line), ["e4d5 100"]);
}

#[test]
fn profile_values_and_single_options_are_heard() {
    let pinned = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1;e4c5";
    assert_eq!(rows(&[], pinned), ["e4c5 -225"]);
    assert_eq!(rows(&["--profile", "legal"], pinned), ["e4c5 100"]);
    assert_eq!(
        rows(&["--profile", "legal", "--pins", "none"], pinned),
        ["e4c5 -225"]
    );
    assert_eq!(rows(&["--values", "1-3-3-5-9"], pinned), ["e4c5 -2"]);
    assert_eq!(rows(&["--values", "-5,3,3,5,9"], pinned), ["e4c5 -8"]);
    let ep = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
    assert_eq!(rows(&["--en-passant", "zero"], ep), ["e5d6 0"]);
    let promotion = "4k3/P7/8/8/8/8/8/4K3 w - -;a8=Q";
    assert_eq!(rows(&["--first-promotion", "pawn"], promotion), ["a7a8q 0"]);
}

#[test]
fn jsonl_has_one_object_a_position() {
    let input = lines(&[
        "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
        "4k3/8/8/8/8/8/8/r3K3 w - - 0 1",
    ]);
    let ran = Folder::new().run_with(&["score", "--to", "jsonl"], input.as_bytes());
    let rows: Vec<Value> = ran
        .text()
        .lines()
        .map(|line| serde_json::from_str(line).unwrap())
        .collect();
    assert_eq!(rows.len(), 2);
    assert_eq!(rows[0]["moves"][0]["uci"], "e4d5");
    assert_eq!(rows[0]["moves"][0]["san"], "exd5");
    assert_eq!(rows[0]["moves"][0]["see"], 100);
    assert_eq!(rows[0]["in_check"], false);
    assert_eq!(rows[1]["in_check"], true);
    assert_eq!(rows[1]["moves"], Value::Array(Vec::new()));
    assert_eq!(
        rows[1]["rules"],
        "profile swap, values 100,325,325,500,1000"
    );
}

#[test]
fn verdicts_agree_with_scores() {
    let text = lines(&fens(4, 3_000));
    let scores = Folder::new().run_with(&["score"], text.as_bytes());
    let verdicts = Folder::new().run_with(&["verdict"], text.as_bytes());
    let mut scores = scores.text().lines().skip(1).peekable();
    let header = "fen\tin_check\tnoisy\tbest_see\tbest_move\tthreat_see\tthreat_move\tthreats";
    assert_eq!(verdicts.text().lines().next(), Some(header));
    for row in verdicts.text().lines().skip(1) {
        let columns: Vec<&str> = row.split('\t').collect();
        let own = |score: &&str| score.starts_with(&format!("{}\t", columns[0]));
        let mut best: Option<i32> = None;
        let mut noisy = 0;
        for _ in 0..columns[2].parse().unwrap() {
            let score = scores.next_if(own).unwrap();
            best = best.max(Some(score.rsplit('\t').next().unwrap().parse().unwrap()));
            noisy += 1;
        }
        assert_eq!(
            columns[3],
            best.map_or(String::new(), |see| see.to_string())
        );
        assert_eq!(columns[4].is_empty(), noisy == 0);
        assert!(columns[1] == "0" || columns[5].is_empty());
    }
    assert_eq!(scores.next(), None);
}

#[test]
fn verdict_tells_the_threat() {
    let line = b"4k3/8/8/8/8/3r4/3P4/7K w - - 0 1";
    let ran = Folder::new().run_with(&["verdict"], line);
    assert!(ran.text().ends_with("w - - 0 1\t0\t0\t\t\t100\td3d2\t1\n"));
    let json = Folder::new().run_with(&["verdict", "--to", "jsonl"], line);
    let json: Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(json["best_see"], Value::Null);
    assert_eq!(json["threat_move"], "d3d2");
    assert_eq!(json["threats"], 1);
    assert_eq!(json.get("quiescence"), None);
}

/// Threats are empty in check, quiescence is always a number.
#[test]
fn verdict_tells_threats_and_quiescence() {
    let drawn_away = "3r2k1/8/2n5/4p3/8/8/1B6/3R2K1 w - - 0 1";
    let in_check = "4k2r/8/8/3p4/4P3/8/8/7K w - - 0 1";
    let text = lines(&[drawn_away, in_check]);
    let ran = Folder::new().run_with(&["verdict", "--quiescence", "1"], text.as_bytes());
    let rows: Vec<&str> = ran.text().lines().collect();
    assert!(rows[0].ends_with("\tthreats\tquiescence"), "{}", rows[0]);
    assert!(rows[1].ends_with("\t1\t100"), "{}", rows[1]);
    assert!(rows[2].ends_with("\t\t0"), "{}", rows[2]);
    let args = ["verdict", "--quiescence", "0", "--to", "jsonl"];
    let ran = Folder::new().run_with(&args, text.as_bytes());
    let rows: Vec<Value> = ran
        .text()
        .lines()
        .map(|row| serde_json::from_str(row).unwrap())
        .collect();
    assert_eq!(
        [&rows[0]["quiescence"], &rows[1]["threats"]],
        [&Value::from(0), &Value::Null]
    );
    let ran = Folder::new().run_with(&["verdict", "--quiescence", "4"], text.as_bytes());
    assert_eq!(ran.status, Some(2));
    assert!(
        ran.stderr.contains("expected a whole number from 0 to 3"),
        "{}",
        ran.stderr
    );
}

#[cfg(unix)]
#[test]
fn a_reader_that_goes_away_is_no_error() {
    use std::io::{BufRead as _, BufReader, Read as _};
    let folder = Folder::new();
    folder.write("in", lines(&fens(5, 50_000)));
    let mut child = folder.command(&["score", "in"]).spawn().unwrap();
    let mut line = String::new();
    BufReader::new(child.stdout.take().unwrap())
        .read_line(&mut line)
        .unwrap();
    assert_eq!(line, "fen\tmove\tsee\n");
    let mut stderr = String::new();
    child
        .stderr
        .take()
        .unwrap()
        .read_to_string(&mut stderr)
        .unwrap();
    assert_eq!(child.wait().unwrap().code(), Some(0));
    assert_eq!(stderr, "");
}
