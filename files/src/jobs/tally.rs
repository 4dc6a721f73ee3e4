//! Counts of a run.

use core::ops::AddAssign;
use std::collections::BTreeMap;

use crate::filter::{KEPT, KINDS_OF_RECORDS, REASONS, RESULTS, Reason};
use crate::formats::{DecodedPart, MATE, Place, RecordError, RecordFields};
use serde::{Deserialize, Serialize};

use super::counts::Counts;
use super::error::Error;
use swaplist::Choice;

/// Counts of one block or of all.
#[derive(Clone, Debug, Default, Deserialize, Serialize)]
#[non_exhaustive]
pub struct Tally {
    /// Valid records that were read.
    pub records: u64,
    /// The moves of a job that scores moves; of one that judges positions, their noisy moves.
    pub moves: u64,
    /// Records that the filter kept.
    pub kept: u64,
    /// Records in the output: kept or marked.
    pub records_written: u64,
    /// Records without a score, among those kept or converted.
    pub unscored: u64,
    /// Of a conversion that leaves out the played moves: records with a score of 0 whose played move
    /// captures, or whose side to move is in check. In minimised data that is no score.
    pub placeholders: u64,
    /// Records that failed to decode and were skipped.
    pub invalid: u64,
    /// The bytes, decompressed, of the records that failed to decode.
    pub invalid_bytes: u64,
    /// Records that decoded and were skipped: the output format cannot hold them, or another one of
    /// their game or chain lacks a field or has an illegal move.
    pub invalid_records: u64,
    /// Bytes of the records read, decompressed.
    pub bytes: u64,
    /// Bytes written to the output, before compression; rejects not counted.
    pub written: u64,
    /// Bytes read, before decompression, if compressed.
    pub bytes_compressed: Option<u64>,
    /// Bytes written, compressed, if so.
    pub written_compressed: Option<u64>,
    /// Records dropped, for each of [`Reason::ALL`].
    pub dropped: [u64; Reason::COUNT],
    /// White won, drawn, Black won.
    pub outcomes: [u64; 3],
    /// The results of the records that were kept, counted likewise.
    pub kept_outcomes: [u64; 3],
    /// Counts over the records read and kept, if asked for.
    pub counts: Option<Box<[Counts; 2]>>,
    /// Games whose result tag contradicts the end of the movetext.
    pub contradicted: u64,
    /// Games without a result after the moves, but with a tag of one.
    pub unended: u64,
    /// Games without moves, which give no records.
    pub moveless: u64,
    /// Scores in comments of PGN that were clamped below mates.
    pub clamped: u64,
    /// Parts of lines that could not be read, and were not needed.
    pub unread: u64,
    /// The first part of a line that could not be read, with its place and the reason.
    pub first_unread: Option<String>,
    /// Records with a score of [`MATE`] or more, other than 32002, by its distance from 0: some
    /// tools write one for no score. Empty for a filter that drops them all, and for one that a GPU
    /// could do from file to file, since that counts none.
    pub odd_scores: BTreeMap<u32, u64>,
    /// Records that lost castling rights whose rook or king is not on its back rank. The records
    /// themselves stay.
    pub lost_rights: u64,
    /// Records that lost castling rights that the output format cannot hold. The records themselves
    /// stay.
    pub unheld_rights: u64,
    /// Records that were left out, since their played move castles by a right that the output format
    /// cannot hold.
    pub left_out_castlings: u64,
    /// Records with clocks above those of the output format, which were clamped.
    pub clamped_clocks: u64,
    /// Records whose ply and move number contradict each other, in an output format that holds one.
    pub lost_plies: u64,
    /// Records whose score, multiplied by a [`Scale`](crate::formats::Scale), was beyond the largest
    /// one, which was taken instead.
    pub clipped_scores: u64,
    /// The first three decoding errors, each as a line of text with its place.
    pub messages: Vec<String>,
    /// What a validation has found.
    #[serde(skip)]
    pub(crate) faults: Faults,
}

impl Tally {
    const MESSAGES: usize = 3;

    /// Puts an input's name before the messages: their places are within it.
    pub(crate) fn name_input(&mut self, name: &str) {
        for message in self.messages.iter_mut().chain(&mut self.first_unread) {
            *message = format!("{name}, {message}");
        }
    }

    /// The number of records dropped for each reason that occurred.
    pub fn reasons(&self) -> Vec<(String, u64)> {
        let reasons = Reason::ALL.iter().zip(self.dropped);
        reasons
            .filter(|(_, count)| *count > 0)
            .map(|(reason, count)| (reason.to_string(), count))
            .collect()
    }

    fn note_scores(&mut self, records: &[RecordFields]) {
        // Hardly any block has one, so most are passed over without a branch for each record.
        let may_be_odd = records
            .iter()
            .filter(|record| record.score_is_none_or_mate());
        if may_be_odd.count() == 0 {
            return;
        }
        let size = |record: &RecordFields| record.score().unwrap_or(0).unsigned_abs();
        let odd = records
            .iter()
            .filter(|record| size(record) >= MATE.unsigned_abs());
        for record in odd.filter(|record| !record.is_unscored()) {
            *self.odd_scores.entry(size(record)).or_default() += 1;
        }
    }

    /// Notes what decoding found: invalid records, contradicted results, odd scores. Only of the
    /// first `records` of the part are odd scores counted: of those before a limit, and of none
    /// where a device could do the same job, since that counts none.
    pub(crate) fn note_decoded(&mut self, decoded: &DecodedPart, records: usize) {
        let read = decoded.records.len().min(records);
        self.note_scores(&decoded.records[..read]);
        let errors = &decoded.invalid;
        let games = &decoded.notes.games;
        self.contradicted += games.contradicted.len() as u64;
        self.unended += games.unended.len() as u64;
        self.moveless += games.moveless.len() as u64;
        self.clamped += games.clamped.len() as u64;
        let unread = &decoded.notes.fens.unread;
        self.unread += unread.len() as u64;
        if let (None, Some(first)) = (&self.first_unread, unread.first())
            && let Some(record) = decoded.records.get(first.record)
        {
            self.first_unread = Some(format!("{}: {}", record.place(), first.fault));
        }
        let losses = &decoded.losses;
        self.lost_rights += losses.lost_rights.len() as u64;
        self.unheld_rights += losses.unheld_rights.len() as u64;
        self.left_out_castlings += losses.left_out.len() as u64;
        self.clamped_clocks += losses.clamped_clocks.len() as u64;
        self.lost_plies += losses.lost_plies.len() as u64;
        self.clipped_scores += losses.clipped_scores.len() as u64;
        self.invalid += errors.len() as u64;
        self.invalid_records += losses.taken_out.len() as u64;
        let bytes = errors.iter().map(|error| error.span.len() as u64);
        self.invalid_bytes += bytes.sum::<u64>();
        let room = Tally::MESSAGES.saturating_sub(self.messages.len());
        let messages = errors.iter().take(room).map(RecordError::to_string);
        self.messages.extend(messages);
    }

    /// Counts a filter's records, each kept or dropped for a reason. Their kinds are numbered as the
    /// head of `filter/kinds.rs` says.
    pub(crate) fn count(&mut self, records: &[RecordFields], dropped: &[Option<Reason>]) {
        let mut counts = [0_u32; 2 * KINDS_OF_RECORDS];
        for (i, (record, reason)) in records.iter().zip(dropped).enumerate() {
            // The remainders change no number: they save checks that it is within the list.
            let reason = reason.map_or(KEPT, Reason::index) % REASONS;
            let result = record.outcome().map_or(3, |outcome| outcome as usize);
            let of_score = usize::from(record.is_unscored()) * RESULTS + result;
            let kind = of_score * REASONS + reason;
            // Alternating counters, so that one increment need not wait for the previous one.
            counts[(kind * 2 + i % 2) % (2 * KINDS_OF_RECORDS)] += 1;
        }
        let mut kinds = [0; KINDS_OF_RECORDS];
        for (kind, counts) in kinds.iter_mut().zip(counts.as_chunks::<2>().0) {
            *kind = counts[0] + counts[1];
        }
        self.add_kinds(&kinds);
    }

    /// Records of a filter by kind, as a device counts them.
    pub(super) fn from_kinds(counts: &[u32]) -> Tally {
        let mut tally = Tally::default();
        tally.add_kinds(counts);
        tally
    }

    fn add_kinds(&mut self, counts: &[u32]) {
        for (kind, &count) in counts.iter().enumerate() {
            let count = u64::from(count);
            let of_score = kind / REASONS;
            let reason = kind % REASONS;
            let kept = if reason == KEPT { count } else { 0 };
            self.records += count;
            self.kept += kept;
            self.unscored += if of_score >= RESULTS { kept } else { 0 };
            if let Some(dropped) = self.dropped.get_mut(reason) {
                *dropped += count;
            }
            // Kinds number the results Black won, drawn, White won, unknown; the counts begin with
            // White won.
            if let Some(place) = 2_usize.checked_sub(of_score % RESULTS) {
                self.outcomes[place] += count;
                self.kept_outcomes[place] += kept;
            }
        }
    }
}

/// Adds the counts of another block, file or part.
impl AddAssign for Tally {
    fn add_assign(&mut self, other: Tally) {
        self.records += other.records;
        self.moves += other.moves;
        self.kept += other.kept;
        self.records_written += other.records_written;
        self.unscored += other.unscored;
        self.placeholders += other.placeholders;
        self.invalid += other.invalid;
        self.invalid_bytes += other.invalid_bytes;
        self.invalid_records += other.invalid_records;
        self.contradicted += other.contradicted;
        self.unended += other.unended;
        self.moveless += other.moveless;
        self.clamped += other.clamped;
        self.unread += other.unread;
        self.first_unread = self.first_unread.take().or(other.first_unread);
        for (score, count) in other.odd_scores {
            *self.odd_scores.entry(score).or_default() += count;
        }
        self.lost_rights += other.lost_rights;
        self.unheld_rights += other.unheld_rights;
        self.left_out_castlings += other.left_out_castlings;
        self.clamped_clocks += other.clamped_clocks;
        self.lost_plies += other.lost_plies;
        self.clipped_scores += other.clipped_scores;
        self.bytes_compressed = both(
            [self.bytes_compressed, other.bytes_compressed],
            [self.bytes, other.bytes],
        );
        self.written_compressed = both(
            [self.written_compressed, other.written_compressed],
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
        self.faults.add_all(other.faults);
    }
}

const _: () = assert!(Reason::COUNT < KEPT);

/// Sums compressed sizes; uncompressed files count with their plain size.
fn both([one, other]: [Option<u64>; 2], [plain, other_plain]: [u64; 2]) -> Option<u64> {
    one.or(other)?;
    Some(one.unwrap_or(plain) + other.unwrap_or(other_plain))
}

fn add_each(sums: &mut [u64], counts: &[u64]) {
    for (sum, count) in sums.iter_mut().zip(counts) {
        *sum += count;
    }
}

/// Places listed per kind of fault.
const PLACES: usize = 3;

/// Faults of one kind.
#[derive(Clone, Debug, Default)]
pub(crate) struct Kind {
    pub count: u64,
    /// The first ones, in order.
    pub places: Vec<(Place, String)>,
}

/// What a validation found.
#[derive(Clone, Debug, Default)]
pub(crate) struct Faults {
    /// Records, games and chains with faults.
    pub kinds: BTreeMap<&'static str, Kind>,
    /// Why the input could not be read to its end.
    pub broken: Option<Error>,
    /// Whether the last line of text may be cut off. No fault.
    pub is_unended: bool,
}

impl Faults {
    pub(crate) fn is_empty(&self) -> bool {
        self.broken.is_none() && self.kinds.is_empty()
    }

    pub fn add(&mut self, kind: &'static str, place: Place, detail: impl FnOnce() -> String) {
        let kind = self.kinds.entry(kind).or_default();
        kind.count += 1;
        let at = kind.places.partition_point(|(other, _)| *other <= place);
        if at < PLACES {
            kind.places.insert(at, (place, detail()));
            kind.places.truncate(PLACES);
        }
    }

    /// Adds the faults of a later block.
    pub fn add_all(&mut self, other: Faults) {
        for (name, more) in other.kinds {
            let kind = self.kinds.entry(name).or_default();
            kind.count += more.count;
            kind.places.extend(more.places);
            kind.places.truncate(PLACES);
        }
        self.broken = self.broken.take().or(other.broken);
        self.is_unended |= other.is_unended;
    }
}
