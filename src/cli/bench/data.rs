//! The positions used for measuring.

use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use swaplist::formats::{Decoded, Format};
use swaplist::{Batch, Position, Rules, Verdict, noisy_moves};

use crate::cli::opened;

/// Limits on the positions and bytes read.
const MAX_POSITIONS: usize = 1 << 20;
const MAX_BYTES: usize = 64 << 20;

/// Positions of games played by this project, and games continued from some of them; see
/// `examples/make_sample.rs`.
pub const TEXT: &str = include_str!("../../../data/sample.fen");
pub const GAMES: &[u8] = include_bytes!("../../../data/sample.binpack");

#[derive(Default)]
pub struct Data {
    pub name: String,
    pub positions: Vec<Position>,
    /// Every position with its noisy moves.
    noisy: Batch,
    /// The scalar code's answers, to compare with.
    pub scores: Vec<i32>,
    pub verdicts: Vec<Verdict>,
    /// The whole records read, as in the file.
    pub format: Format,
    pub bytes: Vec<u8>,
    pub built_in: bool,
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
        data.built_in = path.is_none();
        for position in &data.positions {
            data.noisy.push(*position, noisy_moves(position));
            data.verdicts.push(rules.verdict(position, false));
        }
        if data.noisy.is_empty() {
            bail!("{}: no position with a noisy move in it", data.name);
        }
        for (position, captures) in data.noisy.iter() {
            let scores = captures.iter().map(|&capture| rules.see(position, capture));
            data.scores.extend(scores);
        }
        Ok(data)
    }

    fn read(name: &str, format: Format, stream: impl Read + Send) -> Result<Data> {
        let mut data = Data {
            name: name.to_owned(),
            format,
            ..Data::default()
        };
        let (mut reader, codec) = format.open(stream, 1 << 20);
        let mut decoded = Decoded::default();
        while let Some(block) = reader.next_block().context(data.name.clone())? {
            data.cut = data.bytes.len() + block.bytes.len() > MAX_BYTES && !data.bytes.is_empty();
            if data.cut {
                break;
            }
            codec.decode(&block, &mut decoded);
            if let Some(error) = decoded.invalid.first() {
                return Err(anyhow!("{name}, {}: {}", error.place, error.reason));
            }
            let room = MAX_POSITIONS - data.positions.len();
            data.positions.extend(decoded.positions.iter().take(room));
            data.bytes.extend_from_slice(&block.bytes);
        }
        Ok(data)
    }

    pub fn moves(&self) -> usize {
        self.noisy.len()
    }

    /// `count` positions, repeating the data.
    pub fn repeated(&self, count: usize) -> Vec<Position> {
        self.positions.iter().copied().cycle().take(count).collect()
    }

    /// A batch of `moves` moves, repeating the data; the last position may be incomplete.
    pub fn batch(&self, moves: usize) -> Batch {
        let mut batch = Batch::new();
        while batch.len() < moves {
            for (position, captures) in self.noisy.iter() {
                let room = moves - batch.len();
                if room == 0 {
                    break;
                }
                batch.push(*position, captures.iter().copied().take(room));
            }
        }
        batch
    }
}
