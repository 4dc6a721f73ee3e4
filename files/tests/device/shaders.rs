//! The text of the shaders of files: what no result shows.

use swaplist_files::device::{decoder, encoder};

use crate::tests::common::wgsl::{bounded_loops, check};

#[test]
fn every_browser_runs_the_shaders() {
    check(&decoder());
    check(&encoder());
}

#[test]
fn every_loop_is_bounded() {
    assert_eq!(
        [decoder(), encoder()].map(|text| bounded_loops(&text)),
        [3, 11]
    );
}
