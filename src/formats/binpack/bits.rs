//! Bit streams of movetext: the highest bit of a byte first.

use super::super::Fault;

/// Score differences are stored in blocks of this many bits and one that says "more".
const SCORE_BLOCK: u32 = 4;

/// Bits of a block including the "more" bit.
const SCORE_BITS: u32 = SCORE_BLOCK + 1;

/// The "more" bits of four blocks.
const MORE: u32 = 0x84210;

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
            Some(chunk) => u64::from_be_bytes(*chunk),
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

    /// The next `count` bits, at most 32.
    #[inline(always)]
    pub(crate) fn take(&mut self, count: u32) -> u32 {
        let taken = (self.bits >> 32) << count >> 32;
        self.bits <<= count;
        self.used += count;
        taken as u32
    }

    /// The number of a choice; if the bits are invalid, `choices` or more. Takes as many bits
    /// as [`bits_for`] says, in fewer steps than [`take`](Self::take).
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
    pub(crate) fn take_score(&mut self) -> Result<i16, Fault> {
        // From the highest bit on, to save steps.
        let ends = !self.bits & u64::from(MORE) << 44;
        if ends == 0 {
            return Err(Fault::ScoreCode);
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

/// Writes bits into whole bytes.
pub(crate) struct BitWriter<'a> {
    out: &'a mut Vec<u8>,
    /// Bits not yet written, at the top; fewer than 64.
    pending: u64,
    filled: u32,
}

impl<'a> BitWriter<'a> {
    pub(crate) fn new(out: &'a mut Vec<u8>) -> BitWriter<'a> {
        BitWriter::resume(out, (0, 0))
    }

    /// Continues a paused writer.
    pub(crate) fn resume(out: &'a mut Vec<u8>, (pending, filled): (u64, u32)) -> BitWriter<'a> {
        BitWriter {
            out,
            pending,
            filled,
        }
    }

    /// The bits not yet written.
    pub(crate) fn pause(self) -> (u64, u32) {
        (self.pending, self.filled)
    }

    /// The lowest `count` bits, at most 32; the others are zero.
    #[inline(always)]
    pub(crate) fn put(&mut self, bits: u32, count: u32) {
        self.put_top(u64::from(bits) << 32 << (32 - count), count);
    }

    /// The highest `count` bits, at most 63; the others are zero.
    #[inline(always)]
    fn put_top(&mut self, bits: u64, count: u32) {
        self.pending |= bits >> self.filled;
        let filled = self.filled + count;
        if filled < 64 {
            self.filled = filled;
            return;
        }
        self.out.extend_from_slice(&self.pending.to_be_bytes());
        // The rest; none if the word began at a full one.
        self.pending = bits << 1 << (63 - self.filled);
        self.filled = filled - 64;
    }

    /// Copies the bits of `bytes` from one bit offset to another.
    #[inline(always)]
    pub(crate) fn copy(&mut self, bytes: &[u8], from: usize, to: usize) {
        const STEP: usize = 56;
        let mut at = from;
        while at + STEP <= to {
            let word = Window::at(bytes, at).bits;
            self.put_top(word >> 8 << 8, STEP as u32);
            at += STEP;
        }
        if at < to {
            let count = (to - at) as u32;
            let word = Window::at(bytes, at).bits;
            self.put_top(word >> (64 - count) << (64 - count), count);
        }
    }

    #[inline(always)]
    pub(crate) fn put_score(&mut self, difference: i16) {
        let (bits, count) = score_code(difference);
        self.put(bits, count);
    }

    /// Pads the last byte with zeros.
    pub(crate) fn finish(self) {
        let bytes = self.filled.div_ceil(8) as usize;
        self.out
            .extend_from_slice(&self.pending.to_be_bytes()[..bytes]);
    }
}

/// The bits of a score difference with their number: all blocks at once, from the lowest, each
/// but the last with the "more" bit.
#[inline(always)]
const fn score_code(difference: i16) -> (u32, u32) {
    let code = to_zigzag(difference) as u32;
    let blocks = (16 - (code as u16 | 1).leading_zeros()).div_ceil(SCORE_BLOCK);
    let spread = (code & 15) << 15 | (code & 0xf0) << 6 | (code & 0xf00) >> 3 | code >> 12;
    let unused = 20 - SCORE_BITS * blocks;
    let more = MORE >> (unused + SCORE_BITS) << (unused + SCORE_BITS);
    ((spread | more) >> unused, SCORE_BITS * blocks)
}

/// Writes positions into an existing buffer, which needs [`Plies::MOST`] bytes for each and one
/// more word. Writes eight bytes at a time, and overwrites the incomplete ones next, without
/// branches.
pub(crate) struct Plies<'a> {
    room: &'a mut [u8],
    /// The number of whole bytes written.
    whole: usize,
    /// The bits after them, at the top; fewer than 8.
    pending: u64,
    filled: u32,
}

impl<'a> Plies<'a> {
    /// The most bytes that a position takes.
    pub(crate) const MOST: usize = 4;

    pub(crate) fn new(room: &'a mut [u8]) -> Plies<'a> {
        Plies {
            room,
            whole: 0,
            pending: 0,
            filled: 0,
        }
    }

    /// Copies the bits of a position from `start` to `end`, replacing those from `score` on if
    /// there is a new score difference.
    #[inline(always)]
    pub(crate) fn put(
        &mut self,
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
        self.pending |= bits >> self.filled;
        if let Some(to) = self.room[self.whole..].first_chunk_mut() {
            *to = self.pending.to_be_bytes();
        }
        self.filled += count;
        self.whole += self.filled as usize / 8;
        self.pending <<= self.filled & !7;
        self.filled &= 7;
    }

    /// The number of bytes written, the last one padded with zeros.
    pub(crate) fn finish(self) -> usize {
        self.whole + usize::from(self.filled > 0)
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

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_score_difference_survives() {
        for value in i16::MIN..=i16::MAX {
            assert_eq!(from_zigzag(to_zigzag(value)), value);
            let mut bytes = Vec::new();
            let mut writer = BitWriter::new(&mut bytes);
            writer.put(0b101, 3);
            writer.put_score(value);
            writer.finish();
            let mut window = Window::at(&bytes, 3);
            assert_eq!(window.take_score(), Ok(value));
            assert_eq!(bytes.len() as u32, (window.used() + 3).div_ceil(8));
        }
    }

    #[test]
    fn copied_bits_are_the_same_at_any_offset() {
        let bytes: Vec<u8> = (0..40_u8)
            .map(|i| i.wrapping_mul(37).wrapping_add(11))
            .collect();
        let bit = |bytes: &[u8], i: usize| bytes[i / 8] >> (7 - i % 8) & 1;
        for from in 0..70 {
            for to in from..250 {
                let mut out = Vec::new();
                let mut writer = BitWriter::new(&mut out);
                writer.put(1, 1);
                writer.copy(&bytes, from, to);
                writer.finish();
                assert_eq!(out.len(), (1 + to - from).div_ceil(8));
                assert!((from..to).all(|i| bit(&bytes, i) == bit(&out, 1 + i - from)));
            }
        }
    }

    #[test]
    fn bits_tell_choices_apart() {
        let bits = [0, 1, 2, 3, 4, 5, 8, 9, 16, 17, 28].map(bits_for);
        assert_eq!(bits, [0, 0, 1, 2, 2, 3, 3, 4, 4, 5, 5]);
    }

    #[test]
    fn a_number_is_what_its_bits_say() {
        for choices in 1..=64 {
            for head in 0..=255_u8 {
                let bytes = [head, !head, 0xa5, 0x5a, 0, 0xff, head, 1];
                let (mut quick, mut slow) = (Window::at(&bytes, 3), Window::at(&bytes, 3));
                let number = slow.take(bits_for(choices));
                assert_eq!(quick.number(choices), u64::from(number), "{choices}");
                assert_eq!(
                    (quick.bits, quick.used),
                    (slow.bits, slow.used),
                    "{choices}"
                );
                assert_eq!((quick.rest().bits, quick.rest().used), (slow.bits, 0));
            }
        }
        // Without choices every number is too high.
        Window::at(&[0xff; 8], 0).number(0);
    }

    #[test]
    fn a_score_code_without_an_end_is_a_fault() {
        let mut window = Window::at(&[0xff; 8], 0);
        assert_eq!(window.take_score(), Err(Fault::ScoreCode));
    }
}
