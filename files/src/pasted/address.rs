//! Addresses of pages: those that hold no position get an answer of their own.

use core::ops::Range;

/// Where an address begins and ends.
pub(super) fn find(text: &str) -> Option<Range<usize>> {
    const STARTS: [&str; 6] = [
        "http://",
        "https://",
        "file://",
        "www.",
        "lichess.org/",
        "chess.com/",
    ];
    let start = STARTS.iter().filter_map(|start| text.find(start)).min()?;
    Some(whole(text, start))
}

/// The position's part of an address of swaplist's page, from its `#` on.
pub(super) fn page_link(text: &str) -> Option<Range<usize>> {
    let start = text.find("#fen=")?;
    Some(whole(text, start))
}

/// The address that begins here.
fn whole(text: &str, start: usize) -> Range<usize> {
    let length = text[start..].find(|char: char| char.is_whitespace() || "\"'<>`)]".contains(char));
    start..length.map_or(text.len(), |length| start + length)
}

/// What is said of an address that holds no position.
pub(super) fn advice(address: &str) -> Advice {
    if address.starts_with("file://") {
        return Advice::Refused(
            "This is the address of a file: open the file, or paste what is in it".to_owned(),
        );
    }
    let (_, rest) = address.split_once("://").unwrap_or(("", address));
    let host_end = rest.find(['/', '?', '#']).unwrap_or(rest.len());
    let (host, path) = rest.split_at(host_end);
    if host != "lichess.org" && !host.ends_with(".lichess.org") {
        return Advice::Refused(format!(
            "An address of {host} without a FEN in it: paste the FEN itself"
        ));
    }
    let path = path
        .trim_matches('/')
        .split(['?', '#'])
        .next()
        .unwrap_or("");
    let variant = path
        .strip_prefix("analysis/")
        .or(path.strip_prefix("editor/"));
    match variant.map(|variant| variant.split('/').next().unwrap_or("")) {
        Some("standard" | "chess960" | "fromPosition") => Advice::Start,
        _ if matches!(path, "analysis" | "editor") => Advice::Start,
        Some(_) => Advice::Refused(
            "This address of lichess has no standard position in it: paste the FEN instead"
                .to_owned(),
        ),
        None => Advice::Refused(
            "This link has no position in it (game, study or puzzle). Paste the FEN, or the game \
             as PGN"
                .to_owned(),
        ),
    }
}

/// What an address without a position means.
pub(super) enum Advice {
    /// The start position.
    Start,
    Refused(String),
}

/// Whether a board is that of a variant, by the address of lichess that holds it.
pub(super) fn is_of_variant(text: &str, board: usize) -> bool {
    const VARIANTS: [&str; 8] = [
        "antichess",
        "atomic",
        "crazyhouse",
        "horde",
        "kingofthehill",
        "racingkings",
        "threecheck",
        "duck",
    ];
    let start = text.floor_char_boundary(board.saturating_sub(20));
    let before = text[start..board].to_ascii_lowercase();
    let variant = before
        .strip_suffix('/')
        .and_then(|path| path.rsplit('/').next());
    variant.is_some_and(|variant| VARIANTS.contains(&variant))
}
