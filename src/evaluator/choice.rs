//! The choice of a backend.

use core::fmt;
use core::str::FromStr;

use crate::ParseError;

/// The choice of a backend.
#[derive(Clone, Debug, Default, PartialEq, Eq)]
pub enum BackendChoice {
    /// The CPU; after a while the faster of the CPU and the best real GPU, by one measurement.
    /// Never a software adapter.
    #[default]
    Auto,
    /// The CPU.
    Cpu,
    /// A GPU, also a software adapter; with a text, the first whose name contains it, ignoring
    /// case.
    Gpu(Option<String>),
}

/// Parses `auto`, `cpu`, `gpu` or `gpu:NAME`.
impl FromStr for BackendChoice {
    type Err = ParseError;

    fn from_str(text: &str) -> Result<BackendChoice, ParseError> {
        let gpu = text.strip_prefix("gpu:").filter(|name| !name.is_empty());
        match (text, gpu) {
            ("auto", _) => Ok(BackendChoice::Auto),
            ("cpu", _) => Ok(BackendChoice::Cpu),
            ("gpu", _) => Ok(BackendChoice::Gpu(None)),
            (_, Some(name)) => Ok(BackendChoice::Gpu(Some(name.to_owned()))),
            _ => Err(ParseError::new(format!(
                "unknown backend '{text}', expected auto, cpu, gpu or gpu:NAME"
            ))),
        }
    }
}

impl fmt::Display for BackendChoice {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            BackendChoice::Auto => f.write_str("auto"),
            BackendChoice::Cpu => f.write_str("cpu"),
            BackendChoice::Gpu(None) => f.write_str("gpu"),
            BackendChoice::Gpu(Some(name)) => write!(f, "gpu:{name}"),
        }
    }
}
