//! Games of legal moves as a binpack with changed bytes: the fast decoder, whole or in parts,
//! matches the careful one up to the same fault; marking changes scores only.
#![no_main]

use std::fmt::Write as _;

use libfuzzer_sys::{Corpus, fuzz_target};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, EnPassantMode, Position as _};
use swaplist::{CpuPath, Position};
use swaplist_files::formats::inside::{Action, Actions, Block, OpenChunk, codec_on, open};
use swaplist_files::formats::{DecodedPart, Format, Place, RecordFields, VALUE_NONE};

const CHUNK_HEADER: usize = 8;

/// A game: a start position, moves as indices of legal moves, and scores.
type Game = (u8, Vec<(u8, i16)>);

/// Positions close to promotions, en passant, castling, checks and few pieces.
const BEGINNINGS: [&str; 5] = [
    "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1",
    "r3k2r/p1ppqpb1/bn2pnp1/3PN3/1p2P3/2N2Q1p/PPPBBPPP/R3K2R w KQkq - 0 1",
    "n1n5/PPPk4/8/8/8/8/4Kppp/5N1N b - - 0 1",
    "8/2p5/3p4/KP5r/1R3p1k/8/4P1P1/8 w - - 0 1",
    "4k2r/6K1/8/8/8/8/8/8 w k - 0 1",
];

/// The game as Stockfish's text, six lines per position.
fn plain(games: &[Game]) -> String {
    let mut text = String::new();
    for (beginning, moves) in games {
        let fen: Fen = BEGINNINGS[usize::from(*beginning) % BEGINNINGS.len()]
            .parse()
            .unwrap();
        let mut chess: Chess = fen.into_position(CastlingMode::Standard).unwrap();
        for (ply, &(number, score)) in moves.iter().enumerate() {
            let legal = chess.legal_moves();
            let Some(&m) = legal.get(usize::from(number) % legal.len().max(1)) else {
                break;
            };
            let fen = Fen::from_position(&chess, EnPassantMode::Legal);
            let uci = m.to_uci(CastlingMode::Standard);
            let result = if ply % 2 == 0 { 1 } else { -1 };
            writeln!(
                text,
                "fen {fen}\nmove {uci}\nscore {score}\nply {ply}\nresult {result}\ne"
            )
            .unwrap();
            chess.play_unchecked(m);
        }
    }
    text
}

/// The chunk of these games, or nothing.
fn chunk(games: &[Game]) -> Option<Vec<u8>> {
    let text = plain(games);
    let (mut reader, codec) = open(Format::Plain, text.as_bytes(), text.len() + 1);
    let block = reader.next_block().unwrap()?;
    let conversion = codec.converting_to(Format::Binpack).unwrap();
    let mut decoded = DecodedPart::default();
    let mut bytes = Vec::new();
    conversion.decode(&block, &mut decoded);
    assert_eq!(decoded.invalid.len(), 0);
    let actions = vec![Action::Keep; decoded.records.len()];
    let actions = Actions {
        records: &actions,
        writes_invalid: false,
    };
    conversion.encode_part(
        &block,
        &decoded,
        &actions,
        &mut bytes,
        &mut OpenChunk::default(),
    );
    Some(bytes)
}

type Ply = (Position, RecordFields);

/// The careful decoder's result, and whether it reaches the end.
fn walked(block: &Block) -> (Vec<Ply>, bool) {
    let mut decoded = DecodedPart::default();
    codec_on(Format::Binpack, CpuPath::Scalar).decode(block, &mut decoded);
    let plies = decoded.positions.into_iter().zip(decoded.records);
    (plies.collect(), decoded.invalid.is_empty())
}

fn in_parts(block: &Block, plies: &[Ply], records: usize) -> usize {
    let codec = codec_on(Format::Binpack, CpuPath::best());
    let mut decoded = DecodedPart::default();
    let mut at = Some(0);
    let mut found = 0;
    let mut faults = 0;
    while let Some(from) = at {
        at = codec.decode_part(block, from, records, &mut decoded);
        for found_here in decoded
            .positions
            .iter()
            .copied()
            .zip(decoded.records.iter().copied())
        {
            assert_eq!(found_here, plies[found]);
            found += 1;
        }
        faults += decoded.invalid.len();
    }
    assert_eq!(found, plies.len());
    faults
}

fn marked(block: &Block, plies: &[Ply], mark: u8) {
    let codec = codec_on(Format::Binpack, CpuPath::best());
    let mut decoded = DecodedPart::default();
    let mut bytes = Vec::new();
    codec.decode(block, &mut decoded);
    let action = |i| {
        if mark >> (i % 8) & 1 == 1 {
            Action::Mark
        } else {
            Action::Keep
        }
    };
    let actions: Vec<Action> = (0..plies.len()).map(action).collect();
    let actions = Actions {
        records: &actions,
        writes_invalid: false,
    };
    codec.encode_part(
        block,
        &decoded,
        &actions,
        &mut bytes,
        &mut OpenChunk::default(),
    );
    let (again, whole) = walked(&Block::new(bytes, block.start));
    assert!(whole);
    // The positions before a fault in a chain are written.
    assert_eq!(again.len(), plies.len());
    for (i, ((position, record), before)) in again.iter().zip(plies).enumerate() {
        let score = match action(i) {
            Action::Mark => Some(VALUE_NONE.into()),
            _ => before.1.score(),
        };
        assert_eq!(*position, before.0);
        let held = |record: &RecordFields| (record.played(), record.ply(), record.outcome());
        assert_eq!(held(record), held(&before.1));
        assert_eq!(record.score(), score);
    }
}

fuzz_target!(|input: (Vec<Game>, Vec<(u16, u8)>, u8, u8)| -> Corpus {
    let (games, changes, records, mark) = input;
    let Some(mut bytes) = chunk(&games) else {
        return Corpus::Reject;
    };
    let length = bytes.len() - CHUNK_HEADER;
    for (at, bits) in changes {
        bytes[CHUNK_HEADER + usize::from(at) % length] ^= bits;
    }
    let block = Block::new(bytes, Place::Offset(0));
    let (plies, whole) = walked(&block);
    assert_eq!(in_parts(&block, &plies, usize::MAX), usize::from(!whole));
    assert_eq!(
        in_parts(&block, &plies, usize::from(records) + 1),
        usize::from(!whole)
    );
    marked(&block, &plies, mark);
    Corpus::Keep
});
