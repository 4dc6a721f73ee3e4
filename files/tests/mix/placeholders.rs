//! Zeros that are no scores, in a mix.

use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::formats::{Format, Record};
use swaplist_files::mix::MixOptions;

use super::records::{encoded, sample};
use super::{Folder, keeping_all};

/// The sample's records, with the score 0 where a piece is taken and 1 elsewhere, and how many of
/// them are such zeros.
fn minimised() -> (Vec<Record>, u64) {
    let mut records = sample();
    let mut zeros = 0;
    for record in &mut records {
        let taken = record
            .position
            .piece_at(record.fields.played().unwrap().to());
        let is_capture = taken.is_some_and(|piece| piece.color != record.position.turn());
        record.fields = record.fields.with_score(Some(i32::from(!is_capture)));
        zeros += u64::from(is_capture);
    }
    (records, zeros)
}

#[test]
fn placeholders_go_where_the_played_move_goes() {
    let (records, zeros) = minimised();
    let all = records.len() as u64;
    let folder = Folder::new();
    folder.write("in.binpack", encoded(Format::Binpack, &records));
    folder.write("in.data", encoded(Format::Bulletformat, &records[..99]));
    let written = |inputs: &[&str], out: &str, filter: Option<Filter>| {
        let options = MixOptions {
            filter,
            ..MixOptions::default()
        };
        let summary = folder.mix(inputs, out, &options);
        let rows = summary
            .table()
            .to_string()
            .matches("a placeholder: ")
            .count();
        (summary.outputs[0].records, rows)
    };
    let one = ["in.binpack"];
    for out in ["out.data", "out.txt"] {
        assert_eq!(written(&one, out, None), (all - zeros, 1), "{out}");
    }
    // A board without a move is not one of them.
    let both = ["in.binpack", "in.data"];
    assert_eq!(written(&both, "out.data", None), (all - zeros + 99, 1));
    // Where the moves stay, the rule can be applied later.
    assert_eq!(written(&one, "out.binpack", None), (all, 0));
    assert_eq!(written(&one, "out.plain", None), (all, 0));
    assert_eq!(written(&one, "out.data", Some(keeping_all())), (all, 0));
    // The other rules of a filter stay, and what an inverted one keeps does.
    let late = |invert| {
        let settings = Settings {
            min_ply: Some(20),
            invert: Some(invert),
            ..Settings::default()
        };
        Some(Preset::None.filter().changed(&settings).unwrap())
    };
    let is_late = |record: &&Record| record.fields.ply() >= Some(20);
    let late_ones: Vec<&Record> = records.iter().filter(is_late).collect();
    let late_zeros = late_ones
        .iter()
        .filter(|record| record.fields.score() == Some(0));
    let left = late_ones.len() - late_zeros.count();
    assert_eq!(written(&one, "out.data", late(false)).0, left as u64);
    let early = all - late_ones.len() as u64;
    assert_eq!(written(&one, "out.data", late(true)), (early, 0));
}
