//! Each rule of the filter at its boundary, and the presets, by hand.

#![allow(missing_docs)]

use shakmaty::Chess;
use shakmaty::fen::Fen;
use swaplist::filter::{
    Field, Filter, Judged, Judgement, Missing, PlayedRules, Preset, Reason, Settings, SettingsError,
};
use swaplist::formats::{Outcome, Place, Record, named_move};
use swaplist::position::chess_from_setup;
use swaplist::{Beyond, PieceValues, Position, Profile, Rules};

mod common;

use common::boards::{dense, playouts};

const QUIET: &str = "4k3/8/8/8/8/8/4P3/4K3 w - - 0 1";
/// exd5 wins a pawn; e5 does not.
const HANGING: &str = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
/// exd5 is recaptured: an even exchange.
const EVEN: &str = "4k3/8/4p3/3p4/4P3/8/8/4K3 w - - 0 1";
/// Qxd5 loses the queen for a pawn.
const LOSING: &str = "4k3/8/4p3/3p4/8/8/8/3QK3 w - - 0 1";
const CHECK: &str = "4k3/8/8/8/8/8/8/r3K3 w - - 0 1";
const EN_PASSANT: &str = "4k3/8/8/3pP3/8/8/8/4K3 w - d6 0 1";
const PROMOTION: &str = "1n2k3/P7/8/8/8/8/8/4K3 w - - 0 1";
const CASTLING: &str = "4k3/8/8/8/8/8/8/4K2R w K - 0 1";

fn chess(fen: &str) -> Chess {
    chess_from_setup(fen.parse::<Fen>().unwrap().into_setup()).unwrap()
}

/// A record with every field, far from every bound.
fn record(fen: &str, played: &str) -> (Position, Record) {
    let played = named_move(played, &chess(fen), fen).unwrap();
    let record = Record::new(Place::Line(1), 0..1)
        .with_played(Some(played))
        .with_score(Some(50))
        .with_outcome(Some(Outcome::Draw))
        .with_ply(Some(60));
    (fen.parse().unwrap(), record)
}

fn reason(filter: &Filter, (position, record): &(Position, Record)) -> Option<Reason> {
    let judgement = filter.judge(&Rules::SWAP, position, record).unwrap();
    judgement.dropped()
}

fn with(fen: &str, played: &str, change: impl FnOnce(&mut Record)) -> (Position, Record) {
    let (position, mut record) = record(fen, played);
    change(&mut record);
    (position, record)
}

#[test]
fn the_quiet_preset_and_its_bounds() {
    let quiet = Filter::default();
    assert_eq!(quiet, Preset::Quiet.filter());
    for (fen, played, expected) in [
        (QUIET, "e2e4", None),
        (EVEN, "e4d5", None),
        (LOSING, "d1d5", None),
        (HANGING, "e4e5", Some(Reason::See)),
        (CHECK, "e1e2", Some(Reason::InCheck)),
    ] {
        assert_eq!(reason(&quiet, &record(fen, played)), expected, "{fen}");
    }
    let up_to = |max| Filter {
        max_see: Some(max),
        ..Filter::NONE
    };
    let hanging = record(HANGING, "e4e5");
    assert_eq!(reason(&up_to(99), &hanging), Some(Reason::See));
    assert_eq!(reason(&up_to(100), &hanging), None);
    let threatened = record("4k3/8/8/8/8/3r4/3P4/7K w - - 0 1", "h1g1");
    let threat = |max| Filter {
        max_threat: Some(max),
        ..Filter::NONE
    };
    assert_eq!(reason(&threat(99), &threatened), Some(Reason::Threat));
    assert_eq!(reason(&threat(100), &threatened), None);
    let inverted = Filter {
        invert: true,
        ..quiet
    };
    assert_eq!(reason(&inverted, &hanging), None);
    assert_eq!(
        reason(&inverted, &record(QUIET, "e2e4")),
        Some(Reason::Quiet)
    );
}

#[test]
fn rules_about_the_played_move() {
    let moves = [
        ("quiet", record(QUIET, "e2e4")),
        ("takes", record(EVEN, "e4d5")),
        ("loses", record(LOSING, "d1d5")),
        ("ep", record(EN_PASSANT, "e5d6")),
        ("push", record(PROMOTION, "a7a8q")),
        ("takes and promotes", record(PROMOTION, "a7b8n")),
        ("castles", record(CASTLING, "e1g1")),
        ("rook", record(CASTLING, "h1g1")),
        ("check", record(CHECK, "e1e2")),
    ];
    for (name, dropped) in [
        ("any", &[][..]),
        (
            "no-captures",
            &["takes", "loses", "ep", "takes and promotes"],
        ),
        ("empty-target", &["takes", "loses", "takes and promotes"]),
        ("no-promotions", &["push", "takes and promotes"]),
        ("no-castling", &["castles"]),
        (
            "quiet",
            &["takes", "loses", "ep", "push", "takes and promotes"],
        ),
        (
            "normal",
            &[
                "takes",
                "loses",
                "ep",
                "push",
                "takes and promotes",
                "castles",
            ],
        ),
        ("see-ge0", &["takes", "takes and promotes"]),
        (
            "no-castling, see-ge0",
            &["takes", "takes and promotes", "castles"],
        ),
    ] {
        let filter = Filter {
            played: name.parse().unwrap(),
            ..Filter::NONE
        };
        let found: Vec<&str> = moves
            .iter()
            .filter(|(_, record)| reason(&filter, record).is_some())
            .map(|&(name, _)| name)
            .collect();
        assert_eq!(found, dropped, "{name}");
    }
    let error = "silent".parse::<PlayedRules>().unwrap_err();
    assert!(error.to_string().starts_with("unknown rule 'silent'"));
    let both: PlayedRules = "quiet,see-ge0".parse().unwrap();
    assert_eq!(both.to_string().parse(), Ok(both));
}

#[test]
fn see_ge0_keeps_losing_captures_unless_the_score_is_0() {
    let filter = Preset::SeeGe0.filter();
    let rules = Preset::SeeGe0.rules().unwrap();
    assert_eq!(rules, Rules::new(Profile::Sf, PieceValues::CLASSICAL));
    for (fen, played, score, expected) in [
        (QUIET, "e2e4", 0, None),
        (CHECK, "e1e2", 10, Some(Reason::InCheck)),
        (HANGING, "e4d5", 10, Some(Reason::PlayedSeeGe0)),
        (HANGING, "e4e5", 10, None), // what is not played is not looked at
        (EVEN, "e4d5", 10, Some(Reason::PlayedSeeGe0)),
        (LOSING, "d1d5", 1, None),
        (LOSING, "d1d5", -1, None),
        (LOSING, "d1d5", 0, Some(Reason::PlayedSeeGe0)),
        (EN_PASSANT, "e5d6", 0, None), // its target is empty
    ] {
        let (position, record) = with(fen, played, |record| {
            *record = record.with_score(Some(score));
        });
        let judgement = filter.judge(&rules, &position, &record).unwrap();
        assert_eq!(judgement.dropped(), expected, "{fen} {played} {score}");
    }
    // Values: knight for bishop is even at 3 and 3, and a loss for other tables.
    let trade = with("4k3/8/4p3/3n4/8/5B2/8/4K3 w - - 0 1", "f3d5", |_| {});
    let judge = |values| {
        let rules = Rules::new(Profile::Sf, values);
        filter.judge(&rules, &trade.0, &trade.1).unwrap().dropped()
    };
    assert_eq!(judge(PieceValues::CLASSICAL), Some(Reason::PlayedSeeGe0));
    assert_eq!(judge(PieceValues::STOCKFISH), None);
}

#[test]
fn the_see_of_the_played_move_has_two_bounds() {
    for (fen, played, see) in [
        (QUIET, "e2e4", 0),
        (HANGING, "e4d5", 100),
        (EVEN, "e4d5", 0),
        (LOSING, "d1d5", -900),
        (CASTLING, "e1g1", 0),
    ] {
        let subject = record(fen, played);
        for bound in [see - 1, see, see + 1, i32::MIN, i32::MAX] {
            let at_least = Filter {
                min_played_see: Some(bound),
                ..Filter::NONE
            };
            let at_most = Filter {
                max_played_see: Some(bound),
                ..Filter::NONE
            };
            assert_eq!(
                reason(&at_least, &subject).is_none(),
                see >= bound,
                "{fen} {bound}"
            );
            assert_eq!(
                reason(&at_most, &subject).is_none(),
                see <= bound,
                "{fen} {bound}"
            );
        }
    }
}

#[test]
fn bullets_rule_at_its_bounds() {
    let filter = Preset::Bullet.filter();
    let changed = |change: fn(&mut Record)| with(QUIET, "e2e4", change);
    for (subject, expected) in [
        (changed(|record| *record = record.with_ply(Some(16))), None),
        (
            changed(|record| *record = record.with_ply(Some(15))),
            Some(Reason::Ply),
        ),
        (
            changed(|record| *record = record.with_score(Some(10_000))),
            None,
        ),
        (
            changed(|record| *record = record.with_score(Some(-10_000))),
            None,
        ),
        (
            changed(|record| *record = record.with_score(Some(10_001))),
            Some(Reason::Score),
        ),
        (
            changed(|record| *record = record.with_score(Some(-10_001))),
            Some(Reason::Score),
        ),
        (
            changed(|record| *record = record.with_score(Some(32_002))),
            Some(Reason::Score),
        ),
        (record(CHECK, "e1e2"), Some(Reason::InCheck)),
        (record(LOSING, "d1d5"), Some(Reason::PlayedCapture)),
        (record(EN_PASSANT, "e5d6"), Some(Reason::PlayedCapture)),
        (record(PROMOTION, "a7a8q"), Some(Reason::PlayedPromotion)),
        (record(CASTLING, "e1g1"), Some(Reason::PlayedCastling)),
        (record(CASTLING, "h1g1"), None),
        (record(HANGING, "e4e5"), None),
    ] {
        assert_eq!(reason(&filter, &subject), expected, "{subject:?}");
    }
}

#[test]
fn nnue_pytorchs_rule_at_its_bounds() {
    let filter = Preset::NnuePytorch.filter();
    let scored = |score| {
        with(QUIET, "e2e4", |record| {
            *record = record.with_score(Some(score));
        })
    };
    for (subject, expected) in [
        (scored(32_001), None),
        (scored(32_002), Some(Reason::Unscored)),
        (scored(-32_002), Some(Reason::Unscored)), // White's, for Black
        (scored(0), None),
        (
            with(QUIET, "e2e4", |record| *record = record.with_ply(Some(0))),
            None,
        ),
        (record(CHECK, "e1e2"), Some(Reason::InCheck)),
        (record(LOSING, "d1d5"), Some(Reason::PlayedCapture)),
        (record(EN_PASSANT, "e5d6"), None),
        (record(PROMOTION, "a7a8q"), None),
        (record(PROMOTION, "a7b8q"), Some(Reason::PlayedCapture)),
        (record(CASTLING, "e1g1"), None),
    ] {
        assert_eq!(reason(&filter, &subject), expected, "{subject:?}");
    }
}

#[test]
fn men_are_counted_with_the_kings() {
    let subject = record(QUIET, "e2e4"); // three men
    let men = |min_pieces, max_pieces| Filter {
        min_pieces,
        max_pieces,
        ..Filter::NONE
    };
    assert_eq!(reason(&men(3, Some(3)), &subject), None);
    assert_eq!(reason(&men(4, None), &subject), Some(Reason::Pieces));
    assert_eq!(reason(&men(0, Some(2)), &subject), Some(Reason::Pieces));
}

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
        ("drop_unscored = true", &[Field::Score]),
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
fn many_records_are_judged_as_each_one_is() {
    let boards = playouts(3).take(2_000).chain(dense(4).take(2_000));
    let positions: Vec<Position> = boards.map(|chess| (&chess).try_into().unwrap()).collect();
    let records: Vec<Record> = (1..)
        .map(|line| Record::new(Place::Line(line), 0..1))
        .take(positions.len())
        .collect();
    let mut judged = Judged::default();
    for filter in [
        Filter::default(),
        Filter {
            max_threat: Some(0),
            keep_checks: true,
            ..Filter::default()
        },
        Filter {
            max_threat: Some(0),
            keep_fraction: Some(0.6),
            ..Filter::default()
        },
        Filter {
            min_pieces: 12,
            invert: true,
            ..Filter::default()
        },
        Filter {
            invert: true,
            max_see: None,
            ..Filter::default()
        },
    ] {
        let rules = Rules::SWAP;
        let mut asked = 0;
        let beyond = |positions: &[Position], beyond: &mut [Beyond]| {
            asked = positions.len();
            assert_eq!(asked, beyond.len());
            for (beyond, position) in beyond.iter_mut().zip(positions) {
                let verdict = rules.verdict(position, filter.needs_threat());
                *beyond = filter.bounds().beyond(&verdict);
            }
        };
        filter
            .judge_all(&rules, &positions, &records, &mut judged, beyond)
            .unwrap();
        let all = &judged.judgements;
        let each = positions.iter().zip(&records);
        let each = each.map(|(position, record)| filter.judge(&rules, position, record).unwrap());
        assert!(all.iter().copied().eq(each));
        assert!(all.contains(&Judgement::Keep));
        let screens = filter.keep_fraction.is_some() || filter.min_pieces > 0;
        let expected = match (filter.needs_verdict(), screens) {
            (false, _) => 0..=0,
            // The verdict tells of check, too: nothing else has to be looked at.
            (true, false) => positions.len()..=positions.len(),
            (true, true) => 1..=positions.len() - 1,
        };
        assert!(expected.contains(&asked), "{asked}");
    }
}

#[test]
fn thinning_depends_on_the_record_and_the_seed_alone() {
    let positions: Vec<Position> = playouts(5)
        .take(5_000)
        .map(|chess| (&chess).try_into().unwrap())
        .collect();
    let kept = |seed, first: u64| -> Vec<bool> {
        let filter = Filter {
            keep_fraction: Some(0.25),
            seed,
            ..Filter::NONE
        };
        let judged = (first..).zip(&positions).map(|(line, position)| {
            let record = Record::new(Place::Line(line), 0..1);
            filter.judge(&Rules::SWAP, position, &record).unwrap()
        });
        judged
            .map(|judgement| judgement == Judgement::Keep)
            .collect()
    };
    let one = kept(1, 1);
    assert_eq!(one, kept(1, 1));
    for other in [kept(2, 1), kept(1, 2)] {
        let both = one.iter().zip(&other).filter(|&(&a, &b)| a && b).count();
        assert!(both.abs_diff(5_000 / 16) < 90, "{both}");
    }
    let count = one.iter().filter(|&&kept| kept).count();
    assert!(count.abs_diff(1_250) < 160, "{count}");
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
