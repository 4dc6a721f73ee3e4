//! A loader's question about one position, alone and with its record, has the answer of the batch.

use allocation_counter::measure;
use swaplist::backend::{Cpu, Question};
use swaplist::{
    Bounds, Choice, CpuPath, EnPassant, FirstPromotion, PackedMove, PieceValues, Pins, Position,
    RecapturePromotion, Rules, noisy_moves,
};
use swaplist_files::filter::{Preset, Settings};
use swaplist_files::formats::{Outcome, Place, RecordFields};

use crate::common::boards::{dense, playouts};
use crate::{EN_PASSANT, PROMOTION, change, rules};

/// Positions of all kinds: in check, without captures, with promotions and en passant.
fn positions() -> Vec<Position> {
    let boards = playouts(8).take(3_000).chain(dense(9).take(2_000));
    let mut positions: Vec<Position> = boards.map(|chess| (&chess).try_into().unwrap()).collect();
    positions.extend([EN_PASSANT, PROMOTION].map(|fen| fen.parse::<Position>().unwrap()));
    let is_promotion = |position: &&Position| {
        noisy_moves(position)
            .iter()
            .any(|capture| capture.promotion().is_some())
    };
    let count = |is: &dyn Fn(&&Position) -> bool| positions.iter().filter(is).count();
    assert!(count(&|position| position.in_check()) > 100);
    assert!(count(&|position| noisy_moves(position).is_empty()) > 100);
    assert!(count(&is_promotion) > 100);
    assert!(count(&|position| position.ep_square().is_some()) > 1);
    positions
}

/// All combinations of the options.
fn all_rules() -> Vec<Rules> {
    let mut all = Vec::new();
    for &pins in Pins::ALL {
        for &en_passant in EnPassant::ALL {
            for &first_promotion in FirstPromotion::ALL {
                for &recapture_promotion in RecapturePromotion::ALL {
                    all.push(Rules {
                        pins,
                        en_passant,
                        first_promotion,
                        recapture_promotion,
                        values: PieceValues::CPW,
                    });
                }
            }
        }
    }
    all
}

#[test]
fn one_position_has_the_answer_of_the_batch_under_all_rules() {
    let positions = positions();
    let bounds = Bounds {
        see: Some(0),
        ..Bounds::default()
    };
    let positions = &positions[..];
    let question = Question::Bounds { positions, bounds };
    let fastest = Cpu::new().with_path(CpuPath::best()).unwrap();
    for rules in all_rules() {
        let filter = Preset::Quiet.filter().with_see_rules(rules);
        let together = filter.are_quiet(positions).unwrap();
        let exceeded = fastest.ask(&question, &rules).exceeds;
        for ((position, is_quiet), exceeds) in positions.iter().zip(together).zip(exceeded) {
            assert_eq!(rules.is_quiet(position), is_quiet, "{position}, {rules}");
            assert_eq!(filter.is_quiet(position), is_quiet, "{position}, {rules}");
            assert_eq!(
                !exceeds.in_check() && !exceeds.see(),
                is_quiet,
                "{position}, {rules}"
            );
        }
    }
}

#[test]
fn one_position_has_the_answer_of_the_batch_under_rules_of_all_kinds() {
    let positions = positions();
    for keys in [
        "",
        "keep_checks=false",
        "max_see=100 max_threat=0",
        "max_see=0 drop_double_threat=true keep_checks=false quiescence=1",
        "quiescence=1",
        "max_see=0 keep_checks=false min_pieces=12 invert=true",
        "invert=true",
    ] {
        let filter = rules(keys);
        let together = filter.are_quiet(&positions).unwrap();
        assert!(
            keys.is_empty() || keys == "invert=true" || together.contains(&true),
            "{keys}"
        );
        for (position, is_quiet) in positions.iter().zip(together) {
            assert_eq!(filter.is_quiet(position), is_quiet, "{position}, {keys}");
        }
    }
    // A random rule draws by the place in the slice; the only one of a slice is the first.
    let thinned = rules("keep_fraction=0.5");
    for position in &positions[..100] {
        let alone = thinned.are_quiet(&[*position]).unwrap();
        assert_eq!([thinned.is_quiet(position)], alone[..], "{position}");
    }
}

/// A record with fields near the bounds of the presets, chosen by its number. It is no part of a
/// game: alone it could not have the reason that it has after others.
fn record(line: u64, position: &Position) -> RecordFields {
    let moves = noisy_moves(position);
    let score = [0, 50, -10_001, 32_002][line as usize % 4];
    let at = line as u32;
    RecordFields::new(Place::Line(line), at..at + 1)
        .with_played(Some(moves.first().copied().unwrap_or_default()))
        .with_score(Some(score))
        .with_ply(Some(line as u32 % 40))
        .with_outcome(Some(
            [Outcome::White, Outcome::Draw, Outcome::Black][line as usize % 3],
        ))
}

#[test]
fn one_record_has_the_reason_of_the_batch() {
    let positions = positions();
    let records: Vec<RecordFields> = (1..)
        .zip(&positions)
        .map(|(line, position)| record(line, position))
        .collect();
    let mut filters: Vec<_> = Preset::ALL.iter().map(|preset| preset.filter()).collect();
    let keys = "min_ply=8 max_see=0 max_score=10000 keep_fraction=0.7 quiescence=1 invert=true";
    filters.extend(
        Preset::ALL
            .iter()
            .map(|preset| change(&preset.filter(), keys)),
    );
    for filter in filters {
        let exceed = |positions: &[Position]| {
            let exceeds = |at: &Position| filter.see_rules().exceeds(at, filter.bounds());
            positions.iter().map(exceeds).collect()
        };
        let together = filter.judge_all(&positions, &records, exceed).unwrap();
        for ((position, record), reason) in positions.iter().zip(&records).zip(together) {
            assert_eq!(
                filter.judge(position, record),
                Ok(reason),
                "{position}, {filter}"
            );
        }
    }
}

#[test]
fn one_question_allocates_nothing() {
    let positions = positions();
    let mut settings = Settings::default();
    for (name, value) in [
        ("preset", "still"),
        ("min_ply", "8"),
        ("max_score", "10000"),
        ("played", "quiet"),
        ("keep_fraction", "0.9"),
    ] {
        settings.set(name, value).unwrap();
    }
    let with_record = settings.filter().unwrap();
    let alone = Preset::Still.filter();
    let mut kept = 0;
    let allocated = measure(|| {
        for position in &positions {
            let record = RecordFields::new(Place::Offset(0), 0..0)
                .with_ply(Some(20))
                .with_score(Some(1))
                .with_played(Some(PackedMove::default()));
            kept += usize::from(Rules::SWAP.is_quiet(position));
            kept += usize::from(alone.is_quiet(position));
            kept += usize::from(with_record.judge(position, &record).unwrap().is_none());
        }
    });
    assert_eq!(allocated.count_total, 0);
    assert!(kept > 100);
    // The measure sees the batch's.
    let batch = measure(|| assert!(!alone.are_quiet(&positions[..9]).unwrap().is_empty()));
    assert!(batch.count_total > 0);
}

/// Rules that look at the records before one of the same game have no game to look at.
#[test]
fn records_that_a_caller_has_made_are_in_no_game() {
    let position: Position = EN_PASSANT.parse().unwrap();
    let scored = |score| {
        RecordFields::new(Place::Line(1), 0..0)
            .with_score(Some(score))
            .with_outcome(Some(Outcome::White))
    };
    for (key, scores) in [
        ("drop_decided_zeros", [500, 0]),
        ("max_opening_eval", [500, 0]),
    ] {
        let mut settings = Settings::default();
        settings.set("preset", "none").unwrap();
        let value = if key == "max_opening_eval" {
            "100"
        } else {
            "true"
        };
        settings.set(key, value).unwrap();
        let filter = settings.filter().unwrap();
        let records = scores.map(scored);
        let exceed = |asked: &[Position]| {
            let exceeds = |at: &Position| filter.see_rules().exceeds(at, filter.bounds());
            asked.iter().map(exceeds).collect()
        };
        let judged = filter.judge_all(&[position; 2], &records, exceed).unwrap();
        let is_kept: Vec<bool> = judged.iter().map(Option::is_none).collect();
        let alone = scores.map(|score| key == "drop_decided_zeros" || score == 0);
        assert_eq!(is_kept, alone, "{key}");
    }
}
