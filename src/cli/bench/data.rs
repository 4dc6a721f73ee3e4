//! The positions that a bench takes, again and again, and the files they come from.

use std::io::Read;
use std::path::Path;

use anyhow::{Context as _, Result, anyhow, bail};
use swaplist::formats::{Decoded, Format};
use swaplist::{Batch, Capture, Position, Rules, Verdict, noisy_moves};

use super::sample;
use crate::cli::input::Input;

/// No more is read: positions, and bytes of the file.
const MAX_POSITIONS: usize = 1 << 20;
const MAX_BYTES: usize = 64 << 20;

pub struct Data {
    pub name: String,
    pub positions: Vec<Position>,
    /// Every position with its noisy moves.
    pub noisy: Batch,
    /// What is read in the stages that begin with a file.
    pub files: Vec<Content>,
    /// Whether there was more in the file.
    pub cut: bool,
}

/// Some whole records, as they stand in a file.
pub struct Content {
    pub format: Format,
    pub bytes: Vec<u8>,
}

/// What the CPU makes of the data, to compare with.
pub struct Expected {
    pub scores: Vec<i32>,
    pub verdicts: Vec<Verdict>,
}

impl Data {
    /// Of a file, or the sample that is built in.
    pub fn load(path: Option<&Path>, from: Option<Format>) -> Result<Data> {
        let data = match path {
            Some(path) => {
                let mut input = Input::open(Some(path))?;
                let format = input.format(from)?;
                Data::read(&input.name, format, input.stream)?
            }
            None => Data {
                files: sample::files()?,
                ..Data::read("built-in sample", Format::Text, sample::TEXT.as_bytes())?
            },
        };
        if data.noisy.is_empty() {
            bail!("{}: no position with a noisy move in it", data.name);
        }
        Ok(data)
    }

    fn read(name: &str, format: Format, stream: impl Read + Send) -> Result<Data> {
        let (mut reader, codec) = format.open(stream, 1 << 20);
        let mut bytes = Vec::new();
        let mut decoded = Decoded::default();
        let (mut positions, mut noisy) = (Vec::new(), Batch::new());
        let mut cut = false;
        while let Some(block) = reader.next_block().context(name.to_owned())? {
            cut = bytes.len() + block.bytes.len() > MAX_BYTES && !bytes.is_empty();
            if cut {
                break;
            }
            codec.decode(&block, &mut decoded);
            if let Some(error) = decoded.invalid.first() {
                return Err(anyhow!("{name}, {}: {}", error.place, error.reason));
            }
            let room = MAX_POSITIONS - positions.len();
            positions.extend(decoded.positions.iter().take(room));
            bytes.extend_from_slice(&block.bytes);
        }
        for position in &positions {
            noisy.push(*position, noisy_moves(position));
        }
        Ok(Data {
            name: name.to_owned(),
            positions,
            noisy,
            files: vec![Content { format, bytes }],
            cut,
        })
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

    /// So many positions: the data over and over.
    pub fn repeated(&self, count: usize) -> Vec<Position> {
        self.positions.iter().copied().cycle().take(count).collect()
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

    /// How many positions such a batch holds.
    pub fn positions_of(&self, moves: usize) -> usize {
        let round = self.noisy.len();
        let rest = moves % round;
        let of_rest = (0..self.positions.len()).take_while(|&i| self.noisy.range(i).start < rest);
        moves / round * self.positions.len() + of_rest.count()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn a_batch_has_the_positions_that_are_told() {
        let data = Data::load(None, None).unwrap();
        for moves in [
            1,
            2,
            77,
            5_000,
            data.noisy.len(),
            3 * data.noisy.len() + 100,
        ] {
            let batch = data.batch(moves);
            assert_eq!(batch.len(), moves);
            let told = data.positions_of(moves);
            // Positions without moves may stand at the end.
            assert!(
                batch.positions().len().abs_diff(told) < 50,
                "{moves}: {told}"
            );
        }
    }
}
