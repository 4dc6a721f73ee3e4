//! Castling rights and clocks of a FEN.

use shakmaty::fen::Fen;
use swaplist_files::formats::Record;

/// Castling rights and clocks are shakmaty's; without a FEN there are none.
#[test]
fn rights_and_clocks() {
    let boards = [
        "r3k2r/8/8/8/8/8/8/R3K2R",
        "1r2k1r1/8/8/8/8/8/8/RR2KR1R",
        "4k3/8/8/8/8/8/8/2R1K3",
        "r1k1r3/8/8/8/8/8/8/1RK2R2",
    ];
    let rights = [
        "-", "K", "Q", "k", "q", "KQkq", "Kk", "HAha", "Bb", "BFbf", "C", "qK", "KK", "kQ", "G",
        "b",
    ];
    let tails = [
        "",
        " 0 1",
        " 12 34",
        " 5",
        " 99999999 70000",
        " 0 0",
        " 3 4 ",
        " 007 008",
        " x",
    ];
    let mut tried = 0;
    let mut read = 0;
    for board in boards {
        for (right, tail) in rights
            .iter()
            .flat_map(|right| tails.map(|tail| (right, tail)))
        {
            tried += 1;
            let ep = ["-", "e6", "a1"][tried % 3];
            let turn = [" w ", " w ", "__w ", "_w "][tried % 4];
            let text = format!("{board}{turn}{right} {ep}{tail}");
            let position = format!("{board} w - -").parse().unwrap();
            let (record, found) = Record::and_ep_of_fen(&text, position);
            let Ok(fen) = text.parse::<Fen>() else {
                assert_eq!(record, Record::new(position), "{text}");
                continue;
            };
            read += 1;
            let setup = fen.into_setup();
            assert_eq!(
                (record.castling, found),
                (setup.castling_rights, setup.ep_square),
                "{text}"
            );
            assert_eq!(
                u32::from(record.halfmoves),
                setup.halfmoves.min(255),
                "{text}"
            );
            assert_eq!(
                u32::from(record.fullmoves),
                setup.fullmoves.get().min(65_535),
                "{text}"
            );
        }
    }
    assert!(read > 200, "{read}");
}
