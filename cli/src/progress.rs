//! Progress and notes on a terminal.

// The digits that a cast loses do not matter in a rate.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};
use parking_lot::Mutex;

use swaplist_files::jobs::{Event, Input};
use swaplist_files::mix::Pass;
use swaplist_files::report::grouped;

/// The bar of an input whose length is known.
const OF_FILE: &str = "{bar:30} {percent:>3} %  {msg}, {eta} left";
/// What an input of unknown length has instead of a bar.
const OF_STREAM: &str = "{spinner} {msg}";

/// Gives a bar the looks of [`OF_FILE`] or [`OF_STREAM`].
fn set_style(bar: &ProgressBar, is_length_known: bool) {
    let template = if is_length_known { OF_FILE } else { OF_STREAM };
    if let Ok(style) = ProgressStyle::with_template(template) {
        bar.set_style(style);
    }
}

/// The text beside a bar: what is read, how many records, and how many a second.
fn counted(name: &str, records: u64, elapsed: Duration) -> String {
    // At least a millisecond, as nothing may have elapsed yet.
    let rate = records as f64 / elapsed.as_secs_f64().max(1e-3);
    format!(
        "{name}: {} records, {}/s",
        grouped(records),
        grouped(rate as u64)
    )
}

/// A job's progress and notes, on standard error.
pub struct Progress {
    bar: ProgressBar,
    started: Instant,
    /// The bytes that were read so far, which the input counts.
    bytes_read: Arc<AtomicU64>,
    /// The input's name.
    name: String,
    quiet: bool,
}

impl Progress {
    /// The progress of reading an input, unless quiet. A bar needs standard error to be a terminal.
    pub fn new(input: &Input, quiet: bool) -> Progress {
        let length = input.length;
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            length.map_or_else(ProgressBar::new_spinner, ProgressBar::new)
        };
        set_style(&bar, length.is_some());
        Progress {
            bar,
            started: Instant::now(),
            bytes_read: Arc::clone(&input.read),
            name: input.name.clone(),
            quiet,
        }
    }

    /// Shows an event of a job; never ends the job.
    pub fn tell(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Progress { records, .. } => self.set(records),
            Event::Note(_) if self.quiet => {}
            Event::Note(text) => self.bar.suspend(|| {
                let _ = writeln!(io::stderr(), "swaplist: note: {}: {text}", self.name);
            }),
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Sets the number of records done.
    pub fn set(&self, records: u64) {
        if self.bar.is_hidden() {
            return;
        }
        self.bar
            .set_message(counted(&self.name, records, self.elapsed()));
        self.bar
            .set_position(self.bytes_read.load(Ordering::Relaxed));
    }

    /// The time since the job began.
    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}

/// The progress of a mix, pass by pass, and its notes.
pub struct Passes {
    bar: ProgressBar,
    quiet: bool,
    /// The pass that is shown, and when it began.
    pass: Mutex<Option<(Pass, Instant)>>,
}

impl Passes {
    /// The progress of a mix, unless quiet. A bar needs standard error to be a terminal.
    pub fn new(quiet: bool) -> Passes {
        let bar = if quiet {
            ProgressBar::hidden()
        } else {
            ProgressBar::new_spinner()
        };
        Passes {
            bar,
            quiet,
            pass: Mutex::default(),
        }
    }

    /// Shows an event of a mix; never ends the mix.
    pub fn tell(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Progress {
                pass: Some(pass),
                records,
                bytes,
                of: total_bytes,
            } => self.set(pass, records, bytes, total_bytes),
            Event::Note(text) if !self.quiet => {
                self.bar.suspend(|| {
                    let _ = writeln!(io::stderr(), "swaplist: note: {text}");
                });
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Shows a pass with its records and bytes so far; `total_bytes` is 0 if it is not known.
    fn set(&self, pass: Pass, records: u64, bytes: u64, total_bytes: u64) {
        if self.bar.is_hidden() {
            return;
        }
        let mut current = self.pass.lock();
        let start = match *current {
            Some((shown_pass, start)) if shown_pass == pass => start,
            // A new pass begins at zero, with a clock of its own.
            _ => {
                self.bar.reset();
                set_style(&self.bar, total_bytes > 0);
                let now = Instant::now();
                *current = Some((pass, now));
                now
            }
        };
        let name = pass.to_string();
        self.bar.set_message(match records {
            // Some passes count no records.
            0 => name,
            _ => counted(&name, records, start.elapsed()),
        });
        self.bar.set_length(total_bytes);
        self.bar.set_position(bytes);
    }
}

impl Drop for Passes {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
