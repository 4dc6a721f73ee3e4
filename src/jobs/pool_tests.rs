//! Blocks grow when a GPU takes over; the output stays the same.

use std::sync::Arc;
use std::sync::atomic::AtomicBool;
use std::time::Duration;

use crate::backend::fake::Fake;
use crate::backend::{BackendError, Question};
use crate::formats::{Codec, Format};
use crate::{CpuPath, Evaluator, Position, Rules};

use super::super::step::{Needs, Task};
use super::*;

/// As in the filter.
const SMALL: usize = 1 << 18;
const LARGE: usize = 4 << 20;

/// Writes the number of noisy moves of each record, notes the block sizes, and breaks the
/// device after some large blocks.
struct Counting {
    sizes: Arc<Mutex<Vec<usize>>>,
    broken: Arc<AtomicBool>,
    lasts: usize,
}

impl Task for Counting {
    fn needs(&self) -> Needs {
        Needs {
            most_bytes: SMALL,
            rules: Some(Rules::SWAP),
            ..Needs::of("test")
        }
    }

    fn question<'a>(&self, _: &Codec, step: &'a mut Step) -> Result<Option<Question<'a>>> {
        Ok(Some(Question::Verdicts {
            positions: &step.decoded.positions,
            with_threat: false,
        }))
    }

    fn finish(&self, _: &Codec, step: &mut Step, answers: &Answers) -> Result<()> {
        let verdicts = answers.verdicts.iter();
        let data = &mut step.done.data;
        data.extend(verdicts.map(|verdict| verdict.noisy as u8));
        let mut sizes = self.sizes.lock().unwrap();
        sizes.push(step.block.bytes.len());
        if sizes.iter().filter(|&&size| size == LARGE).count() > self.lasts {
            self.broken.store(true, Ordering::Relaxed);
        }
        Ok(())
    }
}

/// `4k3/8/8/3p4/4P3/8/8/4K3 w - -` in bulletformat, with score 0, drawn.
const RECORD: [u8; 32] = [
    16, 0, 0, 16, 8, 0, 0, 16, 5, 216, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 0, 1, 4, 4, 0,
    0, 0,
];

/// Runs over `records` records, with a device that lasts for `lasts` large blocks, and returns
/// the block sizes.
fn sizes(lasts: usize, records: usize) -> (Vec<usize>, Evaluator) {
    let position: Position = "4k3/8/8/3p4/4P3/8/8/4K3 w - - 0 1".parse().unwrap();
    let known = Rules::SWAP.verdict(&position, false);
    assert_eq!(known.noisy, 1);
    let broken = Arc::new(AtomicBool::new(false));
    let breaks = Arc::clone(&broken);
    let open = move || {
        let broken = Arc::clone(&breaks);
        let fake = Fake::new(move |question, _, answers| {
            if broken.load(Ordering::Relaxed) {
                return Err(BackendError::Lost("unplugged".to_owned()));
            }
            answers.fit(question);
            answers.verdicts.fill(known);
            Ok(())
        });
        Ok(Some((Arc::new(fake) as _, "fake".to_owned())))
    };
    // The slowest CPU path, so that the GPU clearly wins.
    let evaluator = Evaluator::auto_with(open, Duration::ZERO)
        .announce(|_| ())
        .callers(2)
        .cpu_path(CpuPath::Scalar)
        .unwrap();
    let plans = Plans::new(Format::Bulletformat, 2, 16, SMALL);
    let bytes = RECORD.repeat(records);
    let (reader, codec) = Format::Bulletformat.open(&bytes[..], SMALL);
    let sizes = Arc::default();
    let task = Counting {
        sizes: Arc::clone(&sizes),
        broken,
        lasts,
    };
    let work = Work {
        name: "records".to_owned(),
        codec,
        needs: task.needs(),
        task: Box::new(task),
        skip_invalid: false,
    };
    let mut written = 0;
    run(&work, reader, plans, Some(&evaluator), |done| {
        assert!(done.data.iter().all(|&noisy| noisy == 1));
        written += done.data.len();
        Ok(())
    })
    .unwrap();
    assert_eq!(written, records);
    let sizes = sizes.lock().unwrap().clone();
    (sizes, evaluator)
}

#[test]
fn blocks_grow_once_a_gpu_is_taken() {
    let (sizes, evaluator) = sizes(usize::MAX, 4 << 20);
    let choice = evaluator.report().choice.unwrap();
    assert!(choice.starts_with("backend: GPU (fake, "), "{choice}");
    let small = sizes.iter().take_while(|size| **size == SMALL).count();
    assert!(small > 0, "the CPU begins");
    // Except the block in work meanwhile, and the last one.
    let grown = &sizes[small..];
    let large = grown.iter().filter(|size| **size == LARGE).count();
    assert!(large > 2 && large + 2 >= grown.len(), "{sizes:?}");
}

#[test]
fn blocks_shrink_when_the_cpu_takes_over() {
    let (sizes, evaluator) = sizes(3, 4 << 20);
    assert!(evaluator.report().fallback.is_some());
    let large = sizes.iter().filter(|size| **size == LARGE).count();
    assert!((3..8).contains(&large), "{sizes:?}");
    let small = sizes.iter().rev().skip(2).take(10);
    assert!(small.into_iter().all(|size| *size == SMALL), "{sizes:?}");
}
