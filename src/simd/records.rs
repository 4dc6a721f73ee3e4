//! Records of 32 bytes to packed positions, eight at a time.
//!
//! Each unit turns a record's list of nibbles into planes in its own way; then the
//! positions are tested in lanes, in one way for all units (`check`). What does not
//! pass, for whatever reason, is left to the scalar code: it alone knows the
//! faults, so both can only differ in time.

// A unit is proof of its features, which its compiled function needs; a prefetch
// is a hint that never faults. That is the reason for each `unsafe`.
#![allow(unsafe_code)]

mod avx2;
mod avx512;
mod check;

use core::arch::x86_64::{_MM_HINT_T0, _mm_prefetch};

use super::CpuPath;
use super::avx2::Avx2;
use super::avx512::Avx512;
use super::scheme::{Codes, GROUP, Raw, Scheme};
use super::unit::Unit as _;
use crate::Position;

/// As many records as are unpacked together.
type Rows = [Raw; GROUP];
type Positions = [Position; GROUP];

/// Proof that this machine has the features that a way of unpacking needs.
#[derive(Clone, Copy, Debug)]
pub(crate) struct Units(Unit);

#[derive(Clone, Copy, Debug)]
enum Unit {
    Avx2(Avx2),
    Avx512(Avx512),
}

impl Units {
    /// The fastest one that a path allows and this machine has.
    pub(crate) fn of(path: CpuPath) -> Option<Units> {
        let wide = || {
            let has =
                is_x86_feature_detected!("avx512vbmi") && is_x86_feature_detected!("avx512vbmi2");
            Avx512::detect().filter(|_| has).map(Unit::Avx512)
        };
        let narrow = || Avx2::detect().map(Unit::Avx2);
        let unit = match path {
            CpuPath::Scalar => None,
            CpuPath::Avx2 => narrow(),
            CpuPath::Avx512 => wide().or_else(narrow),
        };
        unit.map(Units)
    }

    /// Unpacks whole groups of records into as many positions; what is left behind
    /// the last one is not looked at. Bit j of `valid[i]` is set where record
    /// `GROUP * i + j` is valid; of the others, nothing is known, and the position
    /// is any bits.
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
            Unit::Avx2(unit) => unsafe { compiled_avx2::<S>(unit, groups, positions, valid) },
            Unit::Avx512(unit) => unsafe { compiled_avx512::<S>(unit, groups, positions, valid) },
        }
    }

    /// Whether SEE has a meaning in all of these positions, as far as they make up
    /// whole groups; what is left behind the last one is not looked at.
    pub(crate) fn all_sound(self, positions: &[Position]) -> bool {
        let (groups, _) = positions.as_chunks();
        match self.0 {
            Unit::Avx2(unit) => unsafe { sound_avx2(unit, groups) },
            Unit::Avx512(unit) => unsafe { sound_avx512(unit, groups) },
        }
    }
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_avx2<S: Scheme>(
    unit: Avx2,
    records: &[Rows],
    positions: &mut [Positions],
    valid: &mut [u8],
) {
    run::<Avx2, S>(unit, records, positions, valid);
}

#[rustfmt::skip]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt")]
fn compiled_avx512<S: Scheme>(
    unit: Avx512,
    records: &[Rows],
    positions: &mut [Positions],
    valid: &mut [u8],
) {
    run::<Avx512, S>(unit, records, positions, valid);
}

#[target_feature(enable = "avx2,bmi1,bmi2,lzcnt,popcnt")]
fn sound_avx2(unit: Avx2, groups: &[Positions]) -> bool {
    all_sound(unit, groups)
}

#[rustfmt::skip]
#[target_feature(enable = "avx512f,avx512bw,avx512cd,avx512dq,avx512vl,avx512vpopcntdq,avx512vbmi,avx512vbmi2,gfni,bmi1,bmi2,lzcnt,popcnt")]
fn sound_avx512(unit: Avx512, groups: &[Positions]) -> bool {
    all_sound(unit, groups)
}

#[inline(always)]
fn all_sound<U: Unpack>(unit: U, groups: &[Positions]) -> bool {
    let sound = |all: u8, positions| all & unit.sound(positions);
    groups.iter().fold(u8::MAX, sound) == u8::MAX
}

/// Positions as they are: the side to move is one of two, and no byte is their own.
struct Packed;

impl Scheme for Packed {
    const CODES: [Codes; 2] = [[0; 64]; 2];
    const TURN: u8 = 1;
    const FLIP: u64 = 0;
    const ZERO: u64 = 0;
    const RESULT: u64 = 0;
}

/// What a unit does with a group.
trait Unpack: Copy {
    /// The planes of its records, unchecked.
    fn unpack<S: Scheme>(self, records: &Rows, positions: &mut Positions);

    /// One bit for each record that is valid, given its planes.
    fn valid<S: Scheme>(self, records: &Rows, positions: &Positions) -> u8;

    /// One bit for each position that is sound.
    fn sound(self, positions: &Positions) -> u8;
}

/// How many groups are unpacked before the first of them is tested. Unpacking keeps
/// other parts of the machine busy than testing, so that both run side by side, and
/// what is tested must have left the registers.
const LEAD: usize = 2;

/// How far ahead of what is tested memory is asked for, in bytes.
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
        *valid = unit.valid::<S>(&records[i], &positions[i]);
    }
}

#[inline(always)]
fn prefetch(records: &Rows) {
    for line in records.as_flattened().as_chunks::<64>().0 {
        unsafe { _mm_prefetch::<_MM_HINT_T0>(line.as_ptr().wrapping_add(AHEAD).cast()) }
    }
}
