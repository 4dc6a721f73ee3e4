//! The real positions, one after the other.

use std::path::PathBuf;

use shakmaty::Chess;

use super::{boards, data};

fn files() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(data::path("rare")).unwrap();
    let rare = entries.map(|entry| entry.unwrap().path());
    let mut files: Vec<_> = rare.chain([data::path("human_100k.fen")]).collect();
    files.sort();
    files
}

/// Sums a check's counts over all positions, on all cores.
pub fn total(check: impl Fn(&Chess) -> usize + Sync) -> usize {
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    let texts: Vec<_> = files()
        .into_iter()
        .map(|file| std::fs::read_to_string(file).unwrap())
        .collect();
    let part = |part: usize| -> usize {
        let lines = texts.iter().flat_map(|text| text.lines());
        let fens = lines.skip(part).step_by(parts);
        fens.map(|fen| check(&boards::board(fen))).sum()
    };
    std::thread::scope(|scope| {
        let running: Vec<_> = (0..parts)
            .map(|i| {
                scope.spawn({
                    let part = &part;
                    move || part(i)
                })
            })
            .collect();
        running.into_iter().map(|part| part.join().unwrap()).sum()
    })
}
