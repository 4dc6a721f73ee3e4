//! The shader's text, and what it shares with the host: layouts and constants,
//! each checked by reflection in `reflection.rs`.

use bytemuck::{Pod, Zeroable};

use crate::{Capture, PieceValues, Rules};

/// The whole shader, put together from the folder `shaders`.
pub const SHADER: &str = concat!(
    include_str!("../../../shaders/bits.wgsl"),
    include_str!("../../../shaders/position.wgsl"),
    include_str!("../../../shaders/attacks.wgsl"),
    include_str!("../../../shaders/exchange.wgsl"),
    include_str!("../../../shaders/pins.wgsl"),
    include_str!("../../../shaders/legal.wgsl"),
    include_str!("../../../shaders/score.wgsl"),
    include_str!("../../../shaders/captures.wgsl"),
    include_str!("../../../shaders/settled.wgsl"),
    include_str!("../../../shaders/verdict.wgsl"),
);

/// What is asked of the device.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub(super) enum Kernel {
    /// The SEE of moves, which fits half a word or a whole one.
    Score { narrow: bool },
    /// Verdicts on positions, with the opponent's threat or without.
    Judge { with_threat: bool },
}

impl Kernel {
    pub const fn entry_point(self) -> &'static str {
        match self {
            Kernel::Score { .. } => "score",
            Kernel::Judge { .. } => "judge",
        }
    }

    /// Scores that come in a word.
    pub const fn scores_a_word(self) -> u32 {
        match self {
            Kernel::Score { narrow: true } => 2,
            _ => 1,
        }
    }

    /// Sides of a position that are looked at.
    pub const fn sides(self) -> u32 {
        match self {
            Kernel::Judge { with_threat: true } => 2,
            _ => 1,
        }
    }
}

/// Invocations in a workgroup, unless told otherwise.
pub const WORKGROUP_SIZE: u32 = 64;

/// What the shader is compiled for besides the rules.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) struct Shape {
    /// Invocations in a workgroup: one a move that is scored, one a side that is
    /// judged.
    pub workgroup: u32,
    /// Entries in the lists of a workgroup, for each of its invocations.
    pub list: u32,
}

impl Shape {
    /// Enough entries for four noisy moves a side, which few workgroups exceed.
    pub const USUAL: Shape = Shape {
        workgroup: WORKGROUP_SIZE,
        list: 4,
    };

    /// Results that a workgroup brings.
    pub const fn results(self, kernel: Kernel) -> u32 {
        self.workgroup / kernel.sides()
    }

    /// Workgroup memory that judging takes.
    pub const fn bytes(self) -> u32 {
        self.workgroup * (32 + 12 * self.list) + 12
    }
}

/// Positions that a chunk can hold: a request keeps 17 bits for their index.
pub(super) const MAX_POSITIONS: usize = 1 << (32 - Capture::BITS);

/// Binding numbers of the only bind group.
pub(super) mod binding {
    pub const PARAMS: u32 = 0;
    pub const MASKS: u32 = 1;
    pub const POSITIONS: u32 = 2;
    pub const REQUESTS: u32 = 3;
    pub const RESULTS: u32 = 4;
}

/// The uniform of one dispatch.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Params {
    /// How many results are wanted.
    pub count: u32,
    /// Workgroups in a row of the folded dispatch.
    pub groups_x: u32,
    /// Differs from chunk to chunk; comes back with the results.
    pub serial: [u32; 2],
    pub values: PieceValues,
}

/// What a pipeline is compiled for: a kernel, and every option of the rules but the
/// values.
pub(super) type Options = (Kernel, [u8; 4]);

pub(super) fn options_of(kernel: Kernel, rules: &Rules) -> Options {
    let options = [
        rules.pins as u8,
        rules.en_passant as u8,
        rules.first_promotion as u8,
        rules.inside_promotion as u8,
    ];
    (kernel, options)
}

/// The shader's overridable constants.
pub(super) fn overrides((kernel, options): Options, shape: Shape) -> [(&'static str, f64); 8] {
    let [pins, en_passant, first_promotion, inside_promotion] = options.map(f64::from);
    [
        ("PINS", pins),
        ("EN_PASSANT", en_passant),
        ("FIRST_PROMOTION", first_promotion),
        ("INSIDE_PROMOTION", inside_promotion),
        ("GROUP", f64::from(shape.workgroup)),
        ("LIST_TURNS", f64::from(shape.list)),
        ("SIDES", f64::from(kernel.sides())),
        ("SCORES_A_WORD", f64::from(kernel.scores_a_word())),
    ]
}

/// One request: the move, and the index of its position in the chunk.
#[inline]
pub(super) fn request(capture: Capture, position: usize) -> u32 {
    u32::from(capture.to_bits()) | (position as u32) << Capture::BITS
}
