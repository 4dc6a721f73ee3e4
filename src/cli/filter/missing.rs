//! Rules that ask for what records do not hold: where that is, and the way out.

use anyhow::{Error, Result, anyhow, bail};
use swaplist::filter::{Field, Filter, Missing};
use swaplist::formats::Format;

use crate::cli::stream::Stream;

const OTHER_RULES: &str = "choose rules that do not ask for it, as --preset quiet";

/// An error if no record of the input's format can hold what the rules ask for.
pub fn refuse(filter: &Filter, stream: &Stream) -> Result<()> {
    let (format, input) = (stream.format(), stream.input_name());
    let lacking: Vec<String> = filter
        .needs()
        .filter(|field| !field.is_of(format))
        .map(|field| format!("the {field}"))
        .collect();
    if lacking.is_empty() {
        return Ok(());
    }
    let can = |format: &&Format| filter.needs().all(|field| field.is_of(**format));
    let others: Vec<&str> = Format::ALL.iter().filter(can).map(|f| f.name()).collect();
    bail!(
        "{input}: the filter asks for {}, which {} never holds; filter data in a format that \
         does ({}), or {OTHER_RULES}",
        lacking.join(" and "),
        format.name(),
        others.join(", ")
    )
}

/// An error with the way out, if a record lacks what the rules ask for.
pub fn explained(error: Error, format: Format) -> Error {
    let Some(&Missing { field, .. }) = error.downcast_ref() else {
        return error;
    };
    let form = field.form_in(format);
    let form = form.map_or_else(String::new, |form| {
        format!(" (in {}: {form})", format.name())
    });
    let convert = match (format, field) {
        (Format::Pgn, Field::Score) => {
            "convert the games to binpack first, where those without any get the score 32002, \
             which stands for none, or "
        }
        _ => "",
    };
    anyhow!("{error:#}{form}; {convert}{OTHER_RULES}")
}
