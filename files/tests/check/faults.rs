//! The faults of the suite, found in answers about any positions.

use std::thread;

use swaplist::{Choice, PackedMove, PieceValues, Position, Profile, Rules, noisy_moves};
use swaplist_files::check::{Answer, Claim, Diagnosis, candidates, findings, fitted};
use swaplist_files::suite::{Fault, FaultyEngine};

use super::engines::{OWN, asked, fault_named, said_by_engine};

/// Whether a fault is named for each wrong answer: under the rules, and under those that fit the
/// answers best if rules and piece values are unknown.
fn assert_told(said: &[Answer], fault: Fault) {
    let found = findings(said, &fitted(said, &candidates(PieceValues::CPW)))[0].rules;
    assert_eq!(found.values, OWN, "{fault:?}");
    for rules in [Rules::new(Profile::Swap, OWN), found] {
        let diagnosis = Diagnosis::new(said, &rules);
        let classes = diagnosis.deviations().into_iter();
        let told = classes.flat_map(|deviation| diagnosis.explanations(deviation.class));
        let told: Vec<_> = told.collect();
        let wrong = said.iter().filter(|answer| !answer.agrees(&rules));
        assert_eq!(told, [(fault.text(), wrong.count())], "{rules}");
    }
}

/// An engine that answers as one with a fault of the suite is told this fault for each wrong
/// answer, whatever its positions, though its rules and piece values are unknown.
#[test]
fn answers_of_any_positions_are_told_the_suites_faults() {
    let captures = asked(23);
    for fault in [
        fault_named("AllSigns"),
        fault_named("EnPassantVictimUncounted"),
        fault_named("KingIgnoresGuards"),
        fault_named("MostValuableFirst"),
        fault_named("QueenBeforeRook"),
        fault_named("OneRecapture"),
        fault_named("DefendedIsLost"),
    ] {
        let engine = FaultyEngine::faultless(Profile::Swap).with(fault);
        let said = said_by_engine(&captures, |at, m| engine.see(at, m, &OWN));
        assert_told(&said, fault);
    }
}

/// Other values than the engine's own would fit more of these answers, from positions of games. What
/// nothing recaptures tells the values.
#[test]
fn faults_that_show_everywhere_do_not_hide_the_values() {
    let positions = swaplist::SAMPLE.lines().map(|line| line.parse().unwrap());
    let captures: Vec<_> = positions
        .flat_map(|at: Position| noisy_moves(&at).into_iter().map(move |m| (at, m)))
        .collect();
    let captures: Vec<_> = captures
        .iter()
        .step_by(captures.len() / 700)
        .copied()
        .collect();
    for fault in [
        fault_named("NoRecaptures"),
        fault_named("Absolute"),
        fault_named("FirstVictimAgain"),
        fault_named("CapturerValue"),
    ] {
        let engine = FaultyEngine::faultless(Profile::Swap).with(fault);
        let said = said_by_engine(&captures, |at, m| engine.see(at, m, &OWN));
        assert_told(&said, fault);
    }
}

/// `>` for `>=` makes each answer wrong whose threshold is the SEE.
#[test]
fn a_strict_threshold_is_named() {
    let captures = asked(29);
    let mut said = said_by_engine(&captures, |at, m| Rules::new(Profile::Swap, OWN).see(at, m));
    for (nth, answer) in said.iter_mut().enumerate() {
        let Claim::Value(see) = answer.said else {
            unreachable!()
        };
        let threshold = see + [0, -90, 1, 220][nth % 4];
        answer.said = Claim::AtLeast {
            threshold,
            holds: see > threshold,
        };
    }
    assert_told(&said, fault_named("StrictThreshold"));
}

/// Each fault is named under each rule set, alone or with others that would give the same answers.
#[test]
fn each_fault_is_named_under_each_rule_set() {
    let captures: Vec<_> = asked(37).into_iter().step_by(23).collect();
    let mut named = 0;
    for &profile in Profile::ALL {
        let rules = Rules::new(profile, OWN);
        for &fault in Fault::ALL
            .iter()
            .filter(|fault| fault.profiles().contains(&profile))
        {
            let engine = FaultyEngine::faultless(profile).with(fault);
            let said = said_by_engine(&captures, |at, m| engine.see(at, m, &OWN));
            // Values do not show a fault of thresholds, and some faults are rarer.
            let wrong = said.iter().position(|answer| !answer.agrees(&rules));
            let Some(nth) = wrong.filter(|_| fault != fault_named("StrictThreshold")) else {
                continue;
            };
            let diagnosis = Diagnosis::new(&said, &rules);
            let name = fault.text();
            let seems = diagnosis.of_answer(nth).1.unwrap_or_default();
            let is_named = seems == name || diagnosis.instead_of(seems).contains(&name);
            assert!(is_named, "{name} under {profile}: {seems}");
            assert_eq!(diagnosis.deviations().len(), 1, "{name} under {profile}");
            named += 1;
        }
    }
    assert!(named > 300, "{named} faults");
}

/// If rules and piece values are unknown, each fault is named for all answers that it makes wrong. A
/// wrong piece value is taken for a value of the engine's own.
#[test]
fn each_fault_is_named_if_rules_and_values_are_fitted() {
    let captures: &Vec<_> = &asked(23).into_iter().step_by(3).collect();
    // A thread for each profile, as this takes longer than all other tests here together.
    let missed: Vec<_> = thread::scope(|scope| {
        let threads: Vec<_> = Profile::ALL
            .iter()
            .map(|&profile| scope.spawn(move || not_named_if_fitted(profile, captures)))
            .collect();
        threads
            .into_iter()
            .flat_map(|under_profile| under_profile.join().unwrap())
            .collect()
    });
    assert!(missed.is_empty(), "{missed:#?}");
}

/// The faults under a profile that are not named for each answer that they make wrong, or not with
/// the engine's values, with the rules that were found instead.
fn not_named_if_fitted(
    profile: Profile,
    captures: &[(Position, PackedMove)],
) -> Vec<(&'static str, Profile, String)> {
    let rules = Rules::new(profile, OWN);
    let faults = Fault::ALL.iter().filter(|fault| {
        let shows = !["piece values", "thresholds"].contains(&fault.class());
        shows && fault.profiles().contains(&profile)
    });
    let mut missed = Vec::new();
    for &fault in faults {
        let engine = FaultyEngine::faultless(profile).with(fault);
        let said = said_by_engine(captures, |at, m| engine.see(at, m, &OWN));
        // Rare faults show too little to be told from other rules.
        let wrong = said.iter().filter(|answer| !answer.agrees(&rules)).count();
        if wrong < 20 {
            continue;
        }
        let mut found = findings(&said, &fitted(&said, &candidates(PieceValues::CPW)));
        let diagnosis = Diagnosis::from_findings(&said, &mut found).unwrap();
        let found = found[0].rules;
        let name = fault.text();
        let is_named = (0..said.len()).all(|nth| {
            said[nth].agrees(&found)
                || diagnosis.of_answer(nth).1.is_some_and(|seems| {
                    seems == name || diagnosis.instead_of(seems).contains(&name)
                })
        });
        if !is_named || found.values != OWN {
            missed.push((name, profile, found.to_string()));
        }
    }
    missed
}

/// What the answers do not tell from the explanation is said, and nothing else.
#[test]
fn explanations_with_the_same_answers_are_all_given() {
    let guarded = "8/6b1/5k2/4p3/4KP2/8/8/8 w - - 0 1;fxe5;0";
    let mut said = vec![Answer::parse(guarded, 1).unwrap()];
    let diagnosis = Diagnosis::new(&said, &Rules::SWAP);
    let seems = fault_named("KingIgnoresGuards").text();
    assert_eq!(diagnosis.of_answer(0).1, Some(seems));
    for fault in Fault::ALL
        .iter()
        .filter(|fault| !fault.profiles().is_empty())
    {
        let engine = FaultyEngine::faultless(Profile::Swap).with(*fault);
        let value = engine.see(&said[0].position, said[0].capture, &PieceValues::CPW);
        let is_other = value == 0 && fault.text() != seems;
        let name = fault.text();
        assert_eq!(
            diagnosis.instead_of(seems).contains(&name),
            is_other,
            "{name}"
        );
    }
    assert!(diagnosis.instead_of(seems).len() > 3);
    assert!(diagnosis.instead_of("nothing known").is_empty());
    // Right answers refute the others, but for one that recaptures there too: White's king is worth
    // as much as Black's.
    let ignores = FaultyEngine::faultless(Profile::Swap).with(fault_named("KingIgnoresGuards"));
    let right = said_by_engine(&asked(41), |at, m| Rules::SWAP.see(at, m));
    said.extend(right.into_iter().filter(|answer| {
        let value = ignores.see(&answer.position, answer.capture, &PieceValues::CPW);
        answer.said == Claim::Value(value)
    }));
    let diagnosis = Diagnosis::new(&said, &Rules::SWAP);
    assert_eq!(diagnosis.of_answer(0).1, Some(seems));
    assert_eq!(
        diagnosis.instead_of(seems),
        [fault_named("HugeKing").text()]
    );
}

/// Rules that are no profile are followed by the suite's engine too.
#[test]
fn the_suites_engine_follows_all_rules() {
    for rules in candidates(PieceValues::STOCKFISH) {
        let engine = FaultyEngine::following(&rules);
        for (position, m) in asked(31) {
            let said = engine.see(&position, m, &rules.values);
            assert_eq!(said, rules.see(&position, m), "{position} {m} {rules}");
        }
    }
}
