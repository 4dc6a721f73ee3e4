//! Formats told by their content.

use swaplist_files::formats::Format;

use super::binary;
use super::games::{encoded, games};

#[test]
fn formats_are_told_by_their_content_or_not_at_all() {
    let games = games(9, 10);
    for format in binary() {
        let file = encoded(format, &games);
        for name in [None, Some("bin"), Some("data")] {
            assert_eq!(Format::detect(&file, name), [format]);
        }
        // A name does not make a format of data that makes no sense in it.
        let wrong = if format == Format::Viriformat {
            "bf"
        } else {
            "viriformat"
        };
        assert_eq!(Format::detect(&file, Some(wrong)), [format]);
    }
    // A single board with only kings, score 0: bulletformat or marlinformat.
    let mut both = [0; 32];
    both[..8].copy_from_slice(&(1_u64 << 4 | 1 << 60).to_le_bytes());
    both[8] = 0xd5;
    both[24] = 64; // no en-passant square, or a score
    (both[27], both[28]) = (4, 60 ^ 56);
    let ambiguous = [Format::Bulletformat, Format::Marlinformat];
    assert_eq!(Format::detect(&both, Some("bin")), ambiguous);
    assert_eq!(Format::detect(&both, Some("bf")), [Format::Bulletformat]);
    // Or a game that is cut off after its first record.
    assert_eq!(Format::detect(&both, Some("vf")), [Format::Viriformat]);
    assert_eq!(
        Format::detect(b"8/8/4k3/8 w - -\n", Some("bin")),
        [Format::Text]
    );
    assert_eq!(Format::detect(&[0; 64], Some("viriformat")), []);
    assert_eq!(Format::detect(&[], None), [Format::Text]);
}
