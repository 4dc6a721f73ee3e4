//! The two shaders of files.

use swaplist::gpu::program::COMMON;

/// The text of a file of the folder `shaders`, without comments: see `build.rs`.
macro_rules! wgsl {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/shaders/", $name, ".wgsl"))
    };
}

/// What decodes a file's own bytes.
const DECODING_PART: &str = concat!(
    wgsl!("bytes"),
    wgsl!("decode"),
    wgsl!("sound"),
    wgsl!("lists"),
    wgsl!("marlinformat"),
    wgsl!("board"),
    wgsl!("games"),
    wgsl!("decode_games"),
    wgsl!("reach"),
    wgsl!("movetext"),
    wgsl!("chains"),
);

/// What decides which records are kept, and encodes files.
const ENCODING_PART: &str = concat!(
    wgsl!("bytes"),
    wgsl!("encode"),
    wgsl!("sound"),
    wgsl!("lists"),
    wgsl!("marlinformat"),
    wgsl!("board"),
    wgsl!("games"),
    wgsl!("reach"),
    wgsl!("movetext"),
    wgsl!("mark_chains"),
    wgsl!("rewrite_games"),
);

/// The shader that decodes a file's own bytes, and leaves positions and the first words of answers.
pub fn decoder() -> String {
    COMMON.to_owned() + DECODING_PART
}

/// The shader that decides which records are kept, and encodes files.
pub fn encoder() -> String {
    COMMON.to_owned() + ENCODING_PART
}
