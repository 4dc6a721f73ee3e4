//! The first records of a file, judged anew whenever a setting changes: how many a filter keeps,
//! and examples of what it drops.

use std::cell::RefCell;

use serde::Serialize;
use swaplist::{Choice, PackedMove, Position, Rules, Sides};
use swaplist_files::filter::Reason;
use swaplist_files::formats::{Field, Record, Records};

use crate::notation::names;
use crate::settings::JobOf;
use crate::{Failure, files, number, object};

/// Boards shown for each reason.
const EXAMPLES: usize = 12;

#[derive(Default)]
struct First {
    rest: Option<Records<'static>>,
    /// Why the rest cannot be read.
    stopped: Option<String>,
    invalid: usize,
    records: Vec<Record>,
    positions: Vec<Position>,
}

thread_local!(static FIRST: RefCell<First> = RefCell::default());

/// The format of a file.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Looked {
    from: &'static str,
    can_mark: bool,
    prefers_mark: bool,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Preview {
    records: usize,
    invalid: usize,
    /// How many have no score, if the filter looks at it.
    unscored: Option<usize>,
    /// Why reading ended before the end of the file, if it did.
    stopped: Option<String>,
    is_all: bool,
    kept: Group,
    dropped: Vec<Group>,
}

/// Records with the same fate: their number, and examples from all over.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Group {
    name: &'static str,
    label: String,
    count: usize,
    examples: Vec<Example>,
}

/// A record, and the move that decides about it.
#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct Example {
    fen: String,
    /// The FEN that explains the move: of a threat, with its side to move.
    of: String,
    #[serde(rename = "move")]
    decides: Option<ExampleMove>,
    is_threat: bool,
    in_check: bool,
    score: Option<i32>,
    ply: Option<u32>,
    pieces: usize,
}

#[derive(Serialize)]
#[cfg_attr(test, derive(ts_rs::TS))]
pub struct ExampleMove {
    from: String,
    to: String,
    uci: String,
    san: String,
    see: i32,
}

/// Opens the file; answers with its format.
#[unsafe(no_mangle)]
pub extern "C" fn preview_open() -> i32 {
    object(|asked: JobOf| {
        let mut input = files::input(&asked)?;
        let format = input
            .format(asked.options()?.from, None)
            .map_err(|error| files::refused(&error))?;
        FIRST.set(First {
            rest: Some(format.records(input.into_stream())),
            ..First::default()
        });
        Ok(Looked {
            from: format.name(),
            can_mark: format.spec().can_mark,
            prefers_mark: format.spec().prefers_mark,
        })
    })
}

/// Decodes some more records; 0 at the end, also if the rest cannot be read.
#[unsafe(no_mangle)]
pub extern "C" fn preview_more() -> i32 {
    number(|| {
        FIRST.with_borrow_mut(|first| {
            let Some(rest) = &mut first.rest else {
                return Ok(0);
            };
            match rest.next_batch() {
                Ok(Some(batch)) => first.invalid += batch.invalid.len(),
                ended => {
                    first.stopped = ended.err().map(|error| error.to_string());
                    first.rest = None;
                    return Ok(0);
                }
            }
            let start = first.records.len();
            first.records.extend_from_slice(rest.records());
            let positions = first.records[start..].iter();
            first
                .positions
                .extend(positions.map(|record| record.position));
            Ok(1)
        })
    })
}

/// How many records are there.
#[unsafe(no_mangle)]
pub extern "C" fn preview_len() -> usize {
    FIRST.with_borrow(|first| first.records.len())
}

/// Judges all of them.
#[unsafe(no_mangle)]
pub extern "C" fn preview_judge() -> i32 {
    object(|asked: JobOf| {
        let filter = asked.filter()?;
        let rules = *filter.see_rules();
        let bounds = filter.bounds();
        FIRST.with_borrow(|first| {
            let fields: Vec<_> = first.records.iter().map(|record| record.fields).collect();
            let result = filter.judge_all(&first.positions, &fields, |positions| {
                positions
                    .iter()
                    .map(|position| rules.exceeds(position, bounds))
                    .collect()
            });
            let looks_at_scores =
                filter.needs().any(|field| field == Field::Score) || filter.drops_unscored();
            let unscored = || fields.iter().filter(|fields| fields.is_unscored()).count();
            let reasons = result.map_err(|missing| {
                if missing.lacks() != Some(Field::Score) {
                    return Failure::new("preset", missing);
                }
                let words = format!(
                    "{missing}; {} of the first {} have no score",
                    unscored(),
                    fields.len()
                );
                Failure::new("drop_unscored", words)
            })?;
            let group = |reason: Option<Reason>| {
                let of = reasons.iter().enumerate();
                let all: Vec<usize> = of.filter(|(_, r)| **r == reason).map(|(i, _)| i).collect();
                group(first, &all, reason, &rules)
            };
            let dropped = Reason::ALL.iter().map(|reason| group(Some(*reason)));
            Ok(Preview {
                records: first.records.len(),
                invalid: first.invalid,
                unscored: looks_at_scores.then(unscored),
                stopped: first.stopped.clone(),
                is_all: first.rest.is_none() && first.stopped.is_none(),
                kept: group(None),
                dropped: dropped.filter(|group| group.count != 0).collect(),
            })
        })
    })
}

fn group(first: &First, all: &[usize], reason: Option<Reason>, rules: &Rules) -> Group {
    let shown = all.len().min(EXAMPLES);
    let chosen = (0..shown).map(|nth| &first.records[all[nth * all.len() / shown]]);
    Group {
        name: reason.map_or("kept", Reason::name),
        label: reason.map_or("kept".to_owned(), |reason| reason.to_string()),
        count: all.len(),
        examples: chosen
            .map(|record| example(record, reason, rules))
            .collect(),
    }
}

fn example(record: &Record, reason: Option<Reason>, rules: &Rules) -> Example {
    let position = &record.position;
    let rule = reason.map(Reason::name);
    let is_threat = matches!(rule, Some("threat" | "double_threat"));
    let best = match rule {
        _ if is_threat => rules.verdict(position, Sides::Both).threat(),
        None | Some("see" | "quiescence") => rules.verdict(position, Sides::ToMove).best(),
        _ => None,
    };
    let is_about_played = reason.is_some_and(|reason| reason.needs(Field::Played));
    let played = record.fields.played().filter(|_| is_about_played);
    let decides = best.map(|best| best.capture).or(played);
    // A threat is explained as if its side were to move.
    let passed = is_threat.then(|| passed(position)).flatten();
    let fen = passed.unwrap_or_else(|| record.to_string());
    Example {
        fen: record.to_string(),
        decides: decides.and_then(|capture| explained(&fen, capture, rules)),
        of: fen,
        is_threat,
        in_check: position.in_check(),
        score: record.fields.score(),
        ply: record.fields.ply(),
        pieces: position.occupied().count(),
    }
}

/// The FEN with the other side to move.
fn passed(position: &Position) -> Option<String> {
    let setup = position.to_setup().into_swapped_turn();
    let other = Position::try_from(&setup).ok()?;
    Some(Record::new(other).to_string())
}

fn explained(fen: &str, played: PackedMove, rules: &Rules) -> Option<ExampleMove> {
    let [uci, san] = names(fen, played)?;
    Some(ExampleMove {
        from: played.from().to_string(),
        to: played.to().to_string(),
        uci,
        san,
        see: rules.see(&fen.parse().ok()?, played),
    })
}
