use serde_json::Value;

use crate::run::Folder;

const SECOND: &str = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";

#[test]
fn the_start_position_has_a_name() {
    let explain = |args: &[&str]| Folder::new().run(&[&["explain"], args].concat());
    let start = explain(&[
        "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
        "e2e4",
    ]);
    assert_eq!(explain(&["startpos", "e2e4"]).text(), start.text());
    assert!(explain(&["startpos"]).text().starts_with("  8  r n b q k"));
}

/// As on CPW's page "SEE - The Swap Algorithm".
#[test]
fn the_second_example_reads_like_cpws_page() {
    let folder = Folder::new();
    for name in ["d3e5", "Nxe5"] {
        let ran = folder.run(&["explain", SECOND, name]);
        let text = ran.text();
        assert!(
            text.starts_with("  8  . k . r . . . q\n  7  . p p n . . . p\n"),
            "{text}"
        );
        let exchange = "
   0  White knight d3 x pawn             100
   1  Black knight d7 x knight           225  325 - 100
   2  White rook e2 x knight             100  325 - 225
   3  Black bishop f6 x rook             400  500 - 100
   4  White queen e1 x bishop            -75  325 - 400
   5  Black queen h8 x queen            1075  1000 + 75
   6  White cannot capture               -75  1000 - 1075, speculative

swap list: 100, 225, 100, 400, -75, 1075, -75
";
        assert!(text.contains(exchange), "{text}");
        assert!(text.ends_with("\nSEE of Nxe5 (d3e5) = -225\n"), "{text}");
    }
}

#[test]
fn the_first_example() {
    let first = "1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1";
    let ran = Folder::new().run(&["explain", first, "e1e5"]);
    assert!(ran.text().ends_with("\nSEE of Rxe5 (e1e5) = 100\n"));
}

#[test]
fn without_a_move_the_noisy_ones_are_listed() {
    let ran = Folder::new().run(&["explain", SECOND]);
    let list = "   -225  Bxb7 (g2b7)\n   -225  Nxe5 (d3e5)\n   -400  Rxe5 (e2e5)\n";
    assert!(ran.text().ends_with(list), "{}", ran.text());
    assert!(ran.text().contains("White to move, not in check"));
    let bare = Folder::new().run(&["explain", "4k3/8/8/8/8/8/8/r3K3 w - - 0 1"]);
    assert!(bare.text().contains("White to move, in check"));
    assert!(bare.text().contains("no noisy moves"));
}

#[test]
fn profiles_that_differ_stand_side_by_side() {
    let pinned = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";
    let ran = Folder::new().run(&["explain", pinned, "e4c5"]);
    let line = "The profiles differ on this move:  swap -225  sf8 -225  sf -225  legal 100\n";
    assert!(ran.text().ends_with(line), "{}", ran.text());
    let json = Folder::new().run(&["explain", pinned, "e4c5", "--json"]);
    let json: Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(json["profiles"]["legal"], 100);
    assert_eq!(json["move"]["see"], -225);
    assert_eq!(json["rules"]["profile"], "swap");
}

#[test]
fn errors_name_the_position_and_the_move() {
    let folder = Folder::new();
    let error = "'4k3 w': too few fields for a FEN (2, expected board, side to move, castling, \
                 en passant)";
    assert_eq!(folder.run(&["explain", "4k3 w"]).error(), error);
    let kings = "8/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let error = format!("'{kings}': black has 0 kings, exactly 1 is needed");
    assert_eq!(folder.run(&["explain", kings]).error(), error);
    let error = "no position; expected a FEN";
    assert_eq!(folder.run(&["explain", " # "]).error(), error);
    let ran = folder.run(&["explain", SECOND, "d3d4"]);
    assert_eq!(
        ran.error(),
        format!("illegal move 'd3d4' in the position '{SECOND}'")
    );
}

#[test]
fn who_may_not_recapture_is_named_with_the_reason() {
    let pinned = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1";
    let explain = ["explain", pinned, "e4c5", "--profile", "legal"];
    let ran = Folder::new().run(&explain);
    let why = "\n      Be7 may not recapture: pinned to e8 by Re1\n   1  Black cannot capture";
    assert!(ran.text().contains(why), "{}", ran.text());
    let ran = Folder::new().run(&[&explain[..], &["--json"]].concat());
    let json: Value = serde_json::from_str(ran.text()).unwrap();
    let barred = serde_json::json!([{"ply": 0, "piece": "Be7", "reason": "pinned to e8 by Re1"}]);
    assert_eq!(json["barred"], barred);
    let kings = "8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1";
    let ran = Folder::new().run(&["explain", kings, "f4e5"]);
    let why = "Kf6 may not recapture: Ke4 still guards e5";
    assert!(ran.text().contains(why), "{}", ran.text());
}

/// Any line that `score` reads, with its named moves.
#[test]
fn lines_of_every_form_are_explained() {
    let folder = Folder::new();
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let plain = folder.run(&["explain", fen]);
    let four = "4k3/8/8/3p4/4P3/8/8/4K3 w - -";
    for line in [
        &format!("{fen} | 5 | 1.0"),
        &format!("{four} bm exd5; id \"x\";"),
    ] {
        let ran = folder.run(&["explain", line]);
        let (list, all) = (plain.text().split_once("SEE").unwrap().1, ran.text());
        assert!(all.ends_with(list), "{all}");
    }
    let named = folder.run(&["explain", &format!("{fen};exd5")]);
    assert_eq!(named.text(), folder.run(&["explain", fen, "e4d5"]).text());
    let both = folder.run(&["explain", &format!("{fen};exd5 Kd2")]);
    assert!(both.text().starts_with(named.text()));
    assert!(both.text().ends_with("\nSEE of Kd2 (e1d2) = 0\n"));
    let json = folder.run(&["explain", &format!("{fen};exd5 Kd2"), "--json"]);
    let json: Value = serde_json::from_str(json.text()).unwrap();
    assert_eq!(json["exchanges"][0]["move"]["see"], 100);
    assert_eq!(json["exchanges"][1]["move"]["uci"], "e1d2");
}

#[test]
fn why_the_first_move_settles_it() {
    let folder = Folder::new();
    let castles = ["explain", "4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O"];
    for (args, why) in [
        (
            &castles[..],
            "Castling captures nothing and starts no exchange: it is 0.\n",
        ),
        (
            &["explain", "4k3/8/8/8/8/8/3p4/4K3 w - - 0 1", "Kxd2"],
            "A king that moves legally is never recaptured.\n",
        ),
        (
            &[
                "explain",
                "7k/2p5/8/3pP3/8/8/6B1/7K w - d6 0 1",
                "e5d6",
                "--en-passant",
                "zero",
            ],
            "These rules settle the value with the first move.\n",
        ),
    ] {
        let ran = folder.run(args);
        assert!(ran.text().contains(why), "{}", ran.text());
    }
}

/// Typed without quotation marks.
#[test]
fn every_field_may_be_an_argument() {
    let folder = Folder::new();
    let bare = |line: &str| {
        let words: Vec<&str> = line.split(' ').collect();
        folder.run(&[&["explain"], &words[..]].concat())
    };
    for (fen, asked) in [
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "e4d5"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1", "exd5"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - -", "exd5"),
        ("4k3/8/8/3p4/4P3/8/8/4K3 w - - 7", "e5"),
        ("4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 2", "e5d6"),
        ("4k3/8/8/8/8/8/8/4K2R w K - 0 1", "O-O"),
    ] {
        let quoted = folder.run(&["explain", fen, asked]);
        assert!(quoted.text().contains("\nSEE of "), "{}", quoted.text());
        assert_eq!(bare(&format!("{fen} {asked}")).text(), quoted.text());
        assert_eq!(bare(fen).text(), folder.run(&["explain", fen]).text());
        let options = bare(&format!("--profile legal {fen} {asked} --json"));
        let quoted = folder.run(&["explain", fen, asked, "--json", "--profile", "legal"]);
        assert_eq!(options.text(), quoted.text());
        // Partly in quotation marks.
        let halves = fen.split_at(fen.len() - 2);
        let halves = folder.run(&["explain", halves.0, halves.1, asked]);
        let whole = folder.run(&["explain", fen, asked]);
        assert_eq!(halves.text(), whole.text());
    }
    for (line, error) in [
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 e4d5 e4e5",
            "'e4d5 e4e5' after the FEN: expected one move; put several \
             in quotation marks, \"FEN;MOVE MOVE\"",
        ),
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 2",
            "'2' is not a move in UCI or SAN (in the position '4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1')",
        ),
        (
            "4k3/8/8/3p4/4P3/8/8/4K3 w e4d5",
            "'4k3/8/8/3p4/4P3/8/8/4K3 w e4d5': too few fields for a FEN (3, expected board, side \
             to move, castling, en passant)",
        ),
    ] {
        assert_eq!(bare(line).error(), error);
    }
}
