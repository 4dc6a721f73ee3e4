//! Files that a GPU filters: the CPU's output, rejects, summaries and errors.

use std::io::Cursor;
use std::sync::Arc;
use std::time::Duration;

use serde_json::Value;
use swaplist::backend::Backend;
use swaplist::gpu::Gpu;
use swaplist::{Choice, Evaluator, PieceValues, Profile, Rules};
use swaplist_files::filter::{Filter, Reason};
use swaplist_files::formats::Format;
use swaplist_files::jobs::{Input, Job, Mode, Options};

use super::in_batches::in_batches;
use crate::tests::common::boards::Random;
use crate::tests::common::coded::{self, FORMATS, framed};
use crate::tests::common::written::{Written, filter};
use crate::tests::common::{chains, gpu};

/// A file and what is asked.
#[derive(Clone)]
struct Asked {
    file: Vec<u8>,
    filter: Filter,
    options: Options,
    /// Whether rejects are written, which only the CPU does.
    rejects: bool,
}

/// All that a run leaves. What was written before an error depends on the block size.
#[derive(PartialEq, Debug)]
struct Left {
    kept: Vec<u8>,
    rejects: Vec<u8>,
    summary: Value,
}

impl Asked {
    fn new(format: Format, file: Vec<u8>, filter: Filter) -> Asked {
        Asked {
            file,
            filter,
            options: Options {
                from: Some(format),
                threads: Some(2),
                ..Options::default()
            },
            rejects: false,
        }
    }

    fn run(&self, evaluator: &Evaluator) -> Result<Left, String> {
        let folder = tempfile::tempdir().unwrap();
        let written = Written::default();
        let rejects = folder.path().join("rejects");
        let input = Input::reader("file", Cursor::new(self.file.clone())).unwrap();
        let mut job = Job::new(input, self.options.clone())
            .unwrap()
            .write_into("memory", written.clone());
        if self.rejects {
            job = job.rejects_to(&rejects).unwrap();
        }
        let mut summary = job
            .filter(&self.filter, evaluator)
            .map_err(|error| error.to_string())?
            .table()
            .json;
        for of_the_run in [
            "seconds",
            "records_per_second",
            "backend",
            "audited",
            "decoded_on_gpu",
        ] {
            summary.as_object_mut().unwrap().remove(of_the_run).unwrap();
        }
        Ok(Left {
            kept: written.bytes(),
            rejects: std::fs::read(rejects).unwrap_or_default(),
            summary,
        })
    }

    /// Whether a GPU does all of it, if nothing is odd in the file.
    fn is_for_gpu(&self) -> bool {
        let is_binpack = self.options.from == Some(Format::Binpack);
        let drops = self.options.mode == Some(Mode::Drop);
        !(is_binpack && drops) && self.options.limit.is_none() && !self.rejects
    }

    /// Runs on both; returns what is left, and the records that the GPU filtered.
    fn equal(&self) -> (Result<Left, String>, u64) {
        self.equal_on(gpu::usual())
    }

    fn equal_on(&self, gpu: Arc<dyn Backend>) -> (Result<Left, String>, u64) {
        let on_gpu = Evaluator::with_backend(Some(gpu));
        let ours = self.run(&Evaluator::cpu());
        let theirs = self.run(&on_gpu);
        let report = on_gpu.report();
        assert_eq!(report.fallback, None);
        let what = (&self.filter, &self.options);
        match (&ours, &theirs) {
            (Ok(ours), Ok(theirs)) => {
                assert_eq!(theirs.summary, ours.summary, "{what:?}");
                assert!(theirs.kept == ours.kept, "{what:?}");
                assert!(theirs.rejects == ours.rejects, "{what:?}");
            }
            (ours, theirs) => assert_eq!(theirs.as_ref().err(), ours.as_ref().err(), "{what:?}"),
        }
        (ours, report.decoded)
    }
}

/// Filters that ask for bounds, and nothing else of the board.
fn filters() -> Vec<Filter> {
    [
        "preset=quiet",
        "preset=calm",
        "preset=none max_see=150",
        "preset=none max_threat=99",
        "preset=none max_see=-1 max_threat=0",
        "preset=none keep_checks=false max_see=0 max_score=900",
        "preset=calm min_ply=20",
        "preset=quiet invert=true",
        "preset=none max_see=200 keep_placeholders=false drop_decided_zeros=true",
    ]
    .map(filter)
    .to_vec()
}

/// Games and chains of more than a part.
pub fn large(format: Format) -> Vec<u8> {
    let files: Vec<_> = (0..4).map(|seed| coded::file(format, seed, 40)).collect();
    match format {
        Format::Binpack => {
            let chains: Vec<u8> = files.iter().flat_map(|file| file[8..].to_vec()).collect();
            [
                framed(format, &chains.repeat(6)),
                files.concat(),
                coded::sample(),
            ]
            .concat()
        }
        _ => files.concat().repeat(6),
    }
}

#[test]
fn every_filter_leaves_what_it_leaves_on_the_cpu() {
    let profiles = [Profile::Swap, Profile::Legal, Profile::Sf];
    for format in FORMATS {
        let files = [large(format), coded::file(format, 9, 12)];
        for (i, filter) in filters().into_iter().enumerate() {
            for (mode, limit) in [
                (None, None),
                (Some(Mode::Drop), None),
                (Some(Mode::Mark), None),
                (None, Some(700)),
                (Some(Mode::Drop), Some(30_000)),
            ] {
                let is_large = i == 1 && mode.is_none() || limit == Some(30_000) && i == 0;
                let mut asked = Asked::new(
                    format,
                    files[usize::from(!is_large)].clone(),
                    filter.clone(),
                );
                (asked.options.mode, asked.options.limit) = (mode, limit);
                let rules = Rules::new(profiles[i % 3], PieceValues::CPW);
                asked.filter = asked.filter.with_see_rules(rules);
                asked.rejects = limit.is_some() || i == 3;
                let (left, decoded) = asked.equal();
                let records = left.unwrap().summary["records"].as_u64().unwrap();
                let by_gpu = if asked.is_for_gpu() { records } else { 0 };
                assert_eq!(decoded, by_gpu, "{format:?} {i} {mode:?} {limit:?}");
            }
        }
    }
}

#[test]
fn a_device_destroyed_in_the_middle_leaves_the_same() {
    let (device, queue) = gpu::own_device();
    let gpu = Gpu::from_device(device.clone(), queue, &gpu::patient()).unwrap();
    let lost = Evaluator::with_backend(Some(in_batches(&gpu, 1 << 18)));
    let file = large(Format::Viriformat).repeat(24);
    let asked = Asked::new(Format::Viriformat, file, filters()[1].clone());
    let left = std::thread::scope(|scope| {
        let job = scope.spawn(|| asked.run(&lost).unwrap());
        while lost.report().decoded == 0 && !job.is_finished() {}
        device.destroy();
        job.join().unwrap()
    });
    let expected = asked.run(&Evaluator::cpu()).unwrap();
    assert!(left.kept == expected.kept && left.rejects == expected.rejects);
    let report = lost.report();
    assert!(
        report.fallback.is_some() && report.decoded > 0,
        "{report:?}"
    );
}

#[test]
fn a_device_that_takes_too_long_leaves_the_same() {
    let hasty = gpu::open(&gpu::with(|of| of.timeout = Duration::from_nanos(1)));
    let late = Evaluator::with_backend(Some(Arc::new(hasty)));
    for format in FORMATS {
        let asked = Asked::new(format, large(format), filters()[1].clone());
        let expected = asked.run(&Evaluator::cpu()).unwrap();
        assert!(asked.run(&late).unwrap().kept == expected.kept);
        assert!(late.report().fallback.is_some());
    }
}

/// Many threads have small blocks, one has large ones.
#[test]
fn any_blocks_leave_the_same() {
    for format in FORMATS {
        for threads in [1, 3, 24] {
            let mut asked = Asked::new(format, large(format), filters()[0].clone());
            asked.options.threads = Some(threads);
            let (left, decoded) = asked.equal();
            assert_eq!(
                Value::from(decoded),
                left.unwrap().summary["records"],
                "{format:?}"
            );
        }
    }
}

/// Rules that ask for the number of pieces or the played move.
#[test]
fn rules_that_ask_for_facts_leave_what_they_leave_on_the_cpu() {
    for format in [Format::Viriformat, Format::Binpack] {
        let file = [coded::file(format, 5, 40), coded::file(format, 6, 4)].concat();
        for settings in [
            "preset=played-calm",
            "preset=bullet",
            "preset=viriformat",
            "preset=nnue-pytorch",
            "preset=see-ge0",
            "preset=none played=no-captures",
            "preset=none played=empty-target",
            "preset=none played=no-promotions",
            "preset=quiet played=no-castling",
            "preset=calm min_pieces=12",
            "preset=none max_pieces=20",
            "preset=quiet max_played_see=-1",
            "preset=none min_played_see=-100 max_played_see=50",
            "preset=see-ge0 min_played_see=-100 max_played_see=50",
            "preset=quiet max_eval_incorrectness=100",
            "preset=quiet max_eval_incorrectness=0 drop_unscored=true",
            "preset=calm max_pieces=24 invert=true min_ply=4",
        ] {
            let mut asked = Asked::new(format, file.clone(), filter(settings));
            for profile in [Profile::Swap, Profile::Sf8] {
                let rules = Rules::new(profile, PieceValues::CPW);
                asked.filter = asked.filter.with_see_rules(rules);
                asked.options.mode = Some(Mode::Mark);
                assert!(asked.equal().0.is_ok(), "{settings:?}");
                asked.options.mode = None;
                let (left, decoded) = asked.equal();
                let summary = left.unwrap().summary;
                assert_eq!(Value::from(decoded), summary["records"], "{settings:?}");
                let dropped = summary["dropped"].as_object().unwrap().values();
                let numbers = dropped.map(|number| number.as_u64().unwrap());
                assert!(numbers.sum::<u64>() > 0, "{settings:?}");
            }
        }
    }
}

/// The rules that compare a number, which a device does too, each with settings by which it drops
/// records of the test's files.
const ON_DEVICE: &[(&str, &str)] = &[
    ("ply", "min_ply=12"),
    ("pieces", "max_pieces=24"),
    ("unscored", "drop_unscored=true"),
    ("score", "max_score=100"),
    ("opening_score", "max_opening_eval=20"),
    ("decided_zero", "drop_decided_zeros=true"),
    ("in_check", "keep_checks=false"),
    ("played_capture", "played=no-captures"),
    ("played_promotion", "played=no-promotions"),
    ("played_castling", "played=no-castling"),
    ("played_see_ge0", "played=see-ge0"),
    ("played_see", "max_played_see=50"),
    ("eval_incorrectness", "max_eval_incorrectness=100"),
    ("see", "max_see=0"),
    ("threat", "max_threat=0"),
    ("double_threat", "drop_double_threat=true"),
    ("placeholder", "keep_placeholders=false"),
];

/// The rules that only the CPU knows: they draw at random, or do more than to compare a number.
const ON_CPU: &[(&str, &str)] = &[
    ("wdl", "wdl_filtered=true"),
    ("material_count", "material_count_filtered=true"),
    ("random_skip", "random_fen_skipping=true"),
    ("thinned", "keep_fraction=0.5"),
    ("quiescence", "quiescence=1"),
];

#[test]
fn every_rule_is_for_a_device_or_for_the_cpu() {
    for &reason in Reason::ALL
        .iter()
        .filter(|reason| **reason != Reason::QUIET)
    {
        let name = reason.name();
        let listed = ON_DEVICE.iter().chain(ON_CPU);
        let times = listed.filter(|(rule, _)| *rule == name).count();
        assert_eq!(
            times, 1,
            "the rule {name}: add it to ON_DEVICE in files/tests/device/on_gpu/filtering.rs if it has \
             `.keeping(...)`, otherwise to ON_CPU"
        );
    }
    assert_eq!(ON_DEVICE.len() + ON_CPU.len(), Reason::ALL.len() - 1);
}

#[test]
fn every_rule_that_compares_drops_on_a_device() {
    for format in FORMATS {
        let games = [
            coded::file(format, 5, 40),
            coded::file(format, 6, 4),
            coded::minimised(format, 7, 20),
        ]
        .concat();
        // With records that have no score.
        let mut marking = Asked::new(format, games.clone(), filter("preset=quiet"));
        marking.options.mode = Some(Mode::Mark);
        let marked = marking.run(&Evaluator::cpu()).unwrap().kept;
        let files = [games, marked].concat();
        for (rule, settings) in ON_DEVICE {
            // A device is asked only if there is a bound.
            let is_bound = settings.starts_with("max_see");
            let bound = if is_bound { "" } else { " max_see=30000" };
            let filter = filter(&format!("preset=none{bound} {settings}"));
            let mut asked = Asked::new(format, files.clone(), filter);
            asked.options.mode = Some(Mode::Mark);
            let (left, decoded) = asked.equal();
            let summary = left.unwrap().summary;
            assert_eq!(
                Value::from(decoded),
                summary["records"],
                "{format:?}: the CPU filtered by {rule}, which is in ON_DEVICE"
            );
            let dropped = summary["dropped"][rule].as_u64();
            assert!(dropped > Some(0), "{format:?}: {rule} drops no record");
        }
    }
}

/// Zeros of minimised games, marked and dropped; some of the records before them have no score.
#[test]
fn placeholders_go_as_on_the_cpu() {
    for format in FORMATS {
        let games = coded::minimised(format, 11, 120);
        let loud = filter("preset=quiet keep_placeholders=true");
        let mut marking = Asked::new(format, games.clone(), loud);
        marking.options.mode = Some(Mode::Mark);
        let marked = marking.run(&Evaluator::cpu()).unwrap().kept;
        for file in [games, marked] {
            for (settings, rule) in [
                ("preset=quiet", "placeholder"),
                ("preset=calm keep_checks=true", "placeholder"),
                ("preset=quiet drop_decided_zeros=true", "decided_zero"),
                ("preset=nnue-pytorch max_see=300", "decided_zero"),
            ] {
                let mut asked = Asked::new(format, file.clone(), filter(settings));
                for mode in [Some(Mode::Mark), None] {
                    asked.options.mode = mode;
                    let (left, decoded) = asked.equal();
                    let summary = left.unwrap().summary;
                    assert_eq!(Value::from(decoded), summary["records"], "{settings}");
                    let dropped = summary["dropped"][rule].as_u64();
                    assert!(dropped > Some(5), "{format:?} {settings}: {dropped:?}");
                }
            }
        }
    }
}

#[test]
fn a_gpu_does_not_filter_by_rules_that_are_no_comparisons() {
    for format in FORMATS {
        for (rule, settings) in ON_CPU {
            let looks = filter(&format!("preset=quiet {settings}"));
            let asked = Asked::new(format, coded::file(format, 5, 8), looks);
            assert_eq!(
                asked.equal().1,
                0,
                "{format:?}: a device filtered by {rule}, which is in ON_CPU"
            );
        }
        let mut counting = Asked::new(format, coded::file(format, 5, 8), filters()[0].clone());
        counting.options.counts = true;
        assert_eq!(counting.equal().1, 0, "{format:?}");
    }
}

pub fn damaged(format: Format, random: &mut Random) -> Vec<u8> {
    let mut file: Vec<u8> = (0..3)
        .flat_map(|_| coded::file(format, random.next() % 9, 5))
        .collect();
    for _ in 0..=random.below(3) {
        // Behind the first chunk's header.
        let at = 8 + random.below(file.len() - 8);
        file[at] ^= 1 << random.below(8);
    }
    if random.below(3) == 0 {
        file.truncate(file.len() - random.below(file.len() / 2));
    }
    file
}

/// Damaged files of each format: `DAMAGED_FILES`, or a few.
fn damaged_files() -> usize {
    let number = std::env::var("DAMAGED_FILES");
    number.map_or(40, |number| {
        number.parse().expect("DAMAGED_FILES is a number")
    })
}

#[test]
fn damage_has_the_same_errors() {
    let filters = filters();
    let mut random = Random(77);
    let played = ["preset=played-calm", "preset=see-ge0"].map(filter);
    for format in FORMATS {
        let [mut decoded, mut failed, mut skipped] = [0; 3];
        for round in 0..damaged_files() {
            let of_round = match round % 2 {
                0 => &played[..],
                _ => &filters[..6],
            };
            let filter = of_round[random.below(of_round.len())].clone();
            let mut asked = Asked::new(format, damaged(format, &mut random), filter);
            asked.options.limit = [None, None, None, Some(300)][random.below(4)];
            asked.options.mode = [None, Some(Mode::Drop), Some(Mode::Mark)][random.below(3)];
            for skip_invalid in [false, true] {
                asked.options.skip_invalid = skip_invalid;
                let (left, on_gpu) = asked.equal();
                decoded += on_gpu;
                match left {
                    Ok(left) => skipped += u64::from(left.summary["invalid"] != 0),
                    Err(error) => {
                        assert!(error.starts_with("file"), "{round}: {error}");
                        failed += 1;
                    }
                }
            }
        }
        eprintln!("{format:?}: {failed} failed, {skipped} skipped, {decoded} decoded on the GPU");
        assert!(failed > 10 && skipped > 10 && decoded > 0, "{format:?}");
    }
}

/// Chunks behind one another, empty ones, starts that are missed, or found where none is.
#[test]
fn odd_chunks_leave_the_same() {
    let usual = coded::file(Format::Binpack, 3, 10);
    let empty = framed(Format::Binpack, &[]);
    let (clocked, in_movetext) = (
        chains::clocked(),
        framed(Format::Binpack, &chains::in_movetext()),
    );
    let cut_off = &usual[..usual.len() - 20];
    for (name, file, decodes) in [
        ("two", [&usual[..], &usual].concat(), true),
        ("empty", [&usual[..], &empty, &usual].concat(), false),
        ("nothing", empty.clone(), false),
        ("cut off", [&usual[..], cut_off].concat(), false),
        ("missed", clocked.clone(), false),
        ("in movetext", in_movetext.clone(), false),
        (
            "mixed",
            [&usual[..], &clocked, &usual, &in_movetext].concat(),
            // All chunks are in one block.
            false,
        ),
    ] {
        for mode in [Mode::Drop, Mode::Mark] {
            for filter in filters() {
                let mut asked = Asked::new(Format::Binpack, file.clone(), filter);
                (asked.options.mode, asked.options.skip_invalid) = (Some(mode), true);
                let (left, decoded) = asked.equal();
                let records = left.unwrap().summary["records"].as_u64().unwrap();
                if mode == Mode::Drop {
                    assert_eq!(decoded, 0, "{name}");
                    continue;
                }
                assert_eq!(decoded, if decodes { records } else { 0 }, "{name}");
            }
        }
    }
}

/// The board that a game of viriformat begins with.
fn standard_start() -> [u8; 32] {
    let mut start = [0; 32];
    start[..8].copy_from_slice(&0xffff_0000_0000_ffff_u64.to_le_bytes());
    // Nibbles: rooks that may castle are 6, Black's are 8 more.
    let pieces = [
        0x16, 0x42, 0x25, 0x61, 0, 0, 0, 0, 0x88, 0x88, 0x88, 0x88, 0x9e, 0xca, 0xad, 0xe9,
    ];
    start[8..24].copy_from_slice(&pieces);
    // No target en passant, the first move, a draw.
    (start[24], start[26], start[30]) = (64, 1, 1);
    start
}

/// A device goes over 1,536 records of a game at most, with any rules.
#[test]
fn too_long_a_game_leaves_the_same() {
    let step = |from: u16, to: u16| [(from | to << 6).to_le_bytes(), [1, 0]].concat();
    // Knights go to and fro.
    let cycle = [step(6, 21), step(62, 45), step(21, 6), step(45, 62)].concat();
    let start = standard_start();
    // As many rules as there are comparisons, and every second position kept.
    let all = "preset=calm min_ply=1 min_pieces=1 max_pieces=32 drop_unscored=true max_score=40000 \
               max_opening_eval=40000 drop_decided_zeros=true \
               played=any,no-promotions,no-castling,no-captures,see-ge0 \
               max_eval_incorrectness=50000 max_played_see=9000 max_threat=9000";
    let clauses = filter(all);
    let names: Vec<&str> = clauses.clauses().map(|(reason, _)| reason.name()).collect();
    let listed: Vec<&str> = ON_DEVICE.iter().map(|(rule, _)| *rule).collect();
    assert_eq!(
        names, listed,
        "`all` in this test has all rules of ON_DEVICE"
    );
    for (records, by_gpu) in [(1536, 1536), (1537, 0)] {
        let steps = cycle.iter().copied().cycle().take(4 * records);
        let game = start.into_iter().chain(steps).chain([0; 4]).collect();
        let mut asked = Asked::new(Format::Viriformat, game, filter(all));
        for mode in [Mode::Mark, Mode::Drop] {
            asked.options.mode = Some(mode);
            assert_eq!(asked.equal().1, by_gpu);
        }
    }
}

/// Games without a move number are divided into games without one.
#[test]
fn an_unknown_move_number_stays_unknown() {
    let mut file = standard_start().to_vec();
    file[26..28].fill(0);
    // Knights go to and fro; the scores of two records are too large.
    let moves: [(u16, u16); 4] = [(6, 21), (62, 45), (21, 6), (45, 62)];
    for (i, (from, to)) in moves.into_iter().cycle().take(12).enumerate() {
        let score: i16 = if i == 4 || i == 8 { 500 } else { 1 };
        file.extend_from_slice(&(from | to << 6).to_le_bytes());
        file.extend_from_slice(&score.to_le_bytes());
    }
    file.extend_from_slice(&[0; 4]);
    let mut asked = Asked::new(
        Format::Viriformat,
        file,
        filter("preset=none max_see=9000 max_score=100"),
    );
    asked.options.mode = Some(Mode::Drop);
    let (left, on_gpu) = asked.equal();
    let output = left.unwrap().kept;
    assert_eq!((output.len(), on_gpu), (52 + 48 + 48, 12));
    for game in [0, 52, 100] {
        assert_eq!(output[game + 26..game + 28], [0, 0], "the game at {game}");
    }
}

/// Blocks that a small batch holds some of, or none.
#[test]
fn any_batch_leaves_the_same() {
    for format in FORMATS {
        for batch in [1 << 10, 1 << 13, 1 << 18] {
            let small = in_batches(&gpu::usual(), batch);
            for threads in [1, 2, 5] {
                for mode in [None, Some(Mode::Mark)] {
                    let mut asked = Asked::new(format, large(format), filters()[0].clone());
                    asked.options.threads = Some(threads);
                    asked.options.mode = mode;
                    let (_, decoded) = asked.equal_on(Arc::clone(&small));
                    assert!(
                        batch < 1 << 18 || decoded > 0,
                        "{format:?} {batch} {threads}"
                    );
                }
            }
        }
    }
}

/// A game without a move has no record: the CPU leaves it out.
#[test]
fn games_without_moves_leave_the_same() {
    let file = coded::file_with_empty_games(4, 20);
    for mode in [Mode::Drop, Mode::Mark] {
        let mut asked = Asked::new(Format::Viriformat, file.clone(), filters()[0].clone());
        asked.options.mode = Some(mode);
        assert_eq!(asked.equal().1, 0);
    }
}

/// A record for which the filter needs the ply may not tell it: the CPU's error.
#[test]
fn games_without_numbers_have_the_same_error() {
    let mut file = coded::file(Format::Viriformat, 4, 20);
    file[26..28].fill(0);
    for settings in ["preset=quiet", "preset=quiet min_ply=9"] {
        let asked = Asked::new(Format::Viriformat, file.clone(), filter(settings));
        let (left, decoded) = asked.equal();
        assert_eq!(left.is_ok(), decoded > 0, "{settings}");
    }
}

/// With `auto` the CPU begins, then the GPU takes over for a while, and the faster one goes on; one
/// line says which and why.
#[test]
fn auto_compares_whole_files() {
    let file = large(Format::Viriformat).repeat(48);
    let asked = Asked::new(Format::Viriformat, file, filters()[0].clone());
    let expected = asked.run(&Evaluator::cpu()).unwrap();
    let small = in_batches(&gpu::open(&gpu::patient()), 1 << 18);
    let (sender, receiver) = std::sync::mpsc::channel();
    let open = move || Ok(Some(Arc::clone(&small)));
    let auto = Evaluator::auto_with(open, Duration::ZERO)
        .callers(2)
        .announce(move |message| sender.send(message.to_string()).unwrap());
    // The file may end before the GPU is open.
    let deadline = std::time::Instant::now() + Duration::from_mins(5);
    while auto.report().choice.is_none() {
        assert!(std::time::Instant::now() < deadline);
        let left = asked.run(&auto).unwrap();
        assert!(left.kept == expected.kept);
    }
    let said = receiver.try_iter().collect::<Vec<_>>();
    let report = auto.report();
    assert_eq!(said, [report.choice.unwrap()]);
    assert!(
        said[0].starts_with("backend: ") && said[0].contains("M records/s against "),
        "{said:?}"
    );
    assert!(report.decoded > 0 && report.fallback.is_none());
    // The choice is kept.
    assert!(asked.run(&auto).unwrap().kept == expected.kept);
}
