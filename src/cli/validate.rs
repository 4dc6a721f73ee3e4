//! `swaplist validate`: is every record sound.

use std::collections::BTreeMap;
use std::fmt::Write as _;
use std::sync::Mutex;

use anyhow::Result;
use serde_json::{Value, json};
use shakmaty::fen::Fen;
use shakmaty::{CastlingMode, Chess, FromSetup, PositionErrorKinds, Setup};
use swaplist::formats::{Block, Codec, Decoded, Place, ReadError, Record};

use super::Answer;
use super::options::InputArgs;
use super::output::{self, Output};
use super::pipeline::{Ahead, Done, Task};
use super::stream::{self, Ended, Stream};
use super::summary::{Lines, grouped};
use super::threads;

/// Checks each record: is it one, is its position legal, is the played move legal,
/// do games and chains hold together.
///
/// What all other commands accept is a fault here too: played moves that can be made
/// but are not legal (of these, others find only those that leave a king in check in
/// the next position of a game or chain), castling rights without king and rook in
/// place, more material than there can be, checks that cannot arise. So a file may be
/// converted without a fault and still not be sound. Where a game or a chain breaks, its rest cannot be read.
#[derive(clap::Args)]
#[command(after_help = "\
Exit status: 0 all records are sound, 1 some are not, 2 could not run.

Examples:
  swaplist validate games.binpack
  swaplist validate games.data --from bulletformat --json")]
pub struct Args {
    #[command(flatten)]
    input: InputArgs,

    /// Worker threads, up to 1024 [default: one a core]
    #[arg(long, value_name = "N", value_parser = threads::parse)]
    threads: Option<std::num::NonZeroUsize>,
}

pub fn run(args: &Args) -> Result<Answer> {
    let threads = threads::count(args.threads);
    // All faults are to be found, not the first.
    let input = InputArgs {
        skip_invalid: true,
        ..args.input.clone()
    };
    let stream = Stream::read(&input, threads)?;
    let format = stream.written_format().name();
    let name = stream.input_name().to_owned();
    let task = Validating {
        faults: Mutex::default(),
    };
    let (ended, broken) = match stream.run(&task, &[], Vec::new(), stream::write_data) {
        Ok(ended) => (Some(ended), None),
        Err(error) => match error.downcast::<ReadError>() {
            Ok(broken @ ReadError::Broken { .. }) => (None, Some(broken.to_string())),
            Ok(other) => return Err(anyhow::Error::new(other).context(name)),
            Err(error) => return Err(error),
        },
    };
    let faults = task.faults.into_inner().unwrap_or_default();
    let validated = Validated {
        name: &name,
        format,
        ended,
        broken,
        faults,
    };
    let text = if args.input.json {
        format!("{:#}\n", validated.to_json())
    } else {
        validated.to_text()
    };
    let mut stdout = Output::open(None, false, &output::Taken::default())?;
    stdout.write(text.as_bytes())?;
    Ok(if validated.is_sound() {
        Answer::Yes
    } else {
        Answer::No
    })
}

/// How many places are told of each kind.
const PLACES: usize = 3;

/// Faults of one kind.
#[derive(Default)]
struct Kind {
    count: u64,
    /// The first of them, in order.
    places: Vec<(Place, String)>,
}

#[derive(Default)]
struct Faults {
    records: u64,
    /// Records, or games and chains, that are not all sound.
    kinds: BTreeMap<&'static str, Kind>,
}

impl Faults {
    fn add(&mut self, kind: &'static str, place: Place, detail: impl FnOnce() -> String) {
        let kind = self.kinds.entry(kind).or_default();
        kind.count += 1;
        let at = kind.places.partition_point(|(other, _)| *other <= place);
        if at < PLACES {
            kind.places.insert(at, (place, detail()));
            kind.places.truncate(PLACES);
        }
    }
}

struct Validating {
    faults: Mutex<Faults>,
}

impl Task for Validating {
    fn run(
        &self,
        codec: &dyn Codec,
        block: &Block,
        decoded: &mut Decoded,
        done: &mut Done,
        _: &mut dyn FnMut(Ahead) -> Result<()>,
    ) -> Result<()> {
        let mut found = Faults::default();
        for error in &decoded.invalid {
            let detail = || error.reason.to_string();
            found.add(error.reason.kind(), error.place, detail);
        }
        if stream::holds_fens(codec, block, decoded) {
            for record in 0..decoded.records.len() {
                let fen = codec.fen(block, decoded, record);
                if let Ok(fen) = Fen::from_ascii(fen.as_bytes()) {
                    check(fen.into_setup(), &decoded.records[record], &mut found);
                }
            }
        } else {
            codec.states(block, decoded, &mut |record, state| {
                check(state.to_setup(), &decoded.records[record], &mut found);
            });
        }
        let mut faults = self
            .faults
            .lock()
            .unwrap_or_else(std::sync::PoisonError::into_inner);
        faults.records += decoded.records.len() as u64;
        for (kind, found) in found.kinds {
            let extra = found.count - found.places.len() as u64;
            for (place, detail) in found.places {
                faults.add(kind, place, || detail);
            }
            faults.kinds.entry(kind).or_default().count += extra;
        }
        done.tally.records += decoded.records.len() as u64;
        Ok(())
    }
}

const ODD: [(PositionErrorKinds, &str); 4] = [
    (
        PositionErrorKinds::INVALID_CASTLING_RIGHTS,
        "castling right without king and rook in place",
    ),
    (
        PositionErrorKinds::INVALID_EP_SQUARE,
        "en-passant square behind no pawn",
    ),
    (
        PositionErrorKinds::TOO_MUCH_MATERIAL,
        "more material than there can be",
    ),
    (
        PositionErrorKinds::IMPOSSIBLE_CHECK,
        "a check that cannot arise",
    ),
];

/// Position and played move by shakmaty's rules.
fn check(setup: Setup, record: &Record, found: &mut Faults) {
    let place = record.place();
    let fen = {
        let setup = setup.clone();
        move || Fen::try_from(setup).map_or_else(|_| String::new(), |fen| fen.to_string())
    };
    let mode = CastlingMode::detect(&setup);
    let chess = match Chess::from_setup(setup.clone(), mode) {
        Ok(chess) => Some(chess),
        Err(error) => {
            for (kind, name) in ODD {
                if error.kinds().contains(kind) {
                    found.add(name, place, fen.clone());
                }
            }
            swaplist::position::chess_from_setup(setup).ok()
        }
    };
    if let (Some(chess), Some(played)) = (chess, record.played())
        && played.to_move(&chess).is_none()
    {
        let detail = || format!("{played} in '{}'", fen());
        found.add("illegal played move", place, detail);
    }
}

struct Validated<'a> {
    name: &'a str,
    format: &'a str,
    /// `None` if the input could not be read to its end.
    ended: Option<Ended>,
    broken: Option<String>,
    faults: Faults,
}

impl Validated<'_> {
    fn is_sound(&self) -> bool {
        self.broken.is_none() && self.faults.kinds.is_empty()
    }

    fn to_json(&self) -> Value {
        let kind = |(name, kind): (&&str, &Kind)| {
            let first = kind
                .places
                .iter()
                .map(|(place, detail)| json!({ "place": place.to_string(), "detail": detail }));
            json!({ "kind": name, "count": kind.count, "first": first.collect::<Vec<_>>() })
        };
        json!({
            "command": "validate",
            "input": self.name,
            "format": self.format,
            "records": self.faults.records,
            "contradicted_results": self.ended.as_ref().map(|ended| ended.tally.contradicted),
            "faults": self.faults.kinds.iter().map(kind).collect::<Vec<_>>(),
            "broken": self.broken,
            "sound": self.is_sound(),
        })
    }

    fn to_text(&self) -> String {
        let mut lines = Lines::default();
        lines.add("format", self.format);
        lines.add("records", grouped(self.faults.records));
        if let Some(ended) = &self.ended {
            let seconds = ended.elapsed.as_secs_f64();
            ended.tally.contradicted_lines(&mut lines);
            lines.add("time", format!("{seconds:.2} s"));
        }
        let mut text = format!("swaplist validate {}\n{}", self.name, lines.text());
        for (name, kind) in &self.faults.kinds {
            let _ = writeln!(text, "  {:<10}  {name}", grouped(kind.count));
            for (place, detail) in &kind.places {
                let _ = writeln!(text, "              {place}: {detail}");
            }
        }
        if let Some(broken) = &self.broken {
            let _ = writeln!(text, "  broken      {broken}; nothing behind it was read");
        }
        text += if self.is_sound() {
            "  result      all records are sound\n"
        } else {
            "  result      not sound\n"
        };
        text
    }
}
