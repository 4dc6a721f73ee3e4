//! The codec of games in blocks.

use std::borrow::Cow;

use super::super::bulletformat::outcome;
use super::super::isa::Features;
use super::super::marlinformat::RECORD;
use super::super::units::{self, Group};
use super::super::{
    Actions, Block, Codec, Decoded, EncodeError, Fault, Format, Open, Record, RecordError, State,
    turned_score,
};
use super::game::{self, STEP, game_length, replay, result};

/// The length of the whole games at the start.
pub(super) fn whole_games(bytes: &[u8]) -> Result<usize, (usize, Fault)> {
    let mut whole = 0;
    while let Some(length) = game_length(&bytes[whole..]).map_err(|fault| (whole, fault))? {
        whole += length;
    }
    Ok(whole)
}

/// Decodes games, and encodes them split or marked.
///
/// Bytes of an invalid game are never written: the format has no place for them.
pub(super) struct GameCodec(pub Features);

impl Group for GameCodec {
    fn drop_positions(&self, bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
        // The fault was found when decoding; the positions before it have been written.
        let _ = game::drop_positions(self.0, bytes, kept, out);
    }

    fn mark_positions(&self, bytes: &[u8], kept: impl Fn(usize) -> bool, out: &mut Vec<u8>) {
        game::mark_positions(bytes, kept, out);
    }

    fn states(&self, bytes: &[u8], mut found: impl FnMut(&State)) {
        // Up to a fault.
        let _ = replay(self.0, bytes, |board, ply| {
            found(&State::of_board(board, ply.position));
        });
    }
}

impl Codec for GameCodec {
    fn decode_part(
        &self,
        block: &Block,
        from: usize,
        records: usize,
        into: &mut Decoded,
    ) -> Option<usize> {
        into.clear();
        let mut at = from;
        while at < block.bytes.len() {
            if into.records.len() >= records {
                return Some(at);
            }
            let rest = &block.bytes[at..];
            let length = game_length(rest).ok().flatten().unwrap_or(rest.len());
            decode_game(self.0, block, at, length, into);
            at += length;
        }
        None
    }

    fn fen<'a>(&self, block: &'a Block, decoded: &Decoded, record: usize) -> Cow<'a, str> {
        units::fen(self, block, decoded, record).into()
    }

    fn encode_part(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut Open,
    ) -> Result<(), EncodeError> {
        units::encode(self, block, decoded, actions, 0..u32::MAX, out);
        Ok(())
    }

    fn format(&self) -> Format {
        Format::Viriformat
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        units::states(self, block, decoded, found);
    }
}

fn decode_game(features: Features, block: &Block, at: usize, length: usize, into: &mut Decoded) {
    let game = &block.bytes[at..at + length];
    let span = at as u32..(at + length) as u32;
    let outcome = result(game).and_then(outcome);
    let mut offset = span.start + RECORD as u32;
    let first = into.records.len();
    let replayed = replay(features, game, |_, ply| {
        let turn = ply.position.turn();
        into.positions.push(ply.position);
        let record = Record::new(block.start.plus(offset), span.clone());
        into.records.push(
            record
                .with_played(Some(ply.played))
                .with_score(Some(turned_score(ply.score.into(), turn)))
                .with_outcome(outcome)
                .with_ply(ply.ply),
        );
        offset += STEP as u32;
    });
    if let Err((fault_at, fault)) = replayed {
        let bad = (at + fault_at) as u32..span.end;
        // The positions before the fault become a game.
        for record in &mut into.records[first..] {
            record.end_at(bad.start);
        }
        let place = block.start.plus(bad.start);
        into.invalid.push(RecordError::new(place, bad, fault));
    }
}
