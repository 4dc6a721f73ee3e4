//! Blocks of files, read by themselves.

use std::fs;

use swaplist_files::blocks::BlockIndex;
use swaplist_files::formats::{DecodedPart, Format, Place, RecordFields};
use swaplist_files::jobs::{Input, Job, Options};

use crate::records::written_formats;

/// Where a record is, its bytes, and its score.
type Told = (Place, u32, Option<i32>);

fn told(record: &RecordFields) -> Told {
    let span = record.span();
    (record.place(), span.end - span.start, record.score())
}

/// The records of a block, decoded in parts.
fn records(index: &BlockIndex, block: usize) -> Vec<Told> {
    let mut reader = index.open(block, None).unwrap();
    let mut part = DecodedPart::default();
    let mut records = Vec::new();
    let mut add = |part: &DecodedPart| {
        assert!(part.invalid.is_empty());
        records.extend(part.records.iter().map(told));
    };
    let mut at = index.offsets[block];
    while reader.seek(at..index.offsets[block + 1]).unwrap() {
        at = if let Some((mut text, end)) = reader.take_text() {
            while text.decode(1000, &mut part) {
                add(&part);
            }
            end
        } else {
            let end = reader.decode(1000, &mut part);
            add(&part);
            end
        };
    }
    records
}

/// All records by their blocks, in any order, are those of the file.
#[test]
fn blocks_hold_all_records() {
    let folder = tempfile::tempdir().unwrap();
    let sample = fs::read("../data/sample.binpack").unwrap();
    let several = folder.path().join("several.binpack");
    fs::write(&several, sample.repeat(30)).unwrap();
    let mut files = vec![several];
    let written = written_formats().filter(|format| *format != Format::Binpack);
    let names = written.map(|format| format!("x.{}", format.spec().extensions[0]));
    for name in names.chain(["x.plain.zst".to_owned()]) {
        let path = folder.path().join(name);
        let input = Input::open(Some(&files[0])).unwrap();
        let job = Job::new(input, Options::default())
            .and_then(|job| job.write_to(Some(&path)))
            .unwrap();
        job.convert().unwrap();
        files.push(path);
    }
    for path in files {
        let find = |format, numbers: Option<&[u64]>| {
            BlockIndex::from_file(&path, format, numbers, &mut || true)
        };
        let index = find(None, None).unwrap();
        let blocks = index.offsets.len() - 1;
        assert!(blocks > 1, "{path:?} has {blocks} blocks");
        let by_blocks: Vec<_> = (0..blocks)
            .rev()
            .map(|block| records(&index, block))
            .collect();
        let by_blocks: Vec<_> = by_blocks.into_iter().rev().flatten().collect();
        let stream = Input::open(Some(&path)).unwrap().into_stream();
        let whole: Vec<_> = index
            .format
            .records(stream)
            .map(|record| told(&record.unwrap().fields))
            .collect();
        assert_eq!(by_blocks, whole, "{path:?}");
        if let Some(numbers) = index.to_numbers() {
            let again = find(None, Some(&numbers)).unwrap();
            assert_eq!(again.offsets, index.offsets);
            let mut unordered = numbers.clone();
            unordered.swap(2, 5);
            assert!(find(None, Some(&unordered)).is_err());
            fs::write(&path, b"other").unwrap();
            assert!(find(Some(index.format), Some(&numbers)).is_err());
        }
    }
}
