//! Parsing, moves, exchange, verdicts and bounds on one thread.
//!
//! `cargo bench --bench cpu [-- WORD]`. Positions: `human_100k.fen` in the folder that
//! `SWAPLIST_DATA` names, else the sample of this repository.

#![allow(missing_docs, clippy::cast_possible_wrap)] // small counts

use std::time::Duration;
use std::{env, fs, path::Path};

use criterion::measurement::WallTime;
use criterion::{BenchmarkGroup, Criterion, Throughput, criterion_group, criterion_main};
use shakmaty::{CastlingMode, Chess, Position as _, fen::Fen};
use swaplist::backend::{Answers, Backend as _, Cpu, Question};
use swaplist::{
    Batch, Bounds, BoundsExceeded, Choice, CpuPath, PackedMove, PieceValues, Position, Profile,
    Rules, Sides, Verdict, for_each_noisy, noisy_moves, see, see_ge,
};
use swaplist_files::filter::Preset;
use swaplist_files::formats::{Place, RecordFields};

const SAMPLE: &str = include_str!("../data/sample.fen");
/// The question of `filter`.
const QUIET: Bounds = Bounds {
    see: Some(0),
    threat: None,
    double_threat: false,
};
/// That of the preset `calm`.
const CALM: Bounds = Bounds {
    double_threat: true,
    ..QUIET
};

/// The positions, in every form that a bench starts from.
struct Data {
    fens: Vec<String>,
    boards: Vec<Chess>,
    /// With their noisy moves.
    batch: Batch,
}

impl Data {
    fn load() -> Data {
        let text = env::var_os("SWAPLIST_DATA").map_or(SAMPLE.to_owned(), |folder| {
            let path = Path::new(&folder).join("human_100k.fen");
            fs::read_to_string(path).expect("SWAPLIST_DATA holds human_100k.fen")
        });
        let mut fens = Vec::new();
        let mut boards = Vec::new();
        let mut batch = Batch::new();
        for line in text.lines() {
            let fen: Fen = line.parse().expect("a FEN");
            if let Ok(board) = fen.into_position::<Chess>(CastlingMode::Standard) {
                let position = Position::try_from(&board).expect("a position");
                batch.push(position, noisy_moves(&position));
                fens.push(line.to_owned());
                boards.push(board);
            }
        }
        Data {
            fens,
            boards,
            batch,
        }
    }

    fn positions(&self) -> &[Position] {
        self.batch.positions()
    }

    fn each_position<T>(&self, answer: impl Fn(&Position) -> T) -> Vec<T> {
        self.positions().iter().map(answer).collect()
    }

    fn each_move<T>(&self, mut answer: impl FnMut(&Position, PackedMove) -> T) -> Vec<T> {
        let mut answers = Vec::with_capacity(self.batch.len());
        for (position, moves) in self.batch.iter() {
            answers.extend(moves.iter().map(|&capture| answer(position, capture)));
        }
        answers
    }
}

/// Benches of one group, on the same number of elements.
struct Group<'a>(BenchmarkGroup<'a, WallTime>);

impl<'a> Group<'a> {
    fn new(criterion: &'a mut Criterion, name: &str, elements: usize) -> Group<'a> {
        let mut group = criterion.benchmark_group(name);
        group.throughput(Throughput::Elements(elements as u64));
        Group(group)
    }

    /// A pass that returns its answers as a sum.
    fn sum(&mut self, name: &str, expected: i64, mut pass: impl FnMut() -> i64) {
        self.0.bench_function(name, |bencher| {
            bencher.iter(|| assert_eq!(pass(), expected, "{name}"));
        });
    }

    /// A backend's answers, which begin as none that it gives.
    fn answers(
        &mut self,
        name: &str,
        cpu: &Cpu,
        (question, rules): (&Question<'_>, &Rules),
        expected: &Answers,
    ) {
        let mut answers = expected.clone();
        self.0.bench_function(name, |bencher| {
            answers.scores.fill(i32::MIN);
            answers
                .verdicts
                .fill(Verdict::new(true, u16::MAX.into(), None));
            // No position in check is asked for threats.
            answers.exceeds.fill(BoundsExceeded::from_bits(15));
            bencher.iter(|| cpu.answer(question, rules, &mut answers));
            assert!(answers == *expected, "{name}");
        });
    }
}

fn paths() -> impl Iterator<Item = (CpuPath, Cpu)> {
    let paths = CpuPath::ALL
        .iter()
        .copied()
        .filter(|path| path.is_available());
    paths.map(|path| {
        let cpu = Cpu::new().on_calling_thread().with_path(path);
        (path, cpu.expect("an available path"))
    })
}

fn rules(profile: Profile) -> Rules {
    Rules::new(profile, PieceValues::CPW)
}

fn parsing(criterion: &mut Criterion, data: &Data) {
    let mut group = Group::new(criterion, "parsing", data.fens.len());
    let digest = |position: &Position| i64::from(position.planes()[0] as u32);
    let expected = data.positions().iter().map(digest).sum();
    group.sum("shakmaty", expected, || {
        let fens = data.fens.iter().map(|fen| {
            let fen = Fen::from_ascii(fen.as_bytes()).expect("a FEN");
            digest(&Position::try_from(fen.as_setup()).expect("a position"))
        });
        fens.sum()
    });
    group.sum("FEN", expected, || {
        let fens = data.fens.iter().map(String::as_bytes);
        fens.map(|fen| digest(&Position::from_ascii(fen).expect("a FEN")))
            .sum()
    });
}

fn moves(criterion: &mut Criterion, data: &Data) {
    let mut group = Group::new(criterion, "moves", data.boards.len());
    let legal = || data.boards.iter().map(Chess::legal_moves);
    let all = legal().map(|moves| moves.len() as i64).sum();
    let noisy = legal()
        .map(|moves| moves.iter().filter(|m| m.is_conversion()).count() as i64)
        .sum();
    group.sum("shakmaty, all legal", all, || {
        legal().map(|moves| moves.len() as i64).sum()
    });
    group.sum("noisy", noisy, || {
        let mut count = 0;
        for position in data.positions() {
            for_each_noisy(position, |_| count += 1);
        }
        count
    });
}

fn exchange(criterion: &mut Criterion, data: &Data) {
    let mut group = Group::new(criterion, "exchange", data.batch.len());
    let sum = |see: &dyn Fn(&Position, PackedMove) -> i64| {
        let of = |(position, moves): (&Position, &[PackedMove])| {
            moves.iter().map(|&m| see(position, m)).sum::<i64>()
        };
        data.batch.iter().map(of).sum()
    };
    let swap = rules(Profile::Swap);
    let cpw = PieceValues::CPW;
    let wins = sum(&|position, m| (swap.trace(position, m).value >= 0).into());
    group.sum("see_ge(0)", wins, || {
        let ge = |(position, moves): (&Position, &[PackedMove])| {
            let winning = moves.iter().filter(|m| see_ge(position, **m, &cpw, 0));
            winning.count() as i64
        };
        data.batch.iter().map(ge).sum()
    });
    let see_total = sum(&|position, m| swap.trace(position, m).value.into());
    group.sum("see", see_total, || {
        let value = |(position, moves): (&Position, &[PackedMove])| {
            let values = moves.iter().map(|&m| i64::from(see(position, m, &cpw)));
            values.sum::<i64>()
        };
        data.batch.iter().map(value).sum()
    });
    for &profile in Profile::ALL {
        let rules = rules(profile);
        let expected = data.each_move(|position, m| rules.trace(position, m).value);
        let total = expected.iter().copied().map(i64::from).sum();
        group.sum(&format!("scalar {profile}"), total, || {
            let value = |(position, moves): (&Position, &[PackedMove])| {
                let values = moves.iter().map(|&m| i64::from(rules.see(position, m)));
                values.sum::<i64>()
            };
            data.batch.iter().map(value).sum()
        });
        let mut answers = Answers::default();
        answers.scores = expected;
        for (path, cpu) in paths() {
            let asked = (&Question::Scores(&data.batch), &rules);
            group.answers(&format!("batch {path} {profile}"), &cpu, asked, &answers);
        }
    }
}

fn verdicts(criterion: &mut Criterion, data: &Data) {
    let mut group = Group::new(criterion, "verdicts", data.positions().len());
    for profile in [Profile::Swap, Profile::Sf] {
        let rules = rules(profile);
        let mut expected = Answers::default();
        expected.verdicts = data.each_position(|position| rules.verdict(position, Sides::ToMove));
        let question = Question::Verdicts {
            positions: data.positions(),
            sides: Sides::ToMove,
        };
        for (path, cpu) in paths() {
            let name = format!("{path} {profile}");
            group.answers(&name, &cpu, (&question, &rules), &expected);
        }
    }
}

/// A loader's question about one position at a time.
fn loader(criterion: &mut Criterion, data: &Data) {
    let mut group = Group::new(criterion, "loader", data.positions().len());
    let swap = rules(Profile::Swap);
    let filter = Preset::Quiet.filter();
    let record = RecordFields::new(Place::Offset(0), 0..0);
    let count = |is_quiet: &dyn Fn(&Position) -> bool| {
        let quiet = data
            .positions()
            .iter()
            .filter(|position| is_quiet(position));
        quiet.count() as i64
    };
    let expected = count(&|position| {
        let verdict = swap.verdict(position, Sides::ToMove);
        !verdict.in_check() && verdict.best().is_none_or(|best| best.see <= 0)
    });
    group.sum("exceeds", expected, || {
        count(&|position| {
            let exceeds = swap.exceeds(position, QUIET);
            !exceeds.in_check() && !exceeds.see()
        })
    });
    group.sum("is_quiet, rules", expected, || {
        count(&|position| swap.is_quiet(position))
    });
    group.sum("is_quiet, filter", expected, || {
        count(&|position| filter.is_quiet(position))
    });
    group.sum("judge, filter", expected, || {
        count(&|position| matches!(filter.judge(position, &record), Ok(None)))
    });
    // Batches of few positions, which a loader may have too.
    for size in [1, 8, 64] {
        let cpu = Cpu::new().on_calling_thread();
        let mut answers = Answers::default();
        group.sum(&format!("batches of {size}"), expected, || {
            let mut quiet = 0;
            for positions in data.positions().chunks(size) {
                let bounds = QUIET;
                let question = Question::Bounds { positions, bounds };
                cpu.answer(&question, &swap, &mut answers)
                    .expect("a CPU's answers");
                let is_quiet = |exceeds: &&BoundsExceeded| !exceeds.in_check() && !exceeds.see();
                quiet += answers.exceeds.iter().filter(is_quiet).count() as i64;
            }
            quiet
        });
    }
}

fn bounds(criterion: &mut Criterion, data: &Data) {
    let mut group = Group::new(criterion, "bounds", data.positions().len());
    for (name, profile, bounds) in [
        ("quiet", Profile::Swap, QUIET),
        ("quiet", Profile::Sf, QUIET),
        ("calm", Profile::Swap, CALM),
    ] {
        let rules = rules(profile);
        let mut expected = Answers::default();
        expected.exceeds =
            data.each_position(|position| bounds.exceeds(&rules.verdict(position, Sides::Both)));
        let question = Question::Bounds {
            positions: data.positions(),
            bounds,
        };
        for (path, cpu) in paths() {
            let name = format!("{name} {path} {profile}");
            group.answers(&name, &cpu, (&question, &rules), &expected);
        }
    }
}

/// Material quiescence, and a scalar verdict, of the positions for which the preset `still` asks
/// for it.
fn quiescence(criterion: &mut Criterion, data: &Data) {
    let swap = rules(Profile::Swap);
    let is_calm = |position: &&Position| {
        let exceeds = swap.exceeds(position, CALM);
        !(exceeds.in_check() || exceeds.see() || exceeds.double_threat())
    };
    let calm: Vec<Position> = data.positions().iter().filter(is_calm).copied().collect();
    let mut group = Group::new(criterion, "quiescence", calm.len());
    let noisy = |position| noisy_moves(position).len() as i64;
    group.sum("verdict", calm.iter().map(noisy).sum(), || {
        let verdicts = calm
            .iter()
            .map(|position| swap.verdict(position, Sides::ToMove));
        verdicts.map(|verdict| i64::from(verdict.noisy())).sum()
    });
    for depth in [1, 3] {
        let wins = || {
            let wins = calm
                .iter()
                .filter(|position| swap.quiescence_ge(position, depth, 1));
            wins.count() as i64
        };
        group.sum(&format!("W{depth}"), wins(), wins);
    }
}

fn all(criterion: &mut Criterion) {
    let data = Data::load();
    for bench in [
        parsing, moves, exchange, verdicts, loader, bounds, quiescence,
    ] {
        bench(criterion, &data);
    }
}

criterion_group! {
    name = benches;
    config = Criterion::default()
        .sample_size(50)
        .warm_up_time(Duration::from_millis(500))
        .measurement_time(Duration::from_secs(2));
    targets = all
}
criterion_main!(benches);
