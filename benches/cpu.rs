//! The cost of each stage on one thread, in multiples of shakmaty's `legal_moves()` on the same
//! positions ("lm").
//!
//! `cargo bench --bench cpu`. Positions: the FEN file in `SWAPLIST_FENS`, else
//! `../shared/data/human_100k.fen`, else random games.

#![allow(missing_docs, clippy::cast_possible_wrap)] // small counts

#[path = "../tests/common/boards.rs"]
#[allow(dead_code)]
mod boards;
mod table;

use shakmaty::{Chess, EnPassantMode, Position as _, fen::Fen};
use std::{cell::RefCell, env, fs, rc::Rc};
use swaplist::backend::Cpu;
use swaplist::{
    Batch, Bounds, Capture, CpuPath, Exceeds, PieceValues, Position, Profile, Rules, Verdict,
    for_each_noisy, see, see_ge,
};
use table::Stage;

const PLAYOUTS: usize = 50_000;
const ROUNDS: usize = 100;
const CALM: Bounds = Bounds {
    see: Some(0),
    threat: None,
    double_threat: true,
};
const WINNING: Bounds = Bounds {
    see: Some(0),
    threat: None,
    double_threat: false,
};

/// The positions, in every form that a stage starts from.
struct Data {
    source: String,
    fens: Vec<String>,
    boards: Vec<Chess>,
    positions: Vec<Position>,
    /// Every legal noisy move, with the index of its position.
    moves: Vec<(u32, Capture)>,
}

impl Data {
    fn load() -> Data {
        let path =
            env::var("SWAPLIST_FENS").unwrap_or_else(|_| "../shared/data/human_100k.fen".into());
        let (source, boards) = match fs::read_to_string(&path) {
            Ok(text) => (path, text.lines().filter_map(playable).collect()),
            Err(error) => (
                format!("play-outs ({path}: {error})"),
                boards::playouts(1).take(PLAYOUTS).collect(),
            ),
        };
        Data::new(source, boards)
    }

    fn new(source: String, boards: Vec<Chess>) -> Data {
        let fens = boards.iter().map(fen).collect();
        let positions: Vec<_> = boards
            .iter()
            .map(|chess| Position::try_from(chess).expect("a playable position"))
            .collect();
        let mut moves = Vec::new();
        for (i, position) in positions.iter().enumerate() {
            for_each_noisy(position, |capture| moves.push((i as u32, capture)));
        }
        Data {
            source,
            fens,
            boards,
            positions,
            moves,
        }
    }

    fn batch(&self) -> Batch {
        let mut batch = Batch::new();
        let mut moves = self.moves.iter().peekable();
        for (i, &position) in self.positions.iter().enumerate() {
            let of_this = core::iter::from_fn(|| moves.next_if(|m| m.0 as usize == i));
            batch.push(position, of_this.map(|m| m.1));
        }
        batch
    }

    fn sum_of_moves(&self, value: impl Fn(&Position, Capture) -> i32) -> i64 {
        let value = |&(i, capture): &(u32, Capture)| value(&self.positions[i as usize], capture);
        self.moves.iter().map(|m| i64::from(value(m))).sum()
    }

    fn sum_of_positions(&self, value: impl Fn(&Position) -> i64) -> i64 {
        self.positions.iter().map(value).sum()
    }
}

fn playable(line: &str) -> Option<Chess> {
    let fen: Fen = line.parse().ok()?;
    swaplist::position::chess_from_setup(fen.into_setup()).ok()
}

fn fen(chess: &Chess) -> String {
    Fen::from_position(chess, EnPassantMode::Always).to_string()
}

/// Collects the stages; expected sums come from another code path where possible.
struct Stages<'a> {
    data: &'a Data,
    all: Vec<Stage<'a>>,
}

impl<'a> Stages<'a> {
    fn per_position(&mut self, name: &str, expected: i64, pass: impl Fn() -> i64 + 'a) {
        let items = (self.data.positions.len(), "position");
        self.all.push(Stage::new(name, items, expected, pass));
    }

    fn per_move(&mut self, name: &str, expected: i64, pass: impl Fn() -> i64 + 'a) {
        let items = (self.data.moves.len(), "capture");
        self.all.push(Stage::new(name, items, expected, pass));
    }

    /// The sum of what the last stage's passes leave in memory.
    fn sum_after(&mut self, sum: impl Fn() -> i64 + 'a) {
        let last = self.all.last_mut().expect("a stage");
        last.sum = Some(Box::new(sum));
    }
}

fn stages(data: &Data) -> Vec<Stage<'_>> {
    let mut stages = Stages {
        data,
        all: Vec::new(),
    };
    generation(&mut stages);
    exchanges(&mut stages);
    batches(&mut stages);
    verdicts(&mut stages);
    batch_verdicts(&mut stages);
    bounds(&mut stages);
    quiescence(&mut stages);
    parsing(&mut stages);
    stages.all
}

fn generation(stages: &mut Stages<'_>) {
    let data = stages.data;
    let legal = || data.boards.iter().map(|c| c.legal_moves().len() as i64);
    stages.per_position("lm", legal().sum(), move || legal().sum());
    let noisy = data.boards.iter().map(|chess| {
        let conversions = |moves: &[shakmaty::Move]| {
            let noisy = moves.iter().filter(|m| m.is_conversion());
            noisy.count() as i64
        };
        conversions(&chess.legal_moves())
    });
    stages.per_position("noisy moves", noisy.sum(), || {
        data.sum_of_positions(|position| {
            let mut count = 0;
            for_each_noisy(position, |_| count += 1);
            count
        })
    });
}

fn exchanges(stages: &mut Stages<'_>) {
    let data = stages.data;
    let values = PieceValues::CPW;
    let expected = data.sum_of_moves(|position, capture| Rules::SWAP.see(position, capture));
    stages.per_move("see", expected, move || {
        data.sum_of_moves(|position, capture| see(position, capture, &values))
    });
    let at_least_0 =
        data.sum_of_moves(|position, capture| (see(position, capture, &values) >= 0).into());
    stages.per_move("see_ge(0)", at_least_0, move || {
        data.sum_of_moves(|position, capture| see_ge(position, capture, &values, 0).into())
    });
    for profile in Profile::ALL {
        let rules = Rules::new(profile, values);
        let see = move || data.sum_of_moves(|position, capture| rules.see(position, capture));
        stages.per_move(&format!("see {profile}"), see(), see);
    }
}

fn batches(stages: &mut Stages<'_>) {
    let data = stages.data;
    let batch = Rc::new(data.batch());
    for path in CpuPath::ALL.into_iter().filter(|path| path.is_available()) {
        for profile in [Profile::Swap, Profile::Sf8, Profile::Sf] {
            let rules = Rules::new(profile, PieceValues::CPW);
            let expected = data.sum_of_moves(|position, capture| rules.see(position, capture));
            let batch = batch.clone();
            let scores = Rc::new(RefCell::new(vec![0; data.moves.len()]));
            let (cpu, written) = (cpu(path), scores.clone());
            stages.per_move(&format!("batch {path} {profile}"), expected, move || {
                cpu.score_all(&batch, &rules, &mut written.borrow_mut());
                0
            });
            stages.sum_after(move || scores.borrow().iter().copied().map(i64::from).sum());
        }
    }
}

fn cpu(path: CpuPath) -> Cpu {
    let cpu = Cpu::new().on_calling_thread();
    cpu.with_path(path).expect("an available path")
}

fn verdicts(stages: &mut Stages<'_>) {
    let data = stages.data;
    let mut best = vec![0; data.positions.len()];
    for &(i, capture) in &data.moves {
        let see = i64::from(Rules::SWAP.see(&data.positions[i as usize], capture));
        best[i as usize] = see.max(best[i as usize]);
    }
    stages.per_position("verdict", best.iter().sum(), || {
        data.sum_of_positions(|position| {
            let best = Rules::SWAP.verdict(position, false).best;
            best.map_or(0, |best| best.see.max(0).into())
        })
    });
}

fn batch_verdicts(stages: &mut Stages<'_>) {
    let data = stages.data;
    let digest = |verdict: &Verdict| {
        let best = verdict.best.map_or(0, |best| {
            i64::from(best.see) << 16 | i64::from(best.capture.to_bits())
        });
        best + i64::from(verdict.noisy) + i64::from(verdict.in_check)
    };
    for rules in [Rules::SWAP, Rules::new(Profile::Sf, PieceValues::CPW)] {
        let expected = data.sum_of_positions(|position| digest(&rules.verdict(position, false)));
        for path in CpuPath::ALL.into_iter().filter(|path| path.is_available()) {
            let verdicts = vec![Verdict::default(); data.positions.len()];
            let verdicts = Rc::new(RefCell::new(verdicts));
            let (cpu, written) = (cpu(path), verdicts.clone());
            stages.per_position(
                &format!("verdicts {path} {}", rules.pins),
                expected,
                move || {
                    let mut written = written.borrow_mut();
                    cpu.judge_all(&data.positions, &rules, false, &mut written);
                    0
                },
            );
            stages.sum_after(move || verdicts.borrow().iter().map(digest).sum());
        }
    }
}

/// Whether some noisy move wins material: the default question of `filter`; and whether there are
/// two threats, as the preset `calm` asks too.
fn bounds(stages: &mut Stages<'_>) {
    exceeded(stages, "exceeds", Profile::Swap, WINNING);
    exceeded(stages, "exceeds", Profile::Sf, WINNING);
    exceeded(stages, "calm", Profile::Swap, CALM);
}

fn exceeded(stages: &mut Stages<'_>, name: &str, profile: Profile, bounds: Bounds) {
    let data = stages.data;
    let digest = |exceeds: &Exceeds| {
        i64::from(exceeds.see)
            + 2 * i64::from(exceeds.in_check)
            + 4 * i64::from(exceeds.double_threat)
    };
    let rules = Rules::new(profile, PieceValues::CPW);
    let expected =
        data.sum_of_positions(|position| digest(&bounds.exceeds(&rules.verdict(position, true))));
    for path in CpuPath::ALL.into_iter().filter(|path| path.is_available()) {
        let exceeds = vec![Exceeds::default(); data.positions.len()];
        let exceeds = Rc::new(RefCell::new(exceeds));
        let (cpu, written) = (cpu(path), exceeds.clone());
        stages.per_position(&format!("{name} {path} {profile}"), expected, move || {
            cpu.exceeds_all(&data.positions, &rules, bounds, &mut written.borrow_mut());
            0
        });
        stages.sum_after(move || exceeds.borrow().iter().map(digest).sum());
    }
}

/// Material quiescence, and the scalar verdict, of the positions for which the preset `still` asks
/// it.
fn quiescence(stages: &mut Stages<'_>) {
    let (data, rules) = (stages.data, Rules::SWAP);
    let is_asked = move |position: &&Position| {
        let exceeds = rules.exceeds(position, CALM);
        !(exceeds.in_check || exceeds.see || exceeds.double_threat)
    };
    let asked: Vec<Position> = data.positions.iter().filter(is_asked).copied().collect();
    let positions = asked.clone();
    let verdict = move || {
        let verdicts = positions
            .iter()
            .map(|position| rules.verdict(position, false));
        verdicts.map(|verdict| i64::from(verdict.noisy)).sum()
    };
    let items = (asked.len(), "position");
    let stage = Stage::new("verdict, calm only", items, verdict(), verdict);
    stages.all.push(stage);
    for depth in [1, 3] {
        let positions = asked.clone();
        let wins = move || {
            let wins = positions.iter();
            wins.map(|position| i64::from(rules.quiescence_ge(position, depth, 1)))
                .sum()
        };
        let name = format!("W{depth}, calm only");
        stages.all.push(Stage::new(&name, items, wins(), wins));
    }
}

fn parsing(stages: &mut Stages<'_>) {
    let data = stages.data;
    let digest = |position: &Position| i64::from(position.planes()[0] as u32);
    let expected = data.positions.iter().map(digest).sum();
    stages.per_position("FEN through shakmaty", expected, move || {
        let positions = data.fens.iter().map(|fen| {
            let fen = Fen::from_ascii(fen.as_bytes()).expect("a FEN");
            digest(&Position::try_from(fen.as_setup()).expect("a position"))
        });
        positions.sum()
    });
    stages.per_position("FEN", expected, move || {
        let fens = data.fens.iter().map(String::as_bytes);
        fens.map(|fen| digest(&Position::from_ascii(fen).expect("a FEN")))
            .sum()
    });
}

fn main() {
    let data = Data::load();
    let (positions, moves) = (data.positions.len(), data.moves.len());
    let title = format!(
        "{}: {positions} positions, {moves} noisy moves",
        data.source
    );
    table::print(&title, "lm", ROUNDS, &stages(&data));
}
