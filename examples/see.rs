//! One SEE: what is a capture worth?
//!
//! `cargo run --example see -- FEN MOVE`

use std::error::Error;

use shakmaty::{fen::Fen, uci::UciMove};
use swaplist::{
    Choice, PackedMove, PieceValues, Position, Profile, Rules, position::chess_from_setup,
};

const CPW: &str = "1k1r3q/1ppn3p/p4b2/4p3/8/P2N2P1/1PP1R1BP/2K1Q3 w - - 0 1";

fn main() -> Result<(), Box<dyn Error>> {
    let mut args = std::env::args().skip(1);
    let fen = args.next().unwrap_or_else(|| CPW.to_owned());
    let uci = args.next().unwrap_or_else(|| "d3e5".to_owned());

    // The exchange itself does not check legality.
    let chess = chess_from_setup(fen.parse::<Fen>()?.into_setup())?;
    let m = uci.parse::<UciMove>()?.to_move(&chess)?;
    let position = Position::try_from(&chess)?;
    let capture = PackedMove::from_move(m).ok_or("a drop is not a chess move")?;

    for &profile in Profile::ALL {
        let rules = Rules::new(profile, PieceValues::CPW);
        let trace = rules.trace(&position, capture);
        println!("{profile:5} {:5}  {:?}", trace.value, trace.swap_list());
    }
    Ok(())
}
