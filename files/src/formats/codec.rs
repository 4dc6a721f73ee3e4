//! Decodes blocks, and encodes their records in the same format or another.
//!
//! A [`Reader`] cuts a stream into [`Block`]s of whole records without decoding them. A
//! [`Codec`], shared by all workers, decodes a block into records, and encodes the kept ones.
//! Both depend only on the block, so blocks may be worked on in any order, on any thread; only
//! reading and writing are in order.
//!
//! # The two ways of writing a record
//!
//! ```text
//! the same format     bytes of the block ---------------- select ---> bytes, copied or marked
//! another format      bytes of the block -> records ----- write ----> bytes, made anew
//! ```
//!
//! In the same format, the records that a filter keeps are copied byte for byte. So fields that
//! were not decoded stay as they were, too. In another format, records need castling rights and
//! clocks (*states*), which are computed on demand, since no question about SEE needs them.
//!
//! # Worked example
//!
//! Two lines of text become viriformat, a format of games that are replayed:
//!
//! ```text
//! rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1 sm e4; ce 12; c9 "1/2-1/2";
//! 4k3/8/4p3/3p4/4P3/8/8/4K3 b - - 0 1 | 12 | 0.5
//! ```
//!
//! `converting_to` allows this conversion, since a line of text may hold a played move.
//! `decode_part` decodes both lines. The second one has no played move, which viriformat needs:
//! `decode_part` takes it out of the records and adds an error instead, which begins with `line 2:
//! viriformat needs a played move, which this record lacks` and names formats that need none.
//! `encode_part` writes the first one as a game of 40 bytes: 32 of its position, 2 of e2e4, 2 of
//! the score 12, and four zeros. If the second one were of the same game, it would be a step of
//! four more bytes.
//!
//! # The steps of `decode_part`
//!
//! ```text
//! the format's own `decode`: records, positions, errors
//! a record becomes an error if a field that is required cannot be read in its line
//! scores are multiplied, if another unit was asked for
//! if another format is written, or moves are checked:
//!     compute states if the output holds castling rights, or moves are checked; and complete those
//!         that decoding has begun (PGN). (Games that are copied need none, also if their moves are
//!         checked.)
//!     if another format is written and holds clocks: notes on clocks and plies that it cannot hold
//!     castling rights that the other format cannot hold are dropped, if that is wanted
//!     records that cannot be written become errors, alone or with their games
//! ```
//!
//! # What must hold
//!
//! - What is written does not depend on how a stream was cut into blocks, or a block into parts.
//!   There are two exceptions: the size of a binpack's chunks, and where a game of more than 1 MiB
//!   is cut.
//! - Nothing gets lost unnoticed: what is not among the records is in the span of an error.
//! - If a record was decoded, but lacks a field or has an illegal move, its whole game becomes an
//!   error, since the rest of a game depends on every move. If it has a value that the other format
//!   cannot hold, it becomes an error alone, and the game is split there. (If decoding itself fails
//!   in the middle of a game or chain, the records before that place stay.) A record that a filter
//!   drops does not take its game along: the format marks it, or splits the game there.
//!
//! [`Reader`]: super::Reader

use core::ops::Range;

use super::convert::{Target, unplayable};
use super::cut::Cut;
use super::decoded::Refusal;
use super::isa::Features;
use super::legal::{Proof, was_legal};
use super::{
    Action, Actions, Block, DecodedPart, Field, Format, Invalid, LabelledFields, OpenChunk, Record,
    RecordFields, Required, Scale,
};
use swaplist::{Choice, CpuPath, ParseError};

/// Decodes blocks of one format and encodes their records, in the same format or another; shared
/// by all workers.
///
/// In the same format, records are copied byte for byte. In another one, fields that it has no
/// place for are lost. A record is invalid if a field that the other format needs is missing, a
/// score has too many bits, a castling right cannot be expressed, or a played move is illegal where
/// moves are replayed. If a record of a game or chain lacks a field or has an illegal move, all
/// records of this game or chain are invalid, and none of them is written. Blocks are converted independently and
/// in any order: a [`Reader::whole_games`](super::Reader::whole_games) cuts them so that no
/// game or chain spans two.
pub struct Codec {
    /// The format that is read.
    pub(super) format: Format,
    /// The instructions of this machine that decoding and encoding may use.
    features: Features,
    /// The format that is written, and how.
    pub(crate) target: Target,
    /// Whether [`Codec::checking_moves`] was called: then illegal played moves are faults, whatever
    /// is written. Only `set_target` reads this flag, to keep the request when the target changes.
    /// All other code reads `target.checks_moves`, which is also set if a format is written that
    /// replays moves.
    checks_moves: bool,
    /// What must be readable in a line of text; see [`Codec::requiring`].
    required: Required,
    /// What brings scores into another unit; see [`Codec::scaling`].
    scale: Option<Scale>,
    /// The fields that records of a table have because their columns are named.
    labelled: LabelledFields,
}

impl Format {
    /// The codec of its blocks, which writes records as they were read.
    pub(crate) fn codec(self) -> Codec {
        self.codec_on(CpuPath::best())
    }

    /// The codec on this CPU path, which says which vector instructions may be used. All paths give
    /// the same results.
    pub(crate) fn codec_on(self, path: CpuPath) -> Codec {
        Codec {
            format: self,
            features: Features::for_path(path),
            target: Target {
                // Records are written as they were read, so there is nothing to check.
                copies: true,
                checks_moves: false,
                ..Target::new(self)
            },
            checks_moves: false,
            required: Required::ALL,
            scale: None,
            labelled: LabelledFields::default(),
        }
    }
}

impl Codec {
    /// Sets the format that is written. If `to` is the format that is read, nothing changes:
    /// records are copied. If it is another format, invalid records are never written: their bytes
    /// mean something only in their own format.
    ///
    /// A record without a score gets [`VALUE_NONE`](super::VALUE_NONE) if trainers skip that in
    /// the other format, and is invalid otherwise.
    ///
    /// # Errors
    ///
    /// If the records read never hold a field that `to` needs, or `to` can only be read.
    pub fn converting_to(mut self, to: Format) -> Result<Codec, ParseError> {
        let from = self.format;
        if from == to && to.is_writable() {
            return Ok(self);
        }
        // Fails if records of other formats cannot be written in it.
        let target = Target::for_conversion(to)?;
        // `needs`: the fields that each record must have, of the played move, score and result.
        let mut needs = to.spec().needs.iter();
        if let Some(lacks) = needs.find(|&&field| !from.holds(field) && !self.labelled.has(field)) {
            let from_name = from.name();
            let to_name = to.name();
            let unless_named = if from.spec().named.contains(lacks) {
                ", unless its column is named"
            } else {
                ""
            };
            return Err(ParseError::new(format!(
                "{from_name} cannot be converted to {to_name}: it holds no {lacks}, which {to_name} \
                 needs{unless_named}"
            )));
        }
        self.set_target(target);
        Ok(self)
    }

    /// Writes another format, or the same one with all records made anew in place of copied. Then
    /// [`Codec::encode_unit`] writes each single record as a unit that depends on no other.
    ///
    /// # Errors
    ///
    /// Like [`Codec::converting_to`].
    pub(crate) fn rewriting_to(mut self, to: Format) -> Result<Codec, ParseError> {
        if self.format != to {
            return self.converting_to(to);
        }
        self.set_target(Target::for_conversion(to)?);
        Ok(self)
    }

    /// Writes by this target, and still checks moves if that was asked for, before or now.
    fn set_target(&mut self, target: Target) {
        self.target = Target {
            checks_moves: target.checks_moves || self.checks_moves,
            ..target
        };
    }

    /// Appends one unit, that is a game, a chain, or a single record where records are independent,
    /// without those of its records that are dropped. `actions` has one for each record of the
    /// unit. For `mix`, which moves units about: so what a format puts around several units, a
    /// binpack's chunk header (the *frame*), is left out.
    pub(crate) fn encode_unit(
        &self,
        block: &Block,
        decoded: &DecodedPart,
        unit: Range<usize>,
        actions: &[Action],
        out: &mut Vec<u8>,
    ) {
        if self.target.copies {
            // Copies or marks the records of a game or chain. An independent record is only copied,
            // even if its action is to mark it: `mix`, the only caller, marks none (`spec.rs`).
            let code = self.format.code();
            return code.select_unit(self.features, block, decoded, unit, actions, out);
        }
        // Written with a frame, which is then taken off.
        let start = out.len();
        let target = &self.target;
        target.write_from(unit.start, decoded, actions, out, &mut OpenChunk::default());
        target.format.code().remove_frame(start, out);
    }

    /// Treats records with illegal played moves as invalid, for any format.
    #[must_use]
    pub const fn checking_moves(mut self) -> Codec {
        self.checks_moves = true;
        self.target.checks_moves = true;
        self
    }

    /// Says which columns of a table are named, so that its records may have these fields.
    pub(crate) const fn labelling(mut self, labelled: LabelledFields) -> Codec {
        self.labelled = labelled;
        self
    }

    /// Sets what must be readable in a line of text. What cannot be read and is not required is
    /// passed over, and noted. By default everything is required.
    #[must_use]
    pub const fn requiring(mut self, required: Required) -> Codec {
        self.required = required;
        self
    }

    /// Multiplies all scores that are read. Only for a codec that makes records anew: copies would
    /// keep their scores.
    #[must_use]
    pub(crate) const fn scaling(mut self, scale: Scale) -> Codec {
        self.scale = Some(scale);
        self
    }

    /// The format that it reads.
    pub const fn format(&self) -> Format {
        self.format
    }

    /// Decodes a block into `into` as one part. `into` is emptied first; its memory is reused.
    pub fn decode(&self, block: &Block, into: &mut DecodedPart) {
        self.decode_part(block, 0, usize::MAX, into);
    }

    /// Decodes a part of a block, from a byte offset on (0 at first): whole games or chains, until
    /// there are this many records. Returns the start of the next part, or `None` after the last.
    ///
    /// Binpacks and the binary formats of games (`games.rs`) have parts, to bound memory; others
    /// decode all at once.
    pub fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut DecodedPart,
    ) -> Option<usize> {
        // This empties `into` first.
        let code = self.format.code();
        let next = code.decode(self.features, block, from, records, into);
        if !into.notes.fens.unread.is_empty() {
            into.refuse_unread(self.required);
        }
        if let Some(scale) = self.scale {
            scale.apply(&mut into.records, &mut into.losses.clipped_scores);
        }
        let target = self.target;
        if target.copies && !target.checks_moves {
            return next; // copies need nothing more
        }
        // Games that are copied need no states: decoding has played their moves, and below only
        // their legality is tested. So they are not played through once more.
        let is_copied_game = target.copies && self.format.replays_moves();
        // States are needed for castling rights, and for the legality of castling. PGN makes them
        // while it is decoded, but without score, result, move and ply: the method `states` adds
        // those.
        let needs_states =
            target.format.holds(Field::Castling) || target.checks_moves || !into.states.is_empty();
        if needs_states && !is_copied_game {
            self.states(block, into);
        }
        if !target.copies && target.format.holds(Field::Clocks) {
            // It reads the states. They are there: each format that holds clocks holds castling
            // rights, too.
            target.note_clocks(block, into);
        }
        let left_out = if target.drops_castling && !target.copies {
            into.drop_unheld_rights(target.format.code())
        } else {
            Vec::new()
        };
        self.set_aside(is_copied_game, &left_out, block, into);
        next
    }

    /// The records with castling rights and clocks, computed at the first call for a part. A
    /// castling right whose rook or king is not in place is taken away, and noted as lost.
    pub fn states<'a>(&self, block: &Block, decoded: &'a mut DecodedPart) -> &'a [Record] {
        if decoded.states.is_empty() {
            let mut states = core::mem::take(&mut decoded.states);
            let code = self.format.code();
            code.states(self.features, block, decoded, &mut states);
            decoded.states = states;
        }
        // What follows changes something only at the first call for a part: `drop_lost_rights`
        // notes that it has run, and the loop writes the same fields again.
        decoded.drop_lost_rights();
        for (state, fields) in decoded.states.iter_mut().zip(&decoded.records) {
            state.fields = *fields;
        }
        &decoded.states
    }

    /// Appends the records of a part of a block that are not dropped to `out`. `open_chunk` is
    /// the state left by the parts of this block before it, empty at first (binpacks need it).
    pub fn encode_part(
        &self,
        block: &Block,
        decoded: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        open_chunk: &mut OpenChunk,
    ) {
        if self.target.copies {
            let code = self.format.code();
            return code.select(self.features, block, decoded, actions, out, open_chunk);
        }
        self.target.write(decoded, actions.records, out, open_chunk);
    }

    /// Takes the frame, a binpack's chunk header, off what was written for a block with a single
    /// game or chain ([`Cut::block_of`]). A filter calls this to compare what a device has written
    /// with what the CPU writes. Only for copies: a block is cut only if the same format is
    /// written.
    pub(crate) fn unframed(&self, mut written: Vec<u8>) -> Vec<u8> {
        self.format.code().remove_frame(0, &mut written);
        written
    }

    /// Cuts a block into games or chains, for a device that filters them; `None` if that needs
    /// decoding, or another format is written.
    pub fn cut(&self, block: &Block) -> Option<Cut> {
        if !self.target.copies {
            return None;
        }
        self.format.code().cut(self.features, block)
    }

    /// Makes errors of the records that cannot be written, and takes them out of the part, with the
    /// records of `left_out`, of which there is no error. A record that lacks a field, or whose move
    /// is illegal, takes its whole game along, since the rest of a game depends on every move. Of
    /// copied games only the moves are checked.
    fn set_aside(
        &self,
        is_copied_game: bool,
        left_out: &[usize],
        block: &Block,
        into: &mut DecodedPart,
    ) {
        // At most one for each game, with all of its records or the first one of some.
        let mut refusals: Vec<Refusal> = Vec::new();
        let mut refused: Vec<usize> = Vec::new();
        let mut castlings = left_out.iter().peekable();
        for i in 0..into.records.len() {
            if castlings.next_if_eq(&&i).is_some() {
                continue;
            }
            let span = into.records[i].span();
            // All records of a game have its span, and follow each other.
            let known = refusals
                .last_mut()
                .filter(|refusal| refusal.error.span == span);
            if known.is_some_and(|refusal| refusal.takes_unit) {
                continue;
            }
            let Some(reason) = self.fault(i, is_copied_game, block, into) else {
                continue;
            };
            let takes_unit = !reason.kind().is_of_one_record();
            if !takes_unit {
                refused.push(i);
            }
            match refusals.last_mut() {
                Some(refusal) if refusal.error.span == span => refusal.takes_unit = takes_unit,
                _ => refusals.push(Refusal {
                    error: reason.at(into.records[i].place(), span),
                    takes_unit,
                }),
            }
        }
        if !refusals.is_empty() || !left_out.is_empty() {
            into.take_out(refusals, &refused, left_out);
        }
    }

    /// Why a record cannot be written, by its number `i` in the part; `None` if it can. It changes
    /// `into` only by computing states, if an error message needs them.
    #[inline]
    fn fault(
        &self,
        i: usize,
        is_copied_game: bool,
        block: &Block,
        into: &mut DecodedPart,
    ) -> Option<Invalid> {
        let proved = proved(self.format, &into.records, i);
        if !is_copied_game {
            // In this order (`convert.rs`): a field is missing that the format needs, it cannot
            // hold a value such as the score or castling rights, or the move is illegal. The first
            // two are not tested in a copy, the last one only if `target.checks_moves` is set.
            return self.target.fault(&into.record(i), proved);
        }
        // In a copied game: a record without a move has nothing to be checked.
        let played = into.records[i].played()?;
        if was_legal(&into.positions[i], played, proved) {
            return None;
        }
        // Only for the message, which names the FEN with its castling rights.
        if into.states.is_empty() {
            self.states(block, into);
        }
        Some(unplayable(played, &into.record(i).to_string()))
    }
}

/// What decoding has proved about the played move of the record with the number `i`, so that it
/// need not be tested once more.
///
/// In a game or chain the next record is the position after the move, and decoding has found it
/// sound: the side that moved has not left its king to be taken. Then it is still open whether the
/// piece can move so ([`Proof::KingIsSafe`]). In a chain that is settled too, for all records but
/// its first ([`Proof::All`]): their moves are stored as numbers among the possible ones. About a
/// last record, whose move leads to no record, nothing is proved. Castling is tested in each case
/// (`legal.rs`).
fn proved(from: Format, records: &[RecordFields], i: usize) -> Proof {
    let start = records[i].span().start;
    // Whether there is a record with this number, and it is of the same game or chain.
    let in_game = |i: usize| {
        let other = records.get(i);
        other.is_some_and(|other| other.span().start == start)
    };
    if !in_game(i + 1) {
        Proof::Nothing
    } else if from.spec().numbers_moves && in_game(i.wrapping_sub(1)) {
        // Not the first record of a chain: the move is stored as a number among the pseudo-legal
        // ones. (Of all formats only binpacks set `numbers_moves`.)
        Proof::All
    } else {
        Proof::KingIsSafe
    }
}
