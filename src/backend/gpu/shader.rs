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
);

/// The entry point that scores moves.
pub(super) const ENTRY_POINT: &str = "score";

/// Invocations in a workgroup, one a move.
pub const WORKGROUP_SIZE: u32 = 64;

/// Positions that a chunk can hold: a request keeps 17 bits for their index.
pub(super) const MAX_POSITIONS: usize = 1 << (32 - Capture::BITS);

/// Flipped in every score, so that a cleared word that nothing wrote is no score.
pub(super) const POISON: u32 = 1 << 31;

/// No score reaches this magnitude: 64 captures of the largest value, and each a
/// promotion, stay below.
pub(super) const NO_SCORE: u32 = 1 << 24;

/// Binding numbers of the only bind group.
pub(super) mod binding {
    pub const PARAMS: u32 = 0;
    pub const MASKS: u32 = 1;
    pub const POSITIONS: u32 = 2;
    pub const REQUESTS: u32 = 3;
    pub const SCORES: u32 = 4;
}

/// The uniform of one dispatch.
#[derive(Clone, Copy, Pod, Zeroable)]
#[repr(C)]
pub(super) struct Params {
    /// How many requests there are.
    pub count: u32,
    /// Workgroups in a row of the folded dispatch.
    pub groups_x: u32,
    /// Differs from chunk to chunk; comes back with the scores.
    pub serial: [u32; 2],
    pub values: PieceValues,
}

/// What the pipeline is compiled for: every option of the rules but the values.
pub(super) type Options = [u8; 4];

pub(super) fn options_of(rules: &Rules) -> Options {
    [
        rules.pins as u8,
        rules.en_passant as u8,
        rules.first_promotion as u8,
        rules.inside_promotion as u8,
    ]
}

/// The shader's overridable constants.
pub(super) fn overrides(options: Options) -> [(&'static str, f64); 5] {
    let [pins, en_passant, first_promotion, inside_promotion] = options.map(f64::from);
    [
        ("PINS", pins),
        ("EN_PASSANT", en_passant),
        ("FIRST_PROMOTION", first_promotion),
        ("INSIDE_PROMOTION", inside_promotion),
        ("WORKGROUP_SIZE", f64::from(WORKGROUP_SIZE)),
    ]
}

/// One request: the move, and the index of its position in the chunk.
#[inline]
pub(super) fn request(capture: Capture, position: usize) -> u32 {
    u32::from(capture.to_bits()) | (position as u32) << Capture::BITS
}
