//! Error messages, with the options that help; the exit status; Ctrl-C.

use std::io::{self, IsTerminal as _, Write as _};
use std::process::ExitCode;
use std::sync::LazyLock;

use anyhow::{Context as _, Error, Result};
use clap::error::{ContextKind, ContextValue};
use swaplist::Choice;
use swaplist_files::formats::Format;
use swaplist_files::jobs::{self, Cancel, ErrorKind};
use swaplist_files::report;

use super::options::writable;

/// Ctrl-C cancels this; all jobs heed it.
pub static CANCEL: LazyLock<Cancel> = LazyLock::new(Cancel::default);

/// Makes Ctrl-C end the process with the status 130, once [`Cancel::cancel`] has removed the
/// unfinished files: [`exit`](std::process::exit) drops nothing.
pub fn remove_on_interrupt() -> Result<()> {
    ctrlc::set_handler(|| {
        CANCEL.cancel();
        // After the terminal's `^C`.
        let line = if io::stderr().is_terminal() { "\n" } else { "" };
        let _ = writeln!(io::stderr(), "{line}swaplist: interrupted");
        std::process::exit(130);
    })
    .context("cannot set the interrupt handler")
}

/// Reports wrong arguments like any other error, or prints help or the version if that is what the
/// arguments ask for, and ends the process. It returns only if standard output cannot be written.
pub fn refuse(mut error: clap::Error) -> ExitCode {
    add_tip(&mut error);
    // Help because arguments are missing goes to standard error, but reads as help.
    let is_help = error.kind() == clap::error::ErrorKind::DisplayHelpOnMissingArgumentOrSubcommand;
    if error.use_stderr() && !is_help {
        let _ = write!(io::stderr(), "swaplist: ");
    }
    match error.print() {
        Err(problem) if !error.use_stderr() => {
            fail(&Error::new(problem).context("cannot write standard output"))
        }
        _ => std::process::exit(error.exit_code()),
    }
}

/// What others call commands and options, and what to use here.
const OTHER_NAMES: [(&str, &str); 6] = [
    ("shuffle", "'swaplist mix --shuffle' shuffles files"),
    ("interleave", "'swaplist mix' interleaves files"),
    ("merge", "'swaplist mix' makes one file from several"),
    ("split", "'swaplist mix --split 95:5' splits files"),
    (
        "dedupe",
        "'swaplist mix --dedupe position' leaves out duplicates",
    ),
    ("--overwrite", "'--force' replaces existing files"),
];

/// Adds a tip if an argument has another name here; it replaces a guess by spelling.
fn add_tip(error: &mut clap::Error) {
    // An error has one of them: a subcommand or an option, as it was typed.
    let kinds = [ContextKind::InvalidSubcommand, ContextKind::InvalidArg];
    let given = kinds.iter().find_map(|kind| match error.get(*kind) {
        Some(ContextValue::String(given)) => Some(given.clone()),
        _ => None,
    });
    let Some(given) = given else {
        return;
    };
    let known = OTHER_NAMES.iter().find(|(name, _)| *name == given);
    if let Some((_, tip)) = known {
        // The usage names the guess, too.
        for guess in [
            ContextKind::SuggestedSubcommand,
            ContextKind::SuggestedArg,
            ContextKind::Usage,
        ] {
            error.remove(guess);
        }
        let tips = ContextValue::StyledStrs(vec![(*tip).into()]);
        error.insert(ContextKind::Suggested, tips);
    }
}

/// Reports an error on standard error; returns the exit status 2. If the reader of the output has
/// closed it, that is no error, and the status is 0.
pub fn fail(error: &Error) -> ExitCode {
    if is_broken_pipe(error) {
        return ExitCode::SUCCESS;
    }
    if is_cancelled(error) {
        loop {
            // The interrupt handler is about to end the process.
            std::thread::park();
        }
    }
    let _ = writeln!(io::stderr(), "swaplist: error: {}", described(error));
    ExitCode::from(2)
}

/// An error with its causes and a hint, on one line.
pub fn described(error: &Error) -> String {
    let causes: Vec<String> = error
        .chain()
        .map(|cause| match cause.downcast_ref::<io::Error>() {
            Some(io) => report::system_text(io),
            None => cause.to_string(),
        })
        .collect();
    let hint = kind(error).map(hint).unwrap_or_default();
    report::text(&(causes.join(": ") + &hint))
}

/// The kind of a job's error; `None` for other errors.
fn kind(error: &Error) -> Option<&ErrorKind> {
    error.downcast_ref().map(jobs::Error::kind)
}

/// Whether it is the error of a job that was cancelled.
pub fn is_cancelled(error: &Error) -> bool {
    kind(error) == Some(&ErrorKind::Cancelled)
}

/// Whether the reader of our output closed it. A job's error does not hold the system's error, only
/// its kind.
fn is_broken_pipe(error: &Error) -> bool {
    error.chain().any(|cause| {
        let io = cause.downcast_ref::<io::Error>();
        io.is_some_and(|error| error.kind() == io::ErrorKind::BrokenPipe)
    }) || kind(error) == Some(&ErrorKind::Io(io::ErrorKind::BrokenPipe))
}

/// What may help with this kind of error, as the end of a message; empty if nothing is known.
fn hint(kind: &ErrorKind) -> String {
    match kind {
        ErrorKind::Exists => ", --force replaces it".to_owned(),
        // The message has listed those that fit, if any do.
        ErrorKind::UnknownFormat(formats) => match formats[..] {
            [] => {
                let names: Vec<&str> = Format::ALL.iter().map(|format| format.name()).collect();
                let names = names.join(", ");
                format!("; say --from FORMAT if it is one of: {names}")
            }
            _ => ": say which with --from FORMAT".to_owned(),
        },
        ErrorKind::Unnamed => format!("; add --to, one of: {}", writable()),
        ErrorKind::ReadOnly => "; add --to text, or another format to write".to_owned(),
        ErrorKind::Misnamed(named) if named.spec().is_convertible_to => format!(
            "; choose another name, or --to {} to convert into that",
            named.name()
        ),
        ErrorKind::Misnamed(_) => "; choose another name".to_owned(),
        ErrorKind::Terminal => "; name a file with -o OUT".to_owned(),
        ErrorKind::Invalid {
            is_unscored: true,
            units,
            ..
        } => {
            // In files of games or chains, skipping takes out whole games or chains. Most of them
            // have a record without a score, so little would be left.
            let or_skip = match units {
                Some(_) => "",
                None => ", --skip-invalid skips them",
            };
            format!(
                "; --drop-unscored leaves such records out, convert --score N gives them all \
                 one, also those that a filter marked{or_skip}"
            )
        }
        ErrorKind::Invalid {
            is_of_castling: true,
            units,
            ..
        } => format!(
            "; --drop-castling drops such rights, {}",
            how_to_skip(*units)
        ),
        // Decoding a game or chain ends at a broken record, and the records before it are kept.
        ErrorKind::Invalid {
            is_broken: true,
            units: Some(units),
            ..
        } => format!("; --skip-invalid skips the rest of such {units}"),
        ErrorKind::Invalid { units, .. } => skip(*units),
        ErrorKind::Missing(_) => {
            "; or leave out the rules that need it (--explain shows them)".to_owned()
        }
        ErrorKind::Threads(_) => "; ask for fewer with --threads N".to_owned(),
        _ => String::new(),
    }
}

/// How to skip an invalid record, as the end of a message. In a format with games or chains,
/// `units` is their name: one invalid record skips the whole unit.
pub fn skip(units: Option<&str>) -> String {
    format!("; {}", how_to_skip(units))
}

fn how_to_skip(units: Option<&str>) -> String {
    let skipped = units.map_or("records".to_owned(), |units| format!("{units} as a whole"));
    format!("--skip-invalid skips such {skipped}")
}
