//! What is counted on the way.

// Sizes are rounded for people anyway.
#![allow(clippy::cast_precision_loss)]

use crate::Rules;
use crate::filter::Reason;
use crate::formats::{Decoded, Outcome, Record, RecordError};
use serde_json::{Value, json};

use super::counts::Counts;
use super::shown::{Lines, grouped, share};

/// Counts of one block or of all.
#[derive(Clone, Debug, Default)]
#[non_exhaustive]
pub struct Tally {
    /// All records that are some.
    pub records: u64,
    /// Moves that were scored, or noisy ones.
    pub moves: u64,
    /// Records that a filter kept.
    pub kept: u64,
    /// In the output: kept or marked.
    pub held: u64,
    /// Of those kept, or of all that are converted, without a score.
    pub unscored: u64,
    /// What is no record, and was passed over.
    pub invalid: u64,
    /// Bytes that were passed over because of them.
    pub invalid_bytes: u64,
    /// Bytes of the records read, not compressed.
    pub bytes: u64,
    /// And of those written.
    pub written: u64,
    /// Bytes of the file that these came from, where it was compressed.
    pub packed: Option<u64>,
    /// And those written.
    pub packed_written: Option<u64>,
    /// One count for each of [`Reason::all`].
    pub dropped: [u64; Reason::COUNT],
    /// White won, drawn, Black won.
    pub outcomes: [u64; 3],
    /// The same of those kept.
    pub kept_outcomes: [u64; 3],
    /// What the records hold, those read and those kept, if that is asked for.
    pub counts: Option<Box<[Counts; 2]>>,
    /// Games whose tag tells another result than what stands behind their moves.
    pub contradicted: u64,
    /// What was wrong with the first invalid records.
    pub messages: Vec<String>,
}

impl Tally {
    /// How many messages are kept.
    const MESSAGES: usize = 3;

    /// Adds those of another.
    pub fn add(&mut self, other: Tally) {
        self.records += other.records;
        self.moves += other.moves;
        self.kept += other.kept;
        self.held += other.held;
        self.unscored += other.unscored;
        self.invalid += other.invalid;
        self.invalid_bytes += other.invalid_bytes;
        self.contradicted += other.contradicted;
        self.packed = both([self.packed, other.packed], [self.bytes, other.bytes]);
        self.packed_written = both(
            [self.packed_written, other.packed_written],
            [self.written, other.written],
        );
        self.bytes += other.bytes;
        self.written += other.written;
        add_each(&mut self.dropped, &other.dropped);
        add_each(&mut self.outcomes, &other.outcomes);
        add_each(&mut self.kept_outcomes, &other.kept_outcomes);
        match (&mut self.counts, other.counts) {
            (Some(sums), Some(counts)) => {
                let pairs = sums.iter_mut().zip(counts.iter());
                pairs.for_each(|(sum, counts)| sum.add_all(counts));
            }
            (sums @ None, counts) => *sums = counts,
            (_, None) => {}
        }
        self.messages.extend(other.messages);
        self.messages.truncate(Tally::MESSAGES);
    }

    /// With the number of positions that are in the output.
    pub(super) fn sizes_json(&self, after: u64) -> Value {
        json!({
            "read": self.bytes,
            "written": self.written,
            "read_compressed": self.packed,
            "written_compressed": self.packed_written,
            "read_per_position": self.bytes as f64 / self.records.max(1) as f64,
            "written_per_position": self.written as f64 / after.max(1) as f64,
        })
    }

    pub(super) fn size_lines(&self, after: u64, lines: &mut Lines) {
        lines.add("read", self.size_read());
        let written = bytes_each(self.written, self.packed_written, after);
        lines.add("written", written);
    }

    /// How many records have no score, if any, and what became of them.
    pub(super) fn unscored_line(&self, became: &str, lines: &mut Lines) {
        if self.unscored > 0 {
            let share = share(self.unscored, self.records);
            lines.add("unscored", format!("{share}, {became}"));
        }
    }

    /// What was passed over, and why.
    pub(super) fn invalid_lines(&self, lines: &mut Lines) {
        if self.invalid == 0 {
            return lines.add("invalid", 0);
        }
        let (count, bytes) = (grouped(self.invalid), grouped(self.invalid_bytes));
        lines.add("invalid", format!("{count}, {bytes} bytes passed over"));
        for message in &self.messages {
            lines.add("", message);
        }
        let more = self.invalid.saturating_sub(self.messages.len() as u64);
        if more > 0 {
            lines.add("", format!("and {} more", grouped(more)));
        }
    }

    /// Whose results were not taken from where some may expect it.
    pub(super) fn contradicted_lines(&self, lines: &mut Lines) {
        let games = match self.contradicted {
            0 => return,
            1 => "1 game".to_owned(),
            more => format!("{} games", grouped(more)),
        };
        let text = "whose tag contradicts the movetext, taken from the movetext";
        lines.add("results", format!("{games} {text}"));
    }

    /// How many records were not kept, for each reason there was.
    #[must_use]
    pub fn reasons(&self) -> Vec<(String, u64)> {
        let reasons = Reason::all().zip(self.dropped);
        reasons
            .filter(|(_, count)| *count > 0)
            .map(|(reason, count)| (reason.to_string(), count))
            .collect()
    }

    pub(super) fn size_read(&self) -> String {
        bytes_each(self.bytes, self.packed, self.records)
    }

    /// What was counted of records read and kept.
    pub(super) fn counts(&self, rules: &Rules) -> Box<[Counts; 2]> {
        let none = || Box::new([Counts::new(rules), Counts::new(rules)]);
        self.counts.clone().unwrap_or_else(none)
    }

    /// What decoding noticed: records that are passed over because they are invalid, and
    /// contradictions.
    pub(super) fn note_decoded(&mut self, decoded: &Decoded) {
        let errors = &decoded.invalid;
        self.contradicted += decoded.contradicted.len() as u64;
        self.invalid += errors.len() as u64;
        let bytes = errors.iter().map(|error| error.span.len() as u64);
        self.invalid_bytes += bytes.sum::<u64>();
        let room = Tally::MESSAGES.saturating_sub(self.messages.len());
        let messages = errors.iter().take(room).map(RecordError::to_string);
        self.messages.extend(messages);
    }

    /// A filter's records, each kept or dropped for a reason.
    pub(super) fn count(&mut self, records: &[Record], dropped: &[Option<Reason>]) {
        let mut counts = [[[0_u32; REASONS]; RESULTS]; 2];
        for (i, (record, reason)) in records.iter().zip(dropped).enumerate() {
            // By turns, so that one need not wait for the other.
            let of_result = &mut counts[i % 2][result_index(record) % RESULTS];
            of_result[reason.map_or(KEPT, Reason::index) % REASONS] += 1;
        }
        for (result, counts) in counts.iter().flat_map(|counts| counts.iter().enumerate()) {
            self.add_counts(result, &counts.map(u64::from));
        }
    }

    fn add_counts(&mut self, result: usize, counts: &[u64; REASONS]) {
        let all: u64 = counts.iter().sum();
        self.records += all;
        self.kept += counts[KEPT];
        for (sum, count) in self.dropped.iter_mut().zip(counts) {
            *sum += count;
        }
        if let Some(of_result) = self.outcomes.get_mut(result) {
            *of_result += all;
            self.kept_outcomes[result] += counts[KEPT];
        }
    }
}

/// More than there are reasons, and a power of two: no bounds have to be checked.
const REASONS: usize = 32;
/// Behind all reasons.
const KEPT: usize = REASONS - 1;
/// White won, drawn, Black won, not known.
const RESULTS: usize = 4;

const _: () = assert!(Reason::COUNT < KEPT);

fn result_index(record: &Record) -> usize {
    match record.outcome() {
        Some(Outcome::White) => 0,
        Some(Outcome::Draw) => 1,
        Some(Outcome::Black) => 2,
        None => 3,
    }
}

/// Bytes of compressed files: what is not compressed counts as it is.
fn both([one, other]: [Option<u64>; 2], [plain, other_plain]: [u64; 2]) -> Option<u64> {
    one.or(other)?;
    Some(one.unwrap_or(plain) + other.unwrap_or(other_plain))
}

fn bytes_each(bytes: u64, packed: Option<u64>, positions: u64) -> String {
    let each = bytes as f64 / positions.max(1) as f64;
    let packed = packed.map_or_else(String::new, |packed| {
        format!(" before compression ({} after)", grouped(packed))
    });
    format!("{} bytes{packed}, {each:.2} a position", grouped(bytes))
}

fn add_each<const N: usize>(sums: &mut [u64; N], counts: &[u64; N]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}
