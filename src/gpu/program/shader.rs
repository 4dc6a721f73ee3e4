//! The text of the shader, and the entry point of each kernel.
//!
//! WGSL has no modules, so the files of the folder `shaders` are joined. Their order does not
//! matter to WGSL; it is that of `shaders/README.md`.

use super::kernel::Kernel;
use super::limits::Shape;
use crate::Rules;

/// The text of a file of the folder `shaders`, without comments: see `build.rs`.
macro_rules! wgsl {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/shaders/", $name, ".wgsl"))
    };
}

/// The shader that answers questions about moves and positions.
pub const SHADER: &str = concat!(
    wgsl!("bits"),
    wgsl!("position"),
    wgsl!("attacks"),
    wgsl!("params"),
    wgsl!("exchange"),
    wgsl!("pins"),
    wgsl!("legal"),
    wgsl!("score"),
    wgsl!("captures"),
    wgsl!("settled"),
    wgsl!("sides"),
    wgsl!("verdict"),
    wgsl!("facts"),
    wgsl!("bounds"),
);

/// What shaders of your own can build on: positions in memory, attacks, and the parameters and the
/// table of [`BINDINGS`](super::BINDINGS). [`SHADER`] has it, too.
pub const COMMON: &str = concat!(
    wgsl!("bits"),
    wgsl!("position"),
    wgsl!("attacks"),
    wgsl!("params"),
);

/// An entry point of a shader with its override constants: what a pipeline is compiled from.
#[derive(Clone, Debug, PartialEq)]
pub struct Entry {
    /// The name of the function in WGSL.
    pub name: &'static str,
    /// The override constants by name.
    pub constants: Vec<(&'static str, f64)>,
}

impl Kernel {
    /// The entry point of [`SHADER`] for this kernel, these rules and this shape. The rules are
    /// constants, so a pipeline has no code for rules that are not in use; piece values are
    /// parameters, and the same pipeline serves all of them.
    pub(super) fn entry(self, rules: &Rules, shape: &Shape) -> Entry {
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
            ("GROUP", shape.workgroup),
            ("LIST_TURNS", shape.list),
            ("SIDES", self.sides()),
            // Whether a SEE is found only as far as needed to tell whether it exceeds a bound.
            ("BOUNDED", matches!(self, Kernel::Exceed { .. }).into()),
            ("SCORES_A_WORD", self.scores_a_word()),
            ("ANSWER_WORDS", self.answer_words()),
        ];
        Entry {
            name,
            constants: constants.map(|(name, value)| (name, value.into())).into(),
        }
    }
}
