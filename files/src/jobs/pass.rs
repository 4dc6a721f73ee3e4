//! The passes of a mix over the data, which its progress names.

use core::fmt;

/// One reading of the inputs or of temporary files.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
#[non_exhaustive]
pub enum Pass {
    /// Reads compressed inputs to measure them, as they are interleaved by size.
    Measure,
    /// Reads the files whose positions are left out.
    Exclude,
    /// Reads all inputs to find duplicates.
    Duplicates,
    /// Compares what that pass has put into temporary files.
    Compare,
    /// Reads all inputs and puts what is kept into temporary files.
    Deal,
    /// Reads the temporary files, and writes the outputs.
    Write,
    /// Reads all inputs and writes the outputs.
    Interleave,
}

/// Writes what the pass does, in a word or two for a progress bar.
impl fmt::Display for Pass {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(match self {
            Pass::Measure => "measuring",
            Pass::Exclude => "reading what is excluded",
            Pass::Duplicates => "finding duplicates",
            Pass::Compare => "comparing",
            Pass::Deal => "reading",
            Pass::Write => "writing",
            Pass::Interleave => "interleaving",
        })
    }
}
