//! Text that was not understood.

/// Why a name, a number, a move, a setting, a line, a format to write or a filter of positions was
/// refused; the message says what was expected.
#[derive(Clone, Debug, PartialEq, Eq, thiserror::Error)]
#[error("{0}")]
pub struct ParseError(String);

impl ParseError {
    /// With this message.
    pub fn new(message: impl Into<String>) -> ParseError {
        ParseError(message.into())
    }

    /// For an unknown name of one of an option's choices.
    pub fn unknown(option: &str, name: &str, choices: &[&str]) -> ParseError {
        let choices = choices.join(", ");
        ParseError(format!(
            "unknown {option} '{name}', expected one of: {choices}"
        ))
    }
}
