//! Mixing files, as library calls.

#[path = "../common/records.rs"]
mod records;

mod duplicates;
mod exclude;
mod order;
mod placeholders;
mod split;
mod wrong;

use std::collections::HashMap;
use std::fs;
use std::path::{Path, PathBuf};
use std::sync::Mutex;

use swaplist::Evaluator;
use swaplist_files::filter::{Filter, Preset, Settings};
use swaplist_files::formats::{Format, Record, RecordFields};
use swaplist_files::jobs;
use swaplist_files::mix::{Mix, MixOptions, MixSummary, Order};
use tempfile::TempDir;

use records::{encoded, sample, written_formats};

/// A folder with inputs and outputs.
struct Folder(TempDir);

impl Folder {
    fn new() -> Folder {
        Folder(tempfile::tempdir().unwrap())
    }

    fn path(&self, name: &str) -> PathBuf {
        self.0.path().join(name)
    }

    fn write(&self, name: &str, bytes: impl AsRef<[u8]>) -> PathBuf {
        fs::write(self.path(name), bytes).unwrap();
        self.path(name)
    }

    fn read(&self, name: &str) -> Vec<u8> {
        fs::read(self.path(name)).unwrap()
    }

    fn files(&self) -> Vec<String> {
        let entries = fs::read_dir(self.0.path()).unwrap();
        let mut names: Vec<String> = entries
            .map(|entry| entry.unwrap().file_name().into_string().unwrap())
            .collect();
        names.sort();
        names
    }

    /// Mixes inputs into `out`, with the extension of the format.
    fn mix(&self, inputs: &[&str], out: &str, options: &MixOptions) -> MixSummary {
        self.try_mix(inputs, out, options).unwrap()
    }

    fn try_mix(
        &self,
        inputs: &[&str],
        out: &str,
        options: &MixOptions,
    ) -> Result<MixSummary, swaplist_files::jobs::Error> {
        let inputs = inputs.iter().map(|name| self.path(name));
        let options = MixOptions {
            job: jobs::Options {
                replace: true,
                ..options.job.clone()
            },
            ..options.clone()
        };
        let mix = Mix::new(inputs, options)?.write_to(Some(&self.path(out)))?;
        mix.run(&Evaluator::cpu())
    }
}

/// The notes of a mix.
fn notes(inputs: &[PathBuf], out: &Path, options: &MixOptions) -> Vec<String> {
    let notes = Mutex::new(Vec::new());
    let mix = Mix::new(inputs, options.clone()).unwrap().watch(|event| {
        if let jobs::Event::Note(text) = event {
            notes.lock().unwrap().push(text.to_owned());
        }
        std::ops::ControlFlow::Continue(())
    });
    mix.write_to(Some(out))
        .unwrap()
        .run(&Evaluator::cpu())
        .unwrap();
    notes.into_inner().unwrap()
}

/// A filter that keeps all records, also those whose score of 0 may be none: by default they are
/// left out where the output holds scores without played moves.
fn keeping_all() -> Filter {
    let settings = Settings {
        keep_placeholders: Some(true),
        ..Settings::default()
    };
    Preset::None.filter().changed(&settings).unwrap()
}

/// A record without its place.
fn placeless(record: Record) -> Record {
    let known = record.fields;
    let fields = RecordFields::new(swaplist_files::formats::Place::Line(1), 0..0)
        .with_score(known.score())
        .with_played(known.played())
        .with_outcome(known.outcome())
        .with_ply(known.ply());
    Record { fields, ..record }
}

/// How often each record is in a file.
fn multiset(format: Format, bytes: &[u8]) -> HashMap<String, usize> {
    let mut all = HashMap::new();
    for record in format.records(bytes) {
        let record = placeless(record.unwrap());
        *all.entry(format!("{record:?}")).or_default() += 1;
    }
    all
}

fn shuffle(seed: u64) -> MixOptions {
    MixOptions {
        order: Order::Shuffle,
        seed: Some(seed),
        ..MixOptions::default()
    }
}

/// Boards of bulletformat that all differ, numbered by their score and free bytes.
fn numbered(from: u32, count: u32) -> Vec<u8> {
    let board = encoded(Format::Bulletformat, &sample()[..1]);
    let mut bytes = Vec::with_capacity(count as usize * 32);
    for number in from..from + count {
        let at = bytes.len();
        bytes.extend_from_slice(&board);
        bytes[at + 24..at + 26].copy_from_slice(&((number % 20_000) as u16).to_le_bytes());
        bytes[at + 29..].copy_from_slice(&number.to_le_bytes()[..3]);
    }
    bytes
}

/// The numbers of such boards, in order.
fn numbers(bytes: &[u8]) -> Vec<u32> {
    let (boards, rest) = bytes.as_chunks::<32>();
    assert!(rest.is_empty());
    let number = |board: &[u8; 32]| u32::from_le_bytes([board[29], board[30], board[31], 0]);
    boards.iter().map(number).collect()
}
