//! The kernels that a batch passes through: their entry points, and the buffers of those that decode
//! and encode.

use swaplist::backend::Question;
use swaplist::gpu::program::{Access, BINDINGS, Binding, Entry, Plan, Shape};

use crate::device::Recipe;
use crate::device::recipe::FileKernel;

/// The buffers of [`encoder`](crate::device::encoder), in the order of their bindings.
pub(super) const ENCODING: [Binding; 5] = [
    BINDINGS[0],
    BINDINGS[1],
    storage("raw", Access::Read, 4),
    storage("answers", Access::Write, 4),
    storage("made", Access::Write, 4),
];

/// The buffers of [`decoder`](crate::device::decoder), in the order of their bindings.
pub(super) const DECODING: [Binding; 5] = [
    BINDINGS[0],
    BINDINGS[1],
    storage("raw", Access::Read, 4),
    storage("decoded", Access::Write, 32),
    storage("answers", Access::Write, 4),
];

const fn storage(name: &'static str, access: Access, least: u64) -> Binding {
    Binding {
        name,
        access,
        least,
    }
}

impl Recipe {
    /// The entry point of the decoder.
    pub(super) fn decoding(&self, shape: &Shape) -> Entry {
        self.entry(self.decoder, shape)
    }

    /// The entry point of the encoder.
    pub(super) fn encoding(&self, shape: &Shape) -> Entry {
        self.entry(self.encoder, shape)
    }

    /// How the positions are judged that the decoder has left.
    pub(super) fn judging(&self, shape: &Shape) -> Plan<'static> {
        let question = Question::Bounds {
            positions: &[],
            bounds: self.bounds,
        };
        let plan = Plan::new(question, &self.rules, shape);
        if self.with_facts {
            plan.with_facts()
        } else {
            plan
        }
    }

    fn entry(&self, kernel: FileKernel, shape: &Shape) -> Entry {
        let name = match kernel {
            FileKernel::DecodeBinpack => "decode_binpack",
            FileKernel::DecodeViriformat => "decode_viriformat",
            FileKernel::MarkBinpack => "mark_binpack",
            FileKernel::MarkViriformat => "mark_viriformat",
            FileKernel::DropViriformat => "drop_viriformat",
        };
        // The words of the answer to a position, with two of facts.
        let answer_words = if self.with_facts { 3.0 } else { 1.0 };
        Entry {
            name,
            constants: vec![
                ("GROUP", shape.workgroup.into()),
                ("ANSWER_WORDS", answer_words),
            ],
        }
    }
}
