//! Settings, what they ask for, and what they say.

use swaplist::Rules;
use swaplist::filter::{
    Field, Filter, Judgement, Missing, PlayedRules, Preset, Reason, Settings, SettingsError,
};
use swaplist::formats::{Place, Record};

use crate::{CHECK, QUIET};

#[test]
fn a_field_that_is_missing_is_an_error_of_the_rule_that_asks() {
    let rules: [(&str, &[Field]); 12] = [
        ("max_see = 0", &[]),
        ("max_pieces = 3", &[]),
        ("keep_fraction = 0.5", &[]),
        ("material_count_filtered = true", &[]),
        ("played = 'quiet'", &[Field::Played]),
        ("played = 'see-ge0'", &[Field::Played, Field::Score]),
        ("min_played_see = 0", &[Field::Played]),
        ("max_score = 0", &[Field::Score]),
        ("drop_unscored = true", &[]),
        ("wdl_filtered = true", &[Field::Score, Field::Outcome]),
        (
            "max_eval_incorrectness = 9",
            &[Field::Score, Field::Outcome],
        ),
        ("min_ply = 1", &[Field::Ply]),
    ];
    let bare = Record::new(Place::Line(7), 0..1);
    for (key, fields) in rules {
        let filter = from_keys(key);
        assert!(filter.needs().eq(fields.iter().copied()), "{key}");
        // In check, so another rule would drop it anyway: it is an error still.
        let judged = filter.judge(&Rules::SWAP, &CHECK.parse().unwrap(), &bare);
        match fields.first() {
            None => assert!(judged.is_ok(), "{key}"),
            Some(&field) => {
                let place = Place::Line(7);
                assert_eq!(judged, Err(Missing { field, place }), "{key}");
            }
        }
    }
    // What this asks for is whether there is one.
    let unscored = from_keys("drop_unscored = true");
    let judged = unscored.judge(&Rules::SWAP, &QUIET.parse().unwrap(), &bare);
    assert_eq!(judged, Ok(Judgement::Drop(Reason::Unscored)));
    let missing = from_keys("min_ply = 1").judge(&Rules::SWAP, &QUIET.parse().unwrap(), &bare);
    assert!(missing.unwrap_err().to_string().starts_with(
        "line 7: the filter asks for the move number, which this record does not have"
    ));
}

/// One rule upon none, without TOML, which is a feature.
fn from_keys(key: &str) -> Filter {
    let mut settings = Settings {
        preset: Some(Preset::None),
        ..Settings::default()
    };
    let (key, value) = key.split_once(" = ").unwrap();
    let number = || value.parse().unwrap();
    let limit = || Some(value.parse().unwrap());
    match key {
        "max_see" => settings.max_see = limit(),
        "min_played_see" => settings.min_played_see = limit(),
        "max_pieces" => settings.max_pieces = Some(value.parse().unwrap()),
        "max_score" => settings.max_score = Some(value.parse().unwrap()),
        "keep_fraction" => settings.keep_fraction = Some(value.parse().unwrap()),
        "material_count_filtered" => settings.material_count_filtered = Some(true),
        "played" => settings.played = Some(value.trim_matches('\'').parse().unwrap()),
        "drop_unscored" => settings.drop_unscored = Some(true),
        "wdl_filtered" => settings.wdl_filtered = Some(true),
        "max_eval_incorrectness" => settings.max_eval_incorrectness = Some(number()),
        "min_ply" => settings.min_ply = Some(number()),
        _ => panic!("{key}"),
    }
    settings.filter().unwrap()
}

#[test]
fn settings_out_of_range_or_at_odds_are_refused() {
    let probability = |key, value| SettingsError::Probability { key, value };
    for (settings, error) in [
        (
            Settings {
                keep_fraction: Some(1.5),
                ..Settings::default()
            },
            probability("keep_fraction", 1.5),
        ),
        (
            Settings {
                random_fen_skip_probability: Some(-0.1),
                ..Settings::default()
            },
            probability("random_fen_skip_probability", -0.1),
        ),
        (
            Settings {
                keep_checks: Some(true),
                filter_check: Some(true),
                ..Settings::default()
            },
            SettingsError::Contradiction("keep_checks", "filter_check"),
        ),
        (
            Settings {
                mom_target: Some(0),
                ..Settings::default()
            },
            SettingsError::Model("mom_target must not be 0"),
        ),
        (
            Settings {
                material_min: Some(79),
                ..Settings::default()
            },
            SettingsError::Contradiction("material_min", "material_max"),
        ),
    ] {
        assert_eq!(settings.filter(), Err(error));
    }
    let nan = Settings {
        keep_fraction: Some(f64::NAN),
        ..Settings::default()
    };
    assert!(nan.filter().is_err());
}

#[test]
fn every_reason_can_be_found_and_is_said() {
    let everything = Filter {
        max_see: Some(0),
        max_threat: Some(0),
        keep_checks: false,
        played: PlayedRules::NORMAL | PlayedRules::SEE_GE0,
        min_played_see: Some(0),
        max_played_see: Some(0),
        drop_unscored: true,
        max_score: Some(9),
        min_ply: 1,
        min_pieces: 3,
        max_pieces: Some(30),
        max_eval_incorrectness: Some(5),
        wdl_model: Some(swaplist::filter::WdlModel::default()),
        material_count: Some([0.5; 33]),
        random_skip: Some(0.5),
        keep_fraction: Some(0.5),
        seed: 1,
        invert: false,
    };
    let said: Vec<Reason> = everything
        .clauses()
        .into_iter()
        .map(|(reason, _)| reason)
        .collect();
    assert!(
        said.is_sorted(),
        "in the order in which they are looked for"
    );
    for reason in Reason::ALL {
        assert_eq!(said.contains(&reason), reason != Reason::Quiet, "{reason}");
    }
    let names: std::collections::HashSet<&str> = Reason::ALL.map(Reason::name).into();
    assert_eq!(names.len(), Reason::ALL.len());
}
