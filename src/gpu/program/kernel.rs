//! The kernels, and how much they answer.

/// What a device computes.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum Kernel {
    /// The SEE of moves.
    Score {
        /// Whether each score fits in half a word.
        narrow: bool,
    },
    /// Verdicts on positions.
    Judge {
        /// Whether to find the opponent's threat too.
        with_threat: bool,
    },
    /// Bounds that positions exceed.
    Exceed {
        /// Whether the opponent's threat is bounded too.
        with_threat: bool,
        /// Whether facts on decoded records are told too, in two words before the answer.
        with_facts: bool,
    },
}

impl Kernel {
    /// Scores per word.
    pub(super) const fn scores_a_word(self) -> u32 {
        match self {
            Kernel::Score { narrow: true } => 2,
            _ => 1,
        }
    }

    /// Sides judged per position.
    pub(super) const fn sides(self) -> u32 {
        match self {
            Kernel::Judge { with_threat } | Kernel::Exceed { with_threat, .. } if with_threat => 2,
            _ => 1,
        }
    }

    /// Words of an answer.
    pub(super) const fn answer_words(self) -> u32 {
        match self {
            Kernel::Judge { .. } => 4,
            Kernel::Exceed { with_facts, .. } if with_facts => 3,
            _ => 1,
        }
    }

    /// The bytes of answers on the device, in whole words.
    pub const fn bytes(self, answers: usize) -> u64 {
        let results = answers.div_ceil(self.scores_a_word() as usize);
        results as u64 * self.answer_words() as u64 * size_of::<u32>() as u64
    }
}

/// What a device does with the records of a file, beside judging them.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKernel {
    /// Decodes chains of a binpack.
    DecodeBinpack,
    /// Decodes games of viriformat.
    DecodeViriformat,
    /// Writes the chains of a binpack with marks.
    MarkBinpack,
    /// Writes games of viriformat with marks.
    MarkViriformat,
    /// Writes what is kept of games of viriformat.
    DropViriformat,
}
