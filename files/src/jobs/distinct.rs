//! How many different things were seen, estimated in little memory: `HyperLogLog`.
//!
//! Each thing has a hash. The first [`BITS`] bits of the hash choose a register; the register keeps
//! the largest number of zeros, plus one, with which the rest of a hash began. A rest that begins
//! with so many zeros comes once in `2^(zeros + 1)` hashes, so the registers tell how many
//! different hashes there were. A hash that comes again changes nothing.
//!
//! ```text
//! add(hash):   register = hash >> 48
//!              rank     = leading zeros of the other 48 bits + 1
//!              registers[register] = max(registers[register], rank)
//! add_all:     the maximum, register by register
//! ```
//!
//! So the order does not count, and neither does how the things were divided among threads and
//! files: the maximum of maxima is the same. The standard error is 1.04 / sqrt(registers), here
//! 0.41 %: two of three estimates are that close, and 997 of 1,000 are within three times as much.
//!
//! The estimate is that of Otmar Ertl, "New cardinality estimation algorithms for `HyperLogLog`
//! sketches" (2017), algorithm 6: it needs no table of corrections, and it also holds for few
//! things, where the first estimates of the literature are too high.

#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)] // an estimate

use serde::{Deserialize, Serialize};

/// Bits of the hash that choose a register.
const BITS: u32 = 16;
const REGISTERS: usize = 1 << BITS;
/// The bits that are left.
const REST: usize = 64 - BITS as usize;

/// What was seen of a set.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
pub struct Sketch {
    /// Empty as long as nothing was seen.
    registers: Vec<u8>,
    /// In place of the registers, once they are no longer needed.
    settled: Option<u64>,
}

impl Sketch {
    /// The standard error of an estimate, relative to it.
    pub fn standard_error() -> f64 {
        1.04 / (REGISTERS as f64).sqrt()
    }

    /// Adds the hash of a thing. All its bits must be evenly distributed.
    #[inline]
    pub fn add(&mut self, hash: u64) {
        if self.registers.is_empty() {
            self.registers.resize(REGISTERS, 0);
        }
        let register = &mut self.registers[(hash >> REST) as usize];
        // The bit after the rest ends a run of zeros.
        let rest = hash << BITS | 1 << (BITS - 1);
        *register = (*register).max(rest.leading_zeros() as u8 + 1);
    }

    /// Adds what another one has seen.
    pub fn add_all(&mut self, other: &Sketch) {
        if self.registers.is_empty() {
            self.registers.clone_from(&other.registers);
            return;
        }
        for (register, &of_other) in self.registers.iter_mut().zip(&other.registers) {
            *register = (*register).max(of_other);
        }
    }

    /// Keeps the estimate only. Nothing may be added afterwards.
    pub fn settle(&mut self) {
        self.settled = Some(self.estimate());
        self.registers = Vec::new();
    }

    /// About how many different things were seen.
    pub fn estimate(&self) -> u64 {
        if let Some(settled) = self.settled {
            return settled;
        }
        if self.registers.is_empty() {
            return 0;
        }
        // How many registers have each rank.
        let mut counts = [0_u32; REST + 2];
        for &rank in &self.registers {
            counts[usize::from(rank)] += 1;
        }
        let all = REGISTERS as f64;
        let share = |rank: usize| f64::from(counts[rank]) / all;
        let mut sum = all * tau(1.0 - share(REST + 1));
        for rank in (1..=REST).rev() {
            sum = 0.5 * (sum + f64::from(counts[rank]));
        }
        sum += all * sigma(share(0));
        let alpha = 0.5 / core::f64::consts::LN_2;
        (alpha * all * all / sum).round() as u64
    }
}

/// The part of the registers that saw nothing: x + the sum of x^(2^k) * 2^(k - 1) over k from 1.
fn sigma(x: f64) -> f64 {
    if x >= 1.0 {
        return f64::INFINITY;
    }
    let mut power = x;
    let mut factor = 1.0;
    let mut sum = x;
    loop {
        power *= power;
        let before = sum;
        sum += power * factor;
        factor += factor;
        if sum <= before {
            return sum;
        }
    }
}

/// The part of the registers that are full: (1 - x - the sum of (1 - x^(2^-k))^2 * 2^-k over k from
/// 1) / 3.
fn tau(x: f64) -> f64 {
    if x <= 0.0 || x >= 1.0 {
        return 0.0;
    }
    let mut root = x;
    let mut factor = 1.0;
    let mut sum = 1.0 - x;
    loop {
        root = root.sqrt();
        let before = sum;
        factor *= 0.5;
        sum -= (1.0 - root).powi(2) * factor;
        if sum >= before {
            return sum / 3.0;
        }
    }
}
