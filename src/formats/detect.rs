//! Which format a file has, told by its beginning and its name.

use core::fmt;

use super::{Decoded, Fault, Format, Reason, binpack, pgn, plain, sfbin};

/// What the beginning of a file can be.
#[derive(Clone, Debug, PartialEq, Eq)]
pub enum Detected {
    /// This.
    Format(Format),
    /// Any of these; the user has to say which.
    Ambiguous(Vec<Format>),
    /// Nothing known, or too short to tell.
    Unknown,
}

impl fmt::Display for Detected {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Detected::Format(format) => f.write_str(format.name()),
            Detected::Ambiguous(formats) => {
                let names: Vec<_> = formats.iter().map(|format| format.name()).collect();
                write!(f, "one of: {}", names.join(", "))
            }
            Detected::Unknown => f.write_str("an unknown format"),
        }
    }
}

/// How much of a file's beginning detection wants to see.
pub const HEAD: usize = 4096;

/// Formats without a magic number, of which anything may be some.
const UNMARKED: [Format; 4] = [
    Format::Bulletformat,
    Format::Marlinformat,
    Format::Viriformat,
    Format::Sfbin,
];

impl Format {
    /// The format of a file that begins with `head`, up to [`HEAD`] bytes of it,
    /// and has this extension.
    ///
    /// `BINP` and text are told by themselves. Of the formats without a magic
    /// number, those remain in which `head` makes sense to the last record; the
    /// extension counts only if it names one format, and only among these.
    #[must_use]
    pub fn detect(head: &[u8], extension: Option<&str>) -> Detected {
        let head = &head[..head.len().min(HEAD)];
        if head.starts_with(&binpack::MAGIC) {
            return Detected::Format(Format::Binpack);
        }
        if is_text(head) && plain::begins(head) {
            return Detected::Format(Format::Plain);
        }
        if is_text(head) && pgn::begins(head) {
            return Detected::Format(Format::Pgn);
        }
        #[cfg(feature = "formats")]
        if is_text(head) && super::jsonl::begins(head) {
            return Detected::Format(Format::Jsonl);
        }
        if is_text(head) {
            return Detected::Format(Format::Text);
        }
        let mut likely: Vec<_> = UNMARKED
            .into_iter()
            .filter(|&format| makes_sense(format, head))
            .collect();
        let named = extension.and_then(Format::of_extension);
        if let Some(named) = named.filter(|named| likely.contains(named)) {
            return Detected::Format(named);
        }
        match likely.len() {
            0 => Detected::Unknown,
            1 => Detected::Format(likely.remove(0)),
            _ => Detected::Ambiguous(likely),
        }
    }

    /// The format that an extension names: none for `.bin` and `.data`, which are
    /// used for several.
    #[must_use]
    pub fn of_extension(extension: &str) -> Option<Format> {
        let extension = extension.to_ascii_lowercase();
        match extension.as_str() {
            "binpack" => Some(Format::Binpack),
            "bf" | "bullet" | "bulletformat" => Some(Format::Bulletformat),
            "marlinformat" => Some(Format::Marlinformat),
            #[cfg(feature = "formats")]
            "jsonl" => Some(Format::Jsonl),
            "pgn" => Some(Format::Pgn),
            "plain" => Some(Format::Plain),
            "sfbin" => Some(Format::Sfbin),
            "vf" | "viri" | "viriformat" => Some(Format::Viriformat),
            "fen" | "epd" | "txt" => Some(Format::Text),
            _ => None,
        }
    }

    /// Every format that files of an extension are known to have; none for an
    /// extension that says nothing.
    #[must_use]
    pub fn all_of_extension(extension: &str) -> Vec<Format> {
        match extension.to_ascii_lowercase().as_str() {
            "bin" => vec![
                Format::Bulletformat,
                Format::Marlinformat,
                Format::Viriformat,
                Format::Sfbin,
            ],
            "binpack" => vec![Format::Binpack, Format::Viriformat],
            "data" => vec![Format::Bulletformat, Format::Marlinformat],
            other => Format::of_extension(other).into_iter().collect(),
        }
    }
}

/// No control characters but those of lines. A character cut in two at the end
/// is let pass.
fn is_text(head: &[u8]) -> bool {
    let whole = match core::str::from_utf8(head) {
        Ok(_) => true,
        Err(error) => error.error_len().is_none() && error.valid_up_to() > 0,
    };
    let control = |&byte: &u8| byte < b' ' && !matches!(byte, b'\n' | b'\r' | b'\t');
    whole && !head.iter().any(control)
}

/// Whether every record that is whole is valid, and there is one.
fn makes_sense(format: Format, head: &[u8]) -> bool {
    let (mut reader, codec) = format.open(head, HEAD);
    let Ok(Some(block)) = reader.next_block() else {
        return false;
    };
    let mut decoded = Decoded::default();
    codec.decode(&block, &mut decoded);
    let records = decoded.positions.len();
    let record = match format {
        Format::Sfbin => sfbin::RECORD,
        _ => 32,
    };
    // The last record may be cut off, or a game longer than what is here.
    let cut = |at: usize| format == Format::Viriformat || block.bytes.len() - at < record;
    let sound = decoded.invalid.iter().all(|error| {
        let short = matches!(error.reason, Reason::Fault(Fault::Truncated { .. }));
        short && cut(error.span.start as usize)
    });
    records > 0 && sound && (format != Format::Bulletformat || kings_agree(head, &decoded))
}

/// The one redundancy of bulletformat.
fn kings_agree(head: &[u8], decoded: &Decoded) -> bool {
    use super::bulletformat::{Raw, kings_agree};
    let raw: &[Raw] = head.as_chunks().0;
    raw.len() == decoded.positions.len()
        && raw
            .iter()
            .zip(&decoded.positions)
            .all(|(raw, position)| kings_agree(raw, position))
}
