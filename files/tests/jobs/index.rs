//! Blocks of files, read by themselves.

use std::fs;

use swaplist_files::blocks::BlockIndex;
use swaplist_files::formats::{DecodedPart, Format};
use swaplist_files::jobs::{Input, Job, Options};

use crate::records::written_formats;

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
        let index = BlockIndex::from_file(&path, None, &mut || true).unwrap();
        assert!(index.len() > 1, "{path:?} has {} blocks", index.len());
        let codec = index.format().codec();
        let mut decoded = DecodedPart::default();
        let mut all = Vec::new();
        for number in (0..index.len()).rev() {
            let (mut reader, mut at) = index.reader(number).unwrap();
            let wanted = index.bytes(number);
            let mut records = Vec::new();
            while let Some(block) = reader.next_block().unwrap() {
                if wanted.contains(&at) {
                    codec.decode(&block, &mut decoded);
                    assert!(decoded.invalid.is_empty());
                    records.extend(decoded.records.iter().map(|record| {
                        let span = record.span();
                        (record.place(), span.end - span.start, record.score())
                    }));
                }
                at += block.bytes.len() as u64;
            }
            all.push(records);
        }
        let by_blocks: Vec<_> = all.into_iter().rev().flatten().collect();
        let stream = Input::open(Some(&path)).unwrap().into_stream();
        let whole: Vec<_> = index
            .format()
            .records(stream)
            .map(|record| {
                let fields = record.unwrap().fields;
                let span = fields.span();
                (fields.place(), span.end - span.start, fields.score())
            })
            .collect();
        assert_eq!(by_blocks, whole, "{path:?}");
        if let Some(numbers) = index.to_numbers() {
            let again = BlockIndex::from_numbers(&path, None, &numbers).unwrap();
            assert_eq!(again.bytes(1), index.bytes(1));
            let mut unordered = numbers.clone();
            unordered.swap(2, 5);
            assert!(BlockIndex::from_numbers(&path, None, &unordered).is_err());
            fs::write(&path, b"other").unwrap();
            assert!(BlockIndex::from_numbers(&path, Some(index.format()), &numbers).is_err());
        }
    }
}
