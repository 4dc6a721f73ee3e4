//! Converting records to another format; refuses likely mistakes and notes what gets lost.

use super::conversion::{Conversion, kept};
use super::error::{Error, ErrorKind, Result};
use super::job::Job;
use super::kind::JobKind;
use super::options::Options;
use super::step::Step;
use super::summary::Summary;
use super::task::{Task, TaskSpec};
use crate::formats::{Action, Actions, Codec, Field, Format, Naming, Required};
use swaplist::Choice;

impl Job<'_> {
    /// Writes all records in [another format](super::Options::to), or else in the one that the
    /// output's name tells. In the input's own format, they are copied.
    ///
    /// # Errors
    ///
    /// An [`Error`] of any kind; then no output file is left, unless only a [side
    /// file](Job::beside) cannot be written, as the message says.
    pub fn convert(mut self) -> Result<Summary> {
        let Some(to) = self.options.to.or(self.output.named_format()) else {
            let message = format!(
                "the name of {} does not tell the format",
                self.output.quoted()
            );
            return Err(Error::new(ErrorKind::Unnamed, message));
        };
        let Options {
            drop_unscored,
            score,
            scale,
            ..
        } = self.options;
        if score.is_some() && scale.is_none() && to == self.converting.from {
            let name = to.name();
            return Err(Error::refused(format!(
                "records are copied from {name} to {name}: a score can be given in another format"
            )));
        }
        if to.is_writable() && !to.is_convertible_to() && to != self.converting.from {
            let name = to.name();
            return Err(Error::refused(format!(
                "{name} is not written by convert: other formats are not converted to it; choose \
                 another name or --to"
            )));
        }
        self.converting.drops_unscored = drop_unscored;
        self.converting.score = score;
        self.converting.scale = scale;
        self.choose_output_format(Some(to))?;
        let task = Convert {
            drop_unscored,
            loses_placeholders: self.converting.from.hides_placeholders_in(to),
        };
        self.run(task, &[], None)
    }

    /// Sets the format that is written: this one, or the input's. Notes what gets lost and
    /// refuses what cannot be written or is probably a mistake.
    pub(crate) fn choose_output_format(&mut self, asked: Option<Format>) -> Result<()> {
        // An input format that cannot be written needs the format of the output's name.
        let from = self.converting.from;
        let named = self.output.named_format().filter(|_| !from.is_writable());
        let format = asked.or(named).unwrap_or(from);
        self.converting.to = format;
        let to = format.name();
        if !format.is_writable() {
            let message = format!("{to} can only be read");
            return Err(Error::new(ErrorKind::ReadOnly, message));
        }
        if self.options.drop_castling && self.converting.copies() {
            return Err(Error::refused(format!(
                "records are copied from {to} to {to} with all castling rights, which the format \
                 holds: rights can be dropped in another format"
            )));
        }
        self.converting.drops_castling = self.options.drop_castling;
        if let Err(error) = self.converting.codec(from.codec()) {
            // A table without its header lacks every field. Then the error is about the header.
            let naming = Naming {
                fen: self.options.fen_column.as_deref(),
                labels: &self.options.labels,
            };
            self.input.check_header(from, &naming)?;
            return Err(error);
        }
        if !format.is_text() && self.output.is_terminal {
            let message = format!("{to} is binary and not for a terminal");
            return Err(Error::new(ErrorKind::Terminal, message));
        }
        for output in core::iter::once(&self.output).chain(&self.rejects) {
            // A copy in the input's format may keep the input's extension, whatever that is.
            let has_own_name = from == format && output.extension() == self.input.extension;
            if !has_own_name {
                output.check_name(format, asked)?;
            }
        }
        if !self.converting.copies() {
            let naming = Naming {
                fen: self.options.fen_column.as_deref(),
                labels: &self.options.labels,
            };
            if let Some(note) = self.input.note_on_labels(from, &naming)? {
                self.caller.teller.note(&note);
            }
        }
        let extension = self.output.extension();
        for loss in self.losses_of(extension.as_deref()) {
            self.caller.teller.note(&loss);
        }
        Ok(())
    }

    /// What gets lost in an output with this extension.
    pub(crate) fn losses_of(&self, extension: Option<&str>) -> Vec<String> {
        let Conversion { from, to, .. } = self.converting;
        let mut losses = Vec::new();
        let lost: Vec<_> = from.lost_in(to).map(|part| part.to_string()).collect();
        if !lost.is_empty() {
            let parts = lost.join(", ");
            losses.push(format!("not carried over to {}: {parts}", to.name()));
        }
        if from == Format::Pgn && to == Format::Text {
            let note = "positions with a score in a comment become lines FEN | score | result, \
                those without one lines FEN [result]";
            losses.push(note.to_owned());
        }
        if !self.converting.copies() && to == Format::Text && extension == Some("epd") {
            losses.push("lines FEN | score | result are written; EPD is only read".to_owned());
        }
        if !from.holds(Field::Turn) && to.holds(Field::Turn) {
            losses.push(format!(
                "{} does not tell who moves: all positions are written with White to move, \
                 without castling rights and clocks",
                from.name()
            ));
        }
        losses
    }
}

struct Convert {
    drop_unscored: bool,
    /// Whether placeholders are counted, because the output does not tell them from scores.
    loses_placeholders: bool,
}

impl Task for Convert {
    fn spec(&self) -> TaskSpec {
        TaskSpec {
            bytes_a_record: 80,
            required: Required::NOTHING.and(self.drop_unscored.then_some(Field::Score)),
            ..TaskSpec::for_job(JobKind::Convert)
        }
    }

    fn write(&self, codec: &Codec, step: &mut Step) -> Result<()> {
        let decoded = &step.decoded;
        let done = &mut step.done;
        let actions = kept(&decoded.records, self.drop_unscored);
        let held = actions.iter().filter(|&&action| action == Action::Keep);
        let unscored = decoded.records.iter().filter(|record| record.is_unscored());
        done.tally.records += actions.len() as u64;
        done.tally.records_written += held.count() as u64;
        done.tally.unscored += unscored.count() as u64;
        if self.loses_placeholders {
            let records = decoded.records.iter().zip(&decoded.positions);
            let placeholders = records.filter(|(record, position)| record.is_placeholder(position));
            done.tally.placeholders += placeholders.count() as u64;
        }
        let actions = Actions {
            records: &actions,
            writes_invalid: false,
        };
        let data = &mut done.data;
        let open = &mut done.open[0];
        codec.encode_part(&step.block, decoded, &actions, data, open);
        Ok(())
    }
}
