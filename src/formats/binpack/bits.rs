//! Bit streams of movetext: the highest bit of a byte first.

use core::ops::Range;

use super::super::{Fault, Invalid};

/// Score differences are stored in blocks of this many bits and one that says "more".
const SCORE_BLOCK: u32 = 4;

/// Bits of a block including the "more" bit.
const SCORE_BITS: u32 = SCORE_BLOCK + 1;

/// The "more" bits of four blocks.
const MORE: u32 = 0x84210;

/// From and to the order of the stream's bytes. WebAssembly has no instruction for that, but
/// shuffles.
#[cfg(simd128)]
#[inline(always)]
fn big_endian(word: u64) -> u64 {
    use core::arch::wasm32::{i8x16_shuffle, u64x2_extract_lane, u64x2_splat};
    let word = u64x2_splat(word);
    let swapped = i8x16_shuffle::<7, 6, 5, 4, 3, 2, 1, 0, 7, 6, 5, 4, 3, 2, 1, 0>(word, word);
    u64x2_extract_lane::<0>(swapped)
}

#[cfg(not(simd128))]
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
    /// as [`bits_for`] says.
    #[inline(always)]
    pub(crate) fn number(&mut self, choices: u32) -> u64 {
        // 63 minus the number of bits.
        let shift = (2 * u64::from(choices)).wrapping_sub(1).leading_zeros();
        let number = self.bits >> 1 >> shift;
        self.skip(63 - shift);
        number
    }

    /// Skips bits.
    #[inline(always)]
    pub(crate) fn skip(&mut self, count: u32) {
        self.bits <<= count;
        self.used += count;
    }

    /// The remaining bits.
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
        // From the highest bit on, to save steps.
        let ends = !self.bits & u64::from(MORE) << 44;
        if ends == 0 {
            return Err(Invalid::new(
                Fault::ScoreCode,
                "a score's code does not end",
            ));
        }
        // 0, 5, 10 or 15 bits before the last block.
        let before = ends.leading_zeros();
        let bits = (self.bits >> 44) as u32;
        let bits = bits >> (15 - before) << (15 - before);
        self.bits <<= before + SCORE_BITS;
        self.used += before + SCORE_BITS;
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

/// The bits of a score difference with their number: all blocks at once, from the lowest, each
/// but the last with the "more" bit.
#[inline(always)]
pub(crate) const fn score_code(difference: i16) -> (u32, u32) {
    let code = to_zigzag(difference) as u32;
    let blocks = (16 - (code as u16 | 1).leading_zeros()).div_ceil(SCORE_BLOCK);
    let spread = (code & 15) << 15 | (code & 0xf0) << 6 | (code & 0xf00) >> 3 | code >> 12;
    let unused = 20 - SCORE_BITS * blocks;
    let more = MORE >> (unused + SCORE_BITS) << (unused + SCORE_BITS);
    ((spread | more) >> unused, SCORE_BITS * blocks)
}

/// Writes bits into an existing buffer, which needs [`BitWriter::SLACK`] bytes more than are
/// written: always eight bytes at a time, so that nothing branches on the number of bits.
#[derive(Clone, Copy, Default)]
pub(crate) struct BitWriter {
    /// The number of whole bytes written.
    whole: usize,
    /// The bits after them, at the top; fewer than 8.
    pending: u64,
    filled: u32,
}

impl BitWriter {
    pub(crate) const SLACK: usize = size_of::<u64>();

    /// The most bits written at once.
    const MOST: usize = 56;

    /// The lowest `count` bits, at most 32; the others are zero.
    #[inline(always)]
    pub(crate) fn put(&mut self, room: &mut [u8], (bits, count): (u32, u32)) {
        self.put_top(room, u64::from(bits) << 32 << (32 - count), count);
    }

    /// The highest `count` bits; the others are zero.
    #[inline(always)]
    fn put_top(&mut self, room: &mut [u8], bits: u64, count: u32) {
        self.pending |= bits >> self.filled;
        if let Some(to) = room[self.whole..].first_chunk_mut() {
            *to = big_endian(self.pending).to_ne_bytes();
        }
        self.filled += count;
        self.whole += self.filled as usize / 8;
        self.pending <<= self.filled & !7;
        self.filled &= 7;
    }

    /// Copies these bits of `text`.
    pub(crate) fn copy(&mut self, room: &mut [u8], text: &[u8], bits: Range<usize>) {
        for at in bits.clone().step_by(Self::MOST) {
            let count = (bits.end - at).min(Self::MOST) as u32;
            self.put_top(room, Window::at(text, at).bits & top(count), count);
        }
    }

    /// Copies the bits of a position from `start` to `end`, replacing those from `score` on if
    /// there is a new score difference.
    #[inline(always)]
    pub(crate) fn copy_ply(
        &mut self,
        room: &mut [u8],
        text: &[u8],
        [start, score, end]: [usize; 3],
        (is_new, difference): (bool, i16),
    ) {
        let word = Window::at(text, start).bits;
        let (played, all) = ((score - start) as u32, (end - start) as u32);
        let (code, count) = score_code(difference);
        let coded = word & top(played) | u64::from(code) << 32 << (32 - count) >> played;
        let (bits, count) = if is_new {
            (coded, played + count)
        } else {
            (word & top(all), all)
        };
        self.put_top(room, bits, count);
    }

    /// The number of bytes written, the last one padded with zeros.
    pub(crate) const fn bytes(self) -> usize {
        self.whole + (self.filled > 0) as usize
    }
}

/// The highest bits, fewer than 64.
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
