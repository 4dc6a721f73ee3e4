//! Each rule of the filter at its boundary, and the presets, by hand.

#![allow(missing_docs)]

use shakmaty::Chess;
use shakmaty::fen::Fen;
use swaplist::filter::{Filter, Judged, Judgement, PlayedRules, Reason};
use swaplist::formats::{Outcome, Place, Record, named_move};
use swaplist::position::chess_from_setup;
use swaplist::{Exceeds, Position, Rules};

#[path = "../common/mod.rs"]
mod common;
mod presets;
mod settings;

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
        let exceeds = |positions: &[Position], exceeds: &mut [Exceeds]| {
            asked = positions.len();
            assert_eq!(asked, exceeds.len());
            for (exceeds, position) in exceeds.iter_mut().zip(positions) {
                let verdict = rules.verdict(position, filter.needs_threat());
                *exceeds = filter.bounds().exceeds(&verdict);
            }
        };
        filter
            .judge_all(&rules, &positions, &records, &mut judged, exceeds)
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
