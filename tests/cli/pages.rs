//! The commands of pages of the documentation.

use serde_json::Value;

use crate::run::Folder;

const TRAIN: &str = include_str!("../../docs/train.md");
const MIX: &str = include_str!("../../docs/mix.md");
const SAMPLE: &[u8] = include_bytes!("../../data/sample.binpack");
const GAME: &str = r#"[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.2] } Nc6 { [%eval 0.4] } 1-0
"#;

/// The arguments of swaplist's commands in blocks for the shell, without comments. A long command
/// goes on in the next line.
fn commands(page: &str) -> Vec<String> {
    let page = page.replace(" \\\n    ", " ");
    let blocks = page.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
    let commands = lines.map(|line| line.split("  ").next().unwrap_or_default());
    commands
        .filter_map(|command| command.strip_prefix("swaplist "))
        .map(str::to_owned)
        .collect()
}

#[test]
fn commands_of_the_training_page_run() {
    let folder = Folder::new();
    folder.write("own.pgn", GAME);
    folder.write("sf.binpack", SAMPLE);
    folder
        .run_line("convert sf.binpack -o friend.plain.zst -q")
        .text();
    let commands = commands(TRAIN);
    assert_eq!(commands.len(), 7);
    for command in &commands {
        folder.run_line(command).text();
    }
    for extension in ["data", "binpack"] {
        let records = |name: &str| {
            let count = folder.run_line(&format!("count {name}.{extension} --json"));
            let counts: Value = serde_json::from_str(count.text()).unwrap();
            counts["positions"].as_u64().unwrap()
        };
        let train = records("train");
        let held_out = records("held-out");
        assert!(
            train > 10 * held_out && held_out > 300,
            "{train} {held_out}"
        );
    }
}

#[test]
fn commands_of_the_page_of_mixing_run() {
    let folder = Folder::new();
    for name in ["a.binpack", "b.binpack"] {
        folder.write(name, SAMPLE);
    }
    folder.run_line("convert a.binpack -o c.plain -q").text();
    folder
        .run_line("convert a.binpack -o d.viriformat -q")
        .text();
    let commands = commands(MIX);
    assert_eq!(commands.len(), 4);
    for command in &commands {
        // What a shell makes of the patterns.
        let command = command
            .replace("*.binpack", "a.binpack b.binpack")
            .replace("*.viriformat", "d.viriformat");
        folder.run_line(&format!("{command} --force")).text();
    }
    assert!(folder.read("train.data").len() > 10 * folder.read("test.data").len());
}
