//! Filters as text.

use core::fmt;

use super::{Filter, Reason};

impl Filter {
    /// The rules that are on: the reason, and when it drops a record.
    #[must_use]
    pub fn clauses(&self) -> Vec<(Reason, String)> {
        let rules = self.rules();
        rules
            .map(|(reason, rule, value)| (reason, (rule.words)(value, self.seed)))
            .collect()
    }
}

/// Writes the rules in one line.
impl fmt::Display for Filter {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let clauses: Vec<String> = self.clauses().into_iter().map(|(_, words)| words).collect();
        match (clauses.as_slice(), self.invert) {
            ([], false) => f.write_str("drops nothing"),
            ([], true) => f.write_str("drops everything"),
            (clauses, invert) => {
                f.write_str(if invert {
                    "keeps where "
                } else {
                    "drops where "
                })?;
                f.write_str(&clauses.join("; or "))
            }
        }
    }
}
