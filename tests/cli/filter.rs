//! What `filter` keeps of random games.

use serde_json::Value;
use swaplist::{Position, Rules, Sides};
use swaplist_files::filter::FLAGS;
use swaplist_files::filter::Settings;

use crate::run::{Folder, fens, lines};

#[test]
fn stdin_to_stdout_agrees_with_the_library() {
    let fens = fens(1, 40_000); // several blocks
    let quiet = |fen: &&String| {
        let position: Position = fen.parse().unwrap();
        let verdict = Rules::SWAP.verdict(&position, Sides::ToMove);
        !verdict.in_check() && verdict.best().is_none_or(|best| best.see <= 0)
    };
    let expected: Vec<&String> = fens.iter().filter(quiet).collect();
    assert!(expected.len() > 1000 && expected.len() < fens.len());
    for threads in ["1", "2", "7"] {
        for input in [
            &["filter", "--threads", threads][..],
            &["filter", "-", "--threads", threads],
        ] {
            let ran = Folder::new().run_with(input, lines(&fens).as_bytes());
            assert!(ran.text() == lines(&expected), "{input:?}");
        }
    }
}

#[test]
fn the_limit_is_exact_in_any_block() {
    let fens = fens(3, 30_000);
    let unlimited = Folder::new().run_with(&["filter"], lines(&fens).as_bytes());
    let all: Vec<&str> = unlimited.text().lines().collect();
    for limit in [1, 1000, all.len() - 1, all.len(), all.len() + 1] {
        let folder = Folder::new();
        let text = limit.to_string();
        let args = ["filter", "--limit", &text, "--rejects", "no"];
        let ran = folder.run_with(&args, lines(&fens).as_bytes());
        let kept: Vec<&str> = ran.text().lines().collect();
        assert!(kept == all[..limit.min(all.len())], "{limit}");
        // Rejects come from before the last kept record.
        let rejected = folder
            .read("no")
            .split_inclusive(|&byte| byte == b'\n')
            .count();
        if limit < all.len() {
            let last = fens.iter().position(|fen| fen == kept[limit - 1]);
            assert!(rejected + limit > last.unwrap());
            assert!(rejected + limit < fens.len());
        }
    }
}

/// Records after the last one are read ahead, more of them by more threads.
#[test]
fn the_bytes_read_under_a_limit_are_those_of_the_records_seen() {
    let fens = fens(21, 30_000);
    let folder = Folder::new();
    folder.write("in", lines(&fens));
    for limit in ["1", "100", "1000"] {
        for threads in ["1", "2", "5"] {
            let ran = folder.run_line(&format!(
                "filter in -o out --force --limit {limit} --threads {threads} --backend cpu --json"
            ));
            let json: Value = serde_json::from_str(ran.text()).unwrap();
            let seen = json["records"].as_u64().unwrap() as usize;
            assert!(seen < fens.len(), "{seen}");
            assert_eq!(
                json["bytes"]["read"],
                lines(&fens[..seen]).len(),
                "{limit} {threads}"
            );
        }
    }
}

/// Flags and keys are the same settings.
#[test]
fn every_flag_of_the_filter_is_a_key_of_its_file() {
    let help = Folder::new().run(&["filter", "--help"]);
    let after_heading = help.text().split("\nFilter:\n").nth(1).unwrap();
    let section = after_heading.split("\nRules:\n").next().unwrap();
    let flags: Vec<&str> = section
        .lines()
        .filter_map(|line| line.trim().strip_prefix("--"))
        .map(|flag| flag.split([' ', '[']).next().unwrap())
        .filter(|flag| !["config", "explain", "limit"].contains(flag))
        .collect();
    let declared: Vec<String> = FLAGS
        .iter()
        .map(|flag| flag.name.replace('_', "-"))
        .collect();
    assert_eq!(
        flags, declared,
        "help and `FLAGS` of files/src/filter/settings.rs"
    );
    for flag in flags {
        let key = flag.replace('-', "_");
        let error = Settings::from_toml(&format!("{key} = [[1]]"))
            .unwrap_err()
            .to_string();
        assert!(!error.contains("unknown field"), "{flag}: {error}");
    }
}
