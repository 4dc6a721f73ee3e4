//! What a host of the shader is told: chunks, dispatches, sizes, and which results it reads.

use swaplist::backend::{Answers, BackendError, Question};
use swaplist::gpu::program::{DeviceLimits, Plan, Shape};
use swaplist::{
    Batch, Best, Bounds, BoundsExceeded, PackedMove, PieceValues, Position, Profile,
    RecapturePromotion, Rules, Sides, Verdict,
};

use crate::common::boards::{MOVE_BITS, Random};
use crate::common::rules::bounds;

/// Any position, and moves numbered from 1.
fn batch(counts: &[usize]) -> Batch {
    let mut batch = Batch::new();
    let mut bits = 0;
    for &count in counts {
        let captures = (0..count).map(|_| {
            bits += 1;
            PackedMove::from_bits(bits)
        });
        batch.push(bytemuck::Zeroable::zeroed(), captures);
    }
    batch
}

/// Checks that dispatches hold every move once, in order, with its position, within the shape, however
/// many moves a dispatch may have at most.
fn chunks(counts: &[usize], positions: usize, moves: usize) -> usize {
    let batch = batch(counts);
    let shape = Shape {
        positions,
        moves,
        verdicts: 1,
        ..Shape::default()
    };
    let count = all_dispatches(&batch, &shape, usize::MAX);
    let roomy = Shape {
        moves: usize::MAX,
        ..shape
    };
    assert_eq!(all_dispatches(&batch, &roomy, moves), count);
    count
}

fn all_dispatches(batch: &Batch, shape: &Shape, most: usize) -> usize {
    let plan = Plan::new(Question::Scores(batch), &Rules::SWAP, shape);
    let mut next = 0;
    let mut count = 0;
    while let Some(dispatch) = plan.dispatch(next, most) {
        assert!(dispatch.positions.len() <= shape.positions);
        assert!((1..=most.min(shape.moves)).contains(&dispatch.rows.len()));
        assert_eq!(dispatch.rows.start, next);
        let requests: Vec<_> = dispatch.requests().map(u32::from_le_bytes).collect();
        assert_eq!(requests.len(), dispatch.rows.len());
        let first = index_of(batch, dispatch.positions);
        for (request, capture) in requests.into_iter().zip(dispatch.rows.clone()) {
            let position = first + (request >> MOVE_BITS) as usize;
            assert!(batch.range(position).contains(&capture));
            let bits = request as u16 & ((1 << MOVE_BITS) - 1);
            assert_eq!(bits, batch.captures()[capture].to_bits());
        }
        (next, count) = (dispatch.rows.end, count + 1);
    }
    assert_eq!(next, batch.len());
    count
}

/// Where these positions of a batch begin.
fn index_of(batch: &Batch, positions: &[Position]) -> usize {
    let all = batch.positions().as_ptr_range();
    let bytes = positions.as_ptr().addr() - all.start.addr();
    bytes / size_of::<Position>()
}

#[test]
fn chunks_cover_a_batch_once() {
    for positions in 1..13 {
        for captures in 1..60 {
            chunks(&[0, 0, 3, 1, 0, 40, 0, 0, 2, 7, 0], positions, captures);
        }
    }
    assert_eq!(chunks(&[], 2, 2), 0);
    assert_eq!(chunks(&[0; 9], 2, 2), 0, "no moves, no chunk");
    assert_eq!(chunks(&[0, 0, 0, 0, 0, 1, 0, 0, 0, 0, 0, 1, 0], 2, 2), 2);
    assert_eq!(chunks(&[5], 2, 2), 3, "one position in three chunks");
    // Requests are made for 256 moves at a time: moves that end there, before and after it.
    let many: Vec<usize> = (0..1500).map(|i| [0, 3, 1, 0, 2, 7][i * i % 6]).collect();
    for captures in [254, 255, 256, 257, 511, 512, 513, 5000] {
        chunks(&many, 2000, captures);
    }
    chunks(&[256, 0, 0, 256, 255, 1, 0, 257], 20, 2000);
}

#[test]
fn a_request_holds_every_move_and_index() {
    let shape = fitted(1 << 18, &LEAST);
    assert_eq!((shape.moves, shape.positions), (1 << 18, 1 << 17));
    let mut batch = Batch::new();
    for _ in 0..shape.positions {
        batch.push(
            bytemuck::Zeroable::zeroed(),
            [PackedMove::from_bits(u16::MAX)],
        );
    }
    let plan = Plan::new(Question::Scores(&batch), &Rules::SWAP, &shape);
    let last = plan.dispatch(0, usize::MAX).unwrap().requests().last();
    assert_eq!(last.map(u32::from_le_bytes), Some(u32::MAX));
}

/// What WebGPU and some older devices guarantee.
const LEAST: DeviceLimits = DeviceLimits {
    buffer: 256 << 20,
    binding: 128 << 20,
    alignment: 256,
    workgroups: 65_535,
    invocations: 256,
    workgroup_memory: 16_352,
};

fn fitted(chunk: usize, limits: &DeviceLimits) -> Shape {
    Shape::default().fitted(limits, chunk).unwrap()
}

#[test]
fn a_folded_dispatch_covers_every_workgroup() {
    for max_workgroups in [1, 2, 3, 7, 65_535] {
        let shape = Shape {
            max_workgroups,
            ..Shape::default()
        };
        for count in [1, 63, 64, 65, 128, 129, 1000, 4096, 65_535, 65_537] {
            // One invocation each: for a verdict on one side, and for a kernel of one's own.
            let question = Question::Verdicts {
                positions: &[],
                sides: Sides::ToMove,
            };
            let plan = Plan::new(question, &Rules::SWAP, &shape);
            let invocations = count * shape.workgroup;
            let (x, y) = plan.in_place(invocations).groups;
            assert_eq!(shape.groups(invocations), (x, y));
            assert_eq!(plan.in_place(invocations).params.groups_x, x);
            assert!(x <= max_workgroups);
            assert!(x * y >= count);
            assert!(x * (y - 1) < count, "no idle row");
        }
    }
}

#[test]
fn the_room_heeds_every_limit() {
    assert_eq!(
        fitted(1 << 18, &LEAST).verdicts,
        1 << 18,
        "no request names a position"
    );
    assert_eq!(fitted(0, &LEAST).moves, 1);
    let narrow = DeviceLimits {
        workgroups: 2,
        ..LEAST
    };
    let folded = fitted(1 << 18, &narrow);
    assert_eq!((folded.moves, folded.verdicts), (256, 128));
    for binding in [32, 1 << 10, 1 << 20] {
        for buffer in [1 << 10, 1 << 20, 1 << 28] {
            let limits = DeviceLimits {
                buffer,
                binding,
                ..LEAST
            };
            let [params, _, positions, requests, results] = fitted(usize::MAX, &limits).sizes();
            assert!(params <= 256 && positions.max(requests).max(results) <= binding);
            // A host's upload memory has the parameters and all that goes up; what it reads back has
            // some bytes of its own before the results.
            assert!(256 + positions + requests <= buffer);
            assert!(32 + results <= buffer);
        }
    }
}

#[test]
fn a_device_without_workgroups_is_refused() {
    assert!(Shape::default().fitted(&LEAST, 1).is_ok());
    let none = DeviceLimits {
        workgroups: 0,
        ..LEAST
    };
    let error = Shape::default().fitted(&none, 1).unwrap_err().to_string();
    assert!(error.contains("takes no workgroups"), "{error}");
}

/// Beyond the question's answers nothing is read.
#[test]
fn rows_that_a_question_has_not_are_refused() {
    let positions: [Position; 2] = bytemuck::Zeroable::zeroed();
    let question = Question::Bounds {
        positions: &positions,
        bounds: Bounds::default(),
    };
    let plan = Plan::new(question, &Rules::SWAP, &Shape::default());
    let bytes = bytemuck::bytes_of(&[WRITTEN; 4]);
    let mut answers = Answers::default();
    assert_eq!(plan.read(1..2, bytes, &mut answers), Ok(()));
    #[allow(clippy::reversed_empty_ranges)]
    for rows in [1..3, 3..4, 2..1, 3..3] {
        let read = plan.read(rows, bytes, &mut answers);
        assert!(matches!(read, Err(BackendError::Wrong(_))), "{read:?}");
    }
    assert!(plan.dispatch(2, usize::MAX).is_none());
    assert!(plan.dispatch(3, usize::MAX).is_none());
}

/// Reads what a device has written; bytes that are wrong are told as such.
fn read(question: Question<'_>, rules: &Rules, words: &[u32]) -> Option<Answers> {
    let mut answers = Answers::default();
    let bytes = bytemuck::cast_slice(words);
    let plan = Plan::new(question, rules, &Shape::default());
    match plan.read(0..question.answers(), bytes, &mut answers) {
        Ok(()) => Some(answers),
        Err(BackendError::Wrong(_)) => None,
        Err(error) => panic!("{error}"),
    }
}

/// With the sign bit flipped: what was cleared is not a score.
const POISON: u32 = 1 << 31;

#[test]
fn unwritten_and_impossible_words_are_not_scores() {
    let (batch, wide) = (
        batch(&[3]),
        Rules::new(Profile::Swap, PieceValues::new([30_000; 5]).unwrap()),
    );
    let scores = |rules, words: &[u32]| {
        read(Question::Scores(&batch), rules, words).map(|answers| answers.scores)
    };
    let word = |score: i32| score.cast_unsigned() ^ POISON;
    let words = [word(0), word(100), word(-5)];
    assert_eq!(scores(&wide, &words), Some(vec![0, 100, -5]));
    for bad in [0, word(i32::MAX), word(1 << 24), word(-1 << 24)] {
        assert_eq!(scores(&wide, &[word(0), bad, word(1)]), None);
    }
    let half = |score: i16| u32::from(score.cast_unsigned() ^ 0x8000);
    let halves = [half(0) | half(32_767) << 16, half(-32_767)];
    // The last half is not a score.
    assert_eq!(
        scores(&Rules::SWAP, &halves),
        Some(vec![0, 32_767, -32_767])
    );
    for unwritten in [0xffff_0000, 0xffff] {
        assert_eq!(
            scores(&Rules::SWAP, &[halves[0] & unwritten, halves[1]]),
            None
        );
    }
    assert_eq!(scores(&Rules::SWAP, &[halves[0], 0]), None);
    let size = |rules, scores| {
        let none = Batch::new();
        let plan = Plan::new(Question::Scores(&none), rules, &Shape::default());
        plan.in_place(scores).result_size
    };
    assert_eq!(size(&Rules::SWAP, 3), 8);
    assert_eq!((size(&Rules::SWAP, 4), size(&wide, 3)), (8, 12));
}

fn is_narrow(values: [i32; 5]) -> bool {
    let rules = Rules::new(Profile::Swap, PieceValues::new(values).unwrap());
    let batch = Batch::new();
    let plan = Plan::new(Question::Scores(&batch), &rules, &Shape::default());
    plan.in_place(2).result_size == 4
}

/// Tries boards and moves, possible or not: no score exceeds half a word if it is said to fit.
#[test]
fn what_is_said_to_fit_half_a_word_does() {
    for values in [[8192; 5], [30_000; 5], [-30_000; 5], [-8000, 0, 0, 0, 8000]] {
        assert!(!is_narrow(values), "{values:?}");
    }
    let narrow = [
        [8191; 5],
        [-4095, -4095, 4095, 4095, 4095],
        [1, 8191, 8191, 8191, 8191],
        [-10_922, 0, 0, 0, -1],
        [0; 5],
        [100, 325, 325, 500, 1000],
        [208, 781, 825, 1276, 2538],
    ];
    let mut random = Random(1);
    let mut largest = 0;
    for values in narrow {
        assert!(is_narrow(values), "{values:?}");
        let rules = Rules {
            recapture_promotion: RecapturePromotion::Queen,
            ..Rules::new(Profile::Swap, PieceValues::new(values).unwrap())
        };
        for _ in 0..50_000 {
            let position: Position = bytemuck::cast([(); 4].map(|()| random.next()));
            let see = rules.see(&position, PackedMove::from_bits(random.next() as u16));
            assert!(see.abs() < 1 << 15, "{see} under {values:?}");
            largest = largest.max(see.abs());
        }
    }
    assert!(largest > 1 << 13, "{largest} says little");
}

const WRITTEN: u32 = 1 << 31;
const IN_CHECK: u32 = 1 << 30;
const HAS_BEST: u32 = 1 << 29;
const HAS_THREAT: u32 = 1 << 28;

#[test]
fn unwritten_and_impossible_records_are_not_verdicts() {
    let positions: [Position; 2] = bytemuck::Zeroable::zeroed();
    let question = Question::Verdicts {
        positions: &positions,
        sides: Sides::Both,
    };
    let read = |record: [u32; 4]| {
        let words = [[WRITTEN | IN_CHECK, 0, 0, 0], record].concat();
        read(question, &Rules::SWAP, &words).map(|answers| answers.verdicts[1])
    };
    let best = |see, bits| {
        let capture = PackedMove::from_bits(bits);
        Some(Best { see, capture })
    };
    let words = [
        WRITTEN | HAS_BEST | HAS_THREAT | 2 << 16 | 3,
        (-100_i32).cast_unsigned(),
        0x1234_2345,
        900,
    ];
    let expected = Verdict::new(false, 3, best(-100, 0x2345)).with_threat(best(900, 0x1234), 2);
    assert_eq!(read(words), Some(expected));
    assert!(read([WRITTEN | IN_CHECK, 0, 0, 0]).unwrap().in_check());
    for bad in [
        [0; 4],
        [IN_CHECK, 0, 0, 0],
        [WRITTEN | 1 << 23, 0, 0, 0],
        [WRITTEN | 1 << 16, 0, 0, 0],
        [WRITTEN | HAS_THREAT | 1 << 16, 0, 0, 0],
        [WRITTEN | HAS_THREAT, 0, 0, 100],
        [WRITTEN | 1, 0, 0, 0],
        [WRITTEN | HAS_BEST, 0, 0, 0],
        [WRITTEN | HAS_BEST | 1, 1 << 24, 0, 0],
        [WRITTEN | HAS_THREAT, 0, 0, 1 << 31],
        [
            WRITTEN | HAS_BEST | 1,
            (-(1 << 24) - 1_i32).cast_unsigned(),
            0,
            0,
        ],
        [WRITTEN | IN_CHECK | HAS_THREAT, 0, 0, 0],
        [WRITTEN | HAS_BEST | 1, 0, 1 << 15, 0],
        [WRITTEN | HAS_THREAT, 0, 1 << 31, 0],
        // Fields that do not apply.
        [WRITTEN, 1, 0, 0],
        [WRITTEN, 0, 1, 0],
        [WRITTEN, 0, 1 << 16, 0],
        [WRITTEN, 0, 0, 1],
        [WRITTEN | HAS_BEST | 1, 0, 0, 1],
        [WRITTEN | HAS_THREAT, 1, 0, 0],
    ] {
        assert_eq!(read(bad), None, "{bad:x?}");
    }
}

#[test]
fn unwritten_and_impossible_words_are_not_answers() {
    let positions: [Position; 2] = bytemuck::Zeroable::zeroed();
    let bounds = bounds(None, None, true);
    let question = Question::Bounds {
        positions: &positions,
        bounds,
    };
    let exceeds = |word| {
        let answers = read(question, &Rules::SWAP, &[WRITTEN, word]);
        answers.map(|answers| answers.exceeds[1])
    };
    let all = BoundsExceeded::from_bits(15);
    assert_eq!(exceeds(WRITTEN | 15), Some(all));
    for bad in [0, 15, WRITTEN | 16, WRITTEN | 1 << 30] {
        assert_eq!(exceeds(bad), None, "{bad:x}");
    }
    // Two threats were not asked about.
    let unbounded = Question::Bounds {
        positions: &positions,
        bounds: Bounds::default(),
    };
    let answers = read(unbounded, &Rules::SWAP, &[WRITTEN, WRITTEN | 8]).unwrap();
    assert_eq!(answers.exceeds[1], BoundsExceeded::default());
}
