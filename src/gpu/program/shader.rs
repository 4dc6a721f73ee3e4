//! The shader's text, its kernels and variants.

use crate::Rules;
use crate::backend::Coding;

/// The whole shader, joined from the folder `shaders`.
pub const SHADER: &str = concat!(
    include_str!("../../../shaders/bits.wgsl"),
    include_str!("../../../shaders/position.wgsl"),
    include_str!("../../../shaders/attacks.wgsl"),
    include_str!("../../../shaders/params.wgsl"),
    include_str!("../../../shaders/exchange.wgsl"),
    include_str!("../../../shaders/pins.wgsl"),
    include_str!("../../../shaders/legal.wgsl"),
    include_str!("../../../shaders/score.wgsl"),
    include_str!("../../../shaders/captures.wgsl"),
    include_str!("../../../shaders/settled.wgsl"),
    include_str!("../../../shaders/sides.wgsl"),
    include_str!("../../../shaders/verdict.wgsl"),
    include_str!("../../../shaders/facts.wgsl"),
    include_str!("../../../shaders/bounds.wgsl"),
);

/// The shader that decodes files, with a binding more.
pub const DECODER: &str = concat!(
    include_str!("../../../shaders/bits.wgsl"),
    include_str!("../../../shaders/position.wgsl"),
    include_str!("../../../shaders/attacks.wgsl"),
    include_str!("../../../shaders/params.wgsl"),
    include_str!("../../../shaders/decode.wgsl"),
    include_str!("../../../shaders/sound.wgsl"),
    include_str!("../../../shaders/lists.wgsl"),
    include_str!("../../../shaders/fixed.wgsl"),
    include_str!("../../../shaders/board.wgsl"),
    include_str!("../../../shaders/games.wgsl"),
    include_str!("../../../shaders/reach.wgsl"),
    include_str!("../../../shaders/chains.wgsl"),
);

/// A decoder's pipeline.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Decoder {
    /// How the records are coded.
    pub coding: Coding,
    /// What answers.
    pub kernel: Kernel,
}

impl Decoder {
    /// The entry point's name.
    pub const fn entry_point(self) -> &'static str {
        match self.coding {
            Coding::Bulletformat => "decode_bulletformat",
            Coding::Marlinformat => "decode_marlinformat",
            Coding::Viriformat => "decode_viriformat",
            Coding::Binpack => "decode_binpack",
        }
    }

    /// The shader's override constants.
    pub fn constants(self, shape: Shape) -> [(&'static str, f64); 2] {
        [
            ("GROUP", f64::from(shape.workgroup)),
            ("ANSWER_WORDS", f64::from(self.kernel.answer_words())),
        ]
    }
}

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
        /// Whether facts on decoded records are told too.
        with_facts: bool,
    },
}

impl Kernel {
    pub(super) const VERDICT_WORDS: u32 = 4;
    pub(super) const FACTS_WORDS: u32 = 3;

    /// The entry point's name.
    pub const fn entry_point(self) -> &'static str {
        match self {
            Kernel::Score { .. } => "score",
            Kernel::Judge { .. } => "judge",
            Kernel::Exceed { .. } => "exceed",
        }
    }

    /// Scores per word.
    const fn scores_a_word(self) -> u32 {
        match self {
            Kernel::Score { narrow: true } => 2,
            _ => 1,
        }
    }

    /// Sides judged per position.
    const fn sides(self) -> u32 {
        match self {
            Kernel::Judge { with_threat } | Kernel::Exceed { with_threat, .. } if with_threat => 2,
            _ => 1,
        }
    }

    /// Words of an answer that a decoder begins.
    const fn answer_words(self) -> u32 {
        match self {
            Kernel::Judge { .. } => Kernel::VERDICT_WORDS,
            Kernel::Exceed { with_facts, .. } if with_facts => Kernel::FACTS_WORDS,
            _ => 1,
        }
    }

    /// The bytes of answers on the device, in whole words.
    pub const fn bytes(self, answers: usize) -> u64 {
        let results = answers.div_ceil(self.scores_a_word() as usize);
        results as u64 * self.answer_words() as u64 * size_of::<u32>() as u64
    }

    /// Whether SEEs are found only as far as bounds ask.
    const fn is_bounded(self) -> bool {
        matches!(self, Kernel::Exceed { .. })
    }
}

/// Sizes that the shader is compiled for.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub struct Shape {
    /// Invocations per workgroup: one for each scored move or judged side.
    pub workgroup: u32,
    /// List entries per invocation.
    pub list: u32,
}

impl Shape {
    /// Supported by every device. Four noisy moves per side are enough for most workgroups.
    pub const USUAL: Shape = Shape {
        workgroup: 64,
        list: 4,
    };

    /// Results per workgroup.
    pub const fn results(self, kernel: Kernel) -> u32 {
        self.workgroup / kernel.sides()
    }

    /// Workgroup memory of the judging kernel with the threat, in bytes.
    pub const fn bytes(self) -> u32 {
        self.workgroup * (36 + 12 * self.list) + 16
    }
}

/// The settings of a pipeline: a kernel and the rules' options, without piece values.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub struct Variant {
    /// The kernel.
    pub kernel: Kernel,
    options: [u8; 4],
}

impl Variant {
    /// For a kernel and rules.
    pub fn new(kernel: Kernel, rules: &Rules) -> Variant {
        let options = [
            rules.pins as u8,
            rules.en_passant as u8,
            rules.first_promotion as u8,
            rules.recapture_promotion as u8,
        ];
        Variant { kernel, options }
    }

    /// The shader's override constants.
    pub fn constants(self, shape: Shape) -> [(&'static str, f64); 10] {
        let [pins, en_passant, first_promotion, recapture_promotion] = self.options.map(f64::from);
        [
            ("PINS", pins),
            ("EN_PASSANT", en_passant),
            ("FIRST_PROMOTION", first_promotion),
            ("INSIDE_PROMOTION", recapture_promotion),
            ("GROUP", f64::from(shape.workgroup)),
            ("LIST_TURNS", f64::from(shape.list)),
            ("SIDES", f64::from(self.kernel.sides())),
            ("BOUNDED", f64::from(u8::from(self.kernel.is_bounded()))),
            ("SCORES_A_WORD", f64::from(self.kernel.scores_a_word())),
            ("ANSWER_WORDS", f64::from(self.kernel.answer_words())),
        ]
    }
}
