//! Texts of the public types: backends, piece values, rules.

use swaplist::{BackendChoice, Choice, ParseError, PieceValues, Pins, Profile, Rules};

#[test]
fn backends_are_named() {
    for text in ["auto", "cpu", "gpu", "gpu:llvmpipe", "gpu:a:b"] {
        assert_eq!(text.parse::<BackendChoice>().unwrap().to_string(), text);
    }
    for text in ["gpu:", "both", "cuda", "cpu:1", "auto:gpu", ""] {
        assert!(text.parse::<BackendChoice>().is_err(), "{text}");
    }
}

#[test]
fn piece_values_are_presets_or_numbers() {
    for (text, values) in [
        ("cpw", PieceValues::CPW),
        ("stockfish", PieceValues::STOCKFISH),
        ("1-3-3-5-9", PieceValues::CLASSICAL),
        ("208,781,825,1276,2538", PieceValues::STOCKFISH),
    ] {
        assert_eq!(text.parse(), Ok(values));
        assert_eq!(values.to_string().parse(), Ok(values));
    }
    let odd: PieceValues = "0, -5,7,7,30000".parse().unwrap();
    assert_eq!(odd.to_array(), [0, -5, 7, 7, 30000]);
    let error = |text: &str| text.parse::<PieceValues>().unwrap_err();
    let expected = error("");
    for text in [
        "cpw ",
        "1,2,3,4",
        "1,2,3,4,5,6",
        "1,2,3,4,x",
        "1,2,3,4,99999999999",
    ] {
        assert_eq!(error(text), expected, "{text:?}");
    }
    for (text, value) in [("1,2,3,4,30001", 30_001), ("-30001,2,3,4,5", -30_001)] {
        let reason = format!("piece value {value} exceeds ±30000");
        assert_eq!(error(text).to_string(), reason);
    }
}

#[test]
fn profiles_are_named_and_told_by_their_options() {
    for &profile in Profile::ALL {
        assert_eq!(profile.name().parse(), Ok(profile));
        let rules = Rules::new(profile, PieceValues::STOCKFISH);
        assert_eq!(rules.profile(), Some(profile));
    }
    let error: ParseError = "stockfish".parse::<Profile>().unwrap_err();
    assert_eq!(
        error.to_string(),
        "unknown profile 'stockfish', expected one of: swap, sf8, sf, legal"
    );
    let own = Rules {
        pins: Pins::Sf,
        ..Rules::SWAP
    };
    assert_eq!(own.profile(), None);
    assert!(own.to_string().starts_with("pins sf, en-passant exact"));
}
