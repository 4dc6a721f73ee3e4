//! Progress and notes on a terminal.

// Rates are shown rounded.
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::Arc;
use std::sync::atomic::{AtomicU64, Ordering};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use swaplist::locks::Mutex;
use swaplist_files::jobs::front::grouped;
use swaplist_files::jobs::{Event, Input};
use swaplist_files::mix::{self, Pass};

/// The bar of an input whose length is known, and that of another one.
const OF_FILE: &str = "{bar:30} {percent:>3} %  {msg}, {eta} left";
const OF_STREAM: &str = "{spinner} {msg}";

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
    /// The progress of reading an input: shown if standard error is a terminal, unless quiet.
    pub fn new(input: &Input, quiet: bool) -> Progress {
        let (bar, template) = match input.length() {
            _ if quiet => (ProgressBar::hidden(), OF_STREAM),
            Some(length) => (ProgressBar::new(length), OF_FILE),
            None => (ProgressBar::new_spinner(), OF_STREAM),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Progress {
            bar,
            started: Instant::now(),
            bytes_read: input.bytes_read(),
            name: input.name().to_owned(),
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
        let rate = records as f64 / self.elapsed().as_secs_f64().max(1e-3);
        let message = format!(
            "{}: {} records, {}/s",
            self.name,
            grouped(records),
            grouped(rate as u64)
        );
        self.bar.set_message(message);
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
    /// The progress of a mix: shown if standard error is a terminal, unless quiet.
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
    pub fn tell(&self, event: mix::Event<'_>) -> ControlFlow<()> {
        match event {
            mix::Event::Progress {
                pass,
                records,
                bytes,
                of,
            } if !self.bar.is_hidden() => self.set(pass, records, bytes, of),
            mix::Event::Note(text) if !self.quiet => {
                self.bar.suspend(|| {
                    let _ = writeln!(io::stderr(), "swaplist: note: {text}");
                });
            }
            _ => {}
        }
        ControlFlow::Continue(())
    }

    /// Shows a pass with its records so far, and `bytes` of `of`, or of an unknown number if that
    /// is 0.
    fn set(&self, pass: Pass, records: u64, bytes: u64, of: u64) {
        let mut current = self.pass.lock();
        let start = match *current {
            Some((shown_pass, start)) if shown_pass == pass => start,
            _ => {
                self.bar.reset();
                let template = if of > 0 { OF_FILE } else { OF_STREAM };
                if let Ok(style) = ProgressStyle::with_template(template) {
                    self.bar.set_style(style);
                }
                let now = Instant::now();
                *current = Some((pass, now));
                now
            }
        };
        let rate = records as f64 / start.elapsed().as_secs_f64().max(1e-3);
        let name = pass.name();
        self.bar.set_message(match records {
            0 => name.to_owned(),
            _ => format!(
                "{name}: {} records, {}/s",
                grouped(records),
                grouped(rate as u64)
            ),
        });
        self.bar.set_length(of);
        self.bar.set_position(bytes);
    }
}

impl Drop for Passes {
    fn drop(&mut self) {
        self.bar.finish_and_clear();
    }
}
