//! What single formats, and conversions, note about the records of a part.

use core::ops::Range;

use shakmaty::Bitboard;

use super::{Field, Invalid};
use swaplist::PackedMove;

/// What single formats note about the records of a part. The notes of the other formats stay empty.
#[derive(Clone, Debug, Default)]
pub(crate) struct FormatNotes {
    /// The notes of text, `plain`, CSV and JSON lines.
    pub fens: FenNotes,
    /// The notes of PGN.
    pub games: GameNotes,
    /// The notes of binpacks.
    pub chains: ChainNotes,
}

/// What PGN notes about games. Each is given by the offset of its first byte in the block.
#[derive(Clone, Debug, Default)]
pub(crate) struct GameNotes {
    /// Games whose result tag contradicts the result after the moves, which counts.
    pub contradicted: Vec<u32>,
    /// Games without a result after the moves, but with a result tag.
    pub unended: Vec<u32>,
    /// Games without moves, which have no records.
    pub moveless: Vec<u32>,
    /// Games, once for each score in a comment that was clamped below mates.
    pub clamped: Vec<u32>,
}

impl GameNotes {
    pub(super) fn lists(&mut self) -> [&mut Vec<u32>; 4] {
        [
            &mut self.contradicted,
            &mut self.unended,
            &mut self.moveless,
            &mut self.clamped,
        ]
    }
}

/// The notes of formats whose records have FENs: text, `plain`, CSV and JSON lines.
#[derive(Clone, Debug, Default)]
pub(crate) struct FenNotes {
    /// The bytes of each record's FEN: in the block or, if it is written otherwise there, in
    /// `rewritten`, as if that followed the block.
    pub spans: Vec<Range<u32>>,
    /// FENs that are not in the block as such: escaped in JSON, or completed by EPD operations.
    pub rewritten: Vec<u8>,
    /// The records that name moves, by ascending number, with their moves.
    pub named_moves: Vec<(usize, Vec<PackedMove>)>,
    /// Parts of lines that cannot be read, by ascending number of their record. The other parts of
    /// such records were read.
    pub unread: Vec<Unread>,
}

/// A part of a line that cannot be read.
#[derive(Clone, Debug)]
pub(crate) struct Unread {
    /// The number of its record in the part.
    pub record: usize,
    /// The field that is missing for it; `None`: the moves that the line names.
    pub field: Option<Field>,
    /// What is wrong with it.
    pub fault: Invalid,
}

impl FenNotes {
    pub(super) fn clear(&mut self) {
        self.spans.clear();
        self.rewritten.clear();
        self.named_moves.clear();
        self.unread.clear();
    }

    /// Leaves only the notes on records whose flag is set, and renumbers them.
    pub(super) fn retain(&mut self, is_left: &[bool]) {
        retain(&mut self.spans, is_left);
        if self.named_moves.is_empty() && self.unread.is_empty() {
            return;
        }
        let numbers = new_numbers(is_left);
        self.named_moves.retain(|(record, _)| is_left[*record]);
        self.unread.retain(|unread| is_left[unread.record]);
        let of_moves = self.named_moves.iter_mut().map(|(record, _)| record);
        let of_unread = self.unread.iter_mut().map(|unread| &mut unread.record);
        for record in of_moves.chain(of_unread) {
            *record = numbers[*record].unwrap_or_default();
        }
    }
}

/// What binpacks note about the records of a part.
#[derive(Clone, Debug, Default)]
pub(crate) struct ChainNotes {
    /// The bytes of the part in the block.
    pub bytes: Range<u32>,
    /// Where the bits of each record's score are in the movetext of its chain.
    pub score_bits: Vec<ScoreBits>,
}

impl ChainNotes {
    pub(super) fn clear(&mut self) {
        self.bytes = 0..0;
        self.score_bits.clear();
    }

    /// Leaves only the notes on records whose flag is set.
    pub(super) fn retain(&mut self, is_left: &[bool]) {
        retain(&mut self.score_bits, is_left);
    }
}

/// Where a score is in the movetext of its chain: the bit after it << 5 | the number of its bits,
/// at most 20. The longest movetext has fewer than 2^21 bits.
#[derive(Clone, Copy, Debug, PartialEq, Eq)]
pub(crate) struct ScoreBits(u32);

impl ScoreBits {
    /// The bits from `start` to `end`. For the stem both are 0, and nobody asks for them: its score
    /// is not in the movetext.
    #[inline(always)]
    pub(crate) fn new(start: usize, end: usize) -> ScoreBits {
        ScoreBits((end as u32) << 5 | (end - start) as u32)
    }

    /// The first bit of the score.
    #[inline(always)]
    pub(crate) const fn start(self) -> usize {
        self.end() - (self.0 & 31) as usize
    }

    /// The bit after the score.
    #[inline(always)]
    pub(crate) const fn end(self) -> usize {
        (self.0 >> 5) as usize
    }
}

/// What a conversion cannot write of the records of a part. Records that stay are given by their
/// numbers in the part, in ascending order, and the others by where their bytes begin in the block.
#[derive(Clone, Debug, Default)]
pub(crate) struct ConversionNotes {
    /// The records that decoded, but were taken out, alone or with their games or chains,
    /// because the other format cannot hold them.
    pub taken_out: Vec<u32>,
    /// The records that were left out, because they castle by a right that the other
    /// format cannot hold, and such rights are dropped. They are not among those taken out.
    pub left_out: Vec<u32>,
    /// The other records with such rights.
    pub unheld_rights: Vec<usize>,
    /// Records with castling rights whose rook or king is not in place, and these rights, which
    /// were dropped. Filled together with [`DecodedPart::states`], also without a conversion.
    pub lost_rights: Vec<(usize, Bitboard)>,
    /// Whether such rights were dropped from the states already. (None may have been found.)
    pub are_rights_dropped: bool,
    /// Records whose half-move clock or move number is lowered to the highest that can be written.
    pub clamped_clocks: Vec<usize>,
    /// Records whose ply and move number contradict each other, where only one is written.
    pub lost_plies: Vec<usize>,
    /// Records whose score, multiplied, was beyond the largest one, which is written instead.
    pub clipped_scores: Vec<usize>,
}

impl ConversionNotes {
    /// The lists of numbers of records.
    fn lists(&mut self) -> [&mut Vec<usize>; 4] {
        [
            &mut self.unheld_rights,
            &mut self.clamped_clocks,
            &mut self.lost_plies,
            &mut self.clipped_scores,
        ]
    }

    /// Forgets the notes on records from this number on.
    pub(super) fn truncate(&mut self, records: usize) {
        self.lost_rights.retain(|&(number, _)| number < records);
        for list in self.lists() {
            list.retain(|&number| number < records);
        }
    }

    /// Forgets the notes on records whose flag is not set, and renumbers the others.
    pub(super) fn renumber(&mut self, is_left: &[bool]) {
        if self.lost_rights.is_empty() && self.lists().iter().all(|list| list.is_empty()) {
            return;
        }
        let numbers = new_numbers(is_left);
        self.lost_rights = core::mem::take(&mut self.lost_rights)
            .into_iter()
            .filter_map(|(number, rights)| Some((numbers[number]?, rights)))
            .collect();
        for list in self.lists() {
            *list = list.iter().filter_map(|&number| numbers[number]).collect();
        }
    }
}

/// Leaves only the elements whose flag is set.
pub(super) fn retain<T>(list: &mut Vec<T>, is_left: &[bool]) {
    let mut flags = is_left.iter();
    list.retain(|_| flags.next() == Some(&true));
}

/// The number of each record after those whose flag is not set are taken out; `None` for these.
fn new_numbers(is_left: &[bool]) -> Vec<Option<usize>> {
    let mut left = 0;
    is_left
        .iter()
        .map(|&is_left| {
            left += usize::from(is_left);
            is_left.then(|| left - 1)
        })
        .collect()
}
