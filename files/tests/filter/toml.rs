//! A filter's settings in TOML.

use swaplist::Choice;
use swaplist_files::filter::{Filter, Preset, Probability, Reason, Settings};
use swaplist_files::formats::{Format, Place, RecordFields};

use crate::common::coded;
use crate::common::games::encoded;
use crate::placeholders::of_file;

#[test]
fn a_verbatim_file_and_what_is_wrong_in_others() {
    let file = "min_ply = 20\nmax_eval = 3000\nfilter_tactical = false\n\
        random_fen_skipping = true\nrandom_fen_skip_probability = 0.25\nseed = 9\n\
        max_see = 0\nplayed = ['no-castling']\nmax_threat = 'none'\n";
    let filter = Settings::from_toml(file).unwrap().filter().unwrap();
    let changes = Settings {
        min_ply: Some(20),
        max_eval: Some(3000),
        random_fen_skipping: Some(true),
        random_fen_skip_probability: Probability::new(0.25),
        seed: Some(9),
        max_see: Some(Some(0)),
        played: "no-castling".parse().ok(),
        ..Settings::default()
    };
    assert_eq!(
        filter,
        Preset::Viriformat.filter().changed(&changes).unwrap()
    );
    for (text, error) in [
        (
            "min_ply = 3\n\nmax_sea = 4\n",
            "line 3: unknown field `max_sea`",
        ),
        ("min_ply = -1", "line 1: -1 is out of range"),
        ("min_ply = 'x'", "line 1: "),
        ("min_ply = 3\nmin_ply = 4", "line 2: duplicate key"),
        ("max_see = 0.5", "expected a whole number"),
        ("max_see = 9999999999", "9999999999 is out of range"),
        ("max_pieces = -1", "-1 is out of range"),
        (
            "played = ['silent']",
            "unknown rule about the played move 'silent'",
        ),
        ("played = [1]", "unknown rule about the played move '1'"),
        ("preset = 'best'", "unknown preset 'best'"),
        (
            "material_count_probabilities = [0.5]",
            "1 numbers, expected 33",
        ),
        ("wdl_model_params_a = [0.5]", "line 1: "),
        (
            "\nkeep_fraction = 1.01",
            "line 2: 1.01 is not a probability",
        ),
        ("keep_fraction = 1.01", ", in `keep_fraction`"),
        ("random_fen_skip_probability = nan", "is not a probability"),
        (
            "max_see = { a = 1 }",
            "line 1: expected a boolean, a number",
        ),
        (
            "filter_check = true\nkeep_checks = true",
            "contradict each other",
        ),
        ("not toml", "line 1: "),
        (
            "min_ply = 9",
            "add preset = 'quiet' or preset = 'viriformat'",
        ),
        (
            "min_pieces = 4",
            "add preset = 'quiet' or preset = 'viriformat'",
        ),
        ("[filter]\nmin_ply = 3", "unknown field `filter`"),
    ] {
        let found = Settings::from_toml(text).unwrap_err().to_string();
        assert!(
            found.contains(error) && !found.contains('\n'),
            "{text}: {found}"
        );
    }
    for (text, base) in [
        ("", Preset::Quiet),
        ("max_see = 0\nmin_ply = 9", Preset::Quiet),
        ("min_ply = 9\nmax_eval = 9", Preset::Viriformat),
        ("max_see = 0\nmax_eval = 9", Preset::Viriformat),
        ("preset = 'none'\nmax_eval = 9", Preset::None),
    ] {
        assert_eq!(Settings::from_toml(text).unwrap().base(), base, "{text}");
    }
}

/// A file that viridithas has read since 2025-10, when it got a rule about the first score.
const VIRIDITHAS: &str = "min_ply = 16\nmin_pieces = 4\nmax_eval = 20000\nmax_opening_eval = 500\n\
    filter_tactical = true\nfilter_check = true\nfilter_castling = false\n\
    max_eval_incorrectness = 2000\n";

fn of_toml(text: &str) -> Filter {
    Settings::from_toml(text).unwrap().filter().unwrap()
}

#[test]
fn a_file_for_viridithas_of_today() {
    let changes = Settings {
        max_eval: Some(20_000),
        max_opening_eval: Some(500),
        max_eval_incorrectness: Some(2000),
        ..Settings::default()
    };
    let filter = Preset::Viriformat.filter().changed(&changes).unwrap();
    assert_eq!(of_toml(VIRIDITHAS), filter);
    let opening = "the score of the first record of its game or chain is more than 500 centipawns \
                   from 0";
    let clauses: Vec<&str> = filter.clauses().map(|(_, words)| words).collect();
    assert!(clauses.contains(&opening), "{clauses:?}");
    // What is left out is viridithas's default, 20,000, and not that of the crate viriformat.
    let shorter = VIRIDITHAS.replace("max_eval = 20000\n", "");
    assert_eq!(of_toml(&shorter), filter);
    let highest = "max_opening_eval = 4294967295\n";
    let lifted = of_toml(highest);
    assert_eq!(lifted, of_toml("max_eval = 20000\n"));
    assert_ne!(of_toml("max_eval = 31339\n"), lifted);
    assert_eq!(
        of_toml(&format!("max_eval = 9\n{highest}")),
        of_toml("max_eval = 9\n")
    );
}

/// What viridithas's `filter_pass_count` does: the whole game goes if the size of its first score is
/// above the bound.
#[test]
fn the_first_score_of_a_game_decides_about_all_of_it() {
    let filter = of_toml("preset = 'none'\nmax_opening_eval = 500\n");
    let games: [(&[i32], bool); 7] = [
        (&[500, 501, 9_000], true),
        (&[501, 0, 0], false),
        (&[-500, -501], true),
        (&[-501, 3], false),
        (&[0], true),
        (&[32_002, 5], false),
        (&[3, 32_002], true),
    ];
    let mut records = Vec::new();
    let mut expected = Vec::new();
    for (number, (scores, is_kept)) in (0..).zip(games) {
        for &score in scores {
            // A game is told by its bytes; here each position has a place of its own.
            let place = Place::Offset(records.len() as u64);
            let record = RecordFields::new(place, number..number + 1);
            records.push(record.with_score(Some(score)));
            expected.push(is_kept);
        }
    }
    let position = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1".parse().unwrap();
    let positions = vec![position; records.len()];
    let judged = filter.judge_all(&positions, &records, |_| Vec::new());
    let reasons = judged.unwrap();
    let kept: Vec<bool> = reasons.iter().map(Option::is_none).collect();
    assert_eq!(kept, expected);
    let names = reasons.iter().flatten().map(|reason| Reason::name(*reason));
    assert!(names.eq(core::iter::repeat_n("opening_score", 7)));
}

/// The same in files, whose formats tell in their own ways what a game is.
#[test]
fn games_of_files_go_by_their_first_score() {
    let settings = Settings::from_toml("preset = 'none'\nmax_opening_eval = 300\n").unwrap();
    for format in [Format::Binpack, Format::Viriformat] {
        let games = coded::games(format, 5, 60);
        let file = encoded(format, &games);
        let goes = |first: i16| first.unsigned_abs() > 300;
        let gone = games.iter().filter(|game| goes(game[0].score));
        let expected: u64 = gone.map(|game| game.len() as u64).sum();
        let [kept, _, dropped] = of_file(format, &file, &settings, "opening_score").unwrap();
        assert_eq!(dropped, expected, "{format:?}");
        assert!(dropped > 100 && kept > 100, "{format:?}: {dropped}, {kept}");
    }
    // Single records have no first score of a game.
    let file = encoded(Format::Sfbin, &coded::games(Format::Sfbin, 5, 6));
    let error = of_file(Format::Sfbin, &file, &settings, "opening_score").unwrap_err();
    assert!(error.contains("sfbin has single records"), "{error}");
}
