//! The preset on a real file, compared with viriformat's own filter.

use std::io::BufRead as _;

use shakmaty::{Role, Square};
use swaplist::{PackedMove, Position};
use swaplist_files::filter::{Filter, Preset, Reason};
use swaplist_files::formats::{Outcome, Place, RecordFields};
use viriformat::chess::board::Board;
use viriformat::chess::chessmove::Move as TheirMove;
use viriformat::chess::piece::PieceType;
use viriformat::dataformat::{Filter as TheirFilter, Game, WDL};

use crate::common::data;

#[test]
#[ignore = "needs SWAPLIST_DATA"]
fn real_data_the_preset_keeps_what_viriformat_keeps() {
    let bytes = data::bytes("formats/sf_small.viriformat");
    let mut reader = bytes.as_slice();
    let ours = Preset::Viriformat.filter();
    let theirs = TheirFilter::default();
    let mut all = 0;
    let mut kept = 0;
    while !reader.fill_buf().unwrap().is_empty() {
        let game = Game::deserialise_from(&mut reader, Vec::new()).unwrap();
        let outcome = match game.outcome() {
            WDL::Win => Outcome::White,
            WDL::Draw => Outcome::Draw,
            WDL::Loss => Outcome::Black,
        };
        let mut moves = game.moves();
        let mut here = 0;
        game.visit_positions(|board, white_score| {
            let judged = judge(&ours, board, moves.next().unwrap(), white_score, outcome);
            here += u64::from(judged.is_none());
            all += 1;
        });
        assert_eq!(here, game.filter_pass_count(&theirs));
        kept += here;
    }
    assert_eq!((all, kept), (434_921, 263_878));
}

fn judge(
    filter: &Filter,
    board: &Board,
    m: TheirMove,
    white_score: i32,
    outcome: Outcome,
) -> Option<Reason> {
    let position: Position = board.to_string().parse().unwrap();
    let [from, to] = [m.from(), m.to()].map(|at| Square::new(at.inner().into()));
    let promotion = m.promotion_type().map(|piece| match piece {
        PieceType::Knight => Role::Knight,
        PieceType::Bishop => Role::Bishop,
        PieceType::Rook => Role::Rook,
        _ => Role::Queen,
    });
    let record = RecordFields::new(Place::Offset(0), 0..1)
        .with_played(Some(PackedMove::new(from, to, promotion)))
        .with_score(Some(position.turn().fold_wb(white_score, -white_score)))
        .with_outcome(Some(outcome))
        .with_ply(Some(board.ply() as u32));
    filter.judge(&position, &record).unwrap()
}
