//! What a device does with the records of a file, as data.
//!
//! A [`Recipe`] names its kernels, the bounds that positions are judged by, and the filter's
//! rules as comparisons. `filter --preset quiet` of a binpack becomes:
//!
//! ```text
//! decoder     DecodeBinpack
//! bounds      SEE above 0, without facts on the played move
//! encoder     MarkBinpack
//! rules       quantity InCheck, kept from 0 to 0, with the number of the rule's reason
//!             quantity See,     kept from 0 to 0: it is 1 if the bound is exceeded
//! ```
//!
//! The shader (`reason` in `files/shaders/encode.wgsl`) takes the rules in this order: the first
//! one whose quantity is out of its range drops the record, for its reason. So counts by reason are
//! the CPU's.

use super::BatchLayout;
use crate::filter::{Comparison, Filter, KEPT, Reason};
use crate::formats::{Action, Field, Format};
use swaplist::{Bounds, Rules};

/// A kernel that decodes or encodes the records of a file: an entry point of
/// [`decoder`](super::decoder) or [`encoder`](super::encoder). Between the two, the positions are judged.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(super) enum FileKernel {
    /// Decodes chains of a binpack.
    DecodeBinpack,
    /// Decodes the games of a viriformat file, one for each row.
    DecodeViriformat,
    /// Writes the chains of a binpack with marks.
    MarkBinpack,
    /// Writes games of viriformat with marks.
    MarkViriformat,
    /// Writes each run of kept records of a game of viriformat as a game of its own.
    DropViriformat,
}

/// A filter of a file as data for a device; see the head of `device/recipe.rs`.
#[derive(Clone, Debug, PartialEq)]
pub struct Recipe {
    /// The kernel that decodes the file.
    pub(super) decoder: FileKernel,
    /// The kernel that decides which records are kept, and encodes the units.
    pub(super) encoder: FileKernel,
    /// The rules of SEE by which positions are judged.
    pub(super) rules: Rules,
    /// The bounds that positions are judged by.
    pub(super) bounds: Bounds,
    /// Whether the kernel that judges finds facts on the played move, too.
    pub(super) with_facts: bool,
    /// Rules that drop records, in the filter's order, each with the reason that it gives.
    comparisons: Vec<(Comparison, Reason)>,
    /// Whether the filter is inverted: it keeps the records that these rules drop.
    is_inverted: bool,
    /// Whether every game must say which move it begins with, as a chain always does.
    needs_numbers: bool,
}

/// The most rules that the shader looks at: `MAX_RULES` of `files/shaders/encode.wgsl`. A filter
/// with more comparisons is left to the CPU. Tests fail if there are more quantities than this.
const MOST_RULES: usize = 20;

impl Recipe {
    /// How a device filters a file of this format, with `refusal` done to the records that are not
    /// kept. `None` if it cannot: there is no kernel for the format and the action, or a rule of
    /// the filter is not a comparison.
    pub(crate) fn new(format: Format, refusal: Action, filter: &Filter) -> Option<Recipe> {
        let (decoder, encoder) = match (format, refusal) {
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
        // With facts the kernel also tests that played moves are legal, as the CPU does where a
        // rule asks about them.
        let asks_move = filter.needs().any(|field| field == Field::Played);
        let asks_facts = comparisons.iter().any(|(rule, _)| rule.quantity.is_fact());
        Some(Recipe {
            decoder,
            encoder,
            rules: *filter.see_rules(),
            bounds: filter.bounds(),
            with_facts: asks_move || asks_facts,
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

    /// The table that the encoder reads, in words: four places in its output, the number of rules,
    /// and the reason of an inverted filter, or else [`KEPT`]. Then four words for each rule: the
    /// quantity, the lowest and the highest number that are kept, and the reason.
    pub(super) fn table(&self, layout: &BatchLayout) -> Vec<u32> {
        // An inverted filter drops the records that no rule drops: `QUIET` is this reason.
        let inverted_reason = if self.is_inverted {
            Reason::QUIET.index()
        } else {
            KEPT
        };
        let mut table = vec![
            layout.results_at,
            layout.marks_at,
            layout.text_at,
            layout.text_end,
            self.comparisons.len() as u32,
            inverted_reason as u32,
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

    /// Whether the encoder only says which records are marked, a bit for each, and writes no text.
    /// So it is in viriformat, where a mark changes two bytes of a record and nothing else.
    pub(super) const fn marks_records(&self) -> bool {
        matches!(self.encoder, FileKernel::MarkViriformat)
    }
}
