//! What nothing can be faster than: the bytes themselves, copied.

use std::hint::black_box;
use std::time::Duration;

use anyhow::Result;
use swaplist::Position;

use super::contenders::Contender;
use super::data::Data;
use super::measure::{MOST, Patience, calls};

/// What a batch is as bytes.
#[derive(Clone, Copy)]
pub struct Load {
    /// As it lies in memory.
    pub bytes: usize,
    /// As it is sent to a device, in positions of 32 bytes.
    pub sent: usize,
}

impl Load {
    pub fn of_verdicts(positions: usize) -> Load {
        Load {
            bytes: positions * size_of::<Position>(),
            sent: positions,
        }
    }

    /// Moves take two bytes each in memory, four on their way.
    pub fn of_scores(data: &Data, moves: usize) -> Load {
        let positions = data.positions_of(moves);
        Load {
            bytes: positions * size_of::<Position>() + 2 * moves,
            sent: positions + (4 * moves).div_ceil(size_of::<Position>()),
        }
    }
}

/// The floors of one size.
pub struct Floors {
    /// The batch copied from memory to memory by one thread.
    pub memcpy: Duration,
    /// For each contender, where it is a device.
    pub uploads: Vec<Option<Uploaded>>,
}

/// The batch brought to a device.
#[derive(Clone, Copy)]
pub struct Uploaded {
    /// By the bus alone.
    pub copy: Duration,
    /// With what it takes to fill the memory that the bus reads.
    pub filled: Duration,
}

/// Memory to copy from and to.
pub struct Memory {
    from: Vec<Position>,
    to: Vec<u8>,
}

impl Memory {
    /// Enough for the largest load.
    pub fn new(data: &Data, most: usize) -> Memory {
        let from = data.repeated(most.clamp(1, MOST));
        Memory {
            to: vec![1; from.len() * size_of::<Position>()],
            from,
        }
    }

    pub fn floors(
        &mut self,
        contenders: &[Contender],
        load: Load,
        patience: Patience,
    ) -> Result<Floors> {
        let memcpy = patience.median_of_repeats(|| self.copy(load.bytes));
        let upload = |contender: &Contender| {
            let Some(gpu) = &contender.gpu else {
                return Ok(None);
            };
            gpu.upload.copy(load.sent.min(MOST))?;
            let copy = patience.median(|| gpu.upload.copy(load.sent))?;
            let filled = || {
                let calls = calls(load.sent).map(|call| call.min(self.from.len()));
                let times = calls.map(|call| gpu.upload.fill_and_copy(&self.from[..call]));
                times.sum::<Result<Duration>>()
            };
            let filled = patience.median(filled)?;
            Ok(Some(Uploaded { copy, filled }))
        };
        let uploads = contenders.iter().map(upload).collect::<Result<_>>()?;
        Ok(Floors { memcpy, uploads })
    }

    fn copy(&mut self, bytes: usize) {
        let from: &[u8] = bytemuck::cast_slice(&self.from);
        let mut left = bytes;
        while left > 0 {
            let bytes = left.min(from.len());
            black_box(&mut self.to[..bytes]).copy_from_slice(black_box(&from[..bytes]));
            left -= bytes;
        }
    }
}
