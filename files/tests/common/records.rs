//! The records of the sample, and files of records in any format that is written.

use swaplist::Choice;
use swaplist_files::formats::{Format, Record, Writer};

/// The formats that other formats are converted to.
pub fn written_formats() -> impl Iterator<Item = Format> {
    let all = Format::ALL.iter().copied();
    all.filter(|format| format.spec().is_convertible_to)
}

/// The sample's games.
pub fn sample() -> Vec<Record> {
    let binpack = &include_bytes!("../../../data/sample.binpack")[..];
    let records = Format::Binpack.records(binpack);
    records.map(Result::unwrap).collect()
}

/// A file with these records.
pub fn encoded(format: Format, records: &[Record]) -> Vec<u8> {
    let mut writer = Writer::new(format).unwrap();
    let mut file = Vec::new();
    for record in records {
        writer.push(record, &mut file).unwrap();
    }
    writer.finish(&mut file);
    file
}
