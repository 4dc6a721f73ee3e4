//! Settings: required fields and messages.

use swaplist::Rules;
use swaplist::filter::{Missing, Reason, Setting, Settings};
use swaplist::formats::{Part, Place, Record};

use crate::{CHECK, QUIET, rules};

#[test]
fn a_field_that_is_missing_is_an_error_of_the_rule_that_asks() {
    let of_keys: [(&str, &[Part]); 12] = [
        ("max_see=0", &[]),
        ("max_pieces=3", &[]),
        ("keep_fraction=0.5", &[]),
        ("material_count_filtered=true", &[]),
        ("played=quiet", &[Part::Played]),
        ("played=see-ge0", &[Part::Played, Part::Score]),
        ("min_played_see=0", &[Part::Played]),
        ("max_score=0", &[Part::Score]),
        ("drop_unscored=true", &[]),
        ("wdl_filtered=true", &[Part::Score, Part::Result]),
        ("max_eval_incorrectness=9", &[Part::Score, Part::Result]),
        ("min_ply=1", &[Part::Clocks]),
    ];
    let bare = Record::new(Place::Line(7), 0..1);
    for (key, fields) in of_keys {
        let filter = rules(key);
        assert!(filter.needs().eq(fields.iter().copied()), "{key}");
        // In check, so another rule would drop it; still an error.
        let judged = filter.judge(&Rules::SWAP, &CHECK.parse().unwrap(), &bare);
        match fields.first() {
            None => assert!(judged.is_ok(), "{key}"),
            Some(&field) => {
                let place = Place::Line(7);
                assert_eq!(judged, Err(Missing { field, place }), "{key}");
            }
        }
    }
    // This rule tests whether there is a score, so it needs none.
    let unscored = rules("drop_unscored=true");
    let judged = unscored.judge(&Rules::SWAP, &QUIET.parse().unwrap(), &bare);
    assert_eq!(judged, Ok(Reason::named("unscored")));
    let missing = rules("min_ply=1").judge(&Rules::SWAP, &QUIET.parse().unwrap(), &bare);
    assert!(missing.unwrap_err().to_string().starts_with(
        "line 7: the filter asks for the move number, which this record does not have"
    ));
}

#[test]
fn settings_out_of_range_or_at_odds_are_refused() {
    for (key, value, error) in [
        ("keep_fraction", 1.5, "1.5 is no probability"),
        ("keep_fraction", f64::NAN, "NaN is no probability"),
        (
            "random_fen_skip_probability",
            -0.1,
            "-0.1 is no probability",
        ),
        ("mom_target", 0.5, "unexpected float"),
        ("wdl_heuristic_scale", 0.0, "expected a number other than 0"),
    ] {
        let found = Settings::default().set(key, value).unwrap_err().to_string();
        assert!(found.starts_with(key) && found.contains(error), "{found}");
    }
    let zero = Settings::default().set("mom_target", 0).unwrap_err();
    assert!(zero.to_string().contains("0 is out of range"), "{zero}");
    for (pairs, error) in [
        (
            &[("keep_checks", true.into()), ("filter_check", true.into())][..],
            "keep_checks and filter_check contradict each other",
        ),
        (
            &[("max_score", 3.into()), ("max_eval", Setting::Int(4))],
            "max_score and max_eval contradict each other",
        ),
        (
            &[("material_min", 79.into())],
            "material_min and material_max contradict each other",
        ),
    ] {
        let mut settings = Settings::default();
        for (key, value) in pairs {
            settings.set(key, value.clone()).unwrap();
        }
        assert_eq!(settings.filter().unwrap_err().to_string(), error);
    }
}

#[test]
fn every_reason_can_be_found_and_is_said() {
    let everything = rules(
        "max_see=0 max_threat=0 keep_checks=false played=normal,see-ge0 min_played_see=0 \
         max_played_see=0 drop_unscored=true max_score=9 min_ply=1 min_pieces=3 max_pieces=30 \
         max_eval_incorrectness=5 wdl_filtered=true material_count_filtered=true \
         random_fen_skipping=true keep_fraction=0.5 seed=1 drop_double_threat=true quiescence=1",
    );
    let said: Vec<Reason> = everything
        .clauses()
        .into_iter()
        .map(|(reason, _)| reason)
        .collect();
    assert!(
        said.is_sorted(),
        "in the order in which they are looked for"
    );
    for reason in Reason::all() {
        assert_eq!(said.contains(&reason), reason != Reason::QUIET, "{reason}");
    }
    let names: std::collections::HashSet<&str> = Reason::all().map(Reason::name).collect();
    assert_eq!(names.len(), Reason::COUNT);
}
