//! Unpacks records of 32 bytes into positions, eight at a time.
//!
//! Each unit turns a record's nibbles into planes in its own way; `check` then tests the
//! positions in lanes. Records that fail go to the scalar code, which knows the faults; so the
//! two can differ only in speed.

// Why each `unsafe` is sound: a unit proves the features of its compiled function; a prefetch
// never faults.
#![allow(unsafe_code)]

#[cfg(target_arch = "x86_64")]
mod avx2;
#[cfg(target_arch = "x86_64")]
mod avx512;
mod check;
#[cfg(simd128)]
mod simd128;

use self::check::Unpack;
use super::CpuPath;
use super::scheme::{Codes, GROUP, Raw, Scheme};
#[cfg(simd128)]
use super::simd128::Simd128;
#[cfg(target_arch = "x86_64")]
use super::{avx2::Avx2, avx512::Avx512};
use crate::Position;

/// Records unpacked together.
type Rows = [Raw; GROUP];
type Positions = [Position; GROUP];

/// Proof that this machine has a fast way of unpacking.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units(Unit);

#[derive(Clone, Copy, Debug)]
enum Unit {
    #[cfg(simd128)]
    Simd128(Simd128),
    #[cfg(target_arch = "x86_64")]
    Avx2(Avx2),
    #[cfg(target_arch = "x86_64")]
    Avx512(Avx512),
}

impl Units {
    /// The fastest unit that a path allows and this machine has.
    #[cfg(simd128)]
    pub(crate) fn of(path: CpuPath) -> Option<Units> {
        (path == CpuPath::Simd128).then_some(Units(Unit::Simd128(Simd128)))
    }

    /// The fastest unit that a path allows and this machine has.
    #[cfg(target_arch = "x86_64")]
    pub(crate) fn of(path: CpuPath) -> Option<Units> {
        let wide = || {
            let has =
                is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
            Avx512::detect().filter(|_| has).map(Unit::Avx512)
        };
        let narrow = || Avx2::detect().map(Unit::Avx2);
        let unit = match path {
            CpuPath::Scalar | CpuPath::Simd128 => None,
            CpuPath::Avx2 => narrow(),
            CpuPath::Avx512 => wide().or_else(narrow),
        };
        unit.map(Units)
    }

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
        let (positions, valid) = (&mut positions[..groups.len()], &mut valid[..groups.len()]);
        match self.0 {
            #[cfg(simd128)]
            Unit::Simd128(unit) => run::<_, S>(unit, groups, positions, valid),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2(unit) => unsafe { unpack_avx2::<S>(unit, groups, positions, valid) },
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512(unit) => unsafe { unpack_avx512::<S>(unit, groups, positions, valid) },
        }
    }

    /// Whether all positions of whole groups are sound; an incomplete last group is ignored.
    pub(crate) fn all_sound(self, positions: &[Position]) -> bool {
        let (groups, _) = positions.as_chunks();
        match self.0 {
            #[cfg(simd128)]
            Unit::Simd128(unit) => all_sound(unit, groups),
            #[cfg(target_arch = "x86_64")]
            Unit::Avx2(unit) => unsafe { sound_avx2(unit, groups) },
            #[cfg(target_arch = "x86_64")]
            Unit::Avx512(unit) => unsafe { sound_avx512(unit, groups) },
        }
    }
}

#[cfg(target_arch = "x86_64")]
/// The work on groups, compiled for a unit's features.
macro_rules! compiled {
    ($unit:ident, $unpack:ident, $sound:ident, $features:literal) => {
        #[target_feature(enable = $features)]
        fn $unpack<S: Scheme>(
            unit: $unit,
            records: &[Rows],
            positions: &mut [Positions],
            valid: &mut [u8],
        ) {
            run::<$unit, S>(unit, records, positions, valid);
        }

        #[target_feature(enable = $features)]
        fn $sound(unit: $unit, groups: &[Positions]) -> bool {
            all_sound(unit, groups)
        }
    };
}

#[cfg(target_arch = "x86_64")]
compiled!(Avx2, unpack_avx2, sound_avx2, "avx2,bmi1,bmi2,lzcnt,popcnt");
#[cfg(target_arch = "x86_64")]
#[rustfmt::skip]
compiled!(
    Avx512,
    unpack_avx512,
    sound_avx512,
    "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt"
);

#[inline(always)]
fn all_sound<U: Unpack>(unit: U, groups: &[Positions]) -> bool {
    let mut sound = u8::MAX;
    for positions in groups {
        sound &= check::valid::<U, NoFormat>(unit, None, positions);
    }
    sound == u8::MAX
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

#[inline(always)]
fn run<U: Unpack, S: Scheme>(
    unit: U,
    records: &[Rows],
    positions: &mut [Positions],
    valid: &mut [u8],
) {
    for (records, positions) in records.iter().zip(positions.iter_mut()).take(LEAD) {
        unit.unpack::<S>(records, positions);
    }
    for (i, valid) in valid.iter_mut().enumerate() {
        if let (Some(records), Some(positions)) =
            (records.get(i + LEAD), positions.get_mut(i + LEAD))
        {
            unit.unpack::<S>(records, positions);
        }
        prefetch(&records[i]);
        *valid = check::valid::<U, S>(unit, Some(&records[i]), &positions[i]);
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
