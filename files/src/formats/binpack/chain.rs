//! Stockfish's binpack: walks a chain. Plays the move of each position, and reads the next move and
//! score. `binpack.rs` has the layout of a file: chunks of chains.
//!
//! A chain stores its first position whole (the *stem*), then the number of further positions, then
//! for each of them the move played in it and its score, in as few bits as the position allows (the
//! *movetext*). So a position can be read only after all before it. This file does that one
//! position at a time, and decides every case and every fault. [`ordinary`](super::ordinary) is
//! faster, but leaves to `next` here castling, promotions, king's moves of a side that may castle,
//! and any move in a position that has an en-passant target. It does not test positions either: its
//! caller tests many at once.
//!
//! # Worked example
//!
//! The moves e4, e5 and Nf3 from the start position, with the scores 30, -20 and 25 of the side to
//! move, are a chain of 38 bytes. Its stem holds the start position, e2e4 and 30. Then come `00
//! 02`, the number of further positions, and the movetext `45 02 ca 80`:
//!
//! | bits | read as | value |
//! |---|---|---|
//! | `0100` | which of Black's 16 pieces, from a1 on | 4: the pawn on e7 |
//! | `0` | which of its 2 targets, from a1 on | 0: e5 |
//! | `10100 00001` | the score: `1 0100` its lowest 4 bits, more follow; `0 0001` the last | 20; zigzag (0, -1, 1, -2, ...) makes 10 of it: the score is 10 - 30 = -20 |
//! | `0110` | which of White's 16 pieces | 6: the knight on g1 |
//! | `01` | which of its 3 targets: e2, f3, h3 | 1: f3 |
//! | `01010` | the score | 10; zigzag makes 5 of it: the score is 5 - -20 = 25 |
//! | `000000` | padding to whole bytes | |
//!
//! Zigzag numbers the integers from 0 on in the order 0, -1, 1, -2, 2: so the zigzag of a positive
//! integer is twice the integer. A number among n choices takes the bits of n - 1, and none if
//! there is only one choice.
//!
//! Stored is not the score itself but its sum with the score before. Each is seen from its own side
//! to move, that is once from White and once from Black: so the sum is how much the evaluation has
//! changed.
//!
//! # The steps
//!
//! ```text
//! first   read the stem and the number of moves
//! next    play the move; take away castling rights whose squares it touched
//!         test the position, so that SEE has a meaning: each side has one king, the side to move
//!         cannot take the other one's, no pawn is on a last rank
//!         find out whether an en-passant capture is legal in it
//!         read the number of the piece, then that of its move, then the score
//!         fail if that took more bits than there are
//! walk    first; then next for each further position. It calls `found` with each, the stem's too
//! ```
//!
//! # Why this way
//!
//! The bits of one position are at most 5 for the piece (at most 32 pieces, one of which is the
//! other king: 31 choices), 5 for its move (a queen has at most 27) and 20 for the score (4 blocks
//! of 5), so they are read from one 64-bit word ([`Window`]) that is loaded once. A reader must
//! count the same choices as the writer, so it has the rules of the writer's code. A rook loses its
//! castling right when any move leaves or enters its corner, or e1 (both white rooks) or e8 (both
//! black ones), whatever piece moves. An en-passant target counts only if a capture on it is legal.
//!
//! # What must hold
//!
//! - The length of a chain is not stored: it is known only after the last position. After a fault
//!   it stays unknown, so the rest of the chunk (many chains, with one header) is lost.
//! - Bits past the end of the chunk read as zeros, so a move or a score that is read from them may
//!   be valid or not, by chance. So `next` first tests whether the bits are there. If they are not,
//!   the fault is that the chunk is cut off, whatever was read.
//! - A [`ChainStep`] holds all that a stem needs, so that any position can begin a chain of its
//!   own.

use super::super::Invalid;
use super::super::error::FaultAt;
use super::super::isa::{Features, Isa, IsaFn};
use super::super::legal::counted_ep;
use super::bits::Window;
use super::chunks::{MIN_CHAIN, STEM};
use super::moves;
use super::stem::{Stem, lost_castling, touched};
use swaplist::Position;

/// A position with its place in the movetext.
pub(crate) struct ChainStep {
    /// What a stem that began here would hold: the board, the move played in this position, the
    /// score, the ply and the result.
    pub state: Stem,
    /// The position, ready for a backend.
    pub position: Position,
    /// The en-passant target as a bit if a capture on it is legal, else 0. The writers of binpacks
    /// count it among a pawn's moves only then, so a reader must do the same.
    pub ep: u64,
    /// The bit of the movetext at which its score begins: `select.rs` copies the move's bits before
    /// it, and codes the score anew.
    pub score_start: usize,
    /// The bit at which its score ends, where the next position's move begins.
    pub end: usize,
}

/// The beginning of a chain, as [`first`] reads it.
pub(super) struct ChainStart<'a> {
    /// The stem's position. Its move and its score are in the stem. So it has no bits in the
    /// movetext: its `score_start` and its `end` are 0.
    pub step: ChainStep,
    /// The movetext and all bytes after it: where it ends is known only after the last position.
    pub text: &'a [u8],
    /// The number of further positions.
    pub moves: usize,
}

/// Calls `found` with each position of the chain at the start of `bytes`, and returns the chain's
/// length. `features` are those of the machine: with the instruction PDEP it takes less time to put
/// the pieces of a stem on their squares, and to find the n-th piece or target (`isa.rs`).
///
/// # Errors
///
/// The first fault, with its offset from the chain's start. Then the end is unknown. `found` was
/// called with the positions before it.
#[inline]
pub(super) fn walk(
    features: Features,
    bytes: &[u8],
    found: impl FnMut(&ChainStep),
) -> Result<usize, FaultAt> {
    // The code must be compiled twice, with PDEP and without. A closure cannot be generic, so it is
    // a method `run` of a type whose fields are what a closure would capture. `features.run`, at
    // the end, calls the compiled copy that fits the machine (`isa.rs`).
    struct Walk<'a, F>(&'a [u8], F);
    impl<F: FnMut(&ChainStep)> IsaFn for Walk<'_, F> {
        type Output = Result<usize, FaultAt>;

        #[inline(always)]
        fn run<I: Isa>(self, isa: I) -> Self::Output {
            let Walk(bytes, mut found) = self;
            let ChainStart {
                mut step,
                text,
                moves,
            } = first(isa, bytes)?;
            found(&step);
            for _ in 0..moves {
                next(isa, text, &mut step).map_err(|fault| at(&step, fault))?;
                found(&step);
            }
            Ok(length(&step))
        }
    }
    features.run(Walk(bytes, found))
}

/// Reads the stem and the number of moves. Fails if the bytes end before that, if the stem holds
/// something impossible, or if SEE has no meaning in its position.
#[inline(always)]
pub(super) fn first<I: Isa>(isa: I, bytes: &[u8]) -> Result<ChainStart<'_>, FaultAt> {
    let Some((head, text)) = bytes.split_first_chunk::<MIN_CHAIN>() else {
        // The bytes that there must be, and those that there are.
        let fault = Invalid::cut_off(MIN_CHAIN, bytes.len());
        return Err(FaultAt { offset: 0, fault });
    };
    let (stem_bytes, count) = head.split_first_chunk::<STEM>().expect("34 bytes hold 32");
    let moves = u16::from_be_bytes([count[0], count[1]]);
    let state = Stem::read(isa, stem_bytes).map_err(|fault| FaultAt { offset: 0, fault })?;
    let position = state.board.position().map_err(|error| FaultAt {
        offset: 0,
        fault: error.into(),
    })?;
    let step = ChainStep {
        state,
        position,
        ep: counted_ep(&position, &state.board),
        score_start: 0,
        end: 0,
    };
    Ok(ChainStart {
        step,
        text,
        moves: moves.into(),
    })
}

/// A fault that was found while reading what comes after this step, with its offset from the
/// chain's start: the byte in which the bits after this step begin.
#[inline(always)]
pub(super) fn at(step: &ChainStep, fault: Invalid) -> FaultAt {
    FaultAt {
        offset: MIN_CHAIN + step.end / 8,
        fault,
    }
}

/// The length of a chain that ends with this step, in bytes: its last bits are padded to a byte.
#[inline(always)]
pub(super) const fn length(step: &ChainStep) -> usize {
    MIN_CHAIN + step.end.div_ceil(8)
}

/// Plays the move and reads the next one, with its score. After a fault only the step's `end` has a
/// meaning: it is still that of the step before, where [`at`] places the fault.
#[inline(always)]
pub(super) fn next<I: Isa>(isa: I, text: &[u8], step: &mut ChainStep) -> Result<(), Invalid> {
    let state = &mut step.state;
    let played = state.played;
    // `kind` says whether the move is castling, en passant or a promotion. The move need not be
    // legal. `play` (`board.rs`) fails if no own piece stands on its origin, if it takes an own
    // piece or a king, or if what `kind` says is not possible there.
    state.board.play(played, state.kind)?;
    // Whatever moved: see "Why this way" above.
    state.board.castling &= !lost_castling(touched(played));
    step.position = state.board.position()?;
    step.ep = counted_ep(&step.position, &state.board);

    // Past the end it reads zeros.
    let mut window = Window::at(text, step.end);
    let start = step.end;
    let move_bits = read_ply(isa, state, step.ep, &mut window);
    let end = start + window.used() as usize;
    if end > text.len() * 8 {
        // Some bits were past the end, so the values read are meaningless.
        return Err(Invalid::cut_off(
            MIN_CHAIN + end.div_ceil(8),
            MIN_CHAIN + text.len(),
        ));
    }
    // `?`: here a move or a score that is not valid becomes the fault.
    step.score_start = start + move_bits? as usize;
    step.end = end;
    Ok(())
}

/// Reads a ply, that is a move and its score, into `state`; returns the number of the move's bits.
/// `ep` is [`ChainStep::ep`]. Fails if a number is not below the number of choices, or if the score
/// has more than four blocks.
#[inline(always)]
fn read_ply<I: Isa>(
    isa: I,
    state: &mut Stem,
    ep: u64,
    window: &mut Window,
) -> Result<u32, Invalid> {
    // Takes the piece's number and its move's number from the window, and looks up both
    // (`moves.rs`).
    (state.played, state.kind) = moves::read(isa, &state.board, ep, window)?;
    let move_bits = window.used();
    // What is stored: this score plus the one before. `take_score` (`bits.rs`) takes all its blocks
    // and undoes the zigzag; it fails if the fourth block says that more follow. The subtraction
    // wraps, as a file may hold any 16 bits.
    let sum = window.take_score()?;
    state.score = sum.wrapping_sub(state.score);
    // A stem's ply is at most 16,383 (`MAX_PLY`), and up to 65,535 moves follow: that may be more
    // than a `u16` holds, so the ply stays at the highest number instead of wrapping. `Stem::write`
    // lowers a ply above `MAX_PLY` to `MAX_PLY`.
    state.ply = state.ply.saturating_add(1);
    state.result = -state.result; // -1, 0 or 1 of the side to move, which is the other one now
    Ok(move_bits)
}
