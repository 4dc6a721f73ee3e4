//! Another engine's answers: parsing, checking against all rules.

use std::thread;

use shakmaty::{Bitboard, Board, Chess, Role, Square, attacks};
use swaplist::{
    Choice, EnPassant, PackedMove, PieceValues, Pins, Position, Profile, Rules, noisy_moves,
};
use swaplist_files::check::{
    Answer, Claim, Diagnosis, Evidence, Finding, PRESETS, against, against_ge, answers, candidates,
    evidence, evidence_in_words, findings, fitted,
};
use swaplist_files::suite::{Fault, FaultyEngine};

use crate::common::boards::{self, Random};
use crate::common::oracle;

/// A fault of the suite's list.
fn fault_named(name: &str) -> Fault {
    name.parse().unwrap()
}

/// Positions of all kinds, including en passant.
fn positions(seed: u64) -> Vec<Chess> {
    let en_passant = |chess: &Chess| {
        let moves = oracle::noisy(chess);
        moves.iter().any(|m| m.is_en_passant())
    };
    boards::dense(seed)
        .take(2_000)
        .chain(boards::dense(seed).filter(en_passant).take(60))
        .chain(boards::playouts(seed).take(1_000))
        .collect()
}

/// The answers of an engine that follows some rules: values, and optionally for every other
/// move a threshold at the value or one above.
fn said_by(rules: &Rules, positions: &[Chess], thresholds: bool) -> Vec<Answer> {
    let mut all = Vec::new();
    for chess in positions {
        let position = Position::try_from(chess).unwrap();
        for m in oracle::noisy(chess) {
            let capture = PackedMove::from_move(m).unwrap();
            let value = oracle::see(chess, m, rules);
            let line = all.len() as u64 + 1;
            let threshold = value + i32::from(line % 4 == 1);
            let said = if thresholds && line % 2 == 1 {
                Claim::AtLeast {
                    threshold,
                    holds: value >= threshold,
                }
            } else {
                Claim::Value(value)
            };
            all.push(Answer {
                fen: position.to_string(),
                position,
                capture,
                said,
                line,
            });
        }
    }
    all
}

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
    let all: Vec<Rules> = PRESETS.into_iter().flat_map(candidates).collect();
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

/// A swap list as engines compute it, in CPW's values, for captures that are neither en passant nor
/// promotions. `joins` decides whether a piece joins that a capture uncovers: by the number of
/// captures before that one, and of pieces uncovered before.
fn swap_list_see(
    position: &Position,
    capture: PackedMove,
    joins: impl Fn(usize, usize) -> bool,
    kings_recapture: bool,
) -> i32 {
    let board = position.to_setup().board;
    let target = capture.to();
    let value = |role: Role| [100, 325, 325, 500, 1000, 0][role as usize - 1];
    let mut occupied = board.occupied();
    let mut known = attackers(&board, target, occupied);
    let mut left = capture.from();
    let mut standing = board.role_at(left).unwrap();
    let mut gains = vec![value(board.role_at(target).unwrap())];
    let mut side = !position.turn();
    let mut uncovered_before = 0;
    let mut ignored = Bitboard::EMPTY;
    loop {
        occupied.discard(left);
        let uncovered = attackers(&board, target, occupied) & !known & !ignored;
        if uncovered.any() {
            if joins(gains.len() - 1, uncovered_before) {
                known |= uncovered;
            } else {
                ignored |= uncovered;
            }
            uncovered_before += 1;
        }
        let own = known & occupied & board.by_color(side);
        let next = Role::ALL.into_iter().find_map(|role| {
            let square = (own & board.by_role(role)).first()?;
            Some((role, square))
        });
        let Some((role, square)) = next else { break };
        let is_guarded = (known & occupied & board.by_color(!side)).any();
        if role == Role::King && (is_guarded || !kings_recapture) {
            break;
        }
        gains.push(value(standing) - gains[gains.len() - 1]);
        standing = role;
        left = square;
        side = !side;
    }
    let worst = i32::MIN / 2;
    gains
        .into_iter()
        .rfold(worst, |after, gain| gain.min(-after))
}

/// The pieces of both sides that attack a square.
fn attackers(board: &Board, target: Square, occupied: Bitboard) -> Bitboard {
    let lines = board.rooks() | board.queens();
    let diagonals = board.bishops() | board.queens();
    let pawns = |color: shakmaty::Color| {
        attacks::pawn_attacks(!color, target) & board.pawns() & board.by_color(color)
    };
    let found = attacks::rook_attacks(target, occupied) & lines
        | attacks::bishop_attacks(target, occupied) & diagonals
        | attacks::knight_attacks(target) & board.knights()
        | attacks::king_attacks(target) & board.kings()
        | pawns(shakmaty::Color::White)
        | pawns(shakmaty::Color::Black);
    found & occupied
}

/// Captures of pieces by pieces, without promotions.
fn plain_captures(seed: u64) -> Vec<(Position, PackedMove)> {
    let mut all = Vec::new();
    for chess in positions(seed) {
        let position = Position::try_from(&chess).unwrap();
        for capture in noisy_moves(&position) {
            let takes = position.to_setup().board.piece_at(capture.to()).is_some();
            if takes && capture.promotion().is_none() {
                all.push((position, capture));
            }
        }
    }
    all
}

/// The answers of a faulty SEE.
fn said_by_engine(
    captures: &[(Position, PackedMove)],
    see: impl Fn(&Position, PackedMove) -> i32,
) -> Vec<Answer> {
    let answer = |(line, (position, capture)): (u64, &(Position, PackedMove))| Answer {
        fen: position.to_string(),
        position: *position,
        capture: *capture,
        said: Claim::Value(see(position, *capture)),
        line,
    };
    (1..).zip(captures).map(answer).collect()
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
            assert_eq!(diagnosis.seems(nth), Some(seems), "{fen}, {capture}");
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
    assert!(alone.seems(0).is_some());
    let together = Diagnosis::new(&said, &Rules::SWAP);
    assert_eq!(together.seems(nth), None);
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
            .any(|nth| diagnosis.seems(*nth) == Some(fault.text()))
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
            .filter_map(|nth| diagnosis.seems(nth))
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
    let wrong = error.wrong().len();
    assert_eq!(
        error.diagnosis().deviations()[0].class,
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
    let wrong = error.unwrap_err().wrong().len();
    assert_eq!(wrong, moves);
}

/// A number below a million with its digits in groups.
fn grouped(number: usize) -> String {
    match number / 1_000 {
        0 => number.to_string(),
        thousands => format!("{thousands},{:03}", number % 1_000),
    }
}

#[test]
fn lines_are_read() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K2R w K - 0 1";
    let parse = |line: &str| Answer::parse(line, 7).expect(line);
    let value = parse(&format!("{fen};e4d5;100"));
    assert_eq!((value.said, value.line), (Claim::Value(100), 7));
    assert_eq!(parse(&format!(" {fen} ; exd5 ; +100 ")), value);
    let json = format!("{{\"fen\":\"{fen}\",\"move\":\"exd5\",\"value\":100}}");
    assert_eq!(parse(&json), value);

    let threshold = parse(&format!("{fen};e4d5;-5;1"));
    let said = Claim::AtLeast {
        threshold: -5,
        holds: true,
    };
    assert_eq!(threshold.said, said);
    assert_eq!(parse(&format!("{fen}; e4d5; true >= -5")), threshold);
    for ge in ["true", "1"] {
        let with_threshold =
            format!("{{\"fen\":\"{fen}\",\"move\":\"e4d5\",\"threshold\":-5,\"ge\":{ge}}}");
        assert_eq!(parse(&with_threshold), threshold);
    }
    let castling = ["e1g1", "e1h1", "O-O"].map(|m| parse(&format!("{fen};{m};0")).capture);
    assert!(castling.iter().all(|&capture| capture == castling[0]));
    let text = format!("# none\n\n{fen};exd5;100\n  \n{fen};exd5;0;1\r\n");
    let lines: Vec<_> = answers(text.as_bytes())
        .map(|answer| answer.unwrap().line)
        .collect();
    assert_eq!(lines, [3, 5]);
}

#[test]
fn wrong_lines_say_what_was_expected() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let refuses = |line: &str, reason: &str| {
        let error = Answer::parse(line, 3).expect_err(line).to_string();
        assert!(error.starts_with(reason), "{line}: {error}");
    };
    let fields =
        "expected FEN;move;value, FEN;move;threshold;0|1 or FEN;move;true >= threshold, found";
    refuses(fen, &format!("{fields} 1 field"));
    refuses(&format!("{fen};exd5"), &format!("{fields} 2 fields"));
    refuses(&format!("{fen};exd5;1;1;1"), &format!("{fields} 5 fields"));
    refuses("what;exd5;0", "too few fields for a FEN (1,");
    refuses(
        "4k3/8/8/3p4/4P3/8/8/4K3 w -;exd5;0",
        "too few fields for a FEN (3,",
    );
    refuses(
        "8/8/8/3p4/4P3/8/8/4K3 w - - 0 1;exd5;0",
        "black has 0 kings, exactly 1 is needed",
    );
    for (name, reason) in [
        ("e4e6", "illegal move 'e4e6'"),
        ("exf5", "illegal move 'exf5'"),
        ("", "'' is not a move"),
        ("hello", "'hello' is not a move"),
        ("0000", "illegal move '0000'"),
        ("N@e4", "illegal move 'N@e4'"),
        ("e4d5q", "illegal move 'e4d5q'"),
    ] {
        refuses(&format!("{fen};{name};0"), reason);
    }
    for number in ["", "x", "1.555", "2147483648", "1e3"] {
        let reason = format!("expected a whole number of centipawns, found '{number}'");
        refuses(&format!("{fen};exd5;{number}"), &reason);
        refuses(&format!("{fen};exd5;{number};1"), &reason);
    }
    let reason = "expected 0 or 1 (whether the SEE is at least 1), found '2'";
    refuses(&format!("{fen};exd5;1;2"), reason);
    for rest in [
        "",
        ",\"value\":1,\"ge\":true",
        ",\"threshold\":1",
        ",\"value\":\"1\"",
        ",\"threshold\":1,\"ge\":2",
        ",\"value\":99999999999",
    ] {
        let json = format!("{{\"fen\":\"{fen}\",\"move\":\"exd5\"{rest}}}");
        refuses(&json, "expected {\"fen\",\"move\",\"value\"} or ");
    }
    let at_line = answers("\n\n#\nx;y".as_bytes())
        .next()
        .unwrap()
        .unwrap_err();
    assert_eq!(at_line.to_string(), format!("line 4: {fields} 2 fields"));
    let broken = answers(&b"\n\xff\xfe;a;b"[..]).next().unwrap().unwrap_err();
    assert!(broken.to_string().starts_with("line 2: "), "{broken}");
}

/// Positions with answers of an engine: the values of the moves, or whether they reach thresholds
/// at the value and around it.
fn asked(seed: u64) -> Vec<(Position, PackedMove)> {
    let mut all = Vec::new();
    for chess in positions(seed).iter().step_by(3) {
        let position = Position::try_from(chess).unwrap();
        all.extend(noisy_moves(&position).into_iter().map(|m| (position, m)));
    }
    all
}

/// An engine's own piece values.
const OWN: PieceValues = match PieceValues::new([90, 310, 333, 505, 970]) {
    Some(values) => values,
    None => panic!(),
};

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
        for &fault in Fault::ALL.iter().filter(|fault| fault.is_fault_of(profile)) {
            let engine = FaultyEngine::faultless(profile).with(fault);
            let said = said_by_engine(&captures, |at, m| engine.see(at, m, &OWN));
            // Values do not show a fault of thresholds, and some faults are rarer.
            let wrong = said.iter().position(|answer| !answer.agrees(&rules));
            let Some(nth) = wrong.filter(|_| fault != fault_named("StrictThreshold")) else {
                continue;
            };
            let diagnosis = Diagnosis::new(&said, &rules);
            let name = fault.text();
            let seems = diagnosis.seems(nth).unwrap_or_default();
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
        shows && fault.is_fault_of(profile)
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
                || diagnosis.seems(nth).is_some_and(|seems| {
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
    assert_eq!(diagnosis.seems(0), Some(seems));
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
    assert_eq!(diagnosis.seems(0), Some(seems));
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
