//! The records that each preset keeps, at its bounds.

use swaplist::{PieceValues, Position, Profile, Rules};
use swaplist_files::filter::{Filter, Preset};
use swaplist_files::formats::RecordFields;

use crate::{
    CASTLING, CHECK, EN_PASSANT, EVEN, HANGING, LOSING, PROMOTION, QUIET, change, reason, record,
    rules,
};

fn scored(fen: &str, played: &str, score: i32) -> (Position, RecordFields) {
    let (position, record) = record(fen, played);
    (position, record.with_score(Some(score)))
}

fn at_ply(ply: u32) -> (Position, RecordFields) {
    let (position, record) = record(QUIET, "e2e4");
    (position, record.with_ply(Some(ply)))
}

#[test]
fn the_quiet_preset_and_its_bounds() {
    let quiet = Filter::default();
    assert_eq!(quiet, Preset::Quiet.filter());
    for (fen, played, expected) in [
        (QUIET, "e2e4", None),
        (EVEN, "e4d5", None),
        (LOSING, "d1d5", None),
        (HANGING, "e4e5", Some("see")),
        (CHECK, "e1e2", Some("in_check")),
    ] {
        assert_eq!(reason(&quiet, &record(fen, played)), expected, "{fen}");
    }
    let up_to = |max| rules(&format!("max_see={max}"));
    let hanging = record(HANGING, "e4e5");
    assert_eq!(reason(&up_to(99), &hanging), Some("see"));
    assert_eq!(reason(&up_to(100), &hanging), None);
    let threatened = record("4k3/8/8/8/8/3r4/3P4/7K w - - 0 1", "h1g1");
    let threat = |max| rules(&format!("max_threat={max}"));
    assert_eq!(reason(&threat(99), &threatened), Some("threat"));
    assert_eq!(reason(&threat(100), &threatened), None);
    let inverted = change(&quiet, "invert=true");
    assert_eq!(reason(&inverted, &hanging), None);
    assert_eq!(reason(&inverted, &record(QUIET, "e2e4")), Some("quiet"));
}

#[test]
fn see_ge0_keeps_losing_captures_unless_the_score_is_0() {
    let filter = Preset::SeeGe0.filter();
    let see_rules = Rules::new(Profile::Sf, PieceValues::CLASSICAL);
    assert_eq!(*filter.see_rules(), see_rules);
    for (fen, played, score, expected) in [
        (QUIET, "e2e4", 0, None),
        (CHECK, "e1e2", 10, Some("in_check")),
        (HANGING, "e4d5", 10, Some("played_see_ge0")),
        (HANGING, "e4e5", 10, None), // what is not played is not looked at
        (EVEN, "e4d5", 10, Some("played_see_ge0")),
        (LOSING, "d1d5", 1, None),
        (LOSING, "d1d5", -1, None),
        (LOSING, "d1d5", 0, Some("played_see_ge0")),
        (EN_PASSANT, "e5d6", 0, None), // its target is empty
    ] {
        let subject = scored(fen, played, score);
        assert_eq!(
            reason(&filter, &subject),
            expected,
            "{fen} {played} {score}"
        );
    }
    // Values: knight for bishop is even at 3 and 3, and a loss for other tables.
    let trade = record("4k3/8/4p3/3n4/8/5B2/8/4K3 w - - 0 1", "f3d5");
    let judge = |values| {
        let rules = Rules::new(Profile::Sf, values);
        reason(&filter.clone().with_see_rules(rules), &trade)
    };
    assert_eq!(judge(PieceValues::CLASSICAL), Some("played_see_ge0"));
    assert_eq!(judge(PieceValues::STOCKFISH), None);
}

#[test]
fn bullets_rule_at_its_bounds() {
    let filter = Preset::Bullet.filter();
    let pushed = |score| scored(QUIET, "e2e4", score);
    for (subject, expected) in [
        (at_ply(16), None),
        (at_ply(15), Some("ply")),
        (pushed(10_000), None),
        (pushed(-10_000), None),
        (pushed(10_001), Some("score")),
        (pushed(-10_001), Some("score")),
        (pushed(32_002), Some("score")),
        (record(CHECK, "e1e2"), Some("in_check")),
        (record(LOSING, "d1d5"), Some("played_capture")),
        (record(EN_PASSANT, "e5d6"), Some("played_capture")),
        (record(PROMOTION, "a7a8q"), Some("played_promotion")),
        (record(CASTLING, "e1g1"), Some("played_castling")),
        (record(CASTLING, "h1g1"), None),
        (record(HANGING, "e4e5"), None),
    ] {
        assert_eq!(reason(&filter, &subject), expected, "{subject:?}");
    }
}

#[test]
fn nnue_pytorchs_rule_at_its_bounds() {
    let filter = Preset::NnuePytorch.filter();
    let pushed = |score| scored(QUIET, "e2e4", score);
    for (subject, expected) in [
        (pushed(32_001), None),
        (pushed(32_002), Some("unscored")),
        (pushed(-32_002), Some("unscored")), // White's, for Black
        (pushed(0), None),
        (at_ply(0), None),
        (record(CHECK, "e1e2"), Some("in_check")),
        (record(LOSING, "d1d5"), Some("played_capture")),
        (record(EN_PASSANT, "e5d6"), None),
        (record(PROMOTION, "a7a8q"), None),
        (record(PROMOTION, "a7b8q"), Some("played_capture")),
        (record(CASTLING, "e1g1"), None),
    ] {
        assert_eq!(reason(&filter, &subject), expected, "{subject:?}");
    }
}
