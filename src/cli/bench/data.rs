//! The positions used for measuring.

use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use swaplist::formats::{Decoded, Format, Writer};
use swaplist::{Batch, Rules, Verdict, noisy_moves};

use crate::cli::opened;

/// Limits on the positions and bytes read.
const MAX_POSITIONS: usize = 1 << 20;
const MAX_BYTES: usize = 64 << 20;

/// Positions of games played by this project, and games continued from some of them; see
/// `examples/make_sample.rs`.
const TEXT: &str = include_str!("../../../data/sample.fen");
const GAMES: &[u8] = include_bytes!("../../../data/sample.binpack");

#[derive(Default)]
pub struct Data {
    pub name: String,
    /// The positions with their noisy moves.
    pub noisy: Batch,
    /// The scalar code's answers, to compare with.
    pub scores: Vec<i32>,
    pub verdicts: Vec<Verdict>,
    /// The whole records of the file, or of the sample in three formats.
    pub files: Vec<(Format, Vec<u8>)>,
    /// Whether the file had more.
    pub cut: bool,
}

impl Data {
    /// Loads a file, or the built-in sample.
    pub fn load(path: Option<&Path>, from: Option<Format>, rules: &Rules) -> Result<Data> {
        let mut data = match path {
            Some(path) => {
                let mut input = opened::input(Some(path))?;
                let (format, name) = (input.format(from)?, input.name().to_owned());
                Data::read(&name, format, input.into_stream())?
            }
            None => Data::read("built-in sample", Format::Text, TEXT.as_bytes())?,
        };
        if path.is_none() {
            data.files
                .push((Format::Bulletformat, sample_in_bulletformat()?));
            data.files.push((Format::Binpack, GAMES.into()));
        }
        if data.noisy.is_empty() {
            bail!("{}: no position with a noisy move in it", data.name);
        }
        for (position, captures) in data.noisy.iter() {
            let scores = captures.iter().map(|&capture| rules.see(position, capture));
            data.scores.extend(scores);
            data.verdicts.push(rules.verdict(position, false));
        }
        Ok(data)
    }

    fn read(name: &str, format: Format, stream: impl Read + Send) -> Result<Data> {
        let mut data = Data {
            name: name.to_owned(),
            ..Data::default()
        };
        let mut bytes = Vec::new();
        let (mut reader, codec) = format.open(stream, 1 << 20);
        let mut decoded = Decoded::default();
        while let Some(block) = reader.next_block().context(data.name.clone())? {
            data.cut = bytes.len() + block.bytes.len() > MAX_BYTES && !bytes.is_empty();
            if data.cut {
                break;
            }
            codec.decode(&block, &mut decoded);
            if let Some(error) = decoded.invalid.first() {
                return Err(anyhow!("{name}, {}: {}", error.place, error.reason));
            }
            let room = MAX_POSITIONS - data.noisy.positions().len();
            for position in decoded.positions.iter().take(room) {
                data.noisy.push(*position, noisy_moves(position));
            }
            bytes.extend_from_slice(&block.bytes);
        }
        data.files.push((format, bytes));
        Ok(data)
    }

    /// So many moves, repeating the data; the last position may be incomplete.
    pub fn moves(&self, count: usize) -> Batch {
        let mut batch = Batch::new();
        while batch.len() < count {
            for (position, captures) in self.noisy.iter() {
                let room = count - batch.len();
                if room == 0 {
                    break;
                }
                batch.push(*position, captures.iter().copied().take(room));
            }
        }
        batch
    }

    /// So many positions without moves, repeating the data.
    pub fn positions(&self, count: usize) -> Batch {
        let mut batch = Batch::new();
        for position in self.noisy.positions().iter().cycle().take(count) {
            batch.push(*position, []);
        }
        batch
    }
}

fn sample_in_bulletformat() -> Result<Vec<u8>> {
    let scored = TEXT.replace('\n', " | 0 | 0.5\n");
    let (mut writer, mut bytes) = (Writer::new(Format::Bulletformat)?, Vec::new());
    for entry in Format::Text.records(scored.as_bytes()) {
        writer.push(&entry?, &mut bytes)?;
    }
    writer.finish(&mut bytes)?;
    Ok(bytes)
}
