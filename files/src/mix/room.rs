//! Refuses a mix for which a disk surely has no room.
//!
//! Nothing is read for this. The length of an input and the largest record of its format tell how
//! many records it has at least, and the smallest record of the output's format how many bytes they
//! take. So only what is certain is refused, before hours of work. A disk that runs full later is
//! an error that names the folder, and leaves nothing.

#![allow(clippy::cast_precision_loss)] // sizes are shown rounded

use std::path::Path;

use super::duplicates;
use super::items::Layout;
use super::options::Order;
use super::run::Run;
use crate::jobs::error::{Error, Result};
use crate::jobs::output::Output;
use crate::report;

/// The part of a need that is certain although samples and splits are drawn, and although lines of
/// text may be written shorter than they were read.
const SURELY: f64 = 0.9;

/// The fewest records and bytes that come of all inputs, if every record is kept.
#[derive(Clone, Copy, Debug, Default)]
struct Least {
    records: f64,
    /// Bytes of the outputs together.
    written: f64,
    /// Bytes of temporary files in a shuffle.
    shuffled: f64,
}

/// The bytes that a folder has to hold.
struct Need<'a> {
    folder: &'a Path,
    bytes: f64,
}

impl Run<'_, '_> {
    /// Refuses the mix if a folder surely has no room for it. Notes if it has none in case every
    /// record is kept.
    pub(super) fn check_room(&self) -> Result<()> {
        for is_sure in [true, false] {
            for Need { folder, bytes } in self.needs(is_sure) {
                let Some(free) = free(folder).filter(|free| bytes * SURELY > *free as f64) else {
                    continue;
                };
                let folder = report::path(folder);
                let left = report::size(free as f64);
                let bytes = report::size(bytes);
                if is_sure {
                    return Err(Error::refused(format!(
                        "'{folder}' has {left} left, and at least {bytes} are needed; make room, \
                         choose another folder, or take fewer records"
                    )));
                }
                self.mix.caller.teller.note(&format!(
                    "'{folder}' has {left} left, and {bytes} or more are needed if all records \
                     are kept"
                ));
            }
        }
        Ok(())
    }

    /// What the folders have to hold: one entry for each disk. `is_sure` leaves out what is only
    /// needed if every record is kept.
    fn needs(&self, is_sure: bool) -> Vec<Need<'_>> {
        let options = &self.mix.options;
        let least = self.least();
        let mut needs: Vec<Need<'_>> = Vec::new();
        let is_compressed = self.mix.outputs.iter().any(Output::compresses);
        if !is_sure || !options.drops_some() && !is_compressed {
            let all_shares: f64 = options.split.iter().sum();
            for (number, folder) in self.mix.folders.iter().enumerate() {
                let Some(folder) = folder.as_deref() else {
                    continue;
                };
                let share = options.split.get(number);
                let bytes = least.written * share.map_or(1.0, |share| share / all_shares);
                match on_disk_of(folder, &mut needs) {
                    Some(need) => need.bytes += bytes,
                    None => needs.push(Need { folder, bytes }),
                }
            }
        }
        let mut temporary: f64 = 0.0;
        if options.dedupe.is_some() && !(is_sure && options.filters()) {
            temporary = least.records * duplicates::ENTRY as f64;
        }
        if options.order == Order::Shuffle && !(is_sure && options.drops_some()) {
            temporary = temporary.max(least.shuffled);
        }
        // Temporary files become fewer while the outputs grow, so they are not added to these.
        let folder = &*self.folder.0;
        let bytes = temporary;
        match on_disk_of(folder, &mut needs) {
            Some(need) => need.bytes = need.bytes.max(bytes),
            None => needs.push(Need { folder, bytes }),
        }
        needs
    }

    /// What comes of all inputs at least. A stream has no length, so nothing is known of it.
    fn least(&self) -> Least {
        let options = &self.mix.options;
        let single = self.to.spec().single_bytes;
        let each = match self.shared.layout {
            Layout::Fixed(bytes) => Some(bytes),
            Layout::Sized => single.filter(|_| !self.shared.is_whole),
        };
        let mut least = Least::default();
        for source in &self.mix.sources {
            let length = source.length().unwrap_or(0) as f64;
            let spec = source.format.spec();
            let largest = spec.record_bytes.or(spec.single_bytes);
            let records = largest.map_or(0.0, |bytes| length / bytes as f64);
            let records = records * options.sample.unwrap_or(1.0);
            let written = match each {
                Some(bytes) => records * bytes as f64,
                None if source.copies(self.to) => length * options.sample.unwrap_or(1.0),
                None => 0.0,
            };
            least.records += records;
            least.written += written;
            let overhead = each.map_or(0, |_| self.shared.layout.overhead());
            least.shuffled += written + records * overhead as f64;
        }
        if let Some(limit) = options.job.limit {
            let at_most = each.map_or(0.0, |bytes| limit as f64 * bytes as f64);
            least.written = least.written.min(at_most);
        }
        least
    }
}

/// The need of a folder on the same disk.
fn on_disk_of<'n, 'a>(folder: &Path, needs: &'n mut [Need<'a>]) -> Option<&'n mut Need<'a>> {
    needs
        .iter_mut()
        .find(|need| are_on_one_disk(need.folder, folder))
}

/// Bytes that are free in a folder, if the system tells.
fn free(folder: &Path) -> Option<u64> {
    #[cfg(not(target_arch = "wasm32"))]
    return fs4::available_space(folder).ok();
    #[cfg(target_arch = "wasm32")]
    {
        let _ = folder;
        None
    }
}

/// Whether two folders are on one file system, as far as is known.
fn are_on_one_disk(a: &Path, b: &Path) -> bool {
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
