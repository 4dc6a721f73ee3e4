//! What a mix will weigh, said before it begins, and whether the disk has room for it.
//!
//! The first block of each input is decoded and encoded as the mix would: the bytes that come of
//! it, times the length of the input, are the estimate.

#![allow(clippy::cast_precision_loss)] // sizes are estimates

use std::path::Path;

use super::duplicates;
use super::events::Event;
use super::memory::Weight;
use super::options::{Options, Order, SplitBy};
use super::run::Run;
use super::source::Source;
use super::task::{Mixed, Shared};
use crate::formats::Format;
use crate::jobs::error::{Error, Result};
use crate::jobs::output::Output;
use crate::jobs::present;
use crate::jobs::step::Step;

/// The part of an estimate that will surely be needed.
const SURELY: f64 = 0.9;

/// Bytes that are decompressed to find out how much a file is compressed.
const LOOK: u64 = 8 << 20;

/// Looks at an input's first block. `None` for a stream.
pub fn weigh(
    source: &mut Source,
    to: Format,
    options: &Options,
    shared: &Shared,
) -> Result<Option<Weight>> {
    let Some(length) = source.length() else {
        return Ok(None);
    };
    let mut bytes = length as f64;
    if source.is_compressed {
        let (unpacked, packed) = source.compression(LOOK)?;
        bytes *= unpacked as f64 / packed as f64;
    }
    let opened = source.read(0, to, options, shared, 1)?;
    let context = opened.context;
    let mut reader = opened.reader;
    // An error is reported when it is read in earnest.
    let first = reader.next_block();
    let Ok(Some(block)) = first else {
        return Ok(Some(Weight {
            bytes,
            breaks_off: first.is_err(),
            ..Weight::default()
        }));
    };
    let mut step = Step::default();
    step.begin(block);
    while context.decode(&mut step, opened.plans.cpu.records_a_part) {
        context.write(&mut step)?;
    }
    let done = step.end();
    let Mixed { items, encoded, .. } = &done.made;
    let temporary: usize = items.iter().map(|items| items.bytes.len()).sum();
    let count: usize = items.iter().map(|items| items.count).sum();
    let overhead = shared.layout.overhead() * count;
    let interleaved: usize = encoded.iter().map(|encoded| encoded.bytes.len()).sum();
    let written = temporary.saturating_sub(overhead) + interleaved;
    let times = bytes / (done.tally.bytes as f64).max(1.0);
    Ok(Some(Weight {
        bytes,
        records: done.tally.records as f64 * times,
        written: written as f64 * times,
        temporary: temporary as f64 * times,
        breaks_off: done.invalid.is_some(),
    }))
}

/// What a folder has to hold.
struct Need<'a> {
    folder: &'a Path,
    bytes: f64,
    /// Whether the estimate is of what will be written, and not of the most that may be.
    is_certain: bool,
}

impl Run<'_, '_> {
    /// What all inputs weigh; `None` if one is a stream. `shared`: as if all records were kept.
    pub(super) fn weigh(&mut self, shared: &Shared) -> Result<Option<Weight>> {
        let mut all = Weight::default();
        let options = self.mix.options.clone();
        for source in &mut self.mix.sources {
            let Some(one) = weigh(source, self.to, &options, shared)? else {
                return Ok(None);
            };
            all.bytes += one.bytes;
            all.records += one.records;
            all.written += one.written;
            all.temporary += one.temporary;
            all.breaks_off |= one.breaks_off;
        }
        let mut taken = options.sample.unwrap_or(1.0);
        all.temporary *= taken;
        if let Some(limit) = options.limit {
            taken = taken.min(limit as f64 / all.records.max(1.0));
        }
        all.written *= taken;
        Ok(Some(all))
    }

    /// Notes what the mix will weigh, and refuses it if there is no room.
    pub(super) fn tell_weight(&self) -> Result<()> {
        let teller = &self.mix.teller;
        let Some(weight) = &self.weight else {
            return teller
                .note("the size of the output is not known beforehand, as an input is a stream");
        };
        if !weight.breaks_off {
            let text = self.weight_text(weight);
            teller.tell(Event::Weight(&text))?;
        }
        if let Some(units) = self.to.units().filter(|_| self.mix.options.records) {
            let name = self.to.name();
            teller.note(&format!(
                "each record is written by itself: {name} is much smaller with whole {units}"
            ))?;
        }
        self.check_room(weight)
    }

    /// The word before a size.
    fn most(&self) -> &'static str {
        if self.mix.options.drops_some() {
            "at most"
        } else {
            "about"
        }
    }

    fn compresses(&self) -> bool {
        self.mix.outputs.iter().any(Output::compresses)
    }

    /// Bytes of temporary files while duplicates are looked for.
    pub(super) fn of_scan(&self, weight: &Weight) -> f64 {
        match self.mix.options.dedupe {
            Some(_) => {
                let sampled = self.mix.options.sample.unwrap_or(1.0);
                weight.records * sampled * duplicates::ENTRY as f64
            }
            None => 0.0,
        }
    }

    /// Bytes of temporary files at a time, of the pass that needs more.
    fn temporary(&self, weight: &Weight) -> f64 {
        let of_shuffle = match self.mix.options.order {
            Order::Shuffle => weight.temporary,
            _ => 0.0,
        };
        self.of_scan(weight).max(of_shuffle)
    }

    /// Whether that is what will be written, and not the most that may be.
    fn is_temporary_certain(&self, weight: &Weight) -> bool {
        let options = &self.mix.options;
        // Duplicates go after their pass.
        let of_scan = self.of_scan(weight);
        !options.filters() && (options.dedupe.is_none() || of_scan >= self.temporary(weight))
    }

    /// What the output and the temporary files will weigh.
    fn weight_text(&self, weight: &Weight) -> String {
        let options = &self.mix.options;
        let most = self.most();
        let output = present::size(weight.written);
        let before = if self.compresses() {
            " before compression"
        } else {
            ""
        };
        // Where positions go, games and chains begin anew.
        let splits_positions = !options.split.is_empty() && options.split_by == SplitBy::Position;
        let breaks = options.drops_some() || splits_positions;
        let breaks_units = breaks && self.shared.is_whole;
        let single = self.to.spec().single_bytes.filter(|_| breaks_units);
        let mut text = match (single, self.to.units()) {
            (Some(single), Some(units)) => {
                let broken_up = present::size(weight.records * single as f64);
                format!(
                    "the output will weigh about {output}{before} as a whole, and up to {broken_up} as \
                     positions go that break up {units}"
                )
            }
            _ => format!("the output will weigh {most} {output}{before}"),
        };
        let temporary = self.temporary(weight);
        if temporary > 0.0 {
            let folder = present::path(&self.folder.0);
            let size = present::size(temporary);
            text = format!("{text}, and temporary files in '{folder}' {size}");
        }
        text
    }

    /// What the folders have to hold, the most first.
    fn needs(&self, weight: &Weight) -> Vec<Need<'_>> {
        let mut needs: Vec<Need<'_>> = Vec::new();
        let split = &self.mix.options.split;
        let all_shares: f64 = split.iter().sum();
        for (number, folder) in self.mix.folders.iter().enumerate() {
            let Some(folder) = folder.as_deref() else {
                continue;
            };
            let share = split.get(number).map_or(1.0, |share| share / all_shares);
            let bytes = weight.written * share;
            // Outputs on one disk are added up.
            match needs
                .iter_mut()
                .find(|need| on_one_disk(need.folder, folder))
            {
                Some(need) => need.bytes += bytes,
                None => needs.push(Need {
                    folder,
                    bytes,
                    is_certain: !self.mix.options.drops_some() && !self.compresses(),
                }),
            }
        }
        let temporary = self.temporary(weight);
        if temporary > 0.0 {
            needs.push(Need {
                folder: &self.folder.0,
                bytes: temporary,
                is_certain: self.is_temporary_certain(weight),
            });
        }
        // Temporary files are not added to outputs on the same disk, which grow as those go.
        needs.sort_by(|one, other| other.bytes.total_cmp(&one.bytes));
        needs
    }

    /// Refuses the mix if a folder surely has no room for it; notes it if it may have none.
    fn check_room(&self, weight: &Weight) -> Result<()> {
        let mut tight: Vec<(&Path, String)> = Vec::new();
        for need in self.needs(weight) {
            let Some(free) = free(need.folder).map(|free| free as f64) else {
                continue;
            };
            // Sizes are told by each input's first block.
            if need.bytes <= free {
                continue;
            }
            let folder = present::path(need.folder);
            let bytes = present::size(need.bytes);
            let left = present::size(free);
            let most = if need.is_certain { "about" } else { "at most" };
            let text = format!("'{folder}' has {left} left, and {most} {bytes} are needed");
            if need.is_certain && need.bytes * SURELY > free {
                return Err(Error::refused(format!(
                    "{text}; make room, choose another folder, or take fewer records"
                )));
            }
            if tight
                .iter()
                .all(|(other, _)| !on_one_disk(other, need.folder))
            {
                tight.push((need.folder, text));
            }
        }
        for (_, text) in tight {
            self.mix.teller.note(&text)?;
        }
        Ok(())
    }
}

/// Bytes that are free in a folder, if the system tells.
pub fn free(folder: &Path) -> Option<u64> {
    #[cfg(not(target_arch = "wasm32"))]
    return fs4::available_space(folder).ok();
    #[cfg(target_arch = "wasm32")]
    {
        let _ = folder;
        None
    }
}

/// Whether two folders are on one file system, as far as is known.
pub fn on_one_disk(a: &Path, b: &Path) -> bool {
    #[cfg(unix)]
    {
        use std::os::unix::fs::MetadataExt as _;
        let device = |folder: &Path| std::fs::metadata(folder).map(|found| found.dev()).ok();
        device(a) == device(b)
    }
    #[cfg(not(unix))]
    {
        let root = |folder: &Path| {
            let folder = std::fs::canonicalize(folder).ok()?;
            Some(folder.components().next()?.as_os_str().to_owned())
        };
        root(a) == root(b)
    }
}
