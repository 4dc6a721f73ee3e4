//! Errors for filters that need a field that records lack.

use crate::filter::{Field, Filter};
use crate::formats::Format;
use crate::jobs::error::{Error, ErrorKind, Result};

/// An error if no record of this format holds a field that the filter needs.
pub fn refuse(filter: &Filter, format: Format, input: &str) -> Result<()> {
    let lacks = |field: &Field| !field.is_of(format);
    let Some(first) = filter.needs().find(lacks) else {
        return Ok(());
    };
    let lacking = filter
        .needs()
        .filter(lacks)
        .map(|field| format!("the {field}"));
    let lacking: Vec<String> = lacking.collect();
    let can = |format: &&Format| filter.needs().all(|field| field.is_of(**format));
    let others: Vec<&str> = Format::ALL.iter().filter(can).map(|f| f.name()).collect();
    let message = format!(
        "{input}: the filter asks for {}, which {} never holds; filter data in a format that \
         does ({})",
        lacking.join(" and "),
        format.name(),
        others.join(", ")
    );
    Err(Error::new(ErrorKind::Missing(first), message))
}

/// Adds where the format holds the missing field, or how to convert.
pub fn explained(error: Error, format: Format) -> Error {
    let ErrorKind::Missing(field) = *error.kind() else {
        return error;
    };
    let form = field.form_in(format);
    let form = form.map_or_else(String::new, |form| {
        format!(" (in {}: {form})", format.name())
    });
    let convert = match (format, field) {
        (Format::Pgn, Field::Score) => {
            "; convert the games to binpack first, where those without any get the score 32002, \
             which means no score"
        }
        _ => "",
    };
    error.with_suffix(&format!("{form}{convert}"))
}
