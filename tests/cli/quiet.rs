//! The presets stricter than `quiet`, and the script that measures filters.

use std::fmt::Write as _;
use std::process::Command;

use crate::run::{Folder, Ran, lines};

const CALM: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 20 sm e2e4;";
const HANGING: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 20 sm e4e5;";
const FORKED: &str = "6k1/8/8/3n4/8/2R1R3/8/6K1 w - - 0 20 sm Rc8+;";
const DRAWN_AWAY: &str = "3r2k1/8/2n5/4p3/8/8/1B6/3R2K1 w - - 0 20 sm Kf1;";
const TAKES: &str = "4k3/8/2p5/3p4/4P3/8/8/4K3 w - - 0 20 sm exd5;";
const CHECK: &str = "4k3/8/8/8/8/8/8/r3K3 w - - 0 20 sm Kd2;";
const FORKED_IN_CHECK: &str = "6k1/8/8/3n4/8/2R1R3/8/r5K1 w - - 0 20 sm Rc1;";

const ALL: [&str; 7] = [
    CALM,
    HANGING,
    FORKED,
    DRAWN_AWAY,
    TAKES,
    CHECK,
    FORKED_IN_CHECK,
];

fn filter(args: &[&str]) -> Ran {
    let args = [&["filter"], args].concat();
    Folder::new().run_with(&args, lines(&ALL).as_bytes())
}

#[test]
fn each_preset_is_stricter_than_the_one_before() {
    for (args, expected) in [
        (
            &["--preset", "quiet"][..],
            &[CALM, FORKED, DRAWN_AWAY, TAKES][..],
        ),
        (&["--preset", "calm"], &[CALM, DRAWN_AWAY, TAKES]),
        (&["--preset", "still"], &[CALM, TAKES]),
        (&["--preset", "played-calm"], &[CALM, DRAWN_AWAY]),
        (&["--drop-double-threat"], &[CALM, DRAWN_AWAY, TAKES]),
        (&["--quiescence", "1"], &[CALM, FORKED, TAKES]),
        (&["--quiescence", "0"], &[CALM, FORKED, DRAWN_AWAY, TAKES]),
        (
            &["--preset", "still", "--quiescence", "none"],
            &[CALM, DRAWN_AWAY, TAKES],
        ),
        (
            &["--preset", "still", "--drop-double-threat=false"],
            &[CALM, FORKED, TAKES],
        ),
        // In check nobody can pass: there is no threat.
        (
            &["--preset", "none", "--drop-double-threat"],
            &[CALM, HANGING, DRAWN_AWAY, TAKES, CHECK, FORKED_IN_CHECK],
        ),
        (
            &["--preset", "none", "--quiescence", "1", "--invert"],
            &[HANGING, DRAWN_AWAY],
        ),
    ] {
        let ran = filter(args);
        assert_eq!(ran.text(), lines(expected), "{args:?}");
    }
}

#[test]
fn a_file_of_rules_has_the_same_keys() {
    let folder = Folder::new();
    folder.write("still.toml", "drop_double_threat = true\nquiescence = 1\n");
    let args = ["filter", "--config", "still.toml"];
    let ran = folder.run_with(&args, lines(&ALL).as_bytes());
    assert_eq!(ran.text(), lines(&[CALM, TAKES]));
    for (text, error) in [
        (
            "quiescence = 4",
            "line 1: 4 is out of range, expected a whole number, 0 to 3, or 'none' for no bound, \
             in `quiescence`",
        ),
        (
            "quiescence = true",
            "line 1: expected a whole number, 0 to 3",
        ),
        (
            "drop_double_threat = 2",
            "expected true or false, in `drop_double_threat`",
        ),
    ] {
        folder.write("still.toml", text);
        let ran = folder.run_with(&args, b"");
        assert_eq!(ran.status, Some(2));
        assert!(ran.stderr.contains(error), "{}", ran.stderr);
    }
    for depth in ["4", "-1", "99999999999999999999", "one"] {
        let ran = filter(&["--quiescence", depth]);
        assert_eq!((ran.status, ran.stdout.len()), (Some(2), 0), "{depth}");
        assert!(ran.stderr.contains("0 to 3"), "{}", ran.stderr);
    }
}

#[test]
fn the_definitions_are_explained() {
    let ran = filter(&["--preset", "still", "--explain"]);
    for part in [
        "preset still: ",
        "noisy moves with a SEE above 0 to two squares or more",
        "material quiescence, W1",
        "after at most 2 moves SEE decides, and either side may stop at any time",
    ] {
        assert!(ran.text().contains(part), "{}", ran.text());
    }
}

/// The script on the verdicts of a small made file: the rules keep what the presets keep, and the
/// errors are those of what is kept.
#[test]
fn the_script_measures_a_small_made_file() {
    let folder = Folder::new();
    let bare = ALL.map(|line| line.split(" sm ").next().unwrap());
    folder.write("in", lines(&bare));
    let args = ["verdict", "in", "--quiescence", "1", "-o", "verdicts"];
    assert_eq!(folder.run(&args).status, Some(0));
    let mut values = "fen\tstatic\tsearch\tnoisy\n".to_owned();
    // s(0) = 1/2, and s(1e9) = 1: errors of 0, or 50 %.
    for (fen, search) in bare.iter().zip([0.0, 1e9, 1e9, 1e9, 0.0, 1e9, 1e9]) {
        let noisy = u8::from(*fen == bare[4]);
        writeln!(values, "{fen}\t0\t{search}\t{noisy}").unwrap();
    }
    values += "8/8/8/8/8/8/4k3/K7 w - - 0 1\t0\t0\t0\n";
    folder.write("values", &values);
    let script = |args: &[&str]| {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/../docs/measure_quiet.py");
        let mut python = Command::new("python3");
        python.current_dir(folder.path("")).arg(path).args(args);
        let output = python.output().expect("python3 is needed");
        let [text, errors] =
            [output.stdout, output.stderr].map(|bytes| String::from_utf8(bytes).unwrap());
        (output.status.code(), text, errors)
    };
    let args = [
        "verdicts",
        "values",
        "--rounds",
        "50",
        "--rule",
        "mine=captures > 0",
    ];
    let (status, text, errors) = script(&args);
    assert_eq!(
        (status, errors.as_str()),
        (Some(0), "5 positions, 1 without a verdict\n")
    );
    let row = |name: &str| -> Vec<String> {
        let mut rows = text
            .lines()
            .map(|line| line.split('\t').map(str::to_owned).collect());
        rows.find(|row: &Vec<String>| row[0] == name).unwrap()
    };
    for (name, kept, error, against) in [
        ("nothing", "100.00", "30.00", "5.00"),
        ("quiet", "80.00", "25.00", "0.00"),
        ("calm", "60.00", "16.67", "-8.33"),
        ("still", "40.00", "0.00", "-25.00"),
        ("played", "80.00", "37.50", "12.50"),
        ("played-calm", "40.00", "25.00", "0.00"),
        ("mine", "40.00", "25.00", "0.00"),
    ] {
        let row = row(name);
        assert_eq!(
            [&row[1], &row[2], &row[5]],
            [kept, error, against],
            "{name}"
        );
        let [low, high] = [3, 4].map(|i| row[i].parse::<f64>().unwrap());
        assert!((0.0..=high).contains(&low) && high <= 50.0, "{row:?}");
    }
    for (args, error) in [
        (&["verdicts", "verdicts"][..], "no column 'static'"),
        (&["values", "values"], "no column 'in_check'"),
        (&["verdicts", "missing"], "missing"),
        (
            &["verdicts", "values", "--rule", "a=sea > 0"],
            "unknown name 'sea'",
        ),
        (&["verdicts", "values", "--rule", "a=see >"], "rule 'a'"),
        (
            &["verdicts", "values", "--rule", "a=see > 1 / 0"],
            "division by zero",
        ),
    ] {
        let (status, text, errors) = script(args);
        assert_eq!((status, text.as_str()), (Some(2), ""), "{args:?} {errors}");
        assert!(errors.contains(error), "{errors}");
    }
}
