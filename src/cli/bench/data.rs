//! The positions that a bench takes, again and again.

use std::path::Path;

use anyhow::{Context as _, Result, bail};
use swaplist::formats::{Block, Decoded, Format};
use swaplist::{Batch, Capture, Position, Rules, Verdict, noisy_moves};

use crate::cli::input::Input;
use crate::cli::pipeline::invalid_record;

/// Positions of games that the project played itself; see `examples/make_sample.rs`.
const SAMPLE: &str = include_str!("../../../data/sample.fen");

/// More is not read: the largest batch takes no more positions.
const MAX_POSITIONS: usize = 1 << 20;

pub struct Data {
    pub name: String,
    pub positions: Vec<Position>,
    /// Every position with its noisy moves.
    pub noisy: Batch,
    /// The text that they came from.
    pub blocks: Vec<Block>,
}

/// What the CPU makes of the data, to compare with.
pub struct Expected {
    pub scores: Vec<i32>,
    pub verdicts: Vec<Verdict>,
}

impl Data {
    pub fn load(path: Option<&Path>) -> Result<Data> {
        let data = match path {
            Some(path) => {
                let input = Input::open(Some(path))?;
                Data::read(&input.name, input.stream)?
            }
            None => Data::read("built-in sample", SAMPLE.as_bytes())?,
        };
        if data.noisy.is_empty() {
            bail!("{}: no position with a noisy move in it", data.name);
        }
        Ok(data)
    }

    fn read(name: &str, stream: impl std::io::Read + Send) -> Result<Data> {
        let (mut reader, codec) = Format::Text.open(stream, 1 << 20);
        let mut data = Data {
            name: name.to_owned(),
            positions: Vec::new(),
            noisy: Batch::new(),
            blocks: Vec::new(),
        };
        let mut decoded = Decoded::default();
        while data.positions.len() < MAX_POSITIONS {
            let Some(block) = reader.next_block().context(name.to_owned())? else {
                break;
            };
            codec.decode(&block, &mut decoded);
            if let Some(error) = decoded.invalid.first() {
                return Err(invalid_record(name, error));
            }
            data.positions.extend_from_slice(&decoded.positions);
            data.blocks.push(block);
        }
        for position in &data.positions {
            data.noisy.push(*position, noisy_moves(position));
        }
        Ok(data)
    }

    pub fn expected(&self, rules: &Rules) -> Expected {
        let see = |(position, captures): (&Position, &[Capture])| {
            let see = |&capture: &Capture| rules.see(position, capture);
            captures.iter().map(see).collect::<Vec<_>>()
        };
        Expected {
            scores: self.noisy.iter().flat_map(see).collect(),
            verdicts: self
                .positions
                .iter()
                .map(|position| rules.verdict(position, false))
                .collect(),
        }
    }

    /// A batch of so many moves: the data over and over, the last position's moves
    /// cut off.
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
