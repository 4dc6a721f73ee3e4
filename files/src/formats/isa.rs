//! The bit operations of the binary formats, portable and native.
//!
//! A list of pieces has a nibble per piece, in the order of the occupied squares. It becomes
//! bit planes without a loop: the nibbles' bits are gathered into four 32-bit masks (`split`),
//! and each mask is spread over the occupied squares (`deposit`, the instruction PDEP).

use swaplist::CpuPath;
use swaplist::boards::Unpacker;

/// The instructions to use. A value proves that they are available.
pub(crate) trait Isa: Copy {
    /// Mask k holds bit k of nibble i at bit i.
    fn split(self, nibbles: &[u8; 16]) -> [u32; 4];

    /// Bit i of each mask moved to the i-th set bit of `squares`.
    fn deposit(self, masks: [u32; 4], squares: u64) -> [u64; 4];

    /// The reverse: bit k of nibble i comes from mask k at the i-th set bit of `squares`, for
    /// the first 32.
    fn list(self, masks: [u64; 4], squares: u64) -> [u8; 16];

    /// The n-th set bit, from 0; 0 if there is none. Only the lowest six bits of `n` count.
    fn nth_bit(self, bits: u64, n: u64) -> u64;

    /// The index of the n-th set bit; 64 if there is none.
    #[inline(always)]
    fn nth(self, bits: u64, n: u32) -> u32 {
        self.nth_bit(bits, n.into()).trailing_zeros()
    }

    /// Bit i says whether byte i is zero.
    fn zeros(self, bytes: &[u8; 32]) -> u32;
}

/// A function that is compiled once for each instruction set. Its captured values are the fields of
/// the type that implements this.
pub(crate) trait IsaFn {
    type Output;

    /// Must be `#[inline(always)]`, so that it is compiled for the instructions.
    fn run<I: Isa>(self, isa: I) -> Self::Output;
}

/// The instructions of a codec, chosen when it is opened.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Features {
    #[cfg(target_arch = "x86_64")]
    native: Option<Avx2>,
    /// For eight records at a time.
    pub lanes: Option<Unpacker>,
}

impl Features {
    /// The best of a path on this machine. All give the same results.
    pub(crate) fn for_path(path: CpuPath) -> Features {
        Features {
            #[cfg(target_arch = "x86_64")]
            native: Avx2::detect().filter(|_| path != CpuPath::Scalar),
            lanes: Unpacker::new(path),
        }
    }

    #[inline]
    #[cfg_attr(not(target_arch = "x86_64"), allow(clippy::unused_self))]
    pub(crate) fn run<T: IsaFn>(self, task: T) -> T::Output {
        #[cfg(target_arch = "x86_64")]
        if let Some(native) = self.native {
            return native.run(task);
        }
        task.run(Portable)
    }
}

/// Runs a task with the best instructions, detected at each call: for writers without a codec.
#[inline]
pub(crate) fn run<T: IsaFn>(task: T) -> T::Output {
    #[cfg(target_arch = "x86_64")]
    if let Some(native) = Avx2::detect() {
        return native.run(task);
    }
    task.run(Portable)
}

/// Plain integer arithmetic, which every CPU has.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Portable;

impl Isa for Portable {
    #[inline(always)]
    fn split(self, nibbles: &[u8; 16]) -> [u32; 4] {
        let list = u128::from_le_bytes(*nibbles);
        core::array::from_fn(|bit| {
            gather(list as u64, bit) | gather((list >> 64) as u64, bit) << 16
        })
    }

    /// The expand of Hacker's Delight 7-5; its shifts are computed once for the four masks.
    #[inline(always)]
    fn deposit(self, masks: [u32; 4], squares: u64) -> [u64; 4] {
        let mut moves = [0; 6];
        let mut rest = squares;
        let mut gaps = !squares << 1;
        for (step, mv) in moves.iter_mut().enumerate() {
            let odd = prefix_xor(gaps);
            *mv = odd & rest;
            rest = rest ^ *mv | *mv >> (1 << step);
            gaps &= !odd;
        }
        let mut spread = masks.map(u64::from);
        for (step, mv) in moves.iter().enumerate().rev() {
            spread = spread.map(|bits| bits & !mv | bits << (1 << step) & mv);
        }
        spread.map(|bits| bits & squares)
    }

    #[inline(always)]
    fn list(self, masks: [u64; 4], squares: u64) -> [u8; 16] {
        let mut list = 0_u128;
        let mut rest = squares;
        for i in 0..squares.count_ones().min(32) {
            for (bit, mask) in masks.iter().enumerate() {
                let is_set = mask >> rest.trailing_zeros() & 1;
                list |= u128::from(is_set) << (4 * i as usize + bit);
            }
            rest &= rest.wrapping_sub(1);
        }
        list.to_le_bytes()
    }

    /// The byte first, by sums of the bytes' bits up to each (Vigna's broadword selection): the
    /// number is unpredictable, so loops and branches would cost more.
    #[inline(always)]
    fn nth_bit(self, bits: u64, n: u64) -> u64 {
        const ONES: u64 = 0x0101_0101_0101_0101;
        const HIGHEST: u64 = ONES << 7;
        let n = n & 63;
        let of_two = bits - (bits >> 1 & 0x5555_5555_5555_5555);
        let of_four = (of_two & 0x3333_3333_3333_3333) + (of_two >> 2 & 0x3333_3333_3333_3333);
        let of_eight = (of_four + (of_four >> 4)) & 0x0f0f_0f0f_0f0f_0f0f;
        let sums = of_eight.wrapping_mul(ONES);
        let before = ((n.wrapping_mul(ONES) | HIGHEST) - sums) & HIGHEST;
        let at = 8 * before.count_ones();
        let rest = n - (sums << 8 >> (at & 63) & 0xff);
        let byte = bits.checked_shr(at).unwrap_or(0) & 0xff;
        u64::from(NTH_OF_BYTE[byte as usize][rest as usize & 7]) << (at & 63)
    }

    #[inline(always)]
    fn zeros(self, bytes: &[u8; 32]) -> u32 {
        /// Added to a byte, this carries into its highest bit unless its other bits are zeros.
        const LOW_BITS: u64 = u64::from_le_bytes([0x7f; 8]);
        let (words, _) = bytes.as_chunks();
        let zeros = core::array::from_fn(|i| {
            let word = u64::from_le_bytes(words[i]);
            let highest_if_zero = !(((word & LOW_BITS) + LOW_BITS) | word | LOW_BITS);
            // The product has the highest bit of each byte once at its place in the highest byte.
            ((highest_if_zero >> 7).wrapping_mul(0x0102_0408_1020_4080) >> 56) as u8
        });
        u32::from_le_bytes(zeros)
    }
}

/// The n-th set bit of each byte, 0 if there is none.
static NTH_OF_BYTE: [[u8; 8]; 256] = {
    let mut table = [[0; 8]; 256];
    let mut byte = 0;
    while byte < 256 {
        let mut rest = byte;
        let mut n = 0;
        while rest != 0 {
            table[byte][n] = 1 << rest.trailing_zeros();
            rest &= rest - 1;
            n += 1;
        }
        byte += 1;
    }
    table
};

/// Bit `bit` of each of 16 nibbles, packed.
#[inline(always)]
const fn gather(nibbles: u64, bit: usize) -> u32 {
    let mut x = nibbles >> bit & 0x1111_1111_1111_1111;
    x = (x | x >> 3) & 0x0303_0303_0303_0303;
    x = (x | x >> 6) & 0x000f_000f_000f_000f;
    x = (x | x >> 12) & 0x0000_00ff_0000_00ff;
    (x | x >> 24) as u32 & 0xffff
}

/// Bit i is the parity of bits 0 to i.
#[inline(always)]
const fn prefix_xor(bits: u64) -> u64 {
    let mut x = bits ^ bits << 1;
    x ^= x << 2;
    x ^= x << 4;
    x ^= x << 8;
    x ^= x << 16;
    x ^ x << 32
}

#[cfg(target_arch = "x86_64")]
use native::Avx2;

#[cfg(target_arch = "x86_64")]
#[allow(unsafe_code)] // `Avx2` proves its features
mod native {
    use super::{Isa, IsaFn};
    use core::arch::x86_64::{
        _mm256_cmpeq_epi8, _mm256_loadu_si256, _mm256_movemask_epi8, _mm256_setzero_si256,
        _pdep_u64, _pext_u64,
    };

    /// The lowest bit of each nibble.
    const LOWEST: u64 = 0x1111_1111_1111_1111;

    #[inline(always)]
    fn spread(_: Avx2, bits: u64, to: u64) -> u64 {
        unsafe { _pdep_u64(bits, to) }
    }

    #[inline(always)]
    fn gather(_: Avx2, bits: u64, from: u64) -> u64 {
        unsafe { _pext_u64(bits, from) }
    }

    /// Proof that this machine has the features below.
    #[derive(Clone, Copy, Debug)]
    pub(crate) struct Avx2(());

    impl Avx2 {
        pub(crate) fn detect() -> Option<Avx2> {
            let has = is_x86_feature_detected!("avx2")
                && is_x86_feature_detected!("bmi1")
                && is_x86_feature_detected!("bmi2")
                && is_x86_feature_detected!("lzcnt")
                && is_x86_feature_detected!("popcnt");
            has.then_some(Avx2(()))
        }

        #[inline]
        pub(super) fn run<T: IsaFn>(self, task: T) -> T::Output {
            #[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
            fn compiled<T: IsaFn>(isa: Avx2, task: T) -> T::Output {
                task.run(isa)
            }
            unsafe { compiled(self, task) }
        }
    }

    impl Isa for Avx2 {
        #[inline(always)]
        fn split(self, nibbles: &[u8; 16]) -> [u32; 4] {
            let [low, high]: [u64; 2] = bytemuck::cast(*nibbles);
            core::array::from_fn(|bit| {
                let places = LOWEST << bit;
                (gather(self, low, places) | gather(self, high, places) << 16) as u32
            })
        }

        #[inline(always)]
        fn deposit(self, masks: [u32; 4], squares: u64) -> [u64; 4] {
            masks.map(|mask| spread(self, mask.into(), squares))
        }

        #[inline(always)]
        fn list(self, masks: [u64; 4], squares: u64) -> [u8; 16] {
            let mut list = [0; 2];
            for (bit, mask) in masks.into_iter().enumerate() {
                let listed = gather(self, mask, squares);
                list[0] |= spread(self, listed, LOWEST << bit);
                list[1] |= spread(self, listed >> 16, LOWEST << bit);
            }
            bytemuck::cast(list)
        }

        #[inline(always)]
        fn nth_bit(self, bits: u64, n: u64) -> u64 {
            spread(self, 1 << (n & 63), bits)
        }

        #[inline(always)]
        fn zeros(self, bytes: &[u8; 32]) -> u32 {
            unsafe {
                let bytes = _mm256_loadu_si256(bytes.as_ptr().cast());
                let are_zero = _mm256_cmpeq_epi8(bytes, _mm256_setzero_si256());
                _mm256_movemask_epi8(are_zero).cast_unsigned()
            }
        }
    }
}
