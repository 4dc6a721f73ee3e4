//! Opens a file of records by its name.

use std::fs::File;
use std::io::{self, Read as _};
use std::path::Path;

use super::{Compression, decompressed, nested};
use crate::formats::detect::{HEAD, UTF16, is_utf16};
use crate::formats::{Format, Records};
use swaplist::Choice;

/// Opens a file of records, decompressed if it is .zst or .gz; its format is detected by
/// the content and the name, as by [`Format::detect`].
///
/// ```
/// let entries = swaplist_files::formats::open("../data/sample.binpack")?;
/// let first = entries.into_iter().next().unwrap()?;
/// println!("{}: {:?}", first.position, first.fields.score());
/// # Ok::<(), Box<dyn std::error::Error>>(())
/// ```
///
/// # Errors
///
/// If the file cannot be read, or its content fits no format or several.
pub fn open(path: impl AsRef<Path>) -> io::Result<Records<'static>> {
    let (stem, compression) = Compression::split(path.as_ref());
    let (mut input, found) = decompressed(File::open(path.as_ref())?, compression)?;
    let mut head = Vec::new();
    input.by_ref().take(HEAD as u64).read_to_end(&mut head)?;
    if let Some(both) = nested(found, &head) {
        let message = format!("it is {both}, compressed twice; decompress it once");
        return Err(io::Error::new(io::ErrorKind::InvalidData, message));
    }
    if is_utf16(&head) {
        return Err(io::Error::new(io::ErrorKind::InvalidData, UTF16));
    }
    let extension = stem.extension().and_then(|extension| extension.to_str());
    let format = Format::from_file(&head, extension).map_err(|formats| {
        let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
        let message = match names[..] {
            [] => "it is in no known format".to_owned(),
            _ => format!(
                "it can be {}; open it by Format::records",
                names.join(" or ")
            ),
        };
        io::Error::new(io::ErrorKind::InvalidData, message)
    })?;
    Ok(format.records(io::Cursor::new(head).chain(input)))
}
