//! Which files are read, and what decides which of their positions come, and in which order.

use std::ops::Range;
use std::sync::Arc;

use pyo3::exceptions::PyValueError;
use pyo3::prelude::*;
use swaplist_files::filter::{Filter, Settings};
use swaplist_files::random::mixed;

use super::files::File;
use super::skipping::Skipping;

/// Files, and what to take of them.
#[derive(Clone)]
pub struct Source {
    pub files: Arc<[File]>,
    /// The numbers of the files that are read.
    pub numbers: Range<usize>,
    pub filter: Filter,
    /// The seed of the filter's random rules.
    pub filter_seed: u64,
    pub skipping: Option<Arc<Skipping>>,
    /// Whether invalid records are skipped.
    pub skips: bool,
    /// The seed of all else that is drawn.
    pub seed: u64,
    /// Whether the order of blocks is drawn in each epoch; else it is that of the files.
    pub shuffles: bool,
    /// The number of this part of the files, and that of all.
    pub shard: (u64, u64),
}

impl Source {
    /// The seed of an epoch, or of a later pass of it by its number, for one purpose.
    pub fn seed_of(&self, pass: u64, purpose: u64) -> u64 {
        mixed(mixed(self.seed ^ purpose << 56).wrapping_add(pass))
    }

    /// The filter of a pass: its random rules draw anew in each. In the first one they draw as
    /// `filter` does.
    pub fn filter_of(&self, pass: u64) -> PyResult<Filter> {
        if pass == 0 {
            return Ok(self.filter.clone());
        }
        let changes = Settings {
            seed: Some(mixed(self.filter_seed).wrapping_add(mixed(pass))),
            ..Settings::default()
        };
        let filter = self.filter.changed(&changes);
        filter.map_err(|error| PyValueError::new_err(error.to_string()))
    }

    /// Whether there is a wanted frequency of numbers of pieces.
    pub fn has_curve(&self) -> bool {
        self.skipping
            .as_ref()
            .is_some_and(|skip| skip.curve().is_some())
    }

    /// Whether each epoch keeps other positions.
    pub fn is_random(&self) -> bool {
        let changed = self.filter_of(1);
        self.skipping.as_ref().is_some_and(|skip| skip.is_random())
            || changed.is_ok_and(|changed| changed != self.filter)
    }
}

/// Purposes of seeds.
pub const BLOCKS: u64 = 1;
pub const WINDOW: u64 = 2;
pub const SKIPPING: u64 = 3;

/// Whether nothing leaves out a position that can be trained on: neither a rule nor skipping.
pub fn keeps_all(filter: &Filter, skipping: Option<&Skipping>) -> bool {
    filter.clauses().next().is_none() && !filter.is_inverted() && skipping.is_none()
}
