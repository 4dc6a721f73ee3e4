//! What a vector unit has to know of a format of records of 32 bytes.

/// A record: occupied squares, nibbles, and eight bytes of its format's own.
pub(crate) type Raw = [u8; 32];

/// As many records as a unit unpacks at a time: one bit each in a byte.
pub(crate) const GROUP: usize = 8;

/// Nibble to piece code, black ones with bit 3 set, 0 for no piece; four times
/// over, as the look-up takes the two bits above the nibble too.
pub(crate) type Codes = [u8; 64];

/// How a format uses the parts of a record.
pub(crate) trait Scheme {
    /// With White to move, and with Black.
    const CODES: [Codes; 2];
    /// The bit of byte 24 that tells the side to move, 0 if it is White's move.
    const TURN: u8;
    /// Byte 24 as it has to be, as far as [`Scheme::ZERO`] asks for it.
    const FLIP: u64;
    /// Bits of the last eight bytes that have to be 0 then: those of a result, 0
    /// to 3, included.
    const ZERO: u64;
    /// The lowest bit of the result, which is not 3.
    const RESULT: u64;
}

/// The look-up of a format; `unmoved` if type 6 is a rook.
pub(crate) const fn codes(unmoved: bool, black_to_move: bool) -> Codes {
    let mut codes = [0; 64];
    let mut nibble = 0;
    while nibble < 64 {
        let black = nibble & 8 != 0;
        let color = if black { 8 } else { 0 };
        codes[nibble] = match nibble & 7 {
            5 if black == black_to_move => 7 | color,
            6 if unmoved => 4 | color,
            6 | 7 => 0,
            kind => (kind as u8 + 1) | color,
        };
        nibble += 1;
    }
    codes
}

/// No unit on this machine.
#[cfg(not(target_arch = "x86_64"))]
#[derive(Clone, Copy, Debug)]
pub(crate) enum Units {}

#[cfg(not(target_arch = "x86_64"))]
impl Units {
    pub(crate) fn of(_: super::CpuPath) -> Option<Units> {
        None
    }

    pub(crate) fn unpack<S: Scheme>(self, _: &[Raw], _: &mut [crate::Position], _: &mut [u8]) {
        match self {}
    }

    pub(crate) fn all_sound(self, _: &[crate::Position]) -> bool {
        match self {}
    }
}
