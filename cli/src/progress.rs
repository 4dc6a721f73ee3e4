//! Progress on a terminal.

// rates are shown rounded
#![allow(clippy::cast_precision_loss, clippy::cast_sign_loss)]

use std::collections::BTreeMap;
use std::io::{self, Write as _};
use std::ops::ControlFlow;
use std::sync::atomic::{AtomicU64, Ordering};
use std::sync::{Arc, Mutex, PoisonError};
use std::time::{Duration, Instant};

use indicatif::{ProgressBar, ProgressStyle};

use swaplist::jobs::front::grouped;
use swaplist::jobs::{Event, Input};

const OF_FILE: &str = "{bar:30} {percent:>3} %  {msg}, {eta} left";
const OF_STREAM: &str = "{spinner} {msg}";

/// The progress through one file or several.
#[derive(Clone)]
pub struct Total {
    bar: ProgressBar,
    started: Instant,
    /// Bytes and records of finished files.
    pub done: [u64; 2],
    /// How often each note was made.
    notes: Arc<Mutex<BTreeMap<String, u64>>>,
}

impl Total {
    /// The length is in bytes, if known.
    pub fn new(length: Option<u64>, quiet: bool) -> Total {
        let (bar, template) = match length {
            _ if quiet => (ProgressBar::hidden(), OF_STREAM),
            Some(length) => (ProgressBar::new(length), OF_FILE),
            None => (ProgressBar::new_spinner(), OF_STREAM),
        };
        if let Ok(style) = ProgressStyle::with_template(template) {
            bar.set_style(style);
        }
        Total {
            bar,
            started: Instant::now(),
            done: [0; 2],
            notes: Arc::default(),
        }
    }

    /// Prints a line above the progress bar.
    pub fn say(&self, line: &str) {
        self.bar.suspend(|| {
            let _ = writeln!(io::stderr(), "{line}");
        });
    }

    /// Whether a note is new.
    fn is_new(&self, note: &str) -> bool {
        let mut notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let count = notes.entry(note.to_owned()).or_default();
        *count += 1;
        *count == 1
    }

    /// The notes that were also made about later files, where they were not printed.
    pub fn repeated(&self) -> Vec<String> {
        let notes = self.notes.lock().unwrap_or_else(PoisonError::into_inner);
        let repeated = notes.iter().filter(|(_, count)| **count > 1);
        let line = |(note, count): (&String, &u64)| {
            let files = if *count == 2 { "file" } else { "files" };
            format!("swaplist: note: {} more {files}: {note}", count - 1)
        };
        repeated.map(line).collect()
    }

    pub fn elapsed(&self) -> Duration {
        self.started.elapsed()
    }

    pub fn finish(&self) {
        self.bar.finish_and_clear();
    }
}

/// A job's progress and notes, on standard error.
pub struct Progress {
    total: Total,
    read: Arc<AtomicU64>,
    /// The input's name, if there are several.
    name: Option<String>,
    quiet: bool,
}

impl Progress {
    /// Shown if standard error is a terminal, unless quiet.
    pub fn new(input: &Input, quiet: bool, total: Option<&Total>) -> Progress {
        let alone = || Total::new(input.length(), quiet);
        Progress {
            total: total.cloned().unwrap_or_else(alone),
            read: input.bytes_read(),
            name: total.map(|_| input.name().to_owned()),
            quiet,
        }
    }

    /// Shows what a job tells.
    pub fn tell(&self, event: Event<'_>) -> ControlFlow<()> {
        match event {
            Event::Progress { records, .. } => self.set(records),
            Event::Note(text) if self.quiet || !self.total.is_new(text) => {}
            Event::Note(text) => self.total.bar.suspend(|| {
                let name = self.name.iter().map(|name| format!("{name}: "));
                let name: String = name.collect();
                let _ = writeln!(io::stderr(), "swaplist: note: {name}{text}");
            }),
        }
        ControlFlow::Continue(())
    }

    /// Sets the number of records done in this file.
    pub fn set(&self, records: u64) {
        if self.total.bar.is_hidden() {
            return;
        }
        let [bytes_before, records_before] = self.total.done;
        let records = records_before + records;
        let rate = records as f64 / self.elapsed().as_secs_f64().max(1e-3);
        self.total.bar.set_message(format!(
            "{} records, {}/s",
            grouped(records),
            grouped(rate as u64)
        ));
        self.total
            .bar
            .set_position(bytes_before + self.read.load(Ordering::Relaxed));
    }

    pub fn elapsed(&self) -> Duration {
        self.total.elapsed()
    }
}

impl Drop for Progress {
    fn drop(&mut self) {
        if self.name.is_none() {
            self.total.bar.finish_and_clear();
        }
    }
}
