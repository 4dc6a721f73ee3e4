//! Shared by the test binaries of files: games, chains and records that the tests make themselves,
//! beside what the tests of SEE share.

#![allow(dead_code, missing_docs)]

#[cfg(feature = "gpu")]
#[path = "../../../tests/common/adapter.rs"]
pub mod adapter;
#[path = "../../../tests/common/answers.rs"]
pub mod answers;
#[path = "../../../tests/common/any.rs"]
pub mod any;
#[path = "../../../tests/common/boards.rs"]
pub mod boards;
pub mod chains;
pub mod coded;
#[path = "../../../tests/common/data.rs"]
pub mod data;
pub mod games;
#[cfg(feature = "gpu")]
#[path = "../../../tests/common/gpu.rs"]
pub mod gpu;
#[cfg(feature = "gpu")]
#[path = "../../../tests/common/host.rs"]
pub mod host;
#[cfg(feature = "gpu")]
#[path = "../../../tests/common/mutant.rs"]
pub mod mutant;
pub mod odd;
#[path = "../../../tests/common/oracle.rs"]
pub mod oracle;
pub mod records;
#[path = "../../../tests/common/rules.rs"]
pub mod rules;
#[cfg(feature = "gpu")]
#[path = "../../../tests/common/wgsl.rs"]
pub mod wgsl;
pub mod written;
