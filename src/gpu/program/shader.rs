//! The text of the three shaders, and the entry point of each kernel.
//!
//! WGSL has no modules, so the files of the folder `shaders` are joined. Their order does not
//! matter to WGSL; it is that of `shaders/README.md`.

use super::kernel::{FileKernel, Kernel};
use super::limits::Grid;
use crate::Rules;

/// The shader that answers questions about moves and positions.
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

/// The shader that decodes a file's own bytes, and leaves positions and the first words of answers.
pub const DECODER: &str = concat!(
    include_str!("../../../shaders/bits.wgsl"),
    include_str!("../../../shaders/position.wgsl"),
    include_str!("../../../shaders/attacks.wgsl"),
    include_str!("../../../shaders/params.wgsl"),
    include_str!("../../../shaders/bytes.wgsl"),
    include_str!("../../../shaders/decode.wgsl"),
    include_str!("../../../shaders/sound.wgsl"),
    include_str!("../../../shaders/lists.wgsl"),
    include_str!("../../../shaders/marlinformat.wgsl"),
    include_str!("../../../shaders/board.wgsl"),
    include_str!("../../../shaders/games.wgsl"),
    include_str!("../../../shaders/decode_games.wgsl"),
    include_str!("../../../shaders/reach.wgsl"),
    include_str!("../../../shaders/movetext.wgsl"),
    include_str!("../../../shaders/chains.wgsl"),
);

/// The shader that decides which records are kept, and encodes files.
pub const ENCODER: &str = concat!(
    include_str!("../../../shaders/bits.wgsl"),
    include_str!("../../../shaders/position.wgsl"),
    include_str!("../../../shaders/attacks.wgsl"),
    include_str!("../../../shaders/params.wgsl"),
    include_str!("../../../shaders/bytes.wgsl"),
    include_str!("../../../shaders/encode.wgsl"),
    include_str!("../../../shaders/sound.wgsl"),
    include_str!("../../../shaders/lists.wgsl"),
    include_str!("../../../shaders/marlinformat.wgsl"),
    include_str!("../../../shaders/board.wgsl"),
    include_str!("../../../shaders/games.wgsl"),
    include_str!("../../../shaders/reach.wgsl"),
    include_str!("../../../shaders/movetext.wgsl"),
    include_str!("../../../shaders/mark_chains.wgsl"),
    include_str!("../../../shaders/rewrite_games.wgsl"),
);

/// An entry point of a shader with its override constants: what a pipeline is compiled from.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of the function in WGSL.
    pub name: &'static str,
    /// The override constants by name.
    pub constants: Vec<(&'static str, f64)>,
}

impl Entry {
    fn new<const N: usize>(name: &'static str, constants: [(&'static str, u32); N]) -> Entry {
        let constants = constants.map(|(name, value)| (name, value.into())).into();
        Entry { name, constants }
    }
}

impl Kernel {
    /// The entry point of [`SHADER`] for this kernel, these rules and this grid. The rules are
    /// constants, so a pipeline has no code for rules that are not in use; piece values are
    /// parameters, and the same pipeline serves all of them.
    pub fn entry(self, rules: &Rules, grid: Grid) -> Entry {
        let name = match self {
            Kernel::Score { .. } => "score",
            Kernel::Judge { .. } => "judge",
            Kernel::Exceed { .. } => "exceed",
        };
        let constants = [
            ("PINS", rules.pins as u32),
            ("EN_PASSANT", rules.en_passant as u32),
            ("FIRST_PROMOTION", rules.first_promotion as u32),
            ("INSIDE_PROMOTION", rules.recapture_promotion as u32),
            ("GROUP", grid.workgroup),
            ("LIST_TURNS", grid.list),
            ("SIDES", self.sides()),
            // Whether SEEs are found only as far as tells if they exceed a bound.
            ("BOUNDED", matches!(self, Kernel::Exceed { .. }).into()),
            ("SCORES_A_WORD", self.scores_a_word()),
            ("ANSWER_WORDS", self.answer_words()),
        ];
        Entry::new(name, constants)
    }
}

impl FileKernel {
    /// The entry point of [`DECODER`] or [`ENCODER`] for this kernel, where positions are judged by
    /// `judging`: its answers' length is a constant.
    pub fn entry(self, judging: Kernel, grid: Grid) -> Entry {
        let name = match self {
            FileKernel::DecodeBinpack => "decode_binpack",
            FileKernel::DecodeViriformat => "decode_viriformat",
            FileKernel::MarkBinpack => "mark_binpack",
            FileKernel::MarkViriformat => "mark_viriformat",
            FileKernel::DropViriformat => "drop_viriformat",
        };
        let words = ("ANSWER_WORDS", judging.answer_words());
        Entry::new(name, [("GROUP", grid.workgroup), words])
    }
}
