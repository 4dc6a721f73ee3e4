//! The commands of pages of the documentation.

use crate::run::Folder;

const PAGE: &str = include_str!("../../docs/train.md");
const SAMPLE: &[u8] = include_bytes!("../../data/sample.binpack");
const GAME: &str = r#"[White "a"]
[Black "b"]
[Result "1-0"]

1. e4 { [%eval 0.2] } e5 { [%eval 0.3] } 2. Nf3 { [%eval 0.2] } Nc6 { [%eval 0.4] } 1-0
"#;

/// The commands in blocks for the shell, without their comments.
fn commands() -> impl Iterator<Item = &'static str> {
    let blocks = PAGE.split("```sh\n").skip(1);
    let lines = blocks.flat_map(|block| block.split("```").next().unwrap_or_default().lines());
    lines.map(|line| line.split("  ").next().unwrap_or_default())
}

#[test]
fn commands_of_the_training_page_run() {
    let folder = Folder::new();
    folder.write("own.pgn", GAME);
    folder.write("sf.binpack", SAMPLE);
    folder
        .run_line("convert sf.binpack -o friend.plain.zst -q")
        .text();
    let mut ran = 0;
    for command in commands() {
        if let Some(line) = command.strip_prefix("swaplist ") {
            folder.run_line(line).text();
            ran += 1;
        }
    }
    assert_eq!(ran, 7);
    for extension in ["data", "binpack"] {
        let size = |name: &str| folder.read(&format!("{name}.{extension}")).len();
        let train = size("train");
        let held_out = size("held-out");
        assert!(
            train > 10 * held_out && held_out > 1000,
            "{train} {held_out}"
        );
    }
}
