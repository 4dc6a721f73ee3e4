//! Counts of files of which a GPU judges the positions.

use std::io::Cursor;

use swaplist::{Evaluator, Rules};
use swaplist_files::jobs::{Input, Job, Options};

use super::filtering::{damaged, large};
use crate::tests::common::boards::Random;
use crate::tests::common::coded::FORMATS;
use crate::tests::common::gpu;

/// Counts, also of files with a broken record.
#[test]
fn counts_are_those_of_the_cpu() {
    let mut random = Random(77);
    for format in FORMATS {
        let whole = large(format);
        let damaged: Vec<_> = (0..8).map(|_| damaged(format, &mut random)).collect();
        for (i, file) in core::iter::once(&whole).chain(&damaged).enumerate() {
            for skip_invalid in [false, true] {
                let count = |evaluator: &Evaluator| {
                    let input = Input::reader("file", Cursor::new(file.clone())).unwrap();
                    let options = Options {
                        from: Some(format),
                        threads: Some(2),
                        skip_invalid,
                        ..Options::default()
                    };
                    let job = Job::new(input, options).unwrap();
                    let summary = job.count(&Rules::default(), evaluator);
                    let mut json = summary.map_err(|error| error.to_string())?.table().json;
                    for of_the_run in ["seconds", "decoded_on_gpu"] {
                        json.as_object_mut().unwrap().remove(of_the_run).unwrap();
                    }
                    Ok::<_, String>(json)
                };
                let on_gpu = Evaluator::with_backend(Some(gpu::usual()));
                let ours = count(&Evaluator::cpu());
                let theirs = count(&on_gpu);
                assert_eq!(theirs, ours, "{format:?} {i}");
                assert_eq!(on_gpu.report().fallback, None);
            }
        }
    }
}
