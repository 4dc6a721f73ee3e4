//! FEN text straight into the packed position.
//!
//! Two ways lead there and agree: this parser knows the usual forms and gives up
//! on all others (pockets, `~`, check counters, errors), which then take the way
//! through shakmaty. So exactly that is accepted and refused which shakmaty's
//! parser and [`Position::try_from`] accept and refuse, with the same errors.

use shakmaty::{Color, Square, fen::Fen};

use crate::position::{Position, PositionError};

impl Position {
    /// From a FEN, its clocks or its last fields left out or not.
    ///
    /// ```
    /// use swaplist::Position;
    ///
    /// let fen = b"rnbqkbnr/pppp1ppp/8/8/3pP3/8/PPP2PPP/RNBQKBNR b KQkq e3 0 3";
    /// assert_eq!(Position::from_ascii(fen)?.ep_square(), Some(shakmaty::Square::E3));
    /// # Ok::<(), swaplist::PositionError>(())
    /// ```
    ///
    /// # Errors
    ///
    /// A [`PositionError`] if the text is no FEN or SEE has no meaning there.
    pub fn from_ascii(fen: &[u8]) -> Result<Position, PositionError> {
        let Some(Parts { planes, turn, ep }) = usual(fen) else {
            let fen = Fen::from_ascii(fen).map_err(PositionError::Fen)?;
            return Position::try_from(fen.as_setup());
        };
        let [bit0, bit1, bit2, black] = planes;
        let side = if turn == Color::Black { black } else { !black };
        Position::from_parts([bit0 | bit1 & bit2 & side, bit1, bit2, black], turn, ep)
    }
}

/// What a FEN says: planes in which both kings have the code 6.
struct Parts {
    planes: [u64; 4],
    turn: Color,
    ep: Option<Square>,
}

/// Parses the usual forms.
fn usual(fen: &[u8]) -> Option<Parts> {
    let (planes, mut rest) = board(fen)?;
    let turn = match field(&mut rest) {
        b"w" | b"" => Color::White,
        b"b" => Color::Black,
        _ => return None,
    };
    if !is_castling(field(&mut rest)) {
        return None;
    }
    let ep = match *field(&mut rest) {
        [] | [b'-'] => None,
        [file @ b'a'..=b'h', rank @ b'1'..=b'8'] => {
            let (file, rank) = (u32::from(file - b'a'), u32::from(rank - b'1'));
            Some(Square::new(rank << 3 | file))
        }
        _ => return None,
    };
    let clocks = is_number(field(&mut rest)) && is_number(field(&mut rest));
    (clocks && field(&mut rest).is_empty()).then_some(Parts { planes, turn, ep })
}

/// What one byte of the board does: 3 bits of the piece code, colour, squares to
/// go ahead, and the flags.
static BYTES: [u16; 256] = {
    let mut table = [UNKNOWN; 256];
    let mut i = 0;
    while i < 6 {
        let code = i as u16 + 1;
        table[b"PNBRQK"[i] as usize] = code | AHEAD;
        table[b"pnbrqk"[i] as usize] = code | BLACK | AHEAD;
        i += 1;
    }
    let mut digit = 1;
    while digit <= 8 {
        table[b'0' as usize + digit] = digit as u16 * AHEAD;
        digit += 1;
    }
    table[b'/' as usize] = NEXT_RANK;
    table
};

const BLACK: u16 = 1 << 3;
const AHEAD: u16 = 1 << 4;
const NEXT_RANK: u16 = 1 << 8;
const UNKNOWN: u16 = 1 << 9;

/// The planes of the board, and the text behind it. No byte is branched on but
/// the one that ends the board.
fn board(fen: &[u8]) -> Option<([u64; 4], &[u8])> {
    let mut planes = [0; 4];
    // Squares are counted as FEN does, from a8 to h1; `end` is that of the rank.
    let (mut square, mut end) = (0_u32, 8);
    let (mut flags, mut overrun) = (0, 0);
    let mut length = 0;
    for &byte in fen {
        if is_separator(byte) {
            break;
        }
        length += 1;
        let entry = BYTES[byte as usize];
        for (bit, plane) in planes.iter_mut().enumerate() {
            *plane |= u64::from(entry >> bit & 1) << (square & 63);
        }
        square = square.wrapping_add(u32::from(entry >> 4 & 15));
        let next_rank = u32::from(entry >> 8 & 1);
        overrun |= (square ^ end) * next_rank;
        end += 8 * next_rank;
        flags |= entry;
    }
    let usual = flags & UNKNOWN == 0 && overrun == 0 && square == 64 && end == 64;
    usual.then(|| (planes.map(u64::swap_bytes), &fen[length..]))
}

fn is_separator(byte: u8) -> bool {
    byte == b' ' || byte == b'_'
}

/// The next field, empty at the end.
fn field<'a>(rest: &mut &'a [u8]) -> &'a [u8] {
    while let [separator, behind @ ..] = *rest
        && is_separator(*separator)
    {
        *rest = behind;
    }
    let length = rest.iter().take_while(|&&byte| !is_separator(byte)).count();
    let (field, behind) = rest.split_at(length);
    *rest = behind;
    field
}

/// Whether at most two rights a side are named.
fn is_castling(field: &[u8]) -> bool {
    let (mut white, mut black) = (0, 0);
    for &byte in field {
        match byte {
            b'K' | b'Q' | b'A'..=b'H' => white += 1,
            b'k' | b'q' | b'a'..=b'h' => black += 1,
            _ => return field == b"-",
        }
    }
    white <= 2 && black <= 2
}

fn is_number(field: &[u8]) -> bool {
    field.iter().all(u8::is_ascii_digit)
}
