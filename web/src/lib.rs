//! swaplist in WebAssembly, behind a C interface.
//!
//! A call takes the bytes in [`input`], JSON or data, and leaves its answer in [`output`]. It
//! returns a number: below zero for an error, which [`output`] then holds as JSON.
//!
//! It is built as two modules: with the feature `files`, and without it as what the page opens with,
//! explanations alone.

use std::cell::RefCell;

use serde::Serialize;
use serde::de::DeserializeOwned;
use serde_json::{Value, json};

#[cfg(feature = "files")]
mod bench;
#[cfg(feature = "files")]
mod check;
#[cfg(any(test, not(feature = "files")))]
mod explain;
#[cfg(feature = "files")]
mod files;
#[cfg(feature = "files")]
mod game;
#[cfg(feature = "files")]
mod gpu;
#[cfg(any(test, not(feature = "files")))]
mod line;
#[cfg(feature = "files")]
mod notation;
#[cfg(feature = "files")]
mod paste;
#[cfg(any(test, not(feature = "files")))]
mod play;
#[cfg(feature = "files")]
mod preview;
mod rules;
#[cfg(feature = "files")]
mod settings;

#[derive(Default)]
struct Exchanged {
    input: Vec<u8>,
    output: Vec<u8>,
}

thread_local!(static EXCHANGED: RefCell<Exchanged> = RefCell::default());

/// Returns memory for the caller's bytes. Old bytes may be in it, as clearing them would take time.
#[unsafe(no_mangle)]
pub extern "C" fn input(bytes: usize) -> *mut u8 {
    EXCHANGED.with_borrow_mut(|exchanged| {
        exchanged.input.resize(bytes, 0);
        exchanged.input.as_mut_ptr()
    })
}

/// Where the last answer begins.
#[unsafe(no_mangle)]
pub extern "C" fn output() -> *const u8 {
    EXCHANGED.with_borrow(|exchanged| exchanged.output.as_ptr())
}

/// The length of the last answer, in bytes.
#[unsafe(no_mangle)]
pub extern "C" fn output_len() -> usize {
    EXCHANGED.with_borrow(|exchanged| exchanged.output.len())
}

/// Takes the bytes that the caller has put into [`input`].
fn taken() -> Vec<u8> {
    EXCHANGED.with_borrow_mut(|exchanged| core::mem::take(&mut exchanged.input))
}

/// Gives back the memory of bytes that were taken, so that [`input`] need not allocate anew.
#[cfg(feature = "files")]
fn reuse(bytes: Vec<u8>) {
    EXCHANGED.with_borrow_mut(|exchanged| exchanged.input = bytes);
}

/// Makes these bytes the answer.
fn give(bytes: Vec<u8>) {
    EXCHANGED.with_borrow_mut(|exchanged| exchanged.output = bytes);
}

/// An error as the page reads it: JSON with a message, and the field of the page that is wrong.
struct Failure(Value);

impl Failure {
    fn new(field: &str, error: impl core::fmt::Display) -> Failure {
        Failure::said(field, &error.to_string())
    }

    fn said(field: &str, error: &str) -> Failure {
        Failure(json!({ "field": field, "error": error }))
    }

    /// Names the part of the field's text that is wrong, in the units of the page's strings.
    #[cfg(feature = "files")]
    fn at(mut self, part: &[usize; 2]) -> Failure {
        self.0["at"] = json!(part);
        self
    }

    /// The error of a FEN whose position is impossible. The page shows its board all the same.
    fn for_board(setup: &shakmaty::Setup, error: &str) -> Failure {
        let turn = setup.turn.to_string();
        let placement = setup.board.to_string();
        Failure(json!({ "field": "fen", "error": error, "placement": placement, "turn": turn }))
    }
}

impl<E: core::fmt::Display> From<E> for Failure {
    fn from(error: E) -> Failure {
        Failure::new("", error)
    }
}

type Answer<T> = Result<T, Failure>;

/// Runs a call that answers with a number.
fn number(work: impl FnOnce() -> Answer<usize>) -> i32 {
    work().map_or_else(
        |Failure(error)| {
            give(error.to_string().into_bytes());
            -1
        },
        |number| i32::try_from(number).unwrap_or(i32::MAX),
    )
}

/// Runs a call that answers with bytes, and returns their length.
fn bytes(work: impl FnOnce() -> Answer<Vec<u8>>) -> i32 {
    number(|| {
        let bytes = work()?;
        let length = bytes.len();
        give(bytes);
        Ok(length)
    })
}

/// Reads what the caller asks, which is JSON.
fn asked<A: DeserializeOwned>() -> Answer<A> {
    Ok(serde_json::from_slice(&taken())?)
}

/// Runs a call that is asked and answers in JSON.
fn object<A: DeserializeOwned, B: Serialize>(work: impl FnOnce(A) -> Answer<B>) -> i32 {
    bytes(|| Ok(serde_json::to_vec(&work(asked()?)?)?))
}

/// The version of this crate.
#[unsafe(no_mangle)]
pub extern "C" fn version() -> i32 {
    bytes(|| Ok(env!("CARGO_PKG_VERSION").into()))
}

/// Stands in for the function of the page that WebAssembly imports: tests run without a page.
#[cfg(all(test, feature = "files"))]
#[unsafe(no_mangle)]
extern "C" fn read_file(_at: f64, _into: *mut u8, _bytes: usize) -> i32 {
    -1
}

#[cfg(all(test, feature = "files"))]
mod tests {
    use ts_rs::{Config, TS};

    use crate::{check, explain, files, game, gpu, paste, play, preview, settings};

    /// What writes the page's types anew.
    const MENDS: &str = "TYPES=overwrite cargo test --workspace --lib the_page_knows";

    /// The page's types of answers are those of this crate.
    #[test]
    fn the_page_knows_these_types() {
        let path = concat!(env!("CARGO_MANIFEST_DIR"), "/page/answers.d.ts");
        let mut types = "// Generated from src, by a test of lib.rs.\n\nexport type Color = 'white' | 'black';\nexport type Role = 'pawn' | 'knight' | 'bishop' | 'rook' | 'queen' | 'king';\nexport type Square = `${'a' | 'b' | 'c' | 'd' | 'e' | 'f' | 'g' | 'h'}${1 | 2 | 3 | 4 | 5 | 6 | 7 | 8}`;\n".to_owned();
        let config = Config::default();
        macro_rules! declare {
            ($($one:ty),+ $(,)?) => {
                $(types.extend(["\nexport ", &<$one>::decl(&config), "\n"]);)+
            };
        }
        declare!(
            explain::Explained,
            explain::Passing,
            explain::LegalMove,
            explain::Exchange,
            explain::Step,
            explain::Barred,
            explain::On,
            paste::Pasted,
            play::PlayedMove,
            play::Refusal,
            settings::Choices,
            settings::FormatChoice,
            settings::PresetChoice,
            settings::KeyChoice,
            files::Opened,
            files::Progress,
            files::Ended,
            preview::Looked,
            preview::Preview,
            preview::Group,
            preview::Example,
            preview::ExampleMove,
            game::Game,
            game::Played,
            check::Checked,
            check::Class,
            check::Fit,
            check::Row,
            gpu::Layout,
            gpu::BindingSize,
        );
        if std::env::var("TYPES").is_ok_and(|how| how == "overwrite") {
            std::fs::write(path, &types).unwrap();
        }
        let is_same = std::fs::read_to_string(path).unwrap() == types;
        assert!(is_same, "{path} is out of date; this writes it: {MENDS}");
    }
}
