//! Why an engine's answers disagree with the rules.

use shakmaty::Bitboard;
use swaplist::Choice;
use swaplist::{EnPassant, PieceValues, Pins, Position, Profile, Rules, noisy_moves};
use swaplist_files::check::{Answer, Claim, Diagnosis, against, against_ge};
use swaplist_files::suite::{Fault, FaultyEngine};

use super::engines::{
    fault_named, plain_captures, positions, said_by, said_by_engine, swap_list_see,
};

/// What engines of other rules, or without a part of them, are told.
#[test]
fn deviations_are_told_in_classes() {
    let positions = positions(7);
    let classes = |said: &[Answer]| {
        let found = Diagnosis::new(said, &Rules::SWAP).deviations();
        let all: usize = found.iter().map(|class| class.disagree).sum();
        let wrong = said.iter().filter(|answer| !answer.agrees(&Rules::SWAP));
        assert_eq!(all, wrong.count());
        found
    };
    assert!(classes(&said_by(&Rules::SWAP, &positions, true)).is_empty());
    let en_passant = Rules {
        en_passant: EnPassant::Zero,
        ..Rules::SWAP
    };
    let found = classes(&said_by(&en_passant, &positions, false));
    assert_eq!((found.len(), found[0].class), (1, "en passant"));
    let pins = Rules {
        pins: Pins::Legal,
        ..Rules::SWAP
    };
    let of_pins = classes(&said_by(&pins, &positions, false));
    assert_eq!(of_pins[0].class, "pins");
    // Without x-rays, without recaptures by the king, without any.
    for (fen, name, value, class) in [
        (
            "3rk3/8/8/3p4/8/8/3R4/3RK3 w - - 0 1",
            "Rxd5",
            -400,
            "x-rays are missing",
        ),
        (
            "8/8/4k3/3p4/8/8/8/3RK3 w - - 0 1",
            "Rxd5",
            100,
            "the king does not recapture",
        ),
        (
            "8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1",
            "fxe5",
            0,
            "the king recaptures on a guarded square",
        ),
        (
            "3rk3/8/8/3p4/8/8/3R4/4K3 w - - 0 1",
            "Rxd5",
            100,
            "recaptures are missing",
        ),
        (
            "4k3/8/8/3p4/8/8/3R4/4K3 w - - 0 1",
            "Rxd5",
            7,
            "other captures",
        ),
        (
            "4k3/8/8/8/8/8/3R4/4K3 w - - 0 1",
            "Rd5",
            7,
            "moves without a capture",
        ),
        ("8/4P1k1/8/8/8/8/8/4K3 w - - 0 1", "e8=Q", 7, "promotions"),
    ] {
        let said = [Answer::parse(&format!("{fen};{name};{value}"), 1).unwrap()];
        assert_eq!(classes(&said)[0].class, class, "{fen}");
    }
}

/// Whether a piece joins that a capture uncovers, as for [`swap_list_see`].
type Joins = fn(usize, usize) -> bool;

/// Each of these engines has one fault, and all of its wrong answers are named by it.
#[test]
fn one_fault_explains_all_that_it_makes_wrong() {
    let captures = plain_captures(13);
    let right = said_by_engine(&captures, |at, m| swap_list_see(at, m, |_, _| true, true));
    assert!(right.iter().all(|answer| answer.agrees(&Rules::SWAP)));
    let engines: [(&str, Joins, bool); 4] = [
        ("pieces behind others do not recapture", |_, _| false, true),
        (
            "only the first piece that an exchange uncovers recaptures",
            |_, before| before == 0,
            true,
        ),
        (
            "pieces behind the first capturer recapture, those behind others do not",
            |captures, _| captures == 0,
            true,
        ),
        ("the king does not recapture", |_, _| true, false),
    ];
    for (seems, joins, kings_recapture) in engines {
        let said = said_by_engine(&captures, |position, capture| {
            swap_list_see(position, capture, joins, kings_recapture)
        });
        let diagnosis = Diagnosis::new(&said, &Rules::SWAP);
        let wrong = (0..said.len()).filter(|&nth| !said[nth].agrees(&Rules::SWAP));
        let wrong: Vec<usize> = wrong.collect();
        assert!(wrong.len() > 10, "{seems}: {}", wrong.len());
        for &nth in &wrong {
            let Answer { fen, capture, .. } = &said[nth];
            assert_eq!(diagnosis.of_answer(nth).1, Some(seems), "{fen}, {capture}");
        }
        let found = diagnosis.deviations();
        assert_eq!(
            (found.len(), found[0].disagree),
            (1, wrong.len()),
            "{seems}"
        );
    }
}

/// Right answers that an explanation would have made wrong rule it out: one wrong answer among
/// many that could be said without x-rays, and by chance has the value without recaptures.
#[test]
fn an_explanation_that_right_answers_contradict_is_not_given() {
    let captures = plain_captures(17);
    let mut said = said_by_engine(&captures, |position, m| Rules::SWAP.see(position, m));
    let is_contested = |answer: &Answer| {
        let trace = Rules::SWAP.trace(&answer.position, answer.capture);
        let is_inside = !Bitboard::BACKRANKS.contains(answer.capture.to());
        is_inside && trace.recaptures.len() > 2 && trace.gain != trace.value
    };
    let nth = said.iter().position(is_contested).unwrap();
    let gain = Rules::SWAP
        .trace(&said[nth].position, said[nth].capture)
        .gain;
    said[nth].said = Claim::Value(gain);
    let alone = Diagnosis::new(&said[nth..=nth], &Rules::SWAP);
    assert!(alone.of_answer(0).1.is_some());
    let together = Diagnosis::new(&said, &Rules::SWAP);
    assert_eq!(together.of_answer(nth).1, None);
    let found = together.deviations();
    assert_eq!(
        (found.len(), found[0].class, found[0].disagree),
        (1, "other captures", 1)
    );
    assert!(found[0].answers > 1_000);
}

/// One right answer is enough, however many the fault explains.
#[test]
fn one_right_answer_contradicts_a_fault() {
    let captures = plain_captures(43);
    let fault = fault_named("NoRecaptures");
    let engine = FaultyEngine::faultless(Profile::Swap).with(fault);
    let mut said = said_by_engine(&captures, |at, m| engine.see(at, m, &PieceValues::CPW));
    let wrong: Vec<usize> = (0..said.len())
        .filter(|nth| !said[*nth].agrees(&Rules::SWAP))
        .collect();
    assert!(wrong.len() > 500, "{}", wrong.len());
    let is_named = |said: &[Answer]| {
        let diagnosis = Diagnosis::new(said, &Rules::SWAP);
        wrong
            .iter()
            .any(|nth| diagnosis.of_answer(*nth).1 == Some(fault.text()))
    };
    assert!(is_named(&said));
    let nth = wrong[wrong.len() / 2];
    let right = Rules::SWAP.see(&said[nth].position, said[nth].capture);
    said[nth].said = Claim::Value(right);
    assert!(!is_named(&said));
}

/// Where an engine has two faults and one undoes the other, the answers are right, and contradict
/// neither.
#[test]
fn faults_that_undo_each_other_are_both_named() {
    let captures = plain_captures(47);
    let see = |faults: &[Fault]| {
        let engine = FaultyEngine::faultless(Profile::Swap);
        let engine = faults
            .iter()
            .fold(engine, |engine, fault| engine.with(*fault));
        said_by_engine(&captures, |at, m| engine.see(at, m, &PieceValues::CPW))
    };
    for pair in [
        ["BlackSigns", "KingNeverRecaptures"],
        ["KingNeverRecaptures", "NoXRaysBehindRooks"],
        ["NoKnightRecaptures", "NoDiagonalXRays"],
    ] {
        let pair = pair.map(fault_named);
        let said = see(&pair);
        let alone = pair.map(|fault| see(&[fault]));
        let is_undone = |nth: usize| {
            let is_right = |all: &[Answer]| all[nth].agrees(&Rules::SWAP);
            is_right(&said) && !alone.iter().all(|all| is_right(all))
        };
        let undone = (0..said.len()).filter(|nth| is_undone(*nth)).count();
        assert!(undone > 0, "{pair:?}");
        let diagnosis = Diagnosis::new(&said, &Rules::SWAP);
        let seems: Vec<_> = (0..said.len())
            .filter_map(|nth| diagnosis.of_answer(nth).1)
            .collect();
        for fault in pair {
            assert!(
                seems.contains(&fault.text()),
                "{pair:?}: {fault:?}, {undone} undone"
            );
        }
    }
}

/// An engine's own test, in a line.
#[test]
fn a_see_is_compared_with_rules() {
    let boards = positions(19);
    let positions: Vec<Position> = boards.iter().map(|at| at.try_into().unwrap()).collect();
    let moves: usize = positions.iter().map(|at| noisy_moves(at).len()).sum();
    for &profile in Profile::ALL {
        let rules = Rules::new(profile, PieceValues::CPW);
        let compared = against(&positions, &rules, |at, capture| rules.see(at, capture));
        assert_eq!(compared.unwrap(), moves);
        let by_threshold = against_ge(&positions, &rules, |position, capture, threshold| {
            rules.see_ge(position, capture, threshold)
        });
        assert!(by_threshold.unwrap() > 2 * moves);
    }
    let error = against(&positions, &Rules::SWAP, |position, capture| {
        Rules::SWAP.trace(position, capture).gain
    });
    let error = error.unwrap_err();
    let wrong = error.wrong.len();
    assert_eq!(
        error.diagnosis.deviations()[0].class,
        "recaptures are missing"
    );
    let text = error.to_string();
    let head = format!(
        "{wrong} of {moves} answers disagree with profile swap, values 100,325,325,500,1000\n  \
         all recaptures are missing      {count} of {count}\n    \
         {count}: nothing is ever recaptured\n",
        count = grouped(wrong)
    );
    assert!(text.starts_with(&head), "{text}");
    assert_eq!(text.matches("\n  position ").count(), 3, "{text}");
    assert!(text.matches("; swap list ").count() >= 3, "{text}");
    assert!(
        text.contains(&format!("\n  and {} more\n", wrong - 3)),
        "{text}"
    );
    assert_eq!(format!("{error:?}"), text);
    // `>` for `>=`.
    let error = against_ge(&positions, &Rules::SWAP, |position, capture, threshold| {
        Rules::SWAP.see(position, capture) > threshold
    });
    let wrong = error.unwrap_err().wrong.len();
    assert_eq!(wrong, moves);
}

/// The first position alone has four wrong answers, of one class.
#[test]
fn the_exchanges_shown_are_of_several_positions() {
    let fens = [
        "7k/P7/8/8/8/8/8/K7 w - - 0 1",
        "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1",
    ];
    let positions = fens.map(|fen| fen.parse::<Position>().unwrap());
    let error = against(&positions, &Rules::SWAP, |_, _| 12_345).unwrap_err();
    assert_eq!(error.wrong.len(), 5);
    let text = error.to_string();
    assert_eq!(text.matches("\n  position 1: ").count(), 2, "{text}");
    assert_eq!(text.matches("\n  position 2: e4d5 ").count(), 1, "{text}");
}

/// A number below a million with its digits in groups.
fn grouped(number: usize) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        thousands => format!("{thousands},{:03}", number % 1_000),
    }
}
