//! Chains whose starts cannot be told from the bytes alone.

use swaplist_files::formats::Format;

use super::coded::{file, framed};

/// The half-move clock of a stem, which no writer lets grow beyond a byte.
const CLOCK: usize = 30;

/// The chains of a file, each alone.
fn each(file: &[u8]) -> Vec<Vec<u8>> {
    let records = Format::Binpack.records(file);
    let mut spans: Vec<_> = records
        .map(|record| record.unwrap().fields.span())
        .collect();
    spans.dedup();
    let bytes =
        |span: &core::ops::Range<u32>| file[span.start as usize..span.end as usize].to_vec();
    spans.iter().map(bytes).collect()
}

/// Chains of which the second has a clock of more than a byte, so that it does not look like one.
pub fn clocked() -> Vec<u8> {
    let mut chains = each(&file(Format::Binpack, 31, 6));
    chains[1][CLOCK] = 1;
    framed(Format::Binpack, &chains.concat())
}

/// A chain with movetext in which another seems to begin: what a search has found (see
/// `formats/cut.rs`).
pub fn in_movetext() -> Vec<u8> {
    include_bytes!("in_movetext.chain").to_vec()
}
