//! The codec of games in blocks.

use super::super::bulletformat::outcome;
use super::super::codec::{Decode, replayed_states};
use super::super::cut::Cut;
use super::super::isa::Features;
use super::super::marlinformat::RECORD;
use super::super::{Actions, Block, Decoded, Fault, Open, Record, State, turned_score};
use super::game::{STEP, game_length, outline, replay, result, rewrite};
use crate::backend::{Coding, RawAnswer, Unit};

/// The length of the whole games at the start.
pub(super) fn whole_games(bytes: &[u8]) -> usize {
    let mut whole = 0;
    while let Ok(Some(length)) = game_length(&bytes[whole..]) {
        whole += length;
    }
    whole
}

/// Decodes games, and encodes them split or marked.
///
/// Bytes of an invalid game are never written: the format has no place for them.
pub(super) struct GameCodec(pub Features);

impl Decode for GameCodec {
    fn decode(
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

    fn cut(&self, block: &Block, from: usize, records: usize) -> Option<Cut> {
        let (mut at, mut units, mut first) = (from, Vec::new(), 0);
        while at < block.bytes.len() && first < records {
            units.push(Unit::new(at - from, first));
            let length = game_length(&block.bytes[at..]).ok().flatten()?;
            let moves = (length - RECORD) / STEP - 1;
            if moves == 0 {
                // It has no record that could be told to be broken.
                replay(self.0, &block.bytes[at..at + length], |_, _| ()).ok()?;
            }
            at += length;
            first += moves;
        }
        units.push(Unit::new(at - from, first));
        let next = (at < block.bytes.len()).then_some(at);
        Some(Cut::new(Coding::Viriformat, from..at, units, next))
    }

    fn outline(&self, block: &Block, cut: &Cut, _: &[RawAnswer], into: &mut Decoded) {
        for (bytes, _) in cut.each_unit() {
            let game = &block.bytes[bytes.clone()];
            let span = bytes.start as u32..bytes.end as u32;
            let outcome = result(game).and_then(outcome);
            let mut offset = span.start + RECORD as u32;
            outline(game, |turn, played, score, ply| {
                let record = Record::new(block.start.plus(offset), span.clone());
                into.records.push(
                    record
                        .with_played(Some(played))
                        .with_score(Some(turned_score(score.into(), turn)))
                        .with_outcome(outcome)
                        .with_ply(ply),
                );
                offset += STEP as u32;
            });
        }
    }

    fn select(
        &self,
        block: &Block,
        decoded: &Decoded,
        actions: &Actions<'_>,
        out: &mut Vec<u8>,
        _: &mut Open,
    ) {
        let mut actions = actions.records;
        for records in decoded.units() {
            let (of_game, rest) = actions.split_at(records.len().min(actions.len()));
            rewrite(self.0, block.slice(&records[0].span()), of_game, out);
            actions = rest;
        }
    }

    fn states(&self, block: &Block, decoded: &Decoded, found: &mut dyn FnMut(usize, &State)) {
        replayed_states(block, decoded, found, |game, found| {
            let _ = replay(self.0, game, |board, ply| {
                found(&State::of_board(board, ply.position));
            });
        });
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
        let place = match fault.kind() {
            Fault::CutOff => span.start,
            _ => bad.start,
        };
        into.refuse(block, place, bad, fault);
    }
}
