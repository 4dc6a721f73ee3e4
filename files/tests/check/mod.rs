//! Answers of other engines: which rules they follow, and which fault they have. The engines with
//! faults are the library's own, so these are tests of the library itself.

#![allow(missing_docs)]

mod around;
mod blocks;
mod calls;
mod diagnosis;
mod engines;
mod explain;
mod faults;
mod fitting;
mod forms;
mod json;
mod numbers;
mod outer_calls;
mod parsing;
mod pasted;
mod reading;
mod see_suite;
mod suggestions;
mod tables;
mod whole;
