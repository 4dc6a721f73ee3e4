//! The real positions, which tests named `real_data` need.

use std::path::{Path, PathBuf};

use shakmaty::Chess;

use super::boards;

/// A training file of the folder, unpacked.
pub fn training(name: &str) -> Vec<u8> {
    let path = Path::new(env!("CARGO_MANIFEST_DIR"))
        .join("../shared/data/formats")
        .join(name);
    let bytes = std::fs::read(&path)
        .unwrap_or_else(|error| panic!("real data {} is missing: {error}", path.display()));
    if bytes.starts_with(&[0x28, 0xb5, 0x2f, 0xfd]) {
        zstd::decode_all(bytes.as_slice()).unwrap()
    } else {
        bytes
    }
}

const NEEDED: &str = "the folder ../shared/data is needed";

fn files() -> Vec<PathBuf> {
    let folder = Path::new(env!("CARGO_MANIFEST_DIR")).join("../shared/data");
    let rare = std::fs::read_dir(folder.join("rare")).expect(NEEDED);
    let rare = rare.map(|entry| entry.expect(NEEDED).path());
    let mut files: Vec<_> = rare.chain([folder.join("human_100k.fen")]).collect();
    files.sort();
    files
}

/// Sums a check's counts over all positions, on all cores.
pub fn total(check: impl Fn(&Chess) -> usize + Sync) -> usize {
    let parts = std::thread::available_parallelism().map_or(1, usize::from);
    let texts = files()
        .into_iter()
        .map(|file| std::fs::read_to_string(file).expect(NEEDED));
    let texts: Vec<_> = texts.collect();
    let part = |part: usize| -> usize {
        let fens = texts.iter().flat_map(|text| text.lines());
        let fens = fens.skip(part).step_by(parts);
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
