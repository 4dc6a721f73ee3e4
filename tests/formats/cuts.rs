//! Reading on from where another reader stopped.

use std::io::Read as _;

use crate::games::{encoded, games};
use swaplist::formats::{Block, Cut, Format, Reader};

/// Formats of one line a record.
const LINES: &[Format] = &[
    Format::Text,
    #[cfg(feature = "formats")]
    Format::Jsonl,
];

/// The blocks that are left.
fn rest(mut reader: Box<dyn Reader + '_>) -> Vec<Block> {
    core::iter::from_fn(|| reader.next_block().unwrap()).collect()
}

/// From every cut, the same blocks follow as without it.
fn goes_on_at_every_cut(format: Format, data: &[u8], block_bytes: usize) {
    let (mut reader, _) = format.open(data, block_bytes);
    let all = rest(format.open(data, block_bytes).0);
    assert!(all.len() > 4, "{format:?}: {} blocks", all.len());
    let mut cuts = 0;
    for read in 0..=all.len() {
        if let Some(cut) = reader.cut() {
            let behind = &data[cut.offset as usize..];
            let (other, _) = format.open_at(behind, block_bytes, cut);
            assert!(rest(other) == all[read..], "{format:?}, {cut:?}");
            cuts += 1;
        }
        reader.next_block().unwrap();
    }
    assert!(cuts > 3, "{format:?}: {cuts} cuts");
}

#[test]
fn lines_of_any_length_go_on() {
    let lines: String = (0..500_usize)
        .map(|i| "x".repeat(i * i % 97) + "\n")
        .collect();
    for &format in LINES {
        for block_bytes in [1, 10, 100, 1000] {
            goes_on_at_every_cut(format, lines.as_bytes(), block_bytes);
        }
    }
}

#[test]
fn lines_that_are_too_long_go_on() {
    let mut lines = "a\nb\n".repeat(1000);
    for i in 0..3 {
        lines += &("y".repeat(2_500_000 + i) + "\nc\nd\n");
    }
    goes_on_at_every_cut(Format::Text, lines.as_bytes(), 1 << 20);
    goes_on_at_every_cut(Format::Text, lines.as_bytes(), 1 << 16);
}

#[test]
fn records_of_several_lines_go_on() {
    let record = |i| format!("fen {i}\nscore 1\ne\n");
    let plain: String = (0..300).map(record).collect();
    let game = |i| format!("[Event \"{i}\"]\n\n1. e4 e5 1/2-1/2\n\n");
    let pgn: String = (0..300).map(game).collect();
    for block_bytes in [50, 333, 1000] {
        goes_on_at_every_cut(Format::Plain, plain.as_bytes(), block_bytes);
        goes_on_at_every_cut(Format::Pgn, pgn.as_bytes(), block_bytes);
    }
}

#[test]
fn records_of_one_size_go_on() {
    let mut data = Vec::new();
    std::io::repeat(7)
        .take(4_003)
        .read_to_end(&mut data)
        .unwrap();
    for format in [Format::Bulletformat, Format::Marlinformat, Format::Sfbin] {
        goes_on_at_every_cut(format, &data, 333);
    }
}

#[test]
fn games_and_chunks_go_on() {
    for format in [Format::Viriformat, Format::Binpack] {
        let data: Vec<u8> = (0..30)
            .flat_map(|seed| encoded(format, &games(seed, 2)))
            .collect();
        for block_bytes in [1, 500, 1000] {
            goes_on_at_every_cut(format, &data, block_bytes);
        }
    }
}

/// Within a chunk that is too large for a block, nobody can begin.
#[test]
fn large_chunks_are_gone_on_behind() {
    let small = encoded(Format::Binpack, &games(8, 10));
    let chains = small[8..].repeat((5 << 20) / small.len());
    let mut data = small.repeat(300);
    data.extend(b"BINP");
    data.extend((chains.len() as u32).to_le_bytes());
    data.extend(chains);
    data.extend(small.repeat(300));
    goes_on_at_every_cut(Format::Binpack, &data, 1 << 19);
}

#[test]
fn a_cut_before_anything_is_the_start() {
    for &format in Format::ALL {
        let (reader, _) = format.open(std::io::empty(), 100);
        assert_eq!(reader.cut(), Some(Cut::default()), "{format:?}");
    }
}
