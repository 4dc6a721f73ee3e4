//! Chunks and games that no writer makes.

use swaplist_files::formats::Format;

use super::games::{encoded, games};
use super::{keep, run};

#[test]
fn a_chunk_that_is_not_there_is_an_error() {
    let games = games(7, 2);
    let mut file = encoded(Format::Binpack, &games);
    let count = games.iter().flatten().count();
    file[4..8].copy_from_slice(&(16_u32 << 20).to_le_bytes());
    let largest = run(Format::Binpack, file.as_slice(), 1 << 20, &keep);
    assert_eq!((largest.records.len(), largest.errors.len()), (count, 1));
    file[4..8].copy_from_slice(&((16_u32 << 20) + 1).to_le_bytes());
    let outcomes = run(Format::Binpack, file.as_slice(), 1 << 20, &keep);
    assert_eq!(
        outcomes.errors,
        ["byte 4: a chunk of 16777217 bytes; at most 16777216 are read at once"]
    );
}

/// Also if the chunks before it do not fill a block.
#[test]
fn what_is_no_chunk_is_an_error() {
    let sound = encoded(Format::Binpack, &games(7, 2));
    for (behind, error) in [
        (&b"BIN"[..], "the header of a chunk is cut off"),
        (b"garbage!", "no chunk begins here: 'BINP' is missing"),
    ] {
        let whole = [&sound, behind, &sound[..]].concat();
        let file = &whole[..whole.len() - if behind.len() < 8 { sound.len() } else { 0 }];
        let outcomes = run(Format::Binpack, file, 1 << 20, &keep);
        assert_eq!(outcomes.errors, [format!("byte {}: {error}", sound.len())]);
        // What comes before it stays.
        let count = games(7, 2).iter().flatten().count();
        assert_eq!(outcomes.records.len(), count);
    }
}

/// Larger than any writer makes.
#[test]
fn a_large_chunk_is_read_as_a_whole() {
    let games = games(8, 40);
    let small = encoded(Format::Binpack, &games);
    let chains = small[8..].repeat(5 << 20 >> 12);
    let mut file = b"BINP".to_vec();
    file.extend((chains.len() as u32).to_le_bytes());
    file.extend(&chains);
    assert!(chains.len() > 5 << 20);
    let expected = run(Format::Binpack, small.as_slice(), 1 << 20, &keep).records;
    let outcomes = run(Format::Binpack, file.as_slice(), 1 << 20, &keep);
    assert_eq!(outcomes.errors, Vec::<String>::new());
    assert_eq!(outcomes.records.len(), expected.len() * (5 << 20 >> 12));
    let mut parts = outcomes.records.chunks(expected.len());
    assert!(parts.all(|part| part == expected));
    let again = run(Format::Binpack, outcomes.written.as_slice(), 1 << 20, &keep);
    assert!(again.records == outcomes.records);
}

/// The games before it are returned first.
#[test]
fn a_game_that_never_ends_is_an_error() {
    let games = games(9, 2);
    let count = games.iter().flatten().count();
    for (format, first) in [(Format::Viriformat, 32), (Format::Montyvalue, 43)] {
        let sound = encoded(format, &games);
        let game = [&sound[..first], &[1; 4].repeat(70_000)].concat();
        for (file, records) in [([&sound[..], &game].concat(), count), (game.clone(), 0)] {
            for block_bytes in [1 << 12, 1 << 20] {
                let outcomes = run(format, file.as_slice(), block_bytes, &keep);
                let place = file.len() - game.len();
                let error = format!("byte {place}: a game of more than 65536 moves");
                assert_eq!(outcomes.errors, [error]);
                assert_eq!(outcomes.records.len(), records);
            }
        }
    }
}
