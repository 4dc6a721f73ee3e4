//! Settings: required fields and messages.

use swaplist::Choice;
use swaplist_files::filter::{Reason, Settings};
use swaplist_files::formats::{Field, Place, RecordFields};

use crate::{CHECK, QUIET, rules};

#[test]
fn a_field_that_is_missing_is_an_error_of_the_rule_that_asks() {
    let of_keys: &[(&str, &[Field])] = &[
        ("max_see=0", &[]),
        ("max_pieces=3", &[]),
        ("keep_fraction=0.5", &[]),
        ("material_count_filtered=true", &[]),
        ("played=quiet", &[Field::Played]),
        ("played=see-ge0", &[Field::Played, Field::Score]),
        ("min_played_see=0", &[Field::Played]),
        ("max_score=0", &[Field::Score]),
        ("max_opening_eval=0", &[Field::Score]),
        ("drop_unscored=true", &[]),
        ("keep_placeholders=false", &[]),
        ("drop_decided_zeros=true", &[]),
        ("wdl_filtered=true", &[Field::Score, Field::Result]),
        ("max_eval_incorrectness=9", &[Field::Score, Field::Result]),
        ("min_ply=1", &[Field::Clocks]),
    ];
    let bare = RecordFields::new(Place::Line(7), 0..1);
    for &(key, fields) in of_keys {
        let filter = rules(key);
        assert!(filter.needs().eq(fields.iter().copied()), "{key}");
        // In check, so another rule would drop it; still an error.
        let judged = filter.judge(&CHECK.parse().unwrap(), &bare);
        match fields.first() {
            None => assert!(judged.is_ok(), "{key}"),
            Some(&field) => {
                let missing = judged.unwrap_err();
                let found = (missing.lacks(), missing.place);
                assert_eq!(found, (Some(field), Place::Line(7)), "{key}");
            }
        }
    }
    // This rule tests whether there is a score, so it needs none.
    let unscored = rules("drop_unscored=true");
    let judged = unscored.judge(&QUIET.parse().unwrap(), &bare);
    assert_eq!(judged.unwrap().map(Reason::name), Some("unscored"));
    let missing = rules("min_ply=1").judge(&QUIET.parse().unwrap(), &bare);
    assert!(missing.unwrap_err().to_string().starts_with(
        "line 7: the filter asks for the move number, which this record does not have"
    ));
}

#[test]
fn settings_out_of_range_or_at_odds_are_refused() {
    for (key, value, error) in [
        ("keep_fraction", "1.5", "1.5 is not a probability"),
        ("keep_fraction", "NaN", "NaN is not a probability"),
        (
            "random_fen_skip_probability",
            "-0.1",
            "-0.1 is not a probability",
        ),
        ("mom_target", "0.5", "expected a whole number, 1 or more"),
        (
            "mom_target",
            "0",
            "0 is out of range, expected a whole number, 1 or more",
        ),
        ("wdl_heuristic_scale", "inf", "expected a number"),
        (
            "quiescence",
            "4",
            "4 is out of range, expected a whole number, 0 to 3",
        ),
        ("keep_checks", "yes", "expected true or false"),
        ("wdl_model_params_a", "1,2,3", "3 numbers, expected 4"),
        ("max_sea", "1", "unknown field `max_sea`"),
    ] {
        let found = Settings::default().set(key, value).unwrap_err().to_string();
        assert!(found.starts_with(error), "{found}");
    }
    for (pairs, error) in [
        (
            &[("keep_checks", "true"), ("filter_check", "true")][..],
            "keep_checks and filter_check contradict each other",
        ),
        (
            &[("max_score", "3"), ("max_eval", "4")],
            "max_score and max_eval contradict each other",
        ),
        (
            &[("min_pieces", "20"), ("max_pieces", "10")],
            "min_pieces and max_pieces contradict each other",
        ),
        (
            &[("min_played_see", "20"), ("max_played_see", "10")],
            "min_played_see and max_played_see contradict each other",
        ),
        (
            &[("min_pieces", "33")],
            "a position has 2 to 32 pieces, so that these rules keep none",
        ),
        (
            &[("max_pieces", "1")],
            "a position has 2 to 32 pieces, so that these rules keep none",
        ),
        (
            &[("material_min", "79")],
            "material_min and material_max contradict each other",
        ),
        (
            &[("wdl_heuristic_scale", "0")],
            "wdl_heuristic_scale: 0, expected a number other than 0",
        ),
    ] {
        let mut settings = Settings::default();
        for (key, value) in pairs {
            settings.set(key, value).unwrap();
        }
        assert_eq!(settings.filter().unwrap_err().to_string(), error);
    }
}

#[test]
fn every_reason_can_be_found_and_is_said() {
    let everything = rules(
        "max_see=0 max_threat=0 keep_checks=false played=normal,see-ge0 min_played_see=0 \
         max_played_see=0 drop_unscored=true max_score=9 min_ply=1 min_pieces=3 max_pieces=30 \
         max_opening_eval=9 max_eval_incorrectness=5 wdl_filtered=true material_count_filtered=true \
         random_fen_skipping=true keep_fraction=0.5 seed=1 drop_double_threat=true quiescence=1 \
         keep_placeholders=false drop_decided_zeros=true",
    );
    let said: Vec<Reason> = everything.clauses().map(|(reason, _)| reason).collect();
    assert!(
        said.is_sorted(),
        "in the order in which they are looked for"
    );
    for reason in Reason::ALL {
        let name = reason.name();
        if name == "quiet" {
            assert!(!said.contains(reason), "no rule gives this reason");
        } else {
            assert!(
                said.contains(reason),
                "the rule {name} is off: add its key to `everything` in this test"
            );
        }
    }
    let names: std::collections::HashSet<&str> =
        Reason::ALL.iter().map(|reason| reason.name()).collect();
    assert_eq!(names.len(), Reason::ALL.len());
}
