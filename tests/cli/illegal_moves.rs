//! Records whose played move is illegal.

use crate::games::{epd, write};
use crate::refused::error;
use crate::run::Folder;

/// Converted files are sound.
#[test]
fn illegal_moves_are_not_played() {
    let folder = Folder::new();
    let start = "rnbqkbnr/pppppppp/8/8/8/8/PPPPPPPP/RNBQKBNR w KQkq - 0 1";
    for played in ["e2e5", "e1g1", "e2e4q", "a1a3", "e4e5"] {
        let record = format!("fen {start}\nmove {played}\nscore 5\nply 0\nresult 0\ne\n");
        folder.write("in.plain", record);
        for from in ["plain", "sfbin"] {
            let input = format!("in.{from}");
            if from == "sfbin" {
                let args = [
                    "convert", "in.plain", "-o", "in.sfbin", "--to", "sfbin", "--force",
                ];
                folder.run(&args).text(); // allowed where moves are not replayed
            }
            for to in ["viriformat", "binpack"] {
                let args = [
                    "convert", &input, "-o", "out", "--to", to, "--from", from, "--force",
                ];
                let ran = folder.run(&args);
                assert!(error(&ran).contains(": illegal move '"), "{}", ran.stderr);
            }
            // Only rules about the played move look at it.
            let filter = |rules: &[&str]| {
                let filter = ["filter", &*input, "--from", from, "-o", "out", "--force"];
                folder.run(&[&filter[..], rules].concat())
            };
            for rules in [&["--played", "quiet"][..], &["--preset", "bullet"]] {
                let ran = filter(rules);
                assert!(error(&ran).contains(": illegal move '"), "{}", ran.stderr);
                let ran = filter(&[rules, &["--skip-invalid", "--rejects", "rejects"]].concat());
                assert_eq!(ran.status, Some(1), "{}", ran.stderr);
                assert!(folder.read("rejects") == folder.read(&input));
            }
            assert_eq!(filter(&["--preset", "quiet"]).status, Some(0));
            assert!(folder.read("out") == folder.read(&input));
        }
    }
    // In a game too, if the pieces after it are unchanged.
    let game = [epd(5, 1).lines().next().unwrap(), "\n"].concat();
    write(&folder, "one.viri", "viriformat", &game);
    let mut bytes = folder.read("one.viri");
    bytes[32..34].copy_from_slice(&(12_u16 | 36 << 6).to_le_bytes()); // e2e5
    folder.write("one.viri", bytes);
    let ran = folder.run(&["convert", "one.viri", "-o", "out.binpack"]);
    assert!(
        error(&ran).contains("byte 32: illegal move 'e2e5'"),
        "{}",
        ran.stderr
    );
}

type Bytes = fn(u16, u16) -> [u8; 2];

/// Also in copied games and chains: an impossible piece move, and a last move that leaves the
/// king in check.
#[test]
fn rules_about_the_played_move_look_whether_it_is_legal() {
    let folder = Folder::new();
    let legal = "4k3/8/8/8/8/8/4r3/R3K3 w - - 0 9 sm e1e2; ce 5; c9 \"1-0\";\n";
    let formats: [(&str, usize, Bytes); 2] = [
        ("viriformat", 32, |from, to| (from | to << 6).to_le_bytes()),
        ("binpack", 8 + 24, |from, to| {
            (from << 8 | to << 2).to_be_bytes()
        }),
    ];
    for (format, at, bytes) in formats {
        write(&folder, format, format, legal);
        let whole = folder.read(format);
        for (from, to, is_legal) in [(4, 12, true), (4, 40, false), (0, 56, false), (0, 9, false)] {
            let mut patched = whole.clone();
            patched[at..at + 2].copy_from_slice(&bytes(from, to));
            folder.write("in", &patched);
            let filter = |more: &[&str]| {
                let filter = [
                    "filter",
                    "in",
                    "-o",
                    "out",
                    "--force",
                    "--played",
                    "no-promotions",
                ];
                folder.run(&[&filter, more].concat())
            };
            let ran = filter(&["--from", format]);
            assert_eq!(
                ran.status,
                Some(if is_legal { 0 } else { 2 }),
                "{}",
                ran.stderr
            );
            assert_eq!(
                ran.stderr.contains("illegal move '"),
                !is_legal,
                "{}",
                ran.stderr
            );
            let ran = filter(&["--from", format, "--skip-invalid", "--rejects", "rejects"]);
            assert_eq!(ran.status, Some(i32::from(!is_legal)), "{}", ran.stderr);
            // Other rules need no move.
            let other = ["filter", "in", "-o", "out", "--force", "--from", format];
            assert_eq!(folder.run(&other).status, Some(0));
        }
    }
}
