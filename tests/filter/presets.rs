//! What each preset keeps, at its bounds.

use swaplist::filter::{Filter, Preset, Reason};
use swaplist::formats::Record;
use swaplist::{PieceValues, Profile, Rules};

use crate::{
    CASTLING, CHECK, EN_PASSANT, EVEN, HANGING, LOSING, PROMOTION, QUIET, reason, record, with,
};

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
