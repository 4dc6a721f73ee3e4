//! Block boundaries at the ends of games.

use shakmaty::fen::Fen;
use shakmaty::uci::UciMove;
use shakmaty::{Chess, EnPassantMode, Position as _};
use swaplist_files::formats::{DecodedPart, Format, Reader};

use super::encode_all;
use super::games::{encoded, games};

fn open(from: Format, to: Format, file: &[u8], block_bytes: usize) -> Reader<'_> {
    let (reader, _) = from.open(file, block_bytes);
    reader.whole_games(from, to)
}

/// The output equals what the tests encode game by game.
#[test]
fn no_game_is_cut_at_the_end_of_a_block() {
    let games = games(31, 40);
    let viriformat = encoded(Format::Viriformat, &games);
    for from in [Format::Plain, Format::Sfbin] {
        let file = encoded(from, &games);
        for block_bytes in [700, 5000, 100_000, file.len() + 1] {
            let to = Format::Viriformat;
            let mut reader = open(from, to, &file, block_bytes);
            let mut blocks = Vec::new();
            let mut out = Vec::new();
            while let Some(block) = reader.next_block().unwrap() {
                let codec = from.codec().converting_to(to).unwrap();
                let mut decoded = DecodedPart::default();
                codec.decode(&block, &mut decoded);
                assert_eq!(decoded.invalid, []);
                encode_all(&codec, &block, &decoded, &mut out);
                blocks.push(block);
            }
            // Except for the score in a game's first record, which is arbitrary.
            assert_eq!(out.len(), viriformat.len(), "{from:?} {block_bytes}");
            let bytes = blocks.iter().flat_map(|block| &block.bytes);
            assert!(bytes.eq(&file), "{from:?} {block_bytes}");
            assert!(blocks.len() > 1 || block_bytes > file.len());
        }
    }
}

/// Without replayed moves, blocks are unchanged.
#[test]
fn other_conversions_keep_their_blocks() {
    let file = encoded(Format::Plain, &games(32, 4));
    for to in [Format::Sfbin, Format::Plain, Format::Text] {
        let mut reader = open(Format::Plain, to, &file, 3000);
        let (mut plain, _) = Format::Plain.open(file.as_slice(), 3000);
        while let Some(block) = plain.next_block().unwrap() {
            assert_eq!(reader.next_block().unwrap(), Some(block));
        }
    }
}

/// A game of 5 MB is cut, so that memory stays small; overlong lines, invalid records and a
/// truncated record come through.
#[test]
fn blocks_stay_small_and_nothing_is_lost() {
    let mut chess = Chess::default();
    let mut file = Vec::new();
    let comment = "x".repeat(20_000);
    for ply in 0..250_usize {
        let uci = ["g1f3", "g8f6", "f3g1", "f6g8"][ply % 4];
        let fen = Fen::from_position(&chess, EnPassantMode::Legal);
        let record = format!("{fen} sm {uci}; ce 1; c9 \"1-0\"; c0 \"{comment}\";\n");
        file.extend_from_slice(record.as_bytes());
        let m: UciMove = uci.parse().unwrap();
        chess.play_unchecked(m.to_move(&chess).unwrap());
    }
    file.extend(b"x".repeat(1_100_000));
    file.extend_from_slice(b"\nno record\n4k3/8/8/8/8/8/8/4K3 w - - 0 1\n4k3/8");
    let mut reader = open(Format::Text, Format::Binpack, &file, 1 << 16);
    let mut bytes = Vec::new();
    let mut blocks = 0;
    while let Some(block) = reader.next_block().unwrap() {
        let size = block.bytes.len();
        assert!(size < 5 << 18, "{size}");
        blocks += 1;
        bytes.extend_from_slice(&block.bytes);
    }
    assert!(bytes == file);
    assert!((5..12).contains(&blocks), "{blocks}");
}
