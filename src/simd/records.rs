//! Unpacks records of 32 bytes into positions, eight at a time.
//!
//! Each unit turns a record's nibbles into planes in its own way; `check` then tests the
//! positions in lanes. Records that fail go to the scalar code, which knows the faults; so the
//! two can differ only in speed.

// Why `unsafe` is sound: a prefetch never faults.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod check;
#[cfg(simd128)]
mod simd128;

use core::marker::PhantomData;

use self::check::Unpack;
use super::kernel::Task;
use super::path::Instructions;
use super::scheme::{Codes, GROUP, Raw, Scheme};
use crate::Position;

type Rows = [Raw; GROUP];
type Positions = [Position; GROUP];

impl Instructions {
    /// Unpacks whole groups of records; an incomplete last group is ignored. Bit j of
    /// `valid[i]` is set if record `GROUP * i + j` is valid; otherwise its position is
    /// meaningless.
    ///
    /// # Panics
    ///
    /// If there are fewer positions than records, or fewer bytes than groups.
    #[inline]
    pub(crate) fn unpack<S: Scheme>(
        self,
        records: &[Raw],
        positions: &mut [Position],
        valid: &mut [u8],
    ) {
        let (groups, _) = records.as_chunks();
        let (positions, _) = positions.as_chunks_mut();
        let task = Unpacker {
            records: groups,
            positions: &mut positions[..groups.len()],
            valid: &mut valid[..groups.len()],
            scheme: PhantomData::<S>,
        };
        match self {
            Instructions::Scalar => task.valid.fill(0),
            #[cfg(simd128)]
            Instructions::Simd128(unit) => task.run(unit),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unit.run(task),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unit.run(task),
        }
    }

    /// Whether all positions of whole groups are sound; an incomplete last group is ignored.
    pub(crate) fn all_sound(self, positions: &[Position]) -> bool {
        let (groups, _) = positions.as_chunks::<GROUP>();
        match self {
            Instructions::Scalar => groups.as_flattened().iter().all(Position::is_sound),
            #[cfg(simd128)]
            Instructions::Simd128(unit) => Tester(groups).run(unit),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx2(unit) => unit.run(Tester(groups)),
            #[cfg(target_arch = "x86_64")]
            Instructions::Avx512(unit) => unit.run(Tester(groups)),
        }
    }
}

struct Tester<'a>(&'a [Positions]);

impl<U: Unpack> Task<U> for Tester<'_> {
    type Output = bool;

    #[inline(always)]
    fn run(self, unit: U) -> bool {
        let mut sound = u8::MAX;
        for positions in self.0 {
            sound &= check::valid::<U, NoFormat>(unit, None, positions);
        }
        sound == u8::MAX
    }
}

/// Packed positions alone, without bytes of a format.
struct NoFormat;

impl Scheme for NoFormat {
    const CODES: [Codes; 2] = [[0; 64]; 2];
    const TURN: u8 = 1;
    const FLIP: u64 = 0;
    const ZERO: u64 = 0;
    const RESULT: u64 = 0;
}

/// Groups unpacked ahead of the tests. Unpacking and testing use different execution units, and
/// results must have left the registers before they are tested.
const LEAD: usize = 2;

/// Bytes to prefetch ahead of the tests.
const AHEAD: usize = 8192;

struct Unpacker<'a, S> {
    records: &'a [Rows],
    positions: &'a mut [Positions],
    valid: &'a mut [u8],
    scheme: PhantomData<S>,
}

impl<S: Scheme, U: Unpack> Task<U> for Unpacker<'_, S> {
    type Output = ();

    #[inline(always)]
    fn run(self, unit: U) {
        let (records, positions) = (self.records, self.positions);
        for (records, positions) in records.iter().zip(positions.iter_mut()).take(LEAD) {
            unit.unpack::<S>(records, positions);
        }
        for (i, valid) in self.valid.iter_mut().enumerate() {
            if let (Some(records), Some(positions)) =
                (records.get(i + LEAD), positions.get_mut(i + LEAD))
            {
                unit.unpack::<S>(records, positions);
            }
            prefetch(&records[i]);
            *valid = check::valid::<U, S>(unit, Some(&records[i]), &positions[i]);
        }
    }
}

#[inline(always)]
fn prefetch(records: &Rows) {
    for line in records.as_flattened().as_chunks::<64>().0 {
        #[cfg(target_arch = "x86_64")]
        unsafe {
            use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};
            _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().wrapping_add(AHEAD).cast());
        }
        #[cfg(not(target_arch = "x86_64"))]
        let _ = line; // there is no such instruction
    }
}
