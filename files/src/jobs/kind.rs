//! The kinds of jobs, by their names in messages and summaries.

use swaplist::choices;

choices! {
    "job",
    /// A kind of job. The default is that of an empty [`Summary`](super::Summary), and means
    /// nothing.
    #[derive(Default)]
    #[non_exhaustive]
    pub enum JobKind {
        /// Writes the records in another format.
        #[default]
        Convert = "convert",
        /// Counts what the records hold.
        Count = "count",
        /// Keeps some records.
        Filter = "filter",
        /// Makes one file of several.
        Mix = "mix",
        /// Scores moves.
        Score = "score",
        /// Finds what is wrong with records.
        Validate = "validate",
        /// Judges positions.
        Verdict = "verdict",
    }
}
