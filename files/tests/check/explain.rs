//! Explanations as data.

use core::array;
use proptest::prelude::*;
use shakmaty::{EnPassantMode, fen::Fen};
use swaplist::{Choice, PieceValues, Profile, Rules};
use swaplist_files::explain::explain_line;

use crate::tests::common::any::{captures, chess, config, rules};

proptest! {
    #![proptest_config(config(1000))]

    /// The rows that a page shows lead to the SEE and match the trace.
    #[test]
    fn steps_and_decisions_lead_to_the_see(chess in chess(), rules in rules()) {
        let (position, moves) = captures(&chess);
        let fen = Fen::from_position(&chess, EnPassantMode::Always).to_string();
        let all = explain_line(&fen, None, &rules).unwrap();
        prop_assert_eq!(all.noisy.len(), moves.len());
        prop_assert!(all.noisy.is_sorted_by_key(|noisy| -noisy.see));
        for noisy in all.noisy {
            let asked = explain_line(&fen, Some(&noisy.san), &rules).unwrap();
            let [exchange] = &asked.exchanges[..] else { panic!() };
            let see = rules.see(&position, noisy.capture);
            let trace = &exchange.trace;
            prop_assert_eq!(&exchange.first, &noisy);
            prop_assert_eq!(noisy.see, see);
            let gains: Vec<i32> = exchange.steps.iter().map(|step| step.gain).collect();
            prop_assert_eq!(gains, trace.swap_list());
            prop_assert_eq!(exchange.steps[0].best, Some(see), "{}", asked);
            let played = exchange.steps.iter().filter(|step| step.best.is_some());
            prop_assert_eq!(played.count(), 1 + trace.recaptures.len());
            prop_assert_eq!(exchange.settled.is_some(), trace.recaptures.is_empty());
        }
    }
}

/// Four rule sets side by side, with barred pieces and reasons.
#[test]
fn rule_sets_side_by_side() {
    let line = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1;Nxc5";
    let explain = |profile| {
        let rules = Rules::new(profile, PieceValues::CPW);
        explain_line(line, None, &rules).unwrap()
    };
    let rows = array::from_fn(|i| Profile::ALL[i]).map(|profile| {
        let exchange = &explain(profile).exchanges[0];
        let words = exchange.steps.iter().map(|step| step.words.clone());
        words.collect::<Vec<_>>().join("; ")
    });
    let takes = "White knight e4 x pawn; Black bishop e7 x knight; White cannot capture";
    let bars = "White knight e4 x pawn; Black cannot capture";
    assert_eq!(rows, [takes, takes, takes, bars]);
    let legal = &explain(Profile::Legal).exchanges[0];
    assert_eq!(legal.steps[1].passed_over, legal.trace.barred);
    assert_eq!(legal.settled, Some("Nobody may recapture"));
    assert_eq!(legal.first.to_string(), "Nxc5 (e4c5)");
}

#[test]
fn errors_say_what_was_expected() {
    let error = |line: &str| {
        let error = explain_line(line, None, &Rules::SWAP).unwrap_err();
        error.to_string()
    };
    assert_eq!(error("# none"), "no position; expected a FEN");
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - -";
    let two = error(&format!("{fen}\n{fen}"));
    assert_eq!(two, "several lines; expected one position");
    let illegal = format!("illegal move 'e4f5' in the position '{fen}'");
    let line = format!("{fen};e4f5");
    assert_eq!(error(&line), format!("'{line}': {illegal}"));
    let asked = explain_line(fen, Some("e4f5"), &Rules::SWAP).unwrap_err();
    assert_eq!(asked.to_string(), illegal);
}
