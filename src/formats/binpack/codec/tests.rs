//! What is decoded and marked quickly is what the careful ways find.

use shakmaty::{Chess, Move, Position as _};

use super::super::super::VALUE_NONE;
use super::super::super::board::Board;
use super::super::chain::Step;
use super::super::write::{ChainWriter, Link};
use super::*;
use crate::{Capture, CpuPath};

fn random(state: &mut u64) -> u64 {
    *state = state.wrapping_add(0x9E37_79B9_7F4A_7C15);
    let z = (*state ^ *state >> 30).wrapping_mul(0xBF58_476D_1CE4_E5B9);
    let z = (z ^ z >> 27).wrapping_mul(0x94D0_49BB_1331_11EB);
    z ^ z >> 31
}

fn features() -> Features {
    Features::of(CpuPath::best())
}

fn capture(m: Move) -> Capture {
    let promotion = m.promotion().map_or(0, |role| role as u32);
    let from = m.from().expect("no drops");
    Capture::from_parts(from as u32, m.to() as u32, promotion)
}

fn link(chess: &Chess, played: Capture, ply: u16, state: &mut u64) -> Link {
    let position = Position::try_from(chess).expect("a position");
    let castling = chess.castles().castling_rights().0;
    let (halfmoves, fullmoves) = (chess.halfmoves() as u8, chess.fullmoves().get() as u16);
    let board = Board::new(&position, castling, halfmoves, fullmoves);
    // Of every length, and none at times.
    let score = match random(state) % 8 {
        0 => VALUE_NONE,
        bits => (random(state) as i16) >> (2 * bits),
    };
    let result = if ply.is_multiple_of(2) { 1 } else { -1 };
    Link {
        board,
        position,
        played,
        kind: board.kind(played),
        score,
        ply,
        result,
    }
}

/// A chunk of games of random legal moves, cut into chains where their clocks say.
fn chunk(state: &mut u64) -> Vec<u8> {
    let mut bytes = vec![0; CHUNK_HEADER];
    for _ in 0..4 {
        let mut chess = Chess::default();
        let mut chain: Option<ChainWriter> = None;
        for ply in 0..random(state) % 300 {
            let moves = chess.legal_moves();
            if moves.is_empty() {
                break;
            }
            let m = moves[random(state) as usize % moves.len()];
            let link = link(&chess, capture(m), ply as u16, state);
            if !chain.as_mut().is_some_and(|chain| chain.append(&link))
                && let Some(chain) = chain.replace(ChainWriter::new(&link))
            {
                chain.write(&mut bytes);
            }
            chess.play_unchecked(m);
        }
        if let Some(chain) = chain {
            chain.write(&mut bytes);
        }
    }
    let size = (bytes.len() - CHUNK_HEADER) as u32;
    bytes[..4].copy_from_slice(&super::super::MAGIC);
    bytes[4..CHUNK_HEADER].copy_from_slice(&size.to_le_bytes());
    bytes
}

/// What the careful walk finds, one position behind the other.
fn slowly(block: &Block) -> Decoded {
    let mut into = Decoded::default();
    let mut at = CHUNK_HEADER;
    while at < block.bytes.len() {
        let begun = (block.start.plus(at as u32), 0..0);
        let bytes = &block.bytes[at..];
        let found = |step: &Step| push(&mut into, &begun, &Found::of(step));
        match walk(features(), bytes, found) {
            Ok(length) => at += length,
            Err((offset, fault)) => {
                invalid(block, at + offset, block.bytes.len(), fault, &mut into);
                break;
            }
        }
    }
    into
}

fn agree(bytes: Vec<u8>) -> Option<String> {
    let start = Place::Offset(0);
    let block = Block {
        bytes,
        start,
        truncated: false,
    };
    let (mut quick, slow) = (Decoded::default(), slowly(&block));
    ChunkCodec(features()).decode(&block, &mut quick);
    assert_eq!(quick.positions, slow.positions);
    assert_eq!(quick.scores, slow.scores);
    let parts = |record: &Record| {
        let (score, ply) = (record.score(), record.ply());
        (
            record.place(),
            record.played(),
            score,
            ply,
            record.outcome(),
        )
    };
    assert!(
        quick
            .records
            .iter()
            .map(parts)
            .eq(slow.records.iter().map(parts))
    );
    assert_eq!(quick.invalid, slow.invalid);
    quick.invalid.pop().map(|error| error.reason.to_string())
}

#[test]
fn quickly_decoded_is_as_walked() {
    let mut state = 11;
    let mut kinds = std::collections::HashSet::new();
    let (mut positions, mut chains) = (0, 0);
    for _ in 0..150 {
        let chunk = chunk(&mut state);
        assert_eq!(agree(chunk.clone()), None);
        let mut rest = &chunk[CHUNK_HEADER..];
        while !rest.is_empty() {
            let length = walk(features(), rest, |_| positions += 1).expect("sound");
            (chains, rest) = (chains + 1, &rest[length..]);
        }
        for _ in 0..60 {
            let mut bytes = chunk.clone();
            for _ in 0..=random(&mut state) % 3 {
                let at = CHUNK_HEADER + random(&mut state) as usize % (bytes.len() - CHUNK_HEADER);
                bytes[at] ^= 1 << (random(&mut state) % 8);
            }
            bytes.truncate(bytes.len() - random(&mut state) as usize % 8);
            let size = (bytes.len() - CHUNK_HEADER) as u32;
            bytes[4..CHUNK_HEADER].copy_from_slice(&size.to_le_bytes());
            kinds.extend(agree(bytes).map(|fault| {
                fault
                    .chars()
                    .filter(char::is_ascii_lowercase)
                    .take(12)
                    .collect::<String>()
            }));
        }
    }
    assert!(positions > 100 * chains, "{positions} in {chains} chains");
    assert!(kinds.len() > 6, "{kinds:?}");
}

/// Eight at a time as one by one, also where the other side is to move: then often the
/// side not to move is in check.
#[test]
fn groups_are_sound_on_every_path() {
    let mut state = 13;
    let mut unsound = 0;
    for _ in 0..40 {
        let mut decoded = Decoded::default();
        let block = Block {
            bytes: chunk(&mut state),
            start: Place::Offset(0),
            truncated: false,
        };
        ChunkCodec(features()).decode(&block, &mut decoded);
        for position in &mut decoded.positions {
            let [bit0, bit1, bit2, colors] = position.planes();
            let other = if random(&mut state).is_multiple_of(4) {
                bit1 & bit2
            } else {
                0
            };
            *position = bytemuck::cast([bit0 ^ other, bit1, bit2, colors]);
        }
        for eight in decoded.positions.as_chunks::<GROUP>().0 {
            let sound = eight.iter().all(Position::is_sound);
            unsound += usize::from(!sound);
            for path in CpuPath::ALL.into_iter().filter(|path| path.is_available()) {
                let found = Units::of(path).map(|units| units.all_sound(eight));
                assert_eq!(found.unwrap_or(sound), sound, "{path} {eight:?}");
            }
        }
    }
    assert!(unsound > 20, "{unsound}");
}

#[test]
fn a_machine_with_vectors_decodes_quickly() {
    assert!(CpuPath::best() == CpuPath::Scalar || Units::of(CpuPath::best()).is_some());
}

/// Chain by chain, all played and none changed.
#[test]
#[ignore = "needs real data"]
fn real_data_chains_rewritten_whole_are_byte_identical() {
    for name in ["sf_ep1.binpack", "sf_small.binpack"] {
        let folder = concat!(env!("CARGO_MANIFEST_DIR"), "/../shared/data/formats");
        let file = std::fs::read(format!("{folder}/{name}")).expect("real data");
        for chunk in chunks(&file) {
            let mut rest = &file[chunk.start..chunk.end];
            while !rest.is_empty() {
                let (mut dropped, mut marked) = (Vec::new(), Vec::new());
                let length = drop_positions(features(), rest, |_| true, &mut dropped);
                let (chain, behind) = rest.split_at(length.expect("a sound chain"));
                assert_eq!(dropped, chain);
                let length = mark_positions(features(), rest, |_| true, &mut marked);
                assert_eq!((length, &*marked), (Ok(chain.len()), chain));
                rest = behind;
            }
        }
    }
}

/// The reference plays each chain, which may be damaged.
#[test]
fn marked_at_once_is_as_marked_walking() {
    let mut state = 12;
    let mut walked = 0;
    for round in 0..300 {
        let mut bytes = chunk(&mut state);
        for _ in 0..round % 3 {
            let at = CHUNK_HEADER + random(&mut state) as usize % (bytes.len() - CHUNK_HEADER);
            bytes[at] ^= 1 << (random(&mut state) % 8);
        }
        let block = Block {
            bytes,
            start: Place::Offset(0),
            truncated: false,
        };
        let mut chains = Decoded::default();
        ChunkCodec(features()).decode(&block, &mut chains);
        let share = [2, 3, 10, 200, 1][round % 5];
        let action = |_: &Record| match random(&mut state) % share {
            0 => Action::Mark,
            _ => Action::Keep,
        };
        let actions: Vec<Action> = chains.records.iter().map(action).collect();
        let (mut quick, mut slow) = (Vec::new(), Vec::new());
        let all = Actions {
            records: &actions,
            invalid: false,
        };
        let span = CHUNK_HEADER..block.bytes.len();
        ChunkCodec(features()).encode_chains(&block, &chains, &all, span, &mut quick);
        let mut first = 0;
        while let Some(record) = chains.records.get(first) {
            let of_chain = |other: &&Record| other.span().start == record.span().start;
            let count = chains.records[first..].iter().take_while(of_chain).count();
            let kept = |i: usize| actions[first + i] == Action::Keep;
            let chain = slice(&block, &record.span());
            if (0..count).all(kept) && walk(features(), chain, |_| ()).is_ok() {
                slow.extend_from_slice(chain);
            } else {
                let _ = mark_positions(features(), chain, kept, &mut slow);
                walked += 1;
            }
            first += count;
        }
        assert!(quick == slow, "round {round}");
    }
    assert!(walked > 400, "{walked}");
}
