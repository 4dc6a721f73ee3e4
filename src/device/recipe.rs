//! What a device does with the records of a file.

use super::Layout;
use crate::filter::{Comparison, Filter, Reason};
use crate::formats::{Action, Field, Format};
use crate::gpu::program::{FileKernel, Kernel};
use crate::{Bounds, Rules};

/// A filter of a file as data for a device.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// What decodes the file.
    pub decoder: FileKernel,
    /// What judges its positions.
    pub judging: Kernel,
    /// What decides and encodes.
    pub encoder: FileKernel,
    /// The rules of SEE.
    pub rules: Rules,
    /// The bounds that positions are judged by.
    pub bounds: Bounds,
    /// Rules that drop records, in their order.
    comparisons: Vec<(Comparison, Reason)>,
    /// Whether records are kept that these drop.
    is_inverted: bool,
    /// Whether every game must say which move it begins with, as a chain always does.
    needs_numbers: bool,
}

/// The reason of records that no rule drops, in the shader.
const KEPT: u32 = 31;

/// As many rules as the shader looks at.
const MOST_RULES: usize = 16;

impl Recipe {
    /// How a device filters this format with such records marked or dropped. `None` if it cannot.
    pub(crate) fn new(format: Format, others: Action, filter: &Filter) -> Option<Recipe> {
        let (decoder, encoder) = match (format, others) {
            (Format::Binpack, Action::Mark) => (FileKernel::DecodeBinpack, FileKernel::MarkBinpack),
            (Format::Viriformat, Action::Mark) => {
                (FileKernel::DecodeViriformat, FileKernel::MarkViriformat)
            }
            (Format::Viriformat, Action::Drop) => {
                (FileKernel::DecodeViriformat, FileKernel::DropViriformat)
            }
            _ => return None,
        };
        let comparisons = filter.comparisons()?;
        if comparisons.len() > MOST_RULES {
            return None;
        }
        let bounds = filter.bounds();
        // The CPU also tests that played moves are legal where a rule asks about them.
        let asks_move = filter.needs().any(|field| field == Field::Played);
        let asks_facts = comparisons.iter().any(|(rule, _)| rule.quantity.is_fact());
        Some(Recipe {
            decoder,
            judging: Kernel::Exceed {
                with_threat: bounds.asks_threat(),
                with_facts: asks_move || asks_facts,
            },
            encoder,
            rules: *filter.see_rules(),
            bounds,
            comparisons,
            is_inverted: filter.is_inverted(),
            needs_numbers: format == Format::Viriformat
                && filter.needs().any(|field| field == Field::Clocks),
        })
    }

    /// Whether every game of viriformat must say which move it begins with.
    pub(crate) const fn needs_numbers(&self) -> bool {
        self.needs_numbers
    }

    /// The table that the encoder reads: places in its output, then the rules. Four words a rule:
    /// the quantity, the lowest and the highest number that are kept, and the reason.
    pub(super) fn table(&self, layout: &Layout) -> Vec<u32> {
        let quiet = if self.is_inverted {
            Reason::QUIET.index() as u32
        } else {
            KEPT
        };
        let mut table = vec![
            layout.results_at,
            layout.text_at,
            layout.text_end,
            self.comparisons.len() as u32,
            quiet,
        ];
        for (rule, reason) in &self.comparisons {
            table.extend([
                rule.quantity as u32,
                rule.low.cast_unsigned(),
                rule.high.cast_unsigned(),
                reason.index() as u32,
            ]);
        }
        table
    }

    /// Whether the text of a unit is where its bytes were.
    pub(super) const fn keeps_places(&self) -> bool {
        matches!(self.encoder, FileKernel::MarkViriformat)
    }
}
