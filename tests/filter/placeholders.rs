//! What nnue-pytorch's loader reads from a filtered file: its test for placeholder scores of 0
//! depends on other records' scores.

use std::fs::File;

use swaplist::filter::Filter;
use swaplist::formats::{Decoded, Format, Outcome, RecordFields, VALUE_NONE};

use crate::common::data;

/// The loader's state (`make_skip_predicate` in its `training_data_loader.cpp`).
#[derive(Default)]
struct Loader {
    ply: Option<u32>,
    score: Option<i32>,
}

impl Loader {
    /// Whether it uses a record for its score; its other and random skips come later and do not
    /// matter here.
    fn takes(&mut self, record: &RecordFields, score: i32) -> bool {
        let is_later = record.ply() > self.ply;
        let is_behind_much = self.score.is_some_and(|before| before.abs() > 100);
        let is_decided = record.outcome() != Some(Outcome::Draw);
        let is_placeholder = is_later && is_behind_much && is_decided && score == 0;
        self.ply = record.ply();
        let takes = score != i32::from(VALUE_NONE) && !is_placeholder;
        if takes {
            self.score = Some(score);
        }
        takes
    }
}

/// All records, and which of them the default rules keep.
fn sample() -> Vec<(RecordFields, bool)> {
    let file = File::open(data::path("formats/sf_small.binpack")).unwrap();
    let (mut reader, codec) = Format::Binpack.open(file, 1 << 20);
    let (filter, mut decoded, mut all) = (Filter::default(), Decoded::default(), Vec::new());
    while let Some(block) = reader.next_block().unwrap() {
        codec.decode(&block, &mut decoded);
        for (record, position) in decoded.records.iter().zip(&decoded.positions) {
            let judgement = filter.judge(position, record).unwrap();
            all.push((*record, judgement.is_none()));
        }
    }
    all
}

/// The figures of docs/filter.md.
#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_zeros_that_nnue_pytorch_judges_anew() {
    let all = sample();
    let (mut plain, mut marked) = (Loader::default(), Loader::default());
    let (mut scored, mut more, mut fewer) = (0, 0, 0);
    for (record, kept) in &all {
        let score = record.score().unwrap();
        let before = plain.takes(record, score);
        let mark = i32::from(VALUE_NONE);
        let after = marked.takes(record, if *kept { score } else { mark });
        scored += u32::from(*kept && score != mark);
        more += u32::from(*kept && after && !before);
        fewer += u32::from(*kept && before && !after);
    }
    assert_eq!(all.len(), 434_921);
    // docs/filter.md says them.
    assert_eq!((scored, more, fewer), (305_179, 139, 87));
}
