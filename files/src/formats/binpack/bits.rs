//! Bit streams of movetext: the highest bit of a byte first.

use core::ops::Range;

use super::super::{Fault, Invalid};

/// A score is stored as its difference from the negated score before, which is the sum of both, in
/// blocks of this many bits and one that says "more".
const SCORE_BLOCK: u32 = 4;

/// Bits of a block including the "more" bit.
const SCORE_BITS: u32 = SCORE_BLOCK + 1;

/// The "more" bits of four blocks.
const MORE: u32 = 0x84210;

/// From and to the order of the stream's bytes. WebAssembly has no instruction for that, but
/// shuffles.
#[cfg(target_feature = "simd128")]
#[inline(always)]
fn big_endian(word: u64) -> u64 {
    use core::arch::wasm32::{i8x16_shuffle, u64x2_extract_lane, u64x2_splat};
    let word = u64x2_splat(word);
    let swapped = i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0>(word, word);
    u64x2_extract_lane::<0>(swapped)
}

#[cfg(not(target_feature = "simd128"))]
#[inline(always)]
const fn big_endian(word: u64) -> u64 {
    word.to_be()
}

/// The bits of one position, read from one 64-bit word: at most 5 for the piece, 5 for the move
/// and 20 for the score.
#[derive(Clone, Copy)]
pub(crate) struct Window {
    bits: u64,
    used: u32,
}

impl Window {
    /// At least 57 bits from a bit offset on; zeros after the end.
    #[inline(always)]
    pub(crate) fn at(bytes: &[u8], bit: usize) -> Window {
        let at = bit / 8;
        let whole = bytes.get(at..at + size_of::<u64>());
        let word = match whole.and_then(<[u8]>::first_chunk) {
            Some(chunk) => big_endian(u64::from_ne_bytes(*chunk)),
            None => last_word(bytes.get(at..).unwrap_or_default()),
        };
        Window {
            bits: word << (bit % 8),
            used: 0,
        }
    }

    /// The number of bits taken.
    #[inline(always)]
    pub(crate) const fn used(&self) -> u32 {
        self.used
    }

    /// The number of a choice; if the bits are invalid, `choices` or more. Takes as many bits
    /// as [`bits_for`] says. There must be a choice.
    #[inline(always)]
    pub(crate) fn number(&mut self, choices: u32) -> u64 {
        // 63 minus the number of bits.
        let shift = (2 * u64::from(choices)).wrapping_sub(1).leading_zeros();
        let number = self.bits >> 1 >> shift;
        self.skip(63 - shift);
        number
    }

    /// Passes over `count` bits, fewer than 64.
    #[inline(always)]
    pub(crate) fn skip(&mut self, count: u32) {
        self.bits <<= count;
        self.used += count;
    }

    /// The bits that are not taken, as a window of its own.
    #[inline(always)]
    pub(crate) const fn rest(self) -> Window {
        Window {
            bits: self.bits,
            used: 0,
        }
    }

    /// A score difference, without a branch on the unpredictable number of blocks.
    #[inline(always)]
    pub(crate) fn take_score(&mut self) -> Result<i16, Invalid> {
        // The "more" bits that are 0, at the top of the word.
        let ends = !self.bits & u64::from(MORE) << 44;
        if ends == 0 {
            return Err(Invalid::new(
                Fault::ScoreCode,
                "a score's code does not end",
            ));
        }
        // 0, 5, 10 or 15 bits before the last block.
        let before = ends.leading_zeros();
        // Four blocks at the lowest 20 bits; those after the last block become 0.
        let unused = 15 - before;
        let bits = (self.bits >> 44) as u32 >> unused << unused;
        self.bits <<= before + SCORE_BITS;
        self.used += before + SCORE_BITS;
        // The four bits of each block, those of the first one lowest, without the "more" bits.
        let code = bits >> 15 & 15 | bits >> 6 & 0xf0 | bits << 3 & 0xf00 | bits << 12 & 0xf000;
        Ok(from_zigzag(code as u16))
    }
}

#[cold]
fn last_word(rest: &[u8]) -> u64 {
    let mut word = [0; 8];
    for (to, from) in word.iter_mut().zip(rest) {
        *to = *from;
    }
    u64::from_be_bytes(word)
}

/// Some bits to be written.
#[derive(Clone, Copy)]
pub(crate) struct BitCode {
    /// The bits, the last one lowest; those above are 0.
    pub bits: u32,
    /// How many bits there are, at most 32.
    pub count: u32,
}

impl BitCode {
    /// The bits of both, these first.
    pub(crate) const fn followed_by(self, next: BitCode) -> BitCode {
        BitCode {
            bits: self.bits << next.count | next.bits,
            count: self.count + next.count,
        }
    }
}

/// Where the bits of a position are in a movetext.
#[derive(Clone, Copy)]
pub(crate) struct PlyBits {
    /// The first bit of its move.
    pub start: usize,
    /// The first bit of its score.
    pub score: usize,
    /// The bit after its score.
    pub end: usize,
}

/// The code of a score difference: all blocks at once, from the lowest, each but the last with
/// the "more" bit.
#[inline(always)]
pub(crate) const fn score_code(difference: i16) -> BitCode {
    let code = to_zigzag(difference) as u32;
    // As many as the highest bit needs; a difference of 0 has one, too.
    let blocks = (16 - (code as u16 | 1).leading_zeros()).div_ceil(SCORE_BLOCK);
    // The places of four blocks, the first one highest. Those that are not needed are empty.
    let spread = (code & 15) << 15 | (code & 0xf0) << 6 | (code & 0xf00) >> 3 | code >> 12;
    let unused = 20 - SCORE_BITS * blocks;
    let more = MORE >> (unused + SCORE_BITS) << (unused + SCORE_BITS);
    BitCode {
        bits: (spread | more) >> unused,
        count: SCORE_BITS * blocks,
    }
}

/// Writes bits into an existing buffer, which needs [`BitWriter::SLACK`] bytes more than are
/// written: always eight bytes at a time, so that nothing branches on the number of bits.
///
/// It does not hold the buffer, so that one can grow between two codes.
#[derive(Clone, Copy, Default)]
pub(crate) struct BitWriter {
    /// The number of whole bytes written.
    whole: usize,
    /// The bits after them, at the top.
    pending: u64,
    /// How many bits are pending, fewer than 8.
    filled: u32,
}

impl BitWriter {
    pub(crate) const SLACK: usize = size_of::<u64>();

    /// The most bits written at once.
    const MOST: usize = 56;

    /// Writes a code into the buffer `room`.
    #[inline(always)]
    pub(crate) fn put(&mut self, room: &mut [u8], code: BitCode) {
        let top_bits = u64::from(code.bits) << 32 << (32 - code.count);
        self.put_top(room, top_bits, code.count);
    }

    /// Writes the highest `count` bits; the others are zero.
    #[inline(always)]
    fn put_top(&mut self, room: &mut [u8], bits: u64, count: u32) {
        self.pending |= bits >> self.filled;
        let to = room[self.whole..].first_chunk_mut();
        *to.expect("the buffer has `SLACK` bytes more") = big_endian(self.pending).to_ne_bytes();
        self.filled += count;
        self.whole += self.filled as usize / 8;
        self.pending <<= self.filled & !7;
        self.filled &= 7;
    }

    /// Copies the bits of `text` in a range into the buffer `room`.
    pub(crate) fn copy(&mut self, room: &mut [u8], text: &[u8], bits: Range<usize>) {
        for at in bits.clone().step_by(Self::MOST) {
            let count = (bits.end - at).min(Self::MOST) as u32;
            self.put_top(room, Window::at(text, at).bits & top(count), count);
        }
    }

    /// Copies the bits of a position from a movetext; with another score difference if that
    /// `is_new`.
    #[inline(always)]
    pub(crate) fn copy_ply(
        &mut self,
        room: &mut [u8],
        text: &[u8],
        ply: PlyBits,
        is_new: bool,
        difference: i16,
    ) {
        let word = Window::at(text, ply.start).bits;
        let move_count = (ply.score - ply.start) as u32;
        let old_count = (ply.end - ply.start) as u32;
        let code = score_code(difference);
        let score_bits = u64::from(code.bits) << 32 << (32 - code.count);
        let new_bits = word & top(move_count) | score_bits >> move_count;
        // Both are computed and one is chosen: whether the score is new cannot be predicted.
        let (bits, count) = if is_new {
            (new_bits, move_count + code.count)
        } else {
            (word & top(old_count), old_count)
        };
        self.put_top(room, bits, count);
    }

    /// The number of bytes written, the last one padded with zeros.
    pub(crate) const fn bytes(self) -> usize {
        self.whole + (self.filled > 0) as usize
    }
}

/// A mask of the highest `count` bits, fewer than 64.
#[inline(always)]
const fn top(count: u32) -> u64 {
    !(!0 >> count)
}

/// Zigzag: the sign in the lowest bit, the other bits inverted if negative.
#[inline(always)]
pub(crate) const fn from_zigzag(code: u16) -> i16 {
    let value = code.rotate_right(1);
    let flip = if value >> 15 == 1 { 0x7fff } else { 0 };
    (value ^ flip).cast_signed()
}

#[inline(always)]
pub(crate) const fn to_zigzag(value: i16) -> u16 {
    let flip = if value < 0 { 0x7fff } else { 0 };
    (value.cast_unsigned() ^ flip).rotate_left(1)
}

/// The number of bits for a choice among `choices`.
#[inline(always)]
pub(crate) const fn bits_for(choices: u32) -> u32 {
    32 - choices.saturating_sub(1).leading_zeros()
}
