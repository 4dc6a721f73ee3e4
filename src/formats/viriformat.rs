//! viriformat: whole games, written by viridithas and read by bullet.
//!
//! A game is a [`marlinformat`] record of its first position, then four
//! bytes a move, then four zero bytes. A move is 16 bits, then White's score
//! of the position *before* it, i16:
//!
//! | bits | holds |
//! |---|---|
//! | 0..6 | the origin square |
//! | 6..12 | the target; for castling, the king's own rook |
//! | 12..14 | the promotion: knight, bishop, rook, queen |
//! | 14..16 | 1 en passant, 2 castling, 3 promotion, 0 anything else |
//!
//! Chess960 games castle from any square. The score and full-move number in the
//! first record may be zero.
//!
//! # What a filter writes
//!
//! A game with all positions kept is copied byte for byte. If positions are *dropped*, each run
//! of kept positions becomes a game with a new first record (castling rights, en-passant target
//! and clocks as played, the result, score 0), so every game in the output can be replayed. If
//! they are *marked*, their score becomes one that loaders refuse, and the game stays whole.

mod game;
mod stream;

use super::Field;
use super::convert::no_place_for_white_in_16_bits;
use super::isa::Features;
use super::row::{Row, Target};
use game::game_length;
pub(super) use game::play;
use stream::{GameCodec, whole_games};

pub(super) const ROW: Row = Row {
    extensions: &["viriformat", "vf", "viri"],
    shared_extensions: &["bin", "binpack"],
    tenths_of_a_record: 43,
    units: Some("games"),
    skips_unscored: true,
    never_whole: |game| Some(game_length(game).err()?.to_string()),
    needs: &[Field::Played, Field::Score, Field::Result],
    forms: &[(Field::Clocks, "the number of the first move")],
    target: Some(Target {
        no_place: no_place_for_white_in_16_bits,
        write: game::write,
    }),
    ..Row::new("viriformat", whole_games, |path| {
        Box::new(GameCodec(Features::of(path)))
    })
};
