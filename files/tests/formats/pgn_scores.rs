//! PGN: scores in comments.

use swaplist_files::formats::{DecodedPart, Format};

use super::pgn::TAGS;

/// The scores that a game's positions have, from the side to move.
fn scores(moves: &str) -> Vec<Option<i32>> {
    let text = format!("{TAGS}{moves}\n");
    let (mut reader, codec) = Format::Pgn.open(text.as_bytes(), 1 << 20);
    let mut decoded = DecodedPart::default();
    codec.decode(&reader.next_block().unwrap().unwrap(), &mut decoded);
    assert!(decoded.invalid.is_empty(), "{:?}", decoded.invalid);
    decoded
        .records
        .iter()
        .map(swaplist_files::formats::RecordFields::score)
        .collect()
}

#[test]
fn evaluations_in_comments_are_scores_of_the_position_behind_the_move() {
    let none = Some(32002);
    for (moves, expected) in [
        (
            "1. e4 { [%eval 0.31] } e5 {good [%eval -1.25,22] [%clk 0:01:00]} 2. d4 *",
            vec![none, Some(-31), Some(-125)],
        ),
        (
            "{ [%eval 0.2] } 1. e4 { [%eval #4] } e5 { [%eval #-3] } 2. d4 { [%eval #-1] } d5 *",
            vec![Some(20), Some(-31_996), Some(-31_997), Some(31_999)],
        ),
        // In a variation, before any move, and not a number.
        (
            "1. e4 (1. d4 { [%eval 9] }) e5 { [%eval 12] } 2. d4 {[%eval ] [%evals 3]} d5 \
             3. c4 {[%eval 1e3]} c5 {[%eval #0]} 4. a3 {[%eval 99999]} a6 *",
            vec![
                none,
                none,
                Some(1200),
                none,
                none,
                none,
                none,
                Some(-30_999),
            ],
        ),
        ("1. e4 { good } e5 *", vec![None, None]),
        ("1. e4 (1. d4 { [%eval 9] }) e5 *", vec![None, None]),
        (
            "1. e4 { [%eval .5] [%eval 7] } e5 { [%eval +2] } 2. d4 { [%eval -0.005] } a6 *",
            vec![none, Some(-50), Some(200), Some(1)],
        ),
        // Of several scores the first valid one, in any comment.
        (
            "1. e4 {[%eval 0.1] [%eval 0.2]} {[%eval 0.3]} e5 {[%eval 0.4} {[%eval 0.5]} \
             (1... c5) {[%eval 0.6]} 2. d4 {[%eval 0.7} d5 *",
            vec![none, Some(-10), Some(50), none],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
    }
}

/// `ChessBase` writes a depth of 0 at moves of its book.
#[test]
fn an_evaluation_of_depth_0_is_no_score() {
    let none = Some(32002);
    assert_eq!(
        scores("1. e4 {[%eval 0,0]} e5 {[%eval 25,0]} 2. d4 {[%eval 0,1]} d5 {[%eval -7,12]} *"),
        [none, none, none, Some(0)]
    );
    assert_eq!(
        scores("1. e4 {[%eval 0,0]} e5 {[%eval 0.00,0]} *"),
        [None, None]
    );
}

/// fastchess writes `0.00/0` if the engine told no score.
#[test]
fn a_search_of_depth_0_without_a_score_is_no_score() {
    let none = Some(32002);
    assert_eq!(
        scores("1. e4 {0.00/0 0.000s} e5 {+0.00/00 0.1s} 2. d4 {+0.35/0 0s} d5 {0.00/10 1s} *"),
        [none, none, Some(35), Some(0)]
    );
}

/// cutechess and fastchess write the score of the position that was searched.
#[test]
fn scores_of_searches_are_of_the_position_before_the_move() {
    let none = Some(32002);
    for (moves, expected) in [
        (
            "1. e4 {book} e5 {+0.13/22 1.2s} 2. Nf3 {-0.50/9 0.049s} Nc6 {0.00/1 0s} *",
            vec![none, Some(13), Some(-50), Some(0)],
        ),
        (
            "1. f3 { +0.31/12 5s } e5 {+M3/9 1s} 2. g4 {-M2/5 0.2s} Qh4# {+M1/5 0s, Black mates} 0-1",
            vec![Some(31), Some(31_998), Some(-31_999), Some(31_999)],
        ),
        // Without a move, in a variation or after it: for no move of the main line.
        (
            "{+9.00/9 1s} 1. e4 (1. d4 {+8.00/9 1s}) {+7.00/9 1s} e5 {+0.10/9 1s} *",
            vec![none, Some(10)],
        ),
        ("1. e4 {book} e5 {book} *", vec![None, None]),
        // Both kinds: the searched score has priority, the other fills gaps.
        (
            "1. e4 {+0.20/9 1s} {[%eval 0.4]} e5 {[%eval 0.5]} 2. d4 {+0.60/9 1s} d5 *",
            vec![Some(20), Some(-40), Some(60), none],
        ),
        ("1. e4 {+0.20/9 1s} {+0.30/9 1s} e5 *", vec![Some(20), none]),
        // With a decimal comma, as in some locales. A number without two decimals may be a result.
        (
            "1. e4 {+0,25/9 4} d5 {-0,10/8 4,5s} 2. Nf3 {(a6) -0,05/8 5} dxe4 {+M3/8, mate} \
             3. Ng5 {0,30} e5 {1,5/8 1s} *",
            vec![Some(25), Some(-10), Some(-5), Some(31_998), none, Some(-30)],
        ),
        // ChessBase's centipawns and depth.
        (
            "1. e4 {[%eval 31,18]} e5 {[%eval 0,31]} 2. d4 *",
            vec![none, Some(-31), Some(0)],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
    }
}

#[test]
fn scores_of_games_reach_formats_that_need_one() {
    let text = format!(
        "{TAGS}1. e4 {{ [%eval 0.31] }} e5 {{ [%eval 0.4] }} 2. d4 1-0\n\n{TAGS}1. d4 1/2-1/2\n"
    );
    for to in [Format::Viriformat, Format::Binpack, Format::Sfbin] {
        let out = super::convert(Format::Pgn, to, text.as_bytes());
        let (mut reader, codec) = to.open(out.as_slice(), 1 << 20);
        let mut decoded = DecodedPart::default();
        codec.decode(&reader.next_block().unwrap().unwrap(), &mut decoded);
        let scores: Vec<_> = decoded.records.iter().map(|r| r.score().unwrap()).collect();
        assert_eq!(scores, [32002, -31, 40, 32002], "{to:?}");
    }
}

/// TCEC writes the score of the search for the move, from White's view.
#[test]
fn scores_of_tcec_are_of_the_position_before_the_move() {
    let none = Some(32002);
    for (moves, expected) in [
        (
            "{WhiteEngineOptions: Protocol=uci; Hash=9;, BlackEngineOptions: x=;} \
             1. e4 {book, mb=+0+0+0+0+0,} e5 {d=21, sd=57, pd=Nf3, mt=9, tl=9, s=9, n=9, \
             pv=e5 Nf3, tb=0, h=8.0, ph=0.0, wv=0.72, R50=50, Rd=-11, Rr=-11, mb=+0,} \
             2. Nf3 {d=33, n=9, wv=0.30, R50=49,} Nc6 {d=33, n=9, wv=-0.46, R50=48,} *",
            vec![none, Some(-72), Some(30), Some(46)],
        ),
        (
            "1. f3 {ev=-0.50, d=9, n=7, wv=-0.50,  } e5 {d=9, n=7, wv=-M5,} 2. g4 {d=9, wv=-M2,} \
             Qh4# {d=1, n=1, wv=-M1, Black mates} 0-1",
            vec![Some(-50), Some(31_997), Some(-31_999), Some(31_999)],
        ),
        // Not for the position after it, nor for a variation.
        (
            "1. e4 (1. d4 {wv=9.00}) e5 {wv=0.10} *",
            vec![none, Some(-10)],
        ),
    ] {
        assert_eq!(scores(moves), expected, "{moves}");
    }
}

/// A score's value and whose: of the position after the move from White's view, or of the one that
/// was searched, before it, from the mover's or White's view.
#[derive(Clone, Copy, Debug, PartialEq)]
enum Score {
    White(i32),
    Searched(i32),
    SearchedOfWhite(i32),
}

/// The score of a comment after moves of White and Black.
fn score(comment: &str) -> Option<Score> {
    let found = |moves: String| -> Vec<Option<i32>> {
        let scores = scores(&moves).into_iter();
        scores
            .map(|score| score.filter(|&score| score != 32002))
            .collect()
    };
    let white = found(format!("1. e4 {{{comment}}} e5 *"));
    let black = found(format!("1. e4 e5 {{{comment}}} 2. d4 *"));
    match (&white[..], &black[..]) {
        ([None, None], [None, None, None]) => None,
        // White is to move after Black's move.
        (&[None, Some(turned)], &[None, None, Some(score)]) if score == -turned => {
            Some(Score::White(score))
        }
        (&[Some(score), None], &[None, Some(same), None]) if score == same => {
            Some(Score::Searched(score))
        }
        (&[Some(score), None], &[None, Some(turned), None]) if score == -turned => {
            Some(Score::SearchedOfWhite(score))
        }
        found => panic!("{comment}: {found:?}"),
    }
}

#[test]
fn every_dialect_is_read_in_its_own_unit_and_view() {
    let white = Score::White;
    let searched = Score::Searched;
    let tcec = Score::SearchedOfWhite;
    for (comment, expected) in [
        (" [%eval 0.31] ", Some(white(31))),
        ("[%eval -1.2,18]", Some(white(-120))),
        ("[%eval #-3]", Some(white(-31_997))),
        ("[%eval #3,30]", Some(white(31_997))),
        ("[%eval -31,18]", Some(white(-31))),
        ("[%eval 0,31]", Some(white(0))),
        ("[%eval 2]", Some(white(200))),
        // En Croissant's mates, in moves.
        ("[%eval -M1]", Some(white(-31_999))),
        ("[%eval M3,20]", Some(white(31_997))),
        ("[%eval +M12]", Some(white(31_988))),
        // Annotators write White's view of the position after the move.
        (" 0.60 ", Some(white(60))),
        ("-2.67", Some(white(-267))),
        ("+0.13", Some(white(13))),
        // Arena's best line comes first.
        ("(e7e5 Ng1f3) +0.25/18 30", Some(searched(25))),
        (" (d5) -M4/12 3", Some(searched(-31_998))),
        // Clamped below mates.
        ("[%eval 40000,3]", Some(white(30_999))),
        ("[%eval -320.5]", Some(white(-30_999))),
        ("+319.99/30 1s", Some(searched(30_999))),
        ("-400.00/22", Some(searched(-30_999))),
        ("d=9, wv=987.04", Some(tcec(30_999))),
        ("d=9, wv=-309.98", Some(tcec(-30_998))),
        ("+0.13/22 1.2s", Some(searched(13))),
        (" -0.50/9 0.049s, n=12 ", Some(searched(-50))),
        ("0.00/1 0s, Draw by 3-fold repetition", Some(searched(0))),
        ("+1.91/30", Some(searched(191))),
        // In half-moves: odd for the mating side, even for the other.
        ("+M1/2 0.010s, White mates", Some(searched(31_999))),
        ("+M5/6 0.22s", Some(searched(31_997))),
        ("-M4/245 0.004s", Some(searched(-31_998))),
        ("-M2/1 0s", Some(searched(-31_999))),
        ("+0.13/22 [%eval 9.0]", Some(searched(13))),
        ("[%eval 0.31] [%eval 0.4]", Some(white(31))),
        ("[%eval ] [%eval 0.4]", Some(white(40))),
        (
            "d=21, sd=57, mt=192630, tl=5217370, s=19738, n=3801954, pv=e4 b6 Bg5, tb=0, \
             h=8.0, ph=0.0, wv=0.72, R50=50, Rd=-11, Rr=-11, mb=+0+0+0+0+0,",
            Some(tcec(72)),
        ),
        (
            " ev=-1.25, d=18, mt=00:02:04, tl=01:58:26, s=26 kN/s, n=3, pv=Nf6, wv=1.25,  ",
            Some(tcec(125)),
        ),
        (
            "d=1, pv=Qxg5#, wv=M1, R50=50, White mates",
            Some(tcec(31_999)),
        ),
        ("d=40, wv=M12, R50=50", Some(tcec(31_994))),
        ("wv=-M9", Some(tcec(-31_995))),
        ("d=30, n=0, wv=-0.50", Some(tcec(-50))),
        ("d=30, n=7, wv=0.00", Some(searched(0))),
    ] {
        assert_eq!(score(comment), expected, "{comment}");
    }
    for comment in [
        "book",
        "book, mb=+0+0+0+0+0,",
        "",
        "ev=0.00, d=1, s=0 kN/s, n=0, pv=d4, R50=50, wv=0.00,",
        "ev=0.31, d=12",
        "d=9, wv=, R50=50",
        "d=9, wv=M, R50=50",
        "d=9, wv=M0, R50=50",
        "d=9, wv=M+5, R50=50",
        "d=9, xwv=0.30",
        "the score is wv=0.30",
        "1/2-1/2 agreed",
        "1/2",
        "0.1",
        "+3",
        "12.500",
        "0.60 s",
        "(e5) 0.60",
        "(e5 +0.25/18 30",
        "[%eval -M]",
        "[%eval -M-1]",
        "[%eval M0]",
        "[%eval xM1]",
        "0.13/",
        "0.13/2x 1s",
        "M5/3",
        "+M0/3",
        "+M/3",
        "+Mx/3",
        "+M99999999999/3",
        "good +0.13/22",
        "1.e4/2",
        "[%eval]",
        "[%eval 0.1.2]",
        "[%evp 0,17,14]",
        "[%eval 0.31",
        "[%eval 0.31 and no end",
    ] {
        assert_eq!(score(comment), None, "{comment}");
    }
}
