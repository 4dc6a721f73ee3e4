//! The board of a FEN, the only part that takes time.
//!
//! Each byte is looked up, written to a board of one byte per square, and advances the square
//! without a branch: a piece by one, a digit by its number, a slash to the next rank. Ranks are
//! 16 bytes apart, so a slash after a full rank is written into the column after it. All checks
//! are made once, at the end.

/// The board as planes: bits 0, 1 and 2 of the piece codes (both kings have 6), and the black
/// pieces; and its length in bytes, up to a blank. `None` if it is not a board in the usual
/// form.
#[inline]
pub(super) fn planes(text: &[u8]) -> Option<([u64; 4], usize)> {
    let mut squares = [0_u8; 128];
    let mut walked = 0_u32;
    let mut length = 0;
    for &byte in text.iter().take(LONGEST) {
        if byte == b' ' {
            break;
        }
        length += 1;
        squares[walked as usize & 127] = CODES[byte as usize];
        walked += STEPS[byte as usize];
    }
    // A slash was written after each rank but the last, if the rank was full.
    let marks = (0..7).fold(SLASH, |marks, rank| marks & squares[16 * rank + 8]);
    let usual = walked == 7 * NEXT_RANK + 8 && marks == SLASH;
    usual.then(|| (transposed(&squares).map(u64::swap_bytes), length))
}

/// 64 pieces, seven slashes, and one more byte.
const LONGEST: usize = 72;

/// The code that a slash writes.
const SLASH: u8 = 16;
const BLACK: u8 = 8;

/// From a full rank to the next one, plus a count of ranks in bits above all squares.
const NEXT_RANK: u32 = 16 + (1 << 12);
/// So large that no board ends there.
const UNKNOWN: u32 = 1 << 16;

/// What each byte writes: a piece code with its colour, or a mark.
static CODES: [u8; 256] = {
    let mut table = [0; 256];
    let mut i = 0;
    while i < 6 {
        table[b"PNBRQK"[i] as usize] = i as u8 + 1;
        table[b"pnbrqk"[i] as usize] = (i as u8 + 1) | BLACK;
        i += 1;
    }
    table[b'/' as usize] = SLASH;
    table
};

/// How far each byte advances.
static STEPS: [u32; 256] = {
    let mut table = [UNKNOWN; 256];
    let mut i = 0;
    while i < 6 {
        table[b"PNBRQK"[i] as usize] = 1;
        table[b"pnbrqk"[i] as usize] = 1;
        i += 1;
    }
    let mut digit = 1;
    while digit <= 8 {
        table[b'0' as usize + digit] = digit as u32;
        digit += 1;
    }
    table[b'/' as usize] = NEXT_RANK - 8;
    table
};

/// Bits 0 to 3 of each square, the first square in the lowest bit.
#[cfg(target_arch = "x86_64")]
#[target_feature(enable = "sse2")]
fn transposed_sse2(squares: &[u8; 128]) -> [u64; 4] {
    use core::arch::x86_64::{_mm_movemask_epi8, _mm_slli_epi64, _mm_unpacklo_epi64};

    let ranks: [_; 8] = bytemuck::must_cast(*squares);
    let mut planes = [0; 4];
    for pair in (0..4).rev() {
        let codes = _mm_unpacklo_epi64(ranks[2 * pair], ranks[2 * pair + 1]);
        // Gathers the highest bit of each byte.
        let bits = [
            _mm_movemask_epi8(_mm_slli_epi64::<7>(codes)),
            _mm_movemask_epi8(_mm_slli_epi64::<6>(codes)),
            _mm_movemask_epi8(_mm_slli_epi64::<5>(codes)),
            _mm_movemask_epi8(_mm_slli_epi64::<4>(codes)),
        ];
        for (plane, bits) in planes.iter_mut().zip(bits) {
            *plane = *plane << 16 | u64::from(bits.cast_unsigned());
        }
    }
    planes
}

#[cfg(target_arch = "x86_64")]
#[allow(
    unsafe_code,
    reason = "every x86-64 machine has SSE2, which intrinsics want said"
)]
fn transposed(squares: &[u8; 128]) -> [u64; 4] {
    // SAFETY: SSE2 is a part of x86-64.
    unsafe { transposed_sse2(squares) }
}

#[cfg(not(target_arch = "x86_64"))]
use portable as transposed;

/// The same on any machine: a product gathers bit 0 of each byte in the highest byte.
#[cfg(not(target_arch = "x86_64"))]
fn portable(squares: &[u8; 128]) -> [u64; 4] {
    const ONES: u64 = 0x0101_0101_0101_0101;
    const GATHER: u64 = 0x0102_0408_1020_4080;
    let ranks: [[u8; 16]; 8] = bytemuck::must_cast(*squares);
    let mut planes = [0; 4];
    for rank in ranks.into_iter().rev() {
        let [bytes, _]: [[u8; 8]; 2] = bytemuck::must_cast(rank);
        let codes = u64::from_le_bytes(bytes);
        for (bit, plane) in planes.iter_mut().enumerate() {
            let gathered = (codes >> bit & ONES).wrapping_mul(GATHER) >> 56;
            *plane = *plane << 8 | gathered;
        }
    }
    planes
}
