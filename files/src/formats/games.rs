//! Formats of whole games; and where games of independent records begin, so that no conversion
//! cuts one.

use core::marker::PhantomData;
use core::ops::Range;
use std::borrow::Cow;

use super::board::Board;
use super::breakage::Breakage;
use super::bulletformat::outcome;
use super::convert::OutputRecords;
use super::cut::Cut;
use super::error::FaultAt;
use super::isa::{self, Features, Isa, IsaFn};
use super::legal::record_goes_on;
use super::spec::{FormatCode, FormatSpec, WholeRecords};
use super::{
    Action, Actions, Block, Codec, DecodedPart, Field, OpenChunk, Place, Record, RecordFields,
};
use swaplist::{PackedMove, Position};

/// A format of games: a first position, then the moves, each with the score of the position before
/// it.
pub(super) trait Games: Sync + 'static {
    /// The length of the first game; `None` if it continues after these bytes. Not for a game of
    /// more than [`MAX_MOVES`] moves.
    fn length(bytes: &[u8]) -> Result<Option<usize>, String>;

    /// The place of a game's result, White's: 0 loss, 1 draw, 2 win.
    const RESULT: usize;

    /// Calls `found` with each position of a whole game, as framed by [`Games::length`], up to a
    /// fault: with the byte of the game at which its step is, its board, the position and what the
    /// step says of it.
    fn replay(
        features: Features,
        game: &[u8],
        found: impl FnMut(usize, &Board, Position, GameStep),
    ) -> Result<(), FaultAt>;

    /// [`FormatCode::cut`].
    fn cut(_block: &Block) -> Option<Cut> {
        None
    }

    /// Appends a whole game with those of its positions that are not dropped, as they were read or
    /// marked. Asked where games can be written.
    fn select(_features: Features, _game: &[u8], _actions: &[Action], _out: &mut Vec<u8>) {
        unreachable!("no games are written in a format that is not written");
    }

    /// [`FormatCode::cannot_hold`].
    fn cannot_hold(_score: Option<i32>, _record: &Record) -> Option<String> {
        None
    }

    /// [`FormatCode::write`].
    fn write(_records: OutputRecords<'_>, _out: &mut Vec<u8>) {
        unreachable!("no records are converted to a format that cannot be converted to");
    }
}

/// A limit on the moves of a game, above all real games, to bound memory.
pub(super) const MAX_MOVES: usize = 1 << 16;

pub(super) fn endless() -> String {
    format!("a game of more than {MAX_MOVES} moves")
}

/// What a step of a game says of the position before its move.
pub(super) struct GameStep {
    pub played: PackedMove,
    /// The score of the side to move, in centipawns.
    pub score: i32,
    /// Half-moves since the start of the game, from the full-move number if there is one.
    pub ply: Option<u32>,
}

impl GameStep {
    /// Adds it to a record. Done while the game is played: a second loop over its steps costs 4 %.
    #[inline(always)]
    pub fn add_to(self, record: RecordFields) -> RecordFields {
        record
            .with_played(Some(self.played))
            .with_score(Some(self.score))
            .with_ply(self.ply)
    }
}

/// The common properties of such formats.
pub(super) const fn spec<G: Games>(name: &'static str) -> FormatSpec {
    FormatSpec {
        units: Some("games"),
        needs: &[Field::Played, Field::Score, Field::Result],
        held_as: &[(Field::Clocks, "the number of the first move")],
        ..FormatSpec::new(name, GameCode::<G>::CODE)
    }
}

/// The code of such a format.
struct GameCode<G>(PhantomData<G>);

impl<G: Games> GameCode<G> {
    const CODE: &'static dyn FormatCode = &GameCode::<G>(PhantomData);
}

/// Finds where the whole games end that these bytes begin with.
struct FindEnds<'a, G>(&'a [u8], PhantomData<G>);

impl<G: Games> IsaFn for FindEnds<'_, G> {
    type Output = Vec<u32>;

    #[inline(always)]
    fn run<I: Isa>(self, _: I) -> Vec<u32> {
        let FindEnds(bytes, _) = self;
        let mut ends = Vec::new();
        let mut end = 0;
        while let Ok(Some(length)) = G::length(&bytes[end..]) {
            end += length;
            ends.push(end as u32);
        }
        ends
    }
}

/// Where the games of a block end, without an incomplete one at the end: as the reader has found
/// them or, if no reader has made the block, as they are found now.
pub(super) fn game_ends<G: Games>(block: &Block) -> Cow<'_, [u32]> {
    if block.game_ends.is_empty() {
        Cow::Owned(isa::run(FindEnds::<G>(&block.bytes, PhantomData)))
    } else {
        Cow::Borrowed(&block.game_ends)
    }
}

impl<G: Games> FormatCode for GameCode<G> {
    fn whole_records(&self, bytes: &[u8]) -> WholeRecords {
        let game_ends = isa::run(FindEnds::<G>(bytes, PhantomData));
        WholeRecords {
            length: game_ends.last().map_or(0, |&end| end as usize),
            games: 0,
            game_ends,
        }
    }

    fn never_whole(&self, rest: &[u8]) -> Option<Breakage> {
        let reason = G::length(rest).err()?;
        Some(Breakage { offset: 0, reason })
    }

    fn decode(
        &self,
        features: Features,
        block: &Block,
        from: usize,
        records: usize,
        part: &mut DecodedPart,
    ) -> Option<usize> {
        part.clear();
        let mut at = from;
        while at < block.bytes.len() {
            if part.records.len() >= records {
                return Some(at);
            }
            let rest = &block.bytes[at..];
            let length = G::length(rest).ok().flatten().unwrap_or(rest.len());
            let game = &rest[..length];
            let span = at as u32..(at + length) as u32;
            let outcome = game.get(G::RESULT).and_then(|&result| outcome(result));
            let first = part.records.len();
            let replayed = G::replay(features, game, |offset, _, position, step| {
                part.positions.push(position);
                let place = block.start.plus(span.start + offset as u32);
                let record = RecordFields::new(place, span.clone());
                part.records.push(step.add_to(record.with_outcome(outcome)));
            });
            if let Err(FaultAt { offset, fault }) = replayed {
                let bad = (at + offset) as u32..span.end;
                // The positions before the fault become a game.
                for record in &mut part.records[first..] {
                    record.end_at(bad.start);
                }
                part.refuse(block, span.start, bad, fault);
            }
            at += length;
        }
        None
    }

    /// The games are played once more.
    fn states(
        &self,
        features: Features,
        block: &Block,
        part: &DecodedPart,
        states: &mut Vec<Record>,
    ) {
        for game in part.units() {
            let bytes = block.slice(&game[0].span());
            let _ = G::replay(features, bytes, |_, board, position, _| {
                states.push(Record::from_board(board, position));
            });
        }
    }

    fn cut(&self, _: Features, block: &Block) -> Option<Cut> {
        // Blocks are cut for a device only, and a browser has none: see `jobs/rewriting.rs`.
        if cfg!(target_arch = "wasm32") {
            return None;
        }
        G::cut(block)
    }

    fn select(
        &self,
        features: Features,
        block: &Block,
        part: &DecodedPart,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut OpenChunk,
    ) {
        let mut actions = actions.records;
        for records in part.units() {
            let (of_game, rest) = actions.split_at(records.len().min(actions.len()));
            G::select(features, block.slice(&records[0].span()), of_game, out);
            actions = rest;
        }
    }

    fn select_unit(
        &self,
        features: Features,
        block: &Block,
        part: &DecodedPart,
        records: Range<usize>,
        actions: &[Action],
        out: &mut Vec<u8>,
    ) {
        if let Some(first) = part.records[records].first() {
            G::select(features, block.slice(&first.span()), actions, out);
        }
    }

    fn cannot_hold(&self, score: Option<i32>, record: &Record) -> Option<String> {
        G::cannot_hold(score, record)
    }

    fn write(&self, records: OutputRecords<'_>, out: &mut Vec<u8>, _: &mut OpenChunk) {
        G::write(records, out);
    }
}

/// Bytes decoded at the end of a block to find where its last game begins, and the factor for
/// further attempts.
const TAIL: usize = 1 << 14;
const MORE: usize = 8;

/// The start of the last game in whole records; 0 if there is only one.
pub(super) fn last_one(codec: &Codec, records: &[u8], place: Place) -> usize {
    let mut tail = TAIL;
    loop {
        let before = records.len().saturating_sub(tail);
        let start = codec
            .format()
            .code()
            .whole_records(&records[..before])
            .length;
        let place = match place {
            Place::Line(line) if start > 0 => Place::Line(line + 1),
            at => at,
        };
        let block = Block::new(records[start..].to_vec(), place);
        let mut decoded = DecodedPart::default();
        codec.decode(&block, &mut decoded);
        let pairs = codec.states(&block, &mut decoded).array_windows();
        let begins = pairs
            .rev()
            .find(|[before, next]| !record_goes_on(before, next));
        let last = start + begins.map_or(0, |[_, first]| first.fields.span().start as usize);
        if last > start || start == 0 {
            return last;
        }
        tail *= MORE;
    }
}
