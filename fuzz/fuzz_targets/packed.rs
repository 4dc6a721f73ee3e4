//! Any 32 bytes as a position and any 16 bits as a move, under any rules: a value in bounds,
//! and a position or a typed error.
#![no_main]

use libfuzzer_sys::fuzz_target;
use swaplist::{Sides, PackedMove, PieceValues, Position, noisy_moves, position::chess_from_setup};
use swaplist_files::check;

fuzz_target!(|input: ([u64; 4], u16, u8, [i16; 5], i32)| {
    let (planes, bits, option, table, threshold) = input;
    let position: Position = bytemuck::cast(planes);
    let capture: PackedMove = bytemuck::cast(bits);
    let table = table.map(|value| i32::from(value).clamp(-30_000, 30_000));
    let all = check::candidates(PieceValues::new(table).unwrap());
    let rules = all[usize::from(option) % all.len()];

    let value = rules.see(&position, capture);
    assert!(value.abs() <= 64 * 3 * 30_000);
    assert_eq!(
        rules.see_ge(&position, capture, threshold),
        value >= threshold
    );
    let trace = rules.trace(&position, capture);
    assert!(trace.recaptures.len() <= 64);
    assert_eq!(trace.value, value);
    let noisy = noisy_moves(&position).len();
    assert_eq!(rules.verdict(&position, Sides::Both).noisy() as usize, noisy);

    let chess = chess_from_setup(position.to_setup());
    if let Ok(position) = Position::from_planes(planes) {
        assert_eq!(position.to_string().parse(), Ok(position));
        assert_eq!(Position::try_from(&chess.unwrap()), Ok(position));
    }
});
