//! The two shaders of files, and the entry point of each of their kernels.

use swaplist::gpu::program::{
    Access, BINDINGS, Binding, COMMON, Entry, Grid, Kernel, POSITION_SIZE, WORD,
};

/// The text of a file of the folder `shaders`, without comments: see `build.rs`.
macro_rules! wgsl {
    ($name:literal) => {
        include_str!(concat!(env!("OUT_DIR"), "/shaders/", $name, ".wgsl"))
    };
}
/// A kernel that decodes or encodes the records of a file: an entry point of [`decoder`] or
/// [`encoder`]. Between the two, a [`Kernel`] judges the positions.
#[derive(Clone, Copy, Debug, PartialEq, Eq, Hash)]
pub enum FileKernel {
    /// Decodes chains of a binpack.
    DecodeBinpack,
    /// Decodes the games of a viriformat file, one for each row.
    DecodeViriformat,
    /// Writes the chains of a binpack with marks.
    MarkBinpack,
    /// Writes games of viriformat with marks.
    MarkViriformat,
    /// Writes each run of kept records of a game of viriformat as a game of its own.
    DropViriformat,
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

impl FileKernel {
    /// The entry point of [`decoder`] or [`encoder`] for this kernel, where positions are judged by
    /// `judging`: its answers' length is a constant.
    pub fn entry(self, judging: Kernel, grid: Grid) -> Entry {
        let name = match self {
            FileKernel::DecodeBinpack => "decode_binpack",
            FileKernel::DecodeViriformat => "decode_viriformat",
            FileKernel::MarkBinpack => "mark_binpack",
            FileKernel::MarkViriformat => "mark_viriformat",
            FileKernel::DropViriformat => "drop_viriformat",
        };
        let words = ("ANSWER_WORDS", judging.answer_words());
        Entry::new(name, [("GROUP", grid.workgroup), words])
    }
}

/// The buffers of [`encoder`], in the order of their bindings.
pub const ENCODING: [Binding; 5] = [
    BINDINGS[0],
    BINDINGS[1],
    Binding::new("raw", Access::Read, WORD),
    Binding::new("answers", Access::Write, WORD),
    Binding::new("made", Access::Write, WORD),
];

/// The buffers of [`decoder`], in the order of their bindings.
pub const DECODING: [Binding; 5] = [
    BINDINGS[0],
    BINDINGS[1],
    Binding::new("raw", Access::Read, WORD),
    Binding::new("decoded", Access::Write, POSITION_SIZE),
    Binding::new("answers", Access::Write, WORD),
];
