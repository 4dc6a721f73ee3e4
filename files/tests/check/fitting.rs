//! Which rules and piece values fit an engine's answers, and how surely.

use swaplist::{Choice, PieceValues, Profile, Rules};
use swaplist_files::check::{
    Answer, Claim, Evidence, Finding, answers, candidates, evidence, evidence_in_words, findings,
    fitted,
};

use super::engines::{positions, said_by};
use crate::tests::common::boards::Random;

#[test]
fn all_combinations_are_tried_once_the_profiles_first() {
    let all = candidates(PieceValues::CPW);
    assert_eq!(all.len(), 4 * 2 * 3 * 2);
    for (i, rules) in all.iter().enumerate() {
        assert!(!all[..i].contains(rules), "{rules}");
    }
    let named = all.iter().take_while(|rules| rules.profile().is_some());
    assert_eq!(named.count(), 4);
}

/// Answers distinguish every combination of the options from every other.
#[test]
fn the_rules_that_were_followed_are_found() {
    let positions = positions(3);
    let presets = [
        PieceValues::CPW,
        PieceValues::STOCKFISH,
        PieceValues::CLASSICAL,
    ];
    let all: Vec<Rules> = presets.into_iter().flat_map(candidates).collect();
    for (i, rules) in candidates(PieceValues::STOCKFISH).into_iter().enumerate() {
        let said = said_by(&rules, &positions, i % 2 == 0);
        let findings = findings(&said, &all);
        let [best, second] = [findings[0], findings[1]];
        assert_eq!((best.rules, best.agreed), (rules, said.len()));
        assert!(second.agreed < best.agreed, "{} as well", second.rules);
        let right = said.iter().filter(|answer| answer.agrees(&second.rules));
        assert_eq!(right.count(), second.agreed);
    }
}

/// An engine's own values, from values and from thresholds next to the SEE; wrong answers are
/// outvoted.
#[test]
fn values_are_found() {
    let mut random = Random(11);
    let positions = positions(5);
    for i in 0..16 {
        let most = [1_500, 30_000][i % 2];
        let mut table = core::array::from_fn(|_| 1 + i32::try_from(random.below(most)).unwrap());
        if i % 4 > 0 {
            table.sort_unstable();
        }
        let values = PieceValues::new(table).unwrap();
        let engine = Rules::new(Profile::ALL[i / 2 % 4], values);
        let mut said = said_by(&engine, &positions[i * 150..][..400], i % 3 == 0);
        let mut wrong = 0;
        for answer in said.iter_mut().skip(i).step_by(100) {
            answer.said = Claim::Value(4711);
            wrong += 1;
        }
        let fitted = fitted(&said, &candidates(PieceValues::CPW));
        let best = findings(&said, &fitted)[0];
        assert_eq!((best.rules, best.agreed), (engine, said.len() - wrong));
    }
}

/// The evidence for the values of one rule set.
fn evidence_for(said: &[Answer], rules: &Rules) -> [Evidence; 5] {
    evidence(said, &findings(said, &[*rules]))
}

/// Values that other values fit as well are not determined, also where only a sum is known.
#[test]
fn what_answers_leave_open_is_not_determined() {
    use Evidence::{None, OneAnswer, Several};
    let parse = |line: &str| Answer::parse(line, 1).unwrap();
    let pawn = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5";
    let other_pawn = "4k3/8/8/8/3p4/4P3/8/4K3 w - - 0 1;exd4";
    // A rook takes a pawn and is taken.
    let rook = "4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1;Rxd6";
    let other_rook = "4k3/3p4/4p3/8/8/8/8/K3R3 w - - 0 1;Rxe6";
    let only_pawn = |pawn| [pawn, None, None, None, None];
    let cases: [(&[&str], [Evidence; 5]); 11] = [
        (&[pawn, "0;1"], [None; 5]),
        (&[pawn, "100"], only_pawn(OneAnswer)),
        (&[pawn, "100", other_pawn, "100"], only_pawn(Several)),
        (&[pawn, "100;1"], [None; 5]),
        (&[pawn, "100;1", pawn, "101;0"], only_pawn(OneAnswer)),
        (
            &[pawn, "100;1", pawn, "101;0", pawn, "100;1"],
            only_pawn(OneAnswer),
        ),
        (
            &[pawn, "100;1", pawn, "101;0", other_pawn, "100"],
            only_pawn(Several),
        ),
        (&[rook, "-400"], [None; 5]),
        (
            &[rook, "-400", pawn, "100"],
            [OneAnswer, None, None, OneAnswer, None],
        ),
        // The rook's value follows from both.
        (
            &[rook, "-400", other_rook, "-400", pawn, "100"],
            [OneAnswer, None, None, OneAnswer, None],
        ),
        (
            &[
                rook, "-400", other_rook, "-400", pawn, "100", other_pawn, "100",
            ],
            [Several, None, None, Several, None],
        ),
    ];
    for (lines, expected) in cases {
        let said: Vec<Answer> = lines.chunks(2).map(|line| parse(&line.join(";"))).collect();
        assert_eq!(evidence_for(&said, &Rules::SWAP), expected, "{lines:?}");
    }
    // Many answers determine all, but thresholds far from the SEE do not.
    let said = said_by(&Rules::SWAP, &positions(5)[..400], true);
    assert_eq!(evidence_for(&said, &Rules::SWAP), [Several; 5]);
    let far = |answer: &Answer| Answer {
        said: Claim::AtLeast {
            threshold: -5_000,
            holds: true,
        },
        ..answer.clone()
    };
    let far_off: Vec<Answer> = said.iter().map(far).collect();
    assert_eq!(evidence_for(&far_off, &Rules::SWAP), [None; 5]);
    assert_eq!(evidence(&[], &[]), [None; 5]);
}

/// A wrong answer that a piece value was fitted to, among right ones.
#[test]
fn a_value_that_rests_on_one_answer_is_doubted() {
    let text = "\
4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;100
4k3/8/8/8/3p4/4P3/8/4K3 w - - 0 1;exd4;100
4k3/8/8/2p5/3P4/8/8/4K3 w - - 0 1;dxc5;100
4k3/2p5/3p4/8/8/8/8/3RK3 w - - 0 1;Rxd6;-300
1k1r4/1pp4p/p7/4p3/8/P5P1/1PP4P/2K1R3 w - - 0 1;Rxe5;100
";
    let said: Vec<Answer> = answers(text.as_bytes()).map(Result::unwrap).collect();
    let found = findings(&said, &fitted(&said, &candidates(PieceValues::CPW)));
    let Finding { rules, agreed } = found[0];
    assert_eq!((agreed, rules.values.to_array()[3]), (5, 400));
    let evidence = evidence(&said, &found);
    assert_eq!(
        evidence_in_words(&evidence, rules.values),
        [
            "the answers determine pawn 100",
            "rook 400 rests on one answer: if that answer is wrong, so is the value",
            "other values of knight, bishop and queen may fit equally well",
        ]
    );
}

#[test]
fn evidence_is_put_in_words() {
    use Evidence::{None, OneAnswer, Several};
    let cases: [([Evidence; 5], &[&str]); 3] = [
        ([Several; 5], &["the answers determine all piece values"]),
        (
            [None; 5],
            &["no piece value is determined: others may fit equally well"],
        ),
        (
            [Several, Several, OneAnswer, OneAnswer, None],
            &[
                "the answers determine pawn 100 and knight 325",
                "bishop 325 and rook 500 rest on one answer each: if that answer is wrong, so is \
                 the value",
                "other values of queen may fit equally well",
            ],
        ),
    ];
    for (evidence, words) in cases {
        assert_eq!(evidence_in_words(&evidence, PieceValues::CPW), words);
    }
}

#[test]
fn presets_are_kept_where_they_fit() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let parse = |line: &str| Answer::parse(&format!("{fen};exd5;{line}"), 1).unwrap();
    let said = [parse("90;1"), parse("121;0")];
    let found = fitted(&said, &candidates(PieceValues::STOCKFISH));
    assert_eq!(findings(&said, &found)[0].rules, Rules::SWAP);
    // A wrong answer puts no knight below a pawn.
    let wrong = "4k3/4b3/8/2p5/4N3/8/8/4R2K w - - 0 1; Nxc5; true >= 0";
    let with_wrong = [parse("100"), Answer::parse(wrong, 2).unwrap()];
    assert_eq!(fitted(&with_wrong, &[Rules::SWAP]), [Rules::SWAP]);
}
