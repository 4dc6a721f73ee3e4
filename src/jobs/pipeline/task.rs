//! What is done with a block, and what comes out of it.

use core::mem;
use std::ops::ControlFlow;

use super::super::error::Result;
use super::super::tally::Tally;
use super::plan::Plan;
use crate::Evaluator;
use crate::filter;
use crate::formats::{Block, Codec, Decoded, Open, RecordError};

/// What a worker does with a block, one part behind the other.
pub trait Task: Sync {
    /// How many bytes come out of a record, about.
    fn bytes_a_record(&self) -> usize {
        64
    }

    /// How large a block may be at most while the CPU evaluates.
    fn most_bytes(&self) -> usize {
        Plan::MOST
    }

    /// What evaluates, if anything does.
    fn evaluator(&self) -> Option<&Evaluator> {
        None
    }

    /// Whether a GPU evaluates now.
    fn is_on_gpu(&self) -> bool {
        self.evaluator().is_some_and(Evaluator::uses_gpu)
    }

    /// What is done with a block in the input's order, before it is written; no more
    /// blocks are wanted then, or more are.
    fn settle(
        &self,
        _codec: &dyn Codec,
        _done: &mut Done,
        _before: &Tally,
    ) -> Result<ControlFlow<()>> {
        Ok(ControlFlow::Continue(()))
    }

    /// Takes memory back that was written.
    fn recycle(&self, _data: Vec<u8>) {}

    /// Adds what comes out of the records of a part. What is in `Done::data` and
    /// `Done::rejects` may go out before the block is done, through `send`.
    fn run(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        send: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()>;
}

/// What came out of a block.
#[derive(Default)]
pub struct Done {
    pub data: Vec<u8>,
    pub rejects: Vec<u8>,
    /// What the parts so far leave open in the data and in the rejects.
    pub open: [Open; 2],
    pub tally: Tally,
    /// For each record, why it is dropped, if it is, where the writer may have to
    /// encode the block anew.
    pub dropped: Option<Vec<Option<filter::Reason>>>,
    /// The block itself, then.
    pub held: Option<Held>,
    /// The bytes of the block, if they are not needed any more.
    pub spent: Vec<u8>,
    /// The record that ended the block early.
    pub invalid: Option<RecordError>,
}

impl Done {
    /// Sends ahead what is much and will not change, so that it does not wait in
    /// memory: a record of 2 bytes can become one of 200.
    pub fn send_if_large(&mut self, send: &mut dyn FnMut(Ahead) -> Result<()>) -> Result<()> {
        const MUCH: usize = 1 << 20;
        let [of_data, of_rejects] = &self.open;
        let much = |bytes: &mut Vec<u8>, open: &Open| {
            let goes = bytes.len() >= MUCH && *open == Open::default();
            if goes { mem::take(bytes) } else { Vec::new() }
        };
        let ahead = Ahead {
            data: much(&mut self.data, of_data),
            rejects: much(&mut self.rejects, of_rejects),
        };
        if ahead.bytes() == 0 {
            return Ok(());
        }
        send(ahead)
    }
}

/// Part of what comes out of a block, before it is done.
pub struct Ahead {
    pub(super) data: Vec<u8>,
    pub(super) rejects: Vec<u8>,
}

impl Ahead {
    pub(super) fn bytes(&self) -> usize {
        self.data.len() + self.rejects.len()
    }
}

/// A decided block.
pub struct Held {
    pub block: Block,
    pub(super) skip_invalid: bool,
}

impl Held {
    /// All of its records, decoded again.
    pub fn decode(&self, codec: &dyn Codec) -> Decoded {
        let mut decoded = Decoded::default();
        codec.decode(&self.block, &mut decoded);
        if !self.skip_invalid {
            end_at_invalid(&mut decoded);
        }
        decoded
    }
}

/// The first invalid record; nothing is left behind it.
pub(super) fn end_at_invalid(decoded: &mut Decoded) -> Option<RecordError> {
    let first = decoded.invalid.first()?.clone();
    // Not forgotten, so that no codec takes the block for sound, but without
    // bytes to write.
    decoded.invalid.truncate(1);
    decoded.invalid[0].span.end = first.span.start;
    let before = decoded
        .records
        .partition_point(|record| record.span().start < first.span.start);
    decoded.records.truncate(before);
    decoded.positions.truncate(before);
    Some(first)
}
