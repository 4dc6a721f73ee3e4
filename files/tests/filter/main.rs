//! Each rule of the filter at its boundary, and the presets, by hand.

#![allow(missing_docs)]

use swaplist::{Choice, PackedMove, Position, Rules};
use swaplist_files::filter::{Filter, Preset, Reason, Settings};
use swaplist_files::formats::{Outcome, Place, RecordFields, move_on};

#[path = "../common/mod.rs"]
mod common;
mod one;
mod placeholders;
mod presets;
mod real_data;
mod settings;
mod toml;
mod viriformat;

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

/// A record with every field, far from every bound.
fn record(fen: &str, played: &str) -> (Position, RecordFields) {
    let position = fen.parse().unwrap();
    let played = move_on(fen, position, played).unwrap();
    let record = RecordFields::new(Place::Line(1), 0..1)
        .with_played(Some(played))
        .with_score(Some(50))
        .with_outcome(Some(Outcome::Draw))
        .with_ply(Some(60));
    (position, record)
}

/// The name of the reason why a record is dropped.
fn reason(filter: &Filter, (position, record): &(Position, RecordFields)) -> Option<&'static str> {
    let reason = filter.judge(position, record).unwrap();
    reason.map(Reason::name)
}

/// Keys and values, such as `"max_see=0 keep_checks=true"`, starting from no rules.
fn rules(keys: &str) -> Filter {
    change(&Preset::None.filter(), keys)
}

fn change(filter: &Filter, keys: &str) -> Filter {
    let mut settings = Settings::default();
    for pair in keys.split_whitespace() {
        let (name, value) = pair.split_once('=').unwrap();
        settings.set(name, value).unwrap();
    }
    filter.changed(&settings).unwrap()
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
        let filter = rules(&format!("played={}", name.replace(' ', "")));
        let found: Vec<&str> = moves
            .iter()
            .filter(|(_, record)| reason(&filter, record).is_some())
            .map(|&(name, _)| name)
            .collect();
        assert_eq!(found, dropped, "{name}");
    }
    let error = Settings::default().set("played", "silent").unwrap_err();
    let words = "unknown rule about the played move 'silent', expected one of: quiet, ";
    assert!(error.to_string().starts_with(words));
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
            let at_least = rules(&format!("min_played_see={bound}"));
            let at_most = rules(&format!("max_played_see={bound}"));
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
    let subject = record(QUIET, "e2e4"); // three pieces
    for (keys, expected) in [
        ("min_pieces=3 max_pieces=3", None),
        ("min_pieces=4", Some("pieces")),
        ("max_pieces=2", Some("pieces")),
    ] {
        assert_eq!(reason(&rules(keys), &subject), expected, "{keys}");
    }
}

#[test]
fn many_records_are_judged_as_each_one_is() {
    let boards = playouts(3).take(2_000).chain(dense(4).take(2_000));
    let positions: Vec<Position> = boards.map(|chess| (&chess).try_into().unwrap()).collect();
    let records: Vec<RecordFields> = (1..)
        .map(|line| RecordFields::new(Place::Line(line), 0..1))
        .take(positions.len())
        .collect();
    for keys in [
        "max_see=0 keep_checks=false",
        "max_see=0 max_threat=0",
        "max_see=0 max_threat=0 keep_checks=false keep_fraction=0.6",
        "max_see=0 drop_double_threat=true keep_checks=false quiescence=1",
        "max_see=100 drop_double_threat=true quiescence=0 min_pieces=6",
        "max_see=0 keep_checks=false min_pieces=12 invert=true",
        "keep_checks=false invert=true",
    ] {
        let filter = rules(keys);
        let see_rules = Rules::SWAP;
        let mut asked = 0;
        let exceeds = |positions: &[Position]| {
            asked = positions.len();
            let exceeds = |position| {
                let verdict = see_rules.verdict(position, filter.bounds().sides());
                filter.bounds().exceeds(&verdict)
            };
            positions.iter().map(exceeds).collect()
        };
        let all = filter.judge_all(&positions, &records, exceeds).unwrap();
        let each = positions
            .iter()
            .zip(&records)
            .map(|(position, record)| filter.judge(position, record).unwrap());
        assert!(all.iter().copied().eq(each));
        assert!(all.contains(&None));
        let kept: Vec<bool> = all.iter().map(Option::is_none).collect();
        assert_eq!(filter.are_quiet(&positions).unwrap(), kept);
        let screens = keys.contains("keep_fraction") || keys.contains("min_pieces");
        let expected = match (keys.contains("max_see"), screens) {
            (false, _) => 0..=0,
            // The verdict tells check, too; no other test is needed.
            (true, false) => positions.len()..=positions.len(),
            (true, true) => 1..=positions.len() - 1,
        };
        assert!(expected.contains(&asked), "{asked}");
    }
}

#[test]
fn thinning_depends_on_the_record_and_the_seed_alone() {
    const QUARTER: &str = "keep_fraction=0.25 seed=1";
    let positions: Vec<Position> = playouts(5)
        .take(5_000)
        .map(|chess| (&chess).try_into().unwrap())
        .collect();
    let kept = |keys: &str, first: u64, ply: Option<u32>, played: u16| -> Vec<bool> {
        let filter = rules(keys);
        let judged = (first..).zip(&positions).map(|(line, position)| {
            let record = RecordFields::new(Place::Line(line), 0..1).with_ply(ply);
            let played = (played > 0).then(|| PackedMove::from_bits(played));
            filter.judge(position, &record.with_played(played)).unwrap()
        });
        judged.map(|reason| reason.is_none()).collect()
    };
    let count = |kept: &[bool]| kept.iter().filter(|&&kept| kept).count();
    let one = kept(QUARTER, 1, None, 0);
    assert_eq!(one, kept(QUARTER, 1, None, 0));
    for other in [
        kept("keep_fraction=0.25 seed=2", 1, None, 0),
        kept(QUARTER, 2, None, 0),
        kept(QUARTER, 1, Some(3), 0),
        kept(QUARTER, 1, None, 99),
        // Another rule's draw.
        kept(
            "random_fen_skipping=true random_fen_skip_probability=0.75 seed=1",
            1,
            None,
            0,
        ),
    ] {
        let both: Vec<bool> = one.iter().zip(&other).map(|(&a, &b)| a && b).collect();
        assert!(count(&both).abs_diff(5_000 / 16) < 90, "{}", count(&both));
    }
    for (fraction, expected, deviation) in [
        ("0", 0, 0),
        ("0.01", 50, 35),
        ("0.25", 1_250, 160),
        ("0.9", 4_500, 107),
        ("1", 5_000, 0),
    ] {
        let left = count(&kept(
            &format!("keep_fraction={fraction} seed=1"),
            1,
            None,
            0,
        ));
        // Five standard deviations.
        assert!(left.abs_diff(expected) <= deviation, "{fraction}: {left}");
    }
}

/// The rules of a preset's SEE come with it, whichever way it is asked for.
#[test]
fn a_filter_brings_the_rules_of_its_see() {
    let by_preset = Preset::SeeGe0.filter();
    assert_eq!(Some(*by_preset.see_rules()), Preset::SeeGe0.see_rules());
    let settings = Settings {
        preset: Some(Preset::SeeGe0),
        ..Settings::default()
    };
    assert_eq!(settings.filter().unwrap(), by_preset);
    assert_ne!(by_preset.clone().with_see_rules(Rules::SWAP), by_preset);
    let file = Settings::from_toml("profile = 'sf'\nvalues = [1, 3, 3, 5, 9]").unwrap();
    let of_file = Preset::Quiet
        .filter()
        .with_see_rules(*by_preset.see_rules());
    assert_eq!(file.filter().unwrap(), of_file);
    // Knight for bishop loses in SWAP's values; in the preset's it is even.
    let trade = record("4k3/8/4p3/3n4/8/5B2/8/4K3 w - - 0 1", "f3d5");
    assert_eq!(reason(&by_preset, &trade), Some("played_see_ge0"));
}

#[test]
fn positions_have_no_played_move() {
    let refused = "the filter asks for the played move, which positions do not have";
    let needy = Preset::ALL
        .iter()
        .filter(|preset| preset.filter().needs().next().is_some());
    let mut found = 0;
    for preset in needy {
        for positions in [&[][..], &[QUIET.parse().unwrap()]] {
            let error = preset.filter().are_quiet(positions).unwrap_err();
            assert_eq!(error.to_string(), refused, "{preset}");
        }
        found += 1;
    }
    assert!(found > 1);
    let alone =
        std::panic::catch_unwind(|| Preset::Bullet.filter().is_quiet(&QUIET.parse().unwrap()));
    let panic = alone.unwrap_err().downcast::<String>().unwrap();
    assert_eq!(*panic, refused);
    assert!(Preset::Quiet.filter().are_quiet(&[]).unwrap().is_empty());
}
