//! The suite of `data/see-suite.txt`: proved for all usual piece values, passed by every right SEE,
//! failed by every fault.

use std::collections::{BTreeMap, BTreeSet};

use shakmaty::{
    Chess, Color, EnPassantMode, FromSetup as _, Move, Piece, Position as _, Role, Setup, Square,
    fen::Fen,
};
use swaplist::{Choice, PieceValues, Profile, Rules};
use swaplist_files::suite::{
    Fault, FaultyEngine, Line, LineResult, PieceSum, diagnose, lines, results,
};

use crate::tests::common::{any::captures, boards, oracle};

/// A fault of the suite's list.
fn fault_named(name: &str) -> Fault {
    name.parse().unwrap()
}

/// The topic of a line, such as `x-rays`: what is before the colon of the text about it.
fn topic_of<'a>(line: &Line<'a>) -> &'a str {
    line.about.split(':').next().unwrap_or_default()
}

/// The corners of the piece values for which the lines hold, in quarters of a pawn: N and B from
/// 2.5 P to 5.5 P, B from N - P/4 to N + P; R from the larger of both + P to that + 2.5 P; Q from
/// R + 2.5 P to R + 7 P. Where N is the larger one the values form one polytope, where B is another.
/// Each is the product of its corners for N and B with both ends for R and for Q - R, and with a
/// pawn's value of any size. So a sum of pieces is at least 0 for all values if it is at the corners.
fn corners() -> Vec<PieceValues> {
    let b_is_larger = [(10, 10), (10, 14), (18, 22), (22, 22)];
    let n_is_larger = [(10, 10), (11, 10), (22, 21), (22, 22)];
    let mut corners = Vec::new();
    for (knight, bishop) in b_is_larger.into_iter().chain(n_is_larger) {
        for rook_above in [4, 4 + 10] {
            for queen_above in [10, 28] {
                let rook = bishop.max(knight) + rook_above;
                let values = [4, knight, bishop, rook, rook + queen_above];
                corners.push(PieceValues::new(values).unwrap());
            }
        }
    }
    corners
}

/// Values that engines have, all within the corners.
fn usual() -> [PieceValues; 5] {
    let new = |values| PieceValues::new(values).unwrap();
    [
        PieceValues::CPW,
        PieceValues::STOCKFISH,
        PieceValues::CLASSICAL,
        new([82, 337, 365, 477, 1025]),
        new([100, 320, 330, 500, 900]),
    ]
}

fn is_at_least(a: PieceSum, b: PieceSum) -> bool {
    corners().iter().all(|values| (a - b).at(values) >= 0)
}

/// Whether the exchange with these gains has this value, for all usual piece values. Each gain is
/// what one capture wins for the side that makes it.
///
/// If the exchange stops after capture i, the first side has won `stops[i]`. From the last one
/// back, the side to capture chooses between stopping and what follows: the first side the larger,
/// the other the smaller. The larger of two numbers is at least a bound if one of them is, and at
/// most if both are.
fn is_proved(gains: &[PieceSum], value: PieceSum) -> bool {
    let mut stops: Vec<PieceSum> = Vec::new();
    for (ply, gain) in gains.iter().enumerate() {
        let before = stops.last().copied().unwrap_or_default();
        let is_first_side = ply % 2 == 0;
        stops.push(if is_first_side {
            before + *gain
        } else {
            before - *gain
        });
    }
    let last = stops.pop().unwrap();
    let mut reaches = is_at_least(last, value);
    let mut is_within = is_at_least(value, last);
    for (ply, stop) in stops.into_iter().enumerate().rev() {
        let stop_reaches = is_at_least(stop, value);
        let stop_is_within = is_at_least(value, stop);
        // After an odd number of captures the other side is to capture.
        if ply % 2 == 0 {
            reaches &= stop_reaches;
            is_within |= stop_is_within;
        } else {
            reaches |= stop_reaches;
            is_within &= stop_is_within;
        }
    }
    reaches && is_within
}

#[test]
fn each_value_is_proved_for_all_usual_piece_values() {
    for line in lines() {
        for &profile in Profile::ALL {
            let gains = FaultyEngine::faultless(profile).gains(&line.position, line.played);
            let sum = line.sums[profile as usize];
            assert!(is_proved(&gains, sum), "{} {profile}: {gains:?}", line.fen);
        }
    }
    // The proof can fail: a queen is not always worth two rooks, nor are two rooks a queen.
    let [rook, queen] = ["R", "Q"].map(|sum| sum.parse::<PieceSum>().unwrap());
    assert!(!is_at_least(rook + rook, queen) && !is_at_least(queen, rook + rook));
    let recapture = queen - rook - rook;
    assert!(!is_proved(&[rook, recapture], rook));
    assert!(!is_proved(&[rook, recapture], rook - recapture));
}

/// The order among equal attackers, and among knights and bishops, is left to the engine.
#[test]
fn no_line_depends_on_the_order_of_equals() {
    for line in lines() {
        for &profile in Profile::ALL {
            let engine = FaultyEngine::faultless(profile);
            let highest = engine.with(fault_named("HighestSquareFirst"));
            let both = highest.with(fault_named("BishopBeforeKnight"));
            for engine in [
                highest,
                engine.with(fault_named("BishopBeforeKnight")),
                both,
            ] {
                let gains = engine.gains(&line.position, line.played);
                assert!(
                    is_proved(&gains, line.sums[profile as usize]),
                    "{} {profile}",
                    line.fen
                );
            }
        }
    }
}

#[test]
fn the_oracle_passes_at_all_corners_and_so_do_thresholds() {
    for line in lines() {
        let chess = boards::board(line.fen);
        let played = boards::mv(&chess, line.uci);
        for &profile in Profile::ALL {
            for values in corners().into_iter().chain(usual()) {
                let rules = Rules::new(profile, values);
                let value = line.sums[profile as usize].at(&values);
                assert_eq!(
                    oracle::see(&chess, played, &rules),
                    value,
                    "{} {rules}",
                    line.fen
                );
                assert_eq!(rules.see(&line.position, line.played), value);
                assert!(rules.see_ge(&line.position, line.played, value));
                assert!(!rules.see_ge(&line.position, line.played, value + 1));
            }
        }
    }
}

/// The engine that can have faults is right without them, on any board.
#[test]
fn without_a_fault_the_naive_engine_is_right() {
    let crowded = boards::dense(60).take(1_500);
    let boards = boards::playouts(60).take(1_500).chain(crowded);
    for chess in boards.chain(boards::piled(60).take(500)) {
        let (position, moves) = captures(&chess);
        for (_, played) in moves {
            for values in [PieceValues::CPW, PieceValues::STOCKFISH] {
                for &profile in Profile::ALL {
                    let engine = FaultyEngine::faultless(profile);
                    let right = Rules::new(profile, values).see(&position, played);
                    let said = engine.see(&position, played, &values);
                    assert_eq!(said, right, "{position} {played} {profile}");
                }
            }
        }
    }
}

fn fails(engine: &FaultyEngine, line: &Line<'_>, profile: Profile, values: &PieceValues) -> bool {
    engine.see(&line.position, line.played, values) != line.sums[profile as usize].at(values)
}

#[test]
fn each_fault_fails_three_lines_and_each_line_is_failed() {
    let lines = lines();
    let faults = Fault::ALL
        .iter()
        .filter(|fault| !fault.profiles().is_empty());
    assert!(faults.clone().count() >= 80);
    let mut failed = BTreeSet::new();
    let mut unseen = Vec::new();
    for &fault in faults {
        for &profile in fault.profiles() {
            let engine = FaultyEngine::faultless(profile).with(fault);
            // Whatever piece values the engine has.
            let fails_all = |line: &Line<'_>| {
                usual()
                    .iter()
                    .all(|values| fails(&engine, line, profile, values))
            };
            let numbers: Vec<usize> = (0..lines.len()).filter(|n| fails_all(&lines[*n])).collect();
            if numbers.len() < 3 {
                unseen.push((fault.text(), profile, numbers.len()));
            }
            failed.extend(numbers);
        }
    }
    assert!(unseen.is_empty(), "{unseen:#?}");
    let idle = (0..lines.len()).filter(|number| !failed.contains(number));
    let idle: Vec<&str> = idle.map(|number| lines[number].fen).collect();
    assert!(idle.is_empty(), "no fault fails {idle:#?}");
}

/// Two faults that hide each other on some lines still fail others.
#[test]
fn no_pair_of_faults_passes() {
    let lines = lines();
    let values = PieceValues::CPW;
    let mut pairs = 0;
    for &profile in Profile::ALL {
        let is_fault = |fault: &&Fault| fault.profiles().contains(&profile);
        let faults: Vec<&Fault> = Fault::ALL.iter().filter(is_fault).collect();
        for (at, first) in faults.iter().enumerate() {
            let one = FaultyEngine::faultless(profile).with(**first);
            for second in &faults[at + 1..] {
                let both = one.with(**second);
                let failing = lines
                    .iter()
                    .filter(|line| fails(&both, line, profile, &values));
                let names = [first.text(), second.text()];
                assert!(failing.take(2).count() == 2, "{names:?} under {profile}");
                pairs += 1;
            }
        }
    }
    assert!(pairs > 20_000, "{pairs} pairs");
}

#[test]
fn lines_are_in_order_and_balanced() {
    let lines = lines();
    assert!((150..=400).contains(&lines.len()), "{} lines", lines.len());
    let turn = |color| {
        lines
            .iter()
            .filter(|line| line.position.turn() == color)
            .count()
    };
    assert!(turn(Color::White).abs_diff(turn(Color::Black)) <= 1);
    let tests: BTreeSet<_> = lines.iter().map(|line| (line.fen, line.uci)).collect();
    assert_eq!(tests.len(), lines.len(), "a line is there twice");
    let mut topics: Vec<&str> = lines.iter().map(topic_of).collect();
    topics.dedup();
    let different: BTreeSet<&str> = topics.iter().copied().collect();
    assert_eq!(
        topics.len(),
        different.len(),
        "a topic is split: {topics:?}"
    );
    for line in &lines {
        // What differs is explained, and nothing needs an escape in any language.
        let sums = line.sums;
        let differs = sums.iter().any(|sum| *sum != sums[0]);
        assert_eq!(line.about.contains(';'), differs, "{}", line.about);
        assert!(!line.about.contains(['"', '\\', '|']), "{}", line.about);
    }
    assert!(Line::parse("8/8/8/8/8/8/8/8 w - - 0 1 | e4d5 | P | P | P | P | x").is_err());
    assert!(Line::parse("4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1 | e4d5 | P | P | P | x").is_err());
}

/// So the first line that fails is of the topic that its author has to look at.
#[test]
fn no_line_needs_what_a_later_topic_tests() {
    let lines = lines();
    let mut early = Vec::new();
    for (class, topic) in [
        ("x-rays are missing", "x-rays"),
        ("en passant", "en passant"),
        ("promotions", "promotions"),
        ("castling", "castling"),
    ] {
        for &fault in Fault::ALL.iter().filter(|fault| fault.class() == class) {
            // Pins hide pieces behind others too.
            let is_general = fault != fault_named("AttackersBeforeMove");
            let profiles = if is_general {
                fault.profiles()
            } else {
                &[Profile::Swap]
            };
            for &profile in profiles {
                let engine = FaultyEngine::faultless(profile).with(fault);
                let first = lines
                    .iter()
                    .position(|line| fails(&engine, line, profile, &PieceValues::CPW));
                let first = first.unwrap();
                if topic_of(&lines[first]) != topic {
                    early.push((fault.text(), profile, first + 1, topic_of(&lines[first])));
                }
            }
        }
    }
    assert!(early.is_empty(), "{early:#?}");
}

/// Engines and tools refuse positions that no move leads to, such as an en passant square whose
/// pawn gave check before it moved two squares.
#[test]
fn a_legal_move_leads_to_each_position() {
    for line in lines() {
        let setup = line.fen.parse::<Fen>().unwrap().into_setup();
        assert!(last_move(&setup).is_some(), "{}", line.fen);
    }
    for impossible in [
        // Before h7h5 the pawn gave check with Black to move.
        "6k1/8/6K1/6Pp/8/8/8/8 w - h6 0 1",
        // Nothing came from g8, where the pawn would have been.
        "6rk/8/8/6pP/8/8/8/4K3 w - f6 0 1",
        // No move gives check from e8 and h8 at once.
        "r3K2r/8/8/8/8/8/8/k7 w - - 0 1",
    ] {
        let setup = impossible.parse::<Fen>().unwrap().into_setup();
        assert_eq!(last_move(&setup), None, "{impossible}");
    }
}

/// A legal move that leads to this position, with an en passant square only a pawn's two squares.
fn last_move(setup: &Setup) -> Option<Move> {
    let mover = !setup.turn;
    let mut targets = setup.board.by_color(mover).into_iter();
    targets.find_map(|to| {
        let stood = setup.board.piece_at(to)?;
        let was_pawn = (stood.role != Role::King).then_some(Role::Pawn.of(mover));
        let victims = Role::ALL[..5].iter().map(|role| Some(role.of(setup.turn)));
        let victims: Vec<Option<Piece>> = [None].into_iter().chain(victims).collect();
        (!setup.board.occupied()).into_iter().find_map(|from| {
            let mut pieces = [Some(stood), was_pawn].into_iter().flatten();
            pieces.find_map(|piece| {
                let mut victims = victims.iter();
                victims.find_map(|victim| leads_from(setup, (from, piece), (to, *victim)))
            })
        })
    })
}

/// The move of a piece from its square that captures a victim on another one and leads to this
/// position, if it is legal.
fn leads_from(
    setup: &Setup,
    (from, piece): (Square, Piece),
    (to, victim): (Square, Option<Piece>),
) -> Option<Move> {
    let mut before = setup.clone();
    before.turn = !setup.turn;
    before.ep_square = None;
    before.board.discard_piece_at(to);
    before.board.set_piece_at(from, piece);
    if let Some(victim) = victim {
        before.board.set_piece_at(to, victim);
    }
    let before = Chess::from_setup(before, shakmaty::CastlingMode::Standard).ok()?;
    before.legal_moves().into_iter().find(|m| {
        let is_it = m.from() == Some(from) && m.to() == to;
        is_it && {
            let after = before
                .clone()
                .play(*m)
                .unwrap()
                .to_setup(EnPassantMode::Always);
            let same_square = setup.ep_square.is_none() || setup.ep_square == after.ep_square;
            after.board == setup.board && same_square
        }
    })
}

#[test]
fn sums_are_read_as_they_are_written() {
    for text in [
        "0",
        "P",
        "-N",
        "P - N",
        "P + P - N",
        "R - N - Q",
        "B - P - P",
    ] {
        let sum: PieceSum = text.parse().unwrap();
        assert_eq!(sum.to_string(), text);
    }
    for wrong in [
        "",
        "P -",
        "- - P",
        "PP",
        "K",
        "1",
        "P + 0",
        "p",
        "P - P + - N",
    ] {
        assert!(wrong.parse::<PieceSum>().is_err(), "{wrong}");
    }
}

/// The results of an engine: the value of each line, or only whether it is right.
fn results_of(
    engine: &FaultyEngine,
    profile: Profile,
    are_values: bool,
) -> Vec<Option<LineResult>> {
    let outcome = |line: &Line<'_>| {
        let value = engine.see(&line.position, line.played, &PieceValues::CPW);
        let right = line.sums[profile as usize].at(&PieceValues::CPW);
        Some(if are_values {
            LineResult::Value(value)
        } else {
            LineResult::Passed(value == right)
        })
    };
    lines().iter().map(outcome).collect()
}

#[test]
fn the_diagnosis_names_each_fault() {
    for are_values in [true, false] {
        for &fault in Fault::ALL {
            for &profile in fault.profiles() {
                let engine = FaultyEngine::faultless(profile).with(fault);
                let results = results_of(&engine, profile, are_values);
                let found = diagnose(&results, Some(profile), Some(PieceValues::CPW));
                let name = fault.text();
                assert!(
                    found.explanations.contains(&vec![fault]),
                    "{name} under {profile}"
                );
                // Faults that fail other lines, or have other values there, are not named.
                for other in &found.explanations {
                    let other = FaultyEngine::faultless(profile).with(other[0]);
                    assert_eq!(results_of(&other, profile, are_values), results, "{name}");
                }
            }
        }
    }
}

/// Lines that have no answer count as unanswered, and answers without a line for nothing.
#[test]
fn a_diagnosis_takes_fewer_and_more_answers_than_lines() {
    let fault = fault_named("AllSigns");
    let engine = FaultyEngine::faultless(Profile::Swap).with(fault);
    let all = results_of(&engine, Profile::Swap, true);
    let told = |results: &[Option<LineResult>]| {
        diagnose(results, Some(Profile::Swap), Some(PieceValues::CPW))
    };
    assert!(told(&all[..0]).answered.is_empty());
    let fewer = told(&all[..all.len() - 1]);
    assert_eq!(fewer.answered.len(), all.len() - 1);
    assert!(fewer.explanations.contains(&vec![fault]));
    let more = [all.as_slice(), &[Some(LineResult::Value(12_345))]].concat();
    assert_eq!(told(&more), told(&all));
}

/// Otherwise a diagnosis could not name one alone.
#[test]
fn no_two_faults_have_the_same_results() {
    for &profile in Profile::ALL {
        let mut known = BTreeMap::new();
        for &fault in Fault::ALL
            .iter()
            .filter(|fault| fault.profiles().contains(&profile))
        {
            let engine = FaultyEngine::faultless(profile).with(fault);
            let see = |line: &Line<'_>| engine.see(&line.position, line.played, &PieceValues::CPW);
            let values: Vec<i32> = lines().iter().map(see).collect();
            let other = known.insert(values, fault.text());
            assert_eq!(other, None, "{} under {profile}", fault.text());
        }
    }
}

#[test]
fn the_diagnosis_names_two_faults() {
    for (profile, first, second) in [
        (
            Profile::Swap,
            fault_named("NoXRaysBehindPawns"),
            fault_named("KingNeverRecaptures"),
        ),
        (
            Profile::Sf,
            fault_named("PinsIgnored"),
            fault_named("NoQueenRecaptures"),
        ),
        (
            Profile::Legal,
            fault_named("EnPassantVictimStays"),
            fault_named("PromotionTwice"),
        ),
    ] {
        let engine = FaultyEngine::faultless(profile).with(first).with(second);
        let found = diagnose(&results_of(&engine, profile, true), Some(profile), None);
        let mut pair = vec![first, second];
        pair.sort();
        assert!(
            found.explanations.contains(&pair),
            "{:?}",
            found.explanations
        );
        // Those that these results do not tell from it give the same results.
        let results = results_of(&engine, profile, true);
        for other in &found.explanations {
            let engine = FaultyEngine::faultless(profile);
            let engine = other
                .iter()
                .fold(engine, |engine, fault| engine.with(*fault));
            assert_eq!(results_of(&engine, profile, true), results);
        }
        assert_eq!(found.values, PieceValues::CPW);
    }
}

#[test]
fn the_diagnosis_finds_rules_and_values_and_contradicts_no_result() {
    let own = PieceValues::new([90, 310, 333, 505, 970]).unwrap();
    for &profile in Profile::ALL {
        let engine = FaultyEngine::faultless(profile);
        let see = |line: &Line<'_>| engine.see(&line.position, line.played, &own);
        let results: Vec<_> = lines()
            .iter()
            .map(|line| Some(LineResult::Value(see(line))))
            .collect();
        let found = diagnose(&results, None, None);
        assert_eq!((found.profile, found.values), (profile, own));
        assert!(found.failed.is_empty() && found.explanations.is_empty());
    }
    // Three faults: each that is named contradicts nothing.
    let three = [
        fault_named("NoXRays"),
        fault_named("EnPassantVictimUncounted"),
        fault_named("PromotedIsPawn"),
    ];
    let profile = Profile::Swap;
    let engine = FaultyEngine::faultless(profile);
    let engine = three
        .iter()
        .fold(engine, |engine, fault| engine.with(*fault));
    let results = results_of(&engine, profile, true);
    let found = diagnose(&results, Some(profile), Some(PieceValues::CPW));
    assert!(found.explanations.is_empty());
    for fault in three {
        let named = found.partial.iter().any(|(named, _)| *named == fault);
        assert!(named, "{}", fault.text());
    }
    for (fault, _) in &found.partial {
        let alone = FaultyEngine::faultless(profile).with(*fault);
        for &at in &found.answered {
            let fails = results_of(&alone, profile, false)[at] == Some(LineResult::Passed(false));
            assert!(!fails || found.failed.contains(&at), "{}", fault.text());
        }
    }
}

#[test]
fn results_are_read_in_any_order_and_refused_with_a_reason() {
    let all = lines().len();
    let right = results_of(&FaultyEngine::faultless(Profile::Swap), Profile::Swap, true);
    let values: Vec<i32> = right
        .iter()
        .map(|outcome| match outcome {
            Some(LineResult::Value(value)) => *value,
            _ => unreachable!(),
        })
        .collect();
    let texts: Vec<String> = values.iter().map(i32::to_string).collect();
    let numbered = |at: usize| format!("{}: {}", at + 1, texts[at]);
    let named = |at: usize| format!("{} | {} | {}", lines()[at].fen, lines()[at].uci, texts[at]);
    let windows = format!("\u{feff}{}\r\n\r\n", texts.join("\r\n"));
    let backwards: Vec<String> = (0..all).rev().map(numbered).collect();
    let by_name: Vec<String> = (0..all).rev().map(named).collect();
    for text in [
        texts.join("\n"),
        windows,
        backwards.join("\n"),
        by_name.join("\n"),
    ] {
        assert_eq!(results(text.as_bytes()).unwrap(), right);
    }
    let some = results(b"# two of them\n2: pass\n\n1: fail\n").unwrap();
    assert_eq!(
        some[..3],
        [
            Some(LineResult::Passed(false)),
            Some(LineResult::Passed(true)),
            None
        ]
    );
    let refused = |text: &str| results(text.as_bytes()).unwrap_err().to_string();
    let short = format!(
        "{} of {all} results; name the suite's lines, as in '7: -225', to leave some out",
        all - 1
    );
    assert_eq!(refused(&texts[1..].join("\n")), short);
    let long = format!(
        "line {}: result {} of a suite of {all} lines",
        all + 1,
        all + 1
    );
    assert_eq!(refused(&(texts.join("\n") + "\n0\n")), long);
    let twice = "line 3: the suite's line 7 was answered on line 1";
    assert_eq!(refused("7: 0\n8: 0\n7: 0"), twice);
    for (text, reason) in [
        ("", "no results"),
        (
            "0\n2: 5",
            "line 2: some lines name the suite's line and others do not",
        ),
        ("0: 5", "line 1: the suite has the lines 1 to"),
        (
            "1: 5\n2: maybe",
            "line 2: expected a whole number, pass or fail",
        ),
        ("1.5", "line 1: expected a whole number, pass or fail"),
        (
            "4k3/8/8/8/8/8/8/4K3 w - - 0 1 | e1e2 | 0",
            "line 1: e1e2 in",
        ),
    ] {
        assert!(
            refused(text).starts_with(reason),
            "{text}: {}",
            refused(text)
        );
    }
    assert_eq!(
        results(b"1: 5\n\xff\n").unwrap_err().to_string(),
        "line 2: not UTF-8"
    );
}
