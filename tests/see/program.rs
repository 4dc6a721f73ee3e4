//! What a host of the shader is told: chunks, dispatches, sizes, and which results it reads.

use swaplist::backend::{Answers, BackendError, Question};
use swaplist::gpu::program::{
    AnswerSlices, Capacity, ChunkedQuestion, DeviceLimits, Grid, Kernel, POSITION_SIZE, RESULTS_AT,
    WORD,
};
use swaplist::{
    Batch, Best, Bounds, BoundsExceeded, PackedMove, PieceValues, Position, Profile,
    RecapturePromotion, Rules, Sides, Verdict,
};

use crate::common::boards::Random;
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

/// Checks that chunks hold every move once, in order, with its position, within the capacity.
fn chunks(counts: &[usize], positions: usize, captures: usize) -> usize {
    let batch = batch(counts);
    let verdicts = 1;
    let capacity = Capacity {
        positions,
        captures,
        verdicts,
    };
    let work = ChunkedQuestion::new(Question::Scores(&batch), &Rules::SWAP);
    let mut last = None;
    let mut next = 0;
    let mut count = 0;
    while let Some(chunk) = work.chunk_after(last.as_ref(), capacity) {
        assert!(chunk.positions.len() <= positions);
        assert!((1..=captures).contains(&chunk.captures.len()));
        assert_eq!(chunk.captures.start, next);
        let requests: Vec<_> = work.requests(&chunk).map(u32::from_le_bytes).collect();
        assert_eq!(requests.len(), chunk.captures.len());
        for (request, capture) in requests.into_iter().zip(chunk.captures.clone()) {
            let position = chunk.positions.start + (request >> PackedMove::BITS) as usize;
            assert!(batch.range(position).contains(&capture));
            let bits = request as u16 & ((1 << PackedMove::BITS) - 1);
            assert_eq!(bits, batch.captures()[capture].to_bits());
        }
        (next, count, last) = (chunk.captures.end, count + 1, Some(chunk));
    }
    assert_eq!(next, batch.len());
    count
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
    let capacity = GRID.capacity(1 << 18, &LEAST);
    assert_eq!((capacity.captures, capacity.positions), (1 << 18, 1 << 17));
    let mut batch = Batch::new();
    for _ in 0..capacity.positions {
        batch.push(
            bytemuck::Zeroable::zeroed(),
            [PackedMove::from_bits(u16::MAX)],
        );
    }
    let work = ChunkedQuestion::new(Question::Scores(&batch), &Rules::SWAP);
    let chunk = work.chunk_after(None, capacity).unwrap();
    let last = work.requests(&chunk).last();
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

const GRID: Grid = Grid {
    max_workgroups: 65_535,
    ..Grid::USUAL
};

#[test]
fn a_folded_dispatch_covers_every_workgroup() {
    let kernel = Kernel::Score { narrow: false };
    for max_workgroups in [1, 2, 3, 7, 65_535] {
        for count in [1, 63, 64, 65, 128, 129, 1000, 4096, 65_535, 65_537] {
            let grid = Grid {
                max_workgroups,
                ..GRID
            };
            let (x, y) = grid.groups_for(kernel, count * GRID.workgroup);
            assert!(x <= max_workgroups);
            assert!(x * y >= count);
            assert!(x * (y - 1) < count, "no idle row");
        }
    }
}

#[test]
fn the_capacity_heeds_every_limit() {
    assert_eq!(
        GRID.capacity(1 << 18, &LEAST).verdicts,
        1 << 18,
        "no request names a position"
    );
    assert_eq!(GRID.capacity(0, &LEAST).captures, 1);
    let narrow = Grid {
        max_workgroups: 2,
        ..GRID
    };
    let folded = narrow.capacity(1 << 18, &LEAST);
    assert_eq!((folded.captures, folded.verdicts), (256, 128));
    for binding in [32, 1 << 10, 1 << 20] {
        for buffer in [1 << 10, 1 << 20, 1 << 28] {
            let limits = DeviceLimits {
                buffer,
                binding,
                ..LEAST
            };
            let most = GRID.capacity(usize::MAX, &limits);
            assert!(most.captures as u64 * WORD <= binding);
            assert!(most.positions as u64 * POSITION_SIZE <= binding);
            assert!(most.positions_size() <= binding);
            assert!(most.results_size() <= binding);
            assert!(RESULTS_AT + most.results_size() <= buffer);
            assert!(most.staging_size() <= buffer);
        }
    }
}

#[test]
fn a_device_without_workgroups_is_refused() {
    assert!(GRID.fitted(&LEAST).is_ok());
    let none = DeviceLimits {
        workgroups: 0,
        ..LEAST
    };
    let error = GRID.fitted(&none).unwrap_err().to_string();
    assert!(error.contains("takes no workgroups"), "{error}");
}

/// Reads what a device has written; bytes that are wrong are told as such.
fn read(question: Question<'_>, rules: &Rules, words: &[u32]) -> Option<Answers> {
    let mut answers = Answers::default();
    answers.fit(&question);
    let bytes = bytemuck::cast_slice(words);
    match ChunkedQuestion::new(question, rules).read(bytes, &mut AnswerSlices::new(&mut answers)) {
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
    let size = |narrow, scores| Kernel::Score { narrow }.bytes(scores);
    assert_eq!((size(true, 3), size(true, 4), size(false, 3)), (8, 8, 12));
}

fn is_narrow(values: [i32; 5]) -> bool {
    let rules = Rules::new(Profile::Swap, PieceValues::new(values).unwrap());
    let work = ChunkedQuestion::new(Question::Scores(&Batch::new()), &rules).kernel();
    work == Kernel::Score { narrow: true }
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
