//! The kernels: what a device can compute, and how long its answers are.

/// A kernel that answers a question about moves or positions: an entry point of [`SHADER`],
/// compiled for what it is asked.
///
/// [`SHADER`]: super::SHADER
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(in crate::gpu) enum Kernel {
    /// Finds the SEE of each move of a batch.
    Score {
        /// Whether every score fits in half a word: then two share one.
        narrow: bool,
    },
    /// Finds the verdict on each position, in four words.
    Judge {
        /// Whether to find the opponent's threat too.
        with_threat: bool,
    },
    /// Finds which bounds each position exceeds, in one word without facts.
    Exceed {
        /// Whether the opponent's threat is bounded too.
        with_threat: bool,
        /// Whether facts on the played move are written too, in two words before the answer. Only
        /// for positions that a decoder has left, with the move.
        with_facts: bool,
    },
}

impl Kernel {
    /// The number of scores that share a word.
    pub(super) const fn scores_a_word(self) -> u32 {
        match self {
            Kernel::Score { narrow: true } => 2,
            _ => 1,
        }
    }

    /// The number of sides of a position that are judged: 1, or 2 with the opponent's threat.
    pub(super) const fn sides(self) -> u32 {
        match self {
            Kernel::Judge { with_threat } | Kernel::Exceed { with_threat, .. } if with_threat => 2,
            _ => 1,
        }
    }

    /// The number of words of an answer, or of the word that scores share.
    pub(super) const fn answer_words(self) -> u32 {
        match self {
            Kernel::Judge { .. } => 4,
            Kernel::Exceed { with_facts, .. } if with_facts => 3,
            _ => 1,
        }
    }

    /// The number of bytes that `answers` answers take on the device, in whole words.
    pub(super) const fn bytes(self, answers: usize) -> u64 {
        let results = answers.div_ceil(self.scores_a_word() as usize);
        results as u64 * self.answer_words() as u64 * size_of::<u32>() as u64
    }
}
