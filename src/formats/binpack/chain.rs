//! Walking a chain of positions, move by move.

use super::super::Invalid;
use super::super::isa::{Features, Isa, Work};
use super::super::legal::counted_ep;
use super::bits::Window;
use super::chunks::{MIN_CHAIN, STEM};
use super::moves;
use super::stem::{Stem, lost_castling, touched};
use crate::Position;

/// A position with its place in the movetext.
pub(crate) struct Step {
    /// The content of a stem at this position.
    pub state: Stem,
    pub position: Position,
    /// The en-passant target as writers count it.
    pub ep: u64,
    /// Where the bits of its score begin.
    pub score_start: usize,
    /// Where they end.
    pub end: usize,
}

/// Calls `found` with each position of the chain at the start of `bytes`, and returns the
/// chain's length. After a fault, returned with its offset from the chain's start, the end is
/// unknown.
#[inline]
pub(super) fn walk(
    features: Features,
    bytes: &[u8],
    found: impl FnMut(&Step),
) -> Result<usize, (usize, Invalid)> {
    struct Walk<'a, F>(&'a [u8], F);
    impl<F: FnMut(&Step)> Work for Walk<'_, F> {
        type Output = Result<usize, (usize, Invalid)>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let Walk(bytes, mut found) = self;
            let (mut step, text, count) = first(isa, bytes)?;
            found(&step);
            for _ in 0..count {
                next(isa, text, &mut step).map_err(|fault| at(&step, fault))?;
                found(&step);
            }
            Ok(length(&step))
        }
    }
    features.run(Walk(bytes, found))
}

/// The stem's step, the movetext with the rest, and the number of moves.
#[inline(always)]
pub(super) fn first<I: Isa>(
    isa: I,
    bytes: &[u8],
) -> Result<(Step, &[u8], usize), (usize, Invalid)> {
    let Some((head, text)) = bytes.split_first_chunk::<MIN_CHAIN>() else {
        return Err((0, Invalid::cut_off(MIN_CHAIN, bytes.len())));
    };
    let (raw, count) = head.split_first_chunk::<STEM>().expect("34 bytes hold 32");
    let count = u16::from_be_bytes([count[0], count[1]]);
    let state = Stem::read(isa, raw).map_err(|fault| (0, fault))?;
    let position = state.board.position().map_err(|error| (0, error.into()))?;
    let step = Step {
        state,
        position,
        ep: counted_ep(&position, &state.board),
        score_start: 0,
        end: 0,
    };
    Ok((step, text, count.into()))
}

/// The offset of a fault after this step, from the chain's start.
#[inline(always)]
pub(super) fn at(step: &Step, fault: Invalid) -> (usize, Invalid) {
    (MIN_CHAIN + step.end / 8, fault)
}

/// The length of a chain that ends with this step.
#[inline(always)]
pub(super) const fn length(step: &Step) -> usize {
    MIN_CHAIN + step.end.div_ceil(8)
}

/// Plays the move and reads the next one.
#[inline(always)]
pub(super) fn next<I: Isa>(isa: I, text: &[u8], step: &mut Step) -> Result<(), Invalid> {
    let state = &mut step.state;
    let played = state.played;
    state.board.play(played, state.kind)?;
    state.board.castling &= !lost_castling(touched(played));
    step.position = state.board.position()?;
    step.ep = counted_ep(&step.position, &state.board);

    let mut window = Window::at(text, step.end);
    let start = step.end;
    let read = read_ply(isa, state, step.ep, &mut window);
    let end = start + window.used() as usize;
    if end > text.len() * 8 {
        // The bits were past the end, so the values read are meaningless.
        return Err(Invalid::cut_off(
            MIN_CHAIN + end.div_ceil(8),
            MIN_CHAIN + text.len(),
        ));
    }
    step.score_start = start + read? as usize;
    step.end = end;
    Ok(())
}

/// Reads a move and its score; returns the number of the move's bits.
#[inline(always)]
fn read_ply<I: Isa>(
    isa: I,
    state: &mut Stem,
    ep: u64,
    window: &mut Window,
) -> Result<u32, Invalid> {
    (state.played, state.kind) = moves::read(isa, &state.board, ep, window)?;
    let bits = window.used();
    let difference = window.take_score()?;
    state.score = difference.wrapping_sub(state.score);
    state.ply = state.ply.saturating_add(1);
    state.result = -state.result;
    Ok(bits)
}
