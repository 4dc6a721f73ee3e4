//! `check` finds the piece values of an engine that follows known rules.

#![cfg(feature = "cli")]

use std::io::Write as _;
use std::process::{Command, Output, Stdio};

use crate::common::boards::{self, Random};
use crate::common::oracle;
use shakmaty::Chess;
use swaplist::check::{Answer, Check, PRESETS, Said};
use swaplist::{Capture, PieceValues, Position, Profile, Rules};

/// An engine's own values.
const OWN: [i32; 5] = [109, 403, 435, 679, 1242];

fn rules(profile: Profile, table: [i32; 5]) -> Rules {
    Rules::new(profile, PieceValues::new(table).unwrap())
}

/// Captures, en passant and promotions on crowded boards and in random games.
fn moves(seed: u64, count: usize) -> Vec<(Position, Capture)> {
    let mixed = boards::dense(seed).zip(boards::playouts(seed));
    let all = mixed.flat_map(|(dense, game)| [dense, game]);
    let noisy = |chess: Chess| {
        let position = Position::try_from(&chess).unwrap();
        let moves = oracle::noisy(&chess).into_iter();
        moves.map(move |m| (position, Capture::from_move(m).unwrap()))
    };
    all.flat_map(noisy).take(count).collect()
}

/// The answers of an engine with these rules about some moves, given each move's SEE.
fn said_by(
    rules: &Rules,
    moves: &[(Position, Capture)],
    mut say: impl FnMut(i32) -> Said,
) -> Vec<Answer> {
    let answer = |(line, &(position, capture)): (u64, &(Position, Capture))| Answer {
        position,
        capture,
        said: say(rules.see(&position, capture)),
        line,
    };
    (1..).zip(moves).map(answer).collect()
}

fn at_least(threshold: i32, see: i32) -> Said {
    let holds = see >= threshold;
    Said::AtLeast { threshold, holds }
}

/// All answers, with the values fitted to them.
fn check(said: &[Answer]) -> Check {
    let mut check = Check::all(None, 5);
    for chunk in said.chunks(777) {
        check.add(chunk);
    }
    check
}

fn below(random: &mut Random, bound: i32) -> i32 {
    (random.next() % u64::from(bound.unsigned_abs())) as i32
}

/// Five values, usually in ascending order.
fn table(random: &mut Random) -> [i32; 5] {
    let most = [1_500, 30_000][random.below(2)];
    let mut table = core::array::from_fn(|_| 1 + below(random, most));
    if random.below(4) > 0 {
        table.sort_unstable();
    }
    table
}

#[test]
fn exact_values_tell_every_table() {
    let mut random = Random(11);
    for i in 0..16 {
        let engine = rules(Profile::ALL[i % 4], table(&mut random));
        let mut said = said_by(&engine, &moves(i as u64, 4_000), Said::Value);
        let every_hundredth = said.iter_mut().skip(i).step_by(100);
        let wrong = every_hundredth
            .map(|answer| answer.said = Said::Value(4711))
            .count() as u64;
        let check = check(&said);
        let best = &check.findings()[0];
        assert_eq!(best.rules, engine);
        assert_eq!(best.agreed, 4_000 - wrong);
        assert_eq!(best.disagreements.len(), 5);
        let exactly = engine.values.to_array().map(|value| value..=value);
        assert_eq!(check.intervals(&best.rules), Some(exactly));
    }
}

/// Thresholds next to the SEE determine values; others leave intervals.
#[test]
fn thresholds_tell_intervals() {
    let mut random = Random(5);
    for (i, near) in (0..12).map(|i| (i, i % 3 > 0)) {
        let engine = rules(
            Profile::ALL[i % 4],
            if i < 4 { OWN } else { table(&mut random) },
        );
        let span = 2 * engine.values.to_array().into_iter().max().unwrap();
        let said = said_by(&engine, &moves(i as u64, 4_000), |see| {
            let any = below(&mut random, span) - span / 2;
            at_least(if near { see + any.rem_euclid(2) } else { any }, see)
        });
        let check = check(&said);
        let findings = check.findings();
        let best = &findings[0];
        assert_eq!(best.agreed, 4_000, "{engine} {}", best.rules);
        let intervals = check.intervals(&best.rules).unwrap();
        for (interval, value) in intervals.iter().zip(engine.values.to_array()) {
            assert!(interval.contains(&value), "{engine} {intervals:?}");
            assert_eq!(near, interval.start() == interval.end(), "{intervals:?}");
        }
        if near {
            assert_eq!(best.rules, engine);
        }
    }
}

#[test]
fn wrong_thresholds_are_outvoted() {
    let mut random = Random(3);
    for (i, profile) in Profile::ALL.into_iter().enumerate() {
        let engine = rules(profile, OWN);
        let said = said_by(&engine, &moves(i as u64, 5_000), |see| {
            let said = at_least(see + below(&mut random, 2), see);
            match said {
                Said::AtLeast { threshold, holds } if random.below(100) == 0 => Said::AtLeast {
                    threshold,
                    holds: !holds,
                },
                right => right,
            }
        });
        let right = said.iter().filter(|answer| answer.agrees(&engine));
        let best = &check(&said).findings()[0];
        assert_eq!((best.rules, best.agreed), (engine, right.count() as u64));
    }
}

/// The sign alone determines only an order: every table with that order fits.
#[test]
fn thresholds_of_zero_leave_all_open() {
    for (i, profile) in Profile::ALL.into_iter().enumerate() {
        let engine = rules(profile, OWN);
        let said = said_by(&engine, &moves(i as u64, 4_000), |see| at_least(0, see));
        let check = check(&said);
        let best = &check.findings()[0];
        assert_eq!(best.agreed, 4_000, "{}", best.rules);
        let intervals = check.intervals(&best.rules).unwrap();
        for interval in &intervals {
            assert!(interval.end() - interval.start() > 50, "{intervals:?}");
        }
    }
}

/// A table at either end of an interval agrees as often; here for one value.
#[test]
fn what_no_answer_depends_on_is_open() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let said = [
        Answer::parse(&format!("{fen};exd5;90;1"), 1).unwrap(),
        Answer::parse(&format!("{fen};exd5;121;0"), 2).unwrap(),
    ];
    let check = check(&said);
    let best = &check.findings()[0];
    assert_eq!(best.rules, Rules::SWAP, "the first preset that fits");
    let any = 1..=30_000;
    let expected = [90..=120, any.clone(), any.clone(), any.clone(), any];
    assert_eq!(check.intervals(&best.rules), Some(expected));
}

/// Preset values are kept if they fit, and given ones always.
#[test]
fn presets_and_given_values_are_kept() {
    for values in PRESETS {
        let engine = Rules::new(Profile::Sf, values);
        let said = said_by(&engine, &moves(1, 2_000), |see| {
            at_least(10 * (see / 10), see)
        });
        assert_eq!(check(&said).findings()[0].rules, engine);
        let mut given = Check::all(Some(PieceValues::CPW), 5);
        given.add(&said);
        let findings = given.findings();
        let kept = findings
            .iter()
            .all(|finding| finding.rules.values == PieceValues::CPW);
        assert!(kept && findings.len() == 48);
        assert_eq!(given.intervals(&findings[0].rules), None);
    }
}

/// The first answers determine the values, all are counted.
#[test]
fn more_answers_than_the_basis_are_counted() {
    let engine = rules(Profile::Swap, OWN);
    let few = said_by(&engine, &moves(2, 1_000), Said::Value);
    let mut check = Check::all(None, 5);
    let chunks = Check::BASIS / few.len() + 2;
    for _ in 0..chunks {
        check.add(&few);
    }
    let best = &check.findings()[0];
    assert_eq!(best.rules, engine);
    assert_eq!(best.answers, (chunks * few.len()) as u64);
    assert_eq!(best.agreed, best.answers);
    assert!(check.intervals(&best.rules).is_some());
}

#[test]
fn no_answers_and_absurd_ones_do_no_harm() {
    assert_eq!(check(&[]).findings()[0].answers, 0);
    let mut ends = [i32::MIN, i32::MAX, 0, -1].into_iter().cycle();
    let said = said_by(&Rules::SWAP, &moves(7, 300), |_| {
        let end = ends.next().unwrap();
        if end % 2 == 0 {
            Said::Value(end)
        } else {
            at_least(end, 0)
        }
    });
    let check = check(&said);
    assert!(check.intervals(&check.findings()[0].rules).is_some());
}

/// Runs `swaplist check` on answers.
fn command(said: &[Answer], arguments: &[&str]) -> Output {
    let mut child = Command::new(env!("CARGO_BIN_EXE_swaplist"))
        .arg("check")
        .args(arguments)
        .stdin(Stdio::piped())
        .stdout(Stdio::piped())
        .spawn()
        .unwrap();
    let mut stdin = child.stdin.take().unwrap();
    for answer in said {
        let said = match answer.said {
            Said::Value(value) => value.to_string(),
            Said::AtLeast { threshold, holds } => format!("{threshold};{}", u8::from(holds)),
        };
        writeln!(stdin, "{};{};{said}", answer.position, answer.capture).unwrap();
    }
    drop(stdin);
    child.wait_with_output().unwrap()
}

/// For twenty lines: the values, what is open, and the disagreements.
#[test]
fn the_command_prints_the_values() {
    let engine = rules(Profile::Swap, OWN);
    let mut said = said_by(&engine, &moves(9, 20), Said::Value);
    let output = command(&said, &[]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    for part in [
        "best        profile swap, values 109,403,435,679,1242\n",
        "agreed      20 of 20 (100.00 %)\n",
        "values      P 109, N 403, B 435, R 679, Q 1242\n",
        "found from the answers, which leave none open\n",
        "\n  profile   values                         agreed\n",
        "\n  swap      109,403,435,679,1242           20 (100.00 %)\n",
    ] {
        assert!(stdout.contains(part), "{part} in\n{stdout}");
    }
    let contested = |answer: &&mut Answer| {
        let trace = engine.trace(&answer.position, answer.capture);
        trace.speculative.is_some()
    };
    let wrong = said.iter_mut().find(contested).unwrap();
    wrong.said = Said::Value(-4711);
    let see = engine.see(&wrong.position, wrong.capture);
    let output = command(&said, &["--profile", "swap"]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(1), "{stdout}");
    let listed = format!("said -4711, the SEE is {see}\n");
    assert!(
        stdout.contains(&listed) && stdout.contains("swap list "),
        "{stdout}"
    );
}

#[test]
fn the_command_prints_intervals() {
    let fen = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1";
    let asked = ["403;1", "406;0"].map(|said| {
        let knight = fen.replace("3p4", "3n4");
        Answer::parse(&format!("{knight};exd5;{said}"), 1).unwrap()
    });
    let said = [
        &asked[..],
        &[Answer::parse(&format!("{fen};exd5;109"), 1).unwrap()],
    ]
    .concat();
    let output = command(&said, &[]);
    let stdout = String::from_utf8(output.stdout).unwrap();
    assert_eq!(output.status.code(), Some(0), "{stdout}");
    let values = "values      P 109, N 403..=405, B 1..=30000, R 1..=30000, Q 1..=30000\n              \
                  found from the answers, which leave N, B, R, Q open\n";
    assert!(stdout.contains(values), "{stdout}");
    let output = command(&said, &["--json"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert_eq!(json["intervals"][0], serde_json::json!([109, 109]));
    assert_eq!(json["intervals"][1], serde_json::json!([403, 405]));
    assert_eq!(json["agreed"], 3);
    let output = command(&said, &["--json", "--values", "cpw"]);
    let json: serde_json::Value = serde_json::from_slice(&output.stdout).unwrap();
    assert!(json["intervals"].is_null());
    assert_eq!(json["agreed"], 1, "only less than 406");
}
