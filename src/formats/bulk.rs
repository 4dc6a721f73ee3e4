//! Decodes many 32-byte records at once: those that a vector unit finds valid, and the others
//! one by one.

use core::marker::PhantomData;

use bytemuck::Zeroable as _;

use super::Fault;
use super::isa::{Features, Isa, Work};
use crate::Position;
use crate::simd::{GROUP, Raw, Scheme, Units};

/// Records unpacked before they are used: enough for the vector unit, few enough to stay in
/// cache.
const CHUNK: usize = 1024;

/// A format of 32-byte records.
pub(crate) trait Bulk: Scheme {
    /// A record's position, or its fault.
    fn unpack<I: Isa>(isa: I, record: &Raw) -> Result<Position, Fault>;
}

/// Sets `positions` to those of the valid records, in order, and calls `refused` with the index
/// and fault of each other one. The old content of `positions` is overwritten, which saves
/// clearing it.
pub(crate) fn unpack_all<B: Bulk>(
    features: Features,
    records: &[Raw],
    positions: &mut Vec<Position>,
    refused: impl FnMut(usize, Fault),
) {
    positions.resize(records.len(), Position::zeroed());
    let valid = features.run(All::<B, _> {
        records,
        units: features.units,
        positions,
        refused,
        format: PhantomData,
    });
    positions.truncate(valid);
}

struct All<'a, B, F> {
    records: &'a [Raw],
    units: Option<Units>,
    /// As many as records.
    positions: &'a mut [Position],
    refused: F,
    format: PhantomData<B>,
}

impl<B: Bulk, F: FnMut(usize, Fault)> Work for All<'_, B, F> {
    /// The number of valid records.
    type Output = usize;

    #[inline(always)]
    fn run<I: Isa>(mut self, isa: I) -> usize {
        let mut kept = 0;
        let mut valid = [0; CHUNK / GROUP];
        for (start, chunk) in (0..).step_by(CHUNK).zip(self.records.chunks(CHUNK)) {
            let into = &mut self.positions[kept..kept + chunk.len()];
            if let Some(units) = self.units {
                units.unpack::<B>(chunk, into, &mut valid);
            }
            kept += if valid == [u8::MAX; CHUNK / GROUP] && chunk.len() == CHUNK {
                CHUNK
            } else {
                let refused = |i: usize, fault| (self.refused)(start + i, fault);
                close_up::<B, I>(isa, chunk, &valid, into, refused)
            };
        }
        kept
    }
}

/// Unpacks the records not known to be valid, and closes the gaps of invalid ones. Returns how
/// many remain.
#[inline(always)]
fn close_up<B: Bulk, I: Isa>(
    isa: I,
    records: &[Raw],
    valid: &[u8; CHUNK / GROUP],
    positions: &mut [Position],
    mut refused: impl FnMut(usize, Fault),
) -> usize {
    let whole = records.len() / GROUP;
    let mut kept = 0;
    for (group, records) in records.chunks(GROUP).enumerate() {
        let start = group * GROUP;
        // An incomplete last group was skipped.
        let valid = if group < whole { valid[group] } else { 0 };
        if valid == u8::MAX {
            if kept < start {
                positions.copy_within(start..start + GROUP, kept);
            }
            kept += GROUP;
            continue;
        }
        for (i, record) in records.iter().enumerate() {
            let position = if valid >> i & 1 == 1 {
                Ok(positions[start + i])
            } else {
                B::unpack(isa, record)
            };
            match position {
                Ok(position) => {
                    positions[kept] = position;
                    kept += 1;
                }
                Err(fault) => refused(start + i, fault),
            }
        }
    }
    kept
}

#[cfg(test)]
mod tests {
    use super::super::bulletformat::Bulletformat;
    use super::super::isa;
    use super::super::marlinformat::Marlinformat;
    use super::*;
    use crate::CpuPath;
    use std::collections::HashSet;

    fn random(state: &mut u64) -> u64 {
        *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
        let z = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
        let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
        z ^ z >> 31
    }

    /// A record that is often valid: two kings and random pieces.
    fn likely(state: &mut u64) -> Raw {
        let mut record = [0; 32];
        let sparse = random(state) & random(state);
        let occupied = match random(state) % 4 {
            0 => sparse & random(state),
            1 => sparse & random(state) & 0x00ff_ffff_ffff_ff00,
            2 => sparse,
            _ => random(state),
        };
        let pieces = occupied.count_ones().clamp(2, 32) as usize;
        let mut list: Vec<u8> = (0..pieces).map(|_| random(state) as u8 % 5).collect();
        for code in &mut list {
            *code |= (random(state) & 8) as u8;
        }
        let white = random(state) as usize % pieces;
        list[white] = 5;
        list[(white + 1 + random(state) as usize % (pieces - 1)) % pieces] = 13;
        for (i, code) in list.iter().enumerate() {
            record[8 + i / 2] |= code << (4 * (i % 2));
        }
        record[..8].copy_from_slice(&occupied.to_le_bytes());
        record
    }

    /// Plausible records of a format, every third with one to three bits changed, and some
    /// random ones.
    fn records(tail: impl Fn(u64, &mut Raw), seed: u64) -> Vec<Raw> {
        let mut state = seed;
        let mut all = Vec::new();
        for i in 0..200_000 {
            let mut record = likely(&mut state);
            tail(random(&mut state), &mut record);
            for _ in 0..(random(&mut state) % 4) * u64::from(i % 3 == 0) {
                let bit = random(&mut state) as usize % 256;
                record[bit / 8] ^= 1 << (bit % 8);
            }
            if i % 64 == 63 {
                let chance: [u64; 4] = core::array::from_fn(|_| random(&mut state));
                record = bytemuck::cast(chance);
            }
            all.push(record);
        }
        all
    }

    /// The paths of this machine.
    fn paths() -> impl Iterator<Item = CpuPath> {
        CpuPath::ALL.into_iter().filter(|path| path.is_available())
    }

    /// Compares all ways with decoding one record at a time in scalar code. Returns the number
    /// of valid records, and the kinds of faults met.
    fn agree<B: Bulk>(records: &[Raw]) -> (usize, HashSet<core::mem::Discriminant<Fault>>) {
        let one_by_one: Vec<_> = records
            .iter()
            .map(|record| B::unpack(isa::Portable, record))
            .collect();
        let all = paths().map(|path| agree_on::<B>(path, records, &one_by_one));
        all.last().expect("a path")
    }

    fn agree_on<B: Bulk>(
        path: CpuPath,
        records: &[Raw],
        one_by_one: &[Result<Position, Fault>],
    ) -> (usize, HashSet<core::mem::Discriminant<Fault>>) {
        // Arbitrary old content.
        let mut positions = vec![Position::zeroed(); records.len() / 2];
        let mut refused = Vec::new();
        unpack_all::<B>(Features::of(path), records, &mut positions, |i, fault| {
            refused.push((i, fault));
        });
        let mut left = positions.iter();
        let mut faults = refused.iter();
        for (i, expected) in one_by_one.iter().enumerate() {
            match expected {
                Ok(position) => assert_eq!(left.next(), Some(position), "{path}, record {i}"),
                Err(fault) => assert_eq!(faults.next(), Some(&(i, fault.clone()))),
            }
        }
        assert!(left.next().is_none() && faults.next().is_none());
        let kinds = refused
            .iter()
            .map(|(_, fault)| core::mem::discriminant(fault));
        (positions.len(), kinds.collect())
    }

    /// Each vector unit finds all valid records, except for `but`.
    fn finds_all<B: Bulk>(records: &[Raw], but: impl Fn(&Raw) -> bool) {
        let records = &records[..records.len() / GROUP * GROUP];
        for (path, units) in paths().filter_map(|path| Some((path, Units::of(path)?))) {
            let mut positions = vec![Position::zeroed(); records.len()];
            let mut valid = vec![0; records.len() / GROUP];
            units.unpack::<B>(records, &mut positions, &mut valid);
            for (i, record) in records.iter().enumerate() {
                let expected = B::unpack(isa::Portable, record);
                let found = valid[i / GROUP] >> (i % GROUP) & 1 == 1;
                assert!(but(record) || found == expected.is_ok(), "{path} {i}");
                assert!(!found || expected == Ok(positions[i]), "{path} {i}");
            }
        }
    }

    #[test]
    fn paths_have_the_units_of_their_names() {
        let name = |path| Units::of(path).map(|units| format!("{units:?}"));
        assert_eq!(name(CpuPath::Scalar), None);
        #[cfg(target_arch = "x86_64")]
        for path in [CpuPath::Avx2, CpuPath::Avx512]
            .into_iter()
            .filter(|path| path.is_available())
        {
            let name = name(path).unwrap_or_default().to_lowercase();
            let vbmi = is_x86_feature_detected!("avx512vbmi2");
            assert!(name.contains(path.name()) || !vbmi, "{path} {name}");
        }
    }

    fn of_bulletformat(random: u64, record: &mut Raw) {
        record[24..].copy_from_slice(&random.to_le_bytes());
        record[26] %= 3;
    }

    fn of_marlinformat(random: u64, record: &mut Raw) {
        record[24..].copy_from_slice(&random.to_le_bytes());
        record[30] %= 3;
        let square = if random >> 60 == 0 {
            40 + (random >> 8) as u8 % 8
        } else {
            64
        };
        record[24] = record[24] & 0x80 | square;
        // Unmoved rooks.
        if random >> 59 & 1 == 0 && record[8] & 7 == 3 {
            record[8] = record[8] & 0xf8 | 6;
        }
    }

    #[test]
    fn bulletformat_at_once_is_as_one_by_one() {
        let records = records(of_bulletformat, 1);
        let (valid, faults) = agree::<Bulletformat>(&records);
        assert!((10_000..190_000).contains(&valid), "{valid}");
        assert_eq!(faults.len(), 3);
        finds_all::<Bulletformat>(&records, |_| false);
        for length in 0..200 {
            agree::<Bulletformat>(&records[..length]);
        }
    }

    #[test]
    fn marlinformat_at_once_is_as_one_by_one() {
        let records = records(of_marlinformat, 2);
        let (valid, faults) = agree::<Marlinformat>(&records);
        assert!((10_000..190_000).contains(&valid), "{valid}");
        assert_eq!(faults.len(), 4);
        finds_all::<Marlinformat>(&records, |record| record[24] & 0x7f != 64);
    }
}
