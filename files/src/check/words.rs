//! The words of a line in any form, and the one among them that is the board of a FEN.

/// What separates fields, besides blanks.
pub(super) const SEPARATORS: [char; 4] = [';', '\t', '|', ','];

/// Where a FEN's board begins in a text that holds one.
pub(super) fn find_board(text: &str) -> Option<usize> {
    let board = words_in(text).find(is_board)?;
    Some(board.as_ptr() as usize - text.as_ptr() as usize)
}

/// The words of a line in any form.
pub(super) fn words_in(text: &str) -> impl Iterator<Item = &str> {
    text.split(|char: char| char.is_whitespace() || ";|,\"'`{}()[]".contains(char))
        .filter(|word| !word.is_empty())
}

/// Whether a word has the slashes of a FEN's board.
pub(super) fn is_board(word: &&str) -> bool {
    word.matches('/').count() == 7
}
