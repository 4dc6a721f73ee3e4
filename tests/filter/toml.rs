//! A filter's settings in TOML.

use swaplist::filter::{Played, Preset, Probability, Settings};

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
        played: Some(Played::NO_CASTLING),
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
