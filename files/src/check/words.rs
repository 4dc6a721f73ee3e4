//! The words of a line in any form, and the one among them that is the board of a FEN.

use shakmaty::san::SanPlus;
use shakmaty::uci::UciMove;

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

/// Whether a word is a move in UCI or SAN, of any position.
pub(super) fn is_move(word: &str) -> bool {
    let of_uci = UciMove::from_ascii(word.as_bytes()).is_ok();
    of_uci || SanPlus::from_ascii(word.as_bytes()).is_ok()
}

/// Whether a name is only the square on which a pawn captures by a move in UCI.
pub(super) fn is_square_of_capture(name: &str, uci: &str) -> bool {
    name.len() == 2 && uci.get(2..4) == Some(name) && uci.get(..1) != uci.get(2..3)
}
